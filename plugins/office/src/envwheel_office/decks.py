"""Writes the presentations that environments are given, byte-equal: a house template, and decks in its layouts.

deck = house()                                 a python-pptx presentation with the layouts of `LAYOUTS`, no slide
add(deck, "Content", "Summary", ["Sales: 12"], notes="Source: sales.csv")
packed(deck)                                   its bytes (papers.py)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lxml import etree
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE, XL_LEGEND_POSITION
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.enum.text import PP_ALIGN
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.oxml.ns import qn
from pptx.util import Inches, Pt

LAYOUTS = {
    "Title Slide": "Opening",
    "Title and Content": "Content",
    "Title Only": "Figure",
    "Two Content": "Figure and text",
    "Section Header": "Closing",
}
"""Names of python-pptx's own layouts -> what the house calls them."""
BOXES = {
    "Opening": ((0.9, 2.3, 11.5, 1.3), (0.9, 3.7, 11.5, 1.2)),
    "Content": ((0.6, 0.45, 12.1, 0.9), (0.6, 1.7, 12.1, 5.1)),
    "Figure": ((0.6, 0.45, 12.1, 0.9),),
    "Figure and text": ((0.6, 0.45, 12.1, 0.9), (8.6, 1.7, 4.1, 5.1)),
    "Closing": ((0.9, 2.6, 11.5, 1.1), (0.9, 3.8, 11.5, 1.6)),
}
"""Title and body of each layout in inches: left, top, width, height. Left of the text, Figure and text has room."""
COLORS = {"1F497D": "1F3B57", "4F81BD": "2F6690", "C0504D": "D1603D", "9BBB59": "7A9E7E", "8064A2": "8A6FA8",
          "4BACC6": "3A9FBF", "F79646": "E0A458"}  # fmt: skip
"""The theme's colours and what the house has instead."""
DARK = ("Opening", "Closing")


def house() -> Any:
    """The template without slides: 13.33 x 7.5 inches, five layouts."""
    deck = Presentation()
    deck.slide_width, deck.slide_height = Inches(13.333), Inches(7.5)
    master = deck.slide_master
    theme = master.part.part_related_by(RELATIONSHIP_TYPE.THEME)
    for old, new in COLORS.items():
        theme._blob = theme._blob.replace(f'srgbClr val="{old}"'.encode(), f'srgbClr val="{new}"'.encode())
    for layout in list(deck.slide_layouts):
        if layout.name in LAYOUTS:
            _dress(layout, LAYOUTS[layout.name])
        else:
            deck.slide_layouts.remove(layout)
    _place(master, BOXES["Content"])
    master.shapes._spTree.append(etree.fromstring(LINE))
    _styles(master)
    return deck


def _dress(layout: Any, name: str) -> None:
    """Names a layout, puts its placeholders into their places and takes out those that the house does not use."""
    layout._element.cSld.set("name", name)
    _place(layout, BOXES[name])
    if name in DARK:
        layout._element.set("showMasterSp", "0")
        layout.background.fill.solid()
        layout.background.fill.fore_color.theme_color = MSO_THEME_COLOR.TEXT_2
        for shape, size in zip(layout.placeholders, (40, 20), strict=True):
            _letters(shape, size)
    elif name == "Figure and text":
        layout.placeholders[1]._element.txBody.find(qn("a:lstStyle")).clear()


def _place(level: Any, boxes: Sequence[tuple[float, ...]]) -> None:
    kept = 0
    for shape in list(level.placeholders):
        kind = shape._element.ph.get("type", "obj")
        if kept < len(boxes) and kind not in ("dt", "ftr", "sldNum"):
            shape.left, shape.top, shape.width, shape.height = (Inches(each) for each in boxes[kept])
            kept += 1
        else:
            shape._element.getparent().remove(shape._element)


def _letters(shape: Any, size: int) -> None:
    """White letters to the left for a placeholder of a dark layout."""
    body = shape._element.txBody
    body.find(qn("a:bodyPr")).set("anchor", "b" if size > 30 else "t")
    style = body.find(qn("a:lstStyle"))
    style.clear()
    etree.SubElement(style, qn("a:lvl1pPr"), marL="0", indent="0", algn="l")
    first = style[0]
    etree.SubElement(first, qn("a:buNone"))
    letters = etree.SubElement(first, qn("a:defRPr"), sz=str(size * 100), b="1" if size > 30 else "0", cap="none")
    color = etree.SubElement(etree.SubElement(letters, qn("a:solidFill")), qn("a:schemeClr"))
    color.set("val", "bg1")


LINE = """<p:sp xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><p:nvSpPr><p:cNvPr id="90" name="Line"/><p:cNvSpPr/>
<p:nvPr userDrawn="1"/></p:nvSpPr><p:spPr><a:xfrm><a:off x="640080" y="1261872"/><a:ext cx="10972800" cy="27432"/>
</a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:solidFill><a:schemeClr val="accent1"/></a:solidFill>
</p:spPr></p:sp>"""
"""The thin line below titles, drawn by the master."""


def _styles(master: Any) -> None:
    """Titles to the left in bold, smaller texts."""
    titles, bodies = master._element.find(qn("p:txStyles"))[:2]
    first = titles[0]
    first.set("algn", "l")
    letters = first.find(qn("a:defRPr"))
    letters.set("sz", "3000")
    letters.set("b", "1")
    letters.find(qn("a:solidFill"))[0].set("val", "tx2")
    for level, size in zip(bodies, (2400, 2000, 1800, 1600, 1600), strict=False):
        level.find(qn("a:defRPr")).set("sz", str(size))


def add(deck: Any, layout: str, title: str, lines: Sequence[str] = (), *, notes: str = "") -> Any:
    """A slide at the end, with its title, the paragraphs of its body and its notes."""
    slide = deck.slides.add_slide(next(item for item in deck.slide_layouts if item.name == layout))
    slide.shapes.title.text = title
    if lines:
        slide.placeholders[1].text = "\n".join(lines)
    if notes:
        slide.notes_slide.notes_text_frame.text = notes
    return slide


def add_chart(
    slide: Any, names: Sequence[str], series: Sequence[tuple[str, Sequence[float | None]]], title: str
) -> Any:
    """A native column chart that fills the slide below its title."""
    data = CategoryChartData()
    data.categories = list(names)
    for name, values in series:
        data.add_series(name, values)
    place = (Inches(each) for each in (0.6, 1.6, 12.1, 5.4))
    chart = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = title
    chart.has_legend = True
    chart.legend.position = XL_LEGEND_POSITION.BOTTOM
    chart.legend.include_in_layout = False
    chart.font.size = Pt(14)
    return chart


def add_table(slide: Any, rows: Sequence[Sequence[str]]) -> Any:
    """A native table below the title; all columns but the first to the right."""
    place = (Inches(each) for each in (0.6, 1.7, 12.1, 0.5 * len(rows)))
    table = slide.shapes.add_table(len(rows), len(rows[0]), *place).table
    for y, row in enumerate(rows):
        for x, text in enumerate(row):
            paragraph = table.cell(y, x).text_frame.paragraphs[0]
            paragraph.text = text
            paragraph.font.size = Pt(18)
            paragraph.alignment = PP_ALIGN.RIGHT if x else PP_ALIGN.LEFT
    return table
