"""Judges of values: cells and tables of workbooks, CSV files, plain texts, which files lie in a folder."""

from __future__ import annotations

import csv
import fnmatch
from itertools import islice

from . import find, refs
from .bench import FULL, Bench, Score, Unreadable
from .equal import UNSURE, fold, is_blank, same, spell, text_key
from .language import Files, PlainTable, PlainText
from .language_base import Column, Scalar, Type
from .language_cells import CellValue, RangeTable
from .tables import score_rows
from .words import count, held

ROWS_AT_MOST = 200_000


def cell_value(check: CellValue, bench: Bench) -> Score:
    """The computed value of a cell that can be seen."""
    book = find.workbook(bench, check.file)
    spot = find.cell(book, check.at)
    view = find.View(book, spot.sheet)
    row, column = refs.place(spot.ref)
    hidden = view.unseen(row, column)
    if hidden:
        return Score(0.0, f"{spot.address} cannot be seen: {hidden}")
    value = typed(view, row, column, check.type)
    if same(value, check.expect, check.type, check.tol):
        return FULL
    return Score(0.0, f"{spot.address} is {spell(value, spot.cell.kind == 'date')}, not {spell(check.expect)}")


def typed(view: find.View, row: int, column: int, type: Type) -> Scalar:
    """A cell's value as it may count for `type`: a number is a date only in a date's format, a typed '#N/A' no error.

    What does not count comes as a text that says so.
    """
    value = view.value(row, column)
    kind = view.cell(row, column).kind
    if value is None or value == UNSURE:
        return value
    if type == "date" and kind == "number":
        return f"{spell(value)} without a date's format"
    if type == "number" and kind == "date":
        return f"{spell(value)} with a date's format"
    if type == "error" and kind != "error":
        return f"{spell(value)} as a text"
    if kind == "error" and type == "text":
        return f"the error {value}"
    return value


def range_table(check: RangeTable, bench: Bench) -> Score:
    """A table's rows."""
    found = find.table(find.workbook(bench, check.file), check.anchor, check.key[0])
    headers, places = columns(found, check.columns)
    rows = [
        [typed(found.view, row, at, column.type) if at not in found.view.columns else None for column, at in places]
        for row in islice(found.rows, ROWS_AT_MOST)
    ]
    return score_rows(
        headers, rows, check.columns, check.key, check.rows, check.order, extra_rows=check.extra_rows
    )  # fmt: skip


def columns(found: find.Table, wanted: list[Column]) -> tuple[list[str], list[tuple[Column, int]]]:
    """The headers that the table has of `wanted`, and where they stand."""
    places = [(column, found.columns[fold(column.header)]) for column in wanted if fold(column.header) in found.columns]
    return [column.header for column, _ in places], places


def csv_table(check: PlainTable, bench: Bench) -> Score:
    """A CSV file's rows."""
    text = _plain(check.file, bench)
    try:
        lines = list(csv.reader(text.splitlines(keepends=True), delimiter=check.delimiter, strict=True))
    except csv.Error as error:
        return Score(0.0, f"{check.file} is no CSV file: {error}")
    lines = [line for line in lines if any(not is_blank(field) for field in line)]
    if not lines:
        return Score(0.0, f"{check.file} is empty")
    return score_rows(lines[0], lines[1:], check.columns, check.key, check.rows, check.order, written="plain")


def _plain(file: str, bench: Bench) -> str:
    text = bench.text(file)
    if text is None:
        raise Unreadable(f"{file} is no plain text file in UTF-8")
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def text(check: PlainText, bench: Bench) -> Score:
    """A text file: the whole of it, or words in it."""
    found = _plain(check.file, bench)
    there = [words for words in check.absent if count(found, words)]
    if there:
        return Score(0.0, f"{there[0]!r} must not stand there")
    if check.equals is not None and _lines(found) != _lines(check.equals):
        return Score(0.0, _difference(_lines(found), _lines(check.equals)))
    share, lost = held([found], check.contains, "there")
    return Score(share, "; ".join(lost[:3]))


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _difference(found: list[str], expected: list[str]) -> str:
    for number, (one, other) in enumerate(zip(found, expected, strict=False), 1):
        if one != other:
            return f"line {number} is {one[:80]!r}, not {other[:80]!r}"
    return f"it has {len(found)} lines, not {len(expected)}"


def files(check: Files, bench: Bench) -> Score:
    """Which files lie in a folder."""
    found = bench.listing(check.file)
    if found is None:
        return Score(0.0, f"{check.file} is no folder")
    for pattern in check.forbid:
        bad = [name for name in found if matches(name, pattern)]
        if bad:
            return Score(0.0, f"{bad[0]!r} must not be there")
    missing = [name for name in check.required if name not in found]
    extra = [name for name in found if name not in check.required] if check.only else []
    wanted = len(check.required)
    right = wanted - len(missing)
    value = 2 * right / (2 * right + len(missing) + len(extra)) if missing or extra else 1.0
    lost = [f"{len(missing)} of {wanted} files are missing, first {missing[0]!r}"] if missing else []
    lost += [f"{len(extra)} files are too many, first {extra[0]!r}"] if extra else []
    return Score(value, "; ".join(lost))


def matches(name: str, pattern: str) -> bool:
    """Whether a file's relative path, or its last part, is `pattern` ("*.tmp")."""
    return fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(text_key(name.rsplit("/", 1)[-1]), pattern)
