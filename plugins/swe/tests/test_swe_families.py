"""Every family at every level: it builds the same each time, is a valid folder, and its hooks fit its environments."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from envwheel.api import Environment
from envwheel.domains import Domains
from envwheel.environment import draft, folder
from envwheel.gate.lint import before_build
from envwheel_swe import registry
from envwheel_swe.family import SweFamily, swap
from envwheel_swe.lint import inspect_environment
from envwheel_swe.taxonomy import SKILLS

SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))]
"""One says whether a family holds together; more are for the long tests."""
PLACES = [(family, level) for family in registry.families() for level in family.levels]
NAMES = [f"{family.id}-{level}" for family, level in PLACES]


@pytest.fixture(scope="module")
def domains() -> Domains:
    return Domains.load(["swe"])


def write(family: SweFamily, level: int, seed: int, at: Path) -> Environment:
    made = family.build(level, seed)
    draft.write(made, at / made.name, domains=["swe"], kit=[], proposer="procedural")
    return folder.read(at / made.name).environment


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("family", "level"), PLACES, ids=NAMES)
def test_every_seed_is_a_valid_folder(
    family: SweFamily, level: int, seed: int, domains: Domains, tmp_path: Path
) -> None:
    environment = write(family, level, seed, tmp_path)
    assert environment.name == f"{family.id}-l{level}-s{seed}"
    assert (environment.level, environment.params["family"], environment.params["seed"]) == (level, family.id, seed)
    assert set(environment.skills) <= set(SKILLS)
    assert inspect_environment(environment) == []
    assert before_build(folder.read(environment.path), domains) == []


@pytest.mark.parametrize(("family", "level"), PLACES, ids=NAMES)
def test_a_seed_says_everything(family: SweFamily, level: int) -> None:
    one, again = family.build(level, 5), family.build(level, 5)
    assert one == again
    assert len({str(family.build(level, seed).tests["expect.json"]) for seed in range(6)}) > 1 or one.files != (
        family.build(level, 6).files
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("family", "level"), PLACES, ids=NAMES)
def test_wrong_and_other_right_solutions(family: SweFamily, level: int, seed: int) -> None:
    mutants, others = family.mutants(level, seed), family.alternatives(level, seed)
    assert len(mutants) >= 2
    names = [item.id for item in (*mutants, *others)]
    assert len(set(names)) == len(names)
    assert len({item.script for item in mutants}) == len(mutants)
    reference = family.build(level, seed).solution["solve.sh"]
    assert reference not in [item.script for item in (*mutants, *others)]


@pytest.mark.parametrize(("family", "level"), PLACES, ids=NAMES)
def test_the_answer_is_not_among_the_fixtures(family: SweFamily, level: int) -> None:
    made = family.build(level, 0)
    solve = str(made.solution["solve.sh"])
    told = [line for line in solve.splitlines() if len(line) > 30 and line in made.instruction]
    assert told == [], "the instruction holds lines of the reference"


def test_hooks_find_the_family_of_an_environment(domains: Domains, tmp_path: Path) -> None:
    environment = write(registry.families()[0], 1, 3, tmp_path)
    assert [item.id for item in domains.mutants("swe", environment)] == [
        item.id for item in registry.families()[0].mutants(1, 3)
    ]
    for params in ({}, {"family": "unknown", "seed": 1}, {"family": registry.families()[0].id, "seed": "one"}):
        stranger = replace(environment, params=params)
        assert domains.mutants("swe", stranger) == []
        assert domains.alternatives("swe", stranger) == []


def test_there_are_enough_families_for_all_skills() -> None:
    families = registry.families()
    assert len(families) >= 16
    assert len({family.id for family in families}) == len(families)
    assert all(family.levels == (0, 1, 2, 3, 4) for family in families)
    used = {skill for family in families for level in family.levels for skill in family.build(level, 0).skills}
    assert used == set(SKILLS)


def test_swap_wants_one_place() -> None:
    assert swap("a b c", "b", "x") == "a x c"
    with pytest.raises(ValueError, match="exactly once"):
        swap("a a", "a", "x")
    with pytest.raises(ValueError, match="exactly once"):
        swap("a", "z", "x")
