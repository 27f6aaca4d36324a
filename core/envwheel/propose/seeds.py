"""Numbers that depend on nothing but what they are drawn from: equal runs make equal targets."""

from __future__ import annotations

import hashlib
import json

SEEDS = 1_000_000
"""Seeds of generators are below this."""


def derive(*parts: object) -> int:
    """A number that depends on `parts` only, 0 to 2**32 - 1."""
    return int(hashed(list(parts))[:8], 16)


def hashed(value: object) -> str:
    """A fingerprint of 32 hexadecimal digits of plain data."""
    return hashlib.sha256(json.dumps(value, default=str).encode()).hexdigest()[:32]
