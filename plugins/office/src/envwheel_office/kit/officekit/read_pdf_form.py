"""The AcroForm fields of a PDF, by their full names, and whether their values are seen on the page."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pypdf import PdfReader
from pypdf.generic import ArrayObject, DictionaryObject, StreamObject

from .model import FormField, Word

READ_ONLY, PASSWORD, RADIO, PUSH = 1, 1 << 13, 1 << 15, 1 << 16
"""Field flags (ISO 32000-1, 12.7.3.1 and 12.7.4.2)."""
UNSEEN = 2 | 32
"""Annotation flags: hidden, no view."""
TINY = 2.0
"""Points; a field of less width or height is none that anybody sees."""
DEEP = 32
ENOUGH = 10
"""Letters of a value that have to be seen where its field is too small for all of it; else half of them."""
KINDS = {"/Tx": "text", "/Ch": "choice", "/Sig": "signature"}


Place = tuple[float, float, float, float]
Letters = Callable[[int], Sequence[Word]]
"""The letters on a page (from 0) with its fields drawn into it, unturned and uncropped, and whether they are seen."""


def read_fields(reader: PdfReader, letters: Letters) -> list[FormField]:
    """The fields that are seen on a page, in the order of pages; none where the document has no form."""
    root = reader.trailer["/Root"]
    if "/AcroForm" not in root:
        return []
    redrawn = str(root["/AcroForm"].get("/NeedAppearances", "")) == "True"
    layers = root["/OCProperties"].get("/D", {}) if "/OCProperties" in root else {}
    off = list(layers.get("/OFF", ()))
    fields: dict[str, FormField] = {}
    for number, page in enumerate(reader.pages, start=1):
        for widget in _widgets(page, off):
            chain = list(_chain(widget))
            name = ".".join(reversed([str(item["/T"]) for item in chain if "/T" in item]))
            kind = _kind(chain)
            if not name or not kind:
                continue
            field = fields.setdefault(name, FormField(name, kind, page=number))
            field.read_only = bool(_flags(chain) & READ_ONLY)
            value = _value(chain, kind, redrawn)
            if kind in ("text", "choice"):  # one name is one value: of two, nobody can tell which one is meant
                field.seen = field.seen and value in ("", field.value or value)
            field.value = value or field.value
            said = _said(chain, field.value, kind) if kind in ("text", "choice") else [""]
            if said[0].strip() and not redrawn:
                place = _place(widget, page)
                field.seen = field.seen and any(_shows(letters(number - 1), place, value) for value in said)
            field.choices += [item for item in _choices(chain, widget, kind) if item not in field.choices]
    for field in fields.values():
        if field.kind in ("checkbox", "radio") and not field.value:
            field.value = "Off"
    return list(fields.values())


def _widgets(page: Any, off: Sequence[Any]) -> Iterator[DictionaryObject]:
    """The widgets of a page that are seen; `off` are references to the layers that are not shown."""
    annotations = page.get("/Annots")
    annotations = annotations.get_object() if annotations is not None else None
    for item in annotations if isinstance(annotations, ArrayObject) else ():
        widget = item.get_object()
        if isinstance(widget, DictionaryObject) and widget.get("/Subtype") == "/Widget":
            flags = widget.get("/F", 0)
            unseen = (isinstance(flags, int) and flags & UNSEEN) or ("/OC" in widget and widget.raw_get("/OC") in off)
            if not unseen and _is_placed(widget, page):
                yield widget


def _is_placed(widget: DictionaryObject, page: Any) -> bool:
    """Whether a widget has some size, and its middle lies on its page."""
    if "/Rect" not in widget or len(widget["/Rect"]) != 4:
        return False
    left, top, right, bottom = _place(widget, page)
    box = page.mediabox
    inside = 0 <= (left + right) / 2 <= box.width and 0 <= (top + bottom) / 2 <= box.height
    return inside and right - left > TINY and bottom - top > TINY


def _place(widget: DictionaryObject, page: Any) -> Place:
    """Left, top, right and bottom of a widget from its page's corner."""
    corners = [float(part.get_object()) for part in widget["/Rect"]]
    (left, right), (low, high) = sorted(corners[::2]), sorted(corners[1::2])
    box = page.mediabox
    return left - float(box.left), float(box.top) - high, right - float(box.left), float(box.top) - low


def _chain(widget: DictionaryObject) -> Iterator[DictionaryObject]:
    """A widget and the fields above it."""
    item: Any = widget
    for _ in range(DEEP):
        if not isinstance(item, DictionaryObject):
            return
        yield item
        item = item["/Parent"] if "/Parent" in item else None  # noqa: SIM401


def _stated(chain: list[DictionaryObject], name: str) -> Any:
    return next((item[name] for item in chain if name in item), None)


def _flags(chain: list[DictionaryObject]) -> int:
    flags = _stated(chain, "/Ff")
    return flags if isinstance(flags, int) else 0


def _kind(chain: list[DictionaryObject]) -> str:
    stated, flags = str(_stated(chain, "/FT")), _flags(chain)
    if stated == "/Btn":
        return "button" if flags & PUSH else "radio" if flags & RADIO else "checkbox"
    return KINDS.get(stated, "")


def _value(chain: list[DictionaryObject], kind: str, redrawn: bool) -> str:
    value = _stated(chain, "/V")
    if kind in ("checkbox", "radio") and "/AS" in chain[0]:
        # What is shown: a box whose value alone was set is seen empty, so is one in a state without a drawing.
        value = chain[0]["/AS"] if redrawn or _is_drawn(chain[0], str(chain[0]["/AS"])) else "/Off"
        value = None if kind == "radio" and value == "/Off" else value
    if isinstance(value, ArrayObject):
        return ", ".join(str(item) for item in value)
    if isinstance(value, StreamObject):
        return value.get_data().decode("utf-8", "replace")
    if value is None or isinstance(value, DictionaryObject):
        return ""
    text = str(value)
    return text.removeprefix("/") if kind in ("checkbox", "radio") else text


def _choices(chain: list[DictionaryObject], widget: DictionaryObject, kind: str) -> list[str]:
    """A list's entries as they are shown; the states of a checkbox or radio button."""
    if kind == "choice":
        options = _stated(chain, "/Opt")
        resolved = [item.get_object() for item in options or ()]
        shown = [item[-1] if isinstance(item, ArrayObject) and item else item for item in resolved]
        return [str(item) for item in shown]
    normal = _looks(widget)
    if kind in ("checkbox", "radio") and normal is not None:
        return [str(name).removeprefix("/") for name in normal if name != "/Off"]
    return []


def _looks(widget: DictionaryObject) -> DictionaryObject | None:
    """A widget's drawings by its states; None where it has none, or one only."""
    looks = widget.get("/AP")
    normal = looks.get_object().get("/N") if looks is not None else None
    normal = normal.get_object() if normal is not None else None
    return normal if isinstance(normal, DictionaryObject) and not isinstance(normal, StreamObject) else None


def _is_drawn(widget: DictionaryObject, state: str) -> bool:
    """Whether a state of a box is drawn, and in another way than the empty one."""
    drawings = [(_looks(widget) or {}).get(name) for name in (state, "/Off")]
    drawings = [item.get_object() if item is not None else None for item in drawings]
    shown, empty = (item.get_data().split() if isinstance(item, StreamObject) else [] for item in drawings)
    return bool(shown) and shown != empty


def _shows(letters: Sequence[Word], place: Place, value: str) -> bool:
    """Whether a value is seen at a place.

    Letters of a font with codes of its own, which nobody can tell, are believed to be the value's.
    """
    wanted = _plain(value)
    if any(letter.visible and _lies_in(letter, place) for letter in letters if not wanted or not _is_told(letter.text)):
        return True
    spelled = [letter for letter in letters for _ in _plain(letter.text)]
    text = "".join(_plain(letter.text) for letter in letters)
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        inside = [letter for letter in spelled[at : at + len(wanted)] if _lies_in(letter, place)]
        whole = 2 * len(inside) >= min(len(wanted), 2 * ENOUGH)
        if whole and 2 * sum(letter.visible for letter in inside) > len(inside):
            return True
        at = text.find(wanted, at + 1)
    return False


def _plain(text: str) -> str:
    """What every producer and reader spells alike: ligatures resolved, no blanks, ASCII only."""
    if not _is_told(text):
        return ""
    return "".join(letter for letter in unicodedata.normalize("NFKC", text) if "!" <= letter <= "~")


def _is_told(letter: str) -> bool:
    return not letter.startswith("(cid:") and (letter.isprintable() or letter.isspace())


def _lies_in(letter: Word, place: Place) -> bool:
    left, top, right, bottom = place
    return left <= (letter.left + letter.right) / 2 <= right and top <= (letter.top + letter.bottom) / 2 <= bottom


def _said(chain: list[DictionaryObject], value: str, kind: str) -> list[str]:
    """A value, and what a list shows for it; of a password nothing is shown."""
    flags = _flags(chain)
    if kind == "text" and flags & PASSWORD:
        return [""]
    options = [item.get_object() for item in _stated(chain, "/Opt") or ()] if kind == "choice" else []
    pairs = [item for item in options if isinstance(item, ArrayObject) and len(item) > 1]
    return [value, *(str(item[-1]) for item in pairs if str(item[0]) == value)]
