"""Formulas that stand in rules, not in cells: they are typed into free cells of their sheet and computed there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from . import reference, refs
from .bench import Bench, Computation, Unreadable
from .equal import UNSURE
from .model import Scalar, Sheet

MOST = 50_000
"""Formulas of one question at most."""
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def constant(formula: str) -> tuple[bool, Scalar]:
    """(True, its value) of a formula that is a constant: 12, "yes", TRUE."""
    text = formula.strip().removeprefix("=").strip()
    if _NUMBER.fullmatch(text):
        return True, float(text)
    if len(text) > 1 and text[0] == text[-1] == '"' and '"' not in text[1:-1].replace('""', ""):
        return True, text[1:-1].replace('""', '"')
    if text.upper() in ("TRUE", "FALSE"):
        return True, text.upper() == "TRUE"
    return False, None


def moved(formula: str, ranges: Sequence[str], ref: str) -> str:
    """A rule's formula as it reads at the cell `ref`: it is written for the first cell of the rule's ranges."""
    areas = [refs.area(text) for text in ranges]
    top, left = min(area.top for area in areas), min(area.left for area in areas)
    row, column = refs.place(ref)
    return "=" + reference.move(formula.strip().removeprefix("="), row - top, column - left)


def evaluate(
    bench: Bench, file: str, sheet: Sheet, formulas: Sequence[str], put: Mapping[str, Scalar] | None = None
) -> list[Scalar]:
    """What each formula gives on `sheet` of the candidate's workbook, after the cells of `put` ("B7") are set.

    UNSURE where no engines agree. Raises Unreadable when they are too many.
    """
    values = [constant(formula) for formula in formulas]
    open_ = [at for at, (known, _) in enumerate(values) if not known]
    if not open_:
        return [value for _, value in values]
    if len(open_) > MOST:
        raise Unreadable(f"its rules hold {len(open_)} formulas for these cells")
    rows, columns = zip(*(refs.place(ref) for ref in sheet.cells), strict=True) if sheet.cells else ((0,), (0,))
    places = {at: f"{sheet.name}!{refs.name(max(rows) + 3 + n, max(columns) + 3)}" for n, at in enumerate(open_)}
    run = Computation(
        {f"{sheet.name}!{ref}": value for ref, value in (put or {}).items()},
        tuple(places.values()),
        {place: formulas[at] for at, place in places.items()},
    )
    answer = bench.compute(file, [run])[0]
    return [answer.get(places[at], UNSURE) if at in places else value for at, (_, value) in enumerate(values)]


def holds(value: Scalar) -> bool:
    """Whether a formula's value means yes."""
    return value is True or (isinstance(value, int | float) and value != 0)


def compare(value: Scalar, operator: str, one: Scalar, two: Scalar = None) -> bool:
    """`value operator one` as a spreadsheet does: numbers before texts before TRUE, case aside, a blank is 0 or ""."""
    if UNSURE in (value, one, two) or any(isinstance(item, str) and item.startswith("#") for item in (one, two)):
        return False
    if operator in ("between", "notBetween"):
        low, high = sorted((_rank(one), _rank(two)))
        inside = low <= _rank(value, one) <= high
        return inside if operator == "between" else not inside
    a, b = _rank(value, one), _rank(one)
    return {
        "equal": a == b,
        "notEqual": a != b,
        "greaterThan": a > b,
        "greaterThanOrEqual": a >= b,
        "lessThan": a < b,
        "lessThanOrEqual": a <= b,
    }.get(operator, False)


def _rank(value: Scalar, beside: Scalar = None) -> tuple[int, float, str]:
    if value is None:
        value = "" if isinstance(beside, str) else 0.0
    if isinstance(value, bool):
        return 2, float(value), ""
    return (1, 0.0, value.casefold()) if isinstance(value, str) else (0, round(float(value), 12), "")
