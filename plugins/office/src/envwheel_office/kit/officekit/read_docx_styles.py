"""The effective look of text in a docx: run, character style, paragraph style, table style, document defaults.

`Styles.open(package, main)` reads styles.xml, numbering.xml and the theme once; the story walker asks it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .colors import close, contrast, tinted
from .drawing import ANY, PRESETS, Theme
from .model import Style
from .opc import Element, Package, attr, find, integer, q, tag, val

Looks = dict[str, Any]
"""Stated properties of text: bold, italic, strike, vanish, underline, font, size, color, shade, highlight, stretch (a
percentage of a letter's width). Missing: not stated."""

TOGGLES = ("bold", "italic", "strike", "vanish")
TINY = 2.0
"""Points; text up to this size is hidden."""

THIN = 20
"""Per cent of their width below which letters are a line."""

HEADING_NAMES = re.compile(
    r"^(?:heading|überschrift|titre|título|titulo|titolo|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|заголовок"
    r"|标题|見出し|제목)\s*([1-9])$",
    re.IGNORECASE,
)
"""Built-in heading styles: Word writes "heading 1" in every language, other producers the name that they show."""

SLOTS = {
    "dark1": "dk1", "text1": "dk1", "light1": "lt1", "background1": "lt1", "dark2": "dk2", "text2": "dk2",
    "light2": "lt2", "background2": "lt2", "hyperlink": "hlink", "followedHyperlink": "folHlink",
}  # fmt: skip

ALIGN = {"start": "left", "end": "right", "both": "justify", "distribute": "justify", "": "left"}


@dataclass(slots=True)
class Frame:
    """What surrounds a paragraph: the background (a colour or `ANY`), a table style's looks, a tracked row."""

    background: str = "ffffff"
    looks: Looks = field(default_factory=dict)
    change: str = ""
    unseen: bool = False
    """Whether nobody sees a paragraph here: lines or rows of no height, a place off the paper."""


@dataclass(slots=True)
class Styles:
    """The styles of one document."""

    theme: Theme
    elements: dict[str, Element]
    defaults: Looks = field(default_factory=dict)
    default_paragraph: Element | None = None
    usual: dict[str, str] = field(default_factory=dict)
    """Style type -> id of the style that holds where none is named."""
    nums: dict[str, Element] = field(default_factory=dict)
    abstract: dict[str, Element] = field(default_factory=dict)
    _looks: dict[str, Looks] = field(default_factory=dict)
    _paragraphs: dict[str, list[Element]] = field(default_factory=dict)

    @classmethod
    def open(cls, package: Package, main: str) -> Styles:
        """The styles of the document part `main`; a document without styles has Word's bare defaults."""
        styles = cls(Theme.read(package.root(main, "theme")), {})
        root = package.root(main, "styles")
        for item in root.findall(q("w:style")) if root is not None else ():
            styles.elements[attr(item, "w:styleId")] = item
            if attr(item, "w:default") in ("1", "true", "on"):
                styles.usual.setdefault(attr(item, "w:type"), attr(item, "w:styleId"))
        styles.defaults = styles.looks(find(root, "w:docDefaults", "w:rPrDefault", "w:rPr"))
        styles.default_paragraph = find(root, "w:docDefaults", "w:pPrDefault", "w:pPr")
        numbering = package.root(main, "numbering")
        for item in numbering if numbering is not None else ():
            if tag(item) == "w:num":
                styles.nums[attr(item, "w:numId")] = item
            elif tag(item) == "w:abstractNum":
                styles.abstract[attr(item, "w:abstractNumId")] = item
        return styles

    def chain(self, style_id: str) -> Iterator[Element]:
        """A style and what it is based on, the nearest first; a circle ends."""
        seen = set()
        while style_id in self.elements and style_id not in seen:
            seen.add(style_id)
            yield self.elements[style_id]
            style_id = val(self.elements[style_id], "w:basedOn")

    def name(self, style_id: str) -> str:
        """A style's name as Word shows it."""
        name = val(self.elements.get(style_id), "w:name") or style_id
        return name[:1].upper() + name[1:] if name.startswith(("heading ", "toc ")) else name

    def looks(self, properties: Element | None) -> Looks:
        """What run properties (w:rPr) state."""
        found: Looks = {}
        for item in properties if properties is not None else ():
            kind = tag(item)
            if kind in ("w:b", "w:i", "w:strike", "w:dstrike", "w:vanish"):
                name = {"w:b": "bold", "w:i": "italic", "w:vanish": "vanish"}.get(kind, "strike")
                found[name] = on(item) or (kind == "w:dstrike" and found.get("strike", False))
            elif kind == "w:u":
                found["underline"] = attr(item, "w:val", "single") not in ("none", "0")
            elif kind == "w:sz":
                found["size"] = integer(attr(item, "w:val")) / 2
            elif kind == "w:w":
                found["stretch"] = integer(attr(item, "w:val"), 100)
            elif kind == "w:color":
                found["color"] = self._color(item, "w:val", "w:theme")
            elif kind == "w:highlight":
                found["highlight"] = PRESETS.get(attr(item, "w:val"))
            elif kind == "w:shd":
                found["shade"] = self.shade(item)
            elif kind == "w:rFonts":
                font = self._font(item)
                if font:
                    found["font"] = font
        return found

    def _font(self, item: Element) -> str:
        reference = attr(item, "w:asciiTheme") or attr(item, "w:hAnsiTheme")
        if reference:
            return self.theme.major if reference.startswith("major") else self.theme.minor
        return attr(item, "w:ascii") or attr(item, "w:hAnsi")

    def _color(self, item: Element, value: str, theme: str) -> str:
        """ "rrggbb" or "auto" of an element's attributes, its theme colour before its plain one."""
        slot = attr(item, f"{theme}Color" if theme == "w:theme" else theme)
        base = self.theme.colors.get(SLOTS.get(slot, slot)) if slot else None
        if base:
            tint, shade = attr(item, f"{theme}Tint"), attr(item, f"{theme}Shade")
            if tint:
                base = tinted(base, 1 - _hex(tint) / 255)
            return tinted(base, _hex(shade) / 255 - 1) if shade else base
        plain = attr(item, value, "auto").lower()
        return plain if re.fullmatch("[0-9a-f]{6}", plain) else "auto"

    def shade(self, item: Element | None) -> str | None:
        """The colour of a w:shd; None for none."""
        if item is None:
            return None
        solid = attr(item, "w:val") == "solid"
        found = self._color(item, "w:color", "w:theme") if solid else self._color(item, "w:fill", "w:themeFill")
        return None if found == "auto" else found

    def style_looks(self, style_id: str) -> Looks:
        """What a style and its ancestors state."""
        if style_id not in self._looks:
            found: Looks = {}
            for item in reversed(list(self.chain(style_id))):
                found.update(self.looks(find(item, "w:rPr")))
            self._looks[style_id] = found
        return self._looks[style_id]

    def run(self, paragraph_style: str, properties: Element | None, frame: Frame, shade: str | None) -> Style:
        """The effective style of a run in a paragraph of that style, with that shade, in that frame."""
        direct = self.looks(properties)
        character = self.style_looks(val(properties, "w:rStyle"))
        paragraph = self.style_looks(paragraph_style)
        merged = {**self.defaults, **frame.looks, **paragraph, **character, **direct}
        for name in TOGGLES:  # ECMA-376 17.7.3: styles of several kinds cancel each other out
            if name not in direct:
                states = [layer.get(name, False) for layer in (frame.looks, paragraph, character)]
                merged[name] = self.defaults.get(name, False) or sum(states) % 2 == 1
        ground = merged.get("highlight") or merged.get("shade") or shade or frame.background
        color = merged.get("color", "auto")
        if color == "auto":
            color = "ffffff" if ground != ANY and contrast(ground, "ffffff") > 10 else "000000"
        size = merged.get("size", 10.0)
        unseen = (
            frame.unseen
            or merged["vanish"]
            or size <= TINY
            or merged.get("stretch", 100) < THIN
            or (ground != ANY and close(color, ground))
        )
        return Style(
            bold=merged["bold"], italic=merged["italic"], strike=merged["strike"], hidden=unseen,
            underline=merged.get("underline", False), font=merged.get("font", "Times New Roman"), size=size,
            color=color, fill=None if ground == "ffffff" else ground,
        )  # fmt: skip

    def paragraph(self, properties: Element | None) -> list[Element]:
        """The w:pPr that hold for a paragraph, the nearest first."""
        style_id = self.style_of(properties)
        if style_id not in self._paragraphs:
            chain = [find(item, "w:pPr") for item in self.chain(style_id)]
            self._paragraphs[style_id] = [item for item in (*chain, self.default_paragraph) if item is not None]
        return [*([properties] if properties is not None else []), *self._paragraphs[style_id]]

    def style_of(self, properties: Element | None) -> str:
        """The id of a paragraph's style."""
        stated = val(properties, "w:pStyle")
        return stated if stated in self.elements else self.usual.get("paragraph", stated)

    def level(self, properties: Element | None) -> int:
        """A paragraph's heading level: its own outline level, its styles', or the level in their names; else 0."""
        steps = [(properties, "")]
        steps += [(find(item, "w:pPr"), val(item, "w:name")) for item in self.chain(self.style_of(properties))]
        for stated, name in steps:
            outline = val(stated, "w:outlineLvl")
            if outline:
                return integer(outline, 9) + 1 if integer(outline, 9) < 9 else 0
            named = HEADING_NAMES.match(name.strip())
            if named:
                return int(named[1])
        return 0

    def listing(self, properties: Element | None) -> tuple[int, bool]:
        """A paragraph's list level from 1 (0: no list) and whether it counts."""
        stated = first(self.paragraph(properties), "w:numPr")
        number = val(stated, "w:numId")
        num = self.nums.get(number)
        if stated is None or number == "0" or num is None:
            return 0, False
        levels = self._levels(num)
        own = self.style_of(properties)
        linked = [at for at, item in levels.items() if val(item, "w:pStyle") == own]
        at = val(stated, "w:ilvl") or (linked[0] if linked else "0")
        form = val(levels.get(at), "w:numFmt", default="decimal" if at in levels else "bullet")
        return (0, False) if form == "none" else (integer(at) + 1, form != "bullet")

    def _levels(self, num: Element) -> dict[str, Element]:
        abstract = self.abstract.get(val(num, "w:abstractNumId"))
        linked = val(abstract, "w:numStyleLink")
        if linked and linked in self.elements:
            other = self.nums.get(val(self.elements[linked], "w:pPr", "w:numPr", "w:numId"))
            abstract = self.abstract.get(val(other, "w:abstractNumId"), abstract)
        levels = (
            {attr(item, "w:ilvl"): item for item in abstract if tag(item) == "w:lvl"} if abstract is not None else {}
        )
        for item in num.findall(q("w:lvlOverride")):
            replaced = find(item, "w:lvl")
            if replaced is not None:
                levels[attr(item, "w:ilvl")] = replaced
        return levels

    def cell(self, table: Element, row: tuple[int, int], column: tuple[int, int]) -> tuple[Looks, str | None]:
        """What a table's style says of a cell: looks and shade. `row` and `column` are (index, how many)."""
        looks: Looks = {}
        shade = None
        style_id = val(table, "w:tblPr", "w:tblStyle") or self.usual.get("table", "")
        parts = _parts(find(table, "w:tblPr", "w:tblLook"), row, column)
        for item in reversed(list(self.chain(style_id))):
            looks.update(self.looks(find(item, "w:rPr")))
            shade = self.shade(find(item, "w:tcPr", "w:shd")) or shade
            stated = {attr(part, "w:type"): part for part in item.findall(q("w:tblStylePr"))}
            for name in parts:
                looks.update(self.looks(find(stated.get(name), "w:rPr")))
                shade = self.shade(find(stated.get(name), "w:tcPr", "w:shd")) or shade
        return looks, shade


def _parts(look: Element | None, row: tuple[int, int], column: tuple[int, int]) -> list[str]:
    """The conditional parts of a table style that hold for a cell, later ones winning (ECMA-376 17.7.6)."""
    bits = _hex(attr(look, "w:val", "04A0"))

    def asked(name: str, bit: int) -> bool:
        stated = attr(look, f"w:{name}")
        return stated in ("1", "true", "on") if stated else bool(bits & bit)

    top, left = asked("firstRow", 0x20), asked("firstColumn", 0x80)
    parts = []
    if not asked("noVBand", 0x400):
        parts.append("band1Vert" if (column[0] - left) % 2 == 0 else "band2Vert")
    if not asked("noHBand", 0x200):
        parts.append("band1Horz" if (row[0] - top) % 2 == 0 else "band2Horz")
    parts += ["firstCol"] if left and column[0] == 0 else []
    parts += ["lastCol"] if asked("lastColumn", 0x100) and column[0] == column[1] - 1 else []
    parts += ["lastRow"] if asked("lastRow", 0x40) and row[0] == row[1] - 1 else []
    return [*parts, "firstRow"] if top and row[0] == 0 else parts


def on(item: Element | None) -> bool:
    """Whether a switch such as w:b is there and not off."""
    return item is not None and attr(item, "w:val", "1") not in ("0", "false", "off", "none")


def first(elements: list[Element], name: str) -> Element | None:
    """The child `name` of the first element that has one."""
    return next((found for item in elements if (found := find(item, name)) is not None), None)


def _hex(text: str) -> int:
    try:
        return int(text, 16)
    except ValueError:
        return 0
