"""Reads a docx: `read(path)` gives a TextDocument. Own walk over the XML, for the usual library skips tracked text."""

from __future__ import annotations

from pathlib import Path

from .model import Comment, Section, TextDocument
from .opc import Element, Package, attr, find, integer, q, tag
from .read_docx_story import Story
from .read_docx_styles import Frame, Styles, on

TWIPS = 20
"""Twentieths of a point."""
PAPER = 12_240, 15_840
"""Word's page where a section says nothing: Letter, in twips."""

PROPERTIES = {
    "title": "title", "subject": "subject", "creator": "author", "keywords": "keywords", "description": "comments",
    "category": "category", "lastModifiedBy": "last_modified_by", "created": "created", "modified": "modified",
    "contentStatus": "content_status", "language": "language",
}  # fmt: skip


def read(path: Path | str) -> TextDocument:
    """The document at `path`. Raises ValueError with the reason when it is none."""
    package = Package.open(path)
    main = package.main()
    root = package.xml(main)
    body = find(root, "w:body")
    if tag(root) != "w:document" or body is None:
        raise ValueError("the package holds no Word document")
    styles = Styles.open(package, main)
    frame = Frame(_page_color(package, main, root, styles))
    story = Story(package, main, styles)
    story.blocks = story.collect(body, frame)
    document = TextDocument(blocks=story.blocks, properties=properties(package))
    stories = [story, *_sections(document, story, frame), *_notes(document, story, frame)]
    document.comments = _comments(package, main, styles, story.comments)
    for one in stories:
        document.fields += one.fields
        document.revisions += one.revisions
        document.pictures += one.pictures
    return document


def _page_color(package: Package, main: str, root: Element, styles: Styles) -> str:
    """The colour of the paper: white unless a page background is shown."""
    shown = on(find(package.root(main, "settings"), "w:displayBackgroundShape"))
    color = attr(find(root, "w:background"), "w:color").lower()
    return color if shown and len(color) == 6 and color != "auto" else "ffffff"


def _sections(document: TextDocument, body: Story, frame: Frame) -> list[Story]:
    """Fills the sections in; gives the stories of their headers and footers, each once."""
    package, main = body.package, body.part
    even = on(find(package.root(main, "settings"), "w:evenAndOddHeaders"))
    known: dict[str, Story] = {}
    parts: dict[tuple[str, str], str] = {}  # a section without a header of its own has the one before
    for item in body.sections or [None]:
        section = _page(item)
        used = ["default", *(["first"] if on(find(item, "w:titlePg")) else []), *(["even"] if even else [])]
        for where in ("header", "footer"):
            for reference in item.findall(q(f"w:{where}Reference")) if item is not None else ():
                target = package.target(main, attr(reference, "r:id"))
                if target:
                    parts[where, attr(reference, "w:type", "default")] = target
            texts = section.headers if where == "header" else section.footers
            for kind in used:
                part = parts.get((where, kind))
                if part is None:
                    continue
                if part not in known:
                    known[part] = Story(package, part, body.styles, where)
                    known[part].blocks = known[part].collect(package.xml(part), frame)
                texts[kind] = known[part].text
        document.sections.append(section)
    return list(known.values())


def _page(item: Element | None) -> Section:
    size, margins, columns = (find(item, name) for name in ("w:pgSz", "w:pgMar", "w:cols"))
    width = integer(attr(size, "w:w"), PAPER[0]) / TWIPS
    height = integer(attr(size, "w:h"), PAPER[1]) / TWIPS
    names = ("top", "bottom", "left", "right", "header", "footer", "gutter")
    return Section(
        width=width, height=height, orientation="landscape" if width > height else "portrait",
        margins={name: integer(attr(margins, f"w:{name}"), 0) / TWIPS for name in names if attr(margins, f"w:{name}")},
        columns=max(1, integer(attr(columns, "w:num"), 1)),
    )  # fmt: skip


def _notes(document: TextDocument, body: Story, frame: Frame) -> list[Story]:
    """Fills in the footnotes and endnotes that the text refers to, in its order."""
    stories = []
    for kind, number in dict.fromkeys(body.notes):
        for part in body.package.related(body.part, f"{kind}s"):
            notes = body.package.xml(part).findall(q(f"w:{kind}"))
            note = next((item for item in notes if attr(item, "w:id") == number), None)
            if note is not None:
                story = Story(body.package, part, body.styles, kind)
                story.blocks = story.collect(note, frame)
                document.footnotes.append(story.text.strip())
                stories.append(story)
    return stories


def _comments(package: Package, main: str, styles: Styles, anchored: dict[str, str]) -> list[Comment]:
    """The comments that the text refers to; others are shown nowhere."""
    found = []
    for part in package.related(main, "comments"):
        for item in package.xml(part).findall(q("w:comment")):
            anchor = anchored.get(attr(item, "w:id"))
            if anchor is not None:
                story = Story(package, part, styles, "comment")
                story.blocks = story.collect(item, Frame())
                found.append(Comment(attr(item, "w:author"), story.text.strip(), anchor.strip()))
    return found


def properties(package: Package) -> dict[str, str]:
    """A package's core properties, under the names that python-docx uses."""
    root = package.root("", "core-properties")
    found = {}
    for item in root if root is not None else ():
        name = PROPERTIES.get(item.tag.rpartition("}")[2])
        if name and item.text:
            found[name] = item.text.strip()
    return found
