"""Words in visible text: whether they stand there, how often, and what a list of wishes makes of it.

    count("Total: 1,200.50 EUR", "1,200.50")   # 1
    count("Total: 1,200.50 EUR", "200.5")      # 0: a part of a number or a word is no word

Case and white space aside, as `equal.fold`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .bench import Bench, Score
from .equal import fold
from .model import Document, Refused

SHORT = 60
"""Characters of a text that a reason quotes."""
CJK = 0x2E80
"""From here on scripts do not divide words by blanks."""


class Unfit(Exception):
    """The candidate's file is not what the check is about: score 0 with this reason."""


def document(bench: Bench, file: str, kind: type[Any], name: str) -> Any:
    """The candidate's file as a record of `kind`. Raises Unfit where it was refused or is another kind of document."""
    found: Document = bench.document(file)
    if isinstance(found, Refused):
        raise Unfit(f"{file}: {found.reason}")
    if not isinstance(found, kind):
        raise Unfit(f"{file} is a {found.kind} file, not a {name}")
    return found


def judged(function: Callable[[Any, Bench], Score]) -> Callable[[Any, Bench], Score]:
    """A judge whose `Unfit` is a score of 0 with its reason."""

    @functools.wraps(function)
    def judge(check: Any, bench: Bench) -> Score:
        try:
            return function(check, bench)
        except Unfit as reason:
            return Score(0.0, str(reason))

    return judge


@functools.lru_cache(maxsize=512)
def _pattern(wanted: str) -> re.Pattern[str]:
    """Matches a folded text as whole words and whole numbers."""
    before = after = ""
    if wanted[:1].isalnum() and ord(wanted[0]) < CJK:
        before = r"(?<!\w)" + (r"(?<!\d[.,])" if wanted[0].isdigit() else "")
    if wanted[-1:].isalnum() and ord(wanted[-1]) < CJK:
        after = r"(?!\w)" + (r"(?![.,]\d)" if wanted[-1].isdigit() else "")
    return re.compile(before + re.escape(wanted) + after)


def count(text: str, wanted: str) -> int:
    """How often `wanted` stands in `text` as whole words."""
    key = fold(wanted)
    return len(_pattern(key).findall(fold(text))) if key else 0


def find_after(text: str, wanted: str, start: int) -> int | None:
    """Where the first `wanted` from `start` on ends, both counted in the folded text; None when there is none."""
    found = _pattern(fold(wanted)).search(fold(text), start) if fold(wanted) else None
    return found.end() if found else None


def count_in(texts: Iterable[str], wanted: str) -> int:
    """How often `wanted` stands in any of the texts, each on its own."""
    return sum(count(text, wanted) for text in texts)


def quote(text: str) -> str:
    """A text for a reason."""
    key = " ".join(text.split())
    return repr(key if len(key) <= SHORT else key[: SHORT - 3] + "...")


def size(texts: Iterable[str]) -> int:
    """How many words the texts have."""
    return sum(len(text.split()) for text in texts)


def held(texts: Sequence[str], contains: Sequence[str], where: str, once: bool = False) -> tuple[float, list[str]]:
    """The share of `contains` that stands in the texts (with `once`, exactly once), and what is wrong with the rest."""
    lost = []
    for wanted in contains:
        found = count_in(texts, wanted)
        if not found:
            lost.append(f"{quote(wanted)} does not stand {where}")
        elif once and found > 1:
            lost.append(f"{quote(wanted)} stands {found} times {where}, not once")
    return (1 - len(lost) / len(contains) if contains else 1.0), lost


def mean(parts: Sequence[float], lost: list[str], texts: Sequence[str], most: int | None, where: str) -> Score:
    """The mean of the parts, and less where the texts have more than `most` words; `lost` says what is wrong."""
    value = sum(parts) / len(parts) if parts else 1.0
    if most is not None and size(texts) > most:
        value *= most / size(texts)
        lost = [*lost, f"{size(texts)} words stand {where}, {most} are allowed"]
    return Score(value, "; ".join(lost))


def intruders(texts: Sequence[str], absent: Sequence[str], where: str) -> list[str]:
    """What is wrong when texts that must not stand there do."""
    return [f"{quote(wanted)} must not stand {where}" for wanted in absent if count_in(texts, wanted)]


def longest_common(a: Sequence[Any], b: Sequence[Any]) -> list[tuple[int, int]]:
    """The places (in a, in b) of the longest common run, gaps allowed."""
    best = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) - 1, -1, -1):
        for j in range(len(b) - 1, -1, -1):
            best[i][j] = best[i + 1][j + 1] + 1 if a[i] == b[j] else max(best[i + 1][j], best[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def in_order(found: Sequence[Any], wanted: Sequence[Any], only: bool, show: Callable[[Any], str]) -> Score:
    """How far a sequence is the wanted one: F1 of the longest common run; without `only` extra ones are free."""
    found = list(found)[:5_000]
    pairs = longest_common(found, list(wanted))
    right = len(pairs)
    missing = [show(item) for at, item in enumerate(wanted) if at not in {j for _, j in pairs}]
    extra = [show(item) for at, item in enumerate(found) if at not in {i for i, _ in pairs}]
    lost = []
    if missing:
        lost.append(f"{len(missing)} of {len(wanted)} missing or out of place, first {missing[0]}")
    if extra and only:
        lost.append(f"{len(extra)} too many or out of place, first {extra[0]}")
    total = len(wanted) + len(found) if only else 2 * len(wanted)
    return Score(2 * right / total if total else 1.0, "; ".join(lost))
