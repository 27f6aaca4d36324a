"""Other people's rollouts: Harbor's trial folders as 0.6 and 0.26 write them, ATIF files, and all that is broken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from envwheel.api import Check
from envwheel.errors import UsageError
from envwheel.importers.rollouts import Rollout, Skipped, rollouts
from envwheel.importers.trajectories import read_trajectory
from envwheel.rollout import RolloutSummary, RolloutWriter

CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "You are an agent."},
    {"role": "user", "content": [{"type": "text", "text": "Write it."}, {"type": "image_url"}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "a", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}],
    },
    {"role": "tool", "tool_call_id": "a", "content": "in.txt\n(exit_code=0)"},
    {"role": "assistant", "content": "Done."},
]
ATIF: dict[str, Any] = {
    "schema_version": "ATIF-v1.8",
    "agent": {"name": "terminus-2", "version": "2", "model_name": "m"},
    "steps": [
        {"step_id": 1, "source": "user", "message": "Write it."},
        {
            "step_id": 2,
            "source": "agent",
            "message": "I look.",
            "tool_calls": [{"tool_call_id": "c", "function_name": "bash_command", "arguments": {"keystrokes": "ls\n"}}],
            "observation": {"results": [{"source_call_id": "c", "content": "in.txt"}]},
            "metrics": {"prompt_tokens": 9, "completion_tokens": 3},
        },
    ],
    "final_metrics": {"total_prompt_tokens": 9, "total_completion_tokens": 3},
}
CTRF = {
    "results": {
        "tests": [
            {"name": "t.py::test_a", "status": "passed"},
            {
                "name": "t.py::test_b",
                "status": "failed",
                "message": "The test failed in the call phase",
                "trace": "def test_b():\n>   assert 1 == 2\nE   assert 1 == 2\n\nt.py:3: AssertionError",
            },
        ]
    }
}


def harbor(folder: Path, reward: str | None = "0.0", **result: Any) -> Path:
    """A trial folder. `result` replaces keys of result.json; None leaves one out."""
    said = {
        "task_name": "org/sums",
        "trial_name": folder.name,
        "config": {"task": {"path": str(folder.parent / "tasks/sums")}, "agent": {"name": "terminus-2"}},
        "agent_info": {"name": "terminus-2", "version": "2", "model_info": {"name": "m", "provider": "p"}},
        "agent_result": {"n_input_tokens": 100, "n_output_tokens": 20, "n_cache_tokens": None, "cost_usd": None},
        "verifier_result": None if reward is None else {"rewards": {"reward": float(reward)}},
        "exception_info": None,
        "started_at": "2026-06-10T22:33:43.723520Z",
        "finished_at": "2026-06-10T22:36:43.723520Z",
        "agent_execution": {"started_at": "2026-06-10T22:33:45Z", "finished_at": "2026-06-10T22:34:45Z"},
        **result,
    }
    for name in ("agent", "verifier"):
        (folder / name).mkdir(parents=True)
    (folder / "result.json").write_text(json.dumps({key: value for key, value in said.items() if value is not None}))
    (folder / "config.json").write_text(json.dumps(said["config"]))
    (folder / "agent/trajectory.json").write_text(json.dumps(CHAT))
    if reward is not None:
        (folder / "verifier/reward.txt").write_text(reward)
        (folder / "verifier/ctrf.json").write_text(json.dumps(CTRF))
    return folder


def one(path: Path) -> Rollout:
    found = list(rollouts([path]))
    assert len(found) == 1
    assert isinstance(found[0], Rollout), found[0]
    return found[0]


def test_a_trial_folder_becomes_a_rollout_of_ours(tmp_path: Path) -> None:
    found = one(harbor(tmp_path / "sums__abc1234"))
    summary = found.summary
    assert (summary.environment, summary.solver, summary.id) == ("sums", "terminus-2 m", "sums__abc1234")
    assert (summary.outcome, summary.reward, summary.passed, summary.reason) == ("scored", 0.0, False, "done")
    assert (summary.turns, summary.usage.input_tokens, summary.usage.dollars) == (2, 100, None)
    assert (summary.seconds, summary.work_s) == (180.0, 60.0)
    assert summary.checks == (Check("t.py::test_a", True), Check("t.py::test_b", False, message="assert 1 == 2"))
    assert found.notes == ()


def test_the_task_says_what_it_is_for_where_it_lies_on_this_machine(tmp_path: Path) -> None:
    task = tmp_path / "tasks/sums"
    task.mkdir(parents=True)
    own = '[metadata.envwheel]\ndomains = ["swe"]\nskills = ["text"]\nlevel = 2\nfamily = "csv"\n'
    (task / "task.toml").write_text(f"{own}[agent]\ntimeout_sec = 240\n")
    found = one(harbor(tmp_path / "sums__abc1234"))
    assert (found.domain, found.family, found.summary.skills, found.summary.level) == ("swe", "csv", ("text",), 2)
    assert found.summary.limit_s == 240.0
    (task / "task.toml").write_text("not = = toml")
    assert one(tmp_path / "sums__abc1234").summary.skills == ()


def test_a_task_of_a_repository_is_not_looked_for_on_this_machine(tmp_path: Path) -> None:
    task = tmp_path / "tasks/sums"
    task.mkdir(parents=True)
    (task / "task.toml").write_text('[metadata.envwheel]\nskills = ["text"]\n')
    (task / "instruction.md").write_text("Sum.")
    at = {"task": {"path": str(task)}}
    local = one(harbor(tmp_path / "sums__a", config=at))
    assert local.summary.skills == ("text",)
    remote = one(harbor(tmp_path / "sums__b", config={"task": {**at["task"], "git_url": "https://example.org/x.git"}}))
    assert remote.summary.skills == ()


def test_the_tasks_instruction_stands_in_where_no_trajectory_has_it(tmp_path: Path) -> None:
    task = tmp_path / "tasks/sums"
    task.mkdir(parents=True)
    (task / "task.toml").write_text("")
    (task / "instruction.md").write_text("Sum the numbers.\n")
    trial = harbor(tmp_path / "sums__a")
    assert one(trial).steps[1]["message"] == "Write it.\n[image_url]"
    (trial / "agent/trajectory.json").unlink()
    assert one(trial).steps == [{"source": "user", "message": "Sum the numbers."}]


def test_without_a_trajectory_there_is_the_end_of_the_agents_log(tmp_path: Path) -> None:
    trial = harbor(tmp_path / "sums__a")
    (trial / "agent/trajectory.json").unlink()
    (trial / "agent/short.txt").write_text("x")
    (trial / "agent/run.log").write_text("a" * 9000 + "THE END")
    (step,) = one(trial).steps
    assert (step["source"], len(step["message"])) == ("system", len("run.log, its end:\n") + 4000)
    assert step["message"].endswith("THE END")
    assert one(trial).summary.turns == 0


def test_a_mapping_says_it_elsewhere(tmp_path: Path) -> None:
    trial = harbor(tmp_path / "sums__abc1234")
    found = next(iter(rollouts([trial], {"sums": ("text",)})))
    assert isinstance(found, Rollout)
    assert found.summary.skills == ("text",)


def raised(name: str) -> dict[str, Any]:
    return {"exception_info": {"exception_type": name, "exception_message": "m"}}


@pytest.mark.parametrize(
    ("reward", "result", "outcome", "reason"),
    [
        ("1.0", {}, "scored", "done"),
        ("1", raised("AgentTimeoutError"), "scored", "time"),
        ("0", raised("ContextLengthExceededError"), "scored", "context"),
        (None, raised("AgentTimeoutError"), "verifier_error", "time"),
        (None, raised("VerifierTimeoutError"), "verifier_error", "VerifierTimeoutError"),
        (None, raised("RewardFileNotFoundError"), "verifier_error", "RewardFileNotFoundError"),
        (None, {}, "verifier_error", "no reward file was written"),
        (None, raised("CancelledError"), "infra", "CancelledError"),
        (None, raised("EnvironmentStartTimeoutError"), "infra", "EnvironmentStartTimeoutError"),
        ("0", {**raised("ApiRateLimitError"), "reward_valid": False}, "infra", "ApiRateLimitError"),
        (
            "0",
            {**raised("VerifierOutputParseError"), "reward_valid": False},
            "verifier_error",
            "VerifierOutputParseError",
        ),
        ("nan", {"verifier_result": None}, "verifier_error", "reward.txt holds no number"),
        ("7", {}, "verifier_error", "the reward 7 is outside 0 to 1"),
    ],
)
def test_how_a_trial_ended(
    tmp_path: Path, reward: str | None, result: dict[str, Any], outcome: str, reason: str
) -> None:
    summary = one(harbor(tmp_path / "sums__a", reward, **result)).summary
    assert (summary.outcome, summary.reason) == (outcome, reason)
    assert (summary.reward is None) == (summary.passed is None) == (outcome != "scored")


@pytest.mark.parametrize(
    "said",
    [
        "E: Could not get lock /var/lib/dpkg/lock-frontend",
        "tests/test.sh: line 3: uvx: command not found",
        "curl: (6) Could not resolve host: astral.sh",
        "OSError: [Errno 28] No space left on device",
    ],
)
def test_a_zero_of_a_verifier_that_never_ran_is_no_zero(tmp_path: Path, said: str) -> None:
    trial = harbor(tmp_path / "sums__a")
    (trial / "verifier/test-stdout.txt").write_text(f"start\n{said}\n")
    assert one(trial).summary.outcome == "scored"  # there is a report of tests: they ran
    (trial / "verifier/ctrf.json").unlink()
    assert one(trial).summary.outcome == "verifier_error"
    (trial / "verifier/test-stdout.txt").write_text("1 failed\n")
    assert one(trial).summary.outcome == "scored"


def test_the_reward_of_result_json_counts_where_the_verifiers_files_are_gone(tmp_path: Path) -> None:
    trial = harbor(tmp_path / "sums__a", "1.0")
    (trial / "verifier/reward.txt").unlink()
    assert one(trial).summary.passed is True


def test_an_exception_is_read_from_its_file_where_result_json_is_missing(tmp_path: Path) -> None:
    trial = harbor(tmp_path / "sums__a", None)
    (trial / "result.json").unlink()
    assert (one(trial).summary.outcome, one(trial).notes) == ("infra", ("result.json is missing",))
    (trial / "exception.txt").write_text("Traceback\nharbor.trial.AgentTimeoutError: 900 s\n")
    assert (one(trial).summary.outcome, one(trial).summary.reason) == ("verifier_error", "time")


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "[" * 100_000, '{"config": 3, "agent_info": [], "started_at": 1}']
)
def test_broken_files_cost_what_they_would_have_said(tmp_path: Path, text: str) -> None:
    trial = harbor(tmp_path / "sums__a", "1.0")
    (trial / "result.json").write_text(text)
    found = one(trial)
    assert found.summary.passed is True
    for name in ("agent/trajectory.json", "verifier/ctrf.json", "config.json"):
        (trial / name).write_text(text)
    broken = list(rollouts([trial]))
    assert len(broken) == 1
    if isinstance(broken[0], Rollout):
        assert broken[0].steps == []


def test_a_job_is_read_trial_by_trial_and_what_is_no_trial_is_told(tmp_path: Path) -> None:
    job = tmp_path / "jobs/today"
    for name in ("sums__a", "sums__b"):
        harbor(job / name)
    (job / "config.json").write_text("{}")
    (job / "result.json").write_text("{}")
    empty = job / "sums__c"
    (empty / "agent").mkdir(parents=True)
    (empty / "config.json").write_text("")
    (empty / "result.json").write_text("{")
    found = list(rollouts([tmp_path / "jobs"]))
    assert [one.path.name for one in found if isinstance(one, Rollout)] == ["sums__a", "sums__b"]
    assert [(one.path.name, "not JSON" in one.why) for one in found if isinstance(one, Skipped)] == [("sums__c", True)]


def test_a_folder_without_any_is_told_and_an_absent_one_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    assert [type(found) for found in rollouts([tmp_path])] == [Skipped]
    assert [type(found) for found in rollouts([tmp_path / "notes.txt"])] == [Skipped]
    with pytest.raises(UsageError, match="nothing at"):
        list(rollouts([tmp_path / "absent"]))


def test_our_own_atif_files_say_how_they_ended(tmp_path: Path) -> None:
    writer = RolloutWriter(tmp_path / "t1.jsonl")
    call = {"id": "1", "name": "bash", "arguments": {"command": "ls"}}
    shown = {"call_id": "1", "content": "x", "exit_code": 2, "seconds": 1, "timed_out": True, "truncated": False}
    writer.step({"source": "user", "message": "Do it.", "timestamp": "2026-01-01T00:00:00Z"})
    writer.step({"source": "agent", "message": "a", "tool_calls": [call], "observations": [shown], "model": "m"})
    writer.finish(RolloutSummary("t1", "links", "a" * 64, "m", "scored", 1.0, 1.0, True, skills=("files",), level=1))
    found = one(tmp_path / "t1.json")
    assert (found.summary.passed, found.summary.skills, found.summary.level) == (True, ("files",), 1)
    observation = found.steps[1]["observations"][0]
    assert (observation["exit_code"], observation["timed_out"], observation["content"]) == (2, True, "x")


def test_a_foreign_atif_file_is_read_but_nobody_knows_how_it_was_graded(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps(ATIF))
    found = one(tmp_path)
    assert (found.summary.outcome, found.summary.reason, found.summary.solver) == ("verifier_error", "not graded", "m")
    assert (found.summary.turns, found.summary.usage.output_tokens) == (1, 3)


def test_chat_messages_become_steps_with_their_outputs() -> None:
    steps = read_trajectory(CHAT)
    assert [step["source"] for step in steps] == ["system", "user", "agent", "agent"]
    assert steps[1]["message"] == "Write it.\n[image_url]"
    assert steps[2]["tool_calls"] == [{"id": "a", "name": "bash", "arguments": {"command": "ls"}}]
    assert steps[2]["observations"] == [{"call_id": "a", "content": "in.txt\n(exit_code=0)"}]
    assert read_trajectory({"messages": CHAT}) == steps


def test_atif_steps_keep_calls_outputs_and_tokens() -> None:
    step = read_trajectory(ATIF)[1]
    assert step["tool_calls"][0]["arguments"] == {"keystrokes": "ls\n"}
    assert step["observations"][0]["content"] == "in.txt"
    assert step["usage"]["output_tokens"] == 3


@pytest.mark.parametrize(
    "document",
    [
        [None, 3, {"role": "assistant", "tool_calls": "x"}, {"role": "tool", "tool_call_id": {}, "content": {}}],
        [{"role": "assistant", "tool_calls": [{"function": {"name": "b", "arguments": "{"}}, {"function": 3}, None]}],
        {"steps": [None, {"source": "agent", "tool_calls": [None, {"function_name": 3}], "observation": [1]}]},
        {"steps": [{"source": "agent", "message": [1, {"text": 2}], "metrics": {"prompt_tokens": "x"}}]},
        {"steps": []},
        [],
    ],
)
def test_values_of_a_wrong_type_are_left_out(document: Any) -> None:
    for step in read_trajectory(document):
        assert isinstance(step["message"], str)


@pytest.mark.parametrize("document", [None, 3, "x", {}, {"steps": 3}])
def test_what_is_no_trajectory_is_an_error(document: Any) -> None:
    with pytest.raises(ValueError, match="neither"):
        read_trajectory(document)
