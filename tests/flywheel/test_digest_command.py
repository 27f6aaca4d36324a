"""`envwheel digest` and `run.rollouts`: what a person sees, what is written, what bad input leads to."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from flywheel_fakes import MakeParts
from flywheel_records import attempt, gate_note, plan, run_start, target, trial
from hypothesis import given, settings
from hypothesis import strategies as st

from envwheel.cli import main
from envwheel.config import RunSection
from envwheel.errors import UsageError
from envwheel.flywheel import Flywheel
from envwheel.ledger import ForeignNote, Plan, RoundEnd, parse
from envwheel.propose.digest import counts, seen
from envwheel.propose.foreign import notes, take
from envwheel.propose.reading import write
from envwheel.rollout import RolloutSummary, read_steps, read_summary
from envwheel.store import RunDirectory
from envwheel.summary import summaries

KEYS = ("role", "content", "tool_calls", "function", "name", "arguments", "source", "steps", "message", "observation")
KEYS += ("results", "tests", "status", "trace", "task_name", "agent_info", "config", "task", "path", "agent_result")
KEYS += ("exception_info", "exception_type", "verifier_result", "rewards", "reward", "reward_valid", "metrics")
KEYS += ("n_input_tokens", "cost_usd", "started_at", "finished_at", "agent_execution")
SAME = "assert '1,200' == '1200'"


def job(path: Path, rewards: dict[str, float], message: str = "x", solver: str = "m") -> Path:
    """A job folder of Harbor's with a trial for each name."""
    for name, reward in rewards.items():
        folder = path / name
        (folder / "agent").mkdir(parents=True)
        (folder / "verifier").mkdir()
        steps = [
            {"role": "user", "content": "Write it."},
            {"role": "assistant", "content": "\x1b[31m", "tool_calls": [{"id": "a", "function": {"name": "bash"}}]},
            {"role": "tool", "tool_call_id": "a", "content": "x: No such file or directory"},
        ]
        tests = [{"name": "test_a", "status": "passed"}, {"name": "test_b", "status": "failed", "message": message}]
        (folder / "agent/trajectory.json").write_text(json.dumps(steps))
        (folder / "verifier/ctrf.json").write_text(
            json.dumps({"results": {"tests": tests if reward < 1 else tests[:1]}})
        )
        (folder / "verifier/reward.txt").write_text(str(reward))
        (folder / "result.json").write_text(json.dumps({"agent_info": {"name": solver}, "task_name": name[:-3]}))
    return path


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, Any]:
    assert main(["digest", *argv, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_job_in_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jobs = job(tmp_path / "jobs", {"sums__a": 1.0, "sums__b": 0.0, "copy__a": 0.0})
    found = said(capsys, str(jobs), "--skills", "sums=text,files")
    assert [(one["skill"], one["level"], one["passed"], one["scored"]) for one in found["skills"]] == [
        ("files", None, 1, 2),
        ("text", None, 1, 2),
        ("unknown", None, 0, 1),
    ]
    assert found["outcomes"] == {"scored": 3}
    assert found["classes"]["no_such_file"] == 2


def test_the_table_names_solvers_and_the_flaws_of_what_nobody_solved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job(tmp_path / "jobs/a", {f"flaw__{at}": 0.0 for at in range(4)}, SAME)
    for at in range(4):
        job(tmp_path / "jobs/b", {f"hard__{at}": 0.0, f"done__{at}": 1.0}, "x", solver=f"agent{at % 2}")
    (tmp_path / "jobs/b/hard__0/verifier/ctrf.json").unlink()
    assert main(["digest", str(tmp_path / "jobs")]) == 0
    table = capsys.readouterr().out
    assert "12 trials: 12 scored; 4 passed" in table
    assert "agent0" in table
    assert "flaw" in table
    assert "design_flaw" in table
    assert SAME in table
    assert "\x1b" not in table


def test_the_readable_digest_goes_to_a_new_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jobs, out = job(tmp_path / "jobs", {"sums__a": 1.0, "sums__b": 0.0}), tmp_path / "some/out"
    said(capsys, str(jobs), "--out", str(out))
    assert (out / "README.md").is_file()
    assert sorted(path.name for path in (out / "rollouts").iterdir()) == ["01-pass-sums.md", "02-fail-sums.md"]
    assert str(tmp_path) not in "".join(path.read_text() for path in out.rglob("*.*"))
    assert main(["digest", str(jobs), "--out", str(out)]) == 2
    assert "there already" in capsys.readouterr().err


def test_a_run_directory_is_read_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with RunDirectory.open(tmp_path / "run") as store:
        for record in (run_start(), plan(target("c1")), gate_note("c1"), trial("c1"), attempt("c1")):
            store.append(record)
    found = said(capsys, str(tmp_path / "run"))
    assert (found["round"], found["trials"], found["passed"]) == (2, 1, 1)
    assert main(["digest", str(tmp_path / "run"), str(tmp_path)]) == 2


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        (["absent"], "There is nothing at"),
        (["empty"], "no rollout that can be read"),
        (["empty", "--tokens", "5"], "--tokens"),
        (["empty", "--skills", "x"], "TASK=SKILL"),
    ],
)
def test_bad_input_is_one_clear_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], argv: list[str], text: str
) -> None:
    (tmp_path / "empty").mkdir()
    assert main(["digest", str(tmp_path / argv[0]), *argv[1:]]) == 2
    assert text in capsys.readouterr().err


def rollouts_of(path: Path, **more: Any) -> RunSection:
    return RunSection(rollouts=[str(path)], **more)


def test_foreign_rollouts_are_in_the_first_digest_and_count_in_no_round(make_parts: MakeParts, tmp_path: Path) -> None:
    jobs = job(tmp_path / "jobs", {"sums__a": 1.0, "sums__b": 0.0, "broken__a": 0.0})
    (jobs / "broken__a/result.json").write_text("{")
    (jobs / "broken__a/verifier/reward.txt").unlink()
    parts = make_parts(run__rounds=1, run__candidates=2)
    skipped = take(parts.store, rollouts_of(jobs, rollout_skills={"sums": ["sums"]}))
    assert [one.path.name for one in skipped] == ["broken__a"]
    assert Flywheel(parts).run()
    assert parts.store.of(Plan)[0].rollouts_read == 2
    readme = (parts.store.path / "digest/1/README.md").read_text()
    assert "| `sums` | no level | 1 of 2" in readme
    assert "Trend" not in readme
    (only,) = summaries(parts.store.records)
    assert only.scored == len([one for one in seen(parts.store.records) if one.trial.round == 1])
    assert parts.store.of(RoundEnd)


def test_foreign_rollouts_are_copied_as_our_own(make_parts: MakeParts, tmp_path: Path) -> None:
    store = make_parts().store
    take(store, rollouts_of(job(tmp_path / "jobs", {"sums__a": 1.0})))
    (note,) = store.of(ForeignNote)
    path = store.path / note.trial.rollout
    assert read_summary(path).passed is True
    assert len(read_steps(path.with_suffix(".jsonl"))) == 2
    assert note.target.skills == ("unknown",)


def test_each_is_taken_once_and_new_ones_may_come_later(make_parts: MakeParts, tmp_path: Path) -> None:
    jobs = job(tmp_path / "jobs", {"sums__a": 1.0})
    store = make_parts().store
    take(store, rollouts_of(jobs))
    take(store, rollouts_of(jobs))
    assert len(store.of(ForeignNote)) == 1
    job(jobs, {"sums__b": 0.0})
    take(make_parts().store, rollouts_of(jobs))
    again = make_parts().store
    assert [one.passed for one in seen(again.records)] == [True, False]
    (jobs / "sums__a").rename(tmp_path / "gone")
    assert [one.why for one in take(again, rollouts_of(tmp_path / "absent"))] == [
        "it is gone; what was read of it before is in the run"
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=12,
)


@settings(max_examples=60)
@given(JSON, JSON, JSON, st.text(max_size=6))
def test_whatever_the_files_hold_it_is_read_or_told(result: Any, trajectory: Any, report: Any, reward: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        trial = job(Path(folder) / "jobs", {"sums__a": 0.0}) / "sums__a"
        (trial / "result.json").write_text(json.dumps(result))
        (trial / "agent/trajectory.json").write_text(json.dumps(trajectory))
        (trial / "verifier/ctrf.json").write_text(json.dumps(report))
        (trial / "verifier/reward.txt").write_text(reward, "utf-8", "replace")
        run = Path(folder) / "run"
        noted = [one for one in notes([trial], run, {}) if isinstance(one, ForeignNote)]
        assert all(parse(one.line()) == one for one in noted)
        write(run / "digest", noted, run, round=1, tokens=2000)


def test_what_is_nested_too_deeply_is_left_out(make_parts: MakeParts, tmp_path: Path) -> None:
    jobs = job(tmp_path / "jobs", {"sums__a": 1.0})
    for depth in (200, 900, 5000):
        deep = '{"a": ' * depth + "1" + "}" * depth
        call = f'{{"id": "1", "function": {{"name": "bash", "arguments": {deep}}}}}'
        (jobs / "sums__a/agent/trajectory.json").write_text(f'[{{"role": "assistant", "tool_calls": [{call}]}}]')
        store = make_parts(run__out=str(tmp_path / f"run{depth}")).store
        assert len(take(store, rollouts_of(jobs))) + len(store.of(ForeignNote)) == 1


def test_a_path_with_nothing_at_it_is_an_error_at_first(make_parts: MakeParts, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing at"):
        take(make_parts().store, rollouts_of(tmp_path / "absent"))


def test_only_a_known_family_and_level_would_move_targets(make_parts: MakeParts, tmp_path: Path) -> None:
    store = make_parts().store
    take(store, rollouts_of(job(tmp_path / "jobs", {"sums__a": 1.0})))
    assert set(counts(seen(store.records))) == {("foreign", "sums", -1)}


def test_a_trial_of_ours_says_how_long_it_might_have_taken(make_parts: MakeParts) -> None:
    parts = make_parts(run__rounds=1, run__candidates=1)
    Flywheel(parts).run()
    summary: RolloutSummary = read_summary(next((parts.store.path / "rollouts/1").glob("*-t01.json")))
    assert summary.limit_s == 300.0
    assert summary.work_s is not None
