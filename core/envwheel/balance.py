"""How evenly environments are spread over domains, skills and levels.

    balance(targets, {"domain": 1, "skill": 12, "level": 5})     # {"domain": 1.0, "skill": 0.41, "level": 0.73}

The balance of an axis is exp(H) / N: H = - sum of q ln q over the share q of each of its values, and N how many values
there are to aim at. It is 1 when all are met equally often and 1/N when only one is met. exp(H) alone is how many
equally frequent values would be as diverse. An environment with several skills counts in equal parts for each.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from envwheel.ledger import AnyRecord, Plan, Target

AXES = ("domain", "skill", "level")


def balance(targets: Sequence[Target], taxonomy: Mapping[str, int]) -> dict[str, float | None]:
    """The balance of each axis; None without targets. `taxonomy` says N; values that it does not know make N larger."""
    return {axis: _evenness(_shares(targets, axis), taxonomy.get(axis, 0)) for axis in AXES}


def taxonomy_of(records: Iterable[AnyRecord]) -> dict[str, int]:
    """N of each axis, as the newest plan says; for plans that do not say, what all targets of the run were of."""
    plans = [record for record in records if isinstance(record, Plan)]
    if plans and plans[-1].taxonomy:
        return plans[-1].taxonomy
    every = [target for plan in plans for target in plan.targets]
    return {axis: len(_shares(every, axis)) for axis in AXES}


def _shares(targets: Iterable[Target], axis: str) -> dict[str, float]:
    shares: dict[str, float] = defaultdict(float)
    for target in targets:
        skills = target.skills or ("",)
        values = {"domain": (target.domain,), "skill": skills, "level": (str(target.level),)}[axis]
        for value in values:
            shares[value] += 1 / len(values)
    return shares


def _evenness(shares: dict[str, float], values: int) -> float | None:
    whole = sum(shares.values())
    if not whole:
        return None
    entropy = -sum(share / whole * math.log(share / whole) for share in shares.values())
    return round(math.exp(entropy) / max(values, len(shares)), 4)
