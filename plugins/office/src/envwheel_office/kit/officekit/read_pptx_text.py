"""Text of slides with its effective look: run, paragraph, shape, layout, master, presentation, in this order.

`Sources` says where a shape's text inherits from; `read_paragraphs` makes the records.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from .colors import close
from .drawing import ANY, EMU, Theme, color, fill
from .metrics import LINE, Piece, broken
from .model import Paragraph, Run, Style
from .opc import Element, attr, find, integer, tag

TINY = 2.0
"""Points; text up to this size is hidden."""
ALIGN = {"l": "left", "ctr": "center", "r": "right", "just": "justify", "dist": "justify"}


@dataclass(slots=True)
class Sources:
    """Where text inherits from, the nearest first: list styles (a:lstStyle and alike) and body properties."""

    theme: Theme
    mapping: dict[str, str]
    lists: list[Element] = field(default_factory=list)
    bodies: list[Element] = field(default_factory=list)
    color: str | None = None
    """What a shape's or a table's style says of the text's colour: weaker than the list style `own` of its body."""
    own: Element | None = None
    ground: str = "ffffff"
    """The background behind the text; `ANY` where it has no one colour."""
    scale: float = 1.0
    """What automatic fitting makes of sizes."""
    squeeze: float = 0.0
    """What it takes off the line spacing, a share."""

    def body(self, name: str, default: str = "") -> str:
        """A body property (a:bodyPr) by name."""
        return next((item.get(name) for item in self.bodies if item.get(name) is not None), default)

    def fitting(self) -> Element | None:
        """The nearest a:noAutofit, a:normAutofit or a:spAutoFit."""
        kinds = ("a:noAutofit", "a:normAutofit", "a:spAutoFit")
        return next((item for body in self.bodies for item in body if tag(item) in kinds), None)

    def insets(self) -> tuple[float, float, float, float]:
        """Points left, top, right, bottom between a shape's box and its text."""
        usual = {"lIns": 91440, "tIns": 45720, "rIns": 91440, "bIns": 45720}
        left, top, right, bottom = (integer(self.body(name), number) / EMU for name, number in usual.items())
        return left, top, right, bottom


@dataclass(slots=True)
class _Looks:
    """The chain of one run: its own properties, then those of its level in every list style."""

    own: Element | None
    levels: list[Element]
    sources: Sources

    def chain(self) -> Iterator[Element]:
        if self.own is not None:
            yield self.own
        for item in self.levels:
            found = find(item, "a:defRPr")
            if found is not None:
                yield found

    def stated(self, name: str, default: str = "") -> str:
        return next((item.get(name) for item in self.chain() if item.get(name) is not None), default)

    def child(self, name: str) -> Element | None:
        return next((found for item in self.chain() if (found := find(item, name)) is not None), None)

    def color(self) -> str:
        theme, mapping = self.sources.theme, self.sources.mapping
        if find(self.own, "a:hlinkClick") is not None:
            return theme.slot("hlink", mapping) or "0000ff"
        for item in self.chain():
            level = item.getparent()  # of a run's own properties, the run
            weaker = item is not self.own and (level is None or level.getparent() is not self.sources.own)
            if weaker and self.sources.color:
                return self.sources.color
            found = fill(item, theme, mapping)
            if found is not None:
                return found
        return self.sources.color or theme.slot("tx1", mapping) or "000000"

    def size(self) -> float:
        return integer(self.stated("sz"), 1800) / 100 * self.sources.scale

    def style(self) -> Style:
        sources = self.sources
        latin = self.child("a:latin")
        shown, size = self.color(), self.size()
        highlight = color(find(self.own, "a:highlight"), sources.theme, sources.mapping)
        ground = highlight or sources.ground
        unseen = shown == "none" or size <= TINY or (ANY not in (ground, shown) and close(shown, ground))
        return Style(
            bold=truth(self.stated("b")), italic=truth(self.stated("i")), hidden=unseen, size=round(size, 2),
            underline=self.stated("u", "none") != "none", strike=self.stated("strike", "noStrike") != "noStrike",
            font=sources.theme.font(attr(latin, "typeface")) or sources.theme.minor,
            color="000000" if shown in (ANY, "none") else shown, fill=None if ground == ANY else ground,
        )  # fmt: skip


def truth(text: str) -> bool:
    """Whether a switch such as b="1" is on."""
    return text in ("1", "true", "on")


def read_paragraphs(body: Element | None, sources: Sources) -> list[Paragraph]:
    """The paragraphs of a text body (p:txBody, a:txBody)."""
    if body is None:
        return []
    return [_paragraph(item, sources) for item in body if tag(item) == "a:p"]


def _paragraph(item: Element, sources: Sources) -> Paragraph:
    properties = find(item, "a:pPr")
    levels = _levels(properties, sources)
    runs: list[Run] = []
    text = ""
    for part in item:
        kind = tag(part)
        said = "\n" if kind == "a:br" else ""
        if kind in ("a:r", "a:fld"):
            said = attr_text(find(part, "a:t"))
        elif kind not in ("a:pPr", "a:endParaRPr", "a:br"):  # a formula, perhaps with a fallback
            said = "".join(one.text or "" for one in part.iter() if tag(one) == "m:t")
        if not said:
            continue
        style = _Looks(find(part, "a:rPr"), levels, sources).style()
        runs.append(Run(said, style))
        text += "" if style.hidden else said
    chain = [*([properties] if properties is not None else []), *levels]
    size = runs[0].style.size if runs else _Looks(find(item, "a:endParaRPr"), levels, sources).size()
    number, ordered = _bullet(chain, integer(attr(properties, "lvl")))
    align = next((one.get("algn") for one in chain if one.get("algn")), "l")
    return Paragraph(
        text=text, original=text, number=number, ordered=ordered, align=ALIGN.get(align, "left"), runs=runs,
        line_spacing=round(_spacing(chain, "a:lnSpc", size, 1.0) * (1 - sources.squeeze), 3),
        space_before=round(_space(chain, "a:spcBef", size), 2), space_after=round(_space(chain, "a:spcAft", size), 2),
    )  # fmt: skip


def attr_text(item: Element | None) -> str:
    """An element's text; "" for none. A vertical tab, as some producers write a line break, becomes a line end."""
    return (item.text or "").replace("\v", "\n").replace("_x000B_", "\n") if item is not None else ""


def _levels(properties: Element | None, sources: Sources) -> list[Element]:
    """The level properties (a:lvl1pPr, ...) that hold for a paragraph, one for each list style that has them."""
    level = min(max(integer(attr(properties, "lvl")), 0), 8) + 1
    found = []
    for item in sources.lists:
        own = find(item, f"a:lvl{level}pPr")
        own = own if own is not None else find(item, "a:defPPr")
        if own is not None:
            found.append(own)
    return found


def _bullet(chain: list[Element], level: int) -> tuple[int, bool]:
    for item in chain:
        for part in item:
            if tag(part) == "a:buNone":
                return 0, False
            if tag(part) in ("a:buChar", "a:buBlip"):
                return level + 1, False
            if tag(part) == "a:buAutoNum":
                return level + 1, True
    return 0, False


def _stated(chain: list[Element], name: str) -> Element | None:
    return next((found for item in chain if (found := find(item, name)) is not None), None)


def percent(text: str) -> float:
    """A share, written "90000" or "90%"."""
    return integer(text) / (100 if text.endswith("%") else 100_000)


def _spacing(chain: list[Element], name: str, size: float, usual: float) -> float:
    """Line spacing in lines."""
    stated = _stated(chain, name)
    share, points = find(stated, "a:spcPct"), find(stated, "a:spcPts")
    if share is not None:
        return percent(attr(share, "val"))
    return integer(attr(points, "val")) / 100 / (LINE * (size or 18)) if points is not None else usual


def _space(chain: list[Element], name: str, size: float) -> float:
    """Points before or after a paragraph."""
    stated = _stated(chain, name)
    share, points = find(stated, "a:spcPct"), find(stated, "a:spcPts")
    if share is not None:
        return percent(attr(share, "val")) * size
    return integer(attr(points, "val")) / 100 if points is not None else 0.0


def indent(item: Element, sources: Sources) -> float:
    """Points by which a paragraph's text stands in from the left."""
    properties = find(item, "a:pPr")
    chain = [*([properties] if properties is not None else []), *_levels(properties, sources)]
    return max(0.0, next((integer(one.get("marL")) / EMU for one in chain if one.get("marL")), 0.0))


def measured(body: Element | None, paragraphs: list[Paragraph], sources: Sources, room: float) -> tuple[float, float]:
    """(height, width) in points that a body's text takes in `room` points of width."""
    items = [item for item in body if tag(item) == "a:p"] if body is not None else []
    height = widest = 0.0
    for at, (item, paragraph) in enumerate(zip(items, paragraphs, strict=True)):
        inset = indent(item, sources)
        pieces = [Piece(run.text, run.style.font, run.style.size, run.style.bold) for run in paragraph.runs]
        empty = _Looks(find(item, "a:endParaRPr"), _levels(find(item, "a:pPr"), sources), sources).size()
        lines = broken(pieces, room - inset, empty)
        height += sum(lines.sizes) * LINE * paragraph.line_spacing
        height += (paragraph.space_before if at else 0.0) + (paragraph.space_after if at < len(items) - 1 else 0.0)
        widest = max(widest, lines.widest + inset)
    return height, widest


def fitted(body: Element | None, sources: Sources, room: tuple[float, float]) -> tuple[list[Paragraph], float, float]:
    """(paragraphs, height, width) of a body's text in a room (width, height), shrunk as its automatic fitting does.

    A program that shrinks on opening finds a scale itself where the file states none: in steps of 10 %, down to 30 %.
    """
    fitting = sources.fitting()
    shrinks = tag(fitting) == "a:normAutofit" if fitting is not None else False
    stated = attr(fitting, "fontScale") if shrinks else ""
    scales = [percent(stated)] if stated else [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3] if shrinks else [1.0]
    squeeze = percent(attr(fitting, "lnSpcReduction")) if shrinks and attr(fitting, "lnSpcReduction") else 0.0
    result: tuple[list[Paragraph], float, float] = ([], 0.0, 0.0)
    for scale in scales:
        tried = replace(sources, scale=scale, squeeze=squeeze or (0.1 if scale < 1 and not stated else 0.0))
        paragraphs = read_paragraphs(body, tried)
        result = (paragraphs, *measured(body, paragraphs, tried, room[0]))
        if result[1] <= room[1]:
            break
    return result
