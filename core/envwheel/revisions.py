"""The revisions of a proposer's harness in figures: which one counts, what its candidates came to, when to go back.

    current(records)                 # "003": the revision that the next candidate works with
    table(records)                   # what became of the candidates of each revision, and at what cost
    better(records)                  # the revision to go back to, when the current one made things worse

Rates are judged by Beta posteriors that begin uniform: a revision is worse than another when the chance that its rate
of valid candidates is lower is above `SURE`, both with at least `ENOUGH` judged candidates.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from envwheel.ledger import AnyRecord, Attempt, HarnessNote, Tokens
from envwheel.rates import wilson

FIRST = "000"
"""The empty harness."""
SURE = 0.9
ENOUGH = 4


@dataclass(frozen=True, slots=True)
class Revision:
    """What became of the candidates that were made with a revision; those that our side failed are left out."""

    number: str
    judged: int
    valid: int
    tokens: Tokens

    @property
    def mean(self) -> float:
        """The posterior mean of its rate of valid candidates."""
        return (self.valid + 1) / (self.judged + 2)

    @property
    def dollars_per_valid(self) -> float | None:
        """What a valid candidate cost; None without one, or when a price is not known."""
        return self.tokens.dollars / self.valid if self.valid and self.tokens.dollars is not None else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of that rate."""
        return wilson(self.valid, self.judged)

    def status(self) -> dict[str, Any]:
        """The object that `status --json` prints."""
        low, high = self.interval
        return {
            "revision": self.number,
            "candidates": self.judged,
            "valid": self.valid,
            "low": round(low, 4),
            "high": round(high, 4),
            "tokens": self.tokens.input + self.tokens.output,
            "dollars_per_valid": self.dollars_per_valid,
        }

    @property
    def cost(self) -> tuple[float, float]:
        """Dollars, then tokens, for each valid candidate; for comparing."""
        dollars = self.dollars_per_valid
        tokens = (self.tokens.input + self.tokens.output) / self.valid if self.valid else math.inf
        return (math.inf if dollars is None else dollars), tokens


def current(records: Iterable[AnyRecord]) -> str:
    """The revision that counts after all these records."""
    number = FIRST
    for record in records:
        if isinstance(record, HarnessNote):
            number = record.revision
    return number


def table(records: Sequence[AnyRecord]) -> list[Revision]:
    """All revisions that there are, in order."""
    attempts = {one.candidate: one for one in records if isinstance(one, Attempt) and one.harness}
    judged = [one for one in attempts.values() if one.verdict != "infra"]
    numbers = {one.harness for one in judged} | {one.revision for one in records if isinstance(one, HarnessNote)}
    rows = []
    for number in sorted(numbers):
        own = [one for one in judged if one.harness == number]
        tokens = sum((one.proposer_tokens for one in own), Tokens())
        rows.append(Revision(number, len(own), sum(one.valid for one in own), tokens))
    return rows


def better(records: Sequence[AnyRecord]) -> tuple[Revision, float] | None:
    """The revision that the current one is worse than, with the posterior chance that it is; None while that is open.

    Of several the one with the highest rate; at equal rates the one whose valid candidates cost least.
    """
    rows = {one.number: one for one in table(records)}
    now = rows.get(current(records))
    if now is None or now.judged < ENOUGH:
        return None
    others = [one for one in rows.values() if one.number != now.number and one.judged >= ENOUGH]
    sure = [(one, chance) for one in others if (chance := worse(now, one)) > SURE]
    return min(sure, key=lambda found: (-found[0].mean, found[0].cost, found[0].number), default=None)


def worse(new: Revision, old: Revision) -> float:
    """The chance that `new` has a lower rate than `old`: P(X < Y) for the two independent Beta posteriors."""
    a, b = new.valid + 1, new.judged - new.valid + 1
    c, d = old.valid + 1, old.judged - old.valid + 1
    # P(X < Y) for X ~ Beta(a, b), Y ~ Beta(c, d) with whole c: the sum over the first c terms of Y's binomial tail.
    terms = (
        math.exp(_log_beta(a + i, b + d) - math.log(d + i) - _log_beta(1 + i, d) - _log_beta(a, b)) for i in range(c)
    )
    return min(1.0, math.fsum(terms))


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
