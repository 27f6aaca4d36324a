"""evidence.json: what the gate saw, so that anybody can run it again and compare.

`of(verdict)` makes it, `write` puts it beside an environment (atomically; the tree hash leaves it out), `load` reads
one, `differences(old, new)` says in sentences what is not as it was: hash, codes, outcomes, rewards.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envwheel.environment.hash import EVIDENCE
from envwheel.errors import UsageError
from envwheel.trial import TrialRecord
from envwheel.version import __version__

if TYPE_CHECKING:
    from envwheel.gate.ladder import Verdict

SCHEMA = 1
LOG_TAIL = 500


def of(verdict: Verdict) -> dict[str, Any]:
    """The evidence behind `verdict`, as plain data."""
    steps = [
        {"step": step.step, "outcome": step.outcome, "code": step.code, "trials": [_trial(t) for t in step.trials]}
        for step in verdict.steps
    ]
    return {
        "schema": SCHEMA,
        "tree_sha256": verdict.tree_sha256,
        "gate": __version__,
        "domains": dict(verdict.domains),
        "engine": verdict.engine,
        "images": {role: image.id for role, image in verdict.images.items()},
        "aliases": dict(verdict.aliases),
        "limits": asdict(verdict.limits) if verdict.limits else {},
        "skipped": list(verdict.skipped),
        "steps": steps,
    }


def _trial(record: TrialRecord) -> dict[str, Any]:
    return {
        "kind": record.kind,
        "id": record.id,
        "perturbation": record.perturbation,
        "reward": record.reward,
        "outcome": record.outcome,
        "reason": record.reason,
        "seconds": round(record.seconds, 3),
        "peak_mb": record.peak_mb,
        "artifacts_sha256": record.artifacts_sha256,
        "reused": record.reused,
        "log_tail": record.log_tail[-LOG_TAIL:],
    }


def write(verdict: Verdict, folder: Path) -> Path:
    """Write evidence.json into `folder`."""
    target = folder / EVIDENCE
    temporary = target.with_name(f".{EVIDENCE}.{os.getpid()}")
    temporary.write_text(json.dumps(of(verdict), indent=1, ensure_ascii=False) + "\n", "utf-8")
    os.replace(temporary, target)
    return target


def load(path: Path) -> dict[str, Any]:
    """The evidence at `path`. Raises UsageError for a file that is none."""
    try:
        data = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no evidence: it is not valid JSON.") from error
    if not isinstance(data, dict) or not isinstance(data.get("steps"), list):
        raise UsageError(f"{path} is no evidence: it has no `steps`. Name an evidence.json that the gate wrote.")
    if data.get("schema") != SCHEMA:
        raise UsageError(f"{path} has schema {data.get('schema')!r}; this envwheel reads {SCHEMA}.")
    return data


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What is not as it was, one sentence each; empty when all that was seen then is seen again."""
    found = []
    if old.get("tree_sha256") != new["tree_sha256"]:
        found.append("the folder is not the one that was judged: its content hash differs")
    before, after = _by_step(old), _by_step(new)
    for name, step in before.items():
        now = after.get(name, {})
        if step.get("outcome") == "skipped" or now.get("outcome") == "skipped":
            continue
        for key in ("outcome", "code"):
            if step.get(key, "") != now.get(key, ""):
                found.append(f"{name}: {key} was '{step.get(key)}' and is '{now.get(key)}'")
        found += _trials(name, step, now)
    return found


def _by_step(evidence: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    steps = evidence.get("steps", ())
    return {str(step.get("step")): step for step in steps if isinstance(step, dict)}


def _trials(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Trials of the same kind, id and perturbation, compared in their order."""
    rest = [trial for trial in after.get("trials", ()) if isinstance(trial, dict)]
    found = []
    for trial in before.get("trials", ()):
        if not isinstance(trial, dict):
            continue
        key = [trial.get(part) for part in ("kind", "id", "perturbation")]
        match = next((t for t in rest if [t.get(part) for part in ("kind", "id", "perturbation")] == key), None)
        label = f"{name}: {' '.join(map(str, key))}"
        if match is None:
            found.append(f"{label} was not run")
            continue
        rest.remove(match)
        for part in ("outcome", "reward"):
            if trial.get(part) != match.get(part):
                found.append(f"{label}: {part} was {trial.get(part)} and is {match.get(part)}")
    return found


def steps_of(evidence: Path) -> list[dict[str, Any]]:
    """The steps in an evidence.json as `check --json` tells them; none where there is no such file."""
    try:
        steps = json.loads(evidence.read_text("utf-8"))["steps"]
        return [
            {
                "step": step["step"],
                "outcome": step["outcome"],
                "seconds": sum(trial["seconds"] for trial in step["trials"]),
                "rewards": [trial["reward"] for trial in step["trials"]],
            }
            for step in steps
        ]
    except (OSError, ValueError, KeyError, TypeError):
        return []
