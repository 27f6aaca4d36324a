"""Tables of slides: their texts with what the table's style makes of them, and how high their rows become."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .drawing import ANY, EMU, color, fill
from .model import Grid, Paragraph
from .opc import Element, attr, find, integer, tag
from .read_pptx_page import Page
from .read_pptx_text import Sources, measured, read_paragraphs, truth

SPAN = 64
"""Cells that one merged cell covers at most."""


@dataclass(frozen=True, slots=True)
class _Style:
    """What a table's style says of one cell: the text's colour, the cell's fill. None: nothing."""

    color: str | None = None
    fill: str | None = None


def read_table(table: Element, page: Page, ground: str) -> tuple[Grid, float]:
    """The grid of an a:tbl, and the height in points that its rows need."""
    widths = [integer(attr(item, "w")) / EMU for item in _children(find(table, "a:tblGrid"), "a:gridCol")]
    rows = _children(table, "a:tr")
    grid = Grid(style=(_text(find(table, "a:tblPr", "a:tableStyleId"))))
    total = 0.0
    shown: dict[tuple[int, int], str] = {}
    for at, row in enumerate(rows):
        height = integer(attr(row, "h")) / EMU
        cells = _children(row, "a:tc")
        for nth, cell in enumerate(cells):
            if truth(attr(cell, "hMerge")) or truth(attr(cell, "vMerge")):
                continue
            across = min(max(1, integer(attr(cell, "gridSpan"), 1)), SPAN)
            down = min(max(1, integer(attr(cell, "rowSpan"), 1)), SPAN)
            paragraphs, needs = _cell(
                cell, page, ground, _style(table, page, at, nth, len(rows)), sum(widths[nth : nth + across])
            )
            grid.paragraphs += paragraphs
            text = "\n".join(item.text for item in paragraphs if item.text)
            shown.update({(at + y, nth + x): text for y in range(down) for x in range(across)})
            height = max(height, needs if down == 1 else 0.0)
        grid.rows.append([shown.get((at, nth), "") for nth in range(len(cells))])
        total += height
    return grid, total


def _cell(cell: Element, page: Page, ground: str, style: _Style, width: float) -> tuple[list[Paragraph], float]:
    properties = find(cell, "a:tcPr")
    stated = fill(properties, page.theme, page.mapping)
    behind = stated if stated not in (None, "none") else style.fill or ground
    body = find(cell, "a:txBody")
    lists = [item for item in (find(body, "a:lstStyle"), page.defaults) if item is not None]
    own = find(body, "a:lstStyle")
    sources = Sources(page.theme, page.mapping, lists, color=style.color, own=own, ground=str(behind))
    sides = {"marL": 91440, "marR": 91440, "marT": 45720, "marB": 45720}
    left, right, top, bottom = (integer(attr(properties, name), usual) / EMU for name, usual in sides.items())
    paragraphs = read_paragraphs(body, sources)
    height, _ = measured(body, paragraphs, sources, max(1.0, width - left - right))
    return paragraphs, height + top + bottom


def _style(table: Element, page: Page, row: int, column: int, rows: int) -> _Style:
    """The style of a cell. Of a built-in style that the file does not spell out, only that its header may be dark."""
    properties = find(table, "a:tblPr")
    name = _text(find(properties, "a:tableStyleId"))
    head = truth(attr(properties, "firstRow")) and row == 0
    found = (
        next((item for item in page.table_styles if attr(item, "styleId") == name), None)
        if page.table_styles is not None
        else None
    )
    if found is None:
        special = head or (truth(attr(properties, "firstCol")) and column == 0)
        special = special or (truth(attr(properties, "lastRow")) and row == rows - 1)
        return _Style(fill=ANY) if name and special else _Style()
    parts = ["a:wholeTbl"]
    if truth(attr(properties, "bandRow")) and not head:
        parts.append("a:band1H" if (row - truth(attr(properties, "firstRow"))) % 2 == 0 else "a:band2H")
    parts += ["a:firstCol"] if truth(attr(properties, "firstCol")) and column == 0 else []
    parts += ["a:lastRow"] if truth(attr(properties, "lastRow")) and row == rows - 1 else []
    parts += ["a:firstRow"] if head else []
    style = _Style()
    for part in parts:
        item = find(found, part)
        text = color(find(item, "a:tcTxStyle"), page.theme, page.mapping)
        ground = fill(find(item, "a:tcStyle", "a:fill"), page.theme, page.mapping)
        style = replace(style, color=text or style.color, fill=style.fill if ground in (None, "none") else ground)
    return style


def _children(parent: Element | None, name: str) -> list[Element]:
    return [item for item in parent if tag(item) == name] if parent is not None else []


def _text(item: Element | None) -> str:
    return (item.text or "").strip() if item is not None else ""
