"""What the rollouts say: rates, kinds of failure, and which rollouts are worth reading."""

from __future__ import annotations

from pathlib import Path

from flywheel_records import attempt, gate_note, plan, target, trial

from envwheel.ledger import AnyRecord
from envwheel.propose.digest import counts, digest, failure, seen, validity, worth_reading

RECORDS: list[AnyRecord] = [
    plan(target("c1"), target("c2", level=1, skills=("files", "text")), target("c3", "sort", skills=("text",))),
    gate_note("c1", untouched_fails=("made", "right")),
    trial("c1", 1, True, checks={"made": True, "right": True}),
    trial("c1", 2, False, checks={"made": True, "right": False}),
    trial("c1", 3, False, checks={"made": False, "right": False}),
    trial("c1", 4, None),
    trial("c2", 1, False, reason="no_command"),
    trial("c3", 1, False, reason="turns"),
    attempt("c1"),
    attempt("c2", "rejected", "too_hard"),
    attempt("c3", "infra", family="sort"),
]


def test_rates_by_skill_and_level_count_scored_trials_only() -> None:
    found = digest(seen(RECORDS), Path("run"), round=2)
    assert {key: (rate.passed, rate.scored) for key, rate in found.skills.items()} == {
        ("files", 0): (1, 3),
        ("files", 1): (0, 1),
        ("text", 1): (0, 1),
        ("text", 0): (0, 1),
    }
    assert 0.0 < found.skills["files", 0].low < 1 / 3 < found.skills["files", 0].high < 1.0
    assert found.round == 2


def test_counts_and_validity_by_family_and_level() -> None:
    assert counts(seen(RECORDS))["swe", "links", 0].scored == 3
    assert validity(RECORDS) == {("swe", "links", 0): (2, 2)}


def test_failures_by_kind() -> None:
    kinds = [failure(one) for one in seen(RECORDS) if not one.passed]
    assert kinds == ["did part of the work", "did none of the work", "gave no command", "ran out of turns"]
    assert digest(seen(RECORDS), Path(), round=1).failures["gave no command"] == 1


def test_a_pass_and_the_nearest_miss_are_worth_reading() -> None:
    ids = [one.trial.id for one in worth_reading(seen(RECORDS))]
    assert ids[:2] == ["c1-t01", "c1-t02"]
    assert set(ids[2:]) == {"c2-t01", "c3-t01"}
    assert len(worth_reading(seen(RECORDS), most=3)) == 3
    assert digest(seen(RECORDS), Path("run"), round=1).rollouts[0] == Path("run/rollouts/1/c1-t01.json")
