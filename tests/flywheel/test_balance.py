"""How evenly targets and pool are spread: exp(entropy) over the number of values."""

from __future__ import annotations

import math

import pytest
from flywheel_records import attempt, plan, target

from envwheel.balance import balance, taxonomy_of
from envwheel.ledger import Recheck
from envwheel.summary import pool_balance, status

SIZES = {"domain": 1, "skill": 4, "level": 5}


def spread(*skills: tuple[str, ...], levels: tuple[int, ...] = ()) -> dict[str, float | None]:
    levels = levels or (0,) * len(skills)
    targets = [
        target(f"c{n}", skills=skill, level=level) for n, (skill, level) in enumerate(zip(skills, levels, strict=True))
    ]
    return balance(targets, SIZES)


def test_even_is_one_and_a_single_value_is_one_over_n() -> None:
    assert spread(("a",), ("b",), ("c",), ("d",))["skill"] == 1.0
    assert spread(("a",), ("a",))["skill"] == 0.25
    assert spread(("a",))["domain"] == 1.0
    assert spread(*[("a",)] * 5, levels=(0, 1, 2, 3, 4))["level"] == 1.0


def test_uneven_lies_between_by_the_entropy() -> None:
    entropy = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    assert spread(("a",), ("a",), ("a",), ("b",))["skill"] == pytest.approx(math.exp(entropy) / 4, abs=1e-4)


def test_several_skills_count_in_equal_parts() -> None:
    assert spread(("a", "b"), ("c", "d"))["skill"] == 1.0


def test_without_targets_there_is_no_balance() -> None:
    assert balance([], SIZES) == {"domain": None, "skill": None, "level": None}


def test_values_that_the_taxonomy_lacks_make_it_larger() -> None:
    assert balance([target("a", skills=("x",)), target("b", skills=("y",))], {"skill": 1})["skill"] == 1.0


def test_the_pool_counts_what_is_in_it_now() -> None:
    first = plan(target("a", level=0), target("b", level=1), target("c", level=2)).model_copy(
        update={"taxonomy": {"domain": 2, "skill": 2, "level": 4}}
    )
    records = [first, attempt("a"), attempt("b"), attempt("c", "rejected", "too_easy")]
    assert pool_balance(records)["level"] == 0.5
    gone = Recheck(
        round=2,
        candidate="a",
        environment="e",
        was="pool",
        verdict="retired",
        code="too_easy",
        message="",
        solver="simulated",
        passes=8,
        scored=8,
        low=0.6,
        high=1.0,
    )
    assert pool_balance([*records, gone])["level"] == 0.25
    assert status([*records, gone], pool=1)["balance"]["domain"] == 0.5


def test_a_rounds_balance_is_of_its_targets_without_duplicates() -> None:
    twice = target("b", level=3, duplicate=True)
    records = [plan(target("a", level=0), twice), plan(target("c", level=1), round=2)]
    assert taxonomy_of(records) == {"domain": 1, "skill": 1, "level": 3}
    rounds = status(records, pool=0)["rounds"]
    assert rounds[0]["balance"]["level"] == round(1 / 3, 4)
