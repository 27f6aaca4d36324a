"""Words of a page as the lines that they stand in. Needs no PDF library: judges use it, too."""

from __future__ import annotations

from collections.abc import Iterable

from .model import Word


def lines(words: Iterable[Word]) -> list[str]:
    """The visible words as lines of text, top to bottom, each from left to right."""
    return [" ".join(word.text for word in line) for line in rows_of(words)]


def rows_of(words: Iterable[Word]) -> list[list[Word]]:
    """The visible words that stand beside each other: at least half of the lower one's height."""
    rows: list[list[Word]] = []
    for word in sorted((word for word in words if word.visible), key=lambda word: (word.top, word.left)):
        row = next((row for row in rows[-3:] if _beside(row[0], word)), None)
        if row is None:
            rows.append([word])
        else:
            row.append(word)
    return [sorted(row, key=lambda word: word.left) for row in rows]


def _beside(one: Word, other: Word) -> bool:
    shared = min(one.bottom, other.bottom) - max(one.top, other.top)
    return shared > 0.5 * min(one.bottom - one.top, other.bottom - other.top)
