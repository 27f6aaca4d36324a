"""Every trouble with a model, from a real endpoint or program through client, agent loop and trial to the outcome.

The table in docs/models.md, row by row, for each kind of model. What our side or the endpoint failed is `infra` and
never a reward; what the model did is graded.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from spoken import FINISH, KINDS, WORK, Said, call, settings, trouble, try_once

from envwheel.attempt import Attempted
from envwheel.errors import SetupError
from envwheel.rollout import read_steps, read_summary

DO, END, EMPTY = call(WORK), call(FINISH), Said("text")


@dataclass(frozen=True)
class Case:
    """What the model is told, and what must come of it. `reason` of a graded trial is why the attempt ended."""

    said: list[Said]
    reason: str
    turns: int
    reward: float | None = 1.0
    retries: int = 0
    seconds: float = 60.0


CASES = {
    "rate_limit_that_passes": Case([DO, trouble(429), END], "done", 2, retries=1),
    "rate_limit_that_stays": Case([DO, trouble(429)], "model", 1, None, retries=1),
    "overload_that_passes": Case([trouble(529), DO, END], "done", 2, retries=1),
    "overload_that_stays": Case([DO, trouble(529)], "model", 1, None, retries=1),
    "server_error_that_stays": Case([DO, trouble(500)], "model", 1, None, retries=1),
    "death_in_an_answer": Case([DO, Said("die")], "model", 1, None),
    "death_then_recovery": Case([DO, Said("die"), END], "done", 2, retries=1),
    "garbage": Case([DO, Said("garbage", "<html>502</html>")], "model", 1, None),
    "json_of_another_kind": Case([DO, Said("garbage", '{"status": "ok"}')], "model", 1, None),
    "silence_from_the_start": Case([Said("hang")], "model", 0, None, seconds=1.2),
    "slow_at_the_end": Case([DO, Said("hang")], "time", 1, 1.0, seconds=1.5),
    "trouble_until_the_time_is_over": Case([DO, trouble(503), Said("hang")], "model", 1, None, retries=3, seconds=1.5),
    "time_that_trouble_took": Case([DO, trouble(503, 1.2), DO, Said("hang")], "model", 2, None, retries=1, seconds=2.5),
    "refusal": Case([Said("refuse", "no")], "refused", 0, 0.0),
    "refusal_later": Case([DO, Said("refuse", "no")], "refused", 1),
    "overflow_that_compaction_mends": Case([DO, Said("overflow"), END], "done", 2),
    "overflow_with_nothing_to_cut": Case([call("true"), Said("overflow"), END], "context", 1, 0.0),
    "overflow_that_stays": Case([DO, Said("overflow")], "context", 1),
    "answer_cut_in_a_call": Case([Said("cut", "so", WORK), END], "done", 2, 0.0),
    "malformed_call": Case([Said("malformed", "so", WORK), END], "done", 2, 0.0),
    "one_empty_answer": Case([EMPTY, DO, END], "done", 3),
    "two_empty_answers": Case([DO, EMPTY, EMPTY], "no_command", 3),
}


def play(kind: str, case: Case, endpoint: Any, folder: Path) -> Attempted:
    table = settings(kind, case.said, endpoint, folder) | {"retries": case.retries}
    return try_once(kind, table, folder, seconds=case.seconds)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CASES)
def test_each_trouble_has_its_outcome(kind: str, name: str, endpoint: Any, tmp_path: Path) -> None:
    case = CASES[name]
    summary = play(kind, case, endpoint, tmp_path).summary
    outcome = "infra" if case.reward is None else "scored"
    assert (summary.outcome, summary.reason) == (outcome, case.reason)
    assert (summary.reward, summary.turns) == (case.reward, case.turns)
    assert summary.path is not None
    kept = read_summary(summary.path)
    assert (kept.outcome, kept.reward, kept.passed) == (outcome, case.reward, summary.passed)
    steps = read_steps(summary.path.with_suffix(".jsonl"))
    assert [step["source"] for step in steps] == ["system", "user", *["agent"] * case.turns]
    assert kept.usage.input_tokens == 100 * case.turns
    assert kept.usage.cached_tokens == 50 * case.turns
    assert kept.usage.dollars == (None if case.turns else 0.0)


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_not_run_is_said_to_the_model(kind: str, endpoint: Any, tmp_path: Path) -> None:
    for number, (how, said) in enumerate((("cut", "cut off"), ("malformed", "Nothing was run"))):
        folder = tmp_path / str(number)
        folder.mkdir()
        summary = play(kind, Case([Said(how, "so", WORK), END], "done", 2), endpoint, folder).summary
        first = read_steps(folder / "rollouts" / "t1.jsonl")[2]
        assert said in first["observations"][0]["content"]
        assert first["observations"][0].get("exit_code") is None
        assert summary.turns == 2


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
@pytest.mark.parametrize("status", [401, 403, 402, 404])
def test_what_only_the_person_can_mend_ends_the_run_and_is_no_trial(
    kind: str, status: int, endpoint: Any, tmp_path: Path
) -> None:
    with pytest.raises(SetupError, match=f"HTTP {status}"):
        play(kind, Case([trouble(status)], "", 0, retries=3), endpoint, tmp_path)
    assert len(endpoint.asked) == 1


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_an_endpoint_that_is_not_there_is_our_failure(kind: str, tmp_path: Path) -> None:
    table = {"model": "m", "base_url": "http://127.0.0.1:9", "api_key_env": "", "retries": 0}
    summary = try_once(kind, table, tmp_path).summary
    assert (summary.outcome, summary.reason, summary.reward) == ("infra", "model", None)


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_a_later_complaint_about_a_call_is_no_set_up_error(kind: str, endpoint: Any, tmp_path: Path) -> None:
    odd = trouble(400, None, "tool_use ids must be unique")
    summary = play(kind, Case([DO, odd], "", 1), endpoint, tmp_path).summary
    assert (summary.outcome, summary.reason, summary.turns) == ("infra", "model", 1)
    with pytest.raises(SetupError, match="tools = false"):
        play(kind, Case([odd], "", 0), endpoint, tmp_path)


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_an_odd_request_is_not_sent_again(kind: str, endpoint: Any, tmp_path: Path) -> None:
    odd = trouble(422, None, "Extra inputs are not permitted")
    tried = play(kind, Case([odd], "", 0, retries=3), endpoint, tmp_path)
    assert (tried.summary.outcome, len(endpoint.asked)) == ("infra", 1)
    assert "Extra inputs are not permitted" in tried.trial.log_tail
