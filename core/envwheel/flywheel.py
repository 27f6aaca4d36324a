"""The flywheel: digest -> targets -> candidates -> gate -> calibration -> pool -> rollouts, round after round.

    with open_parts(...) as parts:
        Flywheel(parts).run()

`Flywheel.turn` is the round. All that it needs to know is in the store, so that running it again after a crash goes on
with what is missing: a plan is drawn once, a closed candidate stays closed, an ended round is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import islice

from envwheel.api import Band
from envwheel.candidate import Candidate
from envwheel.control import Stopped
from envwheel.improving import improve
from envwheel.ledger import Attempt, Doubt, HarnessNote, Plan, ProposalNote, RoundEnd, Target, Tokens, TrialNote
from envwheel.ledger import Recheck as Record
from envwheel.parts import Parts
from envwheel.propose import reading
from envwheel.propose.digest import digest, seen
from envwheel.propose.predict import due, foreseen, likeliest_first
from envwheel.recheck import Recheck, whole
from envwheel.summary import RoundSummary, summaries


class Flywheel:
    """Turns until the configured rounds are done, or the control says stop."""

    def __init__(self, parts: Parts) -> None:
        self.parts, self.store, self.control = parts, parts.store, parts.control

    def run(self) -> bool:
        """Every round that is missing; True when all are complete.

        Raises SetupError when something on this machine must change, InfraError when our side failed ten times in a
        row. Nothing that was finished is lost.
        """
        spent = [note.tokens for note in self.store.of(TrialNote)]
        spent += [note.tokens for note in self.store.of(ProposalNote)]
        spent += [note.tokens for note in self.store.of(HarnessNote)]
        self.control.spend(sum(spent, Tokens()))
        for number in range(1, self.parts.config.run.rounds + 1):
            if not self.store.of(RoundEnd, round=number) and not self.turn(number):
                return False
        return True

    def turn(self, number: int) -> bool:
        """One round: aim, build, judge, calibrate, keep. False when it was stopped before its end."""
        improve(self.parts, number)
        plan = self.store.last(Plan, round=number) or self.aim(number)
        self.tell(number)
        self.parts.watch.planned(plan, done=len(plan.targets) - len(self.missing(plan)))
        self.make(number, self.missing(plan), self.unchecked(plan))
        if self.missing(plan, infra_counts=True) or self.unchecked(plan):
            return False
        self.store.append(RoundEnd(round=number, finished=datetime.now(UTC).isoformat(timespec="seconds")))
        summary = self.summary(number)
        self.parts.domains.round_finished(summary.status())
        self.parts.watch.ended(summary)
        return True

    def aim(self, number: int) -> Plan:
        """The targets of a round, and what it calibrates again, from all rollouts so far."""
        config, records = self.parts.config, self.store.records
        trials = seen(records)
        targets = self.parts.proposer.plan(number, config.run.candidates, config.run.seed, records)
        read = digest(trials, self.store.path, round=number)
        plan = Plan(
            round=number,
            targets=tuple(foreseen(targets, records, self.band)),
            rollouts_read=len(trials),
            failures=dict(read.failures),
            rechecks=tuple(self.due()),
            taxonomy=self.taxonomy(),
        )
        self.store.append(plan)
        return plan

    def taxonomy(self) -> dict[str, int]:
        """How many domains, skills and levels of generators there are to aim at."""
        domains = self.parts.domains
        skills = {skill for id in domains.ids for skill in domains.get(id).skills}
        levels = {level for id in domains.ids for family in domains.families(id) for level in family.levels}
        sizes = {"domain": len(domains.ids), "skill": len(skills), "level": len(levels)}
        return {axis: size for axis, size in sizes.items() if size}

    def tell(self, number: int) -> None:
        """The digest of a round as files for its proposers, made again from the records when it is missing."""
        folder = self.store.path / "digest" / str(number)
        if not folder.is_dir():
            earlier = [one for one in self.store.records if getattr(one, "round", 0) < number]
            tokens = self.parts.config.proposer.digest_tokens
            reading.write(folder, earlier, self.store.path, round=number, tokens=tokens)

    def band(self, domain: str) -> Band:
        """The band of a domain in this run."""
        return self.parts.domains.band(domain, self.parts.config.band.band)

    def due(self) -> Iterator[Doubt]:
        """The environments of earlier rounds that this one calibrates again; none without a solver."""
        solver = self.parts.solver
        doubts = due(self.store.records, solver.name, self.band) if solver else []
        there = (doubt for doubt in doubts if whole(self.store, doubt.candidate))
        return islice(there, self.parts.config.band.recheck)

    def make(self, number: int, targets: Sequence[Target], doubts: Sequence[Doubt]) -> None:
        """Calibrate what is in doubt again, then take every target as far as it gets, several at a time.

        Targets that are likely to be in band come first, so that a budget that runs out was spent on those. The first
        error ends the round, after the others.
        """
        rechecks = [Recheck(self.parts, number, doubt) for doubt in doubts]
        candidates = [Candidate(self.parts, number, target) for target in likeliest_first(targets)]

        def one(work: Recheck | Candidate) -> None:
            try:
                if self.control.go_on():
                    work.make()
            except Stopped:
                pass
            except BaseException as error:
                self.control.stop(f"{type(error).__name__} in {work.target.candidate}")
                raise

        # More candidates than places: while one waits for its model or its trials, the gate of another goes on.
        threads = 2 * self.parts.config.run.jobs + self.parts.config.proposer.seats
        with ThreadPoolExecutor(threads, thread_name_prefix="candidate") as pool:
            list(pool.map(one, [*rechecks, *candidates]))

    def missing(self, plan: Plan, *, infra_counts: bool = False) -> list[Target]:
        """Targets without a closing record; one that our side failed is made again when its round is resumed."""
        attempts = {attempt.candidate: attempt for attempt in self.store.of(Attempt, round=plan.round)}
        closed = {id for id, attempt in attempts.items() if infra_counts or attempt.verdict != "infra"}
        return [target for target in plan.targets if target.candidate not in closed]

    def unchecked(self, plan: Plan) -> list[Doubt]:
        """What the round was to calibrate again and has not."""
        done = {record.candidate for record in self.store.of(Record, round=plan.round)}
        return [doubt for doubt in plan.rechecks if doubt.candidate not in done]

    def summary(self, number: int) -> RoundSummary:
        """The figures of one round."""
        return next(one for one in summaries(self.store.records) if one.round == number)
