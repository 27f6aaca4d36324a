"""The AcroForm fields of a PDF, by their full names, and whether their values are seen on the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pypdf import PdfReader
from pypdf.generic import ArrayObject, DictionaryObject, StreamObject

from .model import FormField

READ_ONLY, PASSWORD, RADIO, PUSH = 1, 1 << 13, 1 << 15, 1 << 16
"""Field flags (ISO 32000-1, 12.7.3.1 and 12.7.4.2)."""
UNSEEN = 2 | 32
"""Annotation flags: hidden, no view."""
TINY = 2.0
"""Points; a field of less width or height is none that anybody sees."""
DEEP = 32
LITERAL, CODES = re.compile(rb"\((?:\\.|[^()\\])*\)", re.DOTALL), re.compile(rb"<[0-9A-Fa-f\s]+>\s*\]?\s*T[jJ]")
"""Texts in a drawing's operators: in letters, and in codes of its font."""
KINDS = {"/Tx": "text", "/Ch": "choice", "/Sig": "signature"}


def read_fields(reader: PdfReader) -> list[FormField]:
    """The fields that are seen on a page, in the order of pages; none where the document has no form."""
    root = reader.trailer["/Root"]
    if "/AcroForm" not in root:
        return []
    redrawn = str(root["/AcroForm"].get("/NeedAppearances", "")) == "True"
    fields: dict[str, FormField] = {}
    for number, page in enumerate(reader.pages, start=1):
        for widget in _widgets(page):
            chain = list(_chain(widget))
            name = ".".join(reversed([str(item["/T"]) for item in chain if "/T" in item]))
            kind = _kind(chain)
            if not name or not kind:
                continue
            field = fields.setdefault(name, FormField(name, kind, page=number))
            field.read_only = bool(_flags(chain) & READ_ONLY)
            field.value = _value(chain, kind) or field.value
            if kind in ("text", "choice") and not redrawn:
                field.seen = field.seen and _shows(widget, _said(chain, field.value, kind))
            field.choices += [item for item in _choices(chain, widget, kind) if item not in field.choices]
    for field in fields.values():
        if field.kind in ("checkbox", "radio") and not field.value:
            field.value = "Off"
    return list(fields.values())


def _widgets(page: Any) -> Iterator[DictionaryObject]:
    annotations = page.get("/Annots")
    annotations = annotations.get_object() if annotations is not None else None
    for item in annotations if isinstance(annotations, ArrayObject) else ():
        widget = item.get_object()
        if isinstance(widget, DictionaryObject) and widget.get("/Subtype") == "/Widget":
            flags = widget.get("/F", 0)
            if not (isinstance(flags, int) and flags & UNSEEN) and _is_placed(widget, page):
                yield widget


def _is_placed(widget: DictionaryObject, page: Any) -> bool:
    """Whether a widget has some size, and its middle lies on its page."""
    stated = widget.get("/Rect")
    corners = [float(part) for part in stated.get_object()] if stated is not None else []
    if len(corners) != 4:
        return False
    (left, right), (low, high) = sorted(corners[::2]), sorted(corners[1::2])
    box = page.mediabox
    inside = box.left <= (left + right) / 2 <= box.right and box.bottom <= (low + high) / 2 <= box.top
    return inside and right - left > TINY and high - low > TINY


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


def _value(chain: list[DictionaryObject], kind: str) -> str:
    value = _stated(chain, "/V")
    if kind in ("checkbox", "radio") and "/AS" in chain[0]:
        value = chain[0]["/AS"]  # what is shown: a box whose value alone was set is seen empty
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
    looks = widget.get("/AP")
    normal = looks.get_object().get("/N") if looks is not None else None
    normal = normal.get_object() if normal is not None else None
    if kind in ("checkbox", "radio") and isinstance(normal, DictionaryObject) and not isinstance(normal, StreamObject):
        return [str(name).removeprefix("/") for name in normal if name != "/Off"]
    return []


def _shows(widget: DictionaryObject, values: list[str]) -> bool:
    """Whether a widget's own drawing holds one of `values`. One in a font with codes of its own is believed to."""
    if not values[0].strip():
        return True
    looks = widget.get("/AP")
    normal = looks.get_object().get("/N") if looks is not None else None
    normal = normal.get_object() if normal is not None else None
    if not isinstance(normal, StreamObject):
        return False
    drawing = normal.get_data()
    shown = "".join("".join(map(_literal, LITERAL.findall(drawing))).split())
    if not shown:
        return bool(CODES.search(drawing))
    readable = shown.isascii() and shown.isprintable() and all(value.isascii() for value in values)
    return not readable or _own_codes(normal) or any("".join(value.split()) in shown for value in values)


def _own_codes(drawing: StreamObject) -> bool:
    """Whether a drawing has a font of which only a part is embedded, or one with codes of two bytes."""
    resources = drawing.get("/Resources")
    fonts = resources.get_object().get("/Font") if resources is not None else None
    found = [font.get_object() for font in fonts.get_object().values()] if fonts is not None else []
    return any(font.get("/Subtype") == "/Type0" or "+" in str(font.get("/BaseFont")) for font in found)


def _literal(text: bytes) -> str:
    octal = re.sub(rb"\\([0-7]{1,3})", lambda code: bytes([int(code[1], 8) & 255]), text[1:-1])
    return re.sub(rb"\\([()\\])", rb"\1", octal).decode("latin-1")


def _said(chain: list[DictionaryObject], value: str, kind: str) -> list[str]:
    """A value, and what a list shows for it; of a password nothing is shown."""
    flags = _flags(chain)
    if kind == "text" and flags & PASSWORD:
        return [""]
    options = [item.get_object() for item in _stated(chain, "/Opt") or ()] if kind == "choice" else []
    pairs = [item for item in options if isinstance(item, ArrayObject) and len(item) > 1]
    return [value, *(str(item[-1]) for item in pairs if str(item[0]) == value)]
