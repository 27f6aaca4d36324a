"""Finding places in a workbook as a reader finds them: by name, by a label, by header texts. Only what can be seen.

spot = cell(book, Where(label="Total due"))        # NotFound says why there is none
spot.address, spot.cell.value
table = table(book, Anchor(headers=["Invoice", "Amount"]), key="Invoice")
table.rows, table.columns["amount"], table.value(9, 3)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from . import refs
from .bench import Bench, Unreadable
from .colors import contrast
from .equal import UNSURE, fold, is_blank
from .language_base import Anchor, Scalar, Where
from .model import Cell, Refused, Sheet, Style, Workbook
from .number_format import ink, section_of, shows

GAP = 5
"""How many blank cells may lie between a label and its value."""
TINY = 4.0
"""Points: smaller text is not there for a reader."""
READABLE = 1.2
"""WCAG contrast below which a text has the colour of its ground."""
LEAD = 2
"""Rows that may stand between headers and data without a key: units, a narrow row."""
DARK = re.compile(r"TableStyle(?:Light(?:[89]|1[0-4])|Medium(?:[1-9]|1\d|2[01])|Dark\d+)")
"""Looks of native tables whose headers stand on a dark ground, in white unless the cell says otherwise."""
LEVELS = 4
"""Rows at most that headers stand in, the merged ones in several."""
MERGES, TALL = 20_000, 200
"""Merged blocks that are looked at, and the rows from which one is tall."""
LONGEST = 500
INKLESS = "its text has the colour of its ground"
BLANK = Cell()


class NotFound(Unreadable):
    """The place is not there, or is there more than once; the message says which."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A cell of a workbook."""

    sheet: Sheet
    ref: str
    cell: Cell

    @property
    def address(self) -> str:
        """ "Sheet!B7"."""
        return f"{self.sheet.name}!{self.ref}"


class View:
    """A sheet as it is seen: what is hidden in it, and which cells are merged."""

    def __init__(self, book: Workbook, sheet: Sheet) -> None:
        self.book, self.sheet = book, sheet
        self.rows = set(sheet.hidden_rows)
        self.columns = set(sheet.hidden_columns)
        self.columns.update(refs.number(name) for name, width in sheet.widths.items() if name.isalpha() and width <= 0)
        self.unsure = {refs.split(address)[1] for address in book.unsure if refs.split(address)[0] == sheet.name}
        self.dark = [refs.area(table.ref) for table in sheet.tables if DARK.fullmatch(table.look)]
        self.merges: dict[int, list[refs.Area]] = {}
        """Row -> the merged blocks that are in it."""
        self.tall: list[refs.Area] = []
        for block in map(refs.area, sheet.merges[:MERGES]):
            if block.bottom - block.top > TALL:
                self.tall.append(block)
            else:
                for row in range(block.top, block.bottom + 1):
                    self.merges.setdefault(row, []).append(block)

    def top_left(self, row: int, column: int) -> tuple[int, int]:
        """The cell that shows here: a merged block shows its first."""
        block = self.block(row, column)
        return (block.top, block.left) if block else (row, column)

    def block(self, row: int, column: int) -> refs.Area | None:
        """The merged block that the cell is part of."""
        return next((block for block in [*self.merges.get(row, ()), *self.tall] if block.has(row, column)), None)

    def levels(self, row: int, column: int) -> range:
        """The rows of headers that a cell belongs to: of a merged one each of its own."""
        block = self.block(row, column)
        return range(row, min(block.bottom + 1, row + LEVELS) if block else row + 1)

    def cell(self, row: int, column: int) -> Cell:
        """The cell that shows here."""
        return self.sheet.cells.get(refs.name(*self.top_left(row, column)), BLANK)

    def unseen(self, row: int, column: int) -> str:
        """Why a reader does not see the cell's content; "" when they do."""
        row, column = self.top_left(row, column)
        if self.sheet.state != "visible":
            return f"sheet {self.sheet.name!r} is hidden"
        if row in self.rows or column in self.columns:
            return f"its {'row' if row in self.rows else 'column'} is hidden"
        cell = self.sheet.cells.get(refs.name(row, column), BLANK)
        style = self.book.styles[cell.style] if 0 <= cell.style < len(self.book.styles) else Style()
        dark = any(row == area.top and area.has(row, column) for area in self.dark)
        return _invisible(style, cell, style.fill or ("" if dark else "ffffff"))

    def value(self, row: int, column: int) -> Scalar:
        """What a reader sees here: None where nothing is, UNSURE where the engines do not agree."""
        row, column = self.top_left(row, column)
        if refs.name(row, column) in self.unsure:
            return UNSURE
        cell = self.sheet.cells.get(refs.name(row, column), BLANK)
        return None if cell.kind == "empty" or self.unseen(row, column) else cell.value


def _invisible(style: Style, cell: Cell, ground: str) -> str:
    if style.hidden:
        return "its text is hidden"
    if style.size < TINY:
        return f"its text has {style.size:g} points"
    if cell.kind not in ("number", "date", "text") or not isinstance(cell.value, int | float | str):
        return "" if _reads(style.color, ground) else INKLESS
    section = section_of(style.number_format, cell.value)
    if not _reads(ink(section) or style.color, ground):
        return INKLESS
    if cell.value == 0 and section.strip() and section != style.number_format:
        return ""  # a dash for zero is what accountants write
    return "" if shows(section, isinstance(cell.value, str)) else "its number format does not show it"


@lru_cache(1024)
def _reads(color: str, ground: str) -> bool:
    try:
        return contrast(color, ground) >= READABLE
    except ValueError:
        return True


def workbook(bench: Bench, file: str) -> Workbook:
    """The candidate's workbook. Unreadable when the file is refused, or is none."""
    document = bench.document(file)
    if isinstance(document, Refused):
        raise Unreadable(document.reason)
    if not isinstance(document, Workbook):
        raise Unreadable(f"{file} is no workbook but a {document.kind}")
    return document


def sheet(book: Workbook, name: str) -> Sheet:
    """The sheet of that name."""
    found = book.sheet(name)
    if found is None:
        names = ", ".join(repr(each.name) for each in book.sheets[:8])
        raise NotFound(f"there is no sheet {name!r} (there are {names})")
    return found


def shown(book: Workbook, name: str | None = None) -> list[Sheet]:
    """The visible sheets, or the one of that name when it is visible."""
    sheets = [book_sheet for book_sheet in book.sheets if book_sheet.state == "visible"]
    if name is None:
        return sheets
    found = sheet(book, name)
    if found.state != "visible":
        raise NotFound(f"sheet {found.name!r} is hidden")
    return [found]


def area(book: Workbook, text: str, default: str | None = None) -> tuple[Sheet, refs.Area]:
    """The sheet and cells that "Summary!B2:B9" names; without a sheet, `default` or the only visible one."""
    try:
        found = refs.area(text)
    except ValueError:
        raise NotFound(f"{text!r} is no range") from None
    if found.sheet or default:
        return sheet(book, found.sheet or default or ""), found
    sheets = shown(book)
    if len(sheets) != 1:
        raise NotFound(f"{text!r} names no sheet, and {len(sheets)} are visible")
    return sheets[0], found


def named(book: Workbook, name: str) -> str | None:
    """What a defined name stands for, the workbook's or a sheet's own ("Sheet!name")."""
    wanted = name.casefold()
    for known, target in book.names.items():
        if wanted in (known.casefold(), known.rpartition("!")[2].casefold()):
            return target
    return None


def cell(book: Workbook, where: Where) -> Spot:
    """The one cell that `where` means, hidden or not: ask `View.unseen`. NotFound when it is none, or several."""
    if where.label is not None:
        return _beside(book, where)
    text = where.cell or named(book, where.name or "")
    if text is None:
        raise NotFound(f"there is no defined name {where.name!r}")
    found, block = area(book, text, where.sheet)
    if block.size != 1:
        raise NotFound(f"{where.name or text!r} means {text}, not one cell")
    row, column = View(book, found).top_left(block.top, block.left)
    return _spot(found, row, column)


def _spot(found: Sheet, row: int, column: int) -> Spot:
    ref = refs.name(row, column)
    return Spot(found, ref, found.cells.get(ref, BLANK))


def _beside(book: Workbook, where: Where) -> Spot:
    wanted = _label(where.label or "")
    places = []
    for each in shown(book, where.sheet):
        view = View(book, each)
        for ref, text in _texts(each):
            if _label(text) == wanted and not view.unseen(*refs.place(ref)):
                places.append((view, ref))
    spots = [_value_of(where, view, *refs.place(ref)) for view, ref in places]
    filled = [spot for spot in spots if not is_blank(spot.cell.value) or spot.cell.formula]
    if len(filled) == 1 or len(spots) == 1:
        return (filled or spots)[0]
    there = ", ".join(f"{view.sheet.name}!{ref}" for view, ref in places[:4])
    problem = f"stands {len(places)} times ({there})" if places else "stands nowhere that can be seen"
    raise NotFound(f"the label {where.label!r} {problem}")


def _value_of(where: Where, view: View, row: int, column: int) -> Spot:
    """What stands beside a label, or below it; the next cell where nothing does."""
    block = view.block(row, column) or refs.Area("", row, column, row, column)
    row, column = (row, block.right + 1) if where.side == "right" else (block.bottom + 1, column)
    first = (row, column)
    for _ in range(GAP):
        if not is_blank(view.cell(row, column).value) or view.cell(row, column).formula:
            return _spot(view.sheet, *view.top_left(row, column))
        row, column = (row, column + 1) if where.side == "right" else (row + 1, column)
    return _spot(view.sheet, *view.top_left(*first))


def _label(text: str) -> str:
    return fold(text).rstrip(":").rstrip()


def _texts(found: Sheet, numbers: bool = False) -> Iterator[tuple[str, str]]:
    """The cells with a text, with `numbers` whole ones, too: a year may be a header."""
    for ref, each in found.cells.items():
        if each.kind == "text" and isinstance(each.value, str) and len(each.value) <= LONGEST:
            yield ref, each.value
        elif numbers and each.kind == "number" and isinstance(each.value, int | float) and each.value % 1 == 0:
            yield ref, f"{each.value:.0f}"


@dataclass(slots=True)
class Table:
    """A table of a sheet: its header row, its columns by folded header, and the rows of data that can be seen."""

    view: View
    header: int
    columns: dict[str, int]
    rows: list[int] = field(default_factory=list)

    def value(self, row: int, column: int | None) -> Scalar:
        """What is seen in a cell; None for a column that is hidden or missing."""
        return None if column is None or column in self.view.columns else self.view.value(row, column)

    def ref(self, row: int, column: int) -> str:
        """ "Sheet!B7"."""
        return f"{self.view.sheet.name}!{refs.name(row, column)}"

    def column(self, header: str) -> int:
        """The column of that header. NotFound when there is none, or it stands twice."""
        found = self.columns.get(fold(header))
        if found is None:
            raise NotFound(f"the table on {self.view.sheet.name!r} has no one column {header!r}")
        return found


def table(book: Workbook, anchor: Anchor, key: str | None = None) -> Table:
    """The one table whose header row holds the anchor's headers; rows end at the first blank `key` (its first header).

    NotFound when there is none, or more than one that can be seen.
    """
    wanted = {fold(header) for header in anchor.headers}
    found = []
    for each in shown(book, anchor.sheet):
        view = View(book, each)
        rows: dict[int, dict[str, str]] = {}
        for ref, text in _texts(each, numbers=True):
            if (header := fold(text)) in wanted and not view.unseen(*refs.place(ref)):
                for row in view.levels(*refs.place(ref)):
                    rows.setdefault(row, {})[header] = ref
        full = {
            tuple(sorted(there.values())): row
            for row, there in sorted(rows.items(), reverse=True)
            if len(there) == len(wanted)
        }
        found += [(view, row) for row in sorted(full.values())]
    if len(found) != 1:
        places = ", ".join(f"{view.sheet.name!r} row {row}" for view, row in found[:4])
        raise NotFound(
            f"the headers {', '.join(map(repr, anchor.headers))} stand "
            + (f"in {len(found)} rows ({places}), not in one" if found else "together in no row that can be seen")
        )
    view, row = found[0]
    there = _own(_headers(view, row), wanted)
    twice = [header for header in anchor.headers if len(there[fold(header)]) > 1]
    if twice:
        raise NotFound(f"the header {twice[0]!r} stands {len(there[fold(twice[0])])} times in its row")
    columns = {header: at[0] for header, at in there.items() if len(at) == 1}
    made = Table(view, row, columns)
    made.rows = list(_data(made, anchor, made.column(key or anchor.headers[0])))
    return made


def _headers(view: View, header: int) -> dict[str, list[int]]:
    """The texts of a header row, folded, and where each stands."""
    there: dict[str, list[int]] = {}
    for ref, text in _texts(view.sheet, numbers=True):
        row, column = refs.place(ref)
        if (
            0 <= header - row < LEVELS
            and header in view.levels(row, column)
            and (name := fold(text))
            and not view.unseen(row, column)
        ):
            there.setdefault(name, []).append(column)
    return there


def _own(there: dict[str, list[int]], wanted: set[str]) -> dict[str, list[int]]:
    """Where headers stand that a block beside the table repeats: in the one block that has each wanted header once."""
    blocks: list[set[int]] = []
    for column in sorted(column for at in there.values() for column in at):
        if blocks and column - 1 in blocks[-1]:
            blocks[-1].add(column)
        else:
            blocks.append({column})
    blocks = [block for block in blocks if all(len(block.intersection(there[header])) == 1 for header in wanted)]
    if len(blocks) != 1:
        return there
    return {header: [c for c in at if c in blocks[0]] if len(at) > 1 else at for header, at in there.items()}


def _data(made: Table, anchor: Anchor, key: int) -> Iterator[int]:
    view = made.view
    first = min(made.columns[fold(header)] for header in anchor.headers)
    last = max((refs.place(ref)[0] for ref in view.sheet.cells), default=0)
    header = view.block(made.header, key)
    top = (header.bottom if header else made.header) + 1
    begun = False
    for row in range(top, last + 1):
        found = view.cell(row, key)
        if is_blank(found.value) and not found.formula:
            if begun or row - top >= LEAD:
                return
            continue
        begun = True
        closing = view.cell(row, first).value
        if anchor.end and isinstance(closing, str) and _label(closing) == _label(anchor.end):
            return
        if not view.unseen(row, key):
            yield row
