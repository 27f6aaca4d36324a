"""The targets of a proposer that is a model: a skill and a level each, by the same policy as a generator's.

    targets = plan(domains, levels, number, count, seed, records)

See targets.py for the policy. The skill stands where a generator's family stands, in targets, ledger and beliefs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from envwheel.api import Goal
from envwheel.domains import Domains
from envwheel.errors import ConfigError
from envwheel.ledger import AnyRecord, Target
from envwheel.propose.digest import counts, seen, validity
from envwheel.propose.growth import gains
from envwheel.propose.seeds import SEEDS, derive
from envwheel.propose.spread import spread
from envwheel.propose.targets import choose

LEVELS = (0, 1, 2, 3, 4)


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill of a domain as something that can be built."""

    id: str
    skills: tuple[str, ...]
    levels: tuple[int, ...]


def plan(
    domains: Domains,
    levels: Sequence[int],
    number: int,
    count: int,
    seed: int,
    records: Sequence[AnyRecord],
    *,
    even: bool = False,
) -> list[Target]:
    """`count` targets for round `number`; `levels` limit the choice (empty: all), `even` spreads them evenly.

    Raises ConfigError.
    """
    chosen = tuple(sorted(set(levels))) or LEVELS
    skills = {id: [Skill(skill, (skill,), chosen) for skill in domains.get(id).skills] for id in domains.ids}
    if not any(skills.values()):
        raise ConfigError("The domains of this run name no skills: a proposer has nothing to aim at.")
    drawn = derive(seed, "round", number)
    if even:
        aims = spread(skills, count, drawn)
    else:
        trials = seen(records)
        aims = choose(skills, counts(trials), validity(records), count, drawn, gains(trials))
    return [
        Target(
            candidate=(candidate := f"r{number:02d}-c{index:03d}"),
            name=f"{aim.family.id}-l{aim.level}-{candidate}",
            domain=aim.domain,
            family=aim.family.id,
            level=aim.level,
            skills=aim.family.skills,
            seed=derive(seed, candidate) % SEEDS,
            expected=round(aim.expected, 4),
            reason=aim.reason,
        )
        for index, aim in enumerate(aims, 1)
    ]


def goal(target: Target) -> Goal:
    """What a domain's brief is asked for."""
    return Goal(target.family, target.level, target.address)
