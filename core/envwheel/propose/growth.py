"""How the solver moved from round to round, and what that makes of an environment that was calibrated long ago.

    growth = Growth.of(trials)                       # `trials` as digest.seen gives them
    growth.since(2)                                  # how much better it has become since round 2, in logits
    gains(trials)                                    # (domain, family) -> how much its pass rate changed
    growth.in_band(target, band, own)                # probability now; `own` are the trials of that environment

A solver that learns leaves behind what it was calibrated on, and the rounds that follow aim higher, so nobody tries
there again: the movement has to be read off the rest. The model is a logistic one,

    logit p = ability(round) - slope * level + offset(family) + mean of offset(skill) + own offset

with Gaussian priors: abilities walk with `STEP` a round, the slope is 1 give or take `SLOPE_SPREAD`, offsets spread by
`OFFSET`, those of single environments by `OWN_OFFSET`. All but the own offsets are fitted at once to the counts of each
(round, family, level), by coordinate-wise Newton steps on the log posterior (which is concave); an own offset is then
integrated out on a grid, over what its environment's trials make likely. Abilities are those of the last round tried.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from envwheel.api import Band
from envwheel.ledger import Target
from envwheel.propose.digest import Seen
from envwheel.rates import kept

STEP = 1.0
"""Standard deviation of the ability's change from one round to the next, in logits."""
FIRST_SPREAD = 2.0
"""Standard deviation of the first round's ability around 0."""
SLOPE_SPREAD = 0.5
OFFSET = 0.5
OWN_OFFSET = 0.7
STILL = 8.0
"""Trials' worth of doubt that a family's pass rate changed at all."""
SWEEPS = 200
"""Most sweeps over all parameters; they end when no parameter moves by more than 0.001."""
GRID = [step / 8 for step in range(-20, 21)]
"""Own offsets, -2.5 to 2.5."""

Name = tuple[str, str]
"""("round", number), ("slope", ""), ("family", id) or ("skill", id)."""
SLOPE: Name = ("slope", "")


@dataclass
class Cell:
    """The trials of one round at one family and level: what each parameter counts there, passes, trials."""

    weights: dict[Name, float]
    passed: int = 0
    scored: int = 0


@dataclass(frozen=True)
class Growth:
    """The fitted parameters. `last` is the newest round with a trial, 0 without any."""

    values: dict[Name, float]
    last: int

    @classmethod
    def of(cls, trials: Iterable[Seen]) -> Growth:
        """Fitted to `trials`; those that others made (round 0) are of another solver, and left out."""
        cells: dict[tuple[int, str], Cell] = {}
        rounds = set()
        merged: dict[tuple[tuple[Name, float], ...], Cell] = {}
        for one in (one for one in trials if one.trial.round):
            rounds.add(one.trial.round)
            key = (one.trial.round, one.target.candidate)
            if key not in cells:
                weights = _weights(one.target, one.trial.round)
                cells[key] = merged.setdefault(tuple(weights.items()), Cell(weights))
            cells[key].passed += one.passed
            cells[key].scored += 1
        return cls(_fit(list(merged.values()), sorted(rounds)), max(rounds, default=0))

    def ease(self, target: Target, round: int | None = None) -> float:
        """The logit of the pass rate at an average environment of `target`, in `round` or now."""
        weights = _weights(target, self.last if round is None else round)
        return sum(weight * self.values.get(name, 1.0 if name == SLOPE else 0.0) for name, weight in weights.items())

    def since(self, round: int) -> float:
        """By how many logits the ability has risen since `round`."""
        now = self.values.get(("round", str(self.last)), 0.0)
        return now - self.values.get(("round", str(round)), now)

    def in_band(self, target: Target, band: Band, own: Sequence[Seen] = ()) -> float:
        """Probability that an environment of `target` with the trials `own` is in band now."""
        counted: dict[int, list[int]] = defaultdict(lambda: [0, 0])
        for one in own:
            counted[one.trial.round][0] += one.passed
            counted[one.trial.round][1] += not one.passed
        then = [(self.ease(target, round), passed, failed) for round, (passed, failed) in counted.items()]
        now = self.ease(target)
        logs = [
            -0.5 * (own_offset / OWN_OFFSET) ** 2
            - sum(
                passed * _softplus(-ease - own_offset) + failed * _softplus(ease + own_offset)
                for ease, passed, failed in then
            )
            for own_offset in GRID
        ]
        most = max(logs)
        weights = [math.exp(log - most) for log in logs]
        likely = sum(w * kept(_sigmoid(now + own_offset), band) for w, own_offset in zip(weights, GRID, strict=True))
        return likely / sum(weights)


def gains(trials: Iterable[Seen]) -> dict[tuple[str, str], float]:
    """(domain, family) -> by how much its pass rate has changed at equal level, -1 to 1: the learning progress.

    For each level that was tried in several rounds, the rate of the latter half of its trials less that of the former;
    the mean over levels, each with as many votes as half its trials, and `STILL` votes for no change.
    """
    passed: dict[tuple[str, str, int], list[Seen]] = defaultdict(list)
    for one in (one for one in trials if one.trial.round):
        passed[one.target.domain, one.target.family, one.target.level].append(one)
    change: dict[tuple[str, str], float] = defaultdict(float)
    votes: dict[tuple[str, str], float] = defaultdict(lambda: STILL)
    for (domain, family, _), all in passed.items():
        half = len(all) // 2
        if half and len({one.trial.round for one in all}) > 1:
            former, latter = all[:half], all[-half:]
            change[domain, family] += sum(one.passed for one in latter) - sum(one.passed for one in former)
            votes[domain, family] += half
    return {family: change[family] / votes[family] for family in change}


def _weights(target: Target, round: int) -> dict[Name, float]:
    names: dict[Name, float] = {("round", str(round)): 1.0, SLOPE: -float(target.level)}
    names["family", f"{target.domain}/{target.family}"] = 1.0
    for skill in target.skills:
        names["skill", f"{target.domain}/{skill}"] = 1 / len(target.skills)
    return names


def _fit(cells: Sequence[Cell], rounds: Sequence[int]) -> dict[Name, float]:
    """The mode of the posterior."""
    names = dict.fromkeys(name for cell in cells for name in cell.weights)
    values = {name: 1.0 if name == SLOPE else 0.0 for name in names}
    touching = {name: [at for at, cell in enumerate(cells) if cell.weights.get(name)] for name in names}
    eases = [sum(weight * values[name] for name, weight in cell.weights.items()) for cell in cells]
    for _ in range(SWEEPS):
        moved = 0.0
        for name in names:
            slope, curve = _prior(name, values, rounds)
            for at in touching[name]:
                cell, p = cells[at], _sigmoid(eases[at])
                weight = cell.weights[name]
                slope += weight * (cell.passed - cell.scored * p)
                curve += weight * weight * cell.scored * p * (1 - p)
            step = max(-1.0, min(1.0, slope / curve))
            values[name] += step
            for at in touching[name]:
                eases[at] += cells[at].weights[name] * step
            moved = max(moved, abs(step))
        if moved < 1e-3:
            break
    return values


def _prior(name: Name, values: dict[Name, float], rounds: Sequence[int]) -> tuple[float, float]:
    """Slope and curvature of the log prior at one parameter."""
    if name[0] != "round":
        middle, spread = (1.0, SLOPE_SPREAD) if name == SLOPE else (0.0, OFFSET)
        return (middle - values[name]) / spread**2, 1 / spread**2
    at = rounds.index(int(name[1]))
    pulls = [(0.0, FIRST_SPREAD**2)] if at == 0 else []
    for one, other in ((at, at - 1), (at, at + 1)):
        if 0 <= other < len(rounds):
            pulls.append((values["round", str(rounds[other])], STEP**2 * abs(rounds[one] - rounds[other])))
    return sum((middle - values[name]) / square for middle, square in pulls), sum(1 / square for _, square in pulls)


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))
