"""Places in a workbook: cells as (row, column) from 1, areas of one sheet, as text and back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

ROWS, COLUMNS = 1_048_576, 16_384
_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?([1-9]\d{0,6})")
_COLUMN = re.compile(r"\$?([A-Za-z]{1,3})")
_ROW = re.compile(r"\$?([1-9]\d{0,6})")


class Area(NamedTuple):
    """A block of cells of one sheet, both ends included; `sheet` "" where the text named none."""

    sheet: str
    top: int
    left: int
    bottom: int
    right: int

    def __contains__(self, place: object) -> bool:
        row, column = place  # type: ignore[misc]
        return self.top <= row <= self.bottom and self.left <= column <= self.right

    def covers(self, other: Area) -> bool:
        """All of `other`, sheets aside."""
        return (other.top, other.left) in self and (other.bottom, other.right) in self

    def meets(self, other: Area) -> bool:
        """A cell is in both, sheets aside."""
        rows = self.top <= other.bottom and other.top <= self.bottom
        return rows and self.left <= other.right and other.left <= self.right

    @property
    def size(self) -> int:
        """How many cells."""
        return (self.bottom - self.top + 1) * (self.right - self.left + 1)

    def cells(self) -> Iterator[str]:
        """Its cells' names, row by row."""
        for row in range(self.top, self.bottom + 1):
            for column in range(self.left, self.right + 1):
                yield name(row, column)


@lru_cache(1024)
def letters(column: int) -> str:
    """1 -> "A", 28 -> "AB"."""
    text = ""
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(65 + rest) + text
    return text


@lru_cache(1024)
def number(text: str) -> int:
    """ "AB" -> 28."""
    value = 0
    for letter in text.upper():
        value = value * 26 + ord(letter) - 64
    return value


def name(row: int, column: int) -> str:
    """(7, 2) -> "B7"."""
    return f"{letters(column)}{row}"


def place(text: str) -> tuple[int, int]:
    """ "B7" or "$B$7" -> (7, 2). ValueError when it is none."""
    match = _CELL.fullmatch(text)
    if not match:
        raise ValueError(f"no cell: {text!r}")
    return int(match[2]), number(match[1])


def split(text: str) -> tuple[str, str]:
    """ "'My sheet'!$B$7" -> ("My sheet", "$B$7"); the sheet is "" where none is named."""
    sheet, mark, rest = text.strip().lstrip("=").rpartition("!")
    if mark and sheet.startswith("'") and sheet.endswith("'"):
        sheet = sheet[1:-1].replace("''", "'")
    return sheet, rest


def area(text: str) -> Area:
    """ "Data!A1:B9", "B7", "A:C" or "2:5" as an Area. ValueError when it is none."""
    sheet, rest = split(text)
    first, _, last = rest.partition(":")
    ends = [_end(part, text, at) for at, part in enumerate((first, last or first))]
    (a, b), (c, d) = ends
    return Area(sheet, min(a, c), min(b, d), max(a, c), max(b, d))


def _end(part: str, text: str, last: int) -> tuple[int, int]:
    if _CELL.fullmatch(part):
        return place(part)
    if ":" in text and (match := _COLUMN.fullmatch(part)):
        return (ROWS if last else 1), number(match[1])
    if ":" in text and (match := _ROW.fullmatch(part)):
        return int(match[1]), (COLUMNS if last else 1)
    raise ValueError(f"no range: {text!r}")
