"""Who attempts an environment: a model in the agent loop (here), or a simulation of one (simulated.py).

`open_solver("openai:MODEL", settings)` gives a `Solver`; `solver.work(task, seed, writer)` gives the `Work` that
`trial.Stage.attempt` lets loose in the work box. After it ran, the work knows its turns, its tokens and why it ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from envwheel.agent import AgentSettings, run_agent
from envwheel.errors import InfraError, ModelUnavailable
from envwheel.model.base import NO_USAGE, Model, ModelUsage
from envwheel.model.registry import open_model
from envwheel.model.settings import known
from envwheel.presets import agent_settings
from envwheel.rollout import RolloutWriter
from envwheel.sandbox.base import Box
from envwheel.trial import Work, WorkReport

if TYPE_CHECKING:
    from envwheel.domains import Domains
    from envwheel.environment.folder import TaskFolder


class SolverWork(Work, Protocol):
    """One attempt. `kind` is "solver"; the other fields are final once it has been called."""

    turns: int
    usage: ModelUsage
    reason: str
    """Why it ended: a reason of `AgentReport`, or what the simulation played."""


class Solver(Protocol):
    """Somebody who attempts environments. Thread-safe: many works of one solver run at the same time."""

    name: str
    simulated: bool

    def work(self, task: TaskFolder, seed: int, writer: RolloutWriter) -> SolverWork:
        """A fresh attempt at `task`; its steps go to `writer`."""

    def close(self) -> None:
        """Free what the solver holds."""


def open_solver(spec: str, settings: Mapping[str, Any] | None = None, domains: Domains | None = None) -> Solver:
    """The solver that `spec` names: "local", "openai:MODEL", "command:PROGRAM", ... or "simulated" (docs/models.md).

    `settings` holds the tables `model` and `agent` (docs/models.md); for "simulated", which takes its mutants from
    `domains`, `start` and `slope`. Raises SetupError and ConfigError.
    """
    settings = settings or {}
    if spec == "simulated":
        from envwheel.simulated import SimulatedSolver

        return SimulatedSolver(settings, domains)
    known(settings, "model agent", "solver")
    led = agent_settings(settings.get("agent") or {}, preset="tiny" if spec == "local" else "")
    return ModelSolver(open_model(spec, settings.get("model")), led)


class ModelSolver:
    """A model that works in the box by way of the agent loop."""

    simulated = False

    def __init__(self, model: Model, settings: AgentSettings) -> None:
        self.name = model.name
        self.model = model
        self.settings = settings

    def work(self, task: TaskFolder, seed: int, writer: RolloutWriter) -> SolverWork:
        """One attempt; `seed` becomes the sampling seed, so that attempts differ and can be drawn again."""
        settings = replace(self.settings, sampling=replace(self.settings.sampling, seed=seed))
        return ModelWork(self.model, settings, task.environment.instruction.strip(), writer)

    def close(self) -> None:
        """Free the model."""
        self.model.close()


@dataclass
class ModelWork:
    """One attempt of a model."""

    model: Model
    settings: AgentSettings
    instruction: str
    writer: RolloutWriter
    kind: str = "solver"
    id: str = field(init=False)
    turns: int = 0
    usage: ModelUsage = NO_USAGE
    reason: str = ""

    def __post_init__(self) -> None:
        self.id = self.model.name

    def __call__(self, box: Box, timeout_s: float) -> WorkReport:
        """Work until an end of `AgentReport`. A model that cannot be reached is an `InfraError`, never a failure."""
        shell = box.shell()
        try:
            report = run_agent(
                self.model,
                shell,
                self.instruction,
                settings=self.settings,
                timeout_s=timeout_s,
                on_step=self._step,
                network=box.spec.network,
            )
        except ModelUnavailable as error:
            raise InfraError("model", str(error)) from error
        finally:
            shell.close()
        self.reason = report.reason
        return WorkReport(report.exit_code, report.output, report.seconds, timed_out=report.reason == "time")

    def _step(self, record: Mapping[str, Any]) -> None:
        # Counted here, so that an attempt that breaks off still says what it cost.
        if usage := record.get("usage"):
            self.turns += 1
            self.usage += ModelUsage(**usage)
        self.writer.step(record)
