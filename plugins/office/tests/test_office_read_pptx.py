"""The reader of pptx: order, inheritance, boxes, native objects, what nobody sees, and how much room text takes."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pptx
import pytest
from lxml import etree
from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.enum.shapes import MSO_SHAPE
from pptx.enum.text import MSO_AUTO_SIZE
from pptx.util import Emu, Pt

from officekit.model import Deck, Shape, Slide
from officekit.read_pptx import read

WHITE = RGBColor(255, 255, 255)


class Draft:
    """A presentation in the making, with one slide of a layout."""

    def __init__(self, layout: int = 6) -> None:
        self.deck = pptx.Presentation()
        self.slide = self.deck.slides.add_slide(self.deck.slide_layouts[layout])

    def text(self, text: str, left: float = 100, top: float = 100, wide: float = 200, high: float = 50) -> Any:
        box = self.slide.shapes.add_textbox(Pt(left), Pt(top), Pt(wide), Pt(high))
        box.text_frame.word_wrap = True
        box.text_frame.text = text
        return box

    def block(self, left: float, top: float, wide: float, high: float, color: RGBColor) -> Any:
        shape = self.slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, Pt(left), Pt(top), Pt(wide), Pt(high))
        shape.fill.solid()
        shape.fill.fore_color.rgb = color
        return shape

    def read(self, folder: Path) -> Deck:
        self.deck.save(folder / "made.pptx")
        return read(folder / "made.pptx")

    def first(self, folder: Path) -> Slide:
        return self.read(folder).slides[0]


def texts(slide: Slide) -> list[str]:
    return [shape.text for shape in slide.shapes if shape.text]


def named(slide: Slide, role: str) -> Shape:
    return next(shape for shape in slide.shapes if shape.role == role)


def test_placeholders_have_their_role_box_and_looks_from_layout_and_master(tmp_path: Path) -> None:
    draft = Draft(1)
    draft.slide.shapes.title.text = "Sales"
    draft.slide.placeholders[1].text = "one\ntwo"
    slide = draft.first(tmp_path)
    title, body = named(slide, "title"), named(slide, "body")
    assert (slide.title, slide.layout) == ("Sales", "Title and Content")
    assert (title.left, round(title.top, 1), title.width, title.height) == (36.0, 21.6, 648.0, 90.0)
    assert title.paragraphs[0].runs[0].style.size == 44.0
    assert title.paragraphs[0].align == "center"
    assert [(item.text, item.number, item.runs[0].style.size) for item in body.paragraphs] == [
        ("one", 1, 32.0),
        ("two", 1, 32.0),
    ]


def test_slides_come_in_the_order_of_the_presentation_and_hidden_ones_are_marked(tmp_path: Path) -> None:
    draft = Draft(5)
    draft.slide.shapes.title.text = "second"
    other = draft.deck.slides.add_slide(draft.deck.slide_layouts[5])
    other.shapes.title.text = "first"
    other._element.set("show", "0")
    ids = draft.deck.slides._sldIdLst
    ids.insert(0, ids[1])
    assert [(slide.title, slide.hidden) for slide in draft.read(tmp_path).slides] == [
        ("first", True),
        ("second", False),
    ]


def test_own_looks_come_before_inherited_ones(tmp_path: Path) -> None:
    draft = Draft()
    run = draft.text("x").text_frame.paragraphs[0].runs[0]
    run.font.size, run.font.bold, run.font.name = Pt(31), True, "Lato"
    run.font.color.theme_color = MSO_THEME_COLOR.ACCENT_2
    style = draft.first(tmp_path).shapes[0].paragraphs[0].runs[0].style
    assert (style.size, style.bold, style.font, style.color) == (31.0, True, "Lato", "c0504d")


def test_shapes_in_a_group_have_boxes_of_the_slide(tmp_path: Path) -> None:
    draft = Draft()
    group = draft.slide.shapes.add_group_shape()
    box = group.shapes.add_textbox(Pt(10), Pt(20), Pt(100), Pt(50))
    box.text_frame.text = "in"
    group.left, group.top, group.width, group.height = Pt(200), Pt(300), Pt(200), Pt(100)
    (shape,) = draft.first(tmp_path).shapes
    assert (shape.left, shape.top, shape.width, shape.height) == (200.0, 300.0, 200.0, 100.0)


def test_shapes_are_read_top_to_bottom_and_left_to_right(tmp_path: Path) -> None:
    draft = Draft()
    for text, left, top in (("d", 100, 300), ("c", 400, 105), ("b", 100, 100), ("a", 300, 10)):
        draft.text(text, left, top)
    assert texts(draft.first(tmp_path)) == ["a", "b", "c", "d"]


def test_a_native_chart_has_its_values_and_a_picture_is_none(tmp_path: Path) -> None:
    draft = Draft()
    data = CategoryChartData()
    data.categories = ["Q1", "Q2"]
    data.add_series("North", (1.5, None))
    data.add_series("South", (3, 4))
    draft.slide.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, Pt(10), Pt(10), Pt(300), Pt(200), data)
    chart = named(draft.first(tmp_path), "chart").chart
    assert chart
    assert (chart.kind, [series.name for series in chart.series]) == ("bar", ["North", "South"])
    assert [series.values for series in chart.series] == [[1.5, None], [3.0, 4.0]]
    assert chart.series[0].categories == ["Q1", "Q2"]


def test_a_chart_that_is_a_speck_is_none(tmp_path: Path) -> None:
    draft = Draft()
    data = CategoryChartData()
    data.categories = ["Q1"]
    data.add_series("North", (1.5,))
    for width, height in ((300, 20), (1, 200), (300, 200)):
        draft.slide.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, Pt(10), Pt(10), Pt(width), Pt(height), data)
    found = [shape for shape in draft.first(tmp_path).shapes if shape.chart]
    assert [(shape.width, shape.height) for shape in found] == [(300, 200)]


def test_tables_repeat_merged_cells_and_know_their_height(tmp_path: Path) -> None:
    draft = Draft()
    table = draft.slide.shapes.add_table(2, 2, Pt(50), Pt(50), Pt(200), Pt(40)).table
    table.cell(0, 0).merge(table.cell(0, 1))
    table.cell(0, 0).text, table.cell(1, 0).text = "Wide", "word " * 30
    shape = named(draft.first(tmp_path), "table")
    assert shape.table
    assert shape.table.rows == [["Wide", "Wide"], [("word " * 30), ""]]
    assert shape.needs > 150


def test_notes_are_read(tmp_path: Path) -> None:
    draft = Draft()
    draft.slide.notes_slide.notes_text_frame.text = "Say hello\nthen stop"
    assert draft.first(tmp_path).notes == "Say hello\nthen stop"


def hide_by_color(draft: Draft) -> None:
    draft.text("ghost").text_frame.paragraphs[0].runs[0].font.color.rgb = WHITE


def hide_by_size(draft: Draft) -> None:
    draft.text("ghost").text_frame.paragraphs[0].runs[0].font.size = Pt(1)


def hide_off_the_slide(draft: Draft) -> None:
    draft.text("ghost", left=-500)


def hide_behind(draft: Draft) -> None:
    draft.text("ghost")
    draft.block(90, 90, 300, 100, RGBColor(200, 0, 0))


def hide_by_mark(draft: Draft) -> None:
    draft.text("ghost")._element.nvSpPr.cNvPr.set("hidden", "1")


def hide_on_a_block_of_its_colour(draft: Draft) -> None:
    draft.block(90, 90, 300, 100, RGBColor(10, 20, 90))
    draft.text("ghost").text_frame.paragraphs[0].runs[0].font.color.rgb = RGBColor(12, 20, 92)


@pytest.mark.parametrize(
    "hide",
    [hide_by_color, hide_by_size, hide_off_the_slide, hide_behind, hide_by_mark, hide_on_a_block_of_its_colour],
)
def test_text_that_nobody_sees_is_no_text(tmp_path: Path, hide: Any) -> None:
    draft = Draft()
    hide(draft)
    assert texts(draft.first(tmp_path)) == []


def test_white_text_is_seen_on_a_dark_shape_a_dark_slide_and_a_dark_header(tmp_path: Path) -> None:
    draft = Draft()
    draft.block(90, 90, 300, 100, RGBColor(20, 30, 90))
    draft.text("on a block").text_frame.paragraphs[0].runs[0].font.color.rgb = WHITE
    table = draft.slide.shapes.add_table(1, 1, Pt(50), Pt(300), Pt(200), Pt(40)).table
    table.cell(0, 0).text = "header"
    table.cell(0, 0).text_frame.paragraphs[0].runs[0].font.color.rgb = WHITE
    slide = draft.first(tmp_path)
    assert texts(slide) == ["on a block"]
    assert named(slide, "table").table.rows == [["header"]]  # type: ignore[union-attr]
    dark = Draft()
    dark.slide.background.fill.solid()
    dark.slide.background.fill.fore_color.rgb = RGBColor(0, 0, 0)
    dark.text("on the slide").text_frame.paragraphs[0].runs[0].font.color.rgb = WHITE
    assert texts(dark.first(tmp_path)) == ["on the slide"]


def test_text_of_a_shape_takes_the_colour_of_its_style(tmp_path: Path) -> None:
    draft = Draft()
    shape = draft.slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, Pt(10), Pt(10), Pt(200), Pt(80))
    shape.text_frame.text = "light"
    found = draft.first(tmp_path).shapes[0]
    assert (found.fill, found.paragraphs[0].runs[0].style.color) == ("4f81bd", "ffffff")


LONG = "A sentence of some words that goes on for a while. " * 6


def test_long_text_needs_more_than_a_small_box_has(tmp_path: Path) -> None:
    draft = Draft()
    draft.text(LONG, wide=200, high=60)
    shape = draft.first(tmp_path).shapes[0]
    assert 220 < shape.needs < 330  # about 12 lines of 18 points


def test_a_shape_that_grows_with_its_text_is_as_high_as_it(tmp_path: Path) -> None:
    draft = Draft()
    draft.text(LONG, wide=200, high=60).text_frame.auto_size = MSO_AUTO_SIZE.SHAPE_TO_FIT_TEXT
    shape = draft.first(tmp_path).shapes[0]
    assert shape.height == pytest.approx(shape.needs, abs=0.01)


def test_text_that_shrinks_to_fit_has_its_shrunken_size(tmp_path: Path) -> None:
    draft = Draft()
    draft.text(LONG, wide=200, high=90).text_frame.auto_size = MSO_AUTO_SIZE.TEXT_TO_FIT_SHAPE
    shape = draft.first(tmp_path).shapes[0]
    assert shape.needs <= 90
    assert shape.paragraphs[0].runs[0].style.size < 12


def test_a_stated_scale_is_taken(tmp_path: Path) -> None:
    draft = Draft()
    frame = draft.text("x").text_frame
    frame.auto_size = MSO_AUTO_SIZE.TEXT_TO_FIT_SHAPE
    frame._bodyPr[0].set("fontScale", "50000")
    assert draft.first(tmp_path).shapes[0].paragraphs[0].runs[0].style.size == 9.0


def test_text_that_does_not_wrap_is_as_wide_as_it_is(tmp_path: Path) -> None:
    draft = Draft()
    draft.text(LONG, wide=200).text_frame.word_wrap = False
    ink = draft.first(tmp_path).shapes[0].ink
    assert ink
    assert ink[2] - ink[0] > 1500


def test_a_turned_shape_has_the_box_that_is_seen(tmp_path: Path) -> None:
    draft = Draft()
    draft.text("x", 100, 100, 200, 50).rotation = 90
    shape = draft.first(tmp_path).shapes[0]
    assert (shape.left, shape.top, shape.width, shape.height) == (175.0, 25.0, 50.0, 200.0)


def test_alternate_content_is_read_once(tmp_path: Path) -> None:
    draft = Draft()
    own = draft.text("once")._element
    space = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    alternate = etree.SubElement(own.getparent(), f"{{{space}}}AlternateContent")
    for name in ("Choice", "Fallback"):
        etree.SubElement(alternate, f"{{{space}}}{name}").append(copy.deepcopy(own))
    own.getparent().remove(own)
    assert texts(draft.first(tmp_path)) == ["once"]


def test_a_slide_that_the_package_lacks_is_an_error(tmp_path: Path) -> None:
    draft = Draft()
    draft.deck.slides._sldIdLst[0].set(
        "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id", "rId999"
    )
    with pytest.raises(ValueError, match="slide 1 is missing"):
        draft.read(tmp_path)


def test_sizes_of_the_slide_are_points(tmp_path: Path) -> None:
    draft = Draft()
    draft.deck.slide_width, draft.deck.slide_height = Emu(12_192_000), Emu(6_858_000)
    deck = draft.read(tmp_path)
    assert (deck.width, deck.height) == (960.0, 540.0)
