"""Rollout records: written step by step, read back after a crash, and ATIF at the end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from envwheel.api import Check
from envwheel.errors import UsageError
from envwheel.model.base import ModelUsage
from envwheel.rollout import RolloutSummary, RolloutWriter, read_steps, read_summary

AGENT = {
    "timestamp": "2026-11-29T21:00:00.000+00:00",
    "source": "agent",
    "message": "m \udcff",
    "tool_calls": [{"id": "a", "name": "bash", "arguments": {"command": "ls"}}],
    "observations": [
        {"call_id": "a", "content": "x", "exit_code": 0, "seconds": 0.1, "timed_out": False, "truncated": False}
    ],
    "model": "m",
    "finish_reason": "stop",
    "usage": {"input_tokens": 3, "output_tokens": 2, "cached_tokens": 1, "dollars": None},
    "prompt_token_ids": [1, 2, 3],
    "completion_token_ids": [4, 5],
    "logprobs": [-0.5, -1.0],
}
SUMMARY = RolloutSummary(
    id="env-000-1",
    environment="env-000",
    tree_sha256="ab",
    solver="local",
    outcome="scored",
    reward=0.5,
    value=0.5,
    passed=False,
    round=2,
    turns=1,
    usage=ModelUsage(3, 2, 1, None),
    seconds=1.5,
    checks=(Check("one", True, 2.0, "fine"),),
    skills=("files",),
    level=0,
    seed=7,
)

STEP_FIELDS = {
    "step_id", "timestamp", "source", "model_name", "message", "tool_calls", "observation", "metrics", "llm_call_count",
    "extra", "is_copied_context",
}  # fmt: skip
METRIC_FIELDS = {
    "prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd", "prompt_token_ids", "completion_token_ids",
    "logprobs",
}  # fmt: skip


def written(tmp_path: Path, *steps: dict[str, Any], summary: RolloutSummary = SUMMARY) -> dict[str, Any]:
    writer = RolloutWriter(tmp_path / "1" / "r.jsonl")
    for step in steps:
        writer.step(step)
    document: dict[str, Any] = json.loads(writer.finish(summary).read_text())
    return document


def test_each_step_is_on_disk_at_once(tmp_path: Path) -> None:
    writer = RolloutWriter(tmp_path / "r.jsonl")
    for number in (1, 2):
        writer.step({"source": "user", "message": "line\nbreak"})
        steps = read_steps(writer.path)
        assert [step["step"] for step in steps] == list(range(1, number + 1))
    assert steps[0] == {"schema": 1, "step": 1, "source": "user", "message": "line\nbreak"}


def test_a_new_attempt_drops_what_an_interrupted_one_left(tmp_path: Path) -> None:
    RolloutWriter(tmp_path / "r.jsonl").step({"source": "user", "message": "old"})
    assert read_steps(RolloutWriter(tmp_path / "r.jsonl").path) == []


@pytest.mark.parametrize("torn", [b'{"schema": 1, "st', b'{"schema": 1}x', b"\xff\xfe", b"7"])
def test_a_torn_last_line_is_left_out_and_a_torn_middle_is_told(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b'{"schema": 1, "step": 1}\n' + torn)
    assert read_steps(path) == [{"schema": 1, "step": 1}]
    path.write_bytes(torn + b'\n{"schema": 1, "step": 1}\n')
    with pytest.raises(UsageError, match="line 1"):
        read_steps(path)


def test_the_summary_comes_back(tmp_path: Path) -> None:
    written(tmp_path, AGENT)
    path = tmp_path / "1" / "r.json"
    found = read_summary(path)
    assert found.path == path
    assert (found.usage, found.checks, found.skills) == (SUMMARY.usage, SUMMARY.checks, SUMMARY.skills)
    assert (found.id, found.round, found.passed, found.seed) == ("env-000-1", 2, False, 7)
    assert not list(path.parent.glob("*.part"))


def test_the_document_is_atif(tmp_path: Path) -> None:
    system = {"timestamp": AGENT["timestamp"], "source": "system", "message": "s"}
    document = written(tmp_path, system, {**system, "source": "user"}, AGENT, {**system, "example": True})
    assert set(document) == {
        "schema_version", "session_id", "trajectory_id", "agent", "steps", "final_metrics", "extra",
    }  # fmt: skip
    assert document["schema_version"] == "ATIF-v1.7"
    assert document["agent"] == {"name": "envwheel-local", "version": document["agent"]["version"], "model_name": "m"}
    steps = document["steps"]
    assert [step["step_id"] for step in steps] == [1, 2, 3, 4]
    assert steps[3]["is_copied_context"] is True
    assert all(set(step) <= STEP_FIELDS for step in steps)
    for step in steps[:2]:
        assert set(step) <= {"step_id", "timestamp", "source", "message"}
    last = steps[2]
    assert last["tool_calls"] == [{"tool_call_id": "a", "function_name": "bash", "arguments": {"command": "ls"}}]
    assert last["observation"] == {"results": [{"source_call_id": "a", "content": "x"}]}
    assert set(last["metrics"]) == METRIC_FIELDS - {"cost_usd"}
    assert last["message"] == "m ?"
    assert last["metrics"]["logprobs"] == [-0.5, -1.0]
    assert document["final_metrics"] == {
        "total_prompt_tokens": 3, "total_completion_tokens": 2, "total_cached_tokens": 1, "total_steps": 4,
    }  # fmt: skip
    assert document["extra"]["envwheel"]["schema"] == 1


def test_a_rollout_without_a_step_and_a_simulated_one(tmp_path: Path) -> None:
    document = written(
        tmp_path,
        summary=RolloutSummary("i", "e", "t", "simulated", "infra", reason="daemon", simulated=True),
    )
    assert len(document["steps"]) == 1
    assert "simulated" in document["agent"]["name"]
    assert read_summary(tmp_path / "1" / "r.json").simulated


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"extra": {"envwheel": {}}}', '{"extra": {"envwheel": {"schema": 9}}}', '{"extra": null}']
)
def test_what_is_no_record_of_ours_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"r\.json"):
        read_summary(path)
    with pytest.raises(UsageError):
        read_summary(tmp_path / "absent.json")
