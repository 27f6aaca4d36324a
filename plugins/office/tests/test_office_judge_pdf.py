"""The judges of PDF documents."""

from __future__ import annotations

import pytest
from office_fakes import FakeBench

from officekit import language_pages as ask
from officekit.judge_pdf import pdf_form, pdf_pages, pdf_table, pdf_text
from officekit.language_base import Column
from officekit.model import FormField, Grid, Page, Pdf, Word

COMMON = {"id": "x", "why": "because", "file": "a.pdf"}


def page(*texts: str, **more: object) -> Page:
    """A page of lines; words that are two or more blanks apart stand in columns (10 points a letter)."""
    words = []
    for row, text in enumerate(texts):
        at = 0
        for word in text.split():
            at = text.index(word, at)
            words.append(Word(word, at * 6.0, row * 14.0, (at + len(word)) * 6.0, row * 14.0 + 12, size=10))
            at += len(word)
    lines = "\n".join(" ".join(text.split()) for text in texts)
    return Page(595.3, 841.9, text=lines, words=words, **more)  # type: ignore[arg-type]


def bench(*pages: Page, **more: object) -> FakeBench:
    return FakeBench({"a.pdf": Pdf(list(pages), **more)})  # type: ignore[arg-type]


def text(**more: object) -> ask.PdfText:
    return ask.PdfText(**{**COMMON, **more})  # type: ignore[arg-type]


LETTER = bench(page("Dear Ann,", "the total is 1,200.50 EUR."), page("Kind regards"))


def test_words_are_found_over_line_ends_and_on_their_page() -> None:
    assert pdf_text(text(contains=["dear ann, the total", "kind regards"]), LETTER).value == 1
    assert pdf_text(text(page=-1, contains=["kind regards"]), LETTER).value == 1
    score = pdf_text(text(page=1, contains=["kind regards", "ann"]), LETTER)
    assert (score.value, score.reason) == (0.5, "'kind regards' does not stand on page 1")


def test_a_part_of_a_number_is_not_found() -> None:
    assert pdf_text(text(contains=["200.50"]), LETTER).value == 0


def test_words_divided_at_a_lines_end_are_found() -> None:
    assert pdf_text(text(contains=["information"]), bench(page("some infor-", "mation here"))).value == 1


def test_order_is_asked_for_only_when_it_is() -> None:
    turned = ["the total", "dear ann"]
    assert pdf_text(text(contains=turned), LETTER).value == 1
    score = pdf_text(text(contains=turned, in_order=True), LETTER)
    assert (score.value, score.reason) == (0.5, "'dear ann' stands too early on the pages")


def test_what_must_not_stand_there_makes_it_zero() -> None:
    assert pdf_text(text(contains=["dear ann"], absent=["EUR"]), LETTER).value == 0


def test_a_page_that_is_not_there_is_a_reason() -> None:
    assert pdf_text(text(page=3, contains=["x"]), LETTER).reason == "there is no page 3: the document has 2"


def table(**more: object) -> ask.PdfTable:
    columns = [Column(header="Region name", type="text"), Column(header="Sales", type="number")]
    rows = [["North West", 1200], ["South", 800], ["East", 5]]
    return ask.PdfTable(**{**COMMON, "columns": columns, "key": ["Region name"], "rows": rows, **more})  # type: ignore[arg-type]


def test_a_drawn_table_goes_on_over_pages_with_and_without_its_header() -> None:
    head = ["Region name", "Sales"]
    pages = [
        page("x", tables=[Grid([head, ["North West", "1,200"]])]),
        page("x", tables=[Grid([head, ["South", "800"]])]),
        page("x", tables=[Grid([["East", "5"]])]),
    ]
    assert pdf_table(table(), bench(*pages)).value == 1


def test_a_table_without_lines_is_read_by_its_columns() -> None:
    made = page(
        "Sales report",
        "Region name        Sales",
        "North West         1,200",
        "South                800",
        "East                   5",
    )
    assert pdf_table(table(), bench(made)).value == 1


def test_a_cell_of_two_lines_is_one_cell() -> None:
    made = page("Town       Note", "Bonn       a long", "           note", "Köln       none")
    check = table(columns=[Column(header="Town"), Column(header="Note")], key=["Town"],
                  rows=[["Bonn", "a long"], ["Köln", "none"]])  # fmt: skip
    score = pdf_table(check, bench(made))
    assert score.value == pytest.approx(0.5)
    assert "'a long note'" in score.reason


def test_headers_that_stand_nowhere_are_a_reason() -> None:
    score = pdf_table(table(), LETTER)
    assert (score.value, score.reason) == (0, "no line of the pages has the headers Region name, Sales")


def form(**fields: str) -> ask.PdfForm:
    return ask.PdfForm(**{**COMMON, "fields": fields})  # type: ignore[arg-type]


FORM = bench(page("x"), fields=[FormField("name", "text", "Ann"), FormField("agree", "checkbox", "1")])


def test_fields_are_judged_by_name_and_value() -> None:
    assert pdf_form(form(name="Ann", agree="yes"), FORM).value == 1
    score = pdf_form(form(name="Bob", town="Bonn"), FORM)
    assert (score.value, score.reason) == (0, "the field 'name' holds 'Ann', not 'Bob'; there is no field 'town'")


def test_a_value_that_no_viewer_shows_is_none() -> None:
    score = pdf_form(form(name="Ann"), bench(page("x"), fields=[FormField("name", "text", "Ann", seen=False)]))
    assert (score.value, score.reason) == (0, "the field 'name' holds 'Ann', but shows something else")


def test_a_ticked_box_is_not_off() -> None:
    assert pdf_form(form(agree="Off"), FORM).value == 0
    assert pdf_form(form(agree="Off"), bench(page("x"), fields=[FormField("agree", "checkbox", "Off")])).value == 1


def test_a_flattened_form_has_nothing() -> None:
    assert pdf_form(form(name="Ann"), bench(page("Ann"))).reason == "a.pdf has no form fields"


def test_pages_are_judged_one_property_at_a_time() -> None:
    check = ask.PdfPages(**COMMON, count=2, most=3, paper="A4", orientation="landscape")  # type: ignore[arg-type]
    score = pdf_pages(check, bench(page("a"), page("b")))
    assert (score.value, score.reason) == (0.75, "page 1 is portrait, not landscape")


def test_one_page_may_be_judged_alone() -> None:
    wide = Page(841.9, 595.3, text="b")
    check = ask.PdfPages(**COMMON, page=2, paper="A4", orientation="landscape")  # type: ignore[arg-type]
    assert pdf_pages(check, bench(page("a"), wide)).value == 1
    score = pdf_pages(check, bench(wide, page("a")))
    assert (score.value, score.reason) == (0.5, "page 2 is portrait, not landscape")
