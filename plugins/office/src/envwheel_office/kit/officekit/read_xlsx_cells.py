"""The cells of a sheet as they stream by, and what stands around them: part of read_xlsx.py.

expat reads the part in one pass. A million cells go by without a tree; the rest of the part becomes one.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

from lxml import etree

from . import read_xlsx_rules as rules
from . import reference
from .model_cells import Cell, Scalar, Sheet
from .package import Package, child, children, local, truth
from .read_xlsx_styles import Looks

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
ROW, C, V, F, T, PHONETIC = (MAIN + name for name in ("row", "c", "v", "f", "t", "rPh"))
ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
PREFIX = re.compile(r"_xlfn\.(?:_xlws\.)?|_xlpm\.|_xlws\.", re.IGNORECASE)
MAX_TEXT = 32_767
MAX_DEPTH, MAX_ATTRIBUTES = 128, 500
WIDE = 255
"""Columns of one description that are looked at: "all further columns" reaches to the 16,384th."""
LOW, NARROW = 3.0, 0.3
"""Points and characters: rows and columns below show nothing of a text."""
MAX_FILLED = 1_000_000
"""Cells of all array formulas of a sheet."""
DAY_ZERO = datetime.datetime(1899, 12, 30)


def shared_texts(package: Package, part: str) -> Iterator[str]:
    """The shared strings, rich ones as plain text."""
    with package.stream(part) as file:
        items = etree.iterparse(file, tag="{" + MAIN + "si", resolve_entities=False, no_network=True, load_dtd=False)
        for _, item in items:
            yield rich_text(item)
            item.clear()
            while item.getprevious() is not None:
                del item.getparent()[0]


def rich_text(element: Any) -> str:
    """The text of a string item: its runs joined, phonetic hints left out, escapes resolved."""
    found = []
    for item in element:
        name = local(item)
        if name == "t":
            found.append(item.text or "")
        elif name == "r":
            found += [text.text or "" for text in children(item, "t")]
    return plain_text("".join(found))


def plain_text(text: str) -> str:
    """`text` with escapes such as _x000D_ resolved."""
    return ESCAPED.sub(lambda code: chr(int(code[1], 16)), text) if "_x" in text else text


class CellStream:
    """Splits a worksheet part: each cell to `take(attributes, row, value, inline, formula)`, the rest into a tree.

    `value` is the text of v, `inline` that of is (None without one), `formula` (attributes, text).
    """

    def __init__(self, take: Any, row: Any) -> None:
        self.take, self.row = take, row
        self.tree = etree.TreeBuilder()
        self.parser = expat.ParserCreate(namespace_separator="}")
        self.parser.buffer_text = True
        self.parser.buffer_size = 1 << 16
        self.depth = 0
        self._outside()

    def read(self, file: Any) -> Any:
        """All of a part; the root of the tree without its cells."""
        self.parser.ParseFile(file)
        return self.tree.close()

    def _outside(self) -> None:
        start, end, inside = self.tree.start, self.tree.end, self._inside

        def began(name: str, attributes: dict[str, str]) -> None:
            self.depth += 1
            if self.depth > MAX_DEPTH or len(attributes) > MAX_ATTRIBUTES:
                raise ValueError(f"it is nested deeper than {MAX_DEPTH}, or has more than {MAX_ATTRIBUTES} attributes")
            start(_braced(name), {_braced(key): value for key, value in attributes.items()})
            if name == MAIN + "sheetData":
                inside()

        def ended(name: str) -> None:
            self.depth -= 1
            end(_braced(name))

        self.parser.StartElementHandler = began
        self.parser.EndElementHandler = ended
        self.parser.CharacterDataHandler = self.tree.data

    def _inside(self) -> None:
        take, row = self.take, self.row
        cell: dict[str, str] = {}
        value = inline = formula = None
        texts: list[str] = []
        phonetic = False

        def began(name: str, attributes: dict[str, str]) -> None:
            nonlocal cell, value, inline, formula, phonetic
            texts.clear()
            if name == C:
                cell, value, inline, formula = attributes, None, None, None
            elif name == ROW:
                row(attributes)
            elif name == F:
                formula = (attributes, "")
            elif name == PHONETIC:
                phonetic = True

        def ended(name: str) -> None:
            nonlocal value, inline, formula, phonetic
            if name == V:
                value = "".join(texts)
            elif name == C:
                take(cell, value, inline, formula)
            elif name == F and formula is not None:
                formula = (formula[0], "".join(texts))
            elif name == T and not phonetic:
                inline = (inline or "") + "".join(texts)
            elif name == PHONETIC:
                phonetic = False
            elif name == MAIN + "sheetData":
                self.depth -= 1
                self.tree.end(_braced(name))
                self._outside()

        self.parser.StartElementHandler = began
        self.parser.EndElementHandler = ended
        self.parser.CharacterDataHandler = texts.append


def _braced(name: str) -> str:
    return "{" + name if "}" in name else name


class SheetReader:
    """Reads one worksheet part into `sheet`. `shift` moves dates to days since 1899-12-30."""

    def __init__(self, sheet: Sheet, looks: Looks, texts: list[str], shift: int) -> None:
        self.sheet, self.looks, self.texts, self.shift = sheet, looks, texts, shift
        self.dated = [style.number_class == "date" for style in looks.styles]
        self.masters: dict[str, tuple[str, int, int]] = {}
        self.arrays: list[tuple[str, str]] = []
        self.filled = 0
        self.sized: set[int] = set()
        self.columns: dict[str, int] = {}
        self.row, self.column, self.digits = 0, 0, ""

    def read(self, package: Package, part: str) -> None:
        """All of it. Raises ValueError for cells that make no sense."""
        with package.stream(part) as file:
            root = CellStream(self._cell, self._row).read(file)
        if local(root) != "worksheet":
            raise ValueError(f"no worksheet but {local(root)[:40]}")
        for element in root:
            look = getattr(self, f"_{local(element)}", None)
            if look is not None:
                look(element)
        for ref, formula in self.arrays:
            filled = list(reference.cells(ref, MAX_FILLED - self.filled))
            self.filled += len(filled)
            for cell in filled:
                known = self.sheet.cells.setdefault(cell, Cell())
                known.kind, known.value, known.formula = "empty", None, formula
        self._defaults(child(root, "sheetFormatPr"))
        rules.order(self.sheet)

    def _row(self, attributes: dict[str, str]) -> None:
        self.row, self.column = int(attributes.get("r") or self.row + 1), 0
        self.digits = str(self.row)
        height = attributes.get("ht")
        if height is not None:
            self.sized.add(self.row)
        if truth(attributes.get("hidden")) or (height is not None and float(height) < LOW):
            self.sheet.hidden_rows.append(self.row)

    def _defaults(self, element: Any) -> None:
        """Rows and columns without a size of their own have the sheet's."""
        height, width = (
            float(element.get(name) or LOW) if element is not None else LOW
            for name in ("defaultRowHeight", "defaultColWidth")
        )
        if height < LOW:
            rows = {reference.split(name)[0] for name in self.sheet.cells}
            self.sheet.hidden_rows += sorted(rows - self.sized - set(self.sheet.hidden_rows))
        if width < NARROW:
            known = {reference.number(letters) for letters in self.sheet.widths}
            used = {reference.split(name)[1] for name in self.sheet.cells}
            self.sheet.hidden_columns += sorted(used - known - set(self.sheet.hidden_columns))

    def _cell(self, item: dict[str, str], value: str | None, inline: str | None, formula: Any) -> None:
        name = item.get("r") or reference.name(self.row, self.column + 1)
        letters = name.rstrip("0123456789")
        if letters not in self.columns or name != letters + self.digits:
            row, self.columns[letters] = reference.split(name)
            if row != self.row or name != reference.name(row, self.columns[letters]):
                raise ValueError(f"a cell {name} in row {self.row}")
        self.column = self.columns[letters]
        style = int(item.get("s", 0))
        said = self._formula(*formula, name, "cm" in item) if formula is not None else None
        if said is not None:
            cell = Cell("empty", None, said, style)
        elif inline is not None and item.get("t") == "inlineStr":
            cell = Cell("text", plain_text(inline)[:MAX_TEXT], None, style)
        elif value is not None:
            cell = self._constant(item.get("t", "n"), value, style)
        elif style:
            cell = Cell("empty", None, None, style)
        else:
            return
        if name in self.sheet.cells:
            raise ValueError(f"the cell {name} stands twice")
        self.sheet.cells[name] = cell

    def _constant(self, kind: str, value: str, style: int) -> Cell:
        if kind == "n":
            number = float(value)
            if not abs(number) < 1e308:
                raise ValueError(f"no number of a cell: {value[:40]}")
            if style < len(self.dated) and self.dated[style]:
                return Cell("date", number + self.shift, None, style)
            return Cell("number", number, None, style)
        if kind == "s":
            return Cell("text", self.texts[int(value)], None, style)
        if kind in ("str", "inlineStr"):
            return Cell("text", plain_text(value)[:MAX_TEXT], None, style)
        if kind == "b":
            return Cell("bool", truth(value), None, style)
        if kind == "e":
            return Cell("error", value.strip(), None, style)
        if kind == "d":
            return Cell("date", serial(value), None, style)
        raise ValueError(f"a cell of the unknown type {kind[:20]!r}")

    def _formula(self, attributes: dict[str, str], text: str, name: str, dynamic: bool) -> str | None:
        """A cell's formula as "=SUM(A1:A9)"; a shared one as it reads here. None for an empty element."""
        kind = attributes.get("t", "normal")
        if kind == "shared":
            row, column = reference.split(name)
            index = attributes.get("si", "")
            if text:
                self.masters[index] = (text, row, column)
            elif index in self.masters:
                master, at, across = self.masters[index]
                text = reference.move(master, row - at, column - across)
            else:
                raise ValueError(f"the cell {name} shares a formula that is missing")
        elif kind == "dataTable":
            text = f"TABLE({attributes.get('r1', '')},{attributes.get('r2', '')})"
        if not text.strip():
            return None
        formula = canonical(text)
        if kind in ("array", "dataTable") and attributes.get("ref"):
            self.arrays.append((attributes["ref"], formula))
            if dynamic:
                self.sheet.spills.append(name)
        return formula

    def _sheetViews(self, element: Any) -> None:
        pane = child(element, "sheetView", "pane")
        if pane is not None and pane.get("state") in ("frozen", "frozenSplit"):
            rows, columns = int(float(pane.get("ySplit") or 0)), int(float(pane.get("xSplit") or 0))
            if rows or columns:
                self.sheet.freeze = reference.name(rows + 1, columns + 1)

    def _cols(self, element: Any) -> None:
        found = children(element, "col")
        if len(found) > reference.MAX_COLUMN:
            raise ValueError(f"it describes {len(found)} columns")
        for item in found:
            first, last = int(item.get("min", 1)), int(item.get("max", 1))
            hidden = truth(item.get("hidden")) or float(item.get("width") or NARROW) < NARROW
            for column in range(first, min(last, first + WIDE, reference.MAX_COLUMN) + 1):
                if hidden:
                    self.sheet.hidden_columns.append(column)
                if item.get("width"):
                    self.sheet.widths[reference.letters(column)] = float(item.get("width"))

    def _sheetProtection(self, element: Any) -> None:
        self.sheet.protected = truth(element.get("sheet"))

    def _autoFilter(self, element: Any) -> None:
        self.sheet.autofilter = element.get("ref")

    def _mergeCells(self, element: Any) -> None:
        self.sheet.merges = [item.get("ref") for item in children(element, "mergeCell") if item.get("ref")]

    def _conditionalFormatting(self, element: Any) -> None:
        self.sheet.conditionals += rules.conditionals(element, self.looks)

    def _dataValidations(self, element: Any) -> None:
        self.sheet.validations += rules.validations(element)

    def _extLst(self, element: Any) -> None:
        rules.extensions(element, self.sheet, self.looks)


def canonical(formula: str) -> str:
    """The formula as a person writes it: "=" first, no prefixes for newer functions, no line ends around it."""
    return "=" + PREFIX.sub("", formula.strip().lstrip("="))


def serial(text: str) -> Scalar:
    """An ISO date as days since 1899-12-30. ValueError when it is none."""
    moment = datetime.datetime.fromisoformat(text.strip().replace("Z", ""))
    return (moment - DAY_ZERO) / datetime.timedelta(days=1)
