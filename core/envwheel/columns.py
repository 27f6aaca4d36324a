"""A plain table for standard output: aligned columns, no colours, so that it can be piped and compared."""

from __future__ import annotations

from collections.abc import Sequence

from envwheel.console import plain


def columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lines of left-aligned columns. Cells are made plain, and line breaks in them become spaces."""
    cells = [[" ".join(plain(cell).split()) for cell in row] for row in (header, *rows)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(header))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
    )
