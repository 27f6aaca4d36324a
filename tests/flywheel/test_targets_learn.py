"""The policy against solvers of known strength: within a few rounds most of what it aims at is in the band."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from envwheel.api import Band, Draft, Family
from envwheel.calibrate import Tried, verdict
from envwheel.propose.digest import Arm
from envwheel.propose.targets import choose
from envwheel.rates import rate

SKILLS = ("files", "text", "git", "builds", "packaging", "shell", "data", "services", "debugging", "testing")


def build(level: int, seed: int) -> Draft:
    raise NotImplementedError


FAMILIES = [Family(f"f{n}", "", (SKILLS[n % len(SKILLS)],), (0, 1, 2, 3, 4), build) for n in range(16)]
TINY = {("f0", 0): 0.5, ("f1", 0): 0.5}
SOLVERS: dict[str, Callable[[str, int], float]] = {
    "tiny": lambda family, level: TINY.get((family, level), 0.02),
    "middling": lambda family, level: [0.95, 0.7, 0.4, 0.1, 0.02][level],
    "strong": lambda family, level: [1.0, 0.99, 0.95, 0.7, 0.3][level],
}


def admitted(chance: Callable[[str, int], float], rounds: int, seed: int) -> list[int]:
    """How many of eight candidates a round are in band for a solver that passes with `chance`."""
    draw, found = random.Random(seed), []
    trials: dict[Arm, tuple[int, int]] = {}
    valid: dict[Arm, tuple[int, int]] = {}
    for number in range(rounds):
        seen = {arm: rate(*count) for arm, count in trials.items()}
        in_band = 0
        for aim in choose({"swe": FAMILIES}, seen, valid, 8, 100 * seed + number):
            made: list[Tried] = []
            while (code := verdict(made, Band())) is None:
                made.append(Tried("scored", draw.random() < chance(aim.family.id, aim.level), 0.0))
            passed, scored = trials.get(aim.arm, (0, 0))
            trials[aim.arm] = passed + sum(one.passed is True for one in made), scored + len(made)
            valid[aim.arm] = valid.get(aim.arm, (0, 0))[0] + 1, valid.get(aim.arm, (0, 0))[1] + 1
            in_band += code == "in_band"
        found.append(in_band)
    return found


@pytest.mark.parametrize(
    ("solver", "first", "fourth"), [("tiny", 3.0, 4.0), ("middling", 5.0, 7.0), ("strong", 1.0, 6.0)]
)
def test_the_share_in_band_rises(solver: str, first: float, fourth: float) -> None:
    runs = [admitted(SOLVERS[solver], 4, seed) for seed in range(10)]
    means = [sum(run[number] for run in runs) / len(runs) for number in range(4)]
    assert means[0] <= first
    assert means[3] >= fourth
