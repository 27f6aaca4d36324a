"""Pass rates with their uncertainty."""

from __future__ import annotations

import math

from envwheel.api import Band, Rate


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


def kept(p: float, band: Band) -> float:
    """Probability that all attempts of `band` end within it, when the solver passes each with probability `p`.

    The binomial sum over low_passes <= s <= high_passes of C(k, s) p^s (1-p)^(k-s), with k = attempts.
    """
    k = band.attempts
    return sum(math.comb(k, s) * p**s * (1 - p) ** (k - s) for s in range(band.low_passes, band.high_passes + 1))


def expected_kept(alpha: float, beta: float, band: Band) -> float:
    """`kept` averaged over p ~ Beta(alpha, beta), both above 0: the beta-binomial sum over the same s of
    C(k, s) B(alpha + s, beta + k - s) / B(alpha, beta).
    """
    k, whole = band.attempts, _log_beta(alpha, beta)
    return sum(
        math.comb(k, s) * math.exp(_log_beta(alpha + s, beta + k - s) - whole)
        for s in range(band.low_passes, band.high_passes + 1)
    )


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
