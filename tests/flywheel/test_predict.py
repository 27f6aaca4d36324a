"""What is predicted to be in band: the order of targets, the failures they address, what is due to be tried again."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from flywheel_records import attempt, gate_note, plan, target, trial

from envwheel.api import Band
from envwheel.ledger import AnyRecord, Doubt, Target, TrialNote
from envwheel.propose.predict import IN_DOUBT, due, foreseen, likeliest_first


def band(domain: str) -> Band:
    return Band()


def tried(candidate: str, passes: int, scored: int, round: int = 1) -> list[TrialNote]:
    return [trial(candidate, number, number <= passes, round=round) for number in range(1, scored + 1)]


def closed(candidate: str, passes: int, scored: int, round: int = 1) -> list[AnyRecord]:
    """A candidate with its trials, as calibration would have closed it."""
    verdict, code = {0: ("rejected", "too_hard"), scored: ("rejected", "too_easy")}.get(passes, ("admitted", ""))
    ending = attempt(candidate, verdict, code, passes=passes, scored=scored, round=round)
    return [*tried(candidate, passes, scored, round), ending]


def names(doubts: Sequence[Doubt]) -> list[str]:
    return [doubt.candidate for doubt in doubts]


def test_the_likeliest_in_band_come_first() -> None:
    past = [plan(*(target(f"r01-c00{n}", level=n) for n in (0, 1, 4)))]
    past += [*tried("r01-c000", 24, 24), *tried("r01-c001", 12, 24), *tried("r01-c004", 0, 24)]
    ahead = [target(f"r02-c00{n}", level=n) for n in (0, 1, 4)]
    found = {one.level: one for one in foreseen(ahead, past, band)}
    assert found[1].in_band > 0.95
    assert found[0].in_band < 0.5
    assert found[4].in_band < 0.4
    assert likeliest_first(found.values())[0].level == 1


def test_with_the_same_expected_rate_the_surer_belief_is_likelier_in_band() -> None:
    known = target("r01-c001", family="known")
    records = [plan(known), *tried("r01-c001", 12, 24)]
    sure, unsure = foreseen([target("r02-c001", family="known"), target("r02-c002", family="new")], records, band)
    assert sure.in_band > unsure.in_band


def test_targets_of_an_older_run_keep_their_order() -> None:
    old = [target("r01-c001"), target("r01-c002"), target("r01-c003")]
    assert likeliest_first(old) == old


def failing(candidate: str, *reasons: str) -> list[TrialNote]:
    return [trial(candidate, number, False, reason=reason) for number, reason in enumerate(reasons, 1)]


def addressed(targets: Sequence[Target], *records: AnyRecord) -> list[str]:
    return [one.address for one in foreseen(targets, records, band)]


def test_targets_share_the_failures_of_their_family_and_level_by_frequency() -> None:
    past = [plan(target("r01-c001")), gate_note("r01-c001", untouched_fails=("x",))]
    past += failing("r01-c001", "turns", "turns", "turns", "turns", "no_command", "no_command")
    ahead = [target(f"r02-c00{n}") for n in (1, 2, 3)]
    assert addressed(ahead, *past) == ["ran out of turns", "ran out of turns", "gave no command"]
    first = foreseen(ahead, past, band)[0]
    assert first.reason == "because; addresses: ran out of turns (4 of 6 failures there)"


def test_without_failures_there_the_nearest_level_of_the_family_counts() -> None:
    past = [plan(target("r01-c001", level=1), target("r01-c002", level=3), target("r01-c003", family="other"))]
    past += [*failing("r01-c001", "turns"), *failing("r01-c002", "tokens"), *failing("r01-c003", "time")]
    near = foreseen([target("r02-c001", level=2)], past, band)[0]
    assert near.address == "ran out of turns"
    assert "at level 1" in near.reason
    assert addressed([target("r02-c001", level=4)], *past) == ["ran out of tokens"]


def test_without_any_failure_nothing_is_addressed() -> None:
    fresh = foreseen([target("r01-c001")], [], band)[0]
    assert (fresh.address, fresh.reason) == ("", "because")


MANY = plan(
    *(target(id, level=1) for id in ("easy", "hard", "fair")),
    *(target(f"{id}{level}", level=level) for id in ("high", "low") for level in (0, 1, 2, 3)),
)
WEAK = [*closed("fair", 6, 8), *closed("low0", 7, 8), *closed("low1", 4, 8), *closed("low2", 1, 8)]
"""Round 1: the solver passes half of what is of level 1, one in eight at level 2."""
GROWN = [*closed("high2", 8, 8, 2), *closed("high3", 7, 8, 2)]
"""Round 2: it passes nearly all at levels 2 and 3; nothing below is tried any more."""
SAME = [*closed("high0", 7, 8, 2), *closed("high1", 4, 8, 2), *closed("high2", 1, 8, 2)]
"""Round 2: as in round 1."""


def test_without_a_later_round_the_same_solver_has_nothing_due() -> None:
    assert due([MANY, *WEAK, *closed("hard", 0, 8)], "simulated", band) == []


def test_a_solver_that_stays_as_it_was_leaves_the_pool_alone() -> None:
    assert due([MANY, *WEAK, *closed("hard", 0, 8), *SAME], "simulated", band) == []


def test_what_was_in_band_is_due_once_harder_things_are_passed() -> None:
    doubts = due([MANY, *WEAK, *GROWN], "simulated", band)
    assert names(doubts)[0] == "low0"
    assert "low2" not in names(doubts)
    assert all(doubt.was == "pool" and doubt.wrong >= IN_DOUBT for doubt in doubts)
    assert "passed 7 of 8 in round 1; the solver moved by +" in doubts[0].reason


def test_what_was_too_hard_is_due_once_it_is_in_reach() -> None:
    hard = [MANY, *WEAK, *closed("low3", 0, 8)]
    assert ("low3", "shelf") in [(doubt.candidate, doubt.was) for doubt in due([*hard, *GROWN], "simulated", band)]
    assert "low3" not in names(due([*hard, *SAME], "simulated", band))


def test_another_solver_puts_the_whole_pool_in_doubt_the_likeliest_to_be_out_first() -> None:
    doubts = due([MANY, *WEAK], "simulated-2", band)
    assert set(names(doubts)) == {"fair", "low0", "low1", "low2"}
    assert [doubt.wrong for doubt in doubts] == sorted((doubt.wrong for doubt in doubts), reverse=True)
    assert doubts[0].candidate in ("low0", "low2")
    assert "another solver since (simulated)" in doubts[0].reason


@pytest.mark.parametrize("code", ["too_easy", "forgeable", "design_flaw"])
def test_what_was_rejected_for_another_reason_is_never_due(code: str) -> None:
    ended = attempt("easy", "rejected", code, passes=8, scored=8, valid=code != "forgeable")
    assert due([MANY, *tried("easy", 8, 8), ended], "simulated-2", band) == []
