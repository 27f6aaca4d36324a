"""Colours as the eye takes them: how far apart, how well one reads on another, and what a theme makes of them.

A colour is "rrggbb" in lower case. `delta` is CIEDE2000 (Sharma, Wu, Dalal 2005, "The CIEDE2000 color-difference
formula"), `contrast` the ratio of WCAG 2.
"""

from __future__ import annotations

import colorsys
import functools
import math

SAME = 6.0
"""CIEDE2000 up to which two colours are one: tints of a theme and roundings lie below, red and orange far above."""

PALETTE = (
    "000000 ffffff ff0000 00ff00 0000ff ffff00 ff00ff 00ffff "
    * 2
    + "800000 008000 000080 808000 800080 008080 c0c0c0 808080 9999ff 993366 ffffcc ccffff 660066 ff8080 0066cc ccccff "
    "000080 ff00ff ffff00 00ffff 800080 800000 008080 0000ff 00ccff ccffff ccffcc ffff99 99ccff ff99cc cc99ff ffcc99 "
    "3366ff 33cccc 99cc00 ffcc00 ff9900 ff6600 666699 969696 003366 339966 003300 333300 993300 993366 333399 333333 "
    "000000 ffffff"
).split()
"""The indexed colours of SpreadsheetML (ECMA-376 18.8.27)."""


def rgb(color: str) -> tuple[float, float, float]:
    """Red, green and blue in [0, 1]; "aarrggbb" loses its alpha. ValueError for what is no colour."""
    text = color.strip().lstrip("#")[-6:]
    if len(text) != 6:
        raise ValueError(f"no colour: {color!r}")
    return tuple(int(text[at : at + 2], 16) / 255 for at in (0, 2, 4))  # type: ignore[return-value]


def text_of(red: float, green: float, blue: float) -> str:
    """ "rrggbb" of three parts in [0, 1]."""
    return "".join(f"{round(255 * min(1.0, max(0.0, part))):02x}" for part in (red, green, blue))


def close(a: str, b: str, limit: float = SAME) -> bool:
    """Whether two colours look the same. False for what is no colour."""
    try:
        return delta(a, b) <= limit
    except ValueError:
        return False


@functools.cache
def contrast(a: str, b: str) -> float:
    """How well one colour reads on the other: 1 (not at all) to 21 (black on white)."""
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(color: str) -> float:
    """Relative luminance in [0, 1]."""
    red, green, blue = (_linear(part) for part in rgb(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _coded(part: float) -> float:
    return part * 12.92 if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055


def lab(color: str) -> tuple[float, float, float]:
    """CIE L*a*b* under D65."""
    red, green, blue = (_linear(part) for part in rgb(color))
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    fx, fy, fz = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@functools.cache
def delta(a: str, b: str) -> float:
    """CIEDE2000 between two colours: below 1 nobody sees it, 100 is black against white."""
    return difference(lab(a), lab(b))


def difference(one: tuple[float, float, float], two: tuple[float, float, float]) -> float:
    """CIEDE2000 between two points of L*a*b*, all weights 1. The names are those of the paper."""
    (l1, a1, b1), (l2, a2, b2) = one, two
    mean7 = ((math.hypot(a1, b1) + math.hypot(a2, b2)) / 2) ** 7
    g = 0.5 * (1 - math.sqrt(mean7 / (mean7 + 25**7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, a)) % 360 if a or b else 0.0 for a, b in ((a1, b1), (a2, b2)))
    turn = 0.0 if not c1 * c2 else (h2 - h1 + 180) % 360 - 180
    if turn == -180:
        turn = 180.0
    dl, dc, dh = l2 - l1, c2 - c1, 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    l_mean, c_mean = (l1 + l2) / 2, (c1 + c2) / 2
    h_mean = _mean_hue(h1, h2) if c1 * c2 else h1 + h2
    t = (
        1
        - 0.17 * math.cos(math.radians(h_mean - 30))
        + 0.24 * math.cos(math.radians(2 * h_mean))
        + 0.32 * math.cos(math.radians(3 * h_mean + 6))
        - 0.20 * math.cos(math.radians(4 * h_mean - 63))
    )
    rotation = 30 * math.exp(-(((h_mean - 275) / 25) ** 2))
    rc = 2 * math.sqrt(c_mean**7 / (c_mean**7 + 25**7))
    sl = 1 + 0.015 * (l_mean - 50) ** 2 / math.sqrt(20 + (l_mean - 50) ** 2)
    sc, sh = 1 + 0.045 * c_mean, 1 + 0.015 * c_mean * t
    rt = -math.sin(math.radians(2 * rotation)) * rc
    return math.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rt * dc / sc * dh / sh)


def _mean_hue(h1: float, h2: float) -> float:
    if abs(h1 - h2) <= 180:
        return (h1 + h2) / 2
    return (h1 + h2 + 360) / 2 if h1 + h2 < 360 else (h1 + h2 - 360) / 2


def changed(color: str, how: str, amount: float) -> str:
    """A colour after one change of DrawingML: lumMod, lumOff, satMod, satOff, tint, shade with an amount in [0, 1]."""
    red, green, blue = rgb(color)
    if how in ("tint", "shade"):  # of light, not of the numbers: tx1 with a tint of 75 % is 898989
        white = 1 - amount if how == "tint" else 0.0
        return text_of(*(_coded(_linear(part) * amount + white) for part in (red, green, blue)))
    hue, light, strong = colorsys.rgb_to_hls(red, green, blue)
    if how in ("lumMod", "lumOff"):
        light = light * amount if how == "lumMod" else light + amount
    elif how in ("satMod", "satOff"):
        strong = strong * amount if how == "satMod" else strong + amount
    return text_of(*colorsys.hls_to_rgb(hue, min(1.0, max(0.0, light)), min(1.0, max(0.0, strong))))


def tinted(color: str, tint: float) -> str:
    """A theme colour of SpreadsheetML with its tint in [-1, 1] (ECMA-376 18.8.19): below 0 darker, above lighter."""
    hue, light, strong = colorsys.rgb_to_hls(*rgb(color))
    light = light * (1 + tint) if tint < 0 else light * (1 - tint) + tint
    return text_of(*colorsys.hls_to_rgb(hue, min(1.0, max(0.0, light)), strong))
