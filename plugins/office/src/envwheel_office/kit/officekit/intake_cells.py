"""The used range of a sheet, found while its part is unpacked: part of intake.py.

A million cells one by one take expat's callbacks many seconds. So a UTF-8 part in the usual spelling is searched as
bytes; `Irregular` says that its spelling is another, and that each element has to be looked at.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from .reference import MAX_COLUMN, MAX_ROW, number

MAX_CELLS = 1_000_000
MAX_TEXT = 1 << 20
TAG = re.compile(rb"<(?:\w+:)?c[\s/>]")
CELL = re.compile(rb'<(?:\w+:)?c\s(?:[^<>]*\s)?r="([A-Z]{1,3})([0-9]{1,7})"')
COUNTED = re.compile(rb"<(?:\w+:)?(cfRule|dataValidation|mergeCell)[\s/>]")
PIPED = re.compile(rb"<(?:\w+:)?f\b[^<>]*>[^<]*\|")


class Irregular(Exception):
    """This sheet is written in a way that only a parser understands."""


class Box:
    """The rectangle of the cells that were seen, and how many they are."""

    def __init__(self) -> None:
        self.top, self.left, self.bottom, self.right = MAX_ROW + 1, MAX_COLUMN + 1, 0, 0
        self.cells = 0

    def take(self, rows: Iterable[int], columns: Iterable[int], cells: int) -> None:
        """Further cells in these rows and columns. ValueError when some are outside of every sheet."""
        self.top, self.bottom = min(self.top, *rows), max(self.bottom, *rows)
        self.left, self.right = min(self.left, *columns), max(self.right, *columns)
        self.cells += cells
        if self.top < 1 or self.left < 1 or self.bottom > MAX_ROW or self.right > MAX_COLUMN:
            raise ValueError("a cell outside of the sheet")

    @property
    def size(self) -> tuple[int, int]:
        """Its rows and columns."""
        return max(self.bottom - self.top + 1, 0), max(self.right - self.left + 1, 0)


class Scan:
    """Reads a sheet's bytes piece by piece into `box` and `counts`."""

    def __init__(self, box: Box, counts: Counter[str]) -> None:
        self.box, self.counts, self.rest = box, counts, b""

    def feed(self, chunk: bytes) -> None:
        """The next piece; what begins at its last "<" waits for more. Raises Irregular, ValueError."""
        text = self.rest + chunk
        cut = max(text.rfind(b"<"), 0)
        text, self.rest = text[:cut], text[cut:]
        found = CELL.findall(text)
        if len(self.rest) > MAX_TEXT or b"<!" in text or PIPED.search(text) or len(found) != len(TAG.findall(text)):
            raise Irregular
        if found:
            columns = {number(cell[0].decode()) for cell in found}
            self.box.take({int(cell[1]) for cell in found}, columns, len(found))
        self.counts.update(name.decode() for name in COUNTED.findall(text))
