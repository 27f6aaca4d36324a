"""What domains with seeded families share: who made an environment, what a brief aims at, what a pass is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from envwheel.api import Alternative, Check, Digest, Draft, Environment, Goal, Mutant, Rate, Reward, Trial, seeded

SKILLS = {"files": "Files", "git": "Version control"}


@dataclass(frozen=True)
class Family:
    id: str
    skills: tuple[str, ...] = ("files",)
    levels: tuple[int, ...] = (0, 1)

    def build(self, level: int, seed: int) -> Draft:
        raise NotImplementedError

    def mutants(self, level: int, seed: int) -> tuple[Mutant, ...]:
        return (Mutant(f"{self.id}-{level}-{seed}", "wrong", "true"),)

    def alternatives(self, level: int, seed: int) -> tuple[Alternative, ...]:
        return (Alternative(f"{self.id}-{level}-{seed}", "right", "true"),)


FAMILIES = (Family("links"), Family("commits", ("git",), (1, 2)))


def made(level: int = 1, **params: Any) -> Environment:
    return Environment(Path("/x"), "Do it.", {}, level=level, params={"family": "commits", "seed": 7, **params})


def test_an_environment_has_the_solutions_of_the_family_that_made_it() -> None:
    assert seeded.maker(made(), FAMILIES) == (FAMILIES[1], 1, 7)
    assert [one.id for one in seeded.mutants(made(), FAMILIES)] == ["commits-1-7"]
    assert [one.id for one in seeded.alternatives(made(), FAMILIES)] == ["commits-1-7"]


@pytest.mark.parametrize("stranger", [made(family="other"), made(family=["links"]), made(seed="7"), made(level=0)])
def test_what_no_family_made_has_none(stranger: Environment) -> None:
    assert seeded.maker(stranger, FAMILIES) is None
    assert seeded.mutants(stranger, FAMILIES) == []
    assert seeded.alternatives(stranger, FAMILIES) == []


def trial(raw: dict[str, float], *checks: Check, outcome: Any = "scored") -> Trial:
    return Trial(outcome, raw, checks, 3, 1.0, "")


@pytest.mark.parametrize(
    ("raw", "value", "passed"),
    [
        ({"reward": 1.0}, 1.0, True),
        ({"reward": 1 - 1e-12}, 1.0, True),
        ({"reward": 0.999}, 0.999, False),
        ({"reward": -1.0}, 0.0, False),
        ({"score": 0.4}, 0.4, False),
        ({"a": 1.0, "b": 1.0}, 0.0, False),
        ({}, 0.0, False),
    ],
)
def test_a_share_is_kept_and_only_a_full_reward_is_a_pass(raw: dict[str, float], value: float, passed: bool) -> None:
    found = seeded.reward(trial(raw))
    assert (found.value, found.passed) == (value, passed)


def test_a_reward_without_a_scored_trial_is_none() -> None:
    assert seeded.reward(trial({"reward": 1.0}, outcome="verifier_error")) == Reward(
        0.0, False, "not scored: verifier_error"
    )


def test_the_reason_names_the_failed_checks_with_theirs() -> None:
    checks = Check("one", True), Check("two", False), Check("three", False, 1.0, "12 rows are missing")
    assert seeded.reward(trial({"reward": 0.5}, *checks)).reason == "failed: two; three (12 rows are missing)"


def test_a_brief_aims_where_the_solver_is_unsure() -> None:
    digest = Digest({("files", 0): Rate(4, 8, 0.2, 0.8), ("git", 1): Rate(8, 8, 0.7, 1.0)})
    drawn = [seeded.aim(digest, SKILLS, seed, None) for seed in range(300)]
    assert drawn.count(("files", 0)) > 60 > 30 > drawn.count(("git", 1))
    assert set(drawn) == {(skill, level) for skill in SKILLS for level in seeded.LEVELS}
    assert seeded.aim(digest, SKILLS, 3, None) == drawn[3]


def test_a_goal_goes_before_the_draw_and_its_failure_is_told() -> None:
    goal = Goal("git", 3, "stops early")
    assert seeded.aim(Digest({}), SKILLS, 3, goal) == ("git", 3)
    text = seeded.aimed(Digest({("git", 3): Rate(2, 8, 0.1, 0.6)}), SKILLS, "git", 3, goal)
    assert text == (
        "Skill: Version control (`git`). Level: 3 of 4. The solver passed 2 of 8 attempts here; aim for about half. "
        "Where it fails, it mostly stops early: build something whose work exercises that."
    )
    assert "has not tried this yet" in seeded.aimed(Digest({}), SKILLS, "git", 3, None)


def test_examples_are_of_the_same_skill_where_there_is_one() -> None:
    assert seeded.models(FAMILIES, "git", 1, 0) == [FAMILIES[1]]
    assert seeded.models(FAMILIES, "none", 0, 0) == [FAMILIES[0]]
    assert set(seeded.models(FAMILIES, "none", 1, 0)) == set(FAMILIES)


def test_a_script_stops_at_the_first_error_unless_it_says_how_it_runs() -> None:
    assert seeded.script("\n true\n") == "#!/bin/bash\nset -euo pipefail\ntrue\n"
    assert seeded.script("#!/usr/bin/perl\n1;") == "#!/usr/bin/perl\n1;\n"
