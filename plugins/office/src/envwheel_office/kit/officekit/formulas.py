"""What a formula reads and calls: its precedents through any cells, names and tables between.

chain = Precedents(book).of(sheet, "B7")
chain.areas        # {("ledger", Area(...)), ...}: all that the value can depend on
chain.formulas     # {("Summary", "B7"): Parts(...), ...}: every formula on the way
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from . import refs
from .model import Sheet, TableObject, Workbook

INDIRECT = frozenset({"OFFSET", "INDIRECT"})
"""What reads cells that the formula does not name."""
LONGEST = 8192
"""Characters of a formula, as in Excel."""

_SHEET = r"(?:'(?:[^']|'')+'|[^\W\d][\w.]*(?::[^\W\d][\w.]*)?)!"
_TOKEN = re.compile(
    rf"""
      (?P<text>"(?:[^"]|"")*")
    | (?P<error>\#(?:REF!|N/A|DIV/0!|VALUE!|NAME\?|NUM!|NULL!|SPILL!|CALC!))
    | (?P<area>(?:{_SHEET})?(?:\$?[A-Za-z]{{1,3}}\$?[1-9]\d{{0,6}}(?::\$?[A-Za-z]{{1,3}}\$?[1-9]\d{{0,6}})?
        |\$?[A-Za-z]{{1,3}}:\$?[A-Za-z]{{1,3}}|\$?[1-9]\d{{0,6}}:\$?[1-9]\d{{0,6}})(?![\w.(\[!]))
    | (?P<function>[^\W\d][\w.]*(?=\())
    | (?P<table>(?:[^\W\d][\w.]*)?\[(?:[^\[\]']|'.|\[(?:[^\[\]']|'.)*\])*\])
    | (?P<name>(?:{_SHEET})?[^\W\d][\w.\\?]*)
    | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
Where = tuple[str, refs.Area]


@dataclass(slots=True)
class Parts:
    """A formula taken apart."""

    areas: list[str] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)
    tables: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def digits(self) -> tuple[int, str]:
        """The longest literal number by its significant digits, typed as a number or in a text: (4, "12.34")."""
        plain = [text for text in self.texts if re.fullmatch(r"[-+$€£ ]*[\d,.]*\d[\d,.]*[ %]*", text)]
        return max(((significant(text), text) for text in self.numbers + plain), default=(0, ""))


def significant(text: str) -> int:
    """The digits of a number that say something: "1000" has 1, "0.0825" 3, "1234.50" 5; "99999", a limit, 1."""
    mantissa = re.split("[eE]", text)[0]
    digits = re.sub(r"\D", "", mantissa).strip("0")
    return min(len(digits), 1) if set(digits) == {"9"} else len(digits)


def take_apart(formula: str) -> Parts:
    """The parts of "=SUM(Data!A1:A9)*2"."""
    parts = Parts()
    text = formula.strip().removeprefix("{").removeprefix("=")[:LONGEST]
    for match in _TOKEN.finditer(text):
        kind, found = match.lastgroup, match.group()
        if kind == "area":
            parts.areas.append(found)
        elif kind == "function":
            parts.functions.add(function(found))
        elif kind == "table":
            parts.tables.append(found)
        elif kind == "name":
            parts.names.append(found)
        elif kind == "number":
            parts.numbers.append(found)
        elif kind == "text":
            parts.texts.append(found[1:-1].replace('""', '"'))
    return parts


def canonical(formula: str) -> str:
    """A formula as it is compared with another: case, blanks, quotes around plain sheet names and prefixes aside."""
    text = re.sub(r"'([^\W\d][\w.]*)'!", r"\1!", formula.strip().strip("{}").removeprefix("="))
    parts = []
    for match in _TOKEN.finditer(text):
        found = match.group()
        if match.lastgroup == "function":
            found = function(found)
        elif match.lastgroup != "text":
            found = found.casefold().replace("@", "").strip()
        parts.append(found)
    return "".join(parts)


def function(name: str) -> str:
    """A function's name as it is known: "_xlfn.XLOOKUP" -> "XLOOKUP"."""
    return re.sub(r"^(?:_XL\w+\.)+", "", name.upper())


@dataclass(slots=True)
class Chain:
    """All that stands before a cell."""

    areas: set[Where] = field(default_factory=set)
    formulas: dict[tuple[str, str], Parts] = field(default_factory=dict)

    def functions(self) -> set[str]:
        """All functions on the way."""
        return {name for parts in self.formulas.values() for name in parts.functions}

    def reached(self, sheet: Sheet, wanted: refs.Area) -> tuple[int, int]:
        """How many of the filled cells of an area of `sheet` are read, and how many there are."""
        areas = [area for name, area in self.areas if name == sheet.name and area.meets(wanted)]
        filled: dict[int, list[int]] = {}
        for ref, cell in sheet.cells.items():
            if cell.kind != "empty" or cell.formula:
                row, column = refs.place(ref)
                if wanted.has(row, column):
                    filled.setdefault(column, []).append(row)
        hit = 0
        for column, rows in filled.items():
            spans = _merged(sorted((a.top, a.bottom) for a in areas if a.left <= column <= a.right))
            starts = [top for top, _ in spans]
            for row in rows:
                at = bisect_right(starts, row) - 1
                hit += at >= 0 and row <= spans[at][1]
        return hit, sum(map(len, filled.values()))


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted row spans with those that touch made one."""
    merged: list[tuple[int, int]] = []
    for top, bottom in spans:
        if merged and top <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(bottom, merged[-1][1]))
        else:
            merged.append((top, bottom))
    return merged


class Precedents:
    """Walks the references of a workbook's formulas."""

    def __init__(self, book: Workbook) -> None:
        self.book = book
        self.parts: dict[str, Parts] = {}
        self.formulas: dict[str, dict[int, list[int]]] = {}
        """Sheet -> column -> the rows that hold formulas, rising."""
        for sheet in book.sheets:
            columns = self.formulas.setdefault(sheet.name, {})
            for row, column in sorted(refs.place(ref) for ref, cell in sheet.cells.items() if cell.formula):
                columns.setdefault(column, []).append(row)
        self.tables = {table.name.casefold(): (sheet, table) for sheet in book.sheets for table in sheet.tables}
        self.names = {name.casefold(): target for name, target in book.names.items()}

    def of(self, sheet: Sheet, *cells: str) -> Chain:
        """What stands before these cells of a sheet."""
        chain = Chain()
        left: dict[tuple[str, int], list[int]] = {}
        todo = [(sheet, ref) for ref in cells]
        while todo:
            at, ref = todo.pop()
            cell = at.cells.get(ref)
            if cell is None or not cell.formula or (at.name, ref) in chain.formulas:
                continue
            parts = self.apart(cell.formula)
            chain.formulas[at.name, ref] = parts
            for other, area in self.areas(parts, at, ref):
                if (other.name, area) not in chain.areas:
                    chain.areas.add((other.name, area))
                    todo.extend((other, inner) for inner in self._inside(other, area, left))
        return chain

    def apart(self, formula: str) -> Parts:
        """The parts of a formula, known from before."""
        if formula not in self.parts:
            self.parts[formula] = take_apart(formula)
        return self.parts[formula]

    def _inside(self, sheet: Sheet, area: refs.Area, left: dict[tuple[str, int], list[int]]) -> Iterator[str]:
        """The cells with formulas in an area that were not given before: `left` holds a walk's rest of each column."""
        known = self.formulas[sheet.name]
        wide = area.right - area.left >= len(known)
        for column in list(known) if wide else range(area.left, area.right + 1):
            if column not in known or not area.left <= column <= area.right:
                continue
            rows = left.setdefault((sheet.name, column), known[column].copy())
            first, last = bisect_left(rows, area.top), bisect_right(rows, area.bottom)
            yield from (refs.name(row, column) for row in rows[first:last])
            del rows[first:last]

    def areas(self, parts: Parts, sheet: Sheet, ref: str, depth: int = 0) -> Iterator[tuple[Sheet, refs.Area]]:
        """What a formula of `sheet` names: cells, tables' columns, defined names."""
        for text in parts.areas:
            area = refs.area(text)
            for named in self._sheets(area.sheet, sheet):
                yield named, area._replace(sheet="")
        for text in parts.tables:
            yield from self._table(text, sheet, ref)
        for name in parts.names:
            if name.casefold() in self.tables:
                yield from self._table(f"{name}[]", sheet, ref)
            target = self._name(name, sheet)
            if target is not None and depth < 8:
                yield from self.areas(self.apart(target), sheet, ref, depth + 1)

    def _sheets(self, name: str, here: Sheet) -> list[Sheet]:
        if not name:
            return [here]
        found = self.book.sheet(name)
        if found is None and ":" in name:  # Jan:Dec!B2 reads all sheets between
            ends = [self.book.sheet(part) for part in name.split(":", 1)]
            if all(ends):
                first, last = sorted(self.book.sheets.index(end) for end in ends if end)
                return self.book.sheets[first : last + 1]
        return [found] if found else []

    def _name(self, text: str, sheet: Sheet) -> str | None:
        _, name = refs.split(text)
        own = self.names.get(f"{sheet.name}!{name}".casefold())
        return own if own is not None else self.names.get(name.casefold(), self.names.get(text.casefold()))

    def _table(self, text: str, sheet: Sheet, ref: str) -> Iterator[tuple[Sheet, refs.Area]]:
        """Sales[Amount], Sales[[#All],[A]:[C]], [@Amount]."""
        name, _, inside = text.partition("[")
        at, table = self.tables.get(name.casefold(), (None, None)) if name else self._around(sheet, ref)
        if at is None or table is None:
            return
        whole = refs.area(table.ref)
        items = re.findall(r"\[((?:[^\[\]']|'.)*)\]", inside) or [inside.removesuffix("]")]
        row = refs.place(ref)[0]
        here = inside.lstrip("[").startswith(("@", "#This Row")) and at is sheet
        columns = [place for item in items if (place := _column(item, table)) is not None]
        left, right = (min(columns), max(columns)) if columns else (0, len(table.headers) - 1)
        top, bottom = (row, row) if here else (whole.top, whole.bottom)
        yield at, refs.Area("", top, whole.left + left, bottom, whole.left + right)

    def _around(self, sheet: Sheet, ref: str) -> tuple[Sheet | None, TableObject | None]:
        row, column = refs.place(ref)
        for table in sheet.tables:
            if refs.area(table.ref).has(row, column):
                return sheet, table
        return None, None


def _column(item: str, table: TableObject) -> int | None:
    wanted = re.sub(r"'(.)", r"\1", item).lstrip("@").strip("[] ").casefold()
    return next((at for at, header in enumerate(table.headers) if header.casefold() == wanted), None)
