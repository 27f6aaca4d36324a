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

    Neighbours in a round are of different kinds and of different levels, so that a few aims are spread evenly, too.
    Raises ValueError when there is nothing to choose from.
    """
    able = [(domain, kind) for domain, listed in kinds.items() for kind in listed if kind.levels]
    if not able:
        raise ValueError("no family to choose from")
    draw = random.Random(f"spread/{seed}")
    most = max(len(kind.levels) for _, kind in able)
    aims: list[Aim] = []
    while len(aims) < count:
        draw.shuffle(able)
        first = draw.randrange(most)
        for turn in range(most):
            for at, (domain, kind) in enumerate(able):
                if turn < len(kind.levels):
                    level = kind.levels[(first + at + turn) % len(kind.levels)]
                    aims.append(Aim(domain, kind, level, 0.5, REASON))
    return aims[:count]
