"""Where each valid environment of a run stands: in the pool, on the shelf for later, or retired.

    standings(records)["r01-c003"].state          # "pool", "shelf" or "retired"

Admission puts an environment into the pool, the band's `too_hard` puts a valid one on the shelf, and every `Recheck`
says anew where it belongs. Nothing is moved on disk but what comes from the shelf into the pool.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from envwheel.ledger import AnyRecord, Attempt, Recheck

State = Literal["pool", "shelf", "retired"]
_STATE: dict[str, State] = {"kept": "pool", "retired": "retired", "too_hard": "shelf"}
NOTHING_KNOWN = ("infra", "changed")
"""Codes of a `Recheck` that found nothing out."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What one calibration counted, of which solver."""

    solver: str
    passes: int
    scored: int


@dataclass(frozen=True, slots=True)
class Standing:
    """One environment. `at` is how many records there were when it was calibrated last."""

    attempt: Attempt
    state: State
    calibrations: tuple[Calibrated, ...]
    at: int

    @property
    def solver(self) -> str:
        """Whose pass rate is known."""
        return self.calibrations[-1].solver


def standings(records: Iterable[AnyRecord]) -> dict[str, Standing]:
    """Candidate -> where it stands, for every candidate that ever was in the pool or on the shelf."""
    found: dict[str, Standing] = {}
    for number, record in enumerate(records, 1):
        if isinstance(record, Attempt):
            found.pop(record.candidate, None)  # one that our side failed may be closed twice: the last record counts
            shelved = record.valid and record.code == "too_hard"
            if record.verdict == "admitted" or shelved:
                first = Calibrated(record.solver, record.passes, record.scored)
                found[record.candidate] = Standing(record, "shelf" if shelved else "pool", (first,), number)
        elif isinstance(record, Recheck) and record.code not in NOTHING_KNOWN and record.candidate in found:
            before = found[record.candidate]
            again = Calibrated(record.solver, record.passes, record.scored)
            calibrations = (*before.calibrations, again)
            found[record.candidate] = replace(
                before, state=_STATE[record.verdict], calibrations=calibrations, at=number
            )
    return found


def states(records: Iterable[AnyRecord]) -> dict[State, int]:
    """How many environments stand where."""
    counted = Counter(one.state for one in standings(records).values())
    return {"pool": counted["pool"], "shelf": counted["shelf"], "retired": counted["retired"]}
