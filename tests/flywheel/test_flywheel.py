"""Whole rounds in memory: what is built, what is kept, and that a run killed anywhere goes on as if it had not been."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from flywheel_fakes import MakeParts, Scripted

from envwheel.environment.hash import tree_sha256
from envwheel.errors import ConfigError, InfraError, SetupError
from envwheel.flywheel import Flywheel
from envwheel.gate.novelty import Benchmark
from envwheel.ledger import Attempt, GateNote, Plan, RoundEnd, TrialNote
from envwheel.parts import Parts
from envwheel.propose.procedural import Procedural
from envwheel.rollout import read_summary
from envwheel.store import RECORDS, RunDirectory, pool
from envwheel.summary import summaries


def results(store: RunDirectory) -> dict[str, tuple[str, str, int, int]]:
    last = {attempt.candidate: attempt for attempt in store.of(Attempt)}
    return {id: (one.verdict, one.code, one.passes, one.scored) for id, one in sorted(last.items())}


def contents(store: RunDirectory) -> dict[str, str]:
    return {name: tree_sha256(store.environments / name) for name in pool(store.path, store.records)}


def test_a_run_of_two_rounds(make_parts: MakeParts) -> None:
    parts = make_parts(run__rounds=2, run__candidates=4)
    assert Flywheel(parts).run()
    store = parts.store
    assert [end.round for end in store.of(RoundEnd)] == [1, 2]
    assert len(store.of(Attempt)) == 8
    admitted = [attempt for attempt in store.of(Attempt) if attempt.verdict == "admitted"]
    assert admitted
    assert pool(store.path, store.records) == sorted(attempt.environment for attempt in admitted)
    for attempt in admitted:
        folder = store.environments / attempt.environment
        evidence = json.loads((folder / "evidence.json").read_text())
        assert evidence["tree_sha256"] == tree_sha256(folder) == attempt.tree_sha256
        assert evidence["calibration"]["passes"] == attempt.passes
        assert 1 <= attempt.passes < attempt.scored
        assert attempt.solver_tokens.input == 100 * attempt.scored
        assert all(read_summary(store.path / path).outcome == "scored" for path in attempt.rollouts)
    assert parts.engine.live == {}


def test_the_second_round_reads_the_first(make_parts: MakeParts) -> None:
    parts = make_parts(run__rounds=2, run__candidates=4)
    Flywheel(parts).run()
    first, second = parts.store.of(Plan)
    assert (first.rollouts_read, first.failures) == (0, {})
    assert second.rollouts_read == sum(note.round == 1 for note in parts.store.of(TrialNote))
    assert any("passed" in target.reason for target in second.targets)


def test_too_hard_and_too_easy_stay_out_with_their_codes(make_parts: MakeParts) -> None:
    hard = make_parts(Scripted(chances=(0.0, 0.0, 0.0)), run__rounds=1, run__candidates=2)
    Flywheel(hard).run()
    assert {one[:2] for one in results(hard.store).values()} == {("rejected", "too_hard")}
    assert all(one[3] == 8 for one in results(hard.store).values())
    assert list(hard.store.environments.iterdir()) == []


def test_a_family_without_news_ends_as_duplicate(make_parts: MakeParts) -> None:
    parts = make_parts(Scripted((1.0, 1.0, 1.0)), families=("single",), run__rounds=1, run__candidates=5)
    Flywheel(parts).run()
    codes = Counter(attempt.code for attempt in parts.store.of(Attempt))
    built = {(target.family, target.level) for target in parts.store.of(Plan)[0].targets if not target.duplicate}
    assert codes == {"too_easy": len(built), "duplicate": 5 - len(built)}
    assert codes["duplicate"] >= 2
    names = [target.name for target in parts.store.of(Plan)[0].targets]
    assert len(set(names)) == len(names)


def test_a_candidate_with_a_benchmarks_text_is_contaminated(make_parts: MakeParts, tmp_path: Path) -> None:
    pytest.importorskip("rensa", reason="the extra `duplicates` is not installed")
    (tmp_path / "b.md").write_text("Write the sum of the numbers in /app/in.txt to /app/out.txt. It is level 1.")
    parts = make_parts(run__rounds=1, run__candidates=2)
    Flywheel(replace(parts, benchmark=Benchmark([tmp_path / "b.md"]))).run()
    assert {(one.code, one.stage) for one in parts.store.of(Attempt)} == {("contaminated", "duplicate")}


def test_a_family_that_raises_costs_its_candidate_only(make_parts: MakeParts) -> None:
    parts = make_parts(families=("sum", "broken"), run__rounds=1, run__candidates=4)
    assert Flywheel(parts).run()
    broken = [attempt for attempt in parts.store.of(Attempt) if attempt.family == "broken"]
    assert {(one.stage, one.verdict, one.code) for one in broken} == {("draft", "rejected", "schema")}
    assert "no such seed" in broken[0].message
    assert any(attempt.verdict == "admitted" for attempt in parts.store.of(Attempt))


def test_equal_seeds_give_equal_runs(make_parts: MakeParts, tmp_path: Path) -> None:
    found = []
    for name in ("a", "b"):
        parts = make_parts(run__rounds=2, run__candidates=4, run__seed=5, run__out=str(tmp_path / name))
        Flywheel(parts).run()
        found.append(results(parts.store))
    assert found[0] == found[1]


class Killed(BaseException):
    """Stands for SIGKILL: nothing of ours catches it."""


def kill_after(parts: Parts, count: int) -> None:
    """Let the process 'die' once `count` records are written; what other threads write afterwards is lost too."""
    append, state = parts.store.append, {"left": count}

    def dying(record: object) -> None:
        if state["left"] <= 0:
            raise Killed
        append(record)  # type: ignore[arg-type]
        state["left"] -= 1

    parts.store.append = dying  # type: ignore[method-assign]


def test_killed_after_any_record_it_goes_on_as_if_nothing_had_been(make_parts: MakeParts, tmp_path: Path) -> None:
    size = {"run__rounds": 2, "run__candidates": 2, "run__jobs": 1}
    whole = make_parts(run__out=str(tmp_path / "whole"), **size)
    Flywheel(whole).run()
    expected, lines = results(whole.store), len(whole.store.records)
    expected_pool = {
        name: tree_sha256(whole.store.environments / name) for name in pool(whole.store.path, whole.store.records)
    }
    for count in range(1, lines - 1, 3):
        out = str(tmp_path / f"cut{count}")
        parts = make_parts(run__out=out, **size)
        kill_after(parts, count)
        with pytest.raises(Killed):
            Flywheel(parts).run()
        again = make_parts(run__out=out, **size)
        assert Flywheel(again).run()
        store = again.store
        assert results(store) == expected
        ids = [note.id for note in store.of(TrialNote)]
        assert len(ids) == len(set(ids))
        assert {
            name: tree_sha256(store.environments / name) for name in pool(store.path, store.records)
        } == expected_pool
        assert sorted(path.name for path in store.environments.iterdir()) == sorted(expected_pool)
        assert len(store.of(Attempt)) == len(expected)


def test_a_finished_run_is_left_alone(make_parts: MakeParts) -> None:
    Flywheel(make_parts(run__rounds=1, run__candidates=2)).run()
    again = make_parts(run__rounds=1, run__candidates=2)
    before = (again.store.path / RECORDS).read_bytes()
    assert Flywheel(again).run()
    assert (again.store.path / RECORDS).read_bytes() == before
    assert again.engine.boxes == []


def test_a_rollout_that_ended_just_before_the_kill_is_not_made_again(make_parts: MakeParts) -> None:
    parts = make_parts(run__rounds=1, run__candidates=1, run__jobs=1)
    Flywheel(parts).run()
    path = parts.store.path / RECORDS
    lines = path.read_text().splitlines()
    first_trial = next(number for number, line in enumerate(lines) if '"kind": "trial"' in line)
    path.write_text("\n".join(lines[:first_trial]) + "\n")
    solver = Scripted()
    again = make_parts(solver, run__rounds=1, run__candidates=1, run__jobs=1)
    assert Flywheel(again).run()
    assert solver.tried == []
    assert results(again.store) == results(parts.store)


def test_a_candidate_that_was_changed_is_judged_again(make_parts: MakeParts) -> None:
    parts = make_parts(run__rounds=1, run__candidates=1)
    kill_after(parts, 3)
    with pytest.raises(Killed):
        Flywheel(parts).run()
    note = parts.store.of(GateNote)[0]
    instruction = parts.store.candidates / note.candidate / note.environment / "instruction.md"
    instruction.write_text(instruction.read_text() + "Write it as a decimal number.\n")
    again = make_parts(run__rounds=1, run__candidates=1)
    Flywheel(again).run()
    notes = again.store.of(GateNote)
    assert len(notes) == 2
    assert notes[0].tree_sha256 != notes[1].tree_sha256 == again.store.of(Attempt)[0].tree_sha256


def test_ctrl_c_finishes_what_runs_and_resumes(make_parts: MakeParts) -> None:
    parts = make_parts(run__rounds=2, run__candidates=4, run__jobs=1)
    parts.watch.on_closed = lambda record: parts.control.stop("interrupted")  # type: ignore[attr-defined]
    assert not Flywheel(parts).run()
    done = len(parts.store.of(Attempt))
    assert 1 <= done < 8
    assert parts.engine.live == {}
    again = make_parts(run__rounds=2, run__candidates=4, run__jobs=1)
    assert Flywheel(again).run()
    assert len(again.store.of(Attempt)) == 8


def test_our_own_failures_are_no_zeros_and_ten_in_a_row_end_the_run(make_parts: MakeParts) -> None:
    parts = make_parts(Scripted(infra=True), run__rounds=1, run__candidates=8, run__jobs=1)
    with pytest.raises(InfraError, match=r"10 times in a row.*the daemon is gone.*--resume"):
        Flywheel(parts).run()
    attempts = parts.store.of(Attempt)
    assert {attempt.verdict for attempt in attempts} == {"infra"}
    assert {note.outcome for note in parts.store.of(TrialNote)} == {"infra"}
    assert summaries(parts.store.records)[0].pass_rate is None
    again = make_parts(run__rounds=1, run__candidates=8)
    assert Flywheel(again).run()
    assert {one[0] for one in results(again.store).values()} <= {"admitted", "rejected"}


def test_a_token_budget_ends_the_run_gently(make_parts: MakeParts) -> None:
    parts = make_parts(run__rounds=1, run__candidates=6, run__jobs=1, run__max_tokens=300)
    assert not Flywheel(parts).run()
    assert "max_tokens" in parts.control.reason
    assert sum(note.tokens.input for note in parts.store.of(TrialNote)) <= 500


def test_a_dollar_budget_without_a_price_is_a_clear_error(make_parts: MakeParts) -> None:
    solver = Scripted()
    make_work = solver.work

    def unpriced(*args: object) -> object:
        work = make_work(*args)  # type: ignore[arg-type]
        work.usage = type(work.usage)(1, 1, 0, None)
        return work

    solver.work = unpriced  # type: ignore[method-assign, assignment]
    parts = make_parts(solver, run__rounds=1, run__candidates=2, run__max_dollars=1.0)
    with pytest.raises(SetupError, match="price"):
        Flywheel(parts).run()


def test_families_that_are_not_there_are_named(make_parts: MakeParts) -> None:
    domains = make_parts().domains
    with pytest.raises(ConfigError, match=r"no family 'nope'. There are: broken, single, sum"):
        Procedural(domains, ["nope"])
    with pytest.raises(ConfigError, match="offer no family"):
        Procedural(domains, [], [9])


def test_the_likeliest_in_band_are_tried_first_so_that_a_budget_is_spent_on_those(make_parts: MakeParts) -> None:
    size = {"run__candidates": 8, "run__jobs": 1, "band__recheck": 0}
    assert Flywheel(make_parts(Scripted((1.0, 0.5, 0.0)), run__rounds=1, **size)).run()
    parts = make_parts(Scripted((1.0, 0.5, 0.0)), run__rounds=2, **size)
    parts.watch.on_closed = lambda record: parts.control.stop("the budget is used up")  # type: ignore[attr-defined]
    assert not Flywheel(parts).run()
    chances = {target.candidate: target.in_band for target in parts.store.of(Plan)[1].targets}
    tried = {note.candidate for note in parts.store.of(GateNote, round=2)}
    likeliest = sorted(chances, key=lambda candidate: -chances[candidate])
    assert 1 <= len(tried) <= 3  # one box at a time, two candidates under way
    assert min(chances[candidate] for candidate in tried) >= chances[likeliest[2]]
    assert max(chances.values()) > min(chances.values())
