"""The figures of a run."""

from __future__ import annotations

import pytest
from flywheel_records import attempt, plan, round_end, run_start, target, trial
from rich.console import Console

from envwheel.ledger import Tokens
from envwheel.progress import report
from envwheel.summary import status, summaries


def test_status_has_the_fixed_shape_and_counts() -> None:
    records = [
        run_start(),
        plan(target("c1"), target("c2"), target("c3"), target("c4")),
        trial("c1", 1, True),
        trial("c1", 2, False),
        trial("c2", 1, None),
        attempt("c1"),
        attempt("c2", "infra"),
        attempt("c3", "rejected", "too_hard"),
        attempt("c4", "rejected", "forgeable", valid=False),
        round_end(),
        plan(target("d1"), round=2),
    ]
    said = status(records, pool=1)
    assert {"rounds", "pool"} <= set(said)
    first, second = said["rounds"]
    fixed = {"round", "proposed", "valid", "admitted", "rejected", "infra", "pass_rate", "tokens", "dollars", "seconds"}
    assert fixed <= set(first)
    assert (first["proposed"], first["valid"], first["admitted"], first["infra"]) == (4, 2, 1, 1)
    assert first["rejected"] == {"too_hard": 1, "forgeable": 1}
    assert first["pass_rate"] == 0.5
    assert first["tokens"] == 45
    assert first["valid_rate"] == 2 / 3
    assert (second["round"], second["proposed"], second["pass_rate"], second["complete"]) == (2, 0, None, False)


def test_an_unknown_price_stays_unknown() -> None:
    known, unknown = trial("c1", 1, tokens=Tokens(input=1, dollars=0.5)), trial("c1", 2, tokens=Tokens(dollars=None))
    assert summaries([known])[0].dollars == 0.5
    assert summaries([known, unknown])[0].dollars is None


def test_a_candidate_made_again_counts_once() -> None:
    again = summaries([attempt("c1", "infra"), attempt("c1", "admitted")])[0]
    assert (again.proposed, again.infra, again.admitted) == (1, 0, 1)


def test_what_proposing_took_is_told_apart_from_the_solver() -> None:
    took = Tokens(input=100, output=20, cached=50, dollars=0.5)
    records = [
        attempt("c1", proposer_tokens=took, valid_plain=True),
        attempt("c2", "rejected", "flaky", proposer_tokens=took, valid=False, valid_plain=True),
        attempt("c3", "rejected", "schema", proposer_tokens=took, valid=False, valid_plain=False),
        attempt("c4", "rejected", "leak_answer", valid=False),
        trial("c1", 1),
    ]
    said = status(records, pool=1)["rounds"][0]
    assert said["proposer"] == {"input": 300, "output": 60, "cached": 150, "dollars": 1.5}
    assert said["solver"]["input"] == 10
    assert (said["dollars"], said["dollars_per_valid"]) == (1.5, 1.5)
    assert (said["valid_plain"], said["valid_plain_rate"]) == (2, 2 / 3)


def test_no_price_and_nothing_valid_give_no_cost_for_a_valid_one() -> None:
    unpriced = attempt("c1", proposer_tokens=Tokens(input=1, dollars=None))
    assert summaries([unpriced])[0].dollars_per_valid is None
    assert summaries([attempt("c1", "rejected", "flaky", valid=False)])[0].dollars_per_valid is None


def test_people_read_what_proposing_took(capsys: pytest.CaptureFixture[str]) -> None:
    took = Tokens(input=1000, output=20, cached=500, dollars=0.5)
    report([attempt("c1", proposer_tokens=took, valid_plain=True)], 1, Console(highlight=False, width=160))
    said = capsys.readouterr().out
    assert "proposing took 1,000 + 20 tokens (500 of them cached), 0.5 dollars, 0.5 for each valid one" in said
    assert "by the plain standard 1 of 1 are valid" in said
