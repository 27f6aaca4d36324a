"""Formulas that stand in rules, not in cells: they are typed into free cells of their sheet and computed there."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from . import reference, refs
from .bench import Bench, Computation, Unreadable
from .equal import UNSURE
from .model import Scalar, Sheet

Put = tuple[tuple[str, Scalar], ...]
Found = TypeVar("Found")
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


class Formulas:
    """The formulas that rules ask for, computed all at once.

    formulas = Formulas(bench, file, sheet)
    found = formulas.settled(lambda: judge_with(formulas))   # judged twice: to hear what is asked, and with answers
    """

    def __init__(self, bench: Bench, file: str, sheet: Sheet) -> None:
        self._bench, self._file, self.sheet = bench, file, sheet
        self._known: dict[tuple[Put, str], Scalar] = {}
        self._open: dict[Put, list[str]] = {}

    def value(self, formula: str, put: Mapping[str, Scalar]) -> Scalar:
        """What `formula` gives on the sheet after the cells of `put` ("B7") are set; UNSURE where no engines agree."""
        known, value = constant(formula)
        if known:
            return value
        key = tuple(sorted(put.items(), key=lambda item: item[0]))
        if (key, formula) not in self._known:
            self._open.setdefault(key, []).append(formula)
            self._known[key, formula] = UNSURE
        return self._known[key, formula]

    def settled(self, judge: Callable[[], Found]) -> Found:
        """What `judge` finds when all that it asks has its answer. Raises Unreadable when it asks too much."""
        found = judge()
        if not self._open:
            return found
        if sum(map(len, self._open.values())) > MOST:
            raise Unreadable("its rules hold too many formulas for these cells")
        runs = [self._run(put, formulas) for put, formulas in self._open.items()]
        for (put, formulas), run, answer in zip(
            self._open.items(), runs, self._bench.compute(self._file, runs), strict=True
        ):
            for formula, place in zip(formulas, run.get, strict=True):
                self._known[put, formula] = answer.get(place, UNSURE)
        self._open = {}
        return judge()

    def _run(self, put: Put, formulas: list[str]) -> Computation:
        """The formulas in cells below and beside all that the sheet holds."""
        cells = [refs.place(ref) for ref in self.sheet.cells] or [(0, 0)]
        row, column = max(row for row, _ in cells) + 3, max(column for _, column in cells) + 3
        places = [f"{self.sheet.name}!{refs.name(row + at, column)}" for at in range(len(formulas))]
        given = {f"{self.sheet.name}!{ref}": value for ref, value in put}
        return Computation(given, tuple(places), dict(zip(places, formulas, strict=True)))


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
