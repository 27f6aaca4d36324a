"""What to build next: the (family, level) pairs from which the solver learns most, and why.

The policy, also told in docs/targets.md:

1. Each pair has a belief about the solver's pass rate p, a Beta distribution. It begins with a guess that falls with
   the level, takes over what other trials say, weighted by how near they are (the same family at the next level, other
   families of the same skills at the same level, anything at the same level), but never more than `BORROWED` trials'
   worth, and then counts its own trials in full.
2. A pair is worth the expected 4p(1-p), 1 where the solver passes every second time and 0 where it always or never
   does, plus bonuses for what is uncertain and for families whose pass rate changes (the learning progress), times
   the share of its candidates that were valid.
3. Targets are taken one by one, best first. Every further one of a pair, family or skill in the same round counts less.
4. Every `FLOOR`th target goes to the family that was tried least in this run: the diversity floor.

Equal inputs and seed give equal targets.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from envwheel.api import Rate
from envwheel.propose.digest import Arm

FIRST_GUESS = 0.5
"""The pass rate expected at level 0 before any trial; halved from level to level."""
GUESS_WORTH = 2.0
"""How many trials that guess is worth."""
BORROWED = 5.0
"""How many trials guess and neighbours may be worth together."""
NEXT_LEVEL, SAME_SKILLS, SAME_LEVEL = 0.4, 0.15, 0.03
"""How much a neighbour's trial counts; from level to level it is `NEXT_LEVEL` times as much."""
CURIOSITY = 0.5
"""What a standard deviation of the belief is worth."""
PROGRESS = 0.5
"""What it is worth that a family's pass rate changed, by growth.gains, from 0 to 1 or back."""
TOLD = 0.05
"""Changes of that size are told in the reason."""
AGAIN, AGAIN_FAMILY, AGAIN_SKILL = 0.8, 0.9, 0.95
"""What another target of a pair, a family, a skill is worth in the same round."""
FLOOR = 4
"""Every so many targets, one goes to the family that was tried least."""


class Kind(Protocol):
    """What can be built: a family of generators, or a skill for a proposer that is a model."""

    @property
    def id(self) -> str: ...

    @property
    def skills(self) -> tuple[str, ...]: ...

    @property
    def levels(self) -> tuple[int, ...]: ...


@dataclass(frozen=True, slots=True)
class Belief:
    """A Beta distribution over the solver's pass rate."""

    alpha: float
    beta: float

    @property
    def mean(self) -> float:
        """The expected pass rate."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def spread(self) -> float:
        """Standard deviation."""
        total = self.alpha + self.beta
        return math.sqrt(self.alpha * self.beta / (total * total * (total + 1)))

    @property
    def learnability(self) -> float:
        """The expected 4p(1-p)."""
        total = self.alpha + self.beta
        return 4 * self.alpha * self.beta / (total * (total + 1))


@dataclass(frozen=True, slots=True)
class Aim:
    """One choice: build an environment of this family at this level, because."""

    domain: str
    family: Kind
    level: int
    expected: float
    reason: str

    @property
    def arm(self) -> Arm:
        """Domain, family id, level."""
        return self.domain, self.family.id, self.level


def choose(
    families: Mapping[str, Sequence[Kind]],
    seen: Mapping[Arm, Rate],
    valid: Mapping[Arm, tuple[int, int]],
    count: int,
    seed: int,
    gained: Mapping[tuple[str, str], float] | None = None,
) -> list[Aim]:
    """`count` aims for a round. `families` are those of each domain, `seen` and `valid` what digest.py counted.

    `gained` is the learning progress of each (domain, family), as growth.gains has it.

    Raises ValueError when there is no family to choose from.
    """
    pairs = {(d, f.id, level): f for d, listed in families.items() for f in listed for level in f.levels}
    if not pairs:
        raise ValueError("no family to choose from")
    draw = random.Random(f"targets/{seed}")
    ties = {arm: draw.random() for arm in sorted(pairs)}
    beliefs = {arm: believe(arm, pairs, seen) for arm in pairs}
    gained = gained or {}
    worths = {arm: worth(beliefs[arm], valid.get(arm, (0, 0)), gained.get(arm[:2], 0.0)) for arm in pairs}
    tried = Counter({(d, f.id): 0 for d, listed in families.items() for f in listed if f.levels})
    for known, (_, judged) in valid.items():
        if known[:2] in tried:
            tried[known[:2]] += judged
    aims: list[Aim] = []
    for number in range(1, count + 1):
        floor = number % FLOOR == 0
        fewest = min(tried.values())
        open_arms = [arm for arm in pairs if not floor or tried[arm[:2]] == fewest]
        arm = max(open_arms, key=lambda arm: (worths[arm] * _discount(arm, pairs, aims), ties[arm]))
        belief, family = beliefs[arm], pairs[arm]
        reason = because(arm, belief, seen, fewest if floor else None, gained.get(arm[:2], 0.0))
        aims.append(Aim(arm[0], family, arm[2], belief.mean, reason))
        tried[arm[:2]] += 1
    return aims


def believe(arm: Arm, pairs: Mapping[Arm, Kind], seen: Mapping[Arm, Rate]) -> Belief:
    """What is known about the solver's pass rate at `arm`."""
    guess = FIRST_GUESS * 0.5 ** arm[2]
    passed, scored = guess * GUESS_WORTH, GUESS_WORTH
    for other, rate in seen.items():
        weight = nearness(arm, other, pairs)
        passed += weight * rate.passed
        scored += weight * rate.scored
    scale = min(1.0, BORROWED / scored)
    own = seen.get(arm)
    own_passed, own_scored = (own.passed, own.scored) if own else (0, 0)
    return Belief(passed * scale + own_passed, (scored - passed) * scale + own_scored - own_passed)


def nearness(arm: Arm, other: Arm, pairs: Mapping[Arm, Kind]) -> float:
    """How much a trial of `other` says about `arm`: 0 to 1 (and 0 for itself: its own trials count in full)."""
    if arm == other or other not in pairs:
        return 0.0
    distance = abs(arm[2] - other[2])
    if arm[:2] == other[:2]:
        return NEXT_LEVEL**distance
    ours, theirs = set(pairs[arm].skills), set(pairs[other].skills)
    overlap = len(ours & theirs) / len(ours | theirs) if ours | theirs else 0.0
    return (SAME_LEVEL + SAME_SKILLS * overlap) * NEXT_LEVEL**distance


def worth(belief: Belief, valid: tuple[int, int], gain: float = 0.0) -> float:
    """What an environment there is worth: learnability, uncertainty and progress, times the chance that it is valid.

    What is unlearned needs practice as well: a fall counts like a rise.
    """
    good, judged = valid
    return (belief.learnability + CURIOSITY * belief.spread + PROGRESS * abs(gain)) * (good + 1) / (judged + 1)


def because(arm: Arm, belief: Belief, seen: Mapping[Arm, Rate], fewest: int | None, gain: float = 0.0) -> str:
    """The reason for a target, for people."""
    own, (domain, family, level) = seen.get(arm), arm
    if own:
        what = f"passed {own.passed} of {own.scored} trials there ({own.low:.2f} to {own.high:.2f})"
    elif same := {other[2]: rate for other, rate in seen.items() if other[:2] == (domain, family)}:
        near = min(same, key=lambda other: (abs(other - level), other))
        what = f"passed {same[near].passed} of {same[near].scored} trials at level {near}"
    else:
        what = "similar tasks tried" if seen else "nothing tried yet: begin low and spread out"
    floor = "" if fewest is None else f"; for diversity: {family} was tried {fewest} times, no family less"
    change = f"; the family's rate changed by {gain:+.2f}" if abs(gain) >= TOLD else ""
    return f"{what}; expected pass rate {belief.mean:.2f}{change}{floor}"


def _discount(arm: Arm, pairs: Mapping[Arm, Kind], aims: Sequence[Aim]) -> float:
    same_arm = sum(aim.arm == arm for aim in aims)
    same_family = sum(aim.arm[:2] == arm[:2] for aim in aims)
    skills = set(pairs[arm].skills)
    same_skill = sum(bool(skills & set(aim.family.skills)) for aim in aims)
    return AGAIN**same_arm * AGAIN_FAMILY**same_family * AGAIN_SKILL**same_skill
