"""A trial: work box -> artifacts -> verifier box -> outcome.

`run_trial` starts a work box, lets a `Work` act in it (a reference script, an attack, a solver, or nothing), takes the
declared artifacts out, grades them in a fresh verifier box and says what happened in three words: `scored` (a number),
`verifier_error` (the tests ran but gave no valid reward) or `infra` (our side failed). An infrastructure failure is never
a reward.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from envwheel.api import Check, Outcome
from envwheel.sandbox.base import Box


@dataclass(frozen=True, slots=True)
class WorkReport:
    """What a `Work` did: `exit_code` of its last command (None: killed or none), the tail of its output, seconds."""

    exit_code: int | None = None
    log_tail: str = ""
    seconds: float = 0.0
    timed_out: bool = False


class Work(Protocol):
    """Somebody's attempt in a work box."""

    kind: str
    """empty, reference, attack, mutant, alternative or solver."""
    id: str

    def __call__(self, box: Box, timeout_s: float) -> WorkReport:
        """Act in `box` for at most `timeout_s` seconds. BoxGone and InfraError may escape; they are recorded."""


@dataclass(frozen=True, slots=True)
class Perturbation:
    """How a trial's boxes differ from plain ones."""

    name: str = "plain"
    clock_days: int = 0
    limits_fraction: float = 1.0
    network: bool | None = None
    env: Mapping[str, str] = field(default_factory=dict)


PLAIN = Perturbation()


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """What one trial led to; the unit of evidence. `reward` is the verifier's raw number, None unless `scored`.

    `reason` says why where the number alone does not: artifact_limit, broke_verifier, box_gone, or an infra cause.
    """

    kind: str
    id: str
    perturbation: str
    outcome: Outcome
    reward: float | None
    seconds: float
    reason: str = ""
    raw: Mapping[str, float] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    exit_code: int | None = None
    peak_mb: float | None = None
    artifacts_sha256: str = ""
    reused: bool = False
    log_tail: str = ""
    work: WorkReport = WorkReport()
