"""What was given is still there: workbooks, text documents, decks and PDF against a pristine copy."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from office_fakes import Date, FakeBench, book, cell, rows, sheet

from officekit.bench import Fault, Score
from officekit.language import Plan
from officekit.model import (
    Block,
    Chart,
    Comment,
    Conditional,
    Deck,
    Document,
    FormField,
    Grid,
    Page,
    Paragraph,
    Pdf,
    Pivot,
    Refused,
    Run,
    Section,
    Series,
    Shape,
    Slide,
    Style,
    TableObject,
    TextDocument,
    Validation,
    Workbook,
)
from officekit.verify import judged


def preserve(found: Document, original: Document, **fields: Any) -> Score:
    body = {"id": "it", "why": "a reason", "file": "out", "kind": "preserve", "original": "given", **fields}
    check = Plan.model_validate({"checks": [body]}).checks[0]
    return judged(check, FakeBench({"out": found}, {"given": original}))


def given() -> Workbook:
    made = book(
        {
            "Data": rows(["Item", "Amount", "Day"], ["a", 1.5, Date(45352)], ["b", 2, Date(45353)]),
            "Sum": {"A1": ("=SUM(Data!B2:B3)", 3.5), "A2": "done"},
        },
        names={"Rate": "Data!$B$2", "_xlnm._FilterDatabase": "Data!$A$1:$C$3"},
    )
    data = made.sheets[0]
    data.merges, data.comments, data.freeze, data.pictures = ["E1:F1"], {"A1": "look"}, "A2", 1
    data.validations = [Validation(["B2:B3"], "whole", formulas=["1", "9"])]
    data.conditionals = [Conditional(["B2:B3"], "cellIs", "greaterThan", ["1"], fill="ff0000")]
    data.tables = [TableObject("Sales", "A1:C3", ["Item", "Amount", "Day"])]
    data.charts = [Chart("line", "T", [Series(values_ref="Data!$B$2:$B$3")])]
    data.pivots = [Pivot("P", "H1", "Sales", ["Item"])]
    return made


def changed(change: Callable[[Workbook], Any]) -> Workbook:
    made = copy.deepcopy(given())
    change(made)
    return made


def put(ref: str, value: Any) -> Callable[[Workbook], Any]:
    return lambda made: made.sheets[0].cells.__setitem__(ref, cell(value))


def test_an_untouched_workbook_is_full() -> None:
    assert preserve(given(), given(), looks=True) == Score(1.0)


def test_a_workbook_that_another_program_wrote_is_full() -> None:
    def rewritten(made: Workbook) -> None:
        del made.names["_xlnm._FilterDatabase"]
        made.sheets[1].cells["A1"] = cell(("= sum('Data'!B2:B3)", 3.5))
        made.sheets[0].cells["B3"] = cell(2.0 + 1e-12)
        made.sheets[0].cells["Z9"] = cell(None)

    assert preserve(changed(rewritten), given()) == Score(1.0)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (put("B2", 99), "Data!B2 was 1.5 and is 99"),
        (put("B2", "1.5"), "Data!B2 was 1.5 and is '1.5'"),
        (put("A3", None), "Data!A3 was 'b' and is blank"),
        (put("C2", Date(45354)), "was 2024-03-01 and is 2024-03-03"),
        (put("C2", 45352), "Data!C2 was 2024-03-01 and is 45352"),
        (put("B3", Date(2)), "Data!B3 was 2 and is 1900-01-01"),
        (put("D9", 1), "Data!D9 was blank and is 1"),
        (lambda made: made.sheets[0].hidden_rows.extend([2, 3, 9]), "2 rows of 'Data' are hidden, first 2"),
        (lambda made: made.sheets[0].hidden_columns.append(2), "1 columns of 'Data' are hidden, first 2"),
        (lambda made: made.sheets[1].cells.update(A1=cell(3.5)), "Sum!A1 was =SUM(Data!B2:B3) and is 3.5"),
        (lambda made: made.sheets.pop(), "the sheet 'Sum' is gone"),
        (lambda made: made.sheets.append(sheet("X", {})), "the sheet 'X' is new"),
        (lambda made: setattr(made.sheets[1], "state", "hidden"), "was visible and is hidden"),
        (lambda made: made.names.clear(), "the name 'Rate' is gone"),
        *(
            (lambda made, name=name: getattr(made.sheets[0], name).clear(), f"a {said} of 'Data' is gone")
            for name, said in {
                "merges": "merged block",
                "comments": "comment",
                "validations": "validation",
                "conditionals": "conditional format",
                "tables": "table",
                "charts": "chart",
                "pivots": "pivot table",
            }.items()
        ),
        (lambda made: setattr(made.sheets[0], "pictures", 0), "a picture of 'Data' is gone"),
    ],
)
def test_a_change_costs_and_is_named(change: Callable[[Workbook], Any], reason: str) -> None:
    score = preserve(changed(change), given())
    assert 0 < score.value < 1
    assert reason in score.reason


def test_what_may_change_may() -> None:
    made = changed(put("B2", 99))
    made.sheets[1].cells["A1"] = cell(1)
    assert preserve(made, given(), allow=["Data!B2:B9", "Sum!*"]) == Score(1.0)
    assert preserve(made, given(), sheets=["Data"], allow=["Data!B2:B9"]) == Score(1.0)
    assert preserve(made, given(), sheets=["Data"]).value < 1


def test_additions_may_be_allowed() -> None:
    made = changed(put("D9", 1))
    made.sheets.append(sheet("X", {"A1": 1}))
    assert preserve(made, given(), allow=["new"]) == Score(1.0)


def test_formulas_may_become_values_when_allowed() -> None:
    made = changed(lambda made: made.sheets[1].cells.update(A1=cell(3.5)))
    assert preserve(made, given(), formulas=False) == Score(1.0)


def test_looks_count_when_asked() -> None:
    made = changed(lambda made: made.styles.append(Style(bold=True)))
    made.sheets[0].cells["A1"].style = 1
    assert preserve(made, given()) == Score(1.0)
    assert "Data!A1 has another bold" in preserve(made, given(), looks=True).reason
    thawed = changed(lambda made: setattr(made.sheets[0], "freeze", None))
    assert preserve(thawed, given()) == Score(1.0)
    assert "frozen panes" in preserve(thawed, given(), looks=True).reason


@pytest.mark.parametrize("found", [Refused("it is encrypted"), Pdf()])
def test_another_file_has_nothing(found: Document) -> None:
    assert preserve(found, given()).value == 0


def test_a_range_that_is_none_is_the_environments_fault() -> None:
    with pytest.raises(Fault, match="no range"):
        preserve(given(), given(), allow=["Data!nowhere"])


def text(*lines: str) -> TextDocument:
    """'# Title' is a heading, '| a | b' a table, anything else a paragraph."""
    blocks = []
    for line in lines:
        if line.startswith("|"):
            blocks.append(Block(table=Grid([[part.strip() for part in line.strip("|").split("|")]])))
        else:
            level = len(line) - len(line.lstrip("#"))
            said = line.lstrip("# ")
            blocks.append(Block(Paragraph(said, said, level, runs=[Run(said)])))
    return TextDocument(blocks, sections=[Section(595, 842, headers={"default": "Acme"})])


LETTER = ["# Intro", "Hello.", "# Budget", "Old text.", "## Detail", "More.", "# End", "| a | b", "Bye."]


def test_an_untouched_text_is_full_however_its_runs_are_cut() -> None:
    found = text(*LETTER)
    found.blocks[1].paragraph.runs = [Run("Hel"), Run("lo.")]  # type: ignore[union-attr]
    assert preserve(found, text(*LETTER), looks=True) == Score(1.0)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([*LETTER[:-1], "Bye!"], "paragraph 'Bye!' in the place of paragraph 'Bye.'"),
        (LETTER[:-1], "in the place of paragraph 'Bye.'"),
        ([*LETTER[:-2], "| a | x", "Bye."], "row 'a | x' in the place of row 'a | b'"),
        (["# Intro", "New.", *LETTER[1:]], "paragraph 'New.' in the place of paragraph 'Hello.'"),
        (["Intro", *LETTER[1:]], "paragraph 'Intro' in the place of heading 1 'Intro'"),
    ],
)
def test_a_change_of_a_text_costs_and_is_named(lines: list[str], reason: str) -> None:
    score = preserve(text(*lines), text(*LETTER))
    assert 0.5 < score.value < 1
    assert reason in score.reason


def test_a_section_may_change_with_all_below_it() -> None:
    found = text("# Intro", "Hello.", "# Budget", "New.", "| x | y", "## Other", "# End", "| a | b", "Bye.")
    assert preserve(found, text(*LETTER), allow=["heading:budget"]) == Score(1.0)
    assert preserve(found, text(*LETTER)).value < 1


def test_new_paragraphs_may_be_allowed() -> None:
    assert preserve(text(*LETTER, "P.S."), text(*LETTER), allow=["new"]) == Score(1.0)
    assert preserve(text(*LETTER, "P.S."), text(*LETTER)).value < 1


def test_headers_comments_and_looks_of_a_text_count() -> None:
    bare, commented, bold = text(*LETTER), text(*LETTER), text(*LETTER)
    bare.sections[0].headers = {}
    commented.comments = [Comment("Ada", "why?")]
    bold.blocks[1].paragraph.runs[0].style.bold = True  # type: ignore[union-attr]
    assert preserve(bare, text(*LETTER)).value < 1
    assert preserve(text(*LETTER), commented).value < 1
    assert preserve(bold, text(*LETTER)) == Score(1.0)
    assert preserve(bold, text(*LETTER), looks=True).value < 1


def deck(*slides: tuple[str, ...]) -> Deck:
    made = Deck(720, 540)
    for title, *lines in slides:
        shapes = [Shape("t", "title", paragraphs=[Paragraph(title)])]
        shapes += [Shape("b", "body", paragraphs=[Paragraph(line)]) for line in lines]
        made.slides.append(Slide(title, "Title and Content", shapes, notes=f"about {title}"))
    return made


SLIDES = [("One", "a", "b"), ("Two", "c"), ("Three", "d")]


def test_an_untouched_deck_is_full() -> None:
    assert preserve(deck(*SLIDES), deck(*SLIDES)) == Score(1.0)


@pytest.mark.parametrize(
    ("slides", "reason"),
    [
        ([("One", "a", "x"), *SLIDES[1:]], "1 of 5 items of the slide 'One' are gone or others"),
        (SLIDES[:2], "4 of 4 items of the slide 'Three' are gone"),
        ([*SLIDES, ("Four", "e")], "1 slides are new, as 'Four'"),
        ([SLIDES[1], SLIDES[0], SLIDES[2]], "in another order"),
    ],
)
def test_a_change_of_a_deck_costs_and_is_named(slides: list[tuple[str, ...]], reason: str) -> None:
    score = preserve(deck(*slides), deck(*SLIDES))
    assert 0.5 < score.value < 1
    assert reason in score.reason


def test_a_slide_may_change_and_slides_may_come() -> None:
    found = deck(("One", "a", "b"), ("Other", "z"), ("Three", "d"), ("Four", "e"))
    assert preserve(found, deck(*SLIDES), allow=["slide:2", "new"]) == Score(1.0)
    assert preserve(found, deck(*SLIDES), allow=["slide:2"]).value < 1


def test_a_chart_of_a_deck_is_kept_by_its_numbers() -> None:
    one, other = deck(*SLIDES), deck(*SLIDES)
    for made, value in ((one, 1.0), (other, 2.0)):
        made.slides[0].shapes.append(Shape("c", "chart", chart=Chart("bar", "C", [Series(values=[value])])))
    assert preserve(one, copy.deepcopy(one)) == Score(1.0)
    assert preserve(one, other).value < 1


def test_a_slide_number_that_is_none_is_the_environments_fault() -> None:
    with pytest.raises(Fault, match="names no slide"):
        preserve(deck(*SLIDES), deck(*SLIDES), allow=["slide:last"])


def pdf(*pages: str) -> Pdf:
    return Pdf([Page(595, 842, text=text) for text in pages])


def test_the_words_of_a_pdf_are_kept_page_by_page() -> None:
    assert preserve(pdf("a b\nc", "d"), pdf("a b c", "d")) == Score(1.0)
    score = preserve(pdf("a x c", "d"), pdf("a b c", "d"))
    assert score.value == pytest.approx(0.75)
    assert "page 1 'x' in the place of page 1 'b'" in score.reason
    assert preserve(pdf("a x c", "d"), pdf("a b c", "d"), allow=["page:1"]) == Score(1.0)


def filled(town: str, fixed: str = "1", read_only: bool = True) -> Pdf:
    fields = [FormField("town", "text", town), FormField("fixed", "text", fixed, read_only=read_only)]
    return Pdf([Page(595, 842, text="a b")], fields)


def test_the_fields_of_a_pdf_are_kept_but_for_values_that_may_change() -> None:
    assert preserve(filled(""), filled(""), allow=[]) == Score(1.0)
    assert preserve(filled("Bonn"), filled(""), allow=["field:town"]) == Score(1.0)
    for changed in (filled("Bonn"), filled("", "2"), filled("", "1", read_only=False), pdf("a b")):
        assert preserve(changed, filled(""), allow=[]).value < 1
