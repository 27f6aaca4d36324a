"""Where a slide inherits from: layout, master, theme, colour map, background, placeholders of the same place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from .drawing import ANY, EMU, USUAL_MAP, Theme, color, fill
from .opc import Element, Package, attr, find, integer, tag
from .read_pptx_text import truth

TITLES = ("title", "ctrTitle")
MARGINALS = ("dt", "ftr", "sldNum")


@dataclass(frozen=True, slots=True)
class Box:
    """Points from the upper left corner of the slide."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def center(self) -> tuple[float, float]:
        return self.left + self.width / 2, self.top + self.height / 2

    def holds(self, point: tuple[float, float]) -> bool:
        """Whether a point lies in it."""
        return self.left <= point[0] <= self.right and self.top <= point[1] <= self.bottom

    def shared(self, other: Box) -> float:
        """The area that both have."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, across) * max(0.0, down)


@dataclass(frozen=True, slots=True)
class Move:
    """What nested groups make of coordinates, in EMU: scale, then shift, for x and y."""

    scale: tuple[float, float] = (1.0, 1.0)
    shift: tuple[float, float] = (0.0, 0.0)

    def box(self, frame: Element | None) -> Box | None:
        """The box of an xfrm (a:xfrm, p:xfrm); of one turned on its side, the box as it is seen."""
        offset, extent = find(frame, "a:off"), find(frame, "a:ext")
        if offset is None or extent is None:
            return None
        left = (integer(attr(offset, "x")) * self.scale[0] + self.shift[0]) / EMU
        top = (integer(attr(offset, "y")) * self.scale[1] + self.shift[1]) / EMU
        width = integer(attr(extent, "cx")) * self.scale[0] / EMU
        height = integer(attr(extent, "cy")) * self.scale[1] / EMU
        if turned(frame):
            left, top = left + (width - height) / 2, top + (height - width) / 2
            width, height = height, width
        return Box(left, top, width, height)

    def inner(self, frame: Element | None) -> Move:
        """What a group's xfrm makes of it for its children."""
        offset, extent, inner_offset, inner_extent = (
            find(frame, name) for name in ("a:off", "a:ext", "a:chOff", "a:chExt")
        )
        if offset is None or inner_offset is None:
            return self
        scales, shifts = [], []
        for at, (start, size) in enumerate((("x", "cx"), ("y", "cy"))):
            inside = integer(attr(inner_extent, size))
            own = integer(attr(extent, size)) / inside if inside else 1.0
            shift = integer(attr(offset, start)) - integer(attr(inner_offset, start)) * own
            scales.append(self.scale[at] * own)
            shifts.append(shift * self.scale[at] + self.shift[at])
        return Move((scales[0], scales[1]), (shifts[0], shifts[1]))


def turned(frame: Element | None) -> bool:
    """Whether an xfrm turns its shape onto its side."""
    return 45 < integer(attr(frame, "rot")) / 60_000 % 180 < 135


@dataclass(slots=True)
class Page:
    """One slide in its surroundings."""

    package: Package
    part: str
    root: Element
    theme: Theme
    mapping: dict[str, str]
    layout: Element | None = None
    master: Element | None = None
    defaults: Element | None = None
    """The presentation's defaultTextStyle."""
    table_styles: Element | None = None
    fills: list[str] = field(default_factory=list)
    """Kinds of the theme's background fills, "a:solidFill", ..."""

    @classmethod
    def open(cls, package: Package, main: str, part: str) -> Page:
        """The slide `part` of the presentation `main`. Raises ValueError when it is none."""
        root = package.xml(part)
        if tag(root) != "p:sld" or find(root, "p:cSld", "p:spTree") is None:
            raise ValueError(f"{part} is no slide")
        layout_part = next(iter(package.related(part, "slideLayout")), None)
        master_part = next(iter(package.related(layout_part, "slideMaster")), None) if layout_part else None
        master = package.xml(master_part) if master_part else None
        layout = package.xml(layout_part) if layout_part else None
        theme_root = package.root(master_part, "theme") if master_part else package.root(main, "theme")
        theme = Theme.read(theme_root)
        styles = find(theme_root, "a:themeElements", "a:fmtScheme", "a:bgFillStyleLst")
        return cls(
            package, part, root, theme, _mapping(root, layout, master), layout, master,
            find(package.xml(main), "p:defaultTextStyle"), package.root(main, "tableStyles"),
            [tag(item) for item in styles] if styles is not None else [],
        )  # fmt: skip

    @property
    def layout_name(self) -> str:
        """The layout's name as the program shows it."""
        return attr(find(self.layout, "p:cSld"), "name")

    def background(self) -> str:
        """The colour behind everything; `ANY` for a picture or a gradient, white where nothing is said."""
        for level in (self.root, self.layout, self.master):
            ground = find(level, "p:cSld", "p:bg")
            if ground is None:
                continue
            stated = fill(find(ground, "p:bgPr"), self.theme, self.mapping)
            reference = find(ground, "p:bgRef")
            if stated is None and reference is not None:
                at = integer(attr(reference, "idx")) - 1001
                plain = not 0 <= at < len(self.fills) or self.fills[at] == "a:solidFill"
                stated = color(reference, self.theme, self.mapping) if plain else ANY
            return "ffffff" if stated in (None, "none") else str(stated)
        return "ffffff"

    def inherited(self, place: Element | None) -> list[Element]:
        """The placeholders of layout and master that a placeholder (p:ph) takes its missing properties from."""
        if place is None:
            return []
        kind, number = attr(place, "type", "obj"), attr(place, "idx", "0")
        found = []
        layouts = list(_placeholders(self.layout))
        same = [item for item, other in layouts if attr(other, "idx", "0") == number and _alike(kind, other)]
        same += [item for item, other in layouts if attr(other, "type", "obj") == kind]
        if same:
            found.append(same[0])
            kind = attr(place_of(same[0]), "type", "obj")
        wanted = "title" if kind in TITLES else kind if kind in MARGINALS else "body"
        masters = [item for item, other in _placeholders(self.master) if attr(other, "type", "obj") == wanted]
        return [*found, *masters[:1]]

    def text_style(self, place: Element | None) -> Element | None:
        """The master's text style for a placeholder."""
        if place is None:
            return None
        kind = attr(place, "type", "obj")
        name = "p:titleStyle" if kind in TITLES else "p:otherStyle" if kind in MARGINALS else "p:bodyStyle"
        return find(self.master, "p:txStyles", name)

    def decoration(self) -> Iterator[Element]:
        """What layout and master draw beneath every slide, placeholders aside."""
        layout_shows = attr(self.root, "showMasterSp", "1")
        master_shows = attr(self.layout, "showMasterSp", "1")
        levels = [self.layout] if truth(layout_shows) else []
        levels = [self.master, *levels] if levels and truth(master_shows) else levels
        for level in levels:
            tree = find(level, "p:cSld", "p:spTree")
            for item in tree if tree is not None else ():
                if tag(item) in ("p:sp", "p:pic", "p:grpSp", "p:graphicFrame") and place_of(item) is None:
                    yield item


def _mapping(root: Element, layout: Element | None, master: Element | None) -> dict[str, str]:
    mapping = {**USUAL_MAP, **(dict(find(master, "p:clrMap").attrib) if find(master, "p:clrMap") is not None else {})}
    for level in (layout, root):
        own = find(level, "p:clrMapOvr", "a:overrideClrMapping")
        mapping.update(dict(own.attrib) if own is not None else {})
    return mapping


def _placeholders(level: Element | None) -> Iterator[tuple[Element, Element]]:
    tree = find(level, "p:cSld", "p:spTree")
    for item in tree if tree is not None else ():
        place = place_of(item)
        if place is not None:
            yield item, place


def _alike(kind: str, other: Element) -> bool:
    """Whether a placeholder of `kind` can belong to `other`: titles to titles, marginals to their own."""
    theirs = attr(other, "type", "obj")
    if kind in TITLES or theirs in TITLES:
        return kind in TITLES and theirs in TITLES
    return (kind in MARGINALS or theirs in MARGINALS) <= (kind == theirs)


def place_of(item: Element) -> Element | None:
    """The p:ph of a shape, of whatever kind it is."""
    for part in item:
        if tag(part) in ("p:nvSpPr", "p:nvPicPr", "p:nvGraphicFramePr"):
            return find(part, "p:nvPr", "p:ph")
    return None
