"""What is likely to be in band: which targets to try first, and which environments of earlier rounds to try again.

    targets = foreseen(targets, records, band)             # each with the failure it addresses and its chance
    doubts = due(records, solver.name, band)               # those that rather stand in the wrong place now

Both ask one question of a belief over the solver's pass rate p (targets.py), Beta(a, b): how probable is it that k
trials end within the band? `rates.expected_kept` answers it exactly. The mean of the belief would not do: p = 0.5 for
sure and p = 0 or 1 with equal chance have the same. The belief about an environment that was calibrated before begins
with the guess, as for any target, and counts, of all that others tried, only trials made since then:

* its own trials in full, those of another solver `FORMER_SOLVER` times;
* those of other environments of the same family and level `SAME_PAIR` times, worth `BORROWED` trials at most;
* those of its neighbours by nearness, as for any target.

Partial credit is left out: a band that grants it keeps some environments more than is predicted here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from envwheel.api import Band, Rate
from envwheel.ledger import AnyRecord, Doubt, Plan, Target, TrialNote
from envwheel.propose.digest import Arm, Seen, counts, failure, seen
from envwheel.propose.targets import BORROWED, Belief, believe
from envwheel.rates import expected_kept, rate
from envwheel.standing import Calibrated, Standing, standings

SAME_PAIR = 0.5
"""How much a trial of another environment of the same family and level counts for one that was calibrated before."""
FORMER_SOLVER = 0.5
"""How much a trial of an earlier solver counts."""
IN_DOUBT = 0.5
"""Probability of standing in the wrong place from which an environment is tried again."""

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

    An environment of the pool is due when it was calibrated with another solver than `solver`, or when trials made
    since then make it rather out of band than in. One of the shelf is due when it is rather in band by now.
    """
    targets, doubts = _targets(records), []
    pairs = _pairs(targets.values())
    for one, since in _with_evidence(records):
        target = targets.get(one.attempt.candidate)
        moved = one.solver != solver
        if target is None or one.state == "retired" or not (moved or since):
            continue
        belief = believe_again(_arm(target), one.calibrations, pairs, since, solver)
        kept = expected_kept(belief.alpha, belief.beta, band(target.domain))
        wrong = kept if one.state == "shelf" else 1 - kept
        if wrong >= IN_DOUBT or (moved and one.state == "pool"):
            doubts.append((wrong, one, _because(one, since, solver, belief, wrong)))
    doubts.sort(key=lambda found: (-found[0], found[1].attempt.candidate))
    return [
        Doubt(
            candidate=one.attempt.candidate,
            environment=one.attempt.environment,
            was="shelf" if one.state == "shelf" else "pool",
            wrong=round(wrong, 4),
            reason=reason,
        )
        for wrong, one, reason in doubts
    ]


def believe_again(
    arm: Arm, own: Sequence[Calibrated], pairs: Mapping[Arm, Pair], since: Mapping[Arm, Rate], solver: str
) -> Belief:
    """What is known now about the pass rate at one environment that was calibrated before."""
    belief = believe(arm, pairs, {other: found for other, found in since.items() if other != arm})
    passed, failed = belief.alpha, belief.beta
    if (same := since.get(arm)) and same.scored:
        weight = min(SAME_PAIR, BORROWED / same.scored)
        passed, failed = passed + weight * same.passed, failed + weight * (same.scored - same.passed)
    for one in own:
        weight = 1.0 if one.solver == solver else FORMER_SOLVER
        passed, failed = passed + weight * one.passes, failed + weight * (one.scored - one.passes)
    return Belief(passed, failed)


def _because(one: Standing, since: Mapping[Arm, Rate], solver: str, belief: Belief, wrong: float) -> str:
    last, others = one.calibrations[-1], sum(found.scored for found in since.values())
    news = f"another solver since ({last.solver})" if last.solver != solver else f"{others} trials of others since"
    where = "in band by now" if one.state == "shelf" else "out of band by now"
    return (
        f"passed {last.passes} of {last.scored}; {news}; expected pass rate {belief.mean:.2f}, "
        f"{where} with probability {wrong:.2f}"
    )


def _with_evidence(records: Sequence[AnyRecord]) -> list[tuple[Standing, dict[Arm, Rate]]]:
    """Every standing with what was tried since its last calibration, the newest first."""
    position = {record.id: number for number, record in enumerate(records) if isinstance(record, TrialNote)}
    trials, passed, scored = seen(records), Counter[Arm](), Counter[Arm]()
    found = []
    for one in sorted(standings(records).values(), key=lambda one: -one.at):
        while trials and position[trials[-1].trial.id] >= one.at:
            trial = trials.pop()
            passed[_arm(trial.target)] += trial.passed
            scored[_arm(trial.target)] += 1
        found.append((one, {arm: rate(passed[arm], number) for arm, number in scored.items()}))
    return found


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
