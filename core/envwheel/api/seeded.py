"""What the plugins of domains with seeded families have in common: their hooks call this, and say the rest.

    mutants(environment, registry.families())              # of the family that made it
    skill, level = aim(digest, SKILLS, seed, goal)         # what a brief asks for
    reward(trial)                                          # shares; only a full one is a pass

A third party's domain may use it as well; nothing of the core does.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from envwheel.api import Alternative, Digest, Draft, Environment, Goal, Mutant, Reward, Trial

LEVELS = (0, 1, 2, 3, 4)
FULL = 1.0 - 1e-9
"""A reward of this much is a pass: weights are divided, so the last bit may be lost."""
UNTRIED = 0.2
"""The weight of a target that the solver has not tried; one passed half of the time has 1.05."""
REASONS = 5


class SeededFamily(Protocol):
    """A family that knows the wrong and the other right solutions of what it builds."""

    @property
    def id(self) -> str:
        """As in an environment's params."""

    @property
    def skills(self) -> tuple[str, ...]:
        """What it trains."""

    @property
    def levels(self) -> tuple[int, ...]:
        """Which it has."""

    def build(self, level: int, seed: int, /) -> Draft:
        """The environment of these arguments, always the same."""

    def mutants(self, level: int, seed: int, /) -> tuple[Mutant, ...]:
        """Wrong solutions of it."""

    def alternatives(self, level: int, seed: int, /) -> tuple[Alternative, ...]:
        """Other right solutions of it."""


Seeded = TypeVar("Seeded", bound=SeededFamily)


def maker(environment: Environment, families: Iterable[Seeded]) -> tuple[Seeded, int, int] | None:
    """The family, level and seed that made `environment`; None when none of `families` did."""
    level, seed = environment.level, environment.params.get("seed")
    found = next((family for family in families if family.id == environment.params.get("family")), None)
    if found is None or level not in found.levels or not isinstance(seed, int):
        return None
    return found, level, seed


def mutants(environment: Environment, families: Iterable[SeededFamily]) -> list[Mutant]:
    """The wrong solutions that the environment's family knows of."""
    found = maker(environment, families)
    return list(found[0].mutants(*found[1:])) if found else []


def alternatives(environment: Environment, families: Iterable[SeededFamily]) -> list[Alternative]:
    """The other right solutions that the environment's family knows of."""
    found = maker(environment, families)
    return list(found[0].alternatives(*found[1:])) if found else []


def reward(trial: Trial) -> Reward:
    """The verifier's reward, cut to [0, 1]; only a full one is a pass. The checks that failed are the reason."""
    if trial.outcome != "scored":
        return Reward(0.0, False, f"not scored: {trial.outcome}")
    raw = trial.raw.get("reward", next(iter(trial.raw.values()), 0.0) if len(trial.raw) == 1 else 0.0)
    if raw >= FULL:
        return Reward(1.0, True)
    failed = [check for check in trial.checks if not check.passed]
    said = [f"{check.id} ({check.message})" if check.message else check.id for check in failed]
    return Reward(max(raw, 0.0), False, "failed: " + "; ".join(said[:REASONS])[:400] if said else "below 1")


def aim(
    digest: Digest, skills: Iterable[str], seed: int, goal: Goal | None, levels: Sequence[int] = LEVELS
) -> tuple[str, int]:
    """Skill and level to build for: the goal's, else drawn by `seed`.

    Likeliest are targets that are passed about half of the time, p (1 - p) for a pass rate of p; every one keeps a
    share.
    """
    if goal is not None:
        return goal.skill, goal.level
    weights: dict[tuple[str, int], float] = {}
    for skill in skills:
        for level in levels:
            rate = digest.skills.get((skill, level))
            share = rate.passed / rate.scored if rate is not None and rate.scored else None
            weights[skill, level] = UNTRIED if share is None else 0.05 + 4 * share * (1 - share)
    keys = sorted(weights)
    return random.Random(seed).choices(keys, [weights[key] for key in keys])[0]


def aimed(digest: Digest, skills: Mapping[str, str], skill: str, level: int, goal: Goal | None) -> str:
    """A brief's words on its target: skill, level, how the solver does there, and the failure to address."""
    rate = digest.skills.get((skill, level))
    if rate is None or not rate.scored:
        record = "The solver has not tried this yet."
    else:
        record = f"The solver passed {rate.passed} of {rate.scored} attempts here; aim for about half."
    text = f"Skill: {skills[skill]} (`{skill}`). Level: {level} of 4. {record}"
    if goal is not None and goal.failure:
        text += f" Where it fails, it mostly {goal.failure}: build something whose work exercises that."
    return text


def models(families: Iterable[Seeded], skill: str, level: int, seed: int, count: int = 2) -> list[Seeded]:
    """Up to `count` families of the same skill, else of any, that have `level`: for a brief's examples."""
    able = [family for family in families if level in family.levels]
    fitting = [family for family in able if skill in family.skills] or able
    return random.Random(seed).sample(fitting, min(count, len(fitting)))


def script(body: str) -> str:
    """`body` as a bash script that stops at the first error; left as it is when it starts with #!."""
    body = body.strip() + "\n"
    return body if body.startswith("#!") else f"#!/bin/bash\nset -euo pipefail\n{body}"
