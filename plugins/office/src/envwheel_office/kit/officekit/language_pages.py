"""The checks on text documents, slides and PDF."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .language_base import Check, Column, Look, Scalar, Strict


class Heading(Strict):
    """A heading of an outline."""

    level: int = Field(ge=1, le=9)
    text: str


class Outline(Check):
    """The tree of headings, by style or outline level; bold text is no heading. F1 in order (longest common run)."""

    kind: Literal["docx_outline"] = "docx_outline"
    headings: list[Heading] = Field(min_length=1)
    only: bool = Field(True, description="no further headings of these levels")


class DocText(Check):
    """Words that stand, or must not, in visible text; under a heading when one is named. The score is their share."""

    kind: Literal["docx_text"] = "docx_text"
    view: Literal["final", "original"] = "final"
    under: str | None = Field(None, description="a heading's text")
    contains: list[str] = Field(default_factory=list)
    absent: list[str] = Field(default_factory=list, description="placeholders, old names: one that is there makes it 0")
    once: bool = Field(True, description="each text of `contains` stands once there, not many times")
    max_words: int | None = Field(None, description="of the part that is looked at")
    paragraphs: list[str] | None = Field(None, description="the exact paragraphs, blank ones aside")


class DocTable(Check):
    """A native table by its header texts: F1 over the cells as for `range_table`."""

    kind: Literal["docx_table"] = "docx_table"
    under: str | None = None
    columns: list[Column] = Field(min_length=1)
    key: list[str] = Field(min_length=1)
    rows: list[list[Scalar]]
    order: Literal["any", "exact"] = "any"


class DocField(Check):
    """A real Word field, not typed text: TOC, PAGE, NUMPAGES, SEQ, REF, DATE."""

    kind: Literal["docx_field"] = "docx_field"
    code: str = Field(description="its first word, as 'TOC'")
    where: Literal["body", "header", "footer", "any"] = "any"
    count: int = Field(1, description="at least so many")
    switches: list[str] = Field(default_factory=list, description="parts of the code in whole words, as '\\o 1-2'")
    under: str | None = Field(None, description="stands under this heading; '' for before the first")


class Revisions(Check):
    """Tracked changes: rejecting all gives the original, accepting all the wanted text, all by one author."""

    kind: Literal["docx_revision"] = "docx_revision"
    original: str = Field(description="the pristine file in tests/")
    final: list[str] = Field(description="the paragraphs after accepting all, blank ones aside")
    author: str | None = None
    max_changed: float = Field(
        1.0,
        gt=0,
        description="at most this share of the words of the original may be marked deleted (a redline, no rewrite)",
    )


class Comments(Check):
    """Comments: who, about what, with which words."""

    kind: Literal["docx_comment"] = "docx_comment"
    author: str | None = None
    on: str = Field(description="words that the anchored text holds")
    contains: list[str] = Field(default_factory=list)


class TextLook(Check):
    """How paragraphs look that hold a text or have a heading level: share of runs, by effective values."""

    kind: Literal["docx_style"] = "docx_style"
    text: str | None = None
    level: int | None = Field(None, description="all headings of this level")
    look: Look
    style: str | None = Field(None, description="name of the paragraph style")
    line_spacing: float | None = None


class PageSetup(Check):
    """Paper, orientation, margins in millimetres, header and footer texts."""

    kind: Literal["page_setup"] = "page_setup"
    paper: Literal["A4", "Letter", "A3", "A5"] | None = None
    orientation: Literal["portrait", "landscape"] | None = None
    margins_mm: dict[Literal["top", "bottom", "left", "right"], float] = Field(default_factory=dict)
    header: str | None = Field(None, description="words of the header")
    footer: str | None = Field(None, description="words of the footer")


class Slides(Check):
    """The slides' titles in order, from title placeholders."""

    kind: Literal["pptx_slides"] = "pptx_slides"
    titles: list[str] = Field(min_length=1)
    layouts: list[str] = Field(default_factory=list)
    only: bool = True


class SlideText(Check):
    """Words on the slide of this title, visible and on the slide."""

    kind: Literal["pptx_text"] = "pptx_text"
    slide: str = Field(description="its title")
    contains: list[str] = Field(default_factory=list)
    absent: list[str] = Field(default_factory=list)
    bullets: list[str] | None = Field(None, description="the exact paragraphs of its body")
    max_words: int | None = None


class SlideChart(Check):
    """A native chart with these numbers on the slide."""

    kind: Literal["pptx_chart"] = "pptx_chart"
    slide: str
    type: Literal["bar", "column", "line", "pie", "doughnut", "area", "scatter", "any"] = "any"
    series: list[list[float | None]] = Field(min_length=1, description="null: a gap, which is no 0")
    names: list[str] | None = Field(None, description="the names of `series`, in its order")
    categories: list[str] | None = None
    title: str | None = None


class SlideTable(Check):
    """A native table on the slide."""

    kind: Literal["pptx_table"] = "pptx_table"
    slide: str
    columns: list[Column] = Field(min_length=1)
    key: list[str] = Field(min_length=1)
    rows: list[list[Scalar]]
    order: Literal["any", "exact"] = "any"


class Notes(Check):
    """Words in a slide's notes."""

    kind: Literal["pptx_notes"] = "pptx_notes"
    slide: str
    contains: list[str] = Field(min_length=1)
    absent: list[str] = Field(default_factory=list)


class Overflow(Check):
    """Nothing leaves its slide, no text is higher than its shape, no two shapes with text overlap. Share of slides."""

    kind: Literal["pptx_overflow"] = "pptx_overflow"
    min_size: float = Field(10.0, description="points; smaller text counts as hidden")


class PdfText(Check):
    """Words on the pages as they are seen, white space aside."""

    kind: Literal["pdf_text"] = "pdf_text"
    page: int | None = Field(None, description="from 1; negative from the end")
    contains: list[str] = Field(default_factory=list)
    absent: list[str] = Field(default_factory=list)
    in_order: bool = False


class PdfTable(Check):
    """A table on the pages, found by its header words."""

    kind: Literal["pdf_table"] = "pdf_table"
    columns: list[Column] = Field(min_length=1)
    key: list[str] = Field(min_length=1)
    rows: list[list[Scalar]]


class PdfForm(Check):
    """AcroForm fields by name: share of the right values that viewers show, too. A flattened form has none."""

    kind: Literal["pdf_form"] = "pdf_form"
    fields: dict[str, str] = Field(min_length=1)


class PdfPages(Check):
    """How many pages, and their size."""

    kind: Literal["pdf_pages"] = "pdf_pages"
    count: int | None = None
    most: int | None = None
    page: int | None = Field(
        None, description="paper and orientation of this page only, as seen; negative: from behind"
    )
    paper: Literal["A4", "Letter", "A3", "A5"] | None = None
    orientation: Literal["portrait", "landscape"] | None = None
