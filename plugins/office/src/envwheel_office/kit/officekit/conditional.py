"""What conditional formats make of cells, by evaluating their rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from . import refs
from .equal import fold, is_blank, is_number
from .model import Conditional, Scalar, Sheet
from .typed import Formulas, compare, holds, moved

Mark = tuple[str, str | bool]
"""What a rule changes: ("fill", "ffc7ce"), ("color", "9c0006"), ("bold", True)."""
TEXTS = {"containsText", "notContainsText", "beginsWith", "endsWith"}


def marks(formulas: Formulas, cells: Sequence[str], put: Mapping[str, Scalar] | None = None) -> dict[str, set[Mark]]:
    """What the rules of a sheet change in each of `cells`, the first rule by priority winning.

    `put` sets cells before. Colour scales, data bars and icons mark nothing.
    """
    sheet = formulas.sheet
    seen: dict[str, dict[str, str | bool]] = {ref: {} for ref in cells}
    stopped: set[str] = set()
    rules = sorted((rule for rule in sheet.conditionals if _looks(rule) or rule.stop), key=lambda rule: rule.priority)
    for rule in rules:
        areas = [refs.area(text) for text in rule.ranges]
        here = [ref for ref in cells if any(area.has(*refs.place(ref)) for area in areas)]
        for ref in _hits(formulas, rule, here, put or {}):
            if ref in stopped:
                continue
            for name, value in _looks(rule).items():
                seen[ref].setdefault(name, value)
            if rule.stop:
                stopped.add(ref)
    return {ref: set(found.items()) for ref, found in seen.items()}


def _looks(rule: Conditional) -> dict[str, str | bool]:
    wanted = {"fill": rule.fill, "color": rule.color, "bold": rule.bold}
    return {name: value for name, value in wanted.items() if value is not None and value is not False}


def _hits(formulas: Formulas, rule: Conditional, cells: list[str], put: Mapping[str, Scalar]) -> set[str]:
    """Those of `cells` to which the rule applies."""
    sheet = formulas.sheet
    value = {ref: _value(sheet, ref, put) for ref in cells}

    def sides(ref: str) -> list[Scalar]:
        return [formulas.value(moved(formula, rule.ranges, ref), put) for formula in rule.formulas]

    if rule.kind == "cellIs" and rule.formulas:
        return {ref for ref in cells if compare(value[ref], rule.operator or "equal", *sides(ref)[:2])}
    if rule.kind in ("containsBlanks", "notContainsBlanks"):
        return {ref for ref in cells if is_blank(value[ref]) == (rule.kind == "containsBlanks")}
    if rule.kind in ("containsErrors", "notContainsErrors"):
        errors = {ref for ref in cells if ref in sheet.cells and sheet.cells[ref].kind == "error" and ref not in put}
        return errors if rule.kind == "containsErrors" else set(cells) - errors
    if rule.kind in TEXTS and rule.text is not None:
        return {ref for ref in cells if _text(rule, _shown(value[ref]), fold(rule.text))}
    if rule.kind == "expression" or rule.kind in TEXTS:
        return {ref for ref in cells if holds((sides(ref) or [None])[0])}
    return _ranked(sheet, rule, value, put)


def _ranked(sheet: Sheet, rule: Conditional, value: Mapping[str, Scalar], put: Mapping[str, Scalar]) -> set[str]:
    """Rules that compare a cell with the others: top10, aboveAverage, duplicateValues, uniqueValues."""
    everything = [item for item in _all(sheet, rule, put) if not is_blank(item)]
    numbers = sorted(float(item or 0) for item in everything if is_number(item))
    if rule.kind in ("duplicateValues", "uniqueValues"):
        known = Counter(_shown(item) for item in everything)
        once = rule.kind == "uniqueValues"
        return {ref for ref, item in value.items() if not is_blank(item) and (known[_shown(item)] == 1) == once}
    found = {ref: float(item or 0) for ref, item in value.items() if is_number(item)}
    if not numbers:
        return set()
    if rule.kind == "aboveAverage":
        mean = sum(numbers) / len(numbers)
        return {ref for ref, item in found.items() if (item < mean if rule.operator == "below" else item > mean)}
    if rule.kind == "top10":
        rank = rule.rank or 10
        count = min(len(numbers), max(1, len(numbers) * rank // 100) if rule.percent else rank)
        limit = numbers[count - 1] if rule.bottom else numbers[-count]
        return {ref for ref, item in found.items() if (item <= limit if rule.bottom else item >= limit)}
    return set()


def _all(sheet: Sheet, rule: Conditional, put: Mapping[str, Scalar]) -> list[Scalar]:
    areas = [refs.area(text) for text in rule.ranges]
    there = {ref for ref in sheet.cells if any(area.has(*refs.place(ref)) for area in areas)}
    there |= {ref for ref in put if any(area.has(*refs.place(ref)) for area in areas)}
    return [_value(sheet, ref, put) for ref in there]


def _value(sheet: Sheet, ref: str, put: Mapping[str, Scalar]) -> Scalar:
    if ref in put:
        return put[ref]
    cell = sheet.cells.get(ref)
    return cell.value if cell else None


def _shown(value: Scalar) -> str:
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).casefold()
    return fold(value) if isinstance(value, str) else f"{value:.12g}"


def _text(rule: Conditional, shown: str, wanted: str) -> bool:
    if rule.kind == "beginsWith":
        return shown.startswith(wanted)
    if rule.kind == "endsWith":
        return shown.endswith(wanted)
    return (wanted in shown) == (rule.kind == "containsText")
