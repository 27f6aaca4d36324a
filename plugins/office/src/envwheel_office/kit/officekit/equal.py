"""When two values are the same: the one place that knows.

    same(3.999, 4.0, "number", tol=0.005)   # True
    same("12", 12, "number")                # False: a text is no number
    same(45352.0, "2024-03-01", "date")     # True: a found date is its serial since 1899-12-30

Texts are compared in NFC with white space collapsed. Texts that stand in a document or a CSV file are turned into
values first by `from_text`.
"""

from __future__ import annotations

import math
import re
import unicodedata
from datetime import datetime, timedelta

from .language_base import Scalar, Type

RELATIVE = 1e-10
"""Of a number's size: what engines differ by in the last digits, and too little to take one account for another."""
SMALL = 0.01
"""The share of an expected value below 1 that a tolerance can reach: 0.0049 is not -0.0049 within 0.005."""
EPOCH = datetime(1899, 12, 30)
SECOND = 1 / 86400
UNSURE = "#UNSURE!"
"""Stands for a value that no two engines agree on. It equals nothing."""

_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?")
_PLAIN = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?")
_HUMAN = re.compile(r"(?:\d{1,3}(?:[,  ']\d{3})+|\d+)(?:\.\d+)?")
_CURRENCY = re.compile(r"[$€£¥]|\b(?:EUR|USD|GBP|CHF|JPY)\b")
_SHAPES = str.maketrans("\u2010\u2011\u2012\u2013\u2212\u2018\u2019\u201c\u201d", "-----''\"\"")
_UNSEEN = dict.fromkeys((0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))


def text_key(text: str) -> str:
    """`text` as it is compared: NFC, no invisible characters, white space collapsed."""
    if text.isascii():
        return " ".join(text.split())
    return " ".join(unicodedata.normalize("NFC", text.translate(_UNSEEN)).split())


def fold(text: str) -> str:
    """`text_key` with case, and the shapes of dashes and quotes, aside: how labels, headers and names are found."""
    key = text_key(text).casefold()
    return key if key.isascii() else key.translate(_SHAPES)


def is_blank(value: Scalar) -> bool:
    """Nothing, or a text without a visible character."""
    return value is None or (isinstance(value, str) and not text_key(value))


def is_number(value: object) -> bool:
    """A number; True and False are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def serial(text: str) -> float | None:
    """The serial since 1899-12-30 of "2024-03-01" or "2024-03-01T14:30:00"; None when it is no such text."""
    text = text.strip()
    if not _ISO.fullmatch(text):
        return None
    try:
        return (datetime.fromisoformat(text) - EPOCH) / timedelta(days=1)
    except ValueError:
        return None


def allowed(expected: float, tol: float) -> float:
    """How far a number may be from `expected`.

    `tol`, or 1e-10 of `expected` where that is more. Below 1 a tolerance reaches at most 1 % of what is expected, so
    that one meant for amounts swallows no rates; around 0 it is `tol` itself.
    """
    size = abs(expected)
    if tol <= 0:
        return 1e-14 * size
    return max(min(tol, SMALL * size) if 0 < size < 1 else tol, RELATIVE * size) + 1e-9


def same(found: Scalar, expected: Scalar, type: Type = "any", tol: float = 0.005, case: bool = False) -> bool:
    """Whether `found` is what is `expected`: a date as "2024-03-01", an error as "#N/A", None for a blank.

    Strict by type; only "any" lets the text "12" equal 12. True is never 1.
    """
    if found == UNSURE:
        return False
    if is_blank(expected) or is_blank(found):
        return is_blank(expected) and is_blank(found)
    if type == "any":
        return _any(found, expected, tol, case)
    if type == "number":
        return is_number(found) and is_number(expected) and _near(found, expected, tol)
    if type == "date":
        return is_number(found) and _date(found, expected)
    if type == "bool":
        return isinstance(found, bool) and found is expected
    if type == "error":
        return isinstance(found, str) and found.startswith("#") and found.upper() == str(expected).upper()
    return isinstance(found, str) and _texts(found, _written(expected), case)


def _any(found: Scalar, expected: Scalar, tol: float, case: bool) -> bool:
    if isinstance(found, str) and not isinstance(expected, str):
        found = from_text(found, "bool" if isinstance(expected, bool) else "number")
    elif isinstance(expected, str) and is_number(found):
        if serial(expected) is not None:
            return _date(found, expected)
        expected = from_text(expected, "number")
    elif isinstance(expected, str) and isinstance(found, bool):
        expected = from_text(expected, "bool")
    if isinstance(found, bool) or isinstance(expected, bool):
        return found is expected
    if is_number(found) and is_number(expected):
        return _near(found, expected, tol)
    return isinstance(found, str) and isinstance(expected, str) and _texts(found, expected, case)


def _near(found: Scalar, expected: Scalar, tol: float) -> bool:
    a, b = float(found or 0), float(expected or 0)
    return math.isfinite(a) and abs(a - b) <= allowed(b, tol)


def _date(found: Scalar, expected: Scalar) -> bool:
    wanted = serial(expected) if isinstance(expected, str) else float(expected or 0)
    return wanted is not None and abs(float(found or 0) - wanted) < SECOND / 2


def _texts(found: str, expected: str, case: bool) -> bool:
    return text_key(found) == text_key(expected) if case else fold(found) == fold(expected)


def _written(value: Scalar) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def from_text(text: str, type: Type = "any", plain: bool = False) -> Scalar:
    """The value that a text in a document means, or the text itself when it means none of this type.

    "1,234.50", "$1,234.50", "(12.00)" and "12.5 %" are numbers, with a unit behind they are texts ("543 million");
    dates are ISO or have the month's name; with `plain` (a CSV file) only 1234.5 is a number. An "any" is a number or
    the text.
    """
    key = text_key(text)
    if type == "bool":
        return {"true": True, "false": False, "yes": True, "no": False}.get(key.casefold(), text)
    if type == "date":
        found = serial(key) if plain else _human_date(key)
        return text if found is None else found
    if type in ("number", "any"):
        number = float(key) if _PLAIN.fullmatch(key) else None if plain else _human_number(key)
        return text if number is None else number
    return text


def _human_number(key: str) -> float | None:
    text = _CURRENCY.sub("", key.replace("−", "-"), count=1).strip()
    negative = text.startswith("(") and text.endswith(")")
    text = text[1:-1].strip() if negative else text
    share = text.endswith("%")
    text = text[:-1].strip() if share else text
    if text[:1] in ("-", "+"):
        negative = negative or text[0] == "-"
        text = text[1:].strip()
    if not _HUMAN.fullmatch(text):
        return None
    number = float(re.sub(r"[,  ']", "", text)) / (100 if share else 1)
    return -number if negative else number


def _human_date(key: str) -> float | None:
    found = serial(key)
    for form in ("%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y"):
        if found is not None:
            break
        try:
            found = (datetime.strptime(key, form) - EPOCH) / timedelta(days=1)
        except ValueError:
            continue
    return found


def spell(value: Scalar, as_date: bool = False) -> str:
    """`value` for a reason: short, texts in quotes, a serial as a date when `as_date`."""
    if is_blank(value):
        return "blank"
    if value == UNSURE:
        return "a value that the engines do not agree on"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        key = text_key(value)
        return repr(key if len(key) <= 60 else key[:57] + "...")
    if as_date and 0 < float(value or 0) < 2_900_000:
        moment = EPOCH + timedelta(seconds=round(float(value or 0) * 86400))
        return moment.isoformat().removesuffix("T00:00:00")
    return f"{value:.12g}"
