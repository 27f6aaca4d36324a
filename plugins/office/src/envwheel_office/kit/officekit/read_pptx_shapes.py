"""The shapes of one slide, from the lowest to the topmost: boxes, roles, texts, and who covers whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from .drawing import ANY, color, fill
from .model import Grid, Paragraph, Shape
from .opc import Element, attr, find, integer, tag
from .read_chart import read_chart
from .read_pptx_page import TITLES, Box, Move, Page, place_of, turned
from .read_pptx_table import read_table
from .read_pptx_text import Sources, fitted, read_paragraphs, truth

ROLES = {
    **dict.fromkeys(TITLES, "title"), "subTitle": "subtitle", "ftr": "footer", "sldNum": "number", "dt": "date",
    "pic": "picture",
}  # fmt: skip
COVERED = 0.95
"""The share of a text that a later shape must lie on to hide it."""
SPECK = 36.0
"""Points: a chart that is narrower or lower shows nothing."""
FRAME = "http://schemas.openxmlformats.org/drawingml/2006/"


@dataclass(slots=True)
class Drawn:
    """A shape with what it paints: a colour, `ANY`, or None for nothing."""

    shape: Shape
    box: Box
    paint: str | None = None


@dataclass(slots=True)
class Canvas:
    """Collects the shapes of a slide."""

    page: Page
    width: float
    height: float
    ground: str = "ffffff"
    drawn: list[Drawn] = field(default_factory=list)
    below: list[tuple[Box, str]] = field(default_factory=list)
    """What is painted so far, of decoration too."""

    def draw(self) -> list[Shape]:
        """The slide's shapes in reading order, those that are marked hidden left out."""
        self.ground = self.page.background()
        for item in self.page.decoration():
            self._shape(item, Move(), decoration=True)
        for item in find(self.page.root, "p:cSld", "p:spTree"):
            self._shape(item, Move())
        self._hide_unseen()
        return reading_order([item.shape for item in self.drawn])

    def _shape(self, item: Element, move: Move, decoration: bool = False) -> None:
        kind = tag(item)
        if kind == "mc:AlternateContent":
            branch = find(item, "mc:Choice")
            branch = branch if branch is not None else find(item, "mc:Fallback")
            for inner in branch if branch is not None else ():
                self._shape(inner, move, decoration)
        elif _is_hidden(item):
            return
        elif kind == "p:grpSp":
            inside = move.inner(find(item, "p:grpSpPr", "a:xfrm"))
            for inner in item:
                self._shape(inner, inside, decoration)
        elif kind in ("p:sp", "p:pic", "p:graphicFrame"):
            made = self._frame(item, move) if kind == "p:graphicFrame" else self._solid(item, kind, move)
            if made.paint and made.box.width > 0 and made.box.height > 0:
                self.below.append((made.box, made.paint))
            if not decoration:
                self.drawn.append(made)

    def _solid(self, item: Element, kind: str, move: Move) -> Drawn:
        """A p:sp or a p:pic."""
        page = self.page
        place = place_of(item)
        chain = [item, *page.inherited(place)]
        frames = [find(level, "p:spPr", "a:xfrm") for level in chain]
        frame = next((one for one in frames if find(one, "a:off") is not None), None)
        box = (move if frame is frames[0] else Move()).box(frame) or Box(0.0, 0.0, 0.0, 0.0)
        paint = ANY if kind == "p:pic" else self._paint(item, chain)
        shape = Shape(_name(item), _role(item, kind, place), box.left, box.top, box.width, box.height, fill=paint)
        if kind == "p:sp":
            self._write(item, place, chain, shape, frame)
        return Drawn(shape, Box(shape.left, shape.top, shape.width, shape.height), paint)

    def _paint(self, item: Element, chain: list[Element]) -> str | None:
        """The fill of a shape: its own, its style's, or that of the placeholders that it inherits from."""
        theme, mapping = self.page.theme, self.page.mapping
        for level in chain:
            properties = find(level, "p:spPr")
            if find(properties, "a:grpFill") is not None:
                return ANY
            stated = fill(properties, theme, mapping)
            if stated is not None:
                veil = find(properties, "a:solidFill")
                if any(tag(one) == "a:alpha" and integer(attr(one, "val")) < 50_000 for one in _all(veil)):
                    return None  # what lies under it is seen
                return None if stated == "none" else stated
            reference = find(level, "p:style", "a:fillRef")
            if integer(attr(reference, "idx")) > 0:
                return color(reference, theme, mapping)
        return None

    def _behind(self, box: Box) -> str:
        """What is painted topmost behind the middle of a box."""
        return next((paint for other, paint in reversed(self.below) if other.holds(box.center)), self.ground)

    def _write(
        self, item: Element, place: Element | None, chain: list[Element], shape: Shape, frame: Element | None
    ) -> None:
        """Fills the text of a shape in, and the room that it takes."""
        page, body = self.page, find(item, "p:txBody")
        if body is None:
            return
        bodies = [find(level, "p:txBody") for level in chain]
        inherited = [find(one, "a:lstStyle") for one in bodies] + [page.text_style(place), page.defaults]
        reference = find(item, "p:style", "a:fontRef")
        box = Box(shape.left, shape.top, shape.width, shape.height)
        sources = Sources(
            page.theme, page.mapping, [one for one in inherited if one is not None],
            [one for level in bodies if (one := find(level, "a:bodyPr")) is not None],
            color=color(reference, page.theme, page.mapping), own=inherited[0], ground=shape.fill or self._behind(box),
        )  # fmt: skip
        left, top, right, bottom = sources.insets()
        across, down = (box.height, box.width) if turned(frame) else (box.width, box.height)
        if sources.body("vert", "horz") not in ("horz", ""):
            across, down = down, across
        free = sources.body("wrap") == "none"
        room = (1e6 if free else max(1.0, across - left - right), max(1.0, down - top - bottom))
        shape.paragraphs, high, wide = fitted(body, sources, room)
        if not any(one.runs for one in shape.paragraphs):
            return
        needs = high + top + bottom
        fitting = sources.fitting()
        grows = fitting is not None and tag(fitting) == "a:spAutoFit" and down == box.height
        if grows and needs > shape.height:
            share = {"ctr": 0.5, "b": 1.0}.get(sources.body("anchor", "t"), 0.0)
            shape.top -= (needs - shape.height) * share
            shape.height = needs
        shape.needs = round(needs * (shape.height / down if down else 1.0) if down != box.height else needs, 2)
        shape.ink = _ink(shape, sources, (high, wide), (left, top, right, bottom), free)

    def _frame(self, item: Element, move: Move) -> Drawn:
        """A p:graphicFrame: a table, a chart, a diagram, an embedded object."""
        page = self.page
        data = find(item, "a:graphic", "a:graphicData")
        chain = [item, *page.inherited(place_of(item))]
        box = move.box(find(item, "p:xfrm"))
        for level in chain[1:]:
            box = box or Move().box(find(level, "p:spPr", "a:xfrm"))
        box = box or Box(0.0, 0.0, 0.0, 0.0)
        shape = Shape(_name(item), "other", box.left, box.top, box.width, box.height)
        uri = attr(data, "uri")
        table = find(data, "a:tbl")
        if table is not None:
            shape.role = "table"
            shape.table, needs = read_table(table, page, self._behind(box))
            shape.height = max(shape.height, needs)
            shape.needs = round(needs, 2)
        elif uri == f"{FRAME}chart":
            shape.role = "chart"
            self._chart(data, shape)
        elif uri == f"{FRAME}diagram":
            shape.paragraphs = self._diagram(data, box)
        painted = Box(shape.left, shape.top, shape.width, shape.height)
        shape.ink = (painted.left, painted.top, painted.right, painted.bottom)
        return Drawn(shape, painted, ANY)

    def _chart(self, data: Element, shape: Shape) -> None:
        target = self.page.package.target(self.page.part, attr(find(data, "c:chart"), "r:id"))
        if target is None:
            return
        root = self.page.package.xml(target)
        shape.chart = read_chart(root, cached=True)
        chart = find(root, "c:chart")
        if shape.chart.title.startswith("="):
            cached = find(chart, "c:title", "c:tx", "c:strRef", "c:strCache")
            shape.chart.title = (
                "".join(one.text or "" for one in cached.iter() if tag(one) == "c:v") if cached is not None else ""
            )
        removed = attr(find(chart, "c:autoTitleDeleted"), "val", "0") in ("1", "true")
        if not shape.chart.title and not removed and len(shape.chart.series) == 1:
            shape.chart.title = shape.chart.series[0].name  # what programs show by themselves

    def _diagram(self, data: Element, box: Box) -> list[Paragraph]:
        """The texts of a SmartArt diagram, from its data."""
        related = next((part for part in data if part.tag.endswith("}relIds")), None)
        target = self.page.package.target(self.page.part, attr(related, "r:dm"))
        if target is None:
            return []
        sources = Sources(self.page.theme, self.page.mapping, ground=ANY)
        bodies = [
            one for one in self.page.package.xml(target).iter() if isinstance(one.tag, str) and one.tag.endswith("}t")
        ]
        found = [one for body in bodies for one in read_paragraphs(body, sources)]
        return [one for one in found if one.text]

    def _hide_unseen(self) -> None:
        """Takes out of the text what lies off the slide or behind a later shape."""
        slide = Box(0.0, 0.0, self.width, self.height)
        for at, item in enumerate(self.drawn):
            ink = _box(item.shape)
            area = max(ink.width * ink.height, 1e-6)
            later = (other.box for other in self.drawn[at + 1 :] if other.paint)
            speck = item.shape.chart is not None and min(ink.width, ink.height) < SPECK
            if speck or not slide.holds(ink.center) or any(ink.shared(other) >= COVERED * area for other in later):
                _hide(item.shape)


def _box(shape: Shape) -> Box:
    """Where a shape's text stands; the shape itself where it has none."""
    if shape.ink is None:
        return Box(shape.left, shape.top, shape.width, shape.height)
    left, top, right, bottom = shape.ink
    return Box(left, top, right - left, bottom - top)


def _hide(shape: Shape) -> None:
    paragraphs = [*shape.paragraphs, *(shape.table.paragraphs if shape.table else ())]
    for paragraph in paragraphs:
        paragraph.text = paragraph.original = ""
        for run in paragraph.runs:
            run.style.hidden = True
    if shape.table:
        shape.table = Grid([["" for _ in row] for row in shape.table.rows], paragraphs=shape.table.paragraphs)
    shape.chart = None


def _ink(
    shape: Shape, sources: Sources, text: tuple[float, float], insets: tuple[float, float, float, float], free: bool
) -> tuple[float, float, float, float]:
    """Left, top, right, bottom of the text itself, by its anchor and the alignment of its first paragraph."""
    (high, wide), (left, top, right, bottom) = text, insets
    if shape.width < 1 or shape.height < 1 or sources.body("vert", "horz") not in ("horz", ""):
        return (shape.left, shape.top, shape.left + shape.width, shape.top + shape.height)
    wide = wide if free else min(wide, shape.width)
    align = next((item.align for item in shape.paragraphs if item.runs), "left")
    spare = shape.width - left - right - wide
    x = shape.left + left + {"center": spare / 2, "right": spare}.get(align, 0.0)
    if free and spare < 0:
        x = shape.left + left + spare / 2  # text that does not wrap grows to both sides
    spare = shape.height - top - bottom - high
    y = shape.top + top + {"ctr": spare / 2, "b": spare}.get(sources.body("anchor", "t"), 0.0)
    return (round(x, 2), round(y, 2), round(x + wide, 2), round(y + high, 2))


def _all(item: Element | None) -> Iterator[Element]:
    return item.iter() if item is not None else iter(())


def _is_hidden(item: Element) -> bool:
    return any(truth(attr(find(part, "p:cNvPr"), "hidden")) for part in item if tag(part).startswith("p:nv"))


def _name(item: Element) -> str:
    return next((attr(find(part, "p:cNvPr"), "name") for part in item if tag(part).startswith("p:nv")), "")


def _role(item: Element, kind: str, place: Element | None) -> str:
    if kind == "p:pic":
        return "picture"
    if place is not None:
        return ROLES.get(attr(place, "type", "obj"), "body")
    return "text" if find(item, "p:txBody") is not None and any(tag(one) == "a:t" for one in item.iter()) else "other"


def reading_order(shapes: list[Shape]) -> list[Shape]:
    """Top to bottom, and left to right where tops are within 12 points of the first one of their row."""
    rows: list[list[Shape]] = []
    for shape in sorted(shapes, key=lambda one: one.top):
        if rows and shape.top - rows[-1][0].top <= 12:
            rows[-1].append(shape)
        else:
            rows.append([shape])
    return [shape for row in rows for shape in sorted(row, key=lambda one: one.left)]
