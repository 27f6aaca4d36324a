"""The one way in which text from a box, a model or a foreign file reaches a terminal.

`plain` strips control characters (escape sequences, carriage returns, bidirectional marks); `safe` also escapes rich
markup. `console()` is the shared rich console on standard error, so that standard output stays for results.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def plain(text: str) -> str:
    """`text` without anything that moves a cursor, changes a colour or hides what it says. Newlines and tabs stay."""
    return _SURROGATES.sub("\ufffd", _CONTROL.sub("", _ESCAPES.sub("", text)))


def safe(text: str) -> str:
    """`plain` text in which rich sees no markup."""
    from rich.markup import escape

    return escape(plain(text))


@functools.cache
def console() -> Console:
    """Progress and messages for people; one per process."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)
