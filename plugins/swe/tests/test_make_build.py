"""make_build: faults do not meet, plays are well formed, and what the program must print is computed right."""

from __future__ import annotations

import pytest

from envwheel_swe.families import make_build, make_build_faults, make_build_plays, make_build_tree
from envwheel_swe.naming import rng
from envwheel_swe.repair import plant, program

OPERATIONS = {"make", "run", "write", "remove", "changed", "files", "text", "mode"}


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("seed", range(15))
def test_faults_can_all_be_planted(level: int, seed: int) -> None:
    working = program("make_build/flat")
    chosen = make_build_faults.choose(rng("make_build", level, seed), level, working)
    assert len(chosen) == (1, 3, 5)[level - 1]
    broken = plant(working, chosen)
    for fault in chosen:
        assert fault.wrong in broken[fault.path]


def test_every_fault_and_every_half_repair_can_be_planted() -> None:
    working = program("make_build/flat")
    for fault in (*make_build_faults.DEPENDENCIES, *make_build_faults.LINKING, *make_build_faults.GOALS):
        assert fault.symptom
        for kind in ("wrong", *(name for name in ("half", "other") if getattr(fault, name))):
            assert plant(working, [fault], kind) != working


@pytest.mark.parametrize("level", range(5))
def test_steps_are_ones_that_the_checker_knows(level: int) -> None:
    for seed in range(4):
        expect = make_build.make(level, seed).expect
        assert set(expect["take"]) & set(expect["sources"]) == set()
        for play in expect["plays"]:
            for step in play["steps"]:
                assert OPERATIONS & set(step), step
                assert set(step.get("changed", ())) <= set(step.get("of", ()))


def test_what_the_program_must_print() -> None:
    now = make_build_plays.Program("1.4", unit="MJ", digits=1)
    assert now.printed([1.0, 3.0])["out"] == "meter 1.4\ncount 2\nmean 2.0 MJ\ndeviation 1.0 MJ\n"
    assert "count 3" in make_build_plays.Program("1", more=(7.0,)).printed([1.0, 1.0])["out"]


def test_no_name_of_the_program_hides_in_another_word() -> None:
    made = make_build.make(2, 0)
    assert "meter" not in made.instruction
    assert all("meter" not in str(text) for text in made.files.values())


def test_mutants_of_the_tree_differ_from_the_reference() -> None:
    made = make_build_tree.whole_tree(rng("make_build", 4, 0), "gauge")
    assert all(mutant.script != made.solve for mutant in made.mutants)
    assert made == make_build_tree.whole_tree(rng("make_build", 4, 0), "gauge")
