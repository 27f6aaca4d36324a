"""Rechecks against solvers that learn and that do not: the pool stays fresher, and a solver that stays costs little."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

from flywheel_records import attempt, plan, target, trial

from envwheel.api import Band, Draft, Family
from envwheel.calibrate import Tried, verdict
from envwheel.ledger import AnyRecord, Recheck, Target
from envwheel.propose.digest import counts, seen, validity
from envwheel.propose.growth import gains
from envwheel.propose.predict import due
from envwheel.propose.targets import choose
from envwheel.rates import kept
from envwheel.standing import standings

ROUNDS, CANDIDATES, SEEDS = 6, 8, range(4)
SKILLS = ("files", "text", "git", "builds", "packaging", "shell", "data", "services")
VERDICT = {"in_band": "kept", "too_easy": "retired", "too_hard": "too_hard"}


def build(level: int, seed: int) -> Draft:
    raise NotImplementedError


FAMILIES = [Family(f"f{n}", "", (SKILLS[n % len(SKILLS)],), (0, 1, 2, 3, 4), build) for n in range(16)]


@dataclass
class World:
    """A run without boxes, of a solver whose ability rises by `speed` logits a round."""

    speed: float
    most: int
    seed: int
    records: list[AnyRecord] = field(default_factory=list)
    targets: dict[str, Target] = field(default_factory=dict)
    offsets: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.draw = random.Random(self.seed)
        for number in range(1, ROUNDS + 1):
            self.turn(number)

    def chance(self, candidate: str, round: int) -> float:
        offset = self.offsets.setdefault(candidate, self.draw.gauss(0, 0.5))
        return 1 / (1 + math.exp(-(1.5 - 1.1 * self.targets[candidate].level + offset + self.speed * (round - 1))))

    def calibrate(self, candidate: str, round: int) -> tuple[str, int, int]:
        made: list[Tried] = []
        while (code := verdict(made, Band())) is None:
            passed = self.draw.random() < self.chance(candidate, round)
            made.append(Tried("scored", passed, float(passed)))
            self.records.append(trial(candidate, 100 * round + len(made), passed, round=round))
        return code, sum(one.passed is True for one in made), len(made)

    def turn(self, number: int) -> None:
        trials, valid = seen(self.records), validity(self.records)
        seed = 100 * self.seed + number
        aims = choose({"swe": FAMILIES}, counts(trials), valid, CANDIDATES, seed, gains(trials))
        doubts = due(self.records, "simulated", lambda domain: Band())[: self.most]
        ahead = [
            target(f"r{number:02d}-c{n:03d}", aim.family.id, aim.level, skills=aim.family.skills)
            for n, aim in enumerate(aims, 1)
        ]
        self.targets |= {one.candidate: one for one in ahead}
        self.records.append(plan(*ahead, round=number))
        for doubt in doubts:
            code, passes, scored = self.calibrate(doubt.candidate, number)
            fields = {"candidate": doubt.candidate, "environment": "e", "was": doubt.was, "verdict": VERDICT[code]}
            figures = {"passes": passes, "scored": scored, "low": 0.0, "high": 1.0}
            more = {"round": number, "code": code, "message": "", "solver": "simulated"}
            self.records.append(Recheck(**fields, **figures, **more))
        for one in ahead:
            code, passes, scored = self.calibrate(one.candidate, number)
            ending = ("admitted", "") if code == "in_band" else ("rejected", code)
            figures = {"round": number, "level": one.level, "family": one.family, "passes": passes, "scored": scored}
            self.records.append(attempt(one.candidate, *ending, **figures))

    @property
    def rechecks(self) -> list[Recheck]:
        return [record for record in self.records if isinstance(record, Recheck)]

    @property
    def stale(self) -> int:
        """Environments of the pool that the solver of the last round would rather not be kept for."""
        pool = [id for id, one in standings(self.records).items() if one.state == "pool"]
        return sum(kept(self.chance(id, ROUNDS), Band()) < 0.5 for id in pool)


def test_a_learning_solver_leaves_fewer_mastered_environments_in_the_pool() -> None:
    left = sum(World(0.6, 0, seed).stale for seed in SEEDS)
    worlds = [World(0.6, 3, seed) for seed in SEEDS]
    assert left >= 40
    assert sum(world.stale for world in worlds) <= 0.8 * left
    found = [record for world in worlds for record in world.rechecks]
    changed = [record for record in found if (record.verdict == "kept") != (record.was == "pool")]
    assert len(changed) >= 0.6 * len(found)


def test_a_solver_that_stays_as_it_is_costs_hardly_a_recheck() -> None:
    worlds = [World(0.0, 3, seed) for seed in SEEDS]
    trials = sum(record.scored for world in worlds for record in world.rechecks)
    assert sum(len(world.rechecks) for world in worlds) <= 2 * len(worlds)
    assert trials <= 0.05 * sum(len(seen(world.records)) for world in worlds)
