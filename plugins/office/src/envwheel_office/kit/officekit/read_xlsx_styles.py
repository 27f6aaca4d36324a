"""The looks of a workbook, resolved: part of read_xlsx.py. styles.xml and the theme -> records of Style."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass
from typing import Any, cast

from .colors import PALETTE
from .model_cells import Style
from .number_format import BUILT_IN, decimals, hides, number_class
from .package import Package, child, children, local, truth

THEME = ["ffffff", "000000", "eeece1", "1f497d", "4f81bd", "c0504d", "9bbb59", "8064a2", "4bacc6", "f79646", "0000ff",
         "800080"]  # fmt: skip
THEME_ORDER = ("lt1", "dk1", "lt2", "dk2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6", "hlink",
               "folHlink")  # fmt: skip


@dataclass(slots=True)
class Difference:
    """A differential format: what a rule changes, None where it says nothing."""

    fill: str | None = None
    color: str | None = None
    bold: bool | None = None


class Looks:
    """`styles` by a cell's style index, `differences` by a rule's dxfId."""

    def __init__(self, package: Package, workbook: str) -> None:
        self.theme = list(THEME)
        self.palette = list(PALETTE)
        self.styles = [Style()]
        self.differences: list[Difference] = []
        for part in package.related(workbook, "theme")[:1]:
            self._theme(package.xml(part))
        for part in package.related(workbook, "styles")[:1]:
            self._styles(package.xml(part))

    def color(self, element: Any) -> str | None:
        """The colour that a colour element means, "rrggbb"; None for none, and for the automatic one."""
        if element is None or truth(element.get("auto")):
            return None
        base = None
        if (rgb := element.get("rgb")) is not None:
            base = rgb[-6:].lower()
        elif (theme := element.get("theme")) is not None and int(theme) < len(self.theme):
            base = self.theme[int(theme)]
        elif (indexed := element.get("indexed")) is not None and int(indexed) < len(self.palette):
            base = self.palette[int(indexed)]
        return tinted(base, float(element.get("tint") or 0)) if base is not None else None

    def difference(self, dxf: Any) -> Difference:
        """What a dxf element says."""
        font = child(dxf, "font")
        bold = child(font, "b")
        return Difference(
            fill=self._dxf_fill(child(dxf, "fill")),
            color=self.color(child(font, "color")),
            bold=None if bold is None else truth(bold.get("val"), True),
        )

    def _theme(self, root: Any) -> None:
        scheme = child(root, "themeElements", "clrScheme")
        for place, wanted in enumerate(THEME_ORDER):
            for item in child(scheme, wanted) if child(scheme, wanted) is not None else ():
                self.theme[place] = (item.get("lastClr") or item.get("val") or self.theme[place]).lower()[-6:]

    def _styles(self, root: Any) -> None:
        for place, item in enumerate(children(child(root, "colors", "indexedColors"), "rgbColor")):
            if place < len(self.palette):
                self.palette[place] = item.get("rgb", "000000")[-6:].lower()
        codes = dict(BUILT_IN)
        for item in children(child(root, "numFmts"), "numFmt"):
            codes[int(item.get("numFmtId", 0))] = item.get("formatCode", "General")
        fonts = [self._font(item) for item in children(child(root, "fonts"), "font")]
        fills = [self._fill(item) for item in children(child(root, "fills"), "fill")]
        borders = [_borders(item) for item in children(child(root, "borders"), "border")]
        self.styles = [
            _style(
                item,
                _pick(fonts, item.get("fontId"), {}),
                _pick(fills, item.get("fillId"), None),
                _pick(borders, item.get("borderId"), {}),
                codes.get(int(item.get("numFmtId") or 0), "General"),
            )
            for item in children(child(root, "cellXfs"), "xf")
        ] or [Style()]
        self.differences = [self.difference(item) for item in children(child(root, "dxfs"), "dxf")]

    def _font(self, font: Any) -> dict[str, Any]:
        name, size = child(font, "name"), child(font, "sz")
        underline = child(font, "u")
        return {
            "bold": _flag(font, "b"),
            "italic": _flag(font, "i"),
            "strike": _flag(font, "strike"),
            "underline": underline is not None and underline.get("val", "single") != "none",
            "font": "" if name is None else name.get("val", ""),
            "size": 11.0 if size is None else float(size.get("val", 11)),
            "color": self.color(child(font, "color")) or "000000",
        }

    def _fill(self, fill: Any) -> str | None:
        pattern, stop = child(fill, "patternFill"), child(fill, "gradientFill", "stop", "color")
        if pattern is None:
            return self.color(stop)
        kind = pattern.get("patternType", "none")
        if kind == "none":
            return None
        front, back = self.color(child(pattern, "fgColor")), self.color(child(pattern, "bgColor"))
        if kind == "solid":
            return front or "000000"
        return back or "ffffff"

    def _dxf_fill(self, fill: Any) -> str | None:
        """In a differential format a solid fill's colour is bgColor, other than in a cell's."""
        pattern = child(fill, "patternFill")
        if pattern is None:
            return self.color(child(fill, "gradientFill", "stop", "color"))
        if pattern.get("patternType") == "none":
            return None
        return self.color(child(pattern, "bgColor")) or self.color(child(pattern, "fgColor"))


def tinted(base: str, tint: float) -> str:
    """`base` made lighter (tint > 0) or darker, in HLS as ECMA-376 part 1, 18.8.19 says."""
    if not tint or len(base) != 6:
        return base
    red, green, blue = (int(base[at : at + 2], 16) / 255 for at in (0, 2, 4))
    hue, light, saturation = colorsys.rgb_to_hls(red, green, blue)
    light = light * (1 + tint) if tint < 0 else light * (1 - tint) + tint
    return "".join(f"{round(part * 255):02x}" for part in colorsys.hls_to_rgb(hue, min(max(light, 0), 1), saturation))


def _style(xf: Any, font: dict[str, Any], fill: str | None, borders: dict[str, str], code: str) -> Style:
    alignment, protection = child(xf, "alignment"), child(xf, "protection")
    place = {} if alignment is None else alignment.attrib
    return Style(
        **font,
        number_format=code,
        number_class=cast(Any, number_class(code)),
        decimals=decimals(code),
        hidden=hides(code),
        fill=fill,
        align=place.get("horizontal", "general"),
        vertical=place.get("vertical", "bottom"),
        wrap=truth(place.get("wrapText")),
        locked=protection is None or truth(protection.get("locked"), True),
        borders=borders,
    )


def _borders(border: Any) -> dict[str, str]:
    sides = {"start": "left", "end": "right"}
    return {
        sides.get(local(side), local(side)): side.get("style")
        for side in border
        if side.get("style") not in (None, "none")
    }


def _flag(font: Any, wanted: str) -> bool:
    element = child(font, wanted)
    return element is not None and truth(element.get("val"), True)


def _pick(items: list[Any], index: str | None, otherwise: Any) -> Any:
    at = int(index or 0)
    return items[at] if at < len(items) else otherwise
