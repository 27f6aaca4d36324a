"""Where each valid environment of a run stands: in the pool, on the shelf for later, or retired.

    standings(records)["r01-c003"].state          # "pool", "shelf" or "retired"

Admission puts an environment into the pool, the band's `too_hard` puts a valid one on the shelf, and every `Recheck`
says anew where it belongs. Nothing is moved on disk but what comes from the shelf into the pool.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from envwheel.ledger import AnyRecord, Attempt, Recheck

State = Literal["pool", "shelf", "retired"]
_STATE: dict[str, State] = {"kept": "pool", "retired": "retired", "too_hard": "shelf"}
NOTHING_KNOWN = ("infra", "changed")
"""Codes of a `Recheck` that found nothing out."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One environment. `solver`, `round`, `passes` and `scored` are of its last calibration."""

    attempt: Attempt
    state: State
    solver: str
    round: int
    passes: int
    scored: int


def standings(records: Iterable[AnyRecord]) -> dict[str, Standing]:
    """Candidate -> where it stands, for every candidate that ever was in the pool or on the shelf."""
    found: dict[str, Standing] = {}
    for record in records:
        if isinstance(record, Attempt):
            found.pop(record.candidate, None)  # one that our side failed may be closed twice: the last record counts
            shelved = record.valid and record.code == "too_hard"
            if record.verdict == "admitted" or shelved:
                found[record.candidate] = Standing(record, "shelf" if shelved else "pool", **_figures(record))
        elif isinstance(record, Recheck) and record.code not in NOTHING_KNOWN and record.candidate in found:
            before = found[record.candidate]
            found[record.candidate] = replace(before, state=_STATE[record.verdict], **_figures(record))
    return found


def _figures(record: Attempt | Recheck) -> dict[str, Any]:
    return {"solver": record.solver, "round": record.round, "passes": record.passes, "scored": record.scored}


def states(records: Iterable[AnyRecord]) -> dict[State, int]:
    """How many environments stand where."""
    counted = Counter(one.state for one in standings(records).values())
    return {"pool": counted["pool"], "shelf": counted["shelf"], "retired": counted["retired"]}
