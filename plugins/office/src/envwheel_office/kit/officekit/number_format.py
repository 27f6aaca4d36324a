"""What a number format makes of a number: its class and how many decimals it shows. Used by readers and judges.

The codes are those of ECMA-376 part 1, 18.8.31; the built-in ids those of 18.8.30.
"""

from __future__ import annotations

import operator
import re
from functools import lru_cache

from .colors import PALETTE

BUILT_IN = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: '"$"#,##0_);("$"#,##0)',
    6: '"$"#,##0_);[Red]("$"#,##0)', 7: '"$"#,##0.00_);("$"#,##0.00)', 8: '"$"#,##0.00_);[Red]("$"#,##0.00)',
    9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 14: "mm-dd-yy", 15: "d-mmm-yy", 16: "d-mmm",
    17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "m/d/yy h:mm",
    37: "#,##0_);(#,##0)", 38: "#,##0_);[Red](#,##0)", 39: "#,##0.00_);(#,##0.00)", 40: "#,##0.00_);[Red](#,##0.00)",
    41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)', 42: '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)',
    43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
    44: '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)', 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0",
    48: "##0.0E+0", 49: "@",
}  # fmt: skip

TOKEN = re.compile(r'"([^"]*)"|\\(.)|_.|\*.|\[([^\]]*)\]', re.DOTALL)
CONDITION = re.compile(r"\[\s*(<=|>=|<>|<|>|=)\s*(-?[\d.]+(?:[eE][-+]?\d+)?)\s*\]")
COMPARED = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}
INK = re.compile(r"\[(black|blue|cyan|green|magenta|red|white|yellow|color ?(\d+))\]", re.IGNORECASE)
INDEX = {"black": 0, "white": 1, "red": 2, "green": 3, "blue": 4, "yellow": 5, "magenta": 6, "cyan": 7}
CURRENCY = re.compile(r"[$€£¥₹₩₽₺]|\b(?:EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|CAD|AUD|Kč|kr|zł|Fr\.?)\b")


@lru_cache(maxsize=4096)
def sections(code: str) -> list[str]:
    """The parts of a format between semicolons that are no text."""
    found, at = [""], 0
    for match in re.finditer(r'"[^"]*"|\\.|\[[^\]]*\]|;', code, re.DOTALL):
        found[-1] += code[at : match.start()]
        at = match.end()
        if match[0] == ";":
            found.append("")
        else:
            found[-1] += match[0]
    found[-1] += code[at:]
    return found


def section_of(code: str, value: float | str) -> str:
    """The section by which a value is shown, by its sign or by the conditions of the sections."""
    parts = sections(code or "General")
    if isinstance(value, str):
        return parts[3] if len(parts) > 3 else "@"
    parts, asked = parts[:3], _conditions(code)
    if not any(asked):
        at = 2 if value == 0 and len(parts) > 2 else 1 if value < 0 and len(parts) > 1 else 0
        return parts[at]
    implied = (value > 0, value < 0)
    for at, condition in enumerate(asked[:-1]):
        if COMPARED[condition[1]](value, float(condition[2])) if condition else implied[at]:
            return parts[at]
    return parts[-1]


@lru_cache(maxsize=4096)
def _conditions(code: str) -> list[re.Match[str] | None]:
    return [CONDITION.search(part) for part in sections(code or "General")[:3]]


@lru_cache(maxsize=4096)
def ink(section: str) -> str | None:
    """The colour that a section sets, as [Red] or [Color 3] do."""
    found = INK.search(section)
    if found is None:
        return None
    at = int(found[2]) + 7 if found[2] else INDEX[found[1].lower()]
    return PALETTE[at] if at < len(PALETTE) else None


@lru_cache(maxsize=4096)
def shows(section: str, text: bool) -> bool:
    """Whether a section shows a number, or a text, and not nothing or words of its own."""
    bare = TOKEN.sub("", section).lower()
    marks = ("@", "general") if text else ("0", "#", "?", "general", "@", *"ymdhs")
    return any(mark in bare for mark in marks) or re.search(r"\[[hms]+\]", section, re.IGNORECASE) is not None


@lru_cache(maxsize=4096)
def number_class(code: str) -> str:
    """general, number, percent, currency, date, time, text, fraction or scientific: what its first section shows."""
    first = sections(code)[0]
    texts: list[str] = []
    elapsed = False

    def take(match: re.Match[str]) -> str:
        nonlocal elapsed
        if match[3] is not None:
            elapsed = elapsed or re.fullmatch(r"[hms]+", match[3], re.IGNORECASE) is not None
            texts.append(match[3][1:].partition("-")[0] if match[3].startswith("$") else "")
        texts.append(match[1] or match[2] or "")
        return ""

    bare = TOKEN.sub(take, first)
    lower = bare.lower().replace("general", "")
    if "general" in bare.lower() or not code.strip():
        return "currency" if CURRENCY.search(" ".join(texts)) else "general"
    if re.search(r"[0#?]e[+-]", lower):
        return "scientific"
    if elapsed or re.search(r"[ymdhs]", re.sub(r"[a-z]*(?:am/pm|a/p)", "h", lower)):
        return "date" if _dated(lower) and not elapsed else "time"
    if not re.search(r"[0#?]", bare):
        return "text" if "@" in bare else "general"
    if "%" in bare:
        return "percent"
    if CURRENCY.search(bare) or CURRENCY.search(" ".join(texts)):
        return "currency"
    return "fraction" if re.search(r"[#?0]\s*/\s*[#?0-9]", bare) else "number"


def _dated(lower: str) -> bool:
    """Whether it shows a day, a month or a year: a lone m beside h or s is minutes."""
    return re.search(r"[yd]|mmm", lower) is not None or re.search(r"[hs]", lower) is None


@lru_cache(maxsize=4096)
def decimals(code: str) -> int | None:
    """How many decimals its first section shows; None where it is no number's."""
    if number_class(code) not in ("number", "percent", "currency", "scientific"):
        return None
    bare = TOKEN.sub("", sections(code)[0])
    if "general" in bare.lower():
        return None
    fraction = re.search(r"\.([0#?]*)", re.split(r"[eE]", bare)[0])
    return len(fraction[1]) if fraction else 0


def scaled(code: str) -> bool:
    """Whether its first section divides what it shows by thousands: commas behind the last digit."""
    return re.search(r"[0#?],+(?![0#?,])", TOKEN.sub(" ", sections(code)[0])) is not None


def hides(code: str) -> bool:
    """Whether a number in it shows nothing at all, as with ;;;"""
    parts = sections(code)
    return len(parts) > 1 and not any(part.strip() for part in parts[:3])
