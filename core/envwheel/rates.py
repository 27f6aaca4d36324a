"""Pass rates with their uncertainty."""

from __future__ import annotations

import math

from envwheel.api import Rate


def rate(passed: int, scored: int) -> Rate:
    """`passed` of `scored` with the 95 % interval."""
    return Rate(passed, scored, *wilson(passed, scored))


def wilson(passed: int, scored: int, z: float = 1.96) -> tuple[float, float]:
    """The Wilson interval of a pass rate, 95 % by default; (0, 1) without data."""
    if not scored:
        return 0.0, 1.0
    share, spread = passed / scored, z * z / scored
    middle = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(share * (1 - share) / scored + spread / (4 * scored))
    return max(0.0, middle - half), min(1.0, middle + half)
