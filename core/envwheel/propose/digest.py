"""What the rollouts so far say about the solver: the `Digest` that a proposer reads, and the counts that targets need.

    trials = seen(store.records)                     # every scored trial with the target it belongs to
    found = digest(trials, run, round=2)             # rates per (skill, level), failures, trends, rollouts to read
    summary(found)                                   # the same as a short text for a prompt
    counts(trials)                                   # passes and trials per (domain, family, level)

A trial of a calibration that stopped early is one draw like any other: what follows here uses likelihoods (Beta
posteriors), which do not depend on when somebody stopped. The Wilson intervals in a digest are for reading.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from envwheel.api import EMPTY, Digest, Rate
from envwheel.console import plain
from envwheel.ledger import AnyRecord, Attempt, ForeignNote, GateNote, Plan, Target, TrialNote
from envwheel.propose.facts import facts
from envwheel.propose.trends import trends
from envwheel.rates import rate

ROLLOUTS = 8
"""How many rollouts a digest points at."""
UNKNOWN = "unknown"
"""The skill of a foreign environment that does not say what it trains."""
SUMMARY = 2400
"""Characters of the summary for a prompt: about 600 tokens."""
MOST_RATES, MOST_CLASSES = 20, 8
"""Lines and classes in that summary."""
NEW_SKILL, NEW_CLASS = 0.3, 0.1
"""What a skill or an error class that no chosen rollout shows yet is worth, where 1 is a pass rate of one half."""

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

    @property
    def progress(self) -> float | None:
        """How far it got, 0 to 1: the share of its work that holds, else of all checks, else the reward."""
        if self.work:
            return self.done_checks / len(self.work)
        checks = self.trial.checks.values()
        return sum(checks) / len(checks) if checks else self.trial.reward


def seen(records: Iterable[AnyRecord]) -> list[Seen]:
    """The scored trials among `records`, in order; those that others made come first."""
    records = list(records)
    targets = {target.candidate: target for record in records if isinstance(record, Plan) for target in record.targets}
    work = {record.candidate: record.untouched_fails for record in records if isinstance(record, GateNote)}
    foreign = [Seen(one.target, one.trial) for one in records if isinstance(one, ForeignNote)]
    return [one for one in foreign if one.trial.outcome == "scored"] + [
        Seen(targets[record.candidate], record, work.get(record.candidate, ()))
        for record in records
        if isinstance(record, TrialNote) and record.outcome == "scored" and record.candidate in targets
    ]


def digest(trials: Sequence[Seen], run: Path, *, round: int) -> Digest:
    """What a proposer of round `round` reads; `run` is where the rollouts' paths start."""
    known = {one.trial.id: facts(run / one.trial.rollout).classes for one in trials}
    failed = [one for one in trials if not one.passed]
    return Digest(
        skills=rates(((skill, one.target.level), one.passed) for one in trials for skill in one.target.skills),
        rollouts=tuple(run / one.trial.rollout for one in worth_reading(trials, classes=known)),
        round=round,
        failures=dict(Counter(map(failure, failed)).most_common()),
        classes=dict(Counter(name for one in failed for name in known[one.trial.id]).most_common()),
        # Others may have had another solver: their rollouts (round 0) are no trend of this one.
        trend=trends(
            (skill, one.target.level, one.trial.round, one.passed)
            for one in trials
            if one.trial.round
            for skill in one.target.skills
        ),
    )


def summary(found: Digest) -> str:
    """What a proposer must know of the solver, in at most `SUMMARY` characters: for a prompt."""
    if not found.skills:
        return "Nothing is known of the solver yet: no trial was scored. Begin with easy environments."

    def teaches(item: tuple[tuple[str, int], Rate]) -> float:
        return abs(item[1].passed / item[1].scored - 0.5)

    shown = sorted(sorted(found.skills.items(), key=teaches)[:MOST_RATES])
    lines = ["How often the solver passed, by skill and level (95 % interval):"]
    lines += [f"- {skill}, {level_text(level)}: {rate_text(one)}" for (skill, level), one in shown]
    if len(shown) < len(found.skills):
        lines.append(f"- and {len(found.skills) - len(shown)} more, nearly always or never passed")
    if moving := [f"{skill} {one.word}" for skill, one in found.trend.items() if one.word in ("rising", "falling")]:
        lines.append("Against earlier rounds: " + ", ".join(moving) + ".")
    for title, counted in (("Failed trials", found.failures), ("They ran into", found.classes)):
        if counted:
            most = list(counted.items())[:MOST_CLASSES]
            lines.append(f"{title}: " + ", ".join(f"{kind} {number}" for kind, number in most) + ".")
    return clipped("\n".join(map(plain, lines)), SUMMARY)


def clipped(text: str, most: int) -> str:
    """At most `most` characters, cut after a whole line."""
    return text if len(text) <= most else text[:most].rpartition("\n")[0]


def rate_text(one: Rate) -> str:
    """A rate in words."""
    return f"{one.passed} of {one.scored} ({one.low:.2f} to {one.high:.2f})"


def level_text(level: int) -> str:
    """A level in words; foreign environments may have none."""
    return f"level {level}" if level >= 0 else "no level"


def counts(trials: Iterable[Seen]) -> dict[Arm, Rate]:
    """The pass rate of each (domain, family, level) that was tried."""
    return rates(((one.target.domain, one.target.family, one.target.level), one.passed) for one in trials)


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


def worth_reading(
    trials: Sequence[Seen], most: int = ROLLOUTS, classes: Mapping[str, Sequence[str]] = EMPTY
) -> list[Seen]:
    """The trials that teach most, one pass and one failure of an environment at a time.

    An environment counts more the nearer its pass rate is to half, and more when it shows a skill or an error class
    (`classes`: trial id -> names) that those before it do not. Its pass is the latest one, its failure the one that got
    furthest. What was always passed comes last.
    """
    groups: dict[str, list[Seen]] = defaultdict(list)
    for one in reversed(trials):
        groups[one.target.candidate].append(one)
    pairs = [_pair(group) for group in groups.values()]
    picked: list[Seen] = []
    shown: set[str] = set()

    def news(pair: Sequence[Seen]) -> float:
        skills = {skill for one in pair for skill in one.target.skills} - shown
        names = {name for one in pair for name in classes.get(one.trial.id, ())} - shown
        return NEW_SKILL * len(skills) + NEW_CLASS * min(3, len(names))

    while pairs and len(picked) < most:
        best = max(pairs, key=lambda item: (item[0] + news(item[1]), item[0]))
        pairs.remove(best)
        picked += best[1]
        shown |= {skill for one in best[1] for skill in one.target.skills}
        shown |= {name for one in best[1] for name in classes.get(one.trial.id, ())}
    return picked[:most]


def _pair(group: Sequence[Seen]) -> tuple[float, list[Seen]]:
    """What an environment's trials are worth, and the one or two that stand for it."""
    passes = [one for one in group if one.passed]
    failures = sorted((one for one in group if not one.passed), key=lambda one: -(one.progress or 0.0))
    if not failures:
        return -1.0, passes[:1]
    return 1.0 - abs(2 * len(passes) / len(group) - 1.0), passes[:1] + failures[:1]


K = TypeVar("K", bound=Hashable)


def rates(outcomes: Iterable[tuple[K, bool]]) -> dict[K, Rate]:
    """The rate of each key of (key, passed) pairs."""
    passed: Counter[K] = Counter()
    scored: Counter[K] = Counter()
    for key, success in outcomes:
        passed[key] += success
        scored[key] += 1
    return {key: rate(passed[key], scored[key]) for key in scored}
