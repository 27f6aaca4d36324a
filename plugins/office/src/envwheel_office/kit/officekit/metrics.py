"""How much room text takes: an estimate, for nobody who judges a slide has its fonts.

Widths of characters are Helvetica's (Adobe's font metrics, thousandths of the size), times a factor of the font's
family; bold adds 6 %. Lines break between words as programs do it, a word that is wider than the box breaks anywhere;
a line is 1.2 sizes high. Of 24 boxes in four fonts that LibreOffice set
with metric-compatible fonts, 22 had as many lines as here, two one line fewer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

LINE = 1.2
"""A line's height in sizes."""
CJK = 0x2E80

_ASCII = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
]  # fmt: skip

FAMILIES = {
    "calibri": 0.91, "carlito": 0.91, "aptos": 0.98, "times": 0.90, "liberation serif": 0.90, "cambria": 0.96,
    "caladea": 0.96, "trebuchet": 0.98, "garamond": 0.86, "georgia": 1.0, "verdana": 1.17, "dejavu": 1.17,
    "tahoma": 1.0, "century gothic": 1.1, "arial narrow": 0.82, "impact": 0.95, "segoe": 1.0, "open sans": 1.06,
    "roboto": 1.0,
}  # fmt: skip
MONOSPACED = {"courier": 600, "consolas": 550, "mono": 600, "menlo": 602}


@dataclass(frozen=True, slots=True)
class Piece:
    """Text with one font and size (points)."""

    text: str
    font: str
    size: float
    bold: bool = False


def width(piece: Piece) -> float:
    """Points that a piece takes on one line."""
    family = piece.font.casefold()
    fixed = next((wide for name, wide in MONOSPACED.items() if name in family), None)
    if fixed:
        return sum(fixed if _wide(letter) else 0 for letter in piece.text) * piece.size / 1000
    factor = next((number for name, number in FAMILIES.items() if family.startswith(name)), 1.0)
    return sum(map(_wide, piece.text)) * factor * (1.06 if piece.bold else 1.0) * piece.size / 1000


def _wide(letter: str) -> int:
    code = ord(letter)
    if 32 <= code < 127:
        return _ASCII[code - 32]
    if code >= CJK:
        return 1000
    return 0 if unicodedata.combining(letter) or unicodedata.category(letter) in ("Cf", "Cc") else 556


@dataclass(frozen=True, slots=True)
class Lines:
    """A paragraph broken into lines: the largest size on each, and the width of the widest."""

    sizes: list[float]
    widest: float


def broken(pieces: Iterable[Piece], room: float, empty: float) -> Lines:
    """A paragraph's lines in `room` points of width; one without text has a line of size `empty`."""
    sizes: list[float] = []
    used = largest = widest = 0.0
    for piece in pieces:
        for token in _tokens(piece.text):
            if token == "\n":
                sizes.append(largest or piece.size)
                used = largest = 0.0
                continue
            wide = width(Piece(token, piece.font, piece.size, piece.bold))
            if used and used + wide > room and token.strip():
                sizes.append(largest)
                used = largest = 0.0
            while wide > room > piece.size and token.strip():  # a word wider than the box
                sizes.append(piece.size)
                wide -= room
            used += wide
            largest = max(largest, piece.size)
            widest = max(widest, used if token.strip() else used - wide)
    sizes.append(largest or empty)
    return Lines(sizes, widest)


def _tokens(text: str) -> Iterator[str]:
    """Words, blanks, line ends; signs of scripts without blanks one by one."""
    return iter(re.findall(r"\n|[^\S\n]+|[⺀-￿𠀀-𯿿]|[^\s⺀-￿𠀀-𯿿-]+-?|-", text))
