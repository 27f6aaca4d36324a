"""PDF before any parser: part of intake.py.

The bytes are searched as they are, and so are object streams, where names can hide: no script, no launching, no
attachment, no encryption. This runs without a limit on time, so every search takes time in proportion to the file.
"""

from __future__ import annotations

import re
import zlib

from .intake_parts import Refusal

MAX_OBJECTS = 50_000
MAX_PAGES = 500
MAX_UNPACKED = 200_000_000
NEAR = 400
"""Bytes in which an action says what it does."""
OPENS = "does something when it is opened: /OpenAction"

STREAM, END = re.compile(rb"stream(?:\r\n|\n|\r)"), b"endstream"
TEXT = re.compile(rb"((?:\\.)++)|\((?:\\.|[^()\\]++)*+\)", re.DOTALL)
"""A text, or what stands escaped outside of one: no text begins there."""
NAME = re.compile(rb"/([^\s/<>\[\](){}%\0]+)")
ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")
OBJECT = re.compile(rb"\b(\d+)\s+(\d+)\s+obj\b")
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
    check_open_actions(plain, packed)


def split(data: bytes) -> tuple[bytes, bytes]:
    """The bytes outside of streams, and the unpacked object streams. Raises Refusal for those it cannot unpack."""
    plain, packed, at, budget = [], [], 0, MAX_UNPACKED
    while (begin := STREAM.search(data, at)) and (end := data.find(END, begin.end())) >= 0:
        before = data[at : begin.start()]
        plain.append(before)
        at = end + len(END)
        dictionary = before[max(before.rfind(b"obj"), 0) :]
        if b"ObjStm" in names(dictionary):
            text = unpack(data[begin.end() : end], names(dictionary), budget)
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
    said = names(TEXT.sub(rb"\1", text))  # a title may hold "HTML/JS"
    if b"Encrypt" in said:
        raise Refusal("encrypted")
    active = sorted(said & ACTIVE)
    if active:
        raise Refusal(f"has active or attached content: /{active[0].decode('latin-1')}")


def check_open_actions(plain: bytes, packed: bytes) -> None:
    """To open at a place is usual and harmless; any other action on opening is not."""
    text = plain + b"\n" + packed
    named = set()
    for match in OPEN.finditer(text):
        if match[1] == b"<<":
            check_action(text[match.start() : match.start() + NEAR])
        elif match[1] != b"[":
            named.add((match[2], match[3]))
    found = [match for match in OBJECT.finditer(plain) if match.groups() in named] if named else []
    if len({match.groups() for match in found}) < len(named):
        raise Refusal(OPENS)
    for match in found:
        target = plain[match.end() : match.end() + NEAR]
        if not target.lstrip().startswith(b"["):
            check_action(target)


def check_action(target: bytes) -> None:
    """Raises Refusal unless the action that begins there goes to a place."""
    if not re.search(rb"/S\s*/GoTo\b", target):
        raise Refusal(OPENS)
