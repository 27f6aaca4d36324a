"""Reads a pdf: `read(path)` gives a Pdf. Words and tables by pdfplumber, what is seen by pypdfium2, forms by pypdf."""

from __future__ import annotations

import codecs
import functools
import io
import itertools
import logging
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pdfplumber
import pypdf
import pypdfium2
import pypdfium2.raw as pdfium

from .colors import text_of
from .model import Grid, Page, Pdf, Word
from .read_pdf_form import Letters, read_fields
from .read_pdf_rows import lines
from .read_pdf_sight import TINY, Sight, look

for _name in ("utf-16-be", "utf-16-le", "utf-16", "latin-1", "cp1252", "mac-roman", "ascii"):
    codecs.lookup(_name)  # now, for a child that has given up root may not reach the interpreter's files any more

MOST = 100
"""Pages that are read at most: a dense one takes about 0.3 s of CPU time."""
MOST_LINES = 3_000
"""Drawn lines on a page up to which tables are looked for."""
GAP, WIDE_GAP = 0.15, 0.3
"""Sizes between letters from which on a word ends: in text without blanks, and in text that has them."""
PROPERTIES = ("title", "author", "subject", "keywords", "creator", "producer")


def read(path: Path | str) -> Pdf:
    """The document at `path`. Raises ValueError with the reason when it is none."""
    logging.getLogger("pdfminer").setLevel(logging.CRITICAL)
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    data = Path(path).read_bytes()
    if b"%PDF-" not in data[:1024]:
        raise ValueError("no PDF: it does not begin with %PDF-")
    try:
        return _read(path)
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # three libraries with exceptions of their own, on a file made to break them
        said = str(error) or type(error).__name__
        raise ValueError(said if said.startswith("it ") else f"no readable PDF: {said[:200]}") from None


def _read(path: Path | str) -> Pdf:
    reader = pypdf.PdfReader(path)
    if reader.is_encrypted and not reader.decrypt(""):
        raise ValueError("it is encrypted: a password is needed")
    drawing = pypdfium2.PdfDocument(path)
    if len(drawing) > MOST:
        raise ValueError(f"it has {len(drawing)} pages, more than {MOST}")
    if not len(drawing):
        raise ValueError("it has no page")
    document = Pdf(fields=read_fields(reader, _letters(path)), properties=_properties(reader))
    with pdfplumber.open(path) as layout:
        for seen, page in zip(drawing, layout.pages, strict=True):
            document.pages.append(_page(page, seen))
            page.close()
            seen.close()
    drawing.close()
    return document


def _letters(path: Path | str) -> Letters:
    """Reads the pages once more with their annotations flattened into them, when it is first asked."""

    @functools.cache
    def flat() -> tuple[Any, Any]:
        drawing, out = pypdfium2.PdfDocument(path), io.BytesIO()
        for page in drawing:
            page.set_rotation(0)
            page.set_cropbox(*page.get_mediabox())
            pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY)
            page.close()
        drawing.save(out)
        return pdfplumber.open(out), pypdfium2.PdfDocument(out)

    @functools.cache
    def letters(number: int) -> list[Word]:
        pages, drawing = flat()
        layout = pages.pages[number]
        shift = _shift(layout)
        found = [_word({**char, "chars": [char]}, shift) for char in layout.chars]
        found = [letter for letter in found if _finite(letter)]
        look(found, Sight(drawing[number]))
        return found

    return letters


def _properties(reader: pypdf.PdfReader) -> dict[str, str]:
    stated = reader.metadata
    found = {name: getattr(stated, name, None) for name in PROPERTIES} if stated else {}
    return {name: str(value) for name, value in found.items() if value}


def _page(layout: Any, seen: Any) -> Page:
    shift = _shift(layout)
    width, height = seen.get_size()
    page = Page(round(width, 2), round(height, 2), rotation=layout.rotation)
    twice = _twice(layout.chars)
    once = layout.filter(lambda item: id(item) not in twice) if twice else layout
    apart = ["non_stroking_color"] if _stacked(once.chars) else []
    blanks = sum(char["text"] == " " for char in once.chars) > 0.05 * len(once.chars)
    gap = WIDE_GAP if blanks else GAP
    pieces = once.extract_words(return_chars=True, extra_attrs=apart, x_tolerance_ratio=gap)
    order = {id(char): at for at, char in enumerate(once.chars)}
    pieces.sort(key=lambda piece: order.get(id(piece["chars"][0]), 0))
    words = [(_word(piece, shift), piece) for piece in pieces]
    words = [(word, piece) for word, piece in words if _finite(word)]
    look([word for word, _ in words], Sight(seen))
    page.words = [word for word, _ in words]
    page.text = "\n".join(lines(page.words))
    hidden = {_place(char) for word, piece in words if not word.visible for char in piece["chars"]}
    page.tables = _tables(once.filter(lambda item: item["object_type"] != "char" or _place(item) not in hidden))
    page.pictures = sum(item["width"] > TINY and item["height"] > TINY for item in layout.images)
    return page


def _twice(chars: Sequence[dict[str, Any]]) -> set[int]:
    """Letters that are drawn once more in their place, as some producers make text bold."""
    seen: set[tuple[str, str, int, int]] = set()
    repeated = set()
    for char in chars:
        place = char["text"], str(char["fontname"]), round(char["x0"]), round(char["top"])
        if place in seen:
            repeated.add(id(char))
        seen.add(place)
    return repeated


def _stacked(chars: Sequence[dict[str, Any]]) -> bool:
    """Whether letters of several colours lie on each other: their words must not be mixed."""
    kept = sorted((char for char in chars if char["text"].strip()), key=lambda char: (round(char["top"]), char["x0"]))
    for one, other in itertools.pairwise(kept):
        wide = min(one["x1"] - one["x0"], other["x1"] - other["x0"])
        near = abs(one["top"] - other["top"]) < 0.5 * one["height"] and other["x0"] - one["x0"] < 0.5 * wide
        if near and one.get("non_stroking_color") != other.get("non_stroking_color"):
            return True
    return False


def _shift(layout: Any) -> tuple[float, float]:
    """How far the seen page's corner lies from the corner that pdfplumber counts from (crop box, media box)."""
    media = [float(part) for part in layout.page_obj.mediabox]
    crop = [float(part) for part in layout.page_obj.cropbox or media]
    left, bottom = max(media[0], min(crop[0], crop[2])), max(media[1], min(crop[1], crop[3]))
    right, top = min(media[2], max(crop[0], crop[2])), min(media[3], max(crop[1], crop[3]))
    from_left, from_bottom, from_right, from_top = left - media[0], bottom - media[1], media[2] - right, media[3] - top
    across, down = {
        90: (from_bottom, from_left), 180: (from_right, from_bottom), 270: (from_top, from_right),
    }.get(layout.rotation, (from_left, from_top))  # fmt: skip
    return layout.bbox[0] + across, layout.bbox[1] + down


def _word(piece: dict[str, Any], shift: tuple[float, float]) -> Word:
    first = piece["chars"][0]
    left, top = shift
    return Word(
        piece["text"], round(piece["x0"] - left, 2), round(piece["top"] - top, 2), round(piece["x1"] - left, 2),
        round(piece["bottom"] - top, 2), size=round(_size(piece["chars"]), 2), color=_color(first),
    )  # fmt: skip


def _size(chars: Sequence[dict[str, Any]]) -> float:
    """The font's height; of text that stands on its side, how far it reaches across."""
    if chars[0].get("upright", True):
        return float(chars[0]["size"])
    return max(float(char["x1"]) - float(char["x0"]) for char in chars)


def _finite(word: Word) -> bool:
    return all(math.isfinite(number) for number in (word.left, word.top, word.right, word.bottom, word.size))


def _color(char: dict[str, Any]) -> str:
    """A character's fill colour: grey, RGB or CMYK; black where it has none of these."""
    stated = char.get("non_stroking_color") or ()
    parts = [float(part) for part in stated if isinstance(part, int | float)]
    if len(parts) == 1:
        return text_of(parts[0], parts[0], parts[0])
    if len(parts) == 3:
        return text_of(*parts)
    if len(parts) == 4:
        return text_of(*((1 - part) * (1 - parts[3]) for part in parts[:3]))
    return "000000"


def _place(char: dict[str, Any]) -> tuple[str, float, float]:
    return char["text"], round(char["x0"], 2), round(char["top"], 2)


def _tables(layout: Any) -> list[Grid]:
    """The tables that drawn lines make; merged cells repeat their text."""
    if not 4 <= len(layout.lines) + len(layout.rects) + len(layout.curves) <= MOST_LINES:
        return []
    found = [Grid(_filled(rows)) for rows in layout.extract_tables() if len(rows) > 1 and len(rows[0]) > 1]
    return [grid for grid in found if sum(bool(cell) for row in grid.rows for cell in row) > 1]  # no chart's lines


def _filled(rows: Sequence[Sequence[str | None]]) -> list[list[str]]:
    """Rows without holes: a cell that a merged one covers repeats the text to its left, else above it."""
    made: list[list[str]] = []
    for row in rows:
        line: list[str] = []
        for at, cell in enumerate(row):
            above = made[-1][at] if made and at < len(made[-1]) else ""
            line.append(cell if cell is not None else line[-1] if line else above)
        made.append([" ".join(cell.split()) for cell in line])
    return made
