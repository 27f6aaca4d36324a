"""What plays a small run in memory: a domain's source, an engine, a solver, somebody who watches.

In an environment of the family `sum`, /app/out.txt must hold the sum of two numbers; tests/check.py of the fake engine
grades it. `Scripted` passes as often as `chances` says for the level.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from envwheel.environment.folder import TaskFolder
from envwheel.errors import InfraError
from envwheel.ledger import Attempt, Plan, Recheck
from envwheel.model.base import ModelUsage
from envwheel.parts import Parts
from envwheel.rollout import RolloutWriter
from envwheel.sandbox.base import Box
from envwheel.sandbox.fake import FakeEngine, Run
from envwheel.summary import RoundSummary
from envwheel.trial import WorkReport

DOMAIN = """
from envwheel.api import Domain, Draft, Family, hookimpl

@hookimpl
def describe():
    return Domain("toy", "Toy", "Sums.", 1, {"sums": "Sums", "copies": "Copies"})

def build(family):
    def draft(level, seed):
        if family == "broken":
            raise RuntimeError("no such seed")
        a, b = (seed, level) if family == "sum" else (7, level)
        return Draft(
            name=f"{family}-l{level}-s{seed}",
            instruction=f"Write the sum of the numbers in /app/in.txt to /app/out.txt. It is level {level}.",
            files={"in.txt": f"{a}\\n{b}\\n"},
            solution={"solve.sh": "#!/bin/bash\\n# SOLVE\\n"},
            tests={"check.py": "# GRADE\\n", "expect.txt": f"{a + b}\\n"},
            artifacts=("/app/out.txt",),
            image="envwheel/base:bookworm",
            skills=("sums",),
            level=level,
            params={"family": family, "seed": seed if family == "sum" else 0},
        )
    return draft

@hookimpl
def families(domain):
    return [Family(id, id, ("sums",), (0, 1, 2), build(id)) for id in ("sum", "single", "broken")]
"""


def engine() -> FakeEngine:
    """Plays the toy domain's reference and tests."""
    made = FakeEngine()

    def answer(run: Run) -> None:
        numbers = (run.read("/app/in.txt") or "0").split()
        run.write("/app/out.txt", f"{sum(map(int, numbers))}\n")

    def grade(run: Run) -> None:
        right = run.read("/app/out.txt") == run.read("/tests/expect.txt")
        run.write("/logs/verifier/checks.json", f'[{{"id": "sum", "passed": {str(right).lower()}}}]')
        run.write("/logs/verifier/reward.json", f'{{"reward": {float(right)}}}')

    made.program("bash /solution/solve.sh", answer)
    made.program("ANSWER-IT", answer)
    made.program("/tests/test.sh", grade)
    return made


@dataclass
class ScriptedWork:
    """One attempt: right, wrong, or our side's failure."""

    right: bool
    writer: RolloutWriter
    infra: bool = False
    kind: str = "solver"
    id: str = "scripted"
    turns: int = 1
    usage: ModelUsage = field(default_factory=lambda: ModelUsage(100, 10, 0, 0.001))
    reason: str = "done"

    def __call__(self, box: Box, timeout_s: float) -> WorkReport:
        if self.infra:
            raise InfraError("daemon", "the daemon is gone")
        command = "ANSWER-IT" if self.right else "true"
        self.writer.step({"source": "agent", "message": command, "tool_calls": [], "observations": []})
        box.shell().run(command)
        return WorkReport(0)


@dataclass
class Scripted:
    """Passes with the chance of the level, the same for the same seed. `before` may raise, to play a kill."""

    chances: tuple[float, ...] = (0.6, 0.3, 0.0)
    before: Callable[[TaskFolder, int], None] = lambda task, seed: None
    infra: bool = False
    name: str = "scripted"
    simulated: bool = True
    tried: list[int] = field(default_factory=list)

    def work(self, task: TaskFolder, seed: int, writer: RolloutWriter) -> ScriptedWork:
        self.before(task, seed)
        self.tried.append(seed)
        right = random.Random(seed).random() < self.chances[task.environment.level or 0]
        return ScriptedWork(right, writer, self.infra)

    def close(self) -> None:
        """Nothing to free."""


@dataclass
class Watcher:
    """Remembers what it is told; `on_closed` may act on it."""

    attempts: list[Attempt] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)
    rechecks: list[Recheck] = field(default_factory=list)
    on_closed: Callable[[Attempt], None] = lambda record: None

    def planned(self, plan: Plan, done: int) -> None:
        self.plans.append(plan)

    def ended(self, summary: RoundSummary) -> None:
        """Nothing to remember."""

    def stage(self, candidate: str, text: str) -> None:
        """Nothing to remember."""

    def closed(self, record: Attempt) -> None:
        self.attempts.append(record)
        self.on_closed(record)

    def rechecked(self, record: Recheck) -> None:
        self.rechecks.append(record)


MakeParts = Callable[..., Parts]
