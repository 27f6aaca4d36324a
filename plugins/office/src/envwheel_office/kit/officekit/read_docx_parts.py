"""Small questions to WordprocessingML: what a part of a run shows, which branch counts, whether a drawing is seen."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .drawing import EMU
from .opc import Element, attr, find, integer, q, tag
from .read_docx_styles import TINY, on

FAR = 1_700.0
"""Points beyond which a text box lies on no paper in use."""
OUTSIDE = 400.0
"""Points to the left of the margin where no paper is any more."""


def code_word(code: str) -> str:
    """A field code's first word, which says what field it is."""
    return code.split()[0].upper() if code.split() else ""


def lines(texts: list[str]) -> str:
    """Texts a line each, without the empty ones."""
    return "\n".join(text for text in texts if text)


def inside(parent: Element, name: str) -> Iterator[Element]:
    """Children of that name, through content controls and other wrappers."""
    for item in parent:
        if tag(item) == name:
            yield item
        elif tag(item) in ("w:sdt", "w:sdtContent", "w:customXml"):
            yield from inside(item, name)


def choice(item: Element) -> Element:
    """The branch of an mc:AlternateContent that Word shows; the fallback only where there is no choice."""
    for name in ("mc:Choice", "mc:Fallback"):
        found = find(item, name)
        if found is not None:
            return found
    return item


def shown(part: Element, kind: str) -> str:
    """What a part of a run shows as text."""
    if kind in ("w:t", "w:delText"):
        kept = part.get("{http://www.w3.org/XML/1998/namespace}space") == "preserve"
        return (part.text or "") if kept else (part.text or "").strip(" \t\r\n")
    if kind == "w:sym":
        code = int(attr(part, "w:char"), 16) if re.fullmatch("[0-9A-Fa-f]{1,5}", attr(part, "w:char")) else 0
        code -= 0xF000 if 0xF000 <= code <= 0xF0FF else 0
        return chr(code) if code >= 32 and not 0xD800 <= code < 0xE000 else ""
    return {"w:tab": "\t", "w:ptab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-"}.get(kind, "")


def spacing(holding: list[Element], size: float) -> tuple[float, float, float]:
    """Points before and after a paragraph, and its line spacing in lines of its font (1.2 sizes high)."""
    stated = [found for item in holding if (found := find(item, "w:spacing")) is not None]

    def points(name: str) -> float:
        return next((integer(attr(item, name)) / 20 for item in stated if attr(item, name)), 0.0)

    ruled = next((item for item in stated if attr(item, "w:line")), None)
    height = integer(attr(ruled, "w:line"), 240)
    if attr(ruled, "w:lineRule", "auto") == "auto":
        return points("w:before"), points("w:after"), round(height / 240, 3)
    return points("w:before"), points("w:after"), round(height / 20 / (1.2 * (size or 10.0)), 3)


def flat(holding: list[Element]) -> bool:
    """Whether a paragraph's lines have no height, or its frame or indent puts it off the paper."""
    ruled = next(
        (one for item in holding if (one := find(item, "w:spacing")) is not None and attr(one, "w:line")), None
    )
    if attr(ruled, "w:lineRule") == "exact" and integer(attr(ruled, "w:line"), 240) <= TINY * 20:
        return True
    framed = next((one for item in holding if (one := find(item, "w:framePr")) is not None), None)
    indented = next((one for item in holding if (one := find(item, "w:ind")) is not None), None)
    places = [attr(framed, "w:x"), attr(framed, "w:y"), attr(indented, "w:left") or attr(indented, "w:start")]
    return any(not -OUTSIDE < integer(place) / 20 < FAR for place in places)


def low(row: Element) -> bool:
    """Whether a table's row is marked hidden or has no height."""
    properties = find(row, "w:trPr")
    height = find(properties, "w:trHeight")
    exact = attr(height, "w:hRule") == "exact" and integer(attr(height, "w:val"), 240) <= TINY * 20
    return exact or on(find(properties, "w:hidden"))


def within(item: Element, name: str) -> Iterator[Element]:
    """Descendants of that name that belong to this drawing: not in a fallback, not in a text box within."""
    for found in item.iter(q(name)):
        for up in found.iterancestors():
            if up is item:
                yield found
                break
            if tag(up) in ("mc:Fallback", "w:txbxContent"):
                break


def unseen(item: Element) -> bool:
    """Whether a drawing is marked hidden, is a point or two large, or lies on no paper in use."""
    placed = next((part for part in item if tag(part) in ("wp:anchor", "wp:inline")), None)
    if placed is None:
        return any("visibility:hidden" in attr(part, "style").replace(" ", "") for part in item.iter())
    width, height = (integer(attr(find(placed, "wp:extent"), name)) / EMU for name in ("cx", "cy"))
    if attr(placed, "hidden") in ("1", "true") or attr(find(placed, "wp:docPr"), "hidden") in ("1", "true"):
        return True
    for name, extent in (("wp:positionH", width), ("wp:positionV", height)):
        offset = find(placed, name, "wp:posOffset")
        at = integer(offset.text or "") / EMU if offset is not None else 0.0
        if at > FAR or at < -extent - 144:
            return True
    return width <= TINY or height <= TINY
