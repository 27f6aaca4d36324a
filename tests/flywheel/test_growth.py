"""The movement of the solver is read off what it is tried on, also when that becomes harder from round to round."""

from __future__ import annotations

import math
import random

import pytest
from flywheel_records import target, trial

from envwheel.api import Band
from envwheel.propose.digest import Seen
from envwheel.propose.growth import STILL, Growth, gains
from envwheel.rates import kept

FAMILIES = ("links", "modes", "sort", "count")


def chance(ability: float, level: int) -> float:
    return 1 / (1 + math.exp(-(ability - 1.2 * level)))


def play(abilities: tuple[float, ...], levels: tuple[tuple[int, ...], ...], seed: int = 0) -> list[Seen]:
    """In each round, four environments at each of its levels, eight trials each, by a solver of that ability."""
    draw, trials = random.Random(seed), []
    for round, (ability, tried) in enumerate(zip(abilities, levels, strict=True), 1):
        for level in tried:
            for family in FAMILIES:
                aim = target(f"r{round}-{family}-{level}", family, level, skills=(family[0],))
                passed = [draw.random() < chance(ability, level) for _ in range(8)]
                trials += [Seen(aim, trial(aim.candidate, n, one, round=round)) for n, one in enumerate(passed, 1)]
    return trials


def own(passes: int, scored: int, round: int = 1, level: int = 0) -> list[Seen]:
    aim = target("own", level=level, skills=("l",))
    return [Seen(aim, trial("own", n, n <= passes, round=round)) for n in range(1, scored + 1)]


def test_growth_is_seen_although_only_harder_things_are_tried_later() -> None:
    rising = Growth.of(play((0.0, 1.2, 2.4, 3.6), ((0, 1), (1, 2), (2, 3), (3, 4))))
    easy = target("x", "links", 0, skills=("l",))
    eases = [rising.ease(easy, round) for round in (1, 2, 3, 4)]
    assert eases == sorted(eases)
    assert rising.since(1) == pytest.approx(eases[3] - eases[0])
    assert 2.0 < rising.since(1) < 5.0


def test_a_solver_that_stays_is_not_taken_to_move_whatever_is_tried() -> None:
    for seed in range(4):
        still = Growth.of(play((1.0,) * 4, ((0, 1), (1, 2), (1, 2), (0, 2)), seed))
        assert abs(still.since(1)) < 0.9


def test_old_trials_are_read_as_of_a_weaker_solver() -> None:
    growth = Growth.of(play((0.0, 1.5, 3.0), ((0, 1), (1, 2), (2, 3))))
    aim = target("own", "links", 0, skills=("l",))
    then, now = growth.in_band(aim, Band(), own(4, 8, 3)), growth.in_band(aim, Band(), own(4, 8, 1))
    assert now < then
    assert now < 0.8


def test_its_own_trials_set_an_environment_apart_from_its_family() -> None:
    growth = Growth.of(play((1.0, 1.0), ((0, 1), (0, 1))))
    aim = target("own", "links", 0, skills=("l",))
    hard, unknown, fair = (growth.in_band(aim, Band(), own(passes, 8, 2)) for passes in (0, 4, 4))
    assert hard < unknown == fair
    assert growth.in_band(aim, Band(), own(24, 24, 2)) < growth.in_band(aim, Band())


def test_without_trials_the_guess_falls_with_the_level() -> None:
    empty = Growth.of([])
    assert empty.last == 0
    eases = [empty.ease(target("x", level=level)) for level in range(4)]
    assert eases == sorted(eases, reverse=True)
    assert 0.5 < empty.in_band(target("x"), Band()) < 1.0


@pytest.mark.parametrize("ability", [-6.0, 0.0, 6.0])
def test_with_many_trials_the_probability_is_that_of_the_true_rate(ability: float) -> None:
    growth = Growth.of(play((ability,) * 2, ((0, 1), (0, 1))))
    aim, draw = target("own", "links", 0, skills=("l",)), random.Random(5)
    passes = sum(draw.random() < chance(ability, 0) for _ in range(200))
    assert growth.in_band(aim, Band(), own(passes, 200, 2)) == pytest.approx(kept(chance(ability, 0), Band()), abs=0.1)


def halves(family: str, former: int, latter: int, rounds: tuple[int, int] = (1, 2), level: int = 0) -> list[Seen]:
    """Eight trials in each of two rounds, so many of them passed."""
    aim = target(family, family, level)
    return [
        Seen(aim, trial(family, n, n % 8 < passes, round=round))
        for passes, round in zip((former, latter), rounds, strict=True)
        for n in range(8 * round, 8 * round + 8)
    ]


def test_gains_are_the_change_of_the_rate_at_equal_level_with_votes_for_none() -> None:
    found = gains([*halves("up", 2, 6), *halves("down", 6, 2), *halves("still", 4, 4)])
    assert found["swe", "up"] == pytest.approx(4 / (8 + STILL))
    assert found["swe", "down"] == -found["swe", "up"]
    assert found["swe", "still"] == 0.0
    levels = gains([*halves("up", 2, 6), *halves("up", 4, 4, level=1)])
    assert levels["swe", "up"] == pytest.approx(4 / (16 + STILL))


def test_one_round_tells_nothing_of_progress() -> None:
    assert gains(halves("once", 0, 8, rounds=(1, 1))) == {}
    assert gains([]) == {}
