"""The proposer's own notes: revised after a round, kept by the host, rolled back when they made things worse."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from flywheel_fakes import MakeParts, Scripted
from terminal_fakes import Planned, Step, with_terminal

from envwheel.errors import ModelUnavailable
from envwheel.flywheel import Flywheel
from envwheel.improving import results
from envwheel.ledger import Attempt, HarnessNote, ProposalNote, Tokens
from envwheel.model.base import ToolCall
from envwheel.parts import Parts
from envwheel.progress import report
from envwheel.propose.harness import keep, read
from envwheel.revisions import Revision, better, current, table, worse
from envwheel.summary import status

GOOD: list[Step] = ["WRITE-GOOD", "submit"]
DONE = ToolCall("d", "submit", {"reason": "orders were forgotten"})


def ran(make_parts: MakeParts, *plans: Sequence[Step], rounds: int = 2, **changes: Any) -> Parts:
    parts = make_parts(
        Scripted((0.5,) * 5), run__rounds=rounds, run__candidates=1, run__jobs=1, proposer__kind="terminal", **changes
    )
    parts = with_terminal(parts, Planned(plans))
    Flywheel(parts).run()
    return parts


def model(parts: Parts) -> Planned:
    assert isinstance(llm := parts.proposer.llm, Planned)  # type: ignore[attr-defined]  # noqa: RUF018
    return llm


def notes(parts: Parts) -> list[tuple[int, str, str, str]]:
    return [(one.round, one.action, one.parent, one.revision) for one in parts.store.of(HarnessNote)]


def test_what_is_noted_after_a_round_is_shown_in_the_next(make_parts: MakeParts) -> None:
    parts = ran(make_parts, GOOD, ["NOTE-IT", DONE], GOOD)
    assert notes(parts) == [(2, "revised", "000", "001")]
    assert parts.store.of(HarnessNote)[0].reason == "orders were forgotten"
    assert [one.harness for one in parts.store.of(ProposalNote)] == ["000", "001"]
    assert [one.harness for one in parts.store.of(Attempt)] == ["000", "001"]
    assert (parts.store.path / "harness" / "001" / "notes.md").read_text() == "Order what has no order.\n"
    first, last = model(parts).conversations[0], model(parts).conversations[2]
    assert "Order what has no order." not in first[1].content
    assert "Order what has no order." in last[1].content


def test_the_turn_is_told_what_became_of_the_candidates(make_parts: MakeParts) -> None:
    parts = ran(make_parts, ["WRITE-FAULTY", "submit"], [DONE], GOOD)
    told = model(parts).conversations[1][1].content
    assert "NOT valid, rejected reference_fails at reference" in told
    assert "- revision 000: 0 of 1 candidates valid, 220 tokens" in told


def test_what_is_changed_during_the_work_is_not_kept(make_parts: MakeParts) -> None:
    parts = ran(make_parts, ["NOTE-IT", *GOOD], [DONE], GOOD)
    assert notes(parts) == [(2, "kept", "000", "000")]
    assert not (parts.store.path / "harness").exists()


def test_only_plain_text_within_the_caps_is_kept(make_parts: MakeParts) -> None:
    parts = ran(make_parts, GOOD, ["NOTE-IT; NOTE-ODD; NOTE-MUCH", DONE], GOOD)
    assert list(read(parts.store.path / "harness" / "001")) == ["notes.md"]
    left_out = parts.store.of(HarnessNote)[0].left_out
    assert left_out == ("data.bin: no plain text file", "much.txt: over 50 files or 64 KiB in all")


def test_the_turn_is_a_rollout_of_its_own_and_is_paid_for(make_parts: MakeParts) -> None:
    parts = ran(make_parts, GOOD, ["NOTE-IT", DONE], GOOD)
    note = parts.store.of(HarnessNote)[0]
    assert (note.turns, note.tokens.input, note.tokens.output) == (2, 200, 20)
    assert (parts.store.path / note.rollout).is_file()
    rounds = status(parts.store.records, 0)["rounds"]
    trials = sum(one.solver_tokens.input + one.solver_tokens.output for one in parts.store.of(Attempt)[1:])
    assert rounds[1]["tokens"] == 440 + trials


def test_without_a_next_round_there_is_no_turn(make_parts: MakeParts) -> None:
    assert notes(ran(make_parts, GOOD, rounds=1)) == []


def test_switched_off_there_is_no_turn(make_parts: MakeParts) -> None:
    parts = ran(make_parts, GOOD, proposer__harness=False)
    assert notes(parts) == []
    assert [one.harness for one in parts.store.of(ProposalNote)] == ["", ""]


def test_a_model_that_is_gone_costs_the_turn_only(make_parts: MakeParts) -> None:
    parts = ran(make_parts, GOOD, ["NOTE-IT", ModelUnavailable("502")], GOOD)
    assert notes(parts) == [(2, "infra", "000", "000")]
    assert len(parts.store.of(Attempt)) == 2


class Killed(BaseException):
    """Stands for SIGKILL."""


def test_a_turn_that_was_killed_counts_once_and_begins_anew(make_parts: MakeParts) -> None:
    with pytest.raises(Killed):
        ran(make_parts, GOOD, ["NOTE-IT", Killed()])
    again = ran(make_parts, ["NOTE-IT", DONE], GOOD)
    assert notes(again) == [(2, "interrupted", "000", "000"), (2, "revised", "000", "001")]
    assert [one.tokens.input for one in again.store.of(HarnessNote)] == [100, 200]
    before = len(again.store.records)
    assert len(ran(make_parts, GOOD).store.records) == before


def attempts(revision: str, valid: int, judged: int, dollars: float = 0.5) -> list[Attempt]:
    common: dict[str, Any] = dict.fromkeys(
        ("domain", "family", "solver", "environment", "tree_sha256", "stage", "code", "message"), ""
    )
    return [
        Attempt(
            round=1,
            candidate=f"{revision}-{number}",
            level=0,
            skills=(),
            seed=0,
            method="terminal",
            model="m",
            simulated=True,
            verdict="rejected",
            valid=number < valid,
            harness=revision,
            proposer_tokens=Tokens(input=1000, dollars=dollars),
            **common,
        )
        for number in range(judged)
    ]


def revised(to: str, parent: str) -> HarnessNote:
    return HarnessNote(round=2, id="h", revision=to, parent=parent, action="revised")


def test_a_revision_that_made_things_worse_is_rolled_back_without_a_turn(make_parts: MakeParts) -> None:
    parts = make_parts(run__rounds=3, run__candidates=1, run__jobs=1, proposer__kind="terminal")
    for record in (*attempts("000", 5, 6), revised("001", "000"), *attempts("001", 0, 6)):
        parts.store.append(record)
    keep(parts.store.path / "harness" / "001", {"notes.md": b"Bad advice.\n"})
    parts = with_terminal(parts, Planned([GOOD]))
    Flywheel(parts).turn(3)
    note = parts.store.of(HarnessNote)[-1]
    assert (note.action, note.parent, note.revision, note.turns) == ("rolled_back", "001", "000", 0)
    assert note.worse is not None
    assert note.worse > 0.9
    assert note.reason == "0 of 6 candidates valid with 001, 5 of 6 with 000"
    assert parts.store.of(ProposalNote)[0].harness == "000"
    assert "Bad advice." not in model(parts).conversations[0][1].content


def test_a_few_candidates_are_not_enough_to_go_back() -> None:
    assert better([*attempts("000", 3, 3), revised("001", "000"), *attempts("001", 0, 6)]) is None
    assert better([*attempts("000", 6, 6), revised("001", "000"), *attempts("001", 0, 3)]) is None
    assert better([*attempts("000", 3, 6), revised("001", "000"), *attempts("001", 2, 6)]) is None


def test_of_equally_good_revisions_the_cheaper_one_is_taken() -> None:
    records = [*attempts("000", 6, 6, 0.9), revised("001", "000"), *attempts("001", 6, 6, 0.3), revised("002", "001")]
    found = better([*records, *attempts("002", 0, 6)])
    assert found is not None
    assert found[0].number == "001"
    assert found[0].dollars_per_valid == pytest.approx(0.3)


def test_infra_counts_in_no_revision() -> None:
    records = attempts("000", 1, 2)
    assert table([*records, records[1].model_copy(update={"verdict": "infra", "candidate": "x"})])[0].judged == 2


def test_current_is_what_the_last_note_says() -> None:
    assert current([]) == "000"
    assert current([revised("001", "000"), revised("002", "001")]) == "002"


@pytest.mark.parametrize(("new", "old"), [((0, 6), (5, 6)), ((3, 8), (3, 8)), ((7, 9), (2, 11)), ((0, 0), (4, 4))])
def test_the_chance_of_being_worse_is_the_integral(new: tuple[int, int], old: tuple[int, int]) -> None:
    def density(p: float, valid: int, judged: int) -> float:
        scale = math.lgamma(judged + 2) - math.lgamma(valid + 1) - math.lgamma(judged - valid + 1)
        return math.exp(scale + valid * math.log(p) + (judged - valid) * math.log(1 - p))

    steps, below, chance = 20_000, 0.0, 0.0
    for number in range(steps):
        p = (number + 0.5) / steps
        mass = density(p, *new) / steps
        chance += (below + mass / 2) * density(p, *old) / steps
        below += mass
    found = worse(Revision("a", new[1], new[0], Tokens()), Revision("b", old[1], old[0], Tokens()))
    assert found == pytest.approx(chance, abs=1e-6)


def test_status_and_report_show_the_revisions(make_parts: MakeParts) -> None:
    from rich.console import Console

    parts = ran(make_parts, GOOD, ["NOTE-IT", DONE], GOOD)
    harness = json.loads(json.dumps(status(parts.store.records, 2)))["harness"]
    assert [(one["revision"], one["candidates"], one["valid"]) for one in harness] == [("000", 1, 1), ("001", 1, 1)]
    console = Console(record=True, width=120, file=open("/dev/null", "w"))  # noqa: SIM115
    report(parts.store.records, 2, console)
    text = console.export_text()
    assert "before round 2: revised, 000 -> 001: orders were forgotten" in text
    assert "dollars/valid" in text


def test_results_are_capped(tmp_path: Path) -> None:
    long = [one.model_copy(update={"message": "m" * 9000}) for one in attempts("000", 0, 60)]
    assert len(results(long)) < 21_000
