"""Reading a workbook: read(path) -> model.Workbook, from the package's own XML. Runs in the reader child (reader.py).

The cached values of formulas are not read: their cells have no value until engines computed them (recalc.py), and what
shows such values (charts, lists of validations) is resolved after that (resolve.py). Cells are in read_xlsx_cells.py,
looks in read_xlsx_styles.py, rules in read_xlsx_rules.py, charts, tables, pivots and comments in read_xlsx_parts.py.
"""

from __future__ import annotations

from typing import Any, cast

from . import read_xlsx_parts as parts
from .model_cells import Sheet, Style, Workbook
from .package import R_ID, Package, child, children, truth
from .read_xlsx_cells import SheetReader, shared_texts
from .read_xlsx_styles import Looks

EPOCH_1904 = 1462
"""Days from 1899-12-30 to 1904-01-01."""


class Unreadable(Exception):
    """The file is no workbook that can be read, with the reason."""


def read(path: str) -> Workbook:
    """The workbook at `path`, formulas without values. Raises Unreadable; XML and number errors of broken files."""
    package = Package(path)
    main = next(iter(package.related("", "officeDocument")), None)
    if main is None:
        raise Unreadable("it has no workbook")
    root = package.xml(main)
    date1904 = truth(child(root, "workbookPr").get("date1904")) if child(root, "workbookPr") is not None else False
    looks = Looks(package, main)
    texts = [text for part in package.related(main, "sharedStrings")[:1] for text in shared_texts(package, part)]
    targets = package.relations(main)
    sheets: list[Sheet] = []
    for item in children(child(root, "sheets"), "sheet"):
        sheet = Sheet(item.get("name", ""), state=cast(Any, item.get("state", "visible")))
        relation = targets.get(item.get(R_ID, ""))
        if relation is None or relation.target not in package:
            raise Unreadable(f"its sheet {sheet.name[:40]!r} is missing")
        if relation.kind == "worksheet":
            SheetReader(sheet, looks, texts, EPOCH_1904 if date1904 else 0).read(package, relation.target)
        parts.attach(package, relation.target, sheet)
        sheets.append(sheet)
    if not sheets:
        raise Unreadable("it has no sheet")
    folded = [sheet.name.casefold() for sheet in sheets]
    if len(set(folded)) < len(folded):
        raise Unreadable("two of its sheets have one name")
    return Workbook(sheets=sheets, styles=_used(sheets, looks.styles), names=_names(root, sheets), date1904=date1904)


def _names(root: Any, sheets: list[Sheet]) -> dict[str, str]:
    """Defined names and what they mean; those of a sheet as "Sheet!name"."""
    found = {}
    for item in children(child(root, "definedNames"), "definedName"):
        name, scope = item.get("name", ""), item.get("localSheetId")
        if name != "_xlnm._FilterDatabase":
            prefix = f"{sheets[int(scope)].name}!" if scope is not None and int(scope) < len(sheets) else ""
            found[prefix + name] = (item.text or "").strip()
    return found


def _used(sheets: list[Sheet], styles: list[Style]) -> list[Style]:
    """Only the styles that cells use, the cells pointed anew; the first stays the default."""
    places: dict[int, int] = {0: 0}
    for sheet in sheets:
        for cell in sheet.cells.values():
            at = cell.style if cell.style < len(styles) else 0
            cell.style = places.setdefault(at, len(places))
    return [styles[at] for at in places]
