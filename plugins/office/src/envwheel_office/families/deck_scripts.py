"""How scripts put tables and charts on slides, as program texts: by python-pptx's objects, and as XML by hand.

Both define `table(slide, rows)` and `chart(slide, kind, title, names, series)`; kind is "column" or "line", series are
(name, values), a value None is a gap. The place is that of the layouts Figure, or left of the text. OBJECTS also has
`add(deck, layout, title, text)`, a new slide.
"""

from __future__ import annotations

OBJECTS = r"""
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE, XL_LEGEND_POSITION
from pptx.enum.text import PP_ALIGN
from pptx.util import Inches, Pt

def place(slide, high=5.2):
    wide = 7.7 if slide.slide_layout.name == "Figure and text" else 12.1
    return [Inches(each) for each in (0.6, 1.7, wide, high)]

def table(slide, rows):
    made = slide.shapes.add_table(len(rows), len(rows[0]), *place(slide, 0.5 * len(rows))).table
    for y, row in enumerate(rows):
        for x, text in enumerate(row):
            made.cell(y, x).text = str(text)
            paragraph = made.cell(y, x).text_frame.paragraphs[0]
            paragraph.font.size = Pt(18)
            paragraph.alignment = PP_ALIGN.RIGHT if x else PP_ALIGN.LEFT

def chart(slide, kind, title, names, series):
    data = CategoryChartData()
    data.categories = names
    for name, values in series:
        data.add_series(name, values)
    kinds = {"column": XL_CHART_TYPE.COLUMN_CLUSTERED, "line": XL_CHART_TYPE.LINE_MARKERS}
    made = slide.shapes.add_chart(kinds[kind], *place(slide), data).chart
    made.has_title = True
    made.chart_title.text_frame.text = title
    made.font.size = Pt(13)
    made.has_legend = len(series) > 1
    if made.has_legend:
        made.legend.position = XL_LEGEND_POSITION.BOTTOM
        made.legend.include_in_layout = False

def layout(deck, name):
    return next(item for item in deck.slide_layouts if item.name == name)

def add(deck, name, title, text=""):
    slide = deck.slides.add_slide(layout(deck, name))
    slide.shapes.title.text = title
    if text:
        slide.placeholders[1].text = text
    return slide
"""
MARKUP = r"""
from xml.sax.saxutils import escape
from lxml import etree
from pptx import Presentation
from pptx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from pptx.opc.packuri import PackURI
from pptx.parts.chart import ChartPart

NAMES = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)

def frame(slide, uri, inner, high=4700000):
    wide = 7000000 if slide.slide_layout.name == "Figure and text" else 11000000
    slide.shapes._spTree.append(etree.fromstring(
        f'<p:graphicFrame {NAMES}><p:nvGraphicFramePr><p:cNvPr id="{len(slide.shapes) + 40}" name="Figure"/>'
        f'<p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="560000" y="1600000"/>'
        f'<a:ext cx="{wide}" cy="{high}"/></p:xfrm><a:graphic><a:graphicData '
        f'uri="http://schemas.openxmlformats.org/drawingml/2006/{uri}">{inner}</a:graphicData></a:graphic>'
        '</p:graphicFrame>'))

def table(slide, rows):
    def cell(text):
        return (f'<a:tc><a:txBody><a:bodyPr/><a:p><a:r><a:rPr lang="en-US" sz="1400"/><a:t>{escape(str(text))}</a:t>'
                "</a:r></a:p></a:txBody><a:tcPr/></a:tc>")
    wide = 11000000 // len(rows[0])
    frame(slide, "table", '<a:tbl><a:tblPr firstRow="1"/><a:tblGrid>' + f'<a:gridCol w="{wide}"/>' * len(rows[0])
          + "</a:tblGrid>" + "".join('<a:tr h="370000">' + "".join(map(cell, row)) + "</a:tr>" for row in rows)
          + "</a:tbl>", 370000 * len(rows))

def chart(slide, kind, title, names, series):
    def points(values):
        return f'<c:ptCount val="{len(values)}"/>' + "".join(
            f'<c:pt idx="{at}"><c:v>{escape(str(value))}</c:v></c:pt>'
            for at, value in enumerate(values) if value is not None)
    bars = '<c:barDir val="col"/><c:grouping val="clustered"/>' if kind == "column" else '<c:grouping val="standard"/>'
    tag = "barChart" if kind == "column" else "lineChart"
    body = "".join(
        f'<c:ser><c:idx val="{at}"/><c:order val="{at}"/><c:tx><c:v>{escape(name)}</c:v></c:tx>'
        f"<c:cat><c:strLit>{points(names)}</c:strLit></c:cat><c:val><c:numLit>{points(values)}</c:numLit></c:val></c:ser>"
        for at, (name, values) in enumerate(series))
    axes = "".join(
        f'<c:{axis}><c:axId val="{own}"/><c:scaling/><c:delete val="0"/><c:axPos val="{side}"/>'
        f'<c:crossAx val="{other}"/></c:{axis}>'
        for axis, own, side, other in (("catAx", 1, "b", 2), ("valAx", 2, "l", 1)))
    text = (f'<c:chartSpace {NAMES}><c:chart><c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>{escape(title)}</a:t>'
            f"</a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:{tag}>{bars}{body}<c:axId val=\"1\"/>"
            f"<c:axId val=\"2\"/></c:{tag}>{axes}</c:plotArea><c:legend><c:legendPos val=\"r\"/></c:legend></c:chart>"
            "</c:chartSpace>")
    package = slide.part.package
    part = ChartPart.load(package.next_partname("/ppt/charts/figure%d.xml"), CONTENT_TYPE.DML_CHART, package,
                          text.encode())
    frame(slide, "chart", f'<c:chart r:id="{slide.part.relate_to(part, RELATIONSHIP_TYPE.CHART)}"/>')

def layout(deck, name):
    return {item.name: item for item in deck.slide_layouts}[name]
"""
