"""What a comparison found, method by method, from its records alone.

    figures(records, NAMES)          # a `Figures`: what `envwheel compare --json` prints under these names

A target counts for a method when it was judged; what our own side failed is counted apart and costs nothing here. The
cost of a target is that of the work that led to its verdict: `spent` also has what was interrupted or failed by us.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from envwheel.compare.intervals import Case, Figure, per_valid, per_valid_ratio, rate_ratio, unknown
from envwheel.gate.options import STEPS
from envwheel.ledger import AnyRecord, Attempt, GateNote, Plan, ProposalNote, Tokens
from envwheel.rates import wilson

STAGES = ("draft", *STEPS, "duplicate", "valid")
"""How far a candidate may get, in order; `valid` are those that held to the end."""
UNKNOWN = "price unknown"


class Share(BaseModel):
    """`count` of `of` with Wilson's 95 % interval."""

    count: int
    of: int
    rate: float | None
    low: float
    high: float

    @classmethod
    def among(cls, count: int, of: int) -> Share:
        """That share; the rate is None of nothing."""
        low, high = wilson(count, of)
        return cls(count=count, of=of, rate=count / of if of else None, low=low, high=high)


class MethodFigures(BaseModel):
    """One method. Seconds are of work: of the proposer and of its boxes, and of the gate."""

    method: str
    model: str | None
    targets: int
    judged: int
    infra: int
    open: int
    """Targets that nobody has finished."""
    valid: Share
    valid_plain: Share
    """Of those for which the plain standard was tried."""
    completions: int
    validations: int
    tokens: Tokens
    """Of the judged targets; `dollars` None: a price is unknown."""
    spent: Tokens
    """Of everything, with what was interrupted and what our side failed."""
    seconds: float
    cpu_s: float | None
    tokens_per_valid: Figure
    dollars_per_valid: Figure
    seconds_per_valid: Figure
    rejected: dict[str, int]
    stages: dict[str, int]


class Against(BaseModel):
    """The first method over another one: how many times as many valid environments, at how many times the cost."""

    method: str
    against: str
    pairs: int
    """Targets that both have a verdict on; costs are compared on these."""
    valid_rate: Figure
    valid_plain_rate: Figure
    tokens_per_valid: Figure
    dollars_per_valid: Figure
    seconds_per_valid: Figure


class Figures(BaseModel):
    """The whole comparison."""

    complete: bool
    methods: list[MethodFigures]
    ratios: list[Against]


@dataclass(frozen=True, slots=True)
class _Judged:
    """A target with a verdict, and the work that led to it."""

    attempt: Attempt
    proposal: ProposalNote | None
    gate: GateNote | None

    @property
    def tokens(self) -> Tokens:
        return self.proposal.tokens if self.proposal else Tokens()

    @property
    def seconds(self) -> float:
        return sum(note.seconds for note in (self.proposal, self.gate) if note)

    @property
    def cpu_s(self) -> float | None:
        known = [note.cpu_s for note in (self.proposal, self.gate) if note and note.cpu_s is not None]
        return sum(known) if known else None


Cost = Callable[[_Judged], float | None]
COSTS: dict[str, Cost] = {
    "tokens": lambda one: float(one.tokens.input + one.tokens.output),
    "dollars": lambda one: one.tokens.dollars,
    "seconds": lambda one: one.seconds,
}


def figures(records: Sequence[AnyRecord], names: Sequence[str]) -> Figures:
    """The figures of the methods `names`; the n-th is the n-th round of `records`."""
    judged = [_judged(records, number) for number in range(1, len(names) + 1)]
    methods = [
        _method(name, [one for one in records if getattr(one, "round", None) == number], judged[number - 1])
        for number, name in enumerate(names, 1)
    ]
    ratios = [_against(methods[0], judged[0], other, its) for other, its in zip(methods[1:], judged[1:], strict=True)]
    complete = bool(methods) and all(one.targets and not one.open and not one.infra for one in methods)
    return Figures(complete=complete, methods=methods, ratios=ratios)


def _judged(records: Iterable[AnyRecord], number: int) -> dict[str, _Judged]:
    """The judged targets of a method by what they are called in every method: `c003`."""
    attempts: dict[str, Attempt] = {}
    proposals: dict[str, ProposalNote] = {}
    gates: dict[str, GateNote] = {}
    for record in records:
        if isinstance(record, Attempt) and record.round == number:
            attempts[record.candidate] = record
        elif isinstance(record, ProposalNote) and record.outcome in ("made", "nothing"):
            proposals[record.candidate] = record
        elif isinstance(record, GateNote) and record.verdict != "infra":
            gates[record.candidate] = record
    return {
        id.partition("-")[2]: _Judged(attempt, proposals.get(id), gates.get(id))
        for id, attempt in attempts.items()
        if attempt.verdict != "infra"
    }


def _method(name: str, records: Sequence[AnyRecord], judged: dict[str, _Judged]) -> MethodFigures:
    targets = sum(len(record.targets) for record in records if isinstance(record, Plan))
    closed = {record.candidate: record for record in records if isinstance(record, Attempt)}
    notes = [record for record in records if isinstance(record, ProposalNote)]
    cases, attempts = list(judged.values()), [one.attempt for one in judged.values()]
    plain = [attempt.valid_plain for attempt in attempts if attempt.valid_plain is not None]
    cpu = [one.cpu_s for one in cases if one.cpu_s is not None]
    return MethodFigures(
        method=name,
        model=next((note.model for note in notes), None),
        targets=targets,
        judged=len(cases),
        infra=len(closed) - len(cases),
        open=targets - len(closed),
        valid=Share.among(sum(attempt.valid for attempt in attempts), len(cases)),
        valid_plain=Share.among(sum(plain), len(plain)),
        completions=sum(one.proposal.turns for one in cases if one.proposal),
        validations=sum(one.proposal.validations for one in cases if one.proposal),
        tokens=sum((one.tokens for one in cases), Tokens()),
        spent=sum((note.tokens for note in notes), Tokens()),
        seconds=round(sum(one.seconds for one in cases), 3),
        cpu_s=round(sum(cpu), 3) if cpu else None,
        **{f"{name}_per_valid": _per_valid(cases, cost) for name, cost in COSTS.items()},
        rejected=dict(Counter(one.code for one in attempts if one.verdict == "rejected").most_common()),
        stages=_stages(attempts),
    )


def _stages(attempts: Sequence[Attempt]) -> dict[str, int]:
    """Stage -> how many ended there."""
    reached = Counter("valid" if one.valid else one.stage for one in attempts)
    return {stage: reached[stage] for stage in STAGES if reached[stage]}


def _per_valid(judged: Sequence[_Judged], cost: Cost) -> Figure:
    cases = list(_cases(judged, cost))
    return per_valid(cases) if len(cases) == len(judged) else unknown(UNKNOWN)


def _cases(judged: Iterable[_Judged], cost: Cost) -> Iterator[Case]:
    """What each target took, where that is known."""
    for one in judged:
        if (took := cost(one)) is not None:
            yield took, one.attempt.valid


def _against(
    first: MethodFigures, its: dict[str, _Judged], other: MethodFigures, others: dict[str, _Judged]
) -> Against:
    both = [name for name in its if name in others]

    def ratio(cost: Cost) -> Figure:
        ours, theirs = (list(_cases((group[name] for name in both), cost)) for group in (its, others))
        return per_valid_ratio(ours, theirs) if len(ours) == len(theirs) == len(both) else unknown(UNKNOWN)

    def rates(one: Share, another: Share) -> Figure:
        return rate_ratio(one.count, one.of, another.count, another.of)

    return Against(
        method=first.method,
        against=other.method,
        pairs=len(both),
        valid_rate=rates(first.valid, other.valid),
        valid_plain_rate=rates(first.valid_plain, other.valid_plain),
        **{f"{name}_per_valid": ratio(cost) for name, cost in COSTS.items()},
    )
