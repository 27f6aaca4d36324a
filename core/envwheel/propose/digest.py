"""What the rollouts so far say about the solver: the `Digest` that a proposer reads, and the counts that targets need.

    trials = seen(store.records)                     # every scored trial with the target it belongs to
    digest(trials, run, round=2)                     # rates per (skill, level), failures by kind, rollouts to read
    counts(trials)                                   # passes and trials per (domain, family, level)

A trial of a calibration that stopped early is one draw like any other: what follows here uses likelihoods (Beta
posteriors), which do not depend on when somebody stopped. The Wilson intervals in a digest are for reading.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from envwheel.api import Digest, Rate
from envwheel.ledger import AnyRecord, Attempt, GateNote, Plan, Target, TrialNote
from envwheel.rates import rate

ROLLOUTS = 8
"""How many rollouts a digest points at."""
RECENT = 24
"""How many trials of a family at a level are remembered where targets are chosen."""

Arm = tuple[str, str, int]
"""Domain, family, level."""

_OF_THE_AGENT = {
    "no_command": "gave no command",
    "turns": "ran out of turns",
    "tokens": "ran out of tokens",
    "dollars": "ran out of dollars",
    "time": "ran out of time",
    "context": "ran out of context",
    "refused": "refused",
    "artifact_limit": "left too large a result",
    "broke_verifier": "left a result that breaks the verifier",
    "box_gone": "ended the box",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """A scored trial, the target of its environment, and the checks that its work consists of."""

    target: Target
    trial: TrialNote
    work: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """As its domain judged."""
        return self.trial.passed is True

    @property
    def done_checks(self) -> int:
        """How many checks hold that the untouched environment fails."""
        return sum(self.trial.checks.get(id, False) for id in self.work)


def seen(records: Iterable[AnyRecord]) -> list[Seen]:
    """The scored trials among `records`, in order."""
    records = list(records)
    targets = {target.candidate: target for record in records if isinstance(record, Plan) for target in record.targets}
    work = {record.candidate: record.untouched_fails for record in records if isinstance(record, GateNote)}
    return [
        Seen(targets[record.candidate], record, work.get(record.candidate, ()))
        for record in records
        if isinstance(record, TrialNote) and record.outcome == "scored" and record.candidate in targets
    ]


def digest(trials: Sequence[Seen], run: Path, *, round: int) -> Digest:
    """What a proposer of round `round` reads; `run` is where the rollouts' paths start."""
    return Digest(
        skills=rates(((skill, one.target.level), one.passed) for one in trials for skill in one.target.skills),
        rollouts=tuple(run / one.trial.rollout for one in worth_reading(trials)),
        round=round,
        failures=dict(Counter(failure(one) for one in trials if not one.passed).most_common()),
    )


def counts(trials: Iterable[Seen]) -> dict[Arm, Rate]:
    """The pass rate of each (domain, family, level) over its last `RECENT` trials: a solver that learns moves on."""
    last: dict[Arm, deque[bool]] = defaultdict(lambda: deque(maxlen=RECENT))
    for one in trials:
        last[one.target.domain, one.target.family, one.target.level].append(one.passed)
    return {arm: rate(sum(passed), len(passed)) for arm, passed in last.items()}


def validity(records: Iterable[AnyRecord]) -> dict[Arm, tuple[int, int]]:
    """(valid, judged) candidates of each arm; those that our side failed are left out."""
    last = {record.candidate: record for record in records if isinstance(record, Attempt)}
    tally: dict[Arm, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for attempt in last.values():
        if attempt.verdict != "infra":
            arm = (attempt.domain, attempt.family, attempt.level)
            valid, judged = tally[arm]
            tally[arm] = (valid + attempt.valid, judged + 1)
    return dict(tally)


def failure(one: Seen) -> str:
    """How a trial failed, in a few words."""
    if kind := _OF_THE_AGENT.get(one.trial.reason):
        return kind
    if not one.work:
        return "wrong result"
    if one.done_checks == 0:
        return "did none of the work"
    return "did part of the work"


def worth_reading(trials: Sequence[Seen], most: int = ROLLOUTS) -> list[Seen]:
    """The trials that teach most, one pass and one failure of an environment at a time.

    First environments that were passed sometimes (the nearer to half, the better), each with a pass and the failure
    that got furthest; then the failures that got furthest elsewhere. Later ones before earlier ones.
    """
    groups: dict[str, list[Seen]] = defaultdict(list)
    for one in reversed(trials):
        groups[one.target.candidate].append(one)

    def edge(group: list[Seen]) -> float:
        return abs(sum(one.passed for one in group) / len(group) - 0.5)

    picked: list[Seen] = []
    for group in sorted(groups.values(), key=edge):
        failures = sorted((one for one in group if not one.passed), key=lambda one: -one.done_checks)
        passes = [one for one in group if one.passed]
        picked += (passes[:1] + failures[:1]) if failures else []
    return picked[:most]


K = TypeVar("K", bound=Hashable)


def rates(outcomes: Iterable[tuple[K, bool]]) -> dict[K, Rate]:
    """The rate of each key of (key, passed) pairs."""
    passed: Counter[K] = Counter()
    scored: Counter[K] = Counter()
    for key, success in outcomes:
        passed[key] += success
        scored[key] += 1
    return {key: rate(passed[key], scored[key]) for key in scored}
