"""Whether a text gives a result away, in whatever spelling: as JSON in a page, its numbers in a sentence, encoded.

gives_away("Last run: {\"elm\": 1200}", b'{\n "elm": 1200\n}\n', known=frozenset())   # True
"""

from __future__ import annotations

import base64
import binascii
import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

SHORTEST = 8
"""Characters from which an equal text is no chance."""
FEW = 3
"""Numbers that together are no chance, where one of them may be."""
LONGEST = 64 << 10
_NUMBER = re.compile(r"(?<![\w.])-?(\d{1,3}(?:[,' ]\d{3})+|\d{4,})(?:\.\d+)?(?!\w)")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")
_HEX = re.compile(r"\b(?:[0-9a-fA-F]{2}){4,}\b")


def gives_away(text: str, answer: bytes, known: frozenset[str] = frozenset()) -> bool:
    """Whether `text`, or what is encoded in it, holds `answer`. Numbers that are `known` do not count."""
    return any(_holds(one, answer, known) for one in spellings(text[:LONGEST]))


def spellings(text: str) -> Iterator[str]:
    """The text; what is base64 or hexadecimal in it; all of it rotated by 13 letters."""
    yield text
    for pattern, decode in ((_BASE64, base64.b64decode), (_HEX, binascii.unhexlify)):
        for match in pattern.finditer(text):
            try:
                plain = decode(match[0] + "=" * (-len(match[0]) % 4) if pattern is _BASE64 else match[0]).decode()
            except ValueError:
                continue
            if len(plain) >= 4 and plain.isascii():
                yield plain
    joined = "".join(text.split())
    if "\n" in text.strip() and _BASE64.fullmatch(joined):
        yield from list(spellings(joined))[1:2]
    yield codecs.encode(text, "rot13")


def numbers(text: str) -> frozenset[str]:
    """Numbers of four digits and more, without what groups their digits."""
    return frozenset(re.sub(r"\D", "", match[1]) for match in _NUMBER.finditer(text))


def _holds(text: str, answer: bytes, known: frozenset[str]) -> bool:
    plain = answer.decode("utf-8", "replace").strip()
    if len(plain) >= SHORTEST and " ".join(plain.split()) in " ".join(text.split()):
        return True
    value = _parsed(plain)
    if isinstance(value, dict | list) and len(value) > 1 and any(value == other for other in _embedded(text)):
        return True
    computed = numbers(plain) - known
    if not computed or (len(computed) < FEW and not _NUMBER.fullmatch(plain)):
        return False
    return any(computed <= numbers(part) for part in re.split(r"\n\s*\n", text))


def _embedded(text: str) -> Iterator[Any]:
    """The JSON objects and lists in a text."""
    decoder, at = json.JSONDecoder(), 0
    while (match := re.compile(r"[{\[]").search(text, at)) is not None:
        try:
            value, at = decoder.raw_decode(text, match.start())
            yield value
        except (ValueError, RecursionError):
            at = match.end()


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
