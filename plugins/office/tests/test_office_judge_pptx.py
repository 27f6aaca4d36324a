"""The judges of slides."""

from __future__ import annotations

import pytest
from office_fakes import FakeBench

from officekit import language_pages as ask
from officekit.judge_pptx import pptx_chart, pptx_notes, pptx_overflow, pptx_slides, pptx_table, pptx_text
from officekit.language_base import Column
from officekit.model import Chart, Deck, Grid, Paragraph, Run, Series, Shape, Slide, Style

COMMON = {"id": "x", "why": "because", "file": "a.pptx"}


def said(*lines: str, size: float = 18, **more: object) -> Shape:
    items = [Paragraph(line, runs=[Run(line, Style(size=size))]) for line in lines]
    usual = {"name": "Box", "role": "text", "left": 50, "top": 50, "width": 200, "height": 50, "needs": 20}
    return Shape(**{**usual, "paragraphs": items, **more})  # type: ignore[arg-type]


def slide(title: str, *shapes: Shape, **more: object) -> Slide:
    return Slide(title, shapes=[said(title, role="title", top=0, height=40), *shapes], **more)  # type: ignore[arg-type]


def bench(*slides: Slide) -> FakeBench:
    return FakeBench({"a.pptx": Deck(720, 540, list(slides))})


def slides(**more: object) -> ask.Slides:
    return ask.Slides(**{**COMMON, "titles": ["Sales", "Outlook"], **more})  # type: ignore[arg-type]


def test_titles_in_order_are_full() -> None:
    assert pptx_slides(slides(), bench(slide("Sales"), slide("Outlook"))).value == 1


def test_a_hidden_slide_does_not_count() -> None:
    score = pptx_slides(slides(), bench(slide("Sales"), slide("Outlook", hidden=True)))
    assert score.value == pytest.approx(2 / 3)
    assert "first 'outlook'" in score.reason


def test_a_slide_too_many_costs_only_where_none_may_be() -> None:
    more = bench(slide("Sales"), slide("Filler"), slide("Outlook"))
    assert pptx_slides(slides(), more).value == pytest.approx(4 / 5)
    assert pptx_slides(slides(only=False), more).value == 1


def test_layouts_are_half_of_the_score() -> None:
    made = bench(slide("Sales", layout="Title Only"), slide("Outlook", layout="Blank"))
    score = pptx_slides(slides(layouts=["title only", "Title Only"]), made)
    assert (score.value, score.reason) == (0.75, "the slide 'Outlook' has the layout 'Blank', not 'Title Only'")


def words(**more: object) -> ask.SlideText:
    return ask.SlideText(**{**COMMON, "slide": "Sales", **more})  # type: ignore[arg-type]


BULLETS = bench(slide("Sales", said("North grew", "South fell", role="body")), slide("Outlook", said("flat")))


def test_words_are_found_on_their_slide_only() -> None:
    assert pptx_text(words(contains=["north grew"]), BULLETS).value == 1
    score = pptx_text(words(contains=["flat"]), BULLETS)
    assert (score.value, score.reason) == (0, "'flat' does not stand on the slide 'Sales'")


def test_bullets_are_the_paragraphs_of_the_body() -> None:
    assert pptx_text(words(bullets=["North grew", "South fell"]), BULLETS).value == 1
    assert pptx_text(words(bullets=["South fell", "North grew"]), BULLETS).value == 0.5


def test_what_must_not_stand_there_makes_it_zero() -> None:
    assert pptx_text(words(contains=["north grew"], absent=["south"]), BULLETS).value == 0


def test_a_slide_that_is_not_there_or_hidden_is_a_reason() -> None:
    made = bench(slide("Sales", hidden=True))
    assert pptx_text(words(contains=["x"]), made).reason == "the slide 'Sales' is hidden"
    assert pptx_text(words(contains=["x"], slide="Risks"), made).reason == "no slide has the title 'Risks'"


def chart(*values: list[float | None], kind: str = "column", title: str = "") -> Shape:
    series = [Series(f"s{n}", values=list(one), categories=["a", "b"]) for n, one in enumerate(values)]
    return Shape("Chart", "chart", chart=Chart(kind, title, series))


def chart_check(**more: object) -> ask.SlideChart:
    return ask.SlideChart(**{**COMMON, "slide": "Sales", "series": [[1, 2]], **more})  # type: ignore[arg-type]


def test_a_chart_is_judged_by_values_type_categories_and_title() -> None:
    made = bench(slide("Sales", chart([1.0, 2.0], title="Sales 2024")))
    assert pptx_chart(chart_check(type="column", categories=["A", "b"], title="2024"), made).value == 1
    score = pptx_chart(chart_check(type="line", categories=["x", "b"]), made)
    assert score.value == pytest.approx(1 / 3)
    assert "is a column chart, not a line chart" in score.reason


def test_other_values_have_nothing_and_series_too_many_cost() -> None:
    assert pptx_chart(chart_check(), bench(slide("Sales", chart([1.0, 3.0])))).value == 0
    assert pptx_chart(chart_check(), bench(slide("Sales", chart([1.0, 2.0], [9.0, 9.0])))).value == pytest.approx(2 / 3)


def test_names_of_series_count_where_they_are_asked_for() -> None:
    made = bench(slide("Sales", chart([1.0, 2.0], [3.0, 4.0])))
    both = {"series": [[3, 4], [1, 2]]}
    assert pptx_chart(chart_check(**both, names=["S1", "s0"]), made).value == 1
    score = pptx_chart(chart_check(**both, names=["North", "s0"]), made)
    assert (score.value, "calls the series (3, 4) 's1', not 'North'" in score.reason) == (0.5, True)


def test_a_gap_is_no_zero() -> None:
    made = bench(slide("Sales", chart([1.0, None])))
    assert pptx_chart(chart_check(series=[[1, None]]), made).value == 1
    assert pptx_chart(chart_check(series=[[1, 0]]), made).value == 0


def test_a_picture_is_no_chart() -> None:
    score = pptx_chart(chart_check(), bench(slide("Sales", Shape("P", "picture"))))
    assert "has no native chart that is seen: 1 pictures are none" in score.reason


def test_a_table_on_the_slide_is_read_as_values() -> None:
    grid = Grid([["Region", "Sales"], ["North", "1,200"]])
    check = ask.SlideTable(
        **COMMON, slide="Sales", key=["Region"], rows=[["North", 1200]],
        columns=[Column(header="Region"), Column(header="Sales", type="number")],
    )  # fmt: skip
    assert pptx_table(check, bench(slide("Sales", Shape("T", "table", table=grid)))).value == 1
    assert pptx_table(check, bench(slide("Sales"))).value == 0


def test_the_order_of_a_tables_rows_counts_only_where_it_is_asked_for() -> None:
    grid = Grid([["Region", "Sales"], ["South", "5"], ["North", "7"]])
    made = bench(slide("Sales", Shape("T", "table", table=grid)))
    for order, value in (("any", 1.0), ("exact", 0.5)):
        check = ask.SlideTable(
            **COMMON, slide="Sales", key=["Region"], rows=[["North", 7], ["South", 5]], order=order,
            columns=[Column(header="Region"), Column(header="Sales", type="number")],
        )  # fmt: skip
        assert pptx_table(check, made).value == value


def test_notes_are_asked_for_words() -> None:
    check = ask.Notes(**COMMON, slide="Sales", contains=["say hello", "thanks"])
    assert pptx_notes(check, bench(slide("Sales", notes="Say hello to all."))).value == 0.5
    assert pptx_notes(check, bench(slide("Sales"))).reason == "nothing stands in the notes of the slide 'Sales'"


def test_a_stale_word_in_the_notes_makes_them_nothing() -> None:
    check = ask.Notes(**COMMON, slide="Sales", contains=["5 October"], absent=["5 July"])
    assert pptx_notes(check, bench(slide("Sales", notes="As of 5 October."))).value == 1
    assert pptx_notes(check, bench(slide("Sales", notes="As of 5 October, not 5 July."))).value == 0


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        (said("x", left=600), "'Box' stands 80 points over the edge"),
        (said("x", needs=90), "the text of 'Box' needs 90 points of height and has 50"),
        (said("x", size=6), "'x' in 'Box' has 6 points, less than 10"),
        (Shape("Pic", "picture", left=-30, top=60, width=90, height=90), "'Pic' stands 30 points over the edge"),
    ],
    ids=["over the edge", "too high", "too small", "a picture over the edge"],
)
def test_what_does_not_fit_costs_its_slide(shape: Shape, reason: str) -> None:
    score = pptx_overflow(ask.Overflow(**COMMON), bench(slide("Sales", shape), slide("Outlook", said("fits"))))
    assert (score.value, score.reason) == (0.5, f"slide 1 ('Sales'): {reason}")


def test_two_texts_on_each_other_do_not_fit_but_empty_parts_of_boxes_may_overlap() -> None:
    one = said("one", name="A", ink=(50, 50, 150, 70))
    beside = said("two", name="B", ink=(50, 80, 150, 100))
    over = said("two", name="B", ink=(60, 60, 160, 80))
    check = ask.Overflow(**COMMON)
    assert pptx_overflow(check, bench(slide("S", one, beside))).value == 1
    assert "'A' and 'B' overlap" in pptx_overflow(check, bench(slide("S", one, over))).reason


def test_hidden_text_does_not_fit() -> None:
    shape = said("x")
    shape.paragraphs[0].runs[0].style.hidden = True
    assert "cannot be seen" in pptx_overflow(ask.Overflow(**COMMON), bench(slide("S", shape))).reason
