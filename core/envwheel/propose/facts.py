"""What a rollout on disk tells beyond its `TrialNote`: error classes, last commands, the verifier's words, time left.

    told = facts(run / note.rollout)        # never raises: a record that is not there tells nothing

Rollouts do not change once they have ended, so that each is read once.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envwheel.api import Check
from envwheel.errors import EnvwheelError
from envwheel.propose.classes import classes, ran
from envwheel.rollout import RolloutSummary, read_steps, read_summary

LAST = 3
"""So many commands at the end are told."""
KEPT = 8192
"""Rollouts whose facts stay in memory."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What one rollout tells. `unused` is the share of the time limit that was left, None where nobody knows."""

    classes: tuple[str, ...] = ()
    last_commands: tuple[str, ...] = ()
    failing: tuple[Check, ...] = ()
    unused: float | None = None


NOTHING = Facts()


def facts(path: Path) -> Facts:
    """The facts of the rollout whose ATIF file is at `path`."""
    try:
        stat = path.stat()
        return _facts(path, stat.st_mtime_ns, stat.st_size)
    except (OSError, EnvwheelError):
        return NOTHING


@functools.lru_cache(maxsize=KEPT)
def _facts(path: Path, mtime_ns: int, size: int) -> Facts:
    return told(read_summary(path), read_steps(path.with_suffix(".jsonl")))


def told(summary: RolloutSummary, steps: list[dict[str, Any]]) -> Facts:
    """The facts of a rollout in memory."""
    commands, unused = ran(steps), unused_share(summary)
    found = classes(commands, reason=summary.reason, passed=summary.passed is True, unused=unused)
    recorded = any(step.get("source") == "agent" for step in steps)
    return Facts(
        # Where nobody wrote down what the agent did, it need not have done nothing.
        classes=found if recorded else tuple(name for name in found if name != "did_nothing"),
        last_commands=tuple(one.command for one in commands[-LAST:]),
        failing=tuple(check for check in summary.checks if not check.passed),
        unused=unused,
    )


def unused_share(summary: RolloutSummary) -> float | None:
    """The share of the time limit that the solver left, 0 to 1."""
    if not summary.limit_s or summary.work_s is None:
        return None
    return min(1.0, max(0.0, 1.0 - summary.work_s / summary.limit_s))
