"""Families that plant faults in programs, ask for programs, or ask for tests."""

from __future__ import annotations

from importlib import import_module

import pytest

from envwheel_swe.families import py_module_repair as repairs
from envwheel_swe.families import service_faults as service
from envwheel_swe.families import shell_faults
from envwheel_swe.families.test_writing_bugs import BUGS, PARTIAL, STRICT
from envwheel_swe.family import SweFamily, swap
from envwheel_swe.repair import Fault, patch, plant, program, reword

FAMILIES = (
    "py_module_repair",
    "shell_script_fix",
    "csv_report",
    "sqlite_query",
    "service_config",
    "test_writing",
    "perf_rewrite",
)
CASES = [(name, level) for name in FAMILIES for level in range(5)]


def family(name: str) -> SweFamily:
    return import_module(f"envwheel_swe.families.{name}").FAMILY


@pytest.mark.parametrize(("name", "level"), CASES)
def test_equal_arguments_give_equal_environments(name: str, level: int) -> None:
    one, two = family(name).build(level, 3), family(name).build(level, 3)
    assert one == two
    assert family(name).mutants(level, 3) == family(name).mutants(level, 3)


@pytest.mark.parametrize(("name", "level"), CASES)
def test_seeds_differ(name: str, level: int) -> None:
    drafts = [family(name).build(level, seed) for seed in range(6)]
    told = {(d.instruction, tuple(sorted(d.files.items())), tuple(sorted(d.tests.items()))) for d in drafts}
    assert len(told) == len(drafts)


@pytest.mark.parametrize(("name", "level"), CASES)
def test_wrong_solutions_are_there_and_differ_from_the_reference(name: str, level: int) -> None:
    draft, mutants = family(name).build(level, 0), family(name).mutants(level, 0)
    assert 2 <= len(mutants) <= 4
    assert len({mutant.id for mutant in mutants}) == len(mutants)
    assert all(mutant.script != draft.solution["solve.sh"] for mutant in mutants)


@pytest.mark.parametrize("name", FAMILIES)
def test_other_right_solutions_are_there(name: str) -> None:
    assert any(family(name).alternatives(level, seed) for level in range(5) for seed in range(3))


@pytest.mark.parametrize(("name", "level"), CASES)
def test_placeholders_are_all_filled(name: str, level: int) -> None:
    for seed in range(3):
        draft = family(name).build(level, seed)
        texts = [draft.instruction, *(text for text in draft.files.values() if isinstance(text, str)), *draft.files]
        assert not [text for text in texts if "zz" in text.replace("pizza", "").replace("fuzz", "")]


@pytest.mark.parametrize(("name", "level"), CASES)
def test_the_instruction_names_what_is_judged(name: str, level: int) -> None:
    draft = family(name).build(level, 1)
    assert all(path.rsplit("/", 1)[-1] in draft.instruction for path in draft.artifacts)


TABLES = {
    "py_module_repair/worklog": (repairs.TYPOS, repairs.IMPORTS, repairs.STATE, repairs.VALUES),
    "shell_script_fix/count": (shell_faults.COUNT,),
    "shell_script_fix/collect": (shell_faults.COLLECT,),
    "shell_script_fix/rename": (shell_faults.RENAME,),
    "shell_script_fix/withlock": (shell_faults.LOCK,),
    "shell_script_fix/release": (shell_faults.RELEASE,),
    "service_config": (service.CONFIG, service.START, service.ROUTES, service.ERRORS, service.STORE),
}  # fmt: skip
FAULTS = [(name, fault) for name, tables in TABLES.items() for table in tables for fault in table]


@pytest.mark.parametrize(("name", "fault"), FAULTS, ids=lambda value: getattr(value, "id", value))
def test_every_fault_fits_its_program_and_changes_it(name: str, fault: Fault) -> None:
    working = program(name)
    texts = [working[fault.path]]
    for choose in ("wrong", *(part for part in ("half", "other") if getattr(fault, part))):
        texts.append(plant(working, [fault], choose)[fault.path])
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("level", range(5))
def test_every_hidden_bug_fits_its_module(level: int) -> None:
    texts = program("test_writing")
    for change in BUGS[level].values():
        assert swap(texts[f"{level}.py"], *change) != texts[f"{level}.py"]
    assert PARTIAL[level][0] in BUGS[level]
    for change in (PARTIAL[level][1:], STRICT[level]):
        assert swap(texts[f"{level}_tests.py"], *change) != texts[f"{level}_tests.py"]


def test_reword_keeps_the_case_of_the_first_letter() -> None:
    assert reword("part Part PART parts", {"part": "book"}) == "book Book BOOK books"


def test_patch_of_equal_files_does_nothing() -> None:
    assert patch({"a": "x\n"}, {"a": "x\n"}) == ""


def test_patch_writes_changes_and_removes() -> None:
    script = patch({"a": "x\n", "b": "y\n"}, {"a": "z\n", "c/d": "#!/bin/sh\n"})
    assert "+z" in script
    assert "rm -- 'b'" in script
    assert "chmod +x 'c/d'" in script
