"""What docx, pptx and charts share of DrawingML: themes, colours, fills, sizes.

`Theme.read(root)` of a theme part; `color(element, theme, mapping)` of a fill or of anything that holds a colour.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .colors import changed, text_of
from .opc import Element, attr, find, integer, tag

EMU = 12_700
"""English metric units of one point."""

PRESETS = {
    "black": "000000", "white": "ffffff", "red": "ff0000", "green": "008000", "blue": "0000ff", "yellow": "ffff00",
    "cyan": "00ffff", "magenta": "ff00ff", "gray": "808080", "grey": "808080", "lightGray": "d3d3d3",
    "darkGray": "a9a9a9", "orange": "ffa500", "purple": "800080", "navy": "000080", "darkBlue": "00008b",
    "darkCyan": "008b8b", "darkGreen": "006400", "darkMagenta": "8b008b", "darkRed": "8b0000", "darkYellow": "808000",
    "maroon": "800000", "teal": "008080", "silver": "c0c0c0", "lime": "00ff00", "olive": "808000", "pink": "ffc0cb",
}  # fmt: skip
"""Named colours of DrawingML (prstClr) and of Word's highlighter."""

OFFICE = {
    "dk1": "000000", "lt1": "ffffff", "dk2": "44546a", "lt2": "e7e6e6", "accent1": "4472c4", "accent2": "ed7d31",
    "accent3": "a5a5a5", "accent4": "ffc000", "accent5": "5b9bd5", "accent6": "70ad47", "hlink": "0563c1",
    "folHlink": "954f72",
}  # fmt: skip
"""The Office theme, for a document without one."""

USUAL_MAP = {"bg1": "lt1", "tx1": "dk1", "bg2": "lt2", "tx2": "dk2"}


@dataclass(slots=True)
class Theme:
    """A theme's colours by slot ("dk1", "accent3") and its two fonts."""

    colors: dict[str, str] = field(default_factory=lambda: dict(OFFICE))
    major: str = "Calibri Light"
    minor: str = "Calibri"

    @classmethod
    def read(cls, root: Element | None) -> Theme:
        """The theme of a theme part's root; the Office theme for None."""
        theme = cls()
        if root is None:
            return theme
        scheme = find(root, "a:themeElements", "a:clrScheme")
        for slot in scheme if scheme is not None else ():
            found = color(slot, theme)
            if found:
                theme.colors[tag(slot).removeprefix("a:")] = found
        for name, part in (("major", "a:majorFont"), ("minor", "a:minorFont")):
            latin = attr(find(root, "a:themeElements", "a:fontScheme", part, "a:latin"), "typeface")
            if latin:
                setattr(theme, name, latin)
        return theme

    def slot(self, name: str, mapping: dict[str, str] | None = None) -> str | None:
        """The colour of a scheme name ("tx1", "accent2"), through a colour map."""
        mapped = (mapping or {}).get(name) or USUAL_MAP.get(name, name)
        return self.colors.get(mapped)

    def font(self, name: str) -> str:
        """A typeface by its name or by its theme reference, "+mn-lt"."""
        if name.startswith("+"):
            return self.major if name.startswith("+mj") else self.minor
        return name


def color(
    holder: Element | None, theme: Theme, mapping: dict[str, str] | None = None, own: str | None = None
) -> str | None:
    """The colour that stands directly in `holder` (a solidFill, a theme slot); `own` is what phClr means there.

    None when there is none. Nearly transparent colours (alpha below 10 %) are none.
    """
    for item in holder if holder is not None else ():
        base = _base(item, theme, mapping, own)
        if base is None:
            continue
        for change in item:
            how, amount = tag(change).removeprefix("a:"), integer(attr(change, "val")) / 100_000
            if how == "alpha" and amount < 0.1:
                return None
            base = changed(base, how, amount)
        return base
    return None


def _base(item: Element, theme: Theme, mapping: dict[str, str] | None, own: str | None) -> str | None:
    kind, value = tag(item), attr(item, "val")
    if kind == "a:srgbClr":
        return value.lower() if _is_hex(value) else None
    if kind == "a:sysClr":
        last = attr(item, "lastClr") or ("ffffff" if value == "window" else "000000")
        return last.lower() if _is_hex(last) else "000000"
    if kind == "a:schemeClr":
        return own if value == "phClr" else theme.slot(value, mapping)
    if kind == "a:prstClr":
        short = value.replace("dk", "dark").replace("lt", "light").replace("med", "medium")
        return PRESETS.get(value) or PRESETS.get(short, "808080")
    if kind == "a:scrgbClr":
        return text_of(*((integer(attr(item, part)) / 100_000) ** (1 / 2.2) for part in "rgb"))
    return None


def _is_hex(value: str) -> bool:
    return len(value) == 6 and all(letter in "0123456789abcdefABCDEF" for letter in value)


ANY = "any"
"""A fill that has no one colour: a picture, a gradient or a pattern. What stands on it is taken as seen."""


def fill(
    holder: Element | None, theme: Theme, mapping: dict[str, str] | None = None, own: str | None = None
) -> str | None:
    """The fill that properties (spPr, tcPr, bgPr) state: a colour, `ANY`, "none", or None when they state nothing."""
    for item in holder if holder is not None else ():
        kind = tag(item)
        if kind == "a:noFill":
            return "none"
        if kind == "a:solidFill":
            return color(item, theme, mapping, own) or "none"
        if kind in ("a:gradFill", "a:blipFill", "a:pattFill"):
            return ANY
    return None
