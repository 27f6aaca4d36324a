"""Targets of a static pool: every family (or skill) at every level equally often, whatever a solver can do.

    aims = spread(families, count=500, seed=7)

The baseline that following a solver is compared with. The first n of a longer list are the list of n, so that a larger
pool holds the smaller one.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from envwheel.propose.targets import Aim, Kind

REASON = "spread evenly"


def spread(kinds: Mapping[str, Sequence[Kind]], count: int, seed: int) -> list[Aim]:
    """`count` aims, in rounds through all pairs of kind and level, each round in an order drawn from `seed`.

    Raises ValueError when there is nothing to choose from.
    """
    pairs = [(domain, kind, level) for domain, listed in kinds.items() for kind in listed for level in kind.levels]
    if not pairs:
        raise ValueError("no family to choose from")
    draw = random.Random(f"spread/{seed}")
    aims: list[Aim] = []
    while len(aims) < count:
        draw.shuffle(pairs)
        aims += [Aim(domain, kind, level, 0.5, REASON) for domain, kind, level in pairs]
    return aims[:count]
