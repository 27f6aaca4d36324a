"""Nobody solves it: the task at fault when most fail in the same way, hard when the failures are scattered."""

from __future__ import annotations

import pytest
from flywheel_records import target, trial

from envwheel.api import Band, Check
from envwheel.calibrate import Tried, verdict
from envwheel.ledger import Tokens
from envwheel.propose.digest import Seen
from envwheel.propose.triage import triage
from envwheel.triage import blamed, message_class, said


def single(message: str) -> Tried:
    return Tried("scored", False, 0.0, (("right", False),), {"right": message})


def several(message: str, *, part: bool = True, other: bool = False) -> Tried:
    checks = (("made", part), ("total", False), ("sorted", other))
    return Tried("scored", False, 0.0, checks, {"total": message})


SAME = "assert '1,200' == '1200'"
WORK = ("made", "total", "sorted")


def test_the_same_wrong_value_from_most_attempts_is_a_flaw_where_there_is_one_check() -> None:
    assert verdict([single(SAME)] * 5 + [single("assert '7' == '1200'")] * 3, Band(), ("right",)) == "design_flaw"


def test_different_wrong_values_are_a_hard_task() -> None:
    scattered = [single(f"assert '{number}' == '1200'") for number in range(8)]
    assert verdict(scattered, Band(), ("right",)) == "too_hard"


def test_half_of_the_attempts_are_not_most() -> None:
    mixed = [single(SAME)] * 4 + [single(f"assert '{n}' == '1200'") for n in range(4)]
    assert verdict(mixed, Band(), ("right",)) == "too_hard"


@pytest.mark.parametrize(
    "message",
    [
        SAME,  # what the untouched environment gets too, see below
        "[Errno 2] No such file or directory: '/app/out.txt'",
        "/app/out.txt is missing",
        "the result is wrong",
        "",
    ],
)
def test_messages_that_whoever_did_nothing_gets_blame_nobody(message: str) -> None:
    assert verdict([single(message)] * 8, Band(), ("right",), {"right": SAME}) == "too_hard"


def test_with_several_checks_part_of_the_work_must_hold() -> None:
    assert verdict([several(SAME)] * 5 + [several("x")] * 3, Band(), WORK) == "design_flaw"
    assert verdict([several(SAME, part=False)] * 8, Band(), WORK) == "too_hard"
    assert verdict([several(SAME)] * 8, Band(), ("total", "sorted")) == "too_hard"


def test_a_message_counts_by_what_it_says_not_by_addresses_and_times() -> None:
    one = "AssertionError: <Row at 0x7f12> in /tmp/ab12/out.csv at line 7 after 1.25s: got '3'"
    other = "AssertionError: <Row at 0xffee> in /tmp/cd34/out.csv at line 9 after 0.5s: got '3'"
    assert message_class(one) == message_class(other)
    assert message_class(one) != message_class(one.replace("'3'", "'4'"))
    assert message_class("E       AssertionError: File a\nE  assert False") == "AssertionError: File a"


def test_the_reason_names_check_and_message() -> None:
    assert blamed([single(SAME)] * 3, ("right",)) == f"3 of 3 trials fail `right` with: {SAME}"
    assert blamed([], ()) == ""


def test_records_keep_the_messages_of_failed_checks_only_and_cut_short() -> None:
    kept = said([Check("a", True, message="fine"), Check("b", False, message="x" * 999), Check("c", False)])
    assert {id: len(text) for id, text in kept.items()} == {"b": 200}


def one_of(checks: dict[str, bool], messages: dict[str, str], passed: bool = False, turns: int = 5) -> Seen:
    tokens = Tokens(output=9 * turns)
    return Seen(target(), trial(passed=passed, checks=checks, messages=messages, turns=turns, tokens=tokens))


def test_without_an_untouched_state_the_same_message_tells_unless_nothing_was_done() -> None:
    same = {"test_a": True, "test_b": False}
    busy, idle = one_of(same, {"test_b": SAME}), one_of(same, {"test_b": SAME}, turns=0)
    for trials, code in (([busy] * 4, "design_flaw"), ([busy, idle, idle, idle], "too_hard")):
        found = triage(trials)
        assert found is not None
        assert found.code == code
    other = triage([one_of(same, {"test_b": "wrong"})] * 4)
    assert other is not None
    assert other.code == "too_hard"


def test_without_an_untouched_state_the_checks_that_failed_somewhere_are_the_work() -> None:
    half = one_of({"test_a": True, "test_b": False}, {"test_b": SAME})
    none = one_of({"test_a": False, "test_b": False}, {})
    said_flaw = triage([half, half, half, none])
    assert said_flaw is not None
    assert said_flaw.code == "design_flaw"
    assert "test_b" in said_flaw.why
    said_hard = triage([half, none, none, none])
    assert said_hard is not None
    assert said_hard.code == "too_hard"


def test_nothing_is_said_of_what_was_solved_or_hardly_tried() -> None:
    failed = one_of({"a": False}, {"a": SAME})
    assert triage([failed] * 2) is None
    assert triage([failed] * 5 + [one_of({"a": True}, {}, passed=True)]) is None
