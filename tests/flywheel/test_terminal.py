"""The proposer in a box: what it is told, what it hands in, what it costs, and that its box cannot harm the host."""

from __future__ import annotations

import threading
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flywheel_fakes import MakeParts, Scripted
from terminal_fakes import DRAFT, Planned, Step, with_terminal

from envwheel.control import Control
from envwheel.errors import InfraError, ModelRefused, ModelUnavailable
from envwheel.flywheel import Flywheel
from envwheel.ledger import Attempt, ProposalNote
from envwheel.parts import Parts
from envwheel.rollout import read_steps, read_summary
from envwheel.store import RECORDS, RunDirectory

ALWAYS_BETWEEN = Scripted(chances=(0.5,) * 5)


def ran(make_parts: MakeParts, *plans: Sequence[Step], settings: dict[str, Any] | None = None, **more: Any) -> Parts:
    """A run of one round with one candidate for each plan."""
    parts = make_parts(ALWAYS_BETWEEN, run__rounds=1, run__candidates=len(plans), run__jobs=1)
    parts = with_terminal(parts, Planned(plans), settings, **more)
    Flywheel(parts).run()
    return parts


def only(parts: Parts) -> tuple[ProposalNote, Attempt]:
    """The last note and the closing record of a run with one candidate."""
    return parts.store.of(ProposalNote)[-1], parts.store.of(Attempt)[-1]


def told(parts: Parts) -> list[str]:
    model = parts.proposer.llm  # type: ignore[attr-defined]
    assert isinstance(model, Planned)
    return model.told()


def test_it_writes_reads_the_findings_mends_and_submits(make_parts: MakeParts) -> None:
    parts = ran(make_parts, ["WRITE-FAULTY", "validate", "WRITE-GOOD", "validate", "submit"])
    note, attempt = only(parts)
    assert (note.outcome, note.reason, note.turns, note.validations) == ("made", "submitted", 5, 2)
    assert (attempt.verdict, attempt.valid, attempt.method, attempt.model) == ("admitted", True, "terminal", "planned")
    answers = told(parts)
    assert "NOT VALID: reference_fails at step reference" in answers[1]
    assert "[7 of 8 validations left]" in answers[1]
    assert answers[3].startswith("OK: every step of the gate held")
    assert parts.engine.live == {}


def test_everything_it_did_is_a_rollout_of_its_own(make_parts: MakeParts) -> None:
    note, attempt = only(parts := ran(make_parts, ["WRITE-GOOD", "validate", "submit"]))
    assert (note.tokens.input, note.tokens.output) == (300, 30)
    assert attempt.proposer_tokens == note.tokens
    steps = read_steps(parts.store.path / note.rollout)
    calls = [step["tool_calls"][0]["name"] for step in steps if step["source"] == "agent"]
    assert calls == ["bash", "validate", "submit"]
    summary = read_summary((parts.store.path / note.rollout).with_suffix(".json"))
    assert (summary.role, summary.outcome, summary.passed, summary.usage.input_tokens) == (
        "proposer",
        "scored",
        True,
        300,
    )


def test_what_validate_saw_is_not_judged_again(make_parts: MakeParts, tmp_path: Path) -> None:
    boxes = []
    for number, plan in enumerate((["WRITE-GOOD", "validate", "submit"], ["WRITE-GOOD", "submit"])):
        parts = make_parts(
            ALWAYS_BETWEEN, run__rounds=1, run__candidates=1, run__jobs=1, run__out=str(tmp_path / f"{number}")
        )
        parts = with_terminal(parts, Planned([plan]))
        Flywheel(parts).run()
        assert only(parts)[1].verdict == "admitted"
        boxes.append(len(parts.engine.boxes))  # type: ignore[attr-defined]
    assert boxes[0] == boxes[1]


def test_the_box_holds_digest_examples_harness_reference_and_a_skeleton(make_parts: MakeParts) -> None:
    parts = ran(make_parts, ["WRITE-GOOD", "submit"])
    files = parts.engine.boxes[0].files  # type: ignore[attr-defined]
    assert {f"/workspace/{name}" for name in ("digest", "examples", "harness")} <= set(files)
    for name in ("format.md", "try", "kit/grade.py"):
        assert f"/workspace/reference/{name}" in files
    assert files["/workspace/reference/try"].mode == 0o755
    assert b"FROM envwheel/base:bookworm" in files[f"{DRAFT}/environment/Dockerfile"].data
    assert parts.engine.boxes[0].spec.role == "proposer"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [({"turns": 2}, "turns"), ({"tokens": 150}, "tokens"), ({"dollars": 0.0015}, "dollars")],
)
def test_when_a_budget_is_used_up_the_draft_is_judged_as_it_is(
    make_parts: MakeParts, settings: dict[str, Any], reason: str
) -> None:
    note, attempt = only(ran(make_parts, ["WRITE-GOOD", "true", "true"], settings=settings))
    assert (note.reason, note.outcome, note.turns, attempt.verdict) == (reason, "made", 2, "admitted")


def test_an_unfinished_draft_is_rejected_by_the_gate_not_by_us(make_parts: MakeParts) -> None:
    note, attempt = only(ran(make_parts, ["WRITE-FAULTY"], settings={"turns": 1}))
    assert (note.outcome, attempt.stage, attempt.code) == ("made", "reference", "reference_fails")


@pytest.mark.parametrize("step", ["true", "EMPTY-IT"])
def test_without_a_draft_nothing_is_judged(make_parts: MakeParts, step: str) -> None:
    parts = ran(make_parts, [step, "validate", "submit"])
    note, attempt = only(parts)
    assert (note.outcome, note.code, note.validations) == ("nothing", "schema", 0)
    assert (attempt.stage, attempt.verdict, attempt.code) == ("draft", "rejected", "schema")
    assert told(parts)[1].startswith("Nothing was judged: the draft is as empty")


def test_a_model_that_refuses_hands_in_what_is_there(make_parts: MakeParts) -> None:
    note, attempt = only(ran(make_parts, ["WRITE-GOOD", ModelRefused("no")]))
    assert (note.reason, attempt.verdict) == ("refused", "admitted")


def test_validations_are_limited(make_parts: MakeParts) -> None:
    parts = ran(make_parts, ["WRITE-FAULTY", "validate", "validate", "submit"], validations=1)
    assert only(parts)[0].validations == 1
    assert told(parts)[2].startswith("Nothing was judged: all 1 validations are used.")


def test_without_validations_there_is_no_such_tool(make_parts: MakeParts) -> None:
    parts = ran(make_parts, ["WRITE-GOOD", "validate", "submit"], validations=0)
    assert told(parts)[1] == "Nothing was run: there is no such call. Tools: bash(command: string), submit."


def test_a_failure_of_the_gate_itself_costs_no_validation(make_parts: MakeParts) -> None:
    parts = make_parts(ALWAYS_BETWEEN, run__rounds=1, run__candidates=1, run__jobs=1)
    parts = with_terminal(parts, Planned([["WRITE-GOOD", "validate", "validate", "submit"]]))
    for number in (2, 3, 4):  # the first try and both retries of the first trial
        parts.engine.fail_start(number, InfraError("daemon", "gone"))  # type: ignore[attr-defined]
    Flywheel(parts).run()
    answers = told(parts)
    assert answers[1].startswith("The gate itself failed, not your draft.")
    assert answers[1].endswith("[8 of 8 validations left]")
    assert only(parts)[0].validations == 1


def test_links_are_left_out_and_said(make_parts: MakeParts) -> None:
    parts = ran(make_parts, ["WRITE-GOOD; WRITE-LINKS", "validate", "submit"])
    assert "(left out: environment/app/inside: a link; make it in environment/setup.sh)" in told(parts)[1]
    assert "outside" in told(parts)[1]
    folder = parts.store.environments / only(parts)[1].environment
    assert not [path for path in folder.rglob("*") if path.is_symlink()]
    assert "left out" in only(parts)[0].message


def test_files_with_odd_names_are_left_out_and_the_run_goes_on(make_parts: MakeParts) -> None:
    parts = ran(make_parts, ["WRITE-GOOD; WRITE-NAMES", "validate", "submit"])
    assert "its name is no plain text" in told(parts)[1]
    assert only(parts)[1].verdict == "admitted"
    assert RunDirectory.read(parts.store.path) == parts.store.records


def test_proposers_work_side_by_side_while_one_box_at_a_time_is_allowed(make_parts: MakeParts) -> None:
    both = threading.Barrier(2, timeout=30.0)
    model = Planned([["WRITE-GOOD", "submit"]], before=lambda turn: both.wait() if turn == 0 else None)
    parts = make_parts(ALWAYS_BETWEEN, run__rounds=1, run__candidates=2, run__jobs=1)
    parts = replace(with_terminal(parts, model), control=Control(1, seats=2))
    assert Flywheel(parts).run()
    assert [one.verdict for one in parts.store.of(Attempt)] == ["admitted"] * 2


def test_a_draft_that_is_too_large_is_said_and_not_taken(make_parts: MakeParts) -> None:
    parts = ran(make_parts, ["WRITE-GOOD; WRITE-HUGE", "validate", "submit"])
    assert "the draft is too large" in told(parts)[1]
    assert only(parts)[0].code == "schema"


def test_a_box_that_ended_hands_in_what_was_judged_last(make_parts: MakeParts) -> None:
    note, attempt = only(ran(make_parts, ["WRITE-GOOD", "validate", "WRITE-FAULTY; DIE"]))
    assert note.reason == "box_gone: memory"
    assert attempt.stage != "draft"


def test_the_host_says_who_made_it(make_parts: MakeParts) -> None:
    parts = ran(make_parts, ["WRITE-GOOD", "submit"])
    folder = parts.store.environments / only(parts)[1].environment
    own = tomllib.loads((folder / "task.toml").read_text())["metadata"]["envwheel"]
    assert (own["proposer"], own["model"], own["domains"]) == ("terminal", "planned", ["toy"])
    assert (folder / "tests" / "kit" / "grade.py").stat().st_size > 1000


def test_a_task_toml_that_does_not_parse_is_the_gates_to_say(make_parts: MakeParts) -> None:
    parts = ran(make_parts, ["WRITE-GOOD; WRITE-TOML", "validate", "submit"])
    assert "task.toml: not valid TOML" in told(parts)[1]
    assert only(parts)[1].code == "schema"


def test_a_model_that_is_gone_is_our_side_and_the_candidate_is_made_again(make_parts: MakeParts) -> None:
    parts = ran(make_parts, ["WRITE-GOOD", ModelUnavailable("502")])
    note, attempt = only(parts)
    assert (note.outcome, note.code, attempt.verdict) == ("infra", "model", "infra")
    records = parts.store.path / RECORDS
    records.write_text("".join(records.read_text().splitlines(keepends=True)[:-1]))  # stopped before the round's end
    again = ran(make_parts, ["WRITE-GOOD", "submit"])
    assert [one.id for one in again.store.of(ProposalNote)] == ["r01-c001-p1", "r01-c001-p2"]
    assert only(again)[1].verdict == "admitted"


class Killed(BaseException):
    """Stands for SIGKILL."""


def test_a_proposer_that_was_killed_counts_once_and_begins_anew(make_parts: MakeParts) -> None:
    with pytest.raises(Killed):
        ran(make_parts, ["WRITE-GOOD", "true", Killed()])
    again = ran(make_parts, ["WRITE-GOOD", "submit"])
    first, second = again.store.of(ProposalNote)
    assert (first.outcome, first.turns, first.tokens.input) == ("interrupted", 2, 200)
    assert (second.outcome, second.tokens.input) == ("made", 200)
    assert only(again)[1].proposer_tokens.input == 400
    assert read_summary((again.store.path / first.rollout).with_suffix(".json")).outcome == "infra"
    third = ran(make_parts, ["WRITE-GOOD", "submit"])
    assert len(third.store.of(ProposalNote)) == 2


def test_tokens_of_earlier_proposals_count_against_a_resumed_runs_budget(make_parts: MakeParts) -> None:
    ran(make_parts, ["WRITE-GOOD", "submit"])
    parts = make_parts(ALWAYS_BETWEEN, run__rounds=2, run__candidates=1, run__jobs=1, run__max_tokens=220)
    Flywheel(with_terminal(parts, Planned([["submit"]]))).run()
    assert "run.max_tokens" in parts.control.reason


def test_a_stop_during_a_validation_ends_the_work_and_keeps_the_rollout(make_parts: MakeParts) -> None:
    parts = make_parts(ALWAYS_BETWEEN, run__rounds=1, run__candidates=1, run__jobs=1)
    stop: Step = lambda: parts.control.stop("interrupted")  # noqa: E731
    model = Planned([["WRITE-GOOD", stop, "validate", "submit"]])
    assert not Flywheel(with_terminal(parts, model)).run()
    assert parts.store.of(ProposalNote) == parts.store.of(Attempt) == []
    assert [path.name for path in Path(parts.store.rollouts / "1").iterdir()] == ["r01-c001-p1.jsonl"]
    again = ran(make_parts, ["WRITE-GOOD", "submit"])
    assert [one.outcome for one in again.store.of(ProposalNote)] == ["interrupted", "made"]


def test_a_model_without_tools_is_told_how_blocks_are_written(make_parts: MakeParts) -> None:
    model = Planned([[]], supports_tools=False)
    parts = make_parts(ALWAYS_BETWEEN, run__rounds=1, run__candidates=1, run__jobs=1)
    Flywheel(with_terminal(parts, model, {"turns": 1})).run()
    system = model.conversations[0][0].content
    assert "A block marked `validate`" in system
    assert "exactly one fenced block" in system
    assert "8 times at most" in system
