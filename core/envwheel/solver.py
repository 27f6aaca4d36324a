"""Who attempts an environment: a model in the agent loop, or a simulation of one.

`open_solver("openai:MODEL", settings)` gives a `Solver`; `solver.work(task, seed, writer)` gives the `Work` that
`trial.run_trial` lets loose in the work box. After it ran, the work knows its turns, its tokens and why it ended.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from envwheel.agent import AgentReport, AgentSettings, run_agent
from envwheel.errors import InfraError, ModelUnavailable
from envwheel.model.base import NO_USAGE, Model, ModelUsage
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
    """The solver that `spec` names: "local", "openai:MODEL", "command:PROGRAM", "scripted:PATH" or "simulated".

    `settings` holds the tables `model` and `agent` (docs/models.md), for "simulated" the keys of `SimulatedSolver`.
    Raises SetupError and ConfigError.
    """
    raise NotImplementedError
