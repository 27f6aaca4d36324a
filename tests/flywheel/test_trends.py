"""Whether a skill gets better: against known chances, and not fooled by harder targets."""

from __future__ import annotations

import random

from envwheel.propose.trends import later_better, trends

Outcome = tuple[str, int, int, bool]


def outcomes(round: int, level: int, passed: int, scored: int, skill: str = "files") -> list[Outcome]:
    return [(skill, level, round, at < passed) for at in range(scored)]


def test_rates_by_round_and_a_plain_word() -> None:
    found = trends(outcomes(1, 0, 2, 10) + outcomes(2, 0, 9, 10))["files"]
    assert [(number, one.passed, one.scored) for number, one in found.rounds] == [(1, 2, 10), (2, 9, 10)]
    assert found.word == "rising"
    assert trends(outcomes(1, 0, 9, 10) + outcomes(2, 0, 2, 10))["files"].word == "falling"
    assert trends(outcomes(1, 0, 5, 10) + outcomes(2, 0, 6, 10))["files"].word == "flat"


def test_one_round_alone_is_new() -> None:
    found = trends(outcomes(3, 0, 9, 10))["files"]
    assert (found.word, found.chance) == ("new", None)


def test_harder_targets_are_no_falling_solver() -> None:
    found = trends(outcomes(1, 0, 9, 10) + outcomes(2, 0, 9, 10) + outcomes(2, 3, 0, 10))["files"]
    assert found.word == "flat"
    assert trends(outcomes(1, 0, 9, 10) + outcomes(2, 3, 0, 10))["files"].word == "new"


def test_all_earlier_rounds_are_what_the_last_is_compared_with() -> None:
    found = trends(outcomes(1, 0, 0, 8) + outcomes(2, 0, 0, 8) + outcomes(3, 0, 8, 8))["files"]
    assert found.word == "rising"
    assert len(found.rounds) == 3


def test_each_skill_has_its_own() -> None:
    both = outcomes(1, 0, 1, 9) + outcomes(2, 0, 8, 9) + outcomes(2, 0, 1, 2, skill="text")
    assert {skill: one.word for skill, one in trends(both).items()} == {"files": "rising", "text": "new"}


def test_the_chance_is_that_of_the_posteriors() -> None:
    draw = random.Random(0)
    for (p1, n1), (p2, n2) in [((2, 8), (5, 8)), ((0, 4), (3, 4)), ((7, 8), (7, 8)), ((10, 12), (1, 3))]:
        won = sum(draw.betavariate(p2 + 1, n2 - p2 + 1) > draw.betavariate(p1 + 1, n1 - p1 + 1) for _ in range(20_000))
        chance = later_better([((p1, n1), (p2, n2))])
        assert chance is not None
        assert abs(chance - won / 20_000) < 0.03


def test_levels_that_agree_make_it_surer() -> None:
    one = later_better([((2, 8), (4, 8))])
    two = later_better([((2, 8), (4, 8)), ((1, 8), (3, 8))])
    assert one is not None
    assert two is not None
    assert 0.5 < one < two < 1.0
    assert later_better([]) is None
