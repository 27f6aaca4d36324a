"""The judges of text documents: what is right has 1, what is lost is named, and tricks count nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from office_fakes import FakeBench
from pages_files import paragraph, run, word

from officekit import language_pages as ask
from officekit.judge_docx import docx_field, docx_outline, docx_table, docx_text, page_setup
from officekit.language_base import Column
from officekit.model import Block, Field, Grid, Paragraph, Section, TextDocument, Workbook
from officekit.read_docx import read

COMMON = {"id": "x", "why": "because", "file": "a.docx"}


def line(text: str, level: int = 0, **more: object) -> Block:
    return Block(paragraph=Paragraph(text=text, original=text, level=level, **more))  # type: ignore[arg-type]


def grid(*rows: list[str]) -> Block:
    cells = [Paragraph(text=cell, original=cell) for row in rows for cell in row]
    return Block(table=Grid(rows=list(rows), paragraphs=cells))


def bench(*blocks: Block, **more: object) -> FakeBench:
    return FakeBench({"a.docx": TextDocument(blocks=list(blocks), **more)})  # type: ignore[arg-type]


REPORT = bench(
    line("Report", 1), line("Sales grew by 12.5 % to 1,200 units."), line("North", 2), line("Strong quarter."),
    grid(["Region", "Sales"], ["North", "$1,200.00"], ["South", "800"]), line("Outlook", 1), line("Flat."),
)  # fmt: skip
HEADINGS = [{"level": 1, "text": "Report"}, {"level": 2, "text": "North"}, {"level": 1, "text": "Outlook"}]


def outline(**more: object) -> ask.Outline:
    return ask.Outline(**{**COMMON, "headings": HEADINGS, **more})  # type: ignore[arg-type]


def text(**more: object) -> ask.DocText:
    return ask.DocText(**{**COMMON, **more})  # type: ignore[arg-type]


def test_the_wanted_outline_is_full() -> None:
    assert docx_outline(outline(), REPORT).value == 1


def test_a_bold_line_is_no_heading_and_the_reason_says_so() -> None:
    score = docx_outline(outline(), bench(line("Report", 1), line("North", style="Normal"), line("Outlook", 1)))
    assert score.value == pytest.approx(4 / 5)
    assert "'north' stands as body text" in score.reason


def test_headings_in_another_order_lose() -> None:
    score = docx_outline(outline(), bench(line("Outlook", 1), line("Report", 1), line("North", 2)))
    assert score.value == pytest.approx(2 / 3)


@pytest.mark.parametrize(("only", "value"), [(True, 6 / 7), (False, 1.0)])
def test_further_headings_lose_only_where_none_may_stand(only: bool, value: float) -> None:
    more = bench(line("Report", 1), line("North", 2), line("Filler", 2), line("Outlook", 1))
    assert docx_outline(outline(only=only), more).value == pytest.approx(value)


def test_words_are_found_under_their_heading_only() -> None:
    assert docx_text(text(under="North", contains=["strong quarter"]), REPORT).value == 1
    score = docx_text(text(under="Outlook", contains=["strong quarter", "flat"]), REPORT)
    assert (score.value, score.reason) == (0.5, "'strong quarter' does not stand under the heading 'Outlook'")


@pytest.mark.parametrize("part", ["200", "1,20", "2.5", "sale"])
def test_a_part_of_a_number_or_word_is_not_found(part: str) -> None:
    assert docx_text(text(contains=[part]), bench(line("Sales grew by 12.5 % to 1,200 units."))).value == 0


def test_a_text_that_stands_twice_is_no_answer_unless_it_may() -> None:
    twice = bench(line("Total 12"), line("Total 12"))
    assert docx_text(text(contains=["Total 12"]), twice).value == 0
    assert docx_text(text(contains=["Total 12"], once=False), twice).value == 1


def test_a_table_of_contents_does_not_count_as_text() -> None:
    made = bench(line("Budget 3", generated=True), line("Budget", 1))
    assert docx_text(text(contains=["Budget"]), made).value == 1


def test_a_placeholder_left_in_a_footer_is_found() -> None:
    page = Section(595, 842, footers={"default": "Dear {{name}}"})
    score = docx_text(text(contains=["Hi"], absent=["{{name}}"]), bench(line("Hi"), sections=[page]))
    assert (score.value, score.reason) == (0, "'{{name}}' must not stand in the document")


def test_a_heading_that_is_not_there_is_a_reason() -> None:
    score = docx_text(text(under="Risks", contains=["x"]), REPORT)
    assert (score.value, score.reason) == (0, "there is no heading 'Risks'")


def test_exact_paragraphs_are_compared_in_order() -> None:
    made = bench(line("One."), line(""), line("Two  words."), line("Three."))
    assert docx_text(text(paragraphs=["One.", "Two words.", "Three."]), made).value == 1
    score = docx_text(text(paragraphs=["One.", "Three."]), made)
    assert score.value == pytest.approx(4 / 5)
    assert "first 'Two words.'" in score.reason


def test_too_many_words_cost_their_share() -> None:
    assert docx_text(text(contains=["a"], max_words=2), bench(line("a b c d"))).value == 0.5


def table(**more: object) -> ask.DocTable:
    columns = [Column(header="Region", type="text"), Column(header="Sales", type="number")]
    rows = [["North", 1200], ["South", 800]]
    return ask.DocTable(**{**COMMON, "columns": columns, "key": ["Region"], "rows": rows, **more})  # type: ignore[arg-type]


def test_a_table_is_found_by_its_headers_and_read_as_values() -> None:
    assert docx_table(table(), REPORT).value == 1
    assert docx_table(table(under="North"), REPORT).value == 1


def test_a_table_elsewhere_is_not_under_the_heading() -> None:
    score = docx_table(table(under="Outlook"), REPORT)
    assert (score.value, score.reason) == (0, "there is no table under the heading 'Outlook'")


def test_a_second_table_with_other_answers_does_not_help() -> None:
    wrong = grid(["Region", "Sales"], ["North", "1"], ["South", "2"])
    right = grid(["Region", "Sales"], ["North", "1200"], ["South", "800"])
    assert docx_table(table(), bench(wrong, right)).value == 0


def test_typed_tabs_are_no_table() -> None:
    assert docx_table(table(), bench(line("Region\tSales"), line("North\t1200"))).value == 0


def field(code: str, **more: object) -> ask.DocField:
    return ask.DocField(**{**COMMON, "code": code, **more})  # type: ignore[arg-type]


def test_a_field_is_asked_for_by_code_place_and_switches() -> None:
    made = bench(fields=[Field('TOC \\o "1-2" \\h', "..."), Field("PAGE", "1", "footer")])
    assert docx_field(field("TOC", switches=["1-2"]), made).value == 1
    assert docx_field(field("PAGE", where="footer"), made).value == 1
    assert docx_field(field("PAGE", where="header"), made).value == 0
    assert "without ['1-3']" in docx_field(field("TOC", switches=["1-3"]), made).reason


@pytest.mark.parametrize(
    ("code", "right"),
    [
        ('TOC \\o "1-2" \\h', True),
        ("TOC \\h \\o 1-2", True),
        ('TOC \\o "1-20"', False),
        ('TOC \\c "1-2"', False),
        ("TOC 1-2", False),
    ],
)
def test_switches_are_whole_words_in_their_order(code: str, right: bool) -> None:
    made = bench(fields=[Field(code, "...")])
    assert docx_field(field("TOC", switches=["\\o 1-2"]), made).value == right


def test_a_field_stands_under_the_heading_where_it_begins(tmp_path: Path) -> None:
    toc = run("").replace("<w:t ", '<w:fldChar w:fldCharType="begin"/><w:instrText>TOC</w:instrText><w:t ')
    end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    body = [paragraph("Report"), paragraph(toc), paragraph(end, "Costs", style="H1"), paragraph("x")]
    (found,) = read(word(tmp_path, *body)).fields
    late = read(word(tmp_path, paragraph("Costs", style="H1"), paragraph(toc, end), name="late.docx")).fields
    assert (found.under, late[0].under) == ("", "Costs")
    check = field("TOC", under="")
    assert docx_field(check, bench(fields=[found])).value == 1
    assert docx_field(check, bench(fields=late)).reason.startswith("0 of 1 TOC fields in the document before the first")
    assert docx_field(field("TOC", under="costs"), bench(fields=late)).value == 1


def test_typed_contents_are_no_field() -> None:
    score = docx_field(field("TOC"), bench(line("Contents"), line("Intro ..... 1")))
    assert (score.value, score.reason) == (0, "0 of 1 TOC fields in the document; fields of the document: none")


def test_too_few_fields_have_their_share() -> None:
    made = bench(fields=[Field("SEQ Figure", "1"), Field("PAGE", "1")])
    assert docx_field(field("SEQ", count=2), made).value == 0.5


def test_page_properties_are_counted_one_by_one() -> None:
    page = Section(841.9, 595.3, {"top": 56.7, "left": 72}, "landscape", headers={"default": "Draft 2024"})
    check = ask.PageSetup(
        **COMMON, paper="A4", orientation="landscape", margins_mm={"top": 20, "left": 20}, header="draft 2024"
    )
    score = page_setup(check, bench(sections=[page]))
    assert score.value == pytest.approx(4 / 5)
    assert score.reason == "the page has a left margin of 25.4 mm, not 20"


def test_another_kind_of_file_has_nothing() -> None:
    score = docx_outline(outline(), FakeBench({"a.docx": Workbook()}))
    assert (score.value, score.reason) == (0, "a.docx is a xlsx file, not a Word document")


def test_a_refused_file_has_nothing_and_says_why() -> None:
    score = docx_outline(outline(), FakeBench({}))
    assert (score.value, score.reason) == (0, "a.docx: a.docx is not there")
