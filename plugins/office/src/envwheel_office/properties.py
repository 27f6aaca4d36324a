"""What a check relies on by name: sheets, headers, labels, cells, headings, slides, authors, styles, fields.

`names(check)` lists them for the lint: who does the work can only know these from the instruction, or from the files
that are given. Values are no properties: they are the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from envwheel_office.kit.officekit.language import AnyCheck, Program
from envwheel_office.kit.officekit.language_base import Anchor, Where

CELL = re.compile(r"\$?([A-Z]{1,3})\$?(\d+)")


@dataclass(frozen=True, slots=True)
class Named:
    """One property: what kind of thing it is, and its text."""

    what: str
    text: str


def names(check: AnyCheck) -> Iterator[Named]:
    """Every property that `check` finds its place by, or that it asks for by name."""
    if isinstance(check, Program):
        for run in check.runs:
            for inner in run.checks:
                yield from names(inner)
        return
    for field, value in check:
        if isinstance(value, Where):
            yield from _where(value)
        elif isinstance(value, Anchor):
            yield from _anchor(value)
        elif isinstance(value, str) and field in FIELDS:
            yield Named(FIELDS[field], value)
        elif field in ("range", "freeze") and isinstance(value, str):
            yield from _cells(value)
    yield from _lists(check)


FIELDS = {
    "sheet": "sheet",
    "under": "heading",
    "slide": "slide",
    "author": "author",
    "style": "style",
    "title": "title",
    "column": "column",
    "header": "header",
    "footer": "footer",
    "paper": "paper",
}
"""Fields whose text is a name."""


def _where(where: Where) -> Iterator[Named]:
    if where.cell:
        yield from _cells(where.cell)
    for what, text in (("defined name", where.name), ("label", where.label), ("sheet", where.sheet)):
        if text:
            yield Named(what, text)


def _anchor(anchor: Anchor) -> Iterator[Named]:
    yield from (Named("column", header) for header in anchor.headers)
    if anchor.sheet:
        yield Named("sheet", anchor.sheet)


def _cells(place: str) -> Iterator[Named]:
    """Sheet and cells of "Sheet!B2:B9"."""
    sheet, _, cells = place.rpartition("!")
    if sheet:
        yield Named("sheet", sheet.strip("'").replace("''", "'"))
    yield Named("cells", cells)


def _lists(check: AnyCheck) -> Iterator[Named]:
    """Names in lists and mappings of single kinds."""
    # The outputs of a metamorphic check, and the columns of every kind of table.
    for place in getattr(check, "outputs", ()):
        yield from _where(place)
    for column in getattr(check, "columns", ()):
        yield Named("column", column if isinstance(column, str) else column.header)
    if check.kind == "sheet":
        yield from (Named("defined name", name) for name in check.names)
        yield from (Named("column", header) for header in check.table or ())
        for cells in check.merged or ():
            yield from _cells(cells)
    elif check.kind == "docx_outline":
        yield from (Named("heading", heading.text) for heading in check.headings)
    elif check.kind == "pptx_slides":
        yield from (Named("slide", title) for title in check.titles)
        yield from (Named("layout", layout) for layout in check.layouts)
    elif check.kind == "pdf_form":
        yield from (Named("form field", name) for name in check.fields)
    elif check.kind == "pivot":
        yield from (Named("column", name) for name in (*check.rows, *(field for field, _ in check.values)))
    elif check.kind == "files":
        yield from (Named("file", name) for name in check.required if not re.search(r"[*?\[]", name))


def stands(named: Named, text: str) -> bool:
    """Whether `text`, made by `plain`, names it. Cells may be named by themselves, by a range or by their column; a
    file by its name without the ending, where another has that ending."""
    if named.what == "file" and plain(named.text) not in text:
        stem, dot, ending = plain(named.text).rpartition(".")
        return bool(stem) and stem in text and dot + ending in text
    if named.what != "cells":
        return plain(named.text) in text
    if re.search(rf"(?<!\w){re.escape(plain(named.text.replace('$', '')))}(?!\w)", text):
        return True
    return all(_cell_stands(letters, int(row), text) for letters, row in CELL.findall(named.text.upper()))


def _cell_stands(letters: str, row: int, text: str) -> bool:
    if re.search(rf"\b{letters.lower()}{row}\b|\bcolumns?\b[^.]*\b{letters.lower()}\b", text):
        return True
    column = _number(letters)
    for left, top, right, bottom in re.findall(r"\b([a-z]{1,3})(\d+)\s*(?::|to|-|–)\s*([a-z]{1,3})(\d+)\b", text):
        if int(top) <= row <= int(bottom) and _number(left) <= column <= _number(right):
            return True
    return False


def _number(letters: str) -> int:
    value = 0
    for letter in letters.upper():
        value = value * 26 + ord(letter) - 64
    return value


def plain(text: str) -> str:
    """Text for comparing: no case, white space collapsed, typographic quotes and markup marks as nothing."""
    return " ".join(re.sub(r"[`*_\"'“”‘’«»]", "", text).casefold().split())
