"""Texts as words: shingles, near copies among many by MinHash, long runs of words shared with a set of texts.

    near = Near(threshold=0.8)
    near.add(words(text)); near.like(words(other))      # [(0, 0.91)]: the number of what was added, the similarity
    shared = Runs(); shared.add(words(benchmark_text))
    shared.longest(words(text))                         # (start, length, number), length 0 where nothing is shared

Both are near-linear in the number of texts. MinHash is rensa's (extra `duplicates`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from envwheel.errors import SetupError

SHINGLE = 5
"""Words of a shingle, the unit of likeness."""
GRAM = 13
"""Words of the shortest run that two texts do not share by chance."""
PERMUTATIONS, BANDS = 160, 20
"""Finds 97 of 100 pairs that are 0.8 alike, all of those that are 0.9, and 8 of 100 that are 0.5."""
COMMON = 5
"""A run that so many of a set's texts hold is boilerplate."""
LARGEST = 1 << 20
_WORD = re.compile(r"[a-z0-9]+")


def words(text: str) -> list[str]:
    """Lower-case letters and digits, all else is a border."""
    return _WORD.findall(text.lower())


def shingles(tokens: Sequence[str], size: int = SHINGLE) -> set[str]:
    """Every `size` words in a row; of a shorter text its words."""
    if len(tokens) < size:
        return set(tokens)
    return {" ".join(part) for part in zip(*(tokens[at:] for at in range(size)), strict=False)}


def likeness(one: set[str], other: set[str]) -> float:
    """Jaccard: the share of all shingles that both have."""
    return len(one & other) / len(one | other) if one or other else 0.0


def read_text(path: Path) -> str:
    """The text at `path`; "" for what is no text, very large, or not there."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST:
            return ""
        data = path.read_bytes()
    except OSError:
        return ""
    return "" if b"\0" in data[:4096] else data.decode("utf-8", "replace")


class Near:
    """Finds near copies among the texts that were added. Raises SetupError where rensa is not installed."""

    def __init__(self, threshold: float, size: int = SHINGLE) -> None:
        self._rensa, self.threshold, self.size = _rensa(), threshold, size
        self._index = self._rensa.RMinHashLSH(threshold, PERMUTATIONS, BANDS)
        self._hashes: list[Any] = []

    def add(self, tokens: Sequence[str]) -> int:
        """Keep a text and return its number."""
        number, made = len(self._hashes), self._hash(tokens)
        self._hashes.append(made)
        self._index.insert(number, made)
        return number

    def like(self, tokens: Sequence[str]) -> list[tuple[int, float]]:
        """(number, estimate) of those that may be as much alike as the threshold says, the likest first."""
        made = self._hash(tokens)
        found = [(number, made.jaccard(self._hashes[number])) for number in self._index.query(made)]
        # The estimate is off by some hundredths; who needs to be sure compares the shingles.
        return sorted((one for one in found if one[1] >= self.threshold - 0.08), key=lambda one: (-one[1], one[0]))

    def _hash(self, tokens: Sequence[str]) -> Any:
        made = self._rensa.RMinHash(PERMUTATIONS, 1)
        made.update(list(shingles(tokens, self.size)))
        return made


class Runs:
    """Finds runs of words that a text shares with a set of texts."""

    def __init__(self) -> None:
        self._grams: dict[int, int] = {}
        self._texts: Counter[int] = Counter()
        self._count = 0

    def add(self, tokens: Sequence[str]) -> int:
        """Keep a text's runs and return its number."""
        number, self._count = self._count, self._count + 1
        for gram in set(_grams(tokens)):
            self._grams.setdefault(gram, number)
            self._texts[gram] += 1
        return number

    def longest(self, tokens: Sequence[str]) -> tuple[int, int, int]:
        """(start, words, number of a text) of the longest run that is in a text and is no boilerplate."""
        best, start, length, source = (0, 0, -1), 0, 0, -1
        for at, gram in enumerate(_grams(tokens)):
            if gram not in self._grams or self._texts[gram] >= COMMON:
                length = 0
                continue
            if not length:
                start, source = at, self._grams[gram]
            length += 1
            if length + GRAM - 1 > best[1]:
                best = (start, length + GRAM - 1, source)
        return best


def _grams(tokens: Sequence[str]) -> Iterator[int]:
    return (hash(gram) for gram in zip(*(tokens[at:] for at in range(GRAM)), strict=False))


def _rensa() -> Any:
    try:
        import rensa
    except ImportError:
        raise SetupError(
            "Near copies are found by rensa, which is not installed: pip install 'envwheel[duplicates]'."
        ) from None
    return rensa
