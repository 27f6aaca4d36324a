"""Intervals (95 %) for what a comparison reports: costs per valid environment, and ratios of two methods.

Rates have Wilson's interval (rates.py). A ratio of two rates a/n and b/m has Katz's on the log scale,

    log(a m / (b n)) +- 1.96 sqrt(1/a - 1/n + 1/b - 1/m),

with a half added to every success and failure when a rate is 0 or 1 (Katz et al. 1978, Biometrics 34; Pettigrew et al.
1986, Biometrika 73). It takes the two as independent, which matched targets make cautious. A cost per valid environment
is a quotient of two sums over targets; it and the ratio of two of them have the percentile bootstrap over targets
(Efron and Tibshirani 1993, chapter 13), in pairs, from a fixed seed: equal records give equal intervals.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

from pydantic import BaseModel

RESAMPLES = 2000
SEED = "compare"
Z = 1.96


class Figure(BaseModel):
    """A number with its interval. `why` says why there is none; `low` or `high` is None without a bound."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    why: str = ""


def unknown(why: str) -> Figure:
    """No number, for this reason."""
    return Figure(why=why)


def rate_ratio(a: int, n: int, b: int, m: int) -> Figure:
    """How many times as often: (a of n) over (b of m)."""
    if not n or not m:
        return unknown("nothing was judged")
    edge = a in (0, n) or b in (0, m)
    x, y = (a + 0.5 if edge else a), (b + 0.5 if edge else b)
    of_x, of_y = (n + 1 if edge else n), (m + 1 if edge else m)
    middle = math.log((x / of_x) / (y / of_y))
    half = Z * math.sqrt(1 / x - 1 / of_x + 1 / y - 1 / of_y)
    low, high = math.exp(middle - half), math.exp(middle + half)
    if not b:
        return Figure(low=low if a else None, why="none valid")
    return Figure(value=(a / n) / (b / m), low=low if a else 0.0, high=high)


Case = tuple[float, bool]
"""What a target took, and whether a valid environment came of it."""


def per_valid(cases: Sequence[Case]) -> Figure:
    """What a valid environment takes: the sum over all targets by the number of valid ones."""
    if not any(valid for _, valid in cases):
        return unknown("none valid" if cases else "nothing was judged")
    low, high = _bootstrap(len(cases), lambda at: _quotient([cases[i] for i in at]))
    return Figure(value=_quotient(cases), low=_bound(low), high=_bound(high))


def per_valid_ratio(cases: Sequence[Case], others: Sequence[Case]) -> Figure:
    """`per_valid(cases)` over `per_valid(others)`; the two are pairs of the same targets."""
    if not cases:
        return unknown("nothing was judged")
    if not (any(valid for _, valid in cases) and any(valid for _, valid in others)):
        return unknown("none valid")
    if not sum(cost for cost, _ in others):
        return unknown("no cost")

    def ratio(at: Sequence[int]) -> float:
        over, under = _quotient([cases[i] for i in at]), _quotient([others[i] for i in at])
        if math.isinf(under):
            return math.nan if math.isinf(over) else 0.0
        return over / under if under else math.inf

    low, high = _bootstrap(len(cases), ratio)
    return Figure(value=ratio(range(len(cases))), low=_bound(low), high=_bound(high))


def _quotient(cases: Sequence[Case]) -> float:
    valid = sum(valid for _, valid in cases)
    return sum(cost for cost, _ in cases) / valid if valid else math.inf


def _bootstrap(size: int, figure: Callable[[Sequence[int]], float]) -> tuple[float, float]:
    """The 2.5 and 97.5 percentiles of `figure` over resampled targets; what a resample does not tell is left out."""
    draw, places = random.Random(SEED), range(size)
    figures = sorted(one for _ in range(RESAMPLES) if not math.isnan(one := figure(draw.choices(places, k=size))))
    if not figures:
        return math.nan, math.nan
    last = len(figures) - 1
    return figures[math.floor(0.025 * last)], figures[math.ceil(0.975 * last)]


def _bound(value: float) -> float | None:
    return value if math.isfinite(value) else None
