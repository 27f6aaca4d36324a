"""What a run is made of, and who watches it. `start.opened` puts the parts together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from envwheel.api import Digest
from envwheel.config import Config
from envwheel.control import Control
from envwheel.domains import Domains
from envwheel.gate.novelty import Benchmark
from envwheel.gate.options import GateOptions
from envwheel.ledger import Attempt, Plan, Recheck
from envwheel.propose.base import Proposer
from envwheel.sandbox.base import Engine
from envwheel.solver import Solver
from envwheel.store import RunDirectory
from envwheel.summary import RoundSummary

GATE = GateOptions(jobs=1, keep_images=True)
"""The whole gate, one box at a time: other candidates fill the other places. Calibration uses the images again."""


class Watch(Protocol):
    """Who is told how a run goes; called from many threads."""

    def planned(self, plan: Plan, done: int) -> None:
        """A round begins, or goes on with `done` of its candidates closed."""

    def ended(self, summary: RoundSummary) -> None:
        """A round is complete."""

    def stage(self, candidate: str, text: str) -> None:
        """What happens to a candidate now."""

    def closed(self, record: Attempt) -> None:
        """A candidate is done."""

    def rechecked(self, record: Recheck) -> None:
        """An environment of an earlier round was calibrated again."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a run is made of. Without a solver nothing is calibrated: what holds in the gate is admitted."""

    config: Config
    store: RunDirectory
    engine: Engine
    domains: Domains
    proposer: Proposer
    solver: Solver | None
    control: Control
    watch: Watch
    gate: GateOptions = GATE
    benchmark: Benchmark | None = None
    admits: bool = True
    """False: there is no pool; a candidate is done when the gate has judged it, and `ok` is the best it can get."""
    digest: Digest | None = None
    """What proposers read about the solver in place of what this run itself has seen."""
