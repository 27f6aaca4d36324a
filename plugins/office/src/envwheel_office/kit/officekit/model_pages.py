"""The model of text documents, slides and PDF."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .model_cells import Chart, Style


@dataclass(slots=True)
class Run:
    """Text with one look. `change`: "", "ins" or "del" (a tracked change). `style.hidden` holds for all that nobody
    sees: marked hidden, of its background's colour, of 2 points or less, behind or beside the slide."""

    text: str
    style: Style = field(default_factory=Style)
    change: str = ""
    link: str = ""


@dataclass(slots=True)
class Grid:
    """A table of a document or slide as visible texts; merged cells repeat their text. `original` are the rows before
    all tracked changes, empty when they are the same. `paragraphs`: what the cells hold, each once (docx, pptx)."""

    rows: list[list[str]] = field(default_factory=list)
    style: str = ""
    original: list[list[str]] = field(default_factory=list)
    paragraphs: list[Paragraph] = field(default_factory=list)


@dataclass(slots=True)
class Paragraph:
    """A paragraph in its place. `level` is a heading's (1..9), 0 for body text; `text` is the final view (deletions
    gone), `original` the view before all tracked changes, both of visible text only; `runs` hold what is hidden, too.
    `number` is the list level from 1, 0 outside lists. `generated`: its text comes from a table of contents' field."""

    text: str
    original: str = ""
    level: int = 0
    style: str = ""
    number: int = 0
    ordered: bool = False
    align: str = "left"
    page_break_before: bool = False
    space_before: float = 0.0
    space_after: float = 0.0
    line_spacing: float = 1.0
    generated: bool = False
    runs: list[Run] = field(default_factory=list)


@dataclass(slots=True)
class Block:
    """A paragraph or a table, in the order of the document."""

    paragraph: Paragraph | None = None
    table: Grid | None = None


@dataclass(slots=True)
class Field:
    """A Word field: its code ("TOC", "PAGE", "SEQ Figure") and the text it shows; `where`: body, header, footer.

    `under` is the heading under which it begins, "" before the first one."""

    code: str
    result: str = ""
    where: str = "body"
    under: str = ""


@dataclass(slots=True)
class Comment:
    """A comment, with the visible text that it is anchored to."""

    author: str
    text: str
    anchor: str = ""


@dataclass(slots=True)
class Revision:
    """A tracked change: kind "ins", "del", "move" or "format"; `text` is what came or went."""

    kind: str
    author: str
    text: str
    date: str = ""


@dataclass(slots=True)
class Section:
    """A section's page: points; header and footer texts of its default, first and even pages."""

    width: float
    height: float
    margins: dict[str, float] = field(default_factory=dict)
    orientation: str = "portrait"
    columns: int = 1
    headers: dict[str, str] = field(default_factory=dict)
    footers: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class TextDocument:
    """A docx file."""

    blocks: list[Block] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    revisions: list[Revision] = field(default_factory=list)
    footnotes: list[str] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    pictures: int = 0
    properties: dict[str, str] = field(default_factory=dict)
    kind: Literal["docx"] = "docx"


@dataclass(slots=True)
class Shape:
    """What stands on a slide: points from its upper left corner. `role`: title, subtitle, body, picture, table, chart,
    text, footer, number, date, other. `needs` is the height that its text takes at its size with its insets (an
    estimate, metrics.py), `ink` left, top, right and bottom of where the text itself stands. `fill` "any": a picture
    or a gradient."""

    name: str
    role: str
    left: float = 0.0
    top: float = 0.0
    width: float = 0.0
    height: float = 0.0
    paragraphs: list[Paragraph] = field(default_factory=list)
    table: Grid | None = None
    chart: Chart | None = None
    needs: float = 0.0
    fill: str | None = None
    ink: tuple[float, float, float, float] | None = None

    @property
    def text(self) -> str:
        """Its paragraphs, a line each."""
        return "\n".join(paragraph.text for paragraph in self.paragraphs)


@dataclass(slots=True)
class Slide:
    """A slide, its shapes in reading order (top to bottom, left to right)."""

    title: str = ""
    layout: str = ""
    shapes: list[Shape] = field(default_factory=list)
    notes: str = ""
    hidden: bool = False
    background: str | None = None


@dataclass(slots=True)
class Deck:
    """A pptx file; points."""

    width: float = 0.0
    height: float = 0.0
    slides: list[Slide] = field(default_factory=list)
    kind: Literal["pptx"] = "pptx"


@dataclass(slots=True)
class Word:
    """A word on a page, points from the upper left corner of the page as it is seen."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float = 0.0
    color: str = "000000"
    visible: bool = True


@dataclass(slots=True)
class Page:
    """A PDF page as it is seen (rotation applied). `text` has the layout's line breaks, of visible words only."""

    width: float
    height: float
    rotation: int = 0
    text: str = ""
    words: list[Word] = field(default_factory=list)
    tables: list[Grid] = field(default_factory=list)
    pictures: int = 0


@dataclass(slots=True)
class FormField:
    """An AcroForm field: text, checkbox, radio, choice, button, signature; a checkbox is "Off" or its on state.
    `seen`: viewers show its value; not so where the value was set and its appearance left as it was."""

    name: str
    kind: str
    value: str = ""
    choices: list[str] = field(default_factory=list)
    read_only: bool = False
    page: int = 1
    seen: bool = True


@dataclass(slots=True)
class Pdf:
    """A pdf file."""

    pages: list[Page] = field(default_factory=list)
    fields: list[FormField] = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)
    kind: Literal["pdf"] = "pdf"


@dataclass(slots=True)
class Refused:
    """A file that is not opened or could not be read: score 0 with this reason."""

    reason: str
    kind: Literal["refused"] = "refused"
