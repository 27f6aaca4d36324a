"""The band decision: certain as early as it can be, never another than eight trials would give."""

from __future__ import annotations

import itertools
import threading

import pytest

from envwheel.api import Band
from envwheel.calibrate import Tried, calibrate, verdict, wanted
from envwheel.rates import wilson

PASS, FAIL = Tried("scored", True, 1.0), Tried("scored", False, 0.0)
ERROR, INFRA = Tried("verifier_error"), Tried("infra")
BANDS = [Band(), Band(2, 6, 8), Band(1, 3, 4), Band(3, 3, 6)]


def full(sequence: tuple[bool, ...], band: Band) -> str:
    """What all attempts say, by the words of the rule."""
    passes = sum(sequence)
    if passes < band.low_passes:
        return "too_hard"
    return "too_easy" if passes > band.high_passes else "in_band"


@pytest.mark.parametrize("band", BANDS, ids=str)
def test_stopping_early_adds_no_error(band: Band) -> None:
    for sequence in itertools.product([True, False], repeat=band.attempts):
        trials = [PASS if passed else FAIL for passed in sequence]
        first = next(n for n in range(band.attempts + 1) if verdict(trials[:n], band))
        assert verdict(trials[:first], band) == full(sequence, band)
        # Certain means: whatever comes after, the answer stays.
        assert {verdict(trials[:n], band) for n in range(first, band.attempts + 1)} == {full(sequence, band)}


@pytest.mark.parametrize("band", BANDS, ids=str)
def test_it_stops_as_soon_as_it_can(band: Band) -> None:
    for length in range(band.attempts):
        for sequence in itertools.product([True, False], repeat=length):
            ends = {
                full(sequence + rest, band) for rest in itertools.product([True, False], repeat=band.attempts - length)
            }
            found = verdict([PASS if passed else FAIL for passed in sequence], band)
            assert found == (ends.pop() if len(ends) == 1 else None)


def test_the_default_rule_in_words() -> None:
    assert verdict([PASS], Band()) is None
    assert verdict([PASS, FAIL], Band()) == "in_band"
    assert verdict([FAIL] * 7, Band()) is None
    assert verdict([FAIL] * 8, Band()) == "too_hard"
    assert verdict([PASS] * 8, Band()) == "too_easy"


def test_partial_credit_counts_only_without_a_pass() -> None:
    partial = Band(partial=True)
    spread = [Tried("scored", False, value) for value in (0.0, 0.3, 0.0, 0.3, 0.0, 0.3, 0.0, 0.3)]
    flat = [Tried("scored", False, 0.3)] * 8
    assert verdict(spread, partial) == "in_band"
    assert verdict(spread[:7], partial) is None
    assert verdict(flat, partial) == "too_hard"
    assert verdict(spread, Band()) == "too_hard"


def test_one_check_that_stops_everybody_is_a_flaw_of_the_design() -> None:
    nearly = Tried("scored", False, 0.0, (("made", True), ("hidden", False), ("kept", True)))
    nothing = Tried("scored", False, 0.0, (("made", False), ("hidden", False), ("kept", True)))
    work = ("made", "hidden")
    assert verdict([nearly] * 5 + [nothing] * 3, Band(), work) == "design_flaw"
    assert verdict([nearly] * 4 + [nothing] * 4, Band(), work) == "too_hard"
    assert verdict([nothing] * 8, Band(), work) == "too_hard"
    assert verdict([PASS] + [nearly] * 7, Band(), work) == "in_band"


def test_a_single_check_that_nobody_passes_is_hard_not_flawed() -> None:
    single = Tried("scored", False, 0.0, (("made", False), ("kept", True)))
    assert verdict([single] * 8, Band(), ("made",)) == "too_hard"


def test_more_than_one_in_twenty_without_a_reward_leaves_the_pool() -> None:
    assert verdict([PASS, ERROR, FAIL], Band()) == "flaky"
    assert verdict([PASS, ERROR, FAIL], Band(1, 39, 40)) == "in_band"


@pytest.mark.parametrize("band", BANDS, ids=str)
def test_wanted_never_exceeds_what_the_decision_can_use(band: Band) -> None:
    for length in range(band.attempts):
        for sequence in itertools.product([PASS, FAIL], repeat=length):
            if verdict(sequence, band) is None:
                assert 1 <= wanted(sequence, band) <= band.attempts - length


def test_two_at_first_then_one_by_one_then_more() -> None:
    assert wanted([], Band()) == 2
    assert wanted([PASS], Band()) == 1
    assert [wanted([FAIL] * n, Band()) for n in range(2, 8)] == [1, 1, 2, 2, 2, 1]


class Script:
    """Answers trial n with the n-th outcome, and remembers which were asked for."""

    def __init__(self, *outcomes: Tried) -> None:
        self.outcomes, self.asked, self.guard = outcomes, [], threading.Lock()

    def __call__(self, number: int) -> Tried:
        with self.guard:
            self.asked.append(number)
        return self.outcomes[number]


def test_a_mixed_start_costs_two_trials() -> None:
    script = Script(PASS, FAIL, *[PASS] * 6)
    decision = calibrate(script, Band(), jobs=4)
    assert decision is not None
    assert (decision.code, decision.passes, decision.scored) == ("in_band", 1, 2)
    assert sorted(script.asked) == [0, 1]


def test_trials_of_an_interrupted_calibration_count() -> None:
    script = Script(*[FAIL] * 16)
    decision = calibrate(script, Band(), done=[FAIL] * 6, jobs=2)
    assert decision is not None
    assert (decision.code, decision.scored, sorted(script.asked)) == ("too_hard", 8, [6, 7])


def test_our_own_failures_are_repeated_and_never_counted() -> None:
    decision = calibrate(Script(INFRA, PASS, INFRA, FAIL), Band(), jobs=1)
    assert decision is not None
    assert (decision.code, decision.scored, decision.infra) == ("in_band", 2, 2)
    gone = calibrate(Script(*[INFRA] * 9), Band(), jobs=1)
    assert gone is not None
    assert (gone.code, gone.infra) == ("infra", 3)


def test_undecided_when_the_budget_of_trials_is_used_up() -> None:
    decision = calibrate(Script(*[FAIL] * 9), Band(), jobs=2, most_trials=5)
    assert decision is not None
    assert (decision.code, decision.scored) == ("undecided", 5)


def test_stopping_gives_no_decision() -> None:
    assert calibrate(Script(), Band(), go_on=lambda: False) is None
    assert calibrate(Script(), Band(), done=[PASS, FAIL], go_on=lambda: False) is not None


def test_the_interval_is_wilsons() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    low, high = wilson(4, 8)
    assert (round(low, 3), round(high, 3)) == (0.215, 0.785)
    assert wilson(8, 8)[1] == 1.0
    assert wilson(0, 8)[0] == 0.0
