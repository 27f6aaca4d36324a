"""A run in figures: what `status --json` prints and what people read at the end of a run.

summaries(records)             # a RoundSummary for each round that was begun
status(records, pool=7)        # the object of `status --json`
pool_balance(records)          # how evenly the pool is spread over domains, skills and levels
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from envwheel.balance import balance, taxonomy_of
from envwheel.ledger import (
    AnyRecord,
    Attempt,
    ForeignNote,
    HarnessNote,
    Plan,
    Recheck,
    RoundEnd,
    RunStart,
    Tokens,
    TrialNote,
)
from envwheel.revisions import table as revisions
from envwheel.standing import standings, states


class RoundSummary(BaseModel):
    """A round in figures. `seconds` are seconds of work in gate and trials, `dollars` None when a price is unknown."""

    round: int
    complete: bool
    proposed: int
    valid: int
    admitted: int
    rejected: dict[str, int]
    infra: int
    passes: int
    scored: int
    tokens: int
    dollars: float | None
    seconds: float
    rechecked: dict[str, int] = {}
    """Environments of earlier rounds that were calibrated again: verdict -> count."""
    returned: int = 0
    """How many of those came from the shelf into the pool."""
    balance: dict[str, float | None] = {}
    """Of the round's targets (balance.py)."""
    valid_plain: int = 0
    tried_plain: int = 0
    """Candidates of which it is known whether they hold by the plain standard."""
    proposer: Tokens = Tokens()
    solver: Tokens = Tokens()

    @property
    def valid_plain_rate(self) -> float | None:
        """By the plain standard: builds, untouched 0, reference 1, once each."""
        return self.valid_plain / self.tried_plain if self.tried_plain else None

    @property
    def dollars_per_valid(self) -> float | None:
        """What proposing took for each valid environment; None when a price is unknown or nothing is valid."""
        return self.proposer.dollars / self.valid if self.valid and self.proposer.dollars is not None else None

    @property
    def valid_rate(self) -> float | None:
        """Valid of those that our side did not fail."""
        judged = self.proposed - self.infra
        return self.valid / judged if judged else None

    @property
    def pass_rate(self) -> float | None:
        """Passes of scored trials."""
        return self.passes / self.scored if self.scored else None

    @property
    def seconds_per_valid(self) -> float | None:
        """Seconds of work for each valid environment."""
        return self.seconds / self.valid if self.valid else None

    def status(self) -> dict[str, Any]:
        """The object that `status --json` prints for this round."""
        rate, seconds = self.pass_rate, self.seconds_per_valid
        return {
            "round": self.round,
            "proposed": self.proposed,
            "valid": self.valid,
            "admitted": self.admitted,
            "rejected": self.rejected,
            "infra": self.infra,
            "pass_rate": None if rate is None else round(rate, 4),
            "tokens": self.tokens,
            "dollars": self.dollars,
            "seconds": round(self.seconds, 2),
            "complete": self.complete,
            "valid_rate": self.valid_rate,
            "seconds_per_valid": None if seconds is None else round(seconds, 2),
            "rechecked": self.rechecked,
            "returned": self.returned,
            "balance": self.balance,
            "valid_plain": self.valid_plain,
            "valid_plain_rate": self.valid_plain_rate,
            "dollars_per_valid": self.dollars_per_valid,
            "proposer": self.proposer.model_dump(),
            "solver": self.solver.model_dump(),
        }


def summaries(records: Iterable[AnyRecord]) -> list[RoundSummary]:
    """One summary for each round that was begun."""
    records = list(records)
    by_round: dict[int, list[AnyRecord]] = {}
    for record in records:
        if not isinstance(record, RunStart | ForeignNote):
            by_round.setdefault(record.round, []).append(record)
    sizes = taxonomy_of(records)
    return [_summary(number, by_round[number], sizes) for number in sorted(by_round)]


def _summary(number: int, records: list[AnyRecord], taxonomy: Mapping[str, int]) -> RoundSummary:
    # An attempt that our side failed may be made again when its round is resumed: a candidate's last record counts.
    attempts = list({record.candidate: record for record in records if isinstance(record, Attempt)}.values())
    trials = [record for record in records if isinstance(record, TrialNote)]
    rechecks = [record for record in records if isinstance(record, Recheck)]
    targets = [target for record in records if isinstance(record, Plan) for target in record.targets]
    plain = [attempt.valid_plain for attempt in attempts if attempt.valid_plain is not None]
    harness = sum((record.tokens for record in records if isinstance(record, HarnessNote)), Tokens())
    proposer = sum((attempt.proposer_tokens for attempt in attempts), harness)
    solver = sum((trial.tokens for trial in trials), Tokens())
    tokens = proposer + solver
    return RoundSummary(
        round=number,
        complete=any(isinstance(record, RoundEnd) for record in records),
        proposed=len(attempts),
        valid=sum(attempt.valid for attempt in attempts),
        admitted=sum(attempt.verdict == "admitted" for attempt in attempts),
        rejected=dict(Counter(a.code for a in attempts if a.verdict == "rejected").most_common()),
        infra=sum(attempt.verdict == "infra" for attempt in attempts),
        passes=sum(trial.passed is True for trial in trials if trial.outcome == "scored"),
        scored=sum(trial.outcome == "scored" for trial in trials),
        tokens=tokens.input + tokens.output,
        dollars=tokens.dollars,
        seconds=sum(a.wall_s for a in attempts) + sum(record.wall_s for record in rechecks),
        rechecked=dict(Counter(record.verdict for record in rechecks)),
        returned=sum(record.was == "shelf" and record.verdict == "kept" for record in rechecks),
        balance=balance([target for target in targets if not target.duplicate], taxonomy),
        valid_plain=sum(plain),
        tried_plain=len(plain),
        proposer=proposer,
        solver=solver,
    )


def status(records: Iterable[AnyRecord], pool: int) -> Mapping[str, Any]:
    """The object that `status --json` prints; `pool` is how many environments are in the pool."""
    records = list(records)
    counted = states(records)
    harness = [revision.status() for revision in revisions(records)]
    return {
        "rounds": [summary.status() for summary in summaries(records)],
        "pool": pool,
        "shelf": counted["shelf"],
        "retired": counted["retired"],
        "balance": pool_balance(records),
        **({"harness": harness} if harness else {}),
    }


def pool_balance(records: Iterable[AnyRecord]) -> dict[str, float | None]:
    """The balance of the environments in the pool."""
    records = list(records)
    pool = {id for id, one in standings(records).items() if one.state == "pool"}
    targets = [target for record in records if isinstance(record, Plan) for target in record.targets]
    return balance([target for target in targets if target.candidate in pool], taxonomy_of(records))
