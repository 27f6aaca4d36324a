"""The flywheel: digest -> targets -> candidates -> gate -> calibration -> pool -> rollouts, round after round.

    with open_parts(...) as parts:
        Flywheel(parts).run()

`Flywheel.turn` is the round. All that it needs to know is in the store, so that running it again after a crash goes on
with what is missing: a plan is drawn once, a closed candidate stays closed, an ended round is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

from envwheel.candidate import Candidate
from envwheel.control import Stopped
from envwheel.improving import improve
from envwheel.ledger import Attempt, HarnessNote, Plan, ProposalNote, RoundEnd, Target, Tokens, TrialNote
from envwheel.parts import Parts
from envwheel.propose import reading
from envwheel.propose.digest import digest, seen
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
        self.make(number, self.missing(plan))
        if self.missing(plan, infra_counts=True):
            return False
        self.store.append(RoundEnd(round=number, finished=datetime.now(UTC).isoformat(timespec="seconds")))
        summary = self.summary(number)
        self.parts.domains.round_finished(summary.status())
        self.parts.watch.ended(summary)
        return True

    def aim(self, number: int) -> Plan:
        """The targets of a round, from all rollouts so far."""
        config, trials = self.parts.config, seen(self.store.records)
        targets = self.parts.proposer.plan(number, config.run.candidates, config.run.seed, self.store.records)
        read = digest(trials, self.store.path, round=number)
        plan = Plan(round=number, targets=tuple(targets), rollouts_read=len(trials), failures=dict(read.failures))
        self.store.append(plan)
        return plan

    def tell(self, number: int) -> None:
        """The digest of a round as files for its proposers, made again from the records when it is missing."""
        folder = self.store.path / "digest" / str(number)
        if not folder.is_dir():
            earlier = [one for one in self.store.records if getattr(one, "round", 0) < number]
            tokens = self.parts.config.proposer.digest_tokens
            reading.write(folder, earlier, self.store.path, round=number, tokens=tokens)

    def make(self, number: int, targets: Sequence[Target]) -> None:
        """Take every target as far as it gets, several at a time. The first error ends the round, after the others."""

        def one(target: Target) -> None:
            try:
                if self.control.go_on():
                    Candidate(self.parts, number, target).make()
            except Stopped:
                pass
            except BaseException as error:
                self.control.stop(f"{type(error).__name__} in {target.candidate}")
                raise

        # More candidates than places: while one waits for its model or its trials, the gate of another goes on.
        threads = 2 * self.parts.config.run.jobs + self.parts.config.proposer.seats
        with ThreadPoolExecutor(threads, thread_name_prefix="candidate") as pool:
            list(pool.map(one, targets))

    def missing(self, plan: Plan, *, infra_counts: bool = False) -> list[Target]:
        """Targets without a closing record; one that our side failed is made again when its round is resumed."""
        attempts = {attempt.candidate: attempt for attempt in self.store.of(Attempt, round=plan.round)}
        closed = {id for id, attempt in attempts.items() if infra_counts or attempt.verdict != "infra"}
        return [target for target in plan.targets if target.candidate not in closed]

    def summary(self, number: int) -> RoundSummary:
        """The figures of one round."""
        return next(one for one in summaries(self.store.records) if one.round == number)
