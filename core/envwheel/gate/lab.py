"""Where a candidate's trials are run: side by side in a thread pool, infrastructure failures retried.

A step asks its `Batch` for trials and reads the futures in the order in which they matter. When its code is certain it
returns, and `Batch.end` drops what has not started. What the steps learn for each other (the reference's artifacts, a
suspicion of randomness) lies in the `Lab`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from envwheel.domains import Domains
from envwheel.environment.folder import TaskFolder
from envwheel.errors import HostLacks, InfraError
from envwheel.gate.options import Fault, GateOptions
from envwheel.grading import GradingCache
from envwheel.sandbox.base import Engine, Tree
from envwheel.trial import PLAIN, Attempt, Images, NoWork, Perturbation, Stage, TrialRecord, Work, solution_work

T = TypeVar("T")

Reuse = Literal["now", "later"] | None
"""Of gradings of equal artifacts: take one that is there, leave one for later trials, neither."""


@dataclass(slots=True)
class Lab:
    """One candidate with its images. `chance` says why randomness is suspected, if it is.

    `reference` and `untouched` are artifacts, `firsts` the trials that they are from; `fixed` are the paths whose
    content is the same in every trial. `weakness` is what the attacks came upon and the mutants are to report.
    """

    engine: Engine
    task: TaskFolder
    images: Images
    domains: Domains
    options: GateOptions
    pool: ThreadPoolExecutor
    chance: str = ""
    gradings: GradingCache = field(default_factory=GradingCache)
    reference: Tree | None = None
    untouched: Tree | None = None
    fixed: frozenset[str] | None = None
    weakness: Fault | None = None
    skipped: set[str] = field(default_factory=set)
    firsts: dict[str, Future[Attempt]] = field(default_factory=dict)

    @property
    def tolerance(self) -> float:
        """A reference of at least 1 - tolerance counts as 1: the largest that a domain of the run grants."""
        return max((self.domains.describe(id).tolerance for id in self.domains.ids), default=0.0)

    def holds(self, record: TrialRecord) -> bool:
        """Whether a trial got the full reward."""
        return record.reward is not None and record.reward >= 1.0 - self.tolerance

    def stage(self, perturbation: Perturbation, number: int, reuse: Reuse) -> Stage:
        """Trial `number`'s boxes: equal numbers get equal draws, also when the gate is run again."""
        seed = int(self.task.tree_sha256[:12], 16) + number
        gradings = self.gradings if reuse else None
        fresh = reuse == "later"
        return Stage(self.engine, self.task, self.images, perturbation, seed, gradings, fresh_grading=fresh)

    def learn(self, batch: Batch) -> None:
        """Have the artifacts of reference and untouched state, by their first trials where no step has run them yet."""
        if self.reference is None or self.untouched is None:
            reference, untouched = batch.first_reference(), batch.first_untouched()
            self.reference, self.untouched = reference.result().artifacts, untouched.result().artifacts


class Batch:
    """The trials of one step."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self._futures: list[Future[Attempt]] = []

    def run(
        self, work: Work, number: int, *, perturbation: Perturbation = PLAIN, reuse: Reuse = None
    ) -> Future[Attempt]:
        """Start a trial. Its future raises InfraError when our side failed three times."""
        stage = self.lab.stage(perturbation, number, reuse)
        return self._submit(lambda: stage.attempt(work))

    def first_reference(self) -> Future[Attempt]:
        """The first plain trial of the reference: one for all steps."""
        return self._first("reference", lambda: self.reference(0, reuse="later"))

    def first_untouched(self) -> Future[Attempt]:
        """The first trial without work: one for all steps."""
        return self._first("untouched", lambda: self.untouched(0, reuse="later"))

    def reference(self, number: int, *, perturbation: Perturbation = PLAIN, reuse: Reuse = None) -> Future[Attempt]:
        """Start a trial of the reference solution."""
        return self.run(solution_work(self.lab.task), number, perturbation=perturbation, reuse=reuse)

    def untouched(self, number: int, *, reuse: Reuse = None) -> Future[Attempt]:
        """Start a trial without work."""
        return self.run(NoWork(), number, reuse=reuse)

    def grade(self, kind: str, id: str, artifacts: Tree) -> Future[Attempt]:
        """Grade artifacts that were made up (separate mode)."""
        stage = self.lab.stage(PLAIN, 0, reuse="now")
        return self._submit(lambda: Attempt(stage.grade(kind, id, artifacts), artifacts))

    def observe(self, kind: str, id: str, artifacts: Tree, folder: str) -> Future[Attempt]:
        """The same, anew; the attempt has what is then in `folder` of the verifier box."""
        stage = self.lab.stage(PLAIN, 0, reuse=None)
        return self._submit(lambda: stage.observe(kind, id, artifacts, folder))

    def records(self) -> tuple[TrialRecord, ...]:
        """What was run to its end, in the order of the calls."""
        done = [future for future in self._futures if future.done() and not future.cancelled()]
        return tuple(future.result().record for future in done if future.exception() is None)

    def replace(self, done: Future[Attempt], records: Iterable[TrialRecord]) -> None:
        """Have `records` stand for a trial that was several at once."""
        at = self._futures.index(done)
        self._futures[at : at + 1] = [_finished(Attempt(record, Tree())) for record in records]

    def end(self) -> None:
        """Drop what has not started, wait for what has."""
        running = [future for future in self._futures if not future.cancel()]
        for future in running:
            future.exception()

    def _first(self, name: str, start: Callable[[], Future[Attempt]]) -> Future[Attempt]:
        known = self.lab.firsts.get(name)
        if known is None or known.cancelled():
            known = self.lab.firsts[name] = start()
        elif known not in self._futures:
            self._futures.append(known)
        return known

    def _submit(self, run: Callable[[], Attempt]) -> Future[Attempt]:
        future = self.lab.pool.submit(retried, run, self.lab.options.back_off_s)
        self._futures.append(future)
        return future


def _finished(attempt: Attempt) -> Future[Attempt]:
    future: Future[Attempt] = Future()
    future.set_result(attempt)
    return future


def retried(run: Callable[[], Attempt], back_off_s: tuple[float, ...]) -> Attempt:
    """`run()`, again after each wait while it ends in `infra`. Raises InfraError in the end."""
    for wait in back_off_s:
        time.sleep(wait)
        done = run()
        if done.record.outcome != "infra":
            return done
    raise InfraError(done.record.reason, done.record.log_tail)


def with_retries(call: Callable[[], T], back_off_s: tuple[float, ...]) -> T:
    """`call()`, again after each wait while it raises InfraError."""
    for wait in back_off_s[1:]:
        try:
            return call()
        except HostLacks:
            raise
        except InfraError:
            time.sleep(wait)
    return call()


def last_words(record: TrialRecord) -> str:
    """Why a trial has no reward, or the last line of what the tests printed, for a finding."""
    if record.reward is None and record.reason:
        return record.reason
    lines = [line.strip() for line in record.log_tail.splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""
