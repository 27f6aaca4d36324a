"""Tables on PDF pages: those that lines are drawn around, and those that only stand in columns.

A table goes on over pages: on the next one its header may stand again or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .equal import fold
from .model import Grid, Page, Pdf, Word
from .read_pdf_rows import rows_of

GAP = 0.7
"""Sizes between two words from which on they stand in two cells: a blank is about 0.3."""
PAUSE = 2.6
"""Row heights without text after which a table has ended."""

Span = tuple[float, float]
Cell = tuple[str, Span]


def ruled(pdf: Pdf) -> list[Grid]:
    """The tables with drawn lines, in order; what goes on over a page is one table."""
    grids: list[Grid] = []
    for page in pdf.pages:
        for at, table in enumerate(page.tables):
            before = grids[-1] if grids else None
            if at == 0 and before is not None and page is not pdf.pages[0] and _goes_on(before, table):
                again = [fold(cell) for cell in table.rows[0]] == [fold(cell) for cell in before.rows[0]]
                before.rows += table.rows[1:] if again else table.rows
            else:
                grids.append(Grid(list(table.rows)))
    return grids


def _goes_on(before: Grid, table: Grid) -> bool:
    return len(before.rows[0]) == len(table.rows[0])


def standing(pdf: Pdf, headers: Sequence[str]) -> Grid | None:
    """The first table whose headers stand in one line of words, read by the places of the words under them."""
    rows: list[list[str]] = []
    for page in pdf.pages:
        found = _on_page(page, headers)
        if found is not None:
            rows += found
        elif rows:
            break
    return Grid([list(headers), *rows]) if rows else None


def _on_page(page: Page, headers: Sequence[str]) -> list[list[str]] | None:
    """The rows under the headers; None where these do not stand on the page."""
    lines = rows_of(page.words)
    for at, line in enumerate(lines):
        spans = _spans(line, headers)
        if spans:
            return list(_rows(lines[at:], spans))
    return None


def _spans(line: Sequence[Word], headers: Sequence[str]) -> list[Span]:
    """Where each header stands in a line, from left to right; none unless all do."""
    spans: list[Span] = []
    for header in headers:
        wanted = fold(header).split()
        starts = [
            at for at in range(len(line) - len(wanted) + 1)
            if [fold(word.text) for word in line[at : at + len(wanted)]] == wanted
            and not any(left <= line[at].left < right for left, right in spans)
        ]  # fmt: skip
        if not starts or not wanted:
            return []
        spans.append((line[starts[0]].left, line[starts[0] + len(wanted) - 1].right))
    return spans


def _rows(lines: Sequence[Sequence[Word]], spans: Sequence[Span]) -> Iterator[list[str]]:
    """The rows below a header line, to the first large pause; a line without a first cell continues the row above."""
    first = min(range(len(spans)), key=lambda at: spans[at][0])
    current: list[str] | None = None
    bottom, pitch = max(word.bottom for word in lines[0]), 0.0
    for line in lines[1:]:
        top, height = min(word.top for word in line), max(word.bottom - word.top for word in line)
        if top - bottom > PAUSE * max(height, pitch):
            break
        pitch, bottom = max(pitch, top - bottom), max(word.bottom for word in line)
        cells = [""] * len(spans)
        for text, span in _cells(line):
            at = _column(span, spans)
            cells[at] = f"{cells[at]} {text}".strip()
        if current is not None and not cells[first]:
            current[:] = [f"{old} {new}".strip() for old, new in zip(current, cells, strict=True)]
            continue
        if current is not None:
            yield current
        current = cells
    if current is not None:
        yield current


def _cells(line: Sequence[Word]) -> list[Cell]:
    """A line's words, joined where they stand close."""
    cells: list[Cell] = []
    for word in line:
        if cells and word.left - cells[-1][1][1] < GAP * max(word.size, 1.0):
            text, (left, _) = cells[-1]
            cells[-1] = (f"{text} {word.text}", (left, word.right))
        else:
            cells.append((word.text, (word.left, word.right)))
    return cells


def _column(span: Span, spans: Sequence[Span]) -> int:
    """The column whose header a cell stands under most, or is nearest to."""

    def distance(at: int) -> float:
        left, right = spans[at]
        shared = min(right, span[1]) - max(left, span[0])
        return -shared

    return min(range(len(spans)), key=distance)
