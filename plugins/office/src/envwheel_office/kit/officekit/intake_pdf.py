"""PDF before any parser: part of intake.py.

The bytes are searched as they are, and so are object streams, where names can hide: no script, no launching, no
attachment, no encryption.
"""

from __future__ import annotations

import re
import zlib

from .intake_parts import Refusal

MAX_OBJECTS = 50_000
MAX_PAGES = 500
MAX_UNPACKED = 200_000_000

STREAM = re.compile(rb"stream(?:\r\n|\n|\r)(.*?)endstream", re.DOTALL)
TEXT = re.compile(rb"\((?:\\.|[^()\\])*\)", re.DOTALL)
NAME = re.compile(rb"/([^\s/<>\[\](){}%\0]+)")
ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")
OBJECT = re.compile(rb"\b\d+\s+\d+\s+obj\b")
PAGE = re.compile(rb"/Type\s*/Page\b(?!s)")
OPEN = re.compile(rb"/OpenAction\s*(\[|<<|(\d+)\s+(\d+)\s+R)")
ACTIVE = frozenset({
    b"JavaScript", b"JS", b"Launch", b"EmbeddedFile", b"EmbeddedFiles", b"RichMedia", b"SubmitForm", b"ImportData",
    b"GoToR", b"GoToE", b"Movie", b"Sound", b"Rendition", b"XFA", b"Collection",
})  # fmt: skip


def check_pdf(data: bytes) -> None:
    """Raises Refusal unless `data` looks like a PDF that does nothing but show pages and fields."""
    if not re.match(rb"%PDF-[12]\.\d", data):
        raise Refusal("no pdf file: it does not start with %PDF-")
    if b"%%EOF" not in data[-2048:]:
        raise Refusal("truncated: no %%EOF at its end")
    plain, packed = split(data)
    for text in (plain, packed):
        check_names(text)
    if len(OBJECT.findall(plain)) + packed.count(b"<<") > 2 * MAX_OBJECTS:
        raise Refusal(f"more than {MAX_OBJECTS:,} objects")
    if len(PAGE.findall(plain)) + len(PAGE.findall(packed)) > MAX_PAGES:
        raise Refusal(f"more than {MAX_PAGES} pages")
    for match in OPEN.finditer(plain + b"\n" + packed):
        check_open_action(match, plain)


def split(data: bytes) -> tuple[bytes, bytes]:
    """The bytes outside of streams, and the unpacked object streams. Raises Refusal for those it cannot unpack."""
    plain, packed, at, budget = [], [], 0, MAX_UNPACKED
    for match in STREAM.finditer(data):
        before = data[at : match.start()]
        plain.append(before)
        at = match.end()
        dictionary = before[max(before.rfind(b"obj"), 0) :]
        if b"ObjStm" in names(dictionary):
            text = unpack(match[1], names(dictionary), budget)
            budget -= len(text)
            packed.append(text)
    plain.append(data[at:])
    return b"\n".join(plain), b"\n".join(packed)


def unpack(body: bytes, said: frozenset[bytes], budget: int) -> bytes:
    """An object stream's content."""
    others = {name for name in said if name.endswith(b"Decode")} - {b"FlateDecode"}
    if others or b"Crypt" in said:
        raise Refusal("an object stream that is packed in an unusual way")
    if b"FlateDecode" not in said:
        return body
    try:
        text = zlib.decompressobj().decompress(body, budget + 1)
    except zlib.error:
        raise Refusal("an object stream that cannot be unpacked") from None
    if len(text) > budget:
        raise Refusal(f"object streams unpack to more than {MAX_UNPACKED // 1_000_000} MB")
    return text


def names(text: bytes) -> frozenset[bytes]:
    """The names in `text`, escapes such as /J#53 resolved."""
    found = set(NAME.findall(text))
    return frozenset(ESCAPE.sub(lambda code: bytes([int(code[1], 16)]), name) if b"#" in name else name
                     for name in found)  # fmt: skip


def check_names(text: bytes) -> None:
    """Raises Refusal for a name that stands for something active, or for encryption."""
    said = names(TEXT.sub(b"", text))  # a title may hold "HTML/JS"
    if b"Encrypt" in said:
        raise Refusal("encrypted")
    active = sorted(said & ACTIVE)
    if active:
        raise Refusal(f"has active or attached content: /{active[0].decode('latin-1')}")


def check_open_action(match: re.Match[bytes], plain: bytes) -> None:
    """To open at a place is usual and harmless; any other action on opening is not."""
    if match[1] == b"[":
        return
    if match[1] == b"<<":
        target = match.string[match.start() : match.start() + 400]
    else:
        found = re.search(rb"\b" + match[2] + rb"\s+" + match[3] + rb"\s+obj\s*(.{0,400})", plain, re.DOTALL)
        target = found[1] if found else b""
        if target.startswith(b"["):
            return
    if not re.search(rb"/S\s*/GoTo\b", target):
        raise Refusal("does something when it is opened: /OpenAction")
