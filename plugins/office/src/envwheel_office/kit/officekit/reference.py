"""Cell references in A1 style: text <-> numbers, quoted sheet names, formulas moved to another cell.

split("B7") -> (7, 2)          area("$B$2:C9") -> (2, 2, 9, 3)        parts("'My sheet'!A1:B2") -> ("My sheet", "A1:B2")
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

MAX_ROW, MAX_COLUMN = 1_048_576, 16_384
CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")

# What a formula consists of, as far as moving it matters: texts and quoted sheet names stay as they are.
MOVED = re.compile(
    r"""("(?:[^"]|"")*"|'(?:[^']|'')*'!?|\[[^\[\]]*\])"""
    r"""|(?<![\w.$])(\$?[A-Za-z]{1,3}\$?[0-9]{1,7})(?![\w.(!\[])"""
    r"""|(?<![\w.$])(\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3})(?![\w.(!\[])"""
    r"""|(?<![\w.$:])(\$?[0-9]{1,7}:\$?[0-9]{1,7})(?![\w.(!\[])"""
)


@lru_cache(maxsize=MAX_COLUMN)
def letters(column: int) -> str:
    """3 -> "C"."""
    text = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        text = chr(65 + rest) + text
    return text


@lru_cache(maxsize=MAX_COLUMN)
def number(column: str) -> int:
    """ "C" -> 3."""
    total = 0
    for letter in column.upper():
        total = total * 26 + ord(letter) - 64
    return total


def name(row: int, column: int) -> str:
    """(7, 2) -> "B7"."""
    return f"{letters(column)}{row}"


def split(cell: str) -> tuple[int, int]:
    """ "B7" or "$B$7" -> (7, 2). ValueError when it is no cell."""
    match = CELL.fullmatch(cell)
    if match is None:
        raise ValueError(f"no cell: {cell[:40]!r}")
    row, column = int(match[2]), number(match[1])
    if not (0 < row <= MAX_ROW and column <= MAX_COLUMN):
        raise ValueError(f"no cell: {cell[:40]!r}")
    return row, column


def area(text: str) -> tuple[int, int, int, int]:
    """ "B2:C9" -> (2, 2, 9, 3): first row and column, last row and column. Whole rows and columns, too."""
    first, _, last = text.strip().replace("$", "").partition(":")
    last = last or first
    if first.isalpha() and last.isalpha():
        first, last = f"{first}1", f"{last}{MAX_ROW}"
    elif first.isdigit() and last.isdigit():
        first, last = f"A{first}", f"XFD{last}"
    (row, column), (row2, column2) = split(first.strip()), split(last.strip())
    return min(row, row2), min(column, column2), max(row, row2), max(column, column2)


def cells(text: str, most: int = 1_000_000) -> Iterator[str]:
    """The cells of an area, row by row. ValueError when they are more than `most`."""
    row, column, row2, column2 = area(text)
    if (row2 - row + 1) * (column2 - column + 1) > most:
        raise ValueError(f"{text[:40]!r} has more than {most} cells")
    for at in range(row, row2 + 1):
        for across in range(column, column2 + 1):
            yield name(at, across)


def parts(reference: str) -> tuple[str, str]:
    """ "'It''s'!B7" -> ("It's", "B7"); without a sheet ("", "B7")."""
    sheet, _, cell = reference.strip().lstrip("=").rpartition("!")
    if len(sheet) > 1 and sheet[0] == sheet[-1] == "'":
        sheet = sheet[1:-1].replace("''", "'")
    return sheet, cell


def plain(reference: str) -> str:
    """The reference with its sheet's name unquoted, as records hold it: "My sheet!$A$1"."""
    sheet, cell = parts(reference)
    return f"{sheet}!{cell}" if sheet else cell


def move(formula: str, rows: int, columns: int) -> str:
    """The formula as it reads `rows` further down and `columns` further right: relative references move along."""

    def moved(match: re.Match[str]) -> str:
        if match[1] is not None:
            return match[1]
        return ":".join(_moved(part, rows, columns) for part in match[0].split(":"))

    return MOVED.sub(moved, formula)


def _moved(part: str, rows: int, columns: int) -> str:
    column, row = re.fullmatch(r"(\$?[A-Za-z]*)(\$?[0-9]*)", part).groups()  # type: ignore[union-attr]
    if column and not column.startswith("$"):
        at = number(column) + columns
        if number(column) > MAX_COLUMN:
            return part
        column = letters((at - 1) % MAX_COLUMN + 1)
    if row and not row.startswith("$"):
        row = str((int(row) + rows - 1) % MAX_ROW + 1)
    return column + row
