"""The record of a rollout: `ID.jsonl`, a step a line while it runs, and `ID.json`, an ATIF trajectory at the end.

`RolloutWriter` is handed to whoever works in the box; each step is on disk before the next one starts. `finish` adds
the outcome. The lines are plain data made by `agent.py` (`STEP_KEYS` below); reading back forgives a line that was cut
short by a crash. ATIF is Harbor's trajectory format, version 1.7: token ids and log-probabilities lie in each step's
`metrics`, what ATIF has no field for under `extra.envwheel`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from envwheel.api import Check, Outcome
from envwheel.errors import UsageError
from envwheel.model.base import NO_USAGE, ModelUsage
from envwheel.version import __version__

SCHEMA = 1
ATIF = "ATIF-v1.7"

STEP_KEYS = {
    "schema": "1",
    "step": "1, 2, ... in the order of writing",
    "timestamp": "ISO 8601, UTC",
    "source": "system, user or agent",
    "message": "the text",
    "example": "true for a worked example that came before the task: nobody's answer, not for training",
    "tool_calls": "agent only: [{id, name, arguments}]",
    "observations": "agent only: [{call_id, content, exit_code, seconds, timed_out, truncated}], as shown to the model",
    "model": "agent only: the model that answered",
    "finish_reason": "agent only: stop, tool_calls, length, ...",
    "usage": "agent only: {input_tokens, output_tokens, cached_tokens, dollars}",
    "prompt_token_ids": "agent only, or null",
    "completion_token_ids": "agent only, or null",
    "logprobs": "agent only, or null; one a completion token",
}
"""What a line of `ID.jsonl` may hold."""


@dataclass(frozen=True, slots=True)
class RolloutSummary:
    """How a rollout ended. `reward` is the verifier's raw number, `value` and `passed` what the domain makes of it;

    all three are None unless `outcome` is "scored". `seconds` is the whole trial's wall time, `work_s` the solver's
    part of it, `limit_s` what that may be at most. `path` is the ATIF file, filled in by `read_summary`.
    """

    id: str
    environment: str
    tree_sha256: str
    solver: str
    outcome: Outcome
    reward: float | None = None
    value: float | None = None
    passed: bool | None = None
    reason: str = ""
    round: int | None = None
    turns: int = 0
    usage: ModelUsage = NO_USAGE
    seconds: float = 0.0
    simulated: bool = False
    checks: tuple[Check, ...] = ()
    skills: tuple[str, ...] = ()
    level: int | None = None
    seed: int = 0
    role: str = "solver"
    """solver, or proposer: then the environment is what it made, and a pass is one that was admitted."""
    work_s: float | None = None
    limit_s: float | None = None
    path: Path | None = None


class RolloutWriter:
    """Writes one rollout. `path` is `.../ID.jsonl`; what an earlier, interrupted attempt left there is dropped."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.steps = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)

    def step(self, record: Mapping[str, Any]) -> None:
        """Append one step; it is on disk when this returns."""
        self.steps += 1
        with self.path.open("ab") as file:
            file.write(_encoded({"schema": SCHEMA, "step": self.steps, **record}) + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def finish(self, summary: RolloutSummary) -> Path:
        """Write `ID.json` beside the steps, whole or not at all, and return its path."""
        return end(self.path, summary)


def write_steps(path: Path, steps: Iterable[Mapping[str, Any]]) -> None:
    """All steps of a rollout that others made, at once, to `ID.jsonl`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    numbered = ({"schema": SCHEMA, "step": number, **step} for number, step in enumerate(steps, 1))
    path.write_bytes(b"".join(_encoded(step) + b"\n" for step in numbered))


def end(steps: Path, summary: RolloutSummary) -> Path:
    """The ATIF file of the rollout whose steps are at `steps`, written whole or not at all; its path."""
    target = steps.with_suffix(".json")
    part = target.with_suffix(".json.part")
    with part.open("wb") as file:
        file.write(_encoded(trajectory(summary, read_steps(steps))))
        file.flush()
        os.fsync(file.fileno())
    part.replace(target)
    return target


def read_steps(path: Path) -> list[dict[str, Any]]:
    """The steps of `ID.jsonl`; a last line that was cut short is left out. An absent file has no steps.

    Raises UsageError when another line is no JSON object.
    """
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")
    steps = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        record = _object(line)
        if record is not None:
            steps.append(record)
        elif number < len(lines):
            raise UsageError(f"{path}: line {number} is no rollout step. Remove the file; the trial can be run again.")
    return steps


def _encoded(record: Mapping[str, Any]) -> bytes:
    """JSON that every reader takes: what a box printed may hold lone surrogates, which are no valid text."""
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "replace")


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def read_summary(path: Path) -> RolloutSummary:
    """The summary in `ID.json`. Raises UsageError when the file is none of ours."""
    try:
        data = json.loads(path.read_bytes())["extra"]["envwheel"]
        if data.pop("schema") != SCHEMA:
            raise UsageError(f"{path}: written by another version of envwheel; this one reads schema {SCHEMA}.")
        data["usage"] = ModelUsage(**data["usage"])
        data["checks"] = tuple(Check(**check) for check in data["checks"])
        data["skills"] = tuple(data["skills"])
        return RolloutSummary(**data, path=path)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path}: no rollout record of envwheel ({type(error).__name__}: {error}).") from None


def trajectory(summary: RolloutSummary, steps: list[dict[str, Any]]) -> dict[str, Any]:
    """The ATIF document of a rollout."""
    ours = asdict(summary)
    del ours["path"]
    models = [step["model"] for step in steps if step.get("model")]
    atif_steps = [_atif_step(number, step) for number, step in enumerate(steps, 1)]
    usage = summary.usage
    return {
        "schema_version": ATIF,
        "session_id": summary.id,
        "trajectory_id": summary.id,
        "agent": _without_none(
            {
                "name": f"envwheel-{summary.solver}" + (" (simulated)" if summary.simulated else ""),
                "version": __version__,
                "model_name": models[0] if models else None,
            }
        ),
        # ATIF asks for at least one step, also of a rollout that ended before its first.
        "steps": atif_steps or [{"step_id": 1, "source": "system", "message": "No step was taken."}],
        "final_metrics": _without_none(
            {
                "total_prompt_tokens": usage.input_tokens,
                "total_completion_tokens": usage.output_tokens,
                "total_cached_tokens": usage.cached_tokens,
                "total_cost_usd": usage.dollars,
                "total_steps": max(1, len(steps)),
            }
        ),
        "extra": {"envwheel": {"schema": SCHEMA, **ours}},
    }


def _atif_step(number: int, step: Mapping[str, Any]) -> dict[str, Any]:
    base = {
        "step_id": number,
        "timestamp": step.get("timestamp"),
        "source": step["source"],
        "message": step.get("message", ""),
        "is_copied_context": True if step.get("example") else None,
    }
    if step["source"] != "agent" or step.get("example"):
        return _without_none(base)
    observations = step.get("observations") or []
    results = [_without_none({"source_call_id": o.get("call_id"), "content": o["content"]}) for o in observations]
    details = [{k: o.get(k) for k in ("exit_code", "seconds", "timed_out", "truncated")} for o in observations]
    calls = [
        {"tool_call_id": c["id"], "function_name": c["name"], "arguments": c["arguments"]}
        for c in step.get("tool_calls") or []
    ]
    extra = {"finish_reason": step.get("finish_reason"), "observations": details}
    base |= {
        "model_name": step.get("model") or None,
        "tool_calls": calls or None,
        "observation": {"results": results} if results else None,
        "metrics": _metrics(step),
        "llm_call_count": 1 if step.get("usage") else 0,
        "extra": {"envwheel": extra},
    }
    return _without_none(base)


def _metrics(step: Mapping[str, Any]) -> dict[str, Any] | None:
    usage = step.get("usage")
    if not usage:
        return None
    return _without_none(
        {
            "prompt_tokens": usage["input_tokens"],
            "completion_tokens": usage["output_tokens"],
            "cached_tokens": usage["cached_tokens"],
            "cost_usd": usage["dollars"],
            "prompt_token_ids": step.get("prompt_token_ids"),
            "completion_token_ids": step.get("completion_token_ids"),
            "logprobs": step.get("logprobs"),
        }
    )


def _without_none(record: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if value is not None}
