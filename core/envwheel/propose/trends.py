"""How a skill's pass rate goes from round to round, in figures and in a word.

The last round is compared with all before it, level by level, so that harder targets do not look like a solver that
forgets. Each rate has the posterior Beta(1 + passes, 1 + failures); the differences of the levels are added with
Mantel-Haenszel weights n1 n2 / (n1 + n2), and their sum is taken as normal. Trials of one environment are alike, which
this does not know: the chances are somewhat too sure.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import NormalDist

from envwheel.api import Trend
from envwheel.rates import rate

SURE = 0.9
"""The chance from which a rate is called rising; below 1 - SURE it is falling."""

Cell = tuple[int, int]
"""Passed, scored."""


def trends(outcomes: Iterable[tuple[str, int, int, bool]]) -> dict[str, Trend]:
    """The trend of each skill, from (skill, level, round, passed) of scored trials."""
    cells: dict[str, dict[tuple[int, int], Cell]] = defaultdict(dict)
    for skill, level, round, success in outcomes:
        passed, scored = cells[skill].get((round, level), (0, 0))
        cells[skill][round, level] = passed + success, scored + 1
    return {skill: _trend(cells[skill]) for skill in sorted(cells)}


def _trend(cells: Mapping[tuple[int, int], Cell]) -> Trend:
    rounds = sorted({round for round, _ in cells})
    by_round = tuple((one, rate(*_sum(cell for (round, _), cell in cells.items() if round == one))) for one in rounds)
    now = {level: cell for (round, level), cell in cells.items() if round == rounds[-1]}
    before = {
        level: _sum(cell for (round, other), cell in cells.items() if round < rounds[-1] and other == level)
        for level in now
    }
    chance = later_better([(before[level], now[level]) for level in now if before[level][1]])
    if chance is None:
        return Trend(by_round, "new")
    return Trend(by_round, "rising" if chance > SURE else "falling" if chance < 1 - SURE else "flat", chance)


def later_better(pairs: Iterable[tuple[Cell, Cell]]) -> float | None:
    """P(the later rate is higher) over (earlier, later) pairs of one level each; None without a pair."""
    mean = variance = 0.0
    for (p1, n1), (p2, n2) in pairs:
        weight = n1 * n2 / (n1 + n2)
        mean += weight * ((p2 + 1) / (n2 + 2) - (p1 + 1) / (n1 + 2))
        variance += weight**2 * (_variance(p1, n1) + _variance(p2, n2))
    return NormalDist(0.0, math.sqrt(variance)).cdf(mean) if variance else None


def _variance(passed: int, scored: int) -> float:
    a, b = passed + 1, scored - passed + 1
    return a * b / ((a + b) ** 2 * (a + b + 1))


def _sum(cells: Iterable[Cell]) -> Cell:
    listed = list(cells)
    return sum(passed for passed, _ in listed), sum(scored for _, scored in listed)
