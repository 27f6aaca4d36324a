"""How lists are written on the command line: `type=` of an argument."""

from __future__ import annotations

import argparse
import re


def commas(text: str) -> list[str]:
    """Words with commas between."""
    return [word.strip() for word in text.split(",") if word.strip()]


def levels(text: str) -> list[int]:
    """`0-4`, `2` or `0,2-3` as a list. Raises ArgumentTypeError."""
    found: list[int] = []
    for part in commas(text):
        span = re.fullmatch(r"(\d)(?:-(\d))?", part)
        if not span:
            raise argparse.ArgumentTypeError(f"'{part}' is no level. Write something like 0-4 or 0,2.")
        found += range(int(span[1]), int(span[2] or span[1]) + 1)
    return sorted(set(found))
