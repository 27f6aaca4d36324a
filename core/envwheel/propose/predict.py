"""What is likely to be in band: which targets to try first, and which environments of earlier rounds to try again.

    targets = foreseen(targets, records, band)             # each with the failure it addresses and its chance
    doubts = due(records, solver.name, band)               # what may stand in the wrong place now

A target is judged by the belief over the solver's pass rate p that chose it, Beta(a, b) (targets.py): how probable is
it that k trials end within the band? `rates.expected_kept` answers that exactly. The mean of the belief would not do:
p = 0.5 for sure and p = 0 or 1 with equal chance have the same. An environment of an earlier round is judged by what
the solver can do by now (growth.py), for its own trials may be of a solver that was weaker.

Partial credit is left out: a band that grants it keeps some environments more than is predicted here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from envwheel.api import Band
from envwheel.ledger import AnyRecord, Doubt, Plan, Target
from envwheel.propose.digest import Arm, Seen, counts, failure, seen
from envwheel.propose.growth import Growth
from envwheel.propose.targets import believe
from envwheel.rates import expected_kept
from envwheel.standing import Standing, standings

IN_DOUBT = 0.4
"""Probability of standing in the wrong place from which an environment is tried again."""
MOVED = 1.0
"""Change of the solver's ability, in logits, from which it has moved: from a pass rate of 0.5 to one of 0.73."""

Bands = Callable[[str], Band]
"""The band of a domain."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A family at one level, as targets name it."""

    id: str
    skills: tuple[str, ...]
    levels: tuple[int, ...]


def foreseen(targets: Sequence[Target], records: Sequence[AnyRecord], band: Bands) -> list[Target]:
    """`targets` with the probability of being in band, and with the failure that each addresses."""
    trials = seen(records)
    tried, pairs = counts(trials), _pairs([*_targets(records).values(), *targets])
    failed = _failures(trials)
    made: list[Target] = []
    for target in targets:
        belief = believe(_arm(target), pairs, tried)
        kind, why = address(target, failed, made)
        made.append(
            target.model_copy(
                update={
                    "in_band": round(expected_kept(belief.alpha, belief.beta, band(target.domain)), 4),
                    "address": kind,
                    "reason": target.reason + why,
                }
            )
        )
    return made


def likeliest_first(targets: Iterable[Target]) -> list[Target]:
    """The order in which a round tries its targets; those of runs that did not predict stay as they were."""
    return sorted(targets, key=lambda target: -(target.in_band or 0.0))


def address(target: Target, failed: Mapping[Arm, Counter[str]], before: Sequence[Target]) -> tuple[str, str]:
    """The kind of failure that `target` addresses, and the words for it; empty where no trial has failed.

    Failures count at the same family and level, or else at the nearest level of the family. Kinds are dealt to the
    targets `before` and this one in proportion to how often they were seen (D'Hondt).
    """
    arm = _arm(target)
    levels = [other[2] for other in failed if other[:2] == arm[:2]]
    if not levels:
        return "", ""
    level = min(levels, key=lambda other: (abs(other - arm[2]), other))
    kinds = failed[arm[0], arm[1], level]
    given = Counter(one.address for one in before if _arm(one) == arm)
    kind = max(kinds, key=lambda kind: (kinds[kind] / (given[kind] + 1), kind))
    where = "there" if level == arm[2] else f"at level {level}"
    return kind, f"; addresses: {kind} ({kinds[kind]} of {kinds.total()} failures {where})"


def due(records: Sequence[AnyRecord], solver: str, band: Bands) -> list[Doubt]:
    """What may stand in the wrong place now, the likeliest first.

    Only where the solver has moved since the last calibration: it has another name than `solver`, or its ability
    changed by `MOVED`. An environment of the pool is due when it is out of band by now with probability `IN_DOUBT` or
    more, and with a solver of another name in any case; one of the shelf when it is in band with that probability.
    """
    trials, targets, doubts = seen(records), _targets(records), []
    growth, own = Growth.of(trials), defaultdict(list)
    for trial in trials:
        own[trial.target.candidate].append(trial)
    for id, one in standings(records).items():
        renamed, change = one.solver != solver, growth.since(one.round)
        if id not in targets or one.state == "retired" or not (renamed or abs(change) >= MOVED):
            continue
        in_band = growth.in_band(targets[id], band(targets[id].domain), own[id])
        wrong = in_band if one.state == "shelf" else 1 - in_band
        if wrong >= IN_DOUBT or (renamed and one.state == "pool"):
            news = f"another solver since ({one.solver})" if renamed else f"the solver moved by {change:+.1f} logits"
            doubts.append(_doubt(one, wrong, news))
    return sorted(doubts, key=lambda doubt: (-doubt.wrong, doubt.candidate))


def _doubt(one: Standing, wrong: float, news: str) -> Doubt:
    was: Literal["pool", "shelf"] = "shelf" if one.state == "shelf" else "pool"
    where = "in band" if was == "shelf" else "out of band"
    return Doubt(
        candidate=one.attempt.candidate,
        environment=one.attempt.environment,
        was=was,
        wrong=round(wrong, 4),
        reason=f"passed {one.passes} of {one.scored} in round {one.round}; {news}; {where} by now with {wrong:.2f}",
    )


def _failures(trials: Iterable[Seen]) -> dict[Arm, Counter[str]]:
    failed: dict[Arm, Counter[str]] = defaultdict(Counter)
    for one in trials:
        if not one.passed:
            failed[_arm(one.target)][failure(one)] += 1
    return dict(failed)


def _targets(records: Iterable[AnyRecord]) -> dict[str, Target]:
    return {target.candidate: target for record in records if isinstance(record, Plan) for target in record.targets}


def _pairs(targets: Iterable[Target]) -> dict[Arm, Pair]:
    return {_arm(target): Pair(target.family, target.skills, (target.level,)) for target in targets}


def _arm(target: Target) -> Arm:
    return target.domain, target.family, target.level
