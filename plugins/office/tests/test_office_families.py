"""Every family at every level: it builds the same each time, is a valid folder that names what it checks, and knows a
wrong solution for every check. What the checks say of solutions is tried by tools/try_families.py, and in boxes."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from envwheel.environment import draft, folder
from envwheel_office import registry
from envwheel_office.family import OfficeFamily
from envwheel_office.kit.officekit.language import Plan, load
from envwheel_office.kit.officekit.language_base import Column, Scalar
from envwheel_office.kit.officekit.language_cells import RangeTable
from envwheel_office.kit.officekit.tables import score_rows
from envwheel_office.lint import inspect_environment
from envwheel_office.package import fixed
from envwheel_office.taxonomy import SKILLS

PLACES = [(family, level) for family in registry.families() for level in family.levels]
NAMES = [f"{family.id}-{level}" for family, level in PLACES]
seeds = pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
places = pytest.mark.parametrize(("family", "level"), PLACES, ids=NAMES)


def test_each_family_has_a_name_of_its_own() -> None:
    names = [family.id for family in registry.families()]
    assert len(names) == len(set(names)) >= 12


@places
def test_equal_arguments_give_equal_bytes(family: OfficeFamily, level: int) -> None:
    one, again = family.build(level, 3), family.build(level, 3)
    assert one == again
    assert family.build(level, 4).files != one.files


@seeds
@places
def test_every_seed_is_a_valid_folder_that_names_what_it_checks(
    family: OfficeFamily, level: int, seed: int, tmp_path: Path
) -> None:
    made = family.build(level, seed)
    draft.write(made, tmp_path / made.name, domains=["office"], kit=[], proposer="procedural")
    environment = folder.read(tmp_path / made.name).environment
    assert environment.name == f"{family.id}-l{level}-s{seed}"
    assert (environment.level, environment.params["family"], environment.params["seed"]) == (level, family.id, seed)
    assert set(environment.skills) <= set(SKILLS)
    assert [item for item in inspect_environment(environment) if item.severity == "error"] == []


@places
def test_the_plan_reads_back_as_it_was_made(family: OfficeFamily, level: int) -> None:
    made, plan = family.build(level, 0), family.make(level, 0).plan
    text = str(made.tests["checks.json"])
    assert Plan.model_validate_json(text) == load(text) == plan
    assert [check.id for check in plan.checks if check.gate] != [check.id for check in plan.checks]


@seeds
@places
def test_every_check_has_a_wrong_solution_that_it_sees(family: OfficeFamily, level: int, seed: int) -> None:
    recipe = family.make(level, seed)
    asked = {check.id for check in recipe.checks}
    seen = {id for wrong in recipe.wrongs for id in wrong.kills}
    assert seen == asked
    scripts = [item.script for item in (*recipe.wrongs, *recipe.alternatives)] + [recipe.solve]
    assert len(set(scripts)) == len(scripts)
    names = [item.id for item in (*recipe.wrongs, *recipe.alternatives)]
    assert len(set(names)) == len(names)
    assert recipe.alternatives


@seeds
@places
def test_copied_texts_with_noughts_for_numbers_earn_nothing(family: OfficeFamily, level: int, seed: int) -> None:
    recipe = family.make(level, seed)
    checks = recipe.checks
    if any(check.kind == "metamorphic" and check.gate for check in checks) or any(
        ".pdf" in name for name in recipe.files
    ):
        return  # typed numbers earn nothing, or the texts have to be read from pages
    scores = {}
    for check in checks:
        if (
            isinstance(check, RangeTable)
            and {column.type for column in check.columns} - {"text"}
            and len(check.columns) > len(check.key)
        ):
            guessed = [[_guess(check, *each) for each in zip(check.columns, row, strict=True)] for row in check.rows]
            headers = [column.header for column in check.columns]
            found = score_rows(headers, guessed, check.columns, check.key, check.rows, check.order)
            scores[check.id] = (found.value, check.floor)
    lazy = not any(value < floor for value, floor in scores.values()) and any(value for value, _ in scores.values())
    assert not lazy, scores


def _guess(check: RangeTable, column: Column, value: Scalar) -> Scalar:
    return value if column.header in check.key or column.type == "text" else 0.0


@places
def test_given_packages_carry_no_clock(family: OfficeFamily, level: int) -> None:
    made = family.build(level, 0)
    for name, content in {**made.files, **made.tests}.items():
        if isinstance(content, bytes) and name.endswith((".xlsx", ".docx", ".pptx")):
            assert fixed(content) == content, name


def test_a_package_in_a_package_carries_no_clock_either() -> None:
    def packed(stamp: str) -> bytes:
        data = b""
        for name in ("docProps/core.xml", "embedded.xlsx"):
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w") as package:
                content = data or f"<dcterms:created>{stamp}</dcterms:created>".encode()
                package.writestr(zipfile.ZipInfo(name, (int(stamp[:4]), 1, 1, 0, 0, 0)), content)
            data = out.getvalue()
        return data

    assert packed("2020-01-01T00:00:00Z") != packed("2021-01-01T00:00:00Z")
    assert fixed(packed("2020-01-01T00:00:00Z")) == fixed(packed("2021-01-01T00:00:00Z"))
