"""Rollouts that others made: Harbor's job and trial folders, and single ATIF files, as rollouts of ours.

    for found in rollouts([Path("jobs/a")]):
        if isinstance(found, Skipped): ...        # what could not be read, and why
        else: found.summary, found.steps          # as read_summary and read_steps would give them

A trial whose verifier gave no reward, or could not run, is `verifier_error`; one that the machine failed is `infra`; a
time-out of the agent is scored when it was graded. Files that are missing or broken cost what they would have said.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from envwheel.errors import EnvwheelError, UsageError
from envwheel.importers import harbor_trial
from envwheel.importers.trajectories import Step, count, read_trajectory
from envwheel.model.base import ModelUsage
from envwheel.rollout import RolloutSummary, read_summary

LOG = 4000
"""Characters of an agent's log."""
LARGEST = 64 << 20
"""Bytes of a file that is read."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """A trial of somebody else's. `domain` and `family` are empty where nobody says."""

    path: Path
    summary: RolloutSummary
    steps: list[Step]
    domain: str = ""
    family: str = ""
    notes: tuple[str, ...] = ()
    """What could not be read of it."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """What is no rollout, and why."""

    path: Path
    why: str


def rollouts(paths: Iterable[Path], skills: Mapping[str, tuple[str, ...]] | None = None) -> Iterator[Rollout | Skipped]:
    """Every rollout at `paths`: trial folders, folders of them at any depth, ATIF files.

    `skills` maps the name of a task to what it trains, where the task itself does not say. Raises UsageError when
    there is nothing at a path.
    """
    for path in paths:
        if not path.exists():
            raise UsageError(
                f"There is nothing at {path}. Name a run, a job or trial folder of Harbor, or an ATIF file."
            )
        for found in _at(path):
            yield _with_skills(found, skills or {}) if isinstance(found, Rollout) else found


def _with_skills(found: Rollout, skills: Mapping[str, tuple[str, ...]]) -> Rollout:
    named = skills.get(found.summary.environment, ())
    if found.summary.skills or not named:
        return found
    return replace(found, summary=replace(found.summary, skills=named))


def _at(path: Path) -> Iterator[Rollout | Skipped]:
    if path.is_file():
        yield _file(path)
        return
    trials = list(_trials(path))
    for trial in trials:
        yield _trial(trial)
    if not trials:
        files = sorted(path.glob("*.json"))
        found = [_file(file) for file in files]
        good = [one for one in found if isinstance(one, Rollout)]
        yield from good
        if not good:
            yield Skipped(path, "no trial folder of Harbor (result.json, config.json) and no ATIF file is in it")


def _trials(path: Path) -> Iterator[Path]:
    """Trial folders at or below `path`; a folder that is one holds no others."""
    if harbor_trial.is_trial(path):
        yield path
        return
    for child in sorted(path.iterdir()):
        if child.is_dir() and not child.is_symlink() and not child.name.startswith("."):
            yield from _trials(child)


def _trial(folder: Path) -> Rollout | Skipped:
    notes: list[str] = []
    said = _object(folder / "result.json", notes)
    config = said.get("config") if isinstance(said.get("config"), dict) else _object(folder / "config.json", notes)
    if not said and not config:
        return Skipped(folder, "; ".join(notes) or "neither result.json nor config.json can be read")
    steps = _steps(folder, notes)
    made = harbor_trial.Trial(folder, said, config if isinstance(config, dict) else {}, notes)
    summary = made.summary(turns=sum(step["source"] == "agent" for step in steps))
    own = task_facts(made.task_folder)
    if own.instruction and not any(step["source"] == "user" for step in steps):
        steps.insert(0, {"source": "user", "message": own.instruction})
    named = replace(summary, skills=own.skills, level=own.level, limit_s=made.limit_s or own.limit_s)
    return Rollout(folder, named, steps, own.domain, own.family, tuple(notes))


def _steps(folder: Path, notes: list[str]) -> list[Step]:
    """The agent's trajectory, where one can be read."""
    for path in (folder / "agent/trajectory.json", folder / "trajectory.json"):
        if path.is_file():
            try:
                return read_trajectory(_json(path))
            except ValueError as error:
                notes.append(f"{path.name}: {error}")
    return _log(folder / "agent")


def _log(folder: Path) -> list[Step]:
    """The end of the agent's longest log, where it kept no trajectory: for people, no rule reads it."""
    logs = [path for path in sorted(folder.glob("*")) if path.suffix in (".txt", ".log") and path.is_file()]
    if not logs:
        return []
    longest = max(logs, key=lambda path: path.stat().st_size)
    return [{"source": "system", "message": f"{longest.name}, its end:\n{harbor_trial.tail(longest)[-LOG:]}"}]


def _file(path: Path) -> Rollout | Skipped:
    """A single ATIF file: ours with its summary, else one of which nobody knows how it ended."""
    try:
        document = _json(path)
        steps = read_trajectory(document)
    except ValueError as error:
        return Skipped(path, str(error))
    if not isinstance(document, dict) or not steps:
        return Skipped(path, "no ATIF trajectory with steps")
    try:
        summary = read_summary(path)
        return Rollout(path, replace(summary, path=None), steps)
    except EnvwheelError:
        return Rollout(path, _unknown_end(path, document, steps), steps, notes=("it does not say how it was graded",))


def _unknown_end(path: Path, document: Mapping[str, Any], steps: list[Step]) -> RolloutSummary:
    agent = document["agent"] if isinstance(document.get("agent"), dict) else {}
    total = document["final_metrics"] if isinstance(document.get("final_metrics"), dict) else {}
    usage = ModelUsage(count(total.get("total_prompt_tokens")), count(total.get("total_completion_tokens")), 0, None)
    return RolloutSummary(
        id=str(document.get("trajectory_id") or path.stem),
        environment=path.stem,
        tree_sha256="",
        solver=str(agent.get("model_name") or agent.get("name") or "unknown"),
        outcome="verifier_error",
        reason="not graded",
        turns=sum(step["source"] == "agent" for step in steps),
        usage=usage,
    )


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """What a task.toml says of its environment."""

    skills: tuple[str, ...] = ()
    level: int | None = None
    domain: str = ""
    family: str = ""
    limit_s: float | None = None
    instruction: str = ""


def task_facts(folder: Path | None) -> TaskFacts:
    """The facts in the task.toml of `folder`, those of `[metadata.envwheel]`; nothing where it cannot be read."""
    if folder is None or not (folder / "task.toml").is_file():
        return TaskFacts()
    try:
        data = tomllib.loads((folder / "task.toml").read_text("utf-8"))
        told = folder / "instruction.md"
        instruction = told.read_text("utf-8", "replace") if told.is_file() else ""
    except (OSError, ValueError):
        return TaskFacts()
    own = _table(_table(data.get("metadata")).get("envwheel"))
    skills, domains = own.get("skills"), own.get("domains")
    level, limit = own.get("level"), _table(data.get("agent")).get("timeout_sec")
    return TaskFacts(
        skills=tuple(one for one in skills if isinstance(one, str)) if isinstance(skills, list) else (),
        level=level if isinstance(level, int) and not isinstance(level, bool) else None,
        domain=domains[0] if isinstance(domains, list) and domains and isinstance(domains[0], str) else "",
        family=own["family"] if isinstance(own.get("family"), str) else "",
        limit_s=float(limit) if isinstance(limit, int | float) and limit > 0 else None,
        instruction=instruction.strip(),
    )


def _object(path: Path, notes: list[str]) -> dict[str, Any]:
    """The JSON object in `path`; an empty one, and a note, when there is none."""
    if not path.is_file():
        notes.append(f"{path.name} is missing")
        return {}
    try:
        data = _json(path)
    except ValueError as error:
        notes.append(f"{path.name}: {error}")
        return {}
    if not isinstance(data, dict):
        notes.append(f"{path.name} is no object")
        return {}
    return data


def _json(path: Path) -> Any:
    """The JSON in `path`. Raises ValueError."""
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError(f"larger than {LARGEST >> 20} MiB")
        return json.loads(path.read_bytes())
    except OSError as error:
        raise ValueError(error.strerror or "cannot be read") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except UnicodeDecodeError:
        raise ValueError("no UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg}") from None


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
