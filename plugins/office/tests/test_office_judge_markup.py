"""The judges of tracked changes, comments and looks."""

from __future__ import annotations

from pathlib import Path

import pytest
from office_fakes import FakeBench
from pages_files import deleted, inserted, paragraph, run, word

from officekit import language_pages as ask
from officekit.judge_markup import docx_comment, docx_revision, docx_style
from officekit.language_base import Look
from officekit.model import Block, Comment, Paragraph, Run, Style, TextDocument
from officekit.read_docx import read

COMMON = {"id": "x", "why": "because", "file": "a.docx"}
ORIGINAL = ["The fee is ten euros.", "Payment within 30 days.", "Bremen applies."]
FINAL = ["The fee is twelve euros.", "Payment within 14 days.", "Bremen applies."]


def revisions(tmp_path: Path, *body: str, **more: object) -> tuple[ask.Revisions, FakeBench]:
    check = ask.Revisions(**{**COMMON, "original": "o.docx", "final": FINAL, **more})  # type: ignore[arg-type]
    pristine = read(word(tmp_path, *(paragraph(text) for text in ORIGINAL), name="o.docx"))
    return check, FakeBench({"a.docx": read(word(tmp_path, *body))}, {"o.docx": pristine})


FEE = paragraph("The fee is ", deleted("ten"), inserted("twelve"), " euros.")
DAYS = paragraph("Payment within ", deleted("30"), inserted("14"), " days.")
LAST = paragraph(ORIGINAL[2])


def test_tracked_edits_that_make_the_wanted_text_are_full(tmp_path: Path) -> None:
    assert docx_revision(*revisions(tmp_path, FEE, DAYS, LAST, author="Ann")).value == 1


def test_the_untouched_original_has_nothing(tmp_path: Path) -> None:
    score = docx_revision(*revisions(tmp_path, *(paragraph(text) for text in ORIGINAL)))
    assert score.value == 0
    assert "paragraph 1 is 'The fee is ten euros.', not 'The fee is twelve euros.'" in score.reason


def test_the_wanted_text_without_tracking_has_nothing(tmp_path: Path) -> None:
    score = docx_revision(*revisions(tmp_path, *(paragraph(text) for text in FINAL)))
    assert score.value == 0
    assert score.reason.startswith("rejecting all changes does not give the original: paragraph 1")


def test_one_of_two_edits_is_two_thirds(tmp_path: Path) -> None:
    score = docx_revision(*revisions(tmp_path, FEE, paragraph(ORIGINAL[1]), LAST))
    assert score.value == pytest.approx(2 / 3)


def test_an_edit_that_nobody_asked_for_costs(tmp_path: Path) -> None:
    more = paragraph(deleted(ORIGINAL[2]), mark='<w:del w:id="9" w:author="Ann"/>')
    assert docx_revision(*revisions(tmp_path, FEE, DAYS, more)).value == pytest.approx(4 / 5)


def test_changes_by_another_author_cost_their_share(tmp_path: Path) -> None:
    other = paragraph("Payment within ", deleted("30", "Bob"), inserted("14", "Bob"), " days.")
    score = docx_revision(*revisions(tmp_path, FEE, other, LAST, author="Ann"))
    assert (score.value, score.reason) == (0.5, "2 changes are by 'Bob', not by 'Ann'")


def test_formats_that_change_without_a_trace_cost_their_share(tmp_path: Path) -> None:
    heading, bold = paragraph(ORIGINAL[2], style="H1"), paragraph(run(ORIGINAL[2], "<w:b/>"))
    for last, share in ((heading, 1 / 4), (bold, 0)):
        score = docx_revision(*revisions(tmp_path, FEE, DAYS, last))
        assert score.value < (1 - share) * 0.8
        assert "look otherwise, and no tracked change says so" in score.reason


def test_formats_may_change_by_tracked_changes(tmp_path: Path) -> None:
    tracked = '<w:b/><w:rPrChange w:id="7" w:author="Ann"><w:rPr/></w:rPrChange>'
    assert docx_revision(*revisions(tmp_path, FEE, DAYS, paragraph(run(ORIGINAL[2], tracked)))).value == 1


def test_a_paragraph_deleted_with_its_mark_looks_as_before(tmp_path: Path) -> None:
    gone = paragraph(deleted(ORIGINAL[0]), mark='<w:del w:id="9" w:author="Ann"/>')
    score = docx_revision(*revisions(tmp_path, gone, DAYS, LAST, final=FINAL[1:]))
    assert score.value == 1


def test_a_rewrite_is_no_redline(tmp_path: Path) -> None:
    whole = [paragraph(deleted(old), inserted(new)) for old, new in zip(ORIGINAL, FINAL, strict=True)]
    score = docx_revision(*revisions(tmp_path, *whole, max_changed=0.25))
    assert score.value == pytest.approx(0.25)
    assert "100% of the words are marked deleted" in score.reason


def comment(**more: object) -> ask.Comments:
    return ask.Comments(**{**COMMON, "on": "30 days", **more})  # type: ignore[arg-type]


def test_a_comment_is_asked_for_by_place_words_and_author() -> None:
    made = FakeBench({"a.docx": TextDocument(comments=[Comment("Ann", "Too long.", "within 30 days")])})
    assert docx_comment(comment(contains=["too long"], author="ann"), made).value == 1
    assert docx_comment(comment(contains=["too long"], author="Bob"), made).value == 0.5
    assert docx_comment(comment(contains=["too long", "short"]), made).value == 0.5


def test_a_comment_elsewhere_or_on_everything_has_nothing() -> None:
    whole = " ".join(["word"] * 200) + " 30 days"
    made = FakeBench({"a.docx": TextDocument(comments=[Comment("A", "x", "fee"), Comment("A", "x", whole)])})
    score = docx_comment(comment(), made)
    assert (score.value, score.reason) == (0, "no comment is anchored to '30 days': 2 comments stand elsewhere")


def look(**more: object) -> ask.TextLook:
    return ask.TextLook(**{**COMMON, **more})  # type: ignore[arg-type]


def styled(*runs: tuple[str, Style], **more: object) -> Block:
    made = [Run(text, style) for text, style in runs]
    return Block(paragraph=Paragraph("".join(text for text, _ in runs), runs=made, **more))  # type: ignore[arg-type]


def test_a_style_is_effective_wherever_it_comes_from(tmp_path: Path) -> None:
    made = FakeBench({"a.docx": read(word(tmp_path, paragraph("Fees", style="H1"), paragraph(run("x", "<w:b/>"))))})
    assert docx_style(look(level=1, look=Look(bold=True, size=16, font="arial", color="203a63")), made).value == 1
    assert docx_style(look(text="x", look=Look(bold=True)), made).value == 1
    score = docx_style(look(level=1, look=Look(color="c00000")), made)
    assert score.value == 0
    assert "'Fees' has the colour 1f3864, not c00000" in score.reason


def test_half_of_a_text_that_is_right_counts_half() -> None:
    made = FakeBench({"a.docx": TextDocument([styled(("abcd", Style(bold=True)), ("efgh", Style()))])})
    assert docx_style(look(text="abcdefgh", look=Look(bold=True)), made).value == 0.5


def test_paragraph_properties_count_beside_the_runs() -> None:
    made = FakeBench({"a.docx": TextDocument([styled(("a", Style(bold=True)), style="Quote", line_spacing=1.5)])})
    assert docx_style(look(text="a", look=Look(bold=True), style="quote", line_spacing=1.5), made).value == 1
    assert docx_style(look(text="a", look=Look(bold=True, align="center")), made).value == 0.5


def test_no_such_paragraph_is_a_reason() -> None:
    score = docx_style(look(level=2, look=Look(bold=True)), FakeBench({"a.docx": TextDocument()}))
    assert (score.value, score.reason) == (0, "there are no headings of level 2")
