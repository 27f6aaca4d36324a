"""Judge of what was given: is it still there? A pristine copy lies in tests/; the score is the share that is unchanged.

Workbooks are compared cell by cell and thing by thing here; text documents, slides and PDF in preserve_pages.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from . import find, preserve_pages, refs
from .bench import FULL, Bench, Fault, Score, Unreadable
from .equal import fold, is_number, spell
from .formulas import canonical
from .language_cells import Preserve
from .model import Cell, Refused, Scalar, Sheet, Style, Workbook

NEW = "new"
SHOWN = 3
"""Differences that a reason names."""
LOOK = ("number_format", "bold", "italic", "underline", "strike", "font", "size", "color", "fill", "align", "wrap")


def preserve(check: Preserve, bench: Bench) -> Score:
    """The share of the original that is unchanged, additions counted against unless 'new' is allowed."""
    original = bench.original(check.original)
    found = bench.document(check.file)
    if isinstance(found, Refused):
        raise Unreadable(found.reason)
    if type(found) is not type(original):
        raise Unreadable(f"{check.file} is a {found.kind} file, not {original.kind} as it was")
    if not isinstance(original, Workbook) or not isinstance(found, Workbook):
        return preserve_pages.preserved(check, original, found)
    kept = _Kept(check, original, found)
    for sheet in kept.sheets:
        other = found.sheet(sheet.name)
        if other is None:
            kept.lose(max(1, len(sheet.cells)), f"the sheet {sheet.name!r} is gone")
        else:
            _cells(kept, sheet, other)
            _things(kept, sheet, other)
    if not check.sheets:
        _whole(kept)
    return kept.score()


class _Kept:
    """What of a workbook is unchanged so far, and what may change."""

    def __init__(self, check: Preserve, original: Workbook, found: Workbook) -> None:
        self.check, self.original, self.found = check, original, found
        self.total = self.lost = 0
        self.reasons: list[str] = []
        self.new = NEW in check.allow
        self.free: set[str] = set()
        self.areas: dict[str, list[refs.Area]] = {}
        for text in check.allow:
            name, place = refs.split(text)
            if place == "*":
                self.free.add(fold(name))
            elif name:
                try:
                    self.areas.setdefault(fold(name), []).append(refs.area(text))
                except ValueError:
                    raise Fault(f"{check.id}: {text!r} is no range") from None
        try:
            wanted = [find.sheet(original, name) for name in check.sheets] or original.sheets
        except find.NotFound as error:
            raise Fault(f"tests/{check.original}: {error}") from None
        self.sheets = [sheet for sheet in wanted if fold(sheet.name) not in self.free]

    def may(self, sheet: Sheet, ref: str) -> bool:
        """Whether a cell may change."""
        areas = self.areas.get(fold(sheet.name), [])
        return bool(areas) and any(area.has(*refs.place(ref)) for area in areas)

    def touches(self, sheet: Sheet, ranges: list[str]) -> bool:
        """Whether something of these ranges may change with their cells."""
        free = self.areas.get(fold(sheet.name), [])
        return bool(free) and any(area.meets(refs.area(text)) for text in ranges for area in free)

    def keep(self, same: bool, reason: str) -> None:
        """One thing of the original."""
        self.total += 1
        if not same:
            self.lose(0, reason)
            self.lost += 1

    def lose(self, count: int, reason: str) -> None:
        """So many things are gone, or came."""
        self.total += count
        self.lost += count
        self.reasons.append(reason)

    def score(self) -> Score:
        """The share that is left."""
        if not self.lost:
            return FULL
        more = [f"{len(self.reasons)} differences in all"] if len(self.reasons) > SHOWN else []
        return Score(max(0.0, 1 - self.lost / max(1, self.total)), "; ".join([*self.reasons[:SHOWN], *more]))


def _cells(kept: _Kept, sheet: Sheet, other: Sheet) -> None:
    for ref, cell in sheet.cells.items():
        if kept.may(sheet, ref) or (_empty(cell) and not kept.check.looks):
            continue
        now = other.cells.get(ref, find.BLANK)
        change = _change(kept, cell, now)
        kept.keep(not change, change and f"{sheet.name}!{ref} {change}")
    if kept.new:
        return
    for ref, now in other.cells.items():
        if not _empty(now) and _empty(sheet.cells.get(ref, find.BLANK)) and not kept.may(sheet, ref):
            kept.lose(1, f"{sheet.name}!{ref} was blank and {_told(now)}")


def _empty(cell: Cell) -> bool:
    return cell.kind == "empty" and not cell.formula


def _told(cell: Cell) -> str:
    return f"is {cell.formula}" if cell.formula else f"is {spell(cell.value, cell.kind == 'date')}"


def _change(kept: _Kept, cell: Cell, now: Cell) -> str:
    """What a cell was and is now; "" when it is as it was."""
    if cell.formula and kept.check.formulas:
        same = bool(now.formula) and canonical(cell.formula) == canonical(now.formula or "")
    else:
        same = _equal(cell.value, now.value) and (cell.kind == "date") == (now.kind == "date")
    if not same:
        return f"was {_told(cell).removeprefix('is ')} and {_told(now)}"
    look = _look(kept, cell, now) if kept.check.looks else ""
    return f"has another {look.replace('_', ' ')}" if look else ""


def _equal(one: Scalar, other: Scalar) -> bool:
    if is_number(one) and is_number(other):
        return abs(float(one or 0) - float(other or 0)) <= 1e-9 * max(1.0, abs(float(one or 0)))
    return type(one) is type(other) and one == other


def _look(kept: _Kept, cell: Cell, now: Cell) -> str:
    before, after = (
        book.styles[one.style] if one.style < len(book.styles) else Style()
        for book, one in ((kept.original, cell), (kept.found, now))
    )
    return next((name for name in LOOK if getattr(before, name) != getattr(after, name)), "")


def _things(kept: _Kept, sheet: Sheet, other: Sheet) -> None:
    """What hangs on a sheet: each thing must still be there, more of them may."""
    if sheet.state != other.state:
        kept.lose(1, f"the sheet {sheet.name!r} was {sheet.state} and is {other.state}")
    if kept.check.looks and sheet.freeze:
        kept.keep(sheet.freeze == other.freeze, f"the frozen panes of {sheet.name!r} are others")
    _hidden(kept, sheet, other)
    now = Counter((kind, key) for kind, key, _ in _hanging(other))
    for kind, key, ranges in _hanging(sheet):
        if kept.touches(sheet, ranges):
            continue
        kept.keep(now[kind, key] > 0, f"a {kind} of {sheet.name!r} is gone or another")
        now[kind, key] -= 1


def _hidden(kept: _Kept, sheet: Sheet, other: Sheet) -> None:
    """What was given and is out of sight now."""
    places = [refs.place(ref) for ref, cell in sheet.cells.items() if not _empty(cell)]
    for what, filled, before, now in (
        ("rows", {row for row, _ in places}, sheet.hidden_rows, other.hidden_rows),
        ("columns", {column for _, column in places}, sheet.hidden_columns, other.hidden_columns),
    ):
        if gone := filled & set(now) - set(before):
            kept.lose(len(gone), f"{len(gone)} {what} of {sheet.name!r} are hidden, first {min(gone)}")


def _hanging(sheet: Sheet) -> Iterator[tuple[str, object, list[str]]]:
    for text in sheet.merges:
        yield "merged block", text, [text]
    for ref, comment in sheet.comments.items():
        yield "comment", (ref, comment.strip()), [ref]
    for table in sheet.tables:
        yield "table", (fold(table.name), tuple(map(fold, table.headers))), [table.ref]
    for rule in sheet.validations:
        yield "validation", (rule.kind, rule.operator, tuple(map(canonical, rule.formulas))), rule.ranges
    for one in sheet.conditionals:
        key = (one.kind, one.operator, tuple(map(canonical, one.formulas)), one.text, one.fill, one.color)
        yield "conditional format", key, one.ranges
    for chart in sheet.charts:
        series = tuple(each.values_ref.replace("$", "") for each in chart.series)
        yield "chart", (chart.kind, chart.title, series), []
    for pivot in sheet.pivots:
        yield "pivot table", (pivot.name, tuple(pivot.rows), tuple(pivot.values)), []
    for _ in range(sheet.pictures):
        yield "picture", "", []
    for row in sheet.hidden_rows:
        yield "hidden row", row, []
    for column in sheet.hidden_columns:
        yield "hidden column", column, []


def _whole(kept: _Kept) -> None:
    """Names, and sheets that came."""
    for name, target in kept.original.names.items():
        if "_FilterDatabase" in name:
            continue  # a filter writes it, and not every program does
        now = find.named(kept.found, name)
        kept.keep(now is not None and canonical(now) == canonical(target), f"the name {name!r} is gone or another")
    for sheet in kept.found.sheets:
        if kept.original.sheet(sheet.name) is None and not kept.new and fold(sheet.name) not in kept.free:
            kept.lose(1, f"the sheet {sheet.name!r} is new")
