"""What a comparison makes of its records: rates, costs and ratios with their intervals, reasons."""

from __future__ import annotations

import pytest
from flywheel_records import attempt, gate_note, plan, proposal, target

from envwheel.compare.figures import Figures, figures
from envwheel.compare.intervals import per_valid, per_valid_ratio, rate_ratio
from envwheel.ledger import AnyRecord, Tokens

NAMES = ["terminal", "prompt_only"]


def made(number: int, index: int, valid: bool, tokens: Tokens, code: str = "flaky") -> list[AnyRecord]:
    """The records of one judged target."""
    id = f"r{number:02d}-c{index:03d}"
    fields = {"round": number, "valid": valid, "method": NAMES[number - 1], "model": "m"}
    word = ("ok", "", "mutants") if valid else ("rejected", code, "reference")
    return [
        proposal(id, round=number, tokens=tokens, seconds=3.0, turns=2),
        gate_note(id, word[0], round=number, code=word[1], seconds=2.0),
        attempt(id, word[0], word[1], stage=word[2], valid_plain=True, **fields),
    ]


def compared(first: str, second: str, dollars: tuple[float | None, float | None] = (0.5, 0.25)) -> Figures:
    """`first` and `second` say for each target of the two methods: v(alid), r(ejected), i(nfra) or - (open)."""
    records: list[AnyRecord] = []
    for number, outcomes in enumerate((first, second), 1):
        ids = [f"r{number:02d}-c{index:03d}" for index in range(1, len(outcomes) + 1)]
        records.append(plan(*map(target, ids), round=number))
        tokens = Tokens(input=100 * number, output=10, cached=50, dollars=dollars[number - 1])
        for index, outcome in enumerate(outcomes, 1):
            if outcome in "vr":
                records += made(number, index, outcome == "v", tokens)
            elif outcome == "i":
                records.append(proposal(ids[index - 1], "infra", round=number, tokens=tokens))
                records.append(attempt(ids[index - 1], "infra", round=number, stage="draft", valid=False))
    return figures(records, NAMES)


def test_rates_costs_and_reasons_of_a_method() -> None:
    one = compared("vvr", "rrv").methods[0]
    assert (one.method, one.model, one.targets, one.judged, one.infra, one.open) == ("terminal", "m", 3, 3, 0, 0)
    assert (one.valid.count, one.valid.of, one.valid.rate) == (2, 3, 2 / 3)
    assert (round(one.valid.low, 3), round(one.valid.high, 3)) == (0.208, 0.939)
    assert (one.valid_plain.count, one.valid_plain.of) == (3, 3)
    assert one.tokens == Tokens(input=300, output=30, cached=150, dollars=1.5)
    assert one.dollars_per_valid.value == 0.75
    assert one.tokens_per_valid.value == 165
    assert (one.seconds, one.seconds_per_valid.value, one.completions) == (15.0, 7.5, 6)
    assert one.rejected == {"flaky": 1}
    assert one.stages == {"reference": 1, "valid": 2}


def test_the_first_method_is_held_against_the_other() -> None:
    [ratio] = compared("vvvr", "rrvr").ratios
    assert (ratio.method, ratio.against, ratio.pairs) == ("terminal", "prompt_only", 4)
    assert ratio.valid_rate.value == 3.0
    assert ratio.valid_plain_rate.value == 1.0
    assert ratio.dollars_per_valid.value == pytest.approx((2.0 / 3) / 1.0)
    assert ratio.tokens_per_valid.value == pytest.approx((440 / 3) / 840)


def test_an_unknown_price_is_no_number() -> None:
    found = compared("vr", "vr", dollars=(None, 0.5))
    assert (found.methods[0].dollars_per_valid.value, found.methods[0].dollars_per_valid.why) == (None, "price unknown")
    assert found.methods[0].tokens.dollars is None
    assert found.ratios[0].dollars_per_valid.why == "price unknown"
    assert found.methods[1].dollars_per_valid.value == 1.0


def test_without_a_valid_environment_there_is_no_cost_for_one() -> None:
    found = compared("vr", "rr")
    assert found.methods[1].dollars_per_valid.why == "none valid"
    ratio = found.ratios[0]
    assert (ratio.dollars_per_valid.why, ratio.valid_rate.value, ratio.valid_rate.why) == (
        "none valid",
        None,
        "none valid",
    )
    assert ratio.valid_rate.low is not None


def test_what_our_side_failed_is_counted_apart_and_costs_nothing() -> None:
    found = compared("viv", "vvr")
    one = found.methods[0]
    assert (one.judged, one.infra, one.valid.of, one.tokens.input, one.spent.input) == (2, 1, 2, 200, 300)
    assert found.ratios[0].pairs == 2
    assert not found.complete


def test_an_open_target_is_no_failure() -> None:
    found = compared("v-", "vv")
    assert (found.methods[0].open, found.methods[0].valid.of, found.complete) == (1, 1, False)
    assert compared("vv", "rr").complete


def test_an_interrupted_proposal_is_spent_but_is_not_the_cost_of_its_target() -> None:
    lost = proposal("r01-c001", "interrupted", tokens=Tokens(input=999, dollars=9.0), id="r01-c001-p1")
    records = [plan(target("r01-c001")), lost, *made(1, 1, True, Tokens(input=1, dollars=0.5))]
    one = figures(records, NAMES[:1]).methods[0]
    assert (one.tokens.dollars, one.spent.dollars) == (0.5, 9.5)


def test_a_candidate_made_again_counts_once_by_its_last_record() -> None:
    records = [
        plan(target("r01-c001")),
        attempt("r01-c001", "infra", valid=False),
        *made(1, 1, True, Tokens(input=1, dollars=0.5)),
    ]
    one = figures(records, NAMES[:1]).methods[0]
    assert (one.judged, one.infra, one.valid.count) == (1, 0, 1)


def test_nothing_yet_is_no_figure() -> None:
    one = figures([], NAMES[:1]).methods[0]
    assert (one.valid.rate, one.dollars_per_valid.why) == (None, "nothing was judged")


def test_a_ratio_of_rates_has_katz_interval() -> None:
    ratio = rate_ratio(20, 100, 10, 100)  # exp(log 2 +- 1.96 sqrt(1/20 - 1/100 + 1/10 - 1/100))
    assert (ratio.value, round(ratio.low or 0, 4), round(ratio.high or 0, 4)) == (2.0, 0.9866, 4.0545)


def test_a_ratio_at_the_edge_keeps_an_interval() -> None:
    equal = rate_ratio(10, 10, 10, 10)
    assert (equal.value, equal.low is not None and equal.low < 1, equal.high is not None and equal.high > 1) == (
        1.0,
        True,
        True,
    )
    assert rate_ratio(0, 10, 5, 10).value == 0.0
    beyond = rate_ratio(5, 10, 0, 10)
    assert (beyond.value, beyond.high, beyond.low is not None and beyond.low > 1 / 2) == (None, None, True)
    assert rate_ratio(0, 0, 1, 2).why == "nothing was judged"


def test_a_cost_per_valid_has_an_interval_around_it_that_is_drawn_from_a_fixed_seed() -> None:
    cases = [(1.0, index % 2 == 0) for index in range(40)]
    one = per_valid(cases)
    assert one == per_valid(cases)
    assert one.value == 2.0
    assert one.low is not None
    assert one.high is not None
    # With costs of 1 the quotient is 1 / rate: its interval is that of the rate, turned over (0.35 to 0.65).
    assert 1 / 0.68 < one.low < 1 / 0.6
    assert 1 / 0.4 < one.high < 1 / 0.32


def test_a_cost_that_may_have_bought_nothing_has_no_upper_bound() -> None:
    one = per_valid([(1.0, True), (1.0, False)])
    assert (one.value, one.low, one.high) == (2.0, 1.0, None)


def test_equal_costs_have_a_ratio_of_one_without_spread() -> None:
    cases = [(2.0, True)] * 5
    one = per_valid_ratio(cases, cases)
    assert (one.value, one.low, one.high) == (1.0, 1.0, 1.0)


def test_pairs_take_the_spread_of_the_targets_out_of_a_ratio() -> None:
    cases = [(float(cost), True) for cost in range(1, 30)]
    doubled = [(2 * cost, valid) for cost, valid in cases]
    one = per_valid_ratio(doubled, cases)
    assert (one.value, one.low, one.high) == (2.0, 2.0, 2.0)


def test_a_ratio_to_what_costs_nothing_is_no_number() -> None:
    assert per_valid_ratio([(1.0, True)], [(0.0, True)]).why == "no cost"
