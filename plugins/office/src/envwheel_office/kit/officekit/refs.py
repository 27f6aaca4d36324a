"""Places in a workbook: cells as (row, column) from 1, areas of one sheet, as text and back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from . import reference
from .reference import MAX_COLUMN as COLUMNS
from .reference import MAX_ROW as ROWS
from .reference import letters, name, number
from .reference import parts as split
from .reference import split as place

__all__ = ["COLUMNS", "ROWS", "Area", "area", "letters", "name", "number", "place", "split"]


class Area(NamedTuple):
    """A block of cells of one sheet, both ends included; `sheet` "" where the text named none."""

    sheet: str
    top: int
    left: int
    bottom: int
    right: int

    def has(self, row: int, column: int) -> bool:
        """The cell is one of it."""
        return self.top <= row <= self.bottom and self.left <= column <= self.right

    def covers(self, other: Area) -> bool:
        """All of `other`, sheets aside."""
        return self.has(other.top, other.left) and self.has(other.bottom, other.right)

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


def area(text: str) -> Area:
    """ "Data!A1:B9", "B7", "A:C" or "2:5" as an Area. ValueError when it is none."""
    sheet, rest = split(text)
    return Area(sheet, *reference.area(rest))
