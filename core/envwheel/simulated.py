"""A solver without a model, for tests, demonstrations and capacity planning.

With probability `clamp(start - slope * level, 0.05, 0.95)` it plays the reference, else one of the domains' mutants,
else, when there is none, nothing. `start` is 0.9 and `slope` 0.2 unless set; an environment without a level counts as
level 2. What it plays follows from the seed and the environment's content. Everything it touches says "simulated".
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from envwheel.model.base import NO_USAGE, ModelUsage
from envwheel.model.settings import known, number
from envwheel.rollout import RolloutWriter
from envwheel.sandbox.base import Box
from envwheel.trial import NoWork, Work, WorkReport, solution_work

if TYPE_CHECKING:
    from envwheel.domains import Domains
    from envwheel.environment.folder import TaskFolder

UNKNOWN_LEVEL = 2


class SimulatedSolver:
    """Plays references and mutants. Thread-safe."""

    name = "simulated"
    simulated = True

    def __init__(self, settings: Mapping[str, Any] | None = None, domains: Domains | None = None) -> None:
        settings = settings or {}
        known(settings, "start slope", "simulated")
        self.start = number(settings, "start", 0.9, "simulated")
        self.slope = number(settings, "slope", 0.2, "simulated")
        self._domains = domains

    def chance(self, level: int | None) -> float:
        """The probability that the reference is played."""
        return min(0.95, max(0.05, self.start - self.slope * (UNKNOWN_LEVEL if level is None else level)))

    def work(self, task: TaskFolder, seed: int, writer: RolloutWriter) -> SimulatedWork:
        """One attempt at `task`."""
        draw = random.Random(f"{seed} {task.tree_sha256}")
        if task.solution and draw.random() < self.chance(task.environment.level):
            return SimulatedWork("the reference", solution_work(task), writer)
        mutants = self._domains.for_all("mutants", task.environment) if self._domains and task.solution else []
        if not mutants:
            return SimulatedWork("nothing", NoWork(), writer)
        mutant = draw.choice(mutants)
        return SimulatedWork(f"mutant {mutant.id}", solution_work(task, then=mutant.script), writer)

    def close(self) -> None:
        """Nothing to free."""


@dataclass
class SimulatedWork:
    """One attempt: `reason` says what is played."""

    reason: str
    script: Work
    writer: RolloutWriter
    kind: str = "solver"
    id: str = "simulated"
    turns: int = 0
    usage: ModelUsage = NO_USAGE

    def __call__(self, box: Box, timeout_s: float) -> WorkReport:
        """Play it, and record it as one step."""
        message = f"simulated: plays {self.reason}"
        if isinstance(self.script, NoWork):
            self.writer.step({"timestamp": _now(), "source": "system", "message": message})
            return WorkReport()
        self.turns = 1
        report = WorkReport()
        try:
            report = self.script(box, timeout_s)
        finally:
            self.writer.step(_played(message, report))
        return report


def _played(message: str, report: WorkReport) -> dict[str, Any]:
    call = {"id": "call_0", "name": "bash", "arguments": {"command": "bash /solution/solve.sh"}}
    observation = {
        "call_id": "call_0",
        "content": report.log_tail,
        "exit_code": report.exit_code,
        "seconds": round(report.seconds, 3),
        "timed_out": report.timed_out,
        "truncated": False,
    }
    return {
        "timestamp": _now(),
        "source": "agent",
        "message": message,
        "tool_calls": [call],
        "observations": [observation],
        "model": "simulated",
        "finish_reason": "tool_calls",
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
