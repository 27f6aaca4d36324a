"""Judges of a workbook's looks and rules: styles as they take effect, conditional formats, data validations."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from . import find, refs
from .bench import FULL, Bench, Fault, Score
from .colors import close
from .conditional import Mark, marks
from .equal import UNSURE, is_blank, is_number, same, serial, spell
from .judge_markup import looks_wrong
from .language_base import Anchor, Look
from .language_cells import CellLook, CondFormat, DataValidation
from .model import Cell, Scalar, Sheet, Style, Validation, Workbook
from .number_format import scaled
from .typed import Formulas, compare, holds, moved

CELLS_AT_MOST = 20_000
MARK = 25.0
"""CIEDE2000 up to which a mark has the colour asked for: light red is a red mark."""


def style(check: CellLook, bench: Bench) -> Score:
    """The share of cells that look as asked for. Blank cells count only where all are."""
    book = find.workbook(bench, check.file)
    sheet, cells = _cells(book, check.range, check.anchor, check.column, header=True)
    filled = [ref for ref in cells if ref in sheet.cells and sheet.cells[ref].kind != "empty"] or cells
    lost = []
    for ref in filled:
        cell = sheet.cells.get(ref, find.BLANK)
        problem = unlike(_style(book, cell), cell, check.look)
        if problem:
            lost.append(f"{sheet.name}!{ref} {problem}")
    if not lost:
        return FULL
    share = 1 - len(lost) / len(filled)
    return Score(share, f"{len(lost)} of {len(filled)} cells look otherwise; first: {lost[0]}")


def _style(book: Workbook, cell: Cell) -> Style:
    return book.styles[cell.style] if 0 <= cell.style < len(book.styles) else Style()


def unlike(found: Style, cell: Cell, look: Look) -> str:
    """What a cell's effective style lacks of a wanted look; "" for nothing."""
    plain = looks_wrong(found, look)
    if plain:
        return plain
    if look.number is not None and found.number_class != look.number and not _money(found, look):
        return f"shows its value as {found.number_class} ({found.number_format}), not as {look.number}"
    if look.decimals is not None and (found.decimals or 0) != look.decimals:
        return f"shows {found.decimals or 0} decimals ({found.number_format}), not {look.decimals}"
    if look.thousands is not None and _thousands(found) != look.thousands:
        return f"shows {'no ' if look.thousands else ''}thousands separator ({found.number_format})"
    if (look.number, look.decimals, look.thousands) != (None, None, None) and scaled(found.number_format):
        return f"shows its value in thousands ({found.number_format})"
    if look.align is not None and _align(found, cell) != look.align:
        return f"is aligned {_align(found, cell)}, not {look.align}"
    for name in ("wrap", "locked"):
        wanted = getattr(look, name)
        if wanted is not None and getattr(found, name) != wanted:
            return f"is {'not ' if wanted else ''}{'wrapped' if name == 'wrap' else name}"
    return ""


def _money(found: Style, look: Look) -> bool:
    """An amount with its currency is shown as a number, too."""
    return look.number == "number" and found.number_class == "currency"


def _thousands(found: Style) -> bool:
    return re.search(r"[#0?],[#0?]", found.number_format.split(";")[0]) is not None


def _align(found: Style, cell: Cell) -> str:
    """Where the text stands: without an own alignment by the kind of value."""
    if found.align != "general":
        return "center" if found.align == "centerContinuous" else found.align
    return {"number": "right", "date": "right", "bool": "center", "error": "center"}.get(cell.kind, "left")


def _cells(
    book: Workbook, range: str | None, anchor: Anchor | None, column: str | None, header: bool = False
) -> tuple[Sheet, list[str]]:
    """The cells of a range, of a table's column, or of its header row."""
    if range is not None:
        sheet, area = find.area(book, range)
        if area.size > CELLS_AT_MOST:
            return sheet, [ref for ref in sheet.cells if area.has(*refs.place(ref))]
        return sheet, list(area.cells())
    if anchor is None:
        raise Fault("neither range nor anchor")
    found = find.table(book, anchor)
    if column is not None:
        place = found.column(column)
        return found.view.sheet, [refs.name(row, place) for row in found.rows]
    if not header:
        raise Fault("an anchor without a column")
    places = [found.view.top_left(found.header, found.column(name)) for name in anchor.headers]
    return found.view.sheet, [refs.name(*place) for place in places]


def cond_format(check: CondFormat, bench: Bench) -> Score:
    """Which cells the rules mark: F1, times the share of probes that are marked as they must be."""
    book = find.workbook(bench, check.file)
    sheet, cells = _cells(book, check.range, check.anchor, check.column)
    if not cells:
        return Score(0.0, "there are no cells to mark")
    value = {ref: sheet.cells[ref].value if ref in sheet.cells else None for ref in cells}
    wanted = {refs.split(ref)[1] for ref in check.cells} & set(value) if check.marked == "cells" else {
        ref for ref in cells if _means(check, value[ref])
    }  # fmt: skip
    counted = {ref for ref in cells if not is_blank(value[ref])} | wanted
    formulas = Formulas(bench, check.file, sheet)
    probes = [_probe(probe) for probe in check.probes if check.marked != "cells"]
    found, probed = formulas.settled(
        lambda: (
            marks(formulas, cells),
            [(probe, marks(formulas, cells[:1], {cells[0]: probe})[cells[0]]) for probe in probes],
        )
    )
    kinds = {mark for seen in [*found.values(), *(seen for _, seen in probed)] for mark in seen}
    best = Score(0.0, f"no rule marks cells of {sheet.name}!{cells[0]}:{cells[-1]}" + _hint(check, kinds))
    for mark in sorted(kinds, key=repr):
        if _counts(mark, check.fill):
            score = _marked(check, mark, wanted, {ref for ref in counted if mark in found[ref]}, probed)
            best = score if score.value > best.value or not best.value else best
    return best


def _counts(mark: Mark, asked: str | None) -> bool:
    """Whether a mark is of the look that is asked for. A white fill is seen as none."""
    name, look = mark
    if asked in (None, "any"):
        return (name == "fill" or asked is None) and not (name == "fill" and close(str(look), "ffffff"))
    return isinstance(look, str) and close(look, str(asked), MARK)


def _hint(check: CondFormat, kinds: set[Mark]) -> str:
    if check.fill == "any":
        return " with a fill"
    colors = sorted(value for name, value in kinds if isinstance(value, str))
    return f" in {check.fill}, but in {', '.join(colors)}" if check.fill and colors else ""


def _means(check: CondFormat, value: Scalar) -> bool:
    """Whether the rule that is asked for marks a value."""
    if is_blank(value) or not check.values:
        return False
    first = check.values[0]
    if check.marked == "equal":
        return any(same(value, item) for item in check.values)
    low, high = _number(first), _number(check.values[-1])
    if not is_number(value) or low is None or high is None:
        return False
    number = float(value or 0)
    if check.marked == "between":
        return low <= number <= high
    return number > low if check.marked == "above" else number < low


def _number(value: Scalar) -> float | None:
    if isinstance(value, str):
        return serial(value)
    return float(value or 0) if is_number(value) else None


def _marked(
    check: CondFormat, mark: Mark, wanted: set[str], found: set[str], probed: list[tuple[Scalar, set[Mark]]]
) -> Score:
    """How well one mark stands where it must."""
    right, total = len(wanted & found), len(wanted) + len(found)
    value = 2 * right / total if total else float(bool(probed))
    lost = [] if total or probed else ["there is nothing to mark"]
    if wanted - found:
        lost.append(f"{len(wanted - found)} of {len(wanted)} cells are not marked, first {_first(wanted - found)}")
    if found - wanted:
        lost.append(f"{len(found - wanted)} cells are marked that must not be, first {_first(found - wanted)}")
    wrong = [probe for probe, seen in probed if (mark in seen) != _means(check, probe)]
    if wrong:
        value *= 1 - len(wrong) / len(probed)
        lost.append(f"{len(wrong)} of {len(probed)} further values are marked wrongly, first {spell(wrong[0])}")
    return Score(value, "; ".join(lost))


def _probe(value: Scalar) -> Scalar:
    return serial(value) if isinstance(value, str) and serial(value) is not None else value


def _first(cells: set[str]) -> str:
    return min(cells, key=refs.place)


def data_validation(check: DataValidation, bench: Bench) -> Score:
    """What cells accept: the share of what must be accepted, times the share of what must be refused."""
    book = find.workbook(bench, check.file)
    sheet, cells = _cells(book, check.range, None, None)
    groups: dict[tuple[int, ...], list[str]] = defaultdict(list)
    areas = [[refs.area(text) for text in rule.ranges] for rule in sheet.validations]
    for ref in cells:
        row, column = refs.place(ref)
        groups[tuple(at for at, spans in enumerate(areas) if any(a.has(row, column) for a in spans))].append(ref)
    total = 0.0
    lost = []
    formulas = Formulas(bench, check.file, sheet)
    judged = formulas.settled(
        lambda: [
            (group, *_accepting(check, formulas, [sheet.validations[at] for at in key], group[0]))
            for key, group in groups.items()
        ]
    )
    for group, value, problem in judged:
        total += value * len(group)
        if problem:
            lost.append(f"{sheet.name}!{group[0]} {problem}")
    return Score(total / len(cells), "; ".join(lost[:3]))


def _accepting(check: DataValidation, formulas: Formulas, rules: list[Validation], ref: str) -> tuple[float, str]:
    """How far the rules of one cell are as asked for, and what is wrong with them."""
    if not rules:
        return 0.0, "has no validation"

    def fine(value: Scalar) -> bool:
        return all(_accepts(formulas, rule, ref, value) for rule in rules)

    refused = [value for value in check.accepts if not fine(value)]
    passed = [value for value in check.refuses if fine(value)]
    lost = [f"refuses {spell(value)}" for value in refused[:2]] + [f"accepts {spell(value)}" for value in passed[:2]]
    value = (1 - len(refused) / len(check.accepts)) * (1 - len(passed) / len(check.refuses))
    return value, " and ".join(lost)


def _accepts(formulas: Formulas, rule: Validation, ref: str, value: Scalar) -> bool:
    """Whether a rule lets a value pass. Only one that stops refuses anything."""
    if rule.style != "stop":
        return True
    if is_blank(value):
        return rule.allow_blank
    if rule.kind == "list":
        choices = rule.choices or []
        return any(same(value, choice, "any", 0, case=True) for choice in choices)
    dated = serial(value) if isinstance(value, str) else None
    put: Mapping[str, Scalar] = {ref: value if dated is None else dated}
    sides = [formulas.value(moved(formula, rule.ranges, ref), put) for formula in rule.formulas]
    if rule.kind == "custom":
        return bool(sides) and holds(sides[0])
    number = float(len(str(value))) if rule.kind == "textLength" else put[ref]
    if not is_number(number) or UNSURE in sides or not sides:
        return False
    if rule.kind == "whole" and float(number or 0) % 1:
        return False
    return compare(number, rule.operator, *[*sides, None][:2])
