"""Reads a pptx: `read(path)` gives a Deck. Own walk over the XML, for most of a look is inherited and said nowhere."""

from __future__ import annotations

from pathlib import Path

from .drawing import EMU
from .model import Deck, Slide
from .opc import Package, attr, find, integer, tag
from .read_pptx_page import Page, place_of
from .read_pptx_shapes import Canvas
from .read_pptx_text import Sources, read_paragraphs, truth

MOST = 500
"""Slides that are read at most."""


def read(path: Path | str) -> Deck:
    """The presentation at `path`. Raises ValueError with the reason when it is none."""
    package = Package.open(path)
    main = package.main()
    root = package.xml(main)
    if tag(root) != "p:presentation":
        raise ValueError("the package holds no presentation")
    size = find(root, "p:sldSz")
    deck = Deck(width=integer(attr(size, "cx"), 9_144_000) / EMU, height=integer(attr(size, "cy"), 6_858_000) / EMU)
    listed = find(root, "p:sldIdLst")
    ids = [attr(item, "r:id") for item in listed if tag(item) == "p:sldId"] if listed is not None else []
    if len(ids) > MOST:
        raise ValueError(f"{len(ids)} slides, more than {MOST}")
    for number, name in enumerate(ids, start=1):
        part = package.target(main, name)
        if part is None:
            raise ValueError(f"slide {number} is missing")
        deck.slides.append(_slide(package, main, part, deck))
    return deck


def _slide(package: Package, main: str, part: str, deck: Deck) -> Slide:
    page = Page.open(package, main, part)
    canvas = Canvas(page, deck.width, deck.height)
    shapes = canvas.draw()
    title = next((shape.text for shape in shapes if shape.role == "title" and shape.text.strip()), "")
    return Slide(
        title=" ".join(title.split()), layout=page.layout_name, shapes=shapes, notes=_notes(page),
        hidden=not truth(attr(page.root, "show", "1")), background=canvas.ground,
    )  # fmt: skip


def _notes(page: Page) -> str:
    """The text of a slide's notes, a paragraph a line."""
    root = page.package.root(page.part, "notesSlide")
    tree = find(root, "p:cSld", "p:spTree")
    lines = []
    for item in tree if tree is not None else ():
        place = place_of(item)
        if place is not None and attr(place, "type", "obj") == "body":
            lines += [one.text for one in read_paragraphs(find(item, "p:txBody"), _plain(page))]
    return "\n".join(lines).strip()


def _plain(page: Page) -> Sources:
    return Sources(page.theme, page.mapping, [page.defaults] if page.defaults is not None else [])
