"""Which words of a PDF page are seen: the page is drawn with and without its text, and where nothing changes was none.

That finds text of render mode 3, in its background's colour, covered, clipped or off the page, however it was made.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pypdfium2.raw as pdfium
from PIL import Image, ImageChops

from .colors import close, text_of
from .model import Word

DOTS = 2.0
"""Pixels a point."""
MOST_PIXELS = 8_000_000
STEP = 24
"""Levels (of 255) by which a pixel must change in one colour."""
TINY = 2.0
"""Points; words up to this height are hidden."""


class Sight:
    """One page (a pypdfium2 PdfPage), drawn twice; afterwards its text is invisible."""

    def __init__(self, page: Any) -> None:
        width, height = page.get_size()
        self.scale = min(DOTS, math.sqrt(MOST_PIXELS / max(1.0, width * height)))
        shown = page.render(scale=self.scale).to_pil().convert("RGB")
        invisible = pdfium.FPDF_TEXTRENDERMODE_INVISIBLE
        for item in list(page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_TEXT])):
            pdfium.FPDFTextObj_SetTextRenderMode(item, invisible)
        self.ground: Image.Image = page.render(scale=self.scale).to_pil().convert("RGB")
        self.changed: Image.Image = ImageChops.difference(shown, self.ground)

    def _box(self, word: Word) -> tuple[int, int, int, int] | None:
        """A word's pixels; None when it lies off the page."""
        left, top = max(0, math.floor(word.left * self.scale)), max(0, math.floor(word.top * self.scale))
        right = min(self.changed.width, math.ceil(word.right * self.scale))
        bottom = min(self.changed.height, math.ceil(word.bottom * self.scale))
        return (left, top, right, bottom) if right > left and bottom > top else None

    def sees(self, word: Word) -> bool:
        """Whether a word's pixels are its own."""
        box = self._box(word)
        if box is None or word.size <= TINY:
            return False
        return max(high for _, high in self.changed.crop(box).getextrema()) >= STEP

    def matches_ground(self, word: Word) -> bool:
        """Whether a word has the colour that is most frequent behind it."""
        box = self._box(word)
        counts = self.ground.crop(box).getcolors(256) if box else None
        if not counts:
            return False
        _, common = max(counts)
        return close(word.color, text_of(*(part / 255 for part in common)))


def look(words: Sequence[Word], sight: Sight) -> None:
    """Marks the words that nobody sees. Where two words lie on each other, one of the ground's colour is none."""
    for word in words:
        word.visible = sight.sees(word)
    shown = sorted((word for word in words if word.visible), key=lambda word: word.top)
    for at, word in enumerate(shown):
        for other in shown[at + 1 :]:
            if other.top > word.bottom:
                break
            if _overlap(word, other):
                for one in (word, other):
                    one.visible = one.visible and not sight.matches_ground(one)


def _overlap(one: Word, other: Word) -> bool:
    across = min(one.right, other.right) - max(one.left, other.left)
    down = min(one.bottom, other.bottom) - max(one.top, other.top)
    if across <= 0 or down <= 0:
        return False
    smaller = min((word.right - word.left) * (word.bottom - word.top) for word in (one, other))
    return across * down > 0.5 * smaller
