"""The figures of a run."""

from __future__ import annotations

from flywheel_records import attempt, plan, round_end, run_start, target, trial

from envwheel.ledger import Tokens
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
