"""The gate: all steps on one folder, cheapest first; the first certain fault ends it.

    verdict = judge(path, engine, domains, options=GateOptions())
    verdict.verdict, verdict.code, verdict.message      # "rejected", "flaky", "the reference ..."

A candidate's faults are `Fault`s, our own failures (after two retries) make the verdict `infra`. What a domain breaks
is a `DomainError` and not caught here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from envwheel.domains import Domains
from envwheel.environment.folder import InvalidTask, TaskFolder, read
from envwheel.errors import BuildFailed, InfraError
from envwheel.gate import attack, empty, evidence, lint, mutants, reference
from envwheel.gate.chance import kit_of, suspicion
from envwheel.gate.lab import Batch, Lab, with_retries
from envwheel.gate.options import STEPS, Fault, GateOptions
from envwheel.sandbox.base import BoxLimits, Engine, Image
from envwheel.trial import Images, TrialRecord, build_images

__all__ = ["STEPS", "GateOptions", "StepResult", "Verdict", "judge"]

LOG_TAIL = 1500
"""Characters of a build log that a finding shows."""
Word = Literal["ok", "rejected", "infra"]
StepOutcome = Literal["ok", "failed", "skipped", "infra"]
OnStep = Callable[[str, StepOutcome | Literal["running"]], None]
TRIALS: tuple[tuple[str, Callable[[Lab, Batch], list[Fault]]], ...] = (
    ("empty", empty.check),
    ("reference", reference.check),
    ("attack", attack.check),
    ("mutants", mutants.check),
)


@dataclass(frozen=True, slots=True)
class StepResult:
    """What one step said. `code` is one of GATE's, a domain's own, or the cause of an `infra`."""

    step: str
    outcome: StepOutcome
    code: str = ""
    message: str = ""
    seconds: float = 0.0
    trials: tuple[TrialRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The gate's word on one folder. `code` and `message` are empty when it is `ok`.

    `steps` are all seven, in order, and `duplicate` where it was asked for. `skipped` names checks that this engine
    could not make. `aliases`: images that others stood in for -> those. `findings` are all faults (one, unless all were
    asked for). `tree_sha256` is empty for what is no valid folder. `images` are there for as long as the caller keeps
    them.
    """

    name: str
    path: Path
    verdict: Word
    code: str
    message: str
    seconds: float
    engine: str
    steps: tuple[StepResult, ...]
    skipped: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[Fault, ...] = ()
    warnings: tuple[str, ...] = ()
    tree_sha256: str = ""
    images: Mapping[str, Image] = field(default_factory=dict)
    limits: BoxLimits | None = None
    domains: Mapping[str, str] = field(default_factory=dict)

    @property
    def stage(self) -> str:
        """The step that decided: the first that did not hold, else the last that ran."""
        bad = [step.step for step in self.steps if step.outcome in ("failed", "infra")]
        ran = [step.step for step in self.steps if step.outcome != "skipped"]
        return (bad or ran or [STEPS[0]])[0 if bad else -1]

    def evidence(self) -> dict[str, Any]:
        """What is kept beside an admitted environment (`evidence.json`)."""
        return evidence.of(self)


def judge(
    path: Path,
    engine: Engine | None,
    domains: Domains,
    *,
    options: GateOptions = GateOptions(),  # noqa: B008 frozen
    on_step: OnStep | None = None,
    pool: ThreadPoolExecutor | None = None,
    known: Callable[[Path], list[Fault]] | None = None,
) -> Verdict:
    """Judge the folder at `path`. `engine` may be None when only `schema` and `lint` are asked for.

    `pool` runs the trials (several judgements may share one); without it there are `options.jobs` threads. `known`
    makes the step `duplicate`: it tells what others have of the folder already.
    """
    own = ThreadPoolExecutor(options.jobs, thread_name_prefix="trial") if pool is None else None
    try:
        return _Ladder(path, engine, domains, options, on_step, pool or own, known).climb()
    finally:
        if own:
            own.shutdown()


class _Ladder:
    """One judgement under way."""

    def __init__(
        self,
        path: Path,
        engine: Engine | None,
        domains: Domains,
        options: GateOptions,
        on_step: OnStep | None,
        pool: ThreadPoolExecutor | None,
        known: Callable[[Path], list[Fault]] | None,
    ) -> None:
        assert pool is not None
        self.path, self.engine, self.domains, self.options = path, engine, domains, options
        self.pool, self.known = pool, known
        self.on_step = on_step or (lambda step, outcome: None)
        self.results: dict[str, StepResult] = {}
        self.faults: list[Fault] = []
        self.task: TaskFolder | None = None
        self.lab: Lab | None = None
        self.started = time.monotonic()

    def climb(self) -> Verdict:
        """All steps that are asked for."""
        images: Images | None = None
        try:
            if self._schema() and self._lint_folder() and self._is_new() and (images := self._build()):
                self._trials(images)
        except InfraError:
            pass  # the step that met it has said so
        finally:
            if images and not self.options.keep_images and self.engine:
                for image in images.uses:
                    self.engine.remove(image)
        return self._verdict(images)

    def _schema(self) -> bool:
        with self._step("schema") as result:
            try:
                self.task = read(self.path, need_solution=self.options.need_solution)
            except InvalidTask as invalid:
                result.faults = [Fault(invalid.code, str(invalid))]
        return self.task is not None

    def _lint_folder(self) -> bool:
        assert self.task is not None
        if not self.options.asks("lint"):
            return True
        with self._step("lint") as result:
            result.faults = lint.before_build(self.task, self.domains)
        return self._goes_on(result)

    def _is_new(self) -> bool:
        """Before the build, because it costs nothing."""
        if self.known is None:
            return True
        with self._step("duplicate") as result:
            result.faults = self.known(self.path)
        return self._goes_on(result)

    def _build(self) -> Images | None:
        wanted = [step for step in STEPS[2:] if self.options.asks(step)]
        if not wanted or self.engine is None or self.task is None:
            return None
        engine, task = self.engine, self.task
        images: Images | None = None
        with self._step("build") as result:
            try:
                images = with_retries(lambda: build_images(engine, task), self.options.back_off_s)
            except BuildFailed as failed:
                tail = failed.log_tail.strip()[-LOG_TAIL:]
                result.faults = [
                    Fault("build", f"{failed}\n{tail}" if tail and tail not in str(failed) else str(failed))
                ]
        return images

    def _trials(self, images: Images) -> None:
        assert self.engine is not None
        assert self.task is not None
        chance = suspicion(self.task.path, kit_of(self.domains))
        self.lab = Lab(self.engine, self.task, images, self.domains, self.options, self.pool, chance)
        for step, check in (("lint", lint.after_build), *TRIALS):
            if self.options.asks(step) and not self._run(step, check, self.lab):
                return

    def _run(self, step: str, check: Callable[[Lab, Batch], list[Fault]], lab: Lab) -> bool:
        batch = Batch(lab)
        with self._step(step) as result:
            try:
                result.faults = check(lab, batch)
            finally:
                batch.end()
                result.trials = batch.records()
        holds = self._goes_on(result)
        # Attacks and mutants say nothing about a task whose reference does not hold.
        return holds and not (step == "reference" and result.faults)

    def _goes_on(self, result: _Step) -> bool:
        return not result.faults or self.options.all_findings

    @contextmanager
    def _step(self, name: str) -> Iterator[_Step]:
        """Time a step and keep what it says. An InfraError is noted and passed on."""
        earlier = self.results.get(name)
        started = time.monotonic() - (earlier.seconds if earlier else 0.0)
        step = _Step()
        self.on_step(name, "running")
        try:
            yield step
        except InfraError as error:
            seconds = time.monotonic() - started
            self.results[name] = StepResult(name, "infra", error.cause, str(error), seconds, step.trials)
            self.on_step(name, "infra")
            raise
        if not self.options.all_findings:
            step.faults = step.faults[:1]
        self.faults += step.faults
        first = step.faults[0] if step.faults else None
        if earlier and earlier.outcome == "failed":
            first = Fault(earlier.code, earlier.message)
        outcome: StepOutcome = "failed" if first else "ok"
        code, message = (first.code, first.message) if first else ("", "")
        seconds = time.monotonic() - started
        self.results[name] = StepResult(name, outcome, code, message, seconds, step.trials)
        self.on_step(name, outcome)

    def _verdict(self, images: Images | None) -> Verdict:
        names = STEPS if self.known is None else (*STEPS, "duplicate")
        steps = tuple(self.results.get(step) or StepResult(step, "skipped") for step in names)
        failed = next((step for step in steps if step.outcome == "failed"), None)
        infra = next((step for step in steps if step.outcome == "infra"), None)
        decided = failed or infra
        word: Word = "rejected" if failed else "infra" if infra else "ok"
        roles = {"work": images.work, "verifier": images.verifier} if images else {}
        return Verdict(
            name=self.path.resolve().name,
            path=self.path,
            verdict=word,
            code=decided.code if decided else "",
            message=self._message(decided) if decided else "",
            seconds=time.monotonic() - self.started,
            engine=self.engine.name if self.engine else "",
            steps=steps,
            skipped=tuple(sorted(self.lab.skipped)) if self.lab else (),
            findings=tuple(self.faults),
            warnings=self.task.warnings if self.task else (),
            tree_sha256=self.task.tree_sha256 if self.task else "",
            images={role: image for role, image in roles.items() if image},
            aliases=images.aliases if images else {},
            limits=self.task.config.limits if self.task else None,
            domains=dict(self.domains.versions),
        )

    def _message(self, decided: StepResult) -> str:
        """Why, and what else was found when all was asked for."""
        more = [fault for fault in self.faults if fault.message != decided.message]
        return "\n".join([decided.message, *(f"also {fault.code}: {fault.message}" for fault in more)])


class _Step:
    """What a step fills in."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.trials: tuple[TrialRecord, ...] = ()
