"""Calibrates an environment of an earlier round again: the solver has moved, and what taught it may be mastered now.

    Recheck(parts, round=3, doubt=doubt).make()       # ends in a `Recheck` record, or in `Stopped`

The band's rule decides on trials of this round alone, so an environment that is still in band mostly costs two. What is
too easy now is retired: its folder stays, but it no longer counts. What is too hard goes on the shelf, and what
comes back from the shelf is admitted like any candidate. A round that is resumed counts the trials that it made.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from envwheel.calibrate import BandDecision
from envwheel.candidate import Candidate
from envwheel.environment.hash import tree_sha256
from envwheel.ledger import Doubt, GateNote, Plan, Target, TrialNote
from envwheel.ledger import Recheck as Record
from envwheel.parts import Parts
from envwheel.store import RunDirectory

Verdict = Literal["kept", "retired", "too_hard"]
_VERDICT: dict[str, Verdict] = {
    "in_band": "kept",
    "too_easy": "retired",
    "flaky": "retired",
    "too_hard": "too_hard",
    "design_flaw": "too_hard",
}


class Recheck:
    """One calibration anew, in round `round`."""

    def __init__(self, parts: Parts, round: int, doubt: Doubt) -> None:
        self.parts, self.store, self.round, self.doubt = parts, parts.store, round, doubt
        self.target = target_of(parts.store, doubt.candidate)

    def make(self) -> Record:
        """Calibrate and write the record. Raises Stopped, SetupError, InfraError."""
        note = self.store.last(GateNote, candidate=self.doubt.candidate)
        candidate = Candidate(self.parts, self.round, self.target)
        place = whole(self.store, self.doubt.candidate)
        if note is None or place is None:
            return self._close(None)
        try:
            decision = candidate.calibrated(place, note)
            if decision.in_band and self.doubt.was == "shelf":
                candidate.admit(place, note, decision)
            return self._close(decision)
        finally:
            candidate.leave()

    def _close(self, decision: BandDecision | None) -> Record:
        """`decision` is None when the folder was changed or taken away: nothing is known then, and nothing changes."""
        trials = self.store.of(TrialNote, round=self.round, candidate=self.doubt.candidate)
        code = decision.code if decision else "changed"
        record = Record(
            round=self.round,
            **self.doubt.model_dump(include={"candidate", "environment", "was"}),
            verdict=_VERDICT.get(code, "kept" if self.doubt.was == "pool" else "too_hard"),
            code=code,
            message=decision.message if decision else "its folder is no longer what the gate has judged",
            solver=self.parts.solver.name if self.parts.solver else "",
            passes=decision.passes if decision else 0,
            scored=decision.scored if decision else 0,
            low=decision.low if decision else 0.0,
            high=decision.high if decision else 1.0,
            wall_s=sum(trial.seconds for trial in trials),
            rollouts=tuple(trial.rollout for trial in trials),
            finished=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        self.store.append(record)
        self.parts.watch.rechecked(record)
        return record


def whole(store: RunDirectory, candidate: str) -> Path | None:
    """The folder of a valid candidate, in the pool or not, if it is still what the gate has judged."""
    note = store.last(GateNote, candidate=candidate)
    for place in (store.environments, store.candidates / candidate):
        folder = place / (note.environment if note else "")
        if note and (folder / "task.toml").is_file() and tree_sha256(folder) == note.tree_sha256:
            return folder
    return None


def target_of(store: RunDirectory, candidate: str) -> Target:
    """The target of a candidate of this run. Raises StopIteration when there is none."""
    return next(target for plan in store.of(Plan) for target in plan.targets if target.candidate == candidate)
