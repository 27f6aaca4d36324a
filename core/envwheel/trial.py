"""A trial: work box -> artifacts -> verifier box -> outcome.

`Stage.attempt` starts a work box, lets a `Work` act in it (a reference script, an attack, a solver, or nothing), takes
the declared artifacts out, grades them in a fresh verifier box and says what happened in three words: `scored` (a
number), `verifier_error` (the tests ran but gave no valid reward) or `infra` (our side failed). An infrastructure
failure is never a reward.
"""

from __future__ import annotations

import random
import shlex
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Protocol

from envwheel.api import Check, Outcome
from envwheel.api import Trial as ApiTrial
from envwheel.environment.folder import TaskFolder
from envwheel.environment.tree import tree_from_folder
from envwheel.errors import BoxGone, InfraError
from envwheel.grading import Grading, GradingCache, collect, grade, grade_in_place
from envwheel.needs import refuse
from envwheel.reward import Score
from envwheel.sandbox.base import ArtifactLimit, Box, BoxSpec, Engine, Image, Role, Shell, Tree

ROOT = (None, "", "root", "0", "0:0")
ZONES = ("UTC0", "EST5EDT", "CET-1CEST", "JST-9", "<-03>3", "<+0530>-5:30", "NZST-12NZDT")
"""POSIX zones: they need no files in the image."""
LOG_TAIL = 4000
INLINE_SCRIPT = 100_000
"""Bytes of a script that may stand in a command line; the kernel's limit for one argument is 128 KiB."""
START_S = 120.0
"""Seconds that starting, copying and stopping may add to a box's lifetime."""


@dataclass(frozen=True, slots=True)
class WorkReport:
    """What a `Work` did: `exit_code` of its last command (None: killed or none), the tail of its output, seconds."""

    exit_code: int | None = None
    log_tail: str = ""
    seconds: float = 0.0
    timed_out: bool = False


class Work(Protocol):
    """Somebody's attempt in a work box."""

    @property
    def kind(self) -> str:
        """empty, reference, attack, mutant, alternative or solver."""

    @property
    def id(self) -> str:
        """Which one of its kind."""

    def __call__(self, box: Box, timeout_s: float) -> WorkReport:
        """Act in `box` for at most `timeout_s` seconds. BoxGone and InfraError may escape; they are recorded."""


@dataclass(frozen=True, slots=True)
class Perturbation:
    """How a trial's boxes differ from plain ones."""

    name: str = "plain"
    clock_days: int = 0
    limits_fraction: float = 1.0
    network: bool | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    reverse_tests: bool = False
    """Turn pytest's order round, where the tests use pytest."""


PLAIN = Perturbation()


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """What one trial led to; the unit of evidence. `reward` is the verifier's raw number, None unless `scored`.

    `reason` says why where the number alone does not: artifact_limit, broke_verifier, box_gone, or an infra cause.
    """

    kind: str
    id: str
    perturbation: str
    outcome: Outcome
    reward: float | None
    seconds: float
    reason: str = ""
    raw: Mapping[str, float] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    exit_code: int | None = None
    peak_mb: float | None = None
    artifacts_sha256: str = ""
    reused: bool = False
    log_tail: str = ""
    work: WorkReport = WorkReport()
    verifier_seconds: float = 0.0
    cpu_s: float | None = None
    """CPU time of both boxes, where the engine can tell."""


@dataclass(frozen=True, slots=True)
class Images:
    """The images of one environment. `verifier` is None in shared mode."""

    work: Image
    verifier: Image | None

    @property
    def uses(self) -> tuple[Image, ...]:
        """What the engine gets back at the end (`Engine.remove`): once for each time that it was asked."""
        return (self.work,) if self.verifier is None or self.verifier is self.work else (self.work, self.verifier)

    @property
    def aliases(self) -> Mapping[str, str]:
        """The images that others stood in for -> those."""
        return dict(pair for image in self.uses for pair in image.aliases)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A trial together with the artifacts it left (empty in shared mode)."""

    record: TrialRecord
    artifacts: Tree


def build_images(engine: Engine, task: TaskFolder) -> Images:
    """Both images of `task`. Raises BuildFailed, InfraError; HostLacks when it needs what the engine lacks."""
    refuse(engine, task)
    config, limit = task.config, task.config.build_timeout_s
    context = task.work_context
    work = engine.build(context, timeout_s=limit) if context else engine.image(config.docker_image or "")
    try:
        refuse(engine, task, work.user)
        if not config.separate:
            return Images(work, None)
        return Images(work, engine.build(task.verifier_context, timeout_s=limit) if task.verifier_context else work)
    except BaseException:
        engine.remove(work)
        raise


@dataclass(frozen=True, slots=True)
class ScriptWork:
    """Bash scripts run one after the other in one shell, from the working directory: reference, attack, mutant, ...

    With `solution`, that tree is put at /solution first, in place of what is there.
    """

    kind: str
    id: str
    scripts: tuple[str, ...]
    solution: Tree | None = None
    env: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, box: Box, timeout_s: float) -> WorkReport:
        """Run the scripts; the last one's exit code counts."""
        started = time.monotonic()
        shell = box.shell(env=self.env)
        if self.solution is not None:
            if shell.run("[ -e /solution ] || [ -L /solution ]").exit_code == 0:
                (shell if box.spec.user in ROOT else box.shell(user="root")).run("rm -rf /solution")
            box.put(self.solution)
        report = WorkReport()
        for script in self.scripts:
            report = self._run(shell, script, timeout_s - (time.monotonic() - started))
            if report.timed_out:
                break
        shell.close()
        return replace(report, seconds=time.monotonic() - started)

    def _run(self, shell: Shell, script: str, timeout_s: float) -> WorkReport:
        result = shell.run(script, timeout_s=max(0.1, timeout_s), output_cap=1 << 16)
        return WorkReport(result.exit_code, result.output[-LOG_TAIL:], result.seconds, result.timed_out)


@dataclass(frozen=True, slots=True)
class NoWork:
    """The untouched environment: no shell is ever opened."""

    kind: str = "empty"
    id: str = "untouched"

    def __call__(self, box: Box, timeout_s: float) -> WorkReport:
        """Do nothing."""
        return WorkReport()


def solution_work(task: TaskFolder, script: str = "solve.sh", kind: str = "reference", then: str = "") -> ScriptWork:
    """The work that runs solution/`script` as Harbor does, and the bash `then` after it."""
    env = {"DEBIAN_FRONTEND": "noninteractive", **task.config.solution_env}
    scripts = (f"bash /solution/{shlex.quote(script)}", *([inline(then)] if then else []))
    solution = tree_from_folder(task.path / "solution", "/solution")
    return ScriptWork(kind, script.removesuffix(".sh"), scripts, solution, env)


def inline(script: str) -> str:
    """A command that runs `script` in a bash of its own, so that its `exit` and `set -e` end there."""
    if len(script.encode()) <= INLINE_SCRIPT:
        return f"bash -c {shlex.quote(script)}"
    # A here-document has no length limit; from a file, so that the script's own commands cannot read it as input.
    word = "end-of-script"
    while word in script:
        word += "-"
    return f'at=$(mktemp); cat > "$at" <<\'{word}\'\n{script}\n{word}\nbash "$at"'


@dataclass(frozen=True, slots=True)
class Stage:
    """Everything about a trial but the work. A failure of ours is the outcome `infra`, never raised.

    `seed` draws host names, time zone and hash seed. `gradings` lets equal artifacts share a grading (attacks and
    mutants only). `reference_artifacts` let a verifier that fails twice be told from artifacts that break it.
    """

    engine: Engine
    task: TaskFolder
    images: Images
    perturbation: Perturbation = PLAIN
    seed: int = 0
    gradings: GradingCache | None = None
    reference_artifacts: Tree | None = None
    fresh_grading: bool = False
    """Grade anew whatever `gradings` knows, and leave it the result."""

    def attempt(self, work: Work) -> Attempt:
        """Work, then grade."""
        run = self._apart if self.task.config.separate else self._together
        with self._room("work", "verifier"):
            return self._recorded(work.kind, work.id, lambda: run(work))

    def grade(self, kind: str, id: str, artifacts: Tree) -> TrialRecord:
        """Grade artifacts that nobody made in a box (separate mode)."""
        with self._room("verifier"):
            return self._recorded(kind, id, lambda: Attempt(self._graded(kind, id, artifacts), artifacts)).record

    def observe(self, kind: str, id: str, artifacts: Tree, folder: str) -> Attempt:
        """Grade made-up artifacts anew; the attempt has what is then in `folder` of the box, in place of artifacts."""

        def run() -> Attempt:
            grading = self._run_tests(artifacts, keep=folder)
            return Attempt(self._of(kind, id, grading), grading.kept)

        with self._room("verifier"):
            return self._recorded(kind, id, run)

    def _room(self, *roles: Role) -> AbstractContextManager[None]:
        """Memory for one box at a time of each of `roles`."""
        return self.engine.room.taken(max(self.spec(role).limits.memory_mb for role in roles))

    def _recorded(self, kind: str, id: str, run: Callable[[], Attempt]) -> Attempt:
        started = time.monotonic()
        try:
            done = run()
        except InfraError as error:
            done = Attempt(self._record(kind, id, "infra", None, reason=error.cause, log_tail=str(error)), Tree())
        except BoxGone as gone:  # of an image in which nothing can start
            done = Attempt(self._record(kind, id, "verifier_error", None, reason=str(gone), log_tail=str(gone)), Tree())
        return replace(done, record=replace(done.record, seconds=time.monotonic() - started))

    def _apart(self, work: Work) -> Attempt:
        with self.engine.start(self.spec("work")) as box:
            report, reason = self._act(work, box)
            box.stop()
            used = box.usage()
            try:
                artifacts = collect(box, self.task.config.artifact_paths)
            except ArtifactLimit as limit:
                record = self._record(work.kind, work.id, "scored", 0.0, reason="artifact_limit", log_tail=str(limit))
                return Attempt(replace(record, work=report, peak_mb=used.peak_mb, cpu_s=used.cpu_s), Tree())
        record = self._graded(work.kind, work.id, artifacts)
        cpu_s = sum(known) if (known := [s for s in (used.cpu_s, record.cpu_s) if s is not None]) else None
        record = replace(record, work=report, peak_mb=used.peak_mb, cpu_s=cpu_s, reason=record.reason or reason)
        return Attempt(record, artifacts)

    def _together(self, work: Work) -> Attempt:
        with self.engine.start(self.spec("work")) as box:
            report, reason = self._act(work, box)
            if reason:
                record = self._record(work.kind, work.id, "scored", 0.0, reason=reason, log_tail=report.log_tail)
                return Attempt(replace(record, work=report), Tree())
            try:
                grading = grade_in_place(box, self.task, reverse=self.perturbation.reverse_tests)
                if grading.score.reward is None:
                    grading = grade_in_place(box, self.task, reverse=self.perturbation.reverse_tests)
            except BoxGone as gone:
                grading = Grading(Score(None, fault=f"the box ended under the tests: {gone.reason}"), output=str(gone))
        return Attempt(replace(self._of(work.kind, work.id, grading), work=report, peak_mb=grading.peak_mb), Tree())

    def _act(self, work: Work, box: Box) -> tuple[WorkReport, str]:
        """The work's report, and why the box is gone if it is: then what it left is graded all the same."""
        try:
            if self.task.work_context is None and (self.task.path / "environment").is_dir():
                workdir = self.task.config.workdir or self.images.work.workdir or "/"
                box.put(tree_from_folder(self.task.path / "environment", workdir))
            return work(box, self.task.config.agent_timeout_s), ""
        except BoxGone as gone:
            return WorkReport(log_tail=str(gone)), "box_gone"

    def _graded(self, kind: str, id: str, artifacts: Tree) -> TrialRecord:
        """Grade, once more when there is no reward, and then ask whether the artifacts are the cause."""
        verifier = self.images.verifier or self.images.work
        known = self.gradings.get(verifier.id, artifacts) if self.gradings and not self.fresh_grading else None
        grading = known or self._run_tests(artifacts)
        if grading.score.reward is None:
            grading = self._run_tests(artifacts)
        record = replace(self._of(kind, id, grading), artifacts_sha256=artifacts.sha256(), reused=known is not None)
        if grading.score.reward is None:
            return self._blame(record, artifacts)
        if self.gradings:
            self.gradings.put(verifier.id, artifacts, grading)
        return record

    def _blame(self, record: TrialRecord, artifacts: Tree) -> TrialRecord:
        """A verifier that still grades the reference 1 was broken by these artifacts: a 0."""
        reference = self.reference_artifacts
        if reference is None or reference.sha256() == artifacts.sha256():
            return record
        if (self._run_tests(reference).score.reward or 0.0) < 1.0:
            return record
        return replace(record, outcome="scored", reward=0.0, reason="broke_verifier")

    def _run_tests(self, artifacts: Tree, keep: str = "") -> Grading:
        inside = self.task.verifier_context is not None
        reverse = self.perturbation.reverse_tests
        spec = self.spec("verifier")
        return grade(self.engine, spec, self.task, artifacts, tests_inside=inside, reverse=reverse, keep=keep)

    def spec(self, role: Role) -> BoxSpec:
        """The box for `role`. Gate and solver get the same draws, so that a verifier cannot tell them apart."""
        config, change = self.task.config, self.perturbation
        image = self.images.work if role == "work" else self.images.verifier or self.images.work
        shared, own = random.Random(f"{self.seed}"), random.Random(f"{self.seed} {role}")
        drawn = {"TZ": shared.choice(ZONES), "PYTHONHASHSEED": str(own.randrange(1 << 32))}
        asked = config.network_asked if role == "work" else config.verifier_network_asked
        if not config.separate:
            asked = config.network_asked or config.verifier_network_asked
        around = config.verifier.environment
        return BoxSpec(
            image=image.id,
            role=role,
            user=(config.agent_user or image.user or None) if role == "work" else None,
            workdir=config.workdir if role == "work" else (around.workdir if around else None),
            network=asked if change.network is None else change.network,
            limits=(config.limits if role == "work" else config.verifier_limits).scaled(change.limits_fraction),
            env={**drawn, **(config.env if role == "work" else {}), **change.env},
            hostname=f"{own.getrandbits(48):012x}",
            clock_days=change.clock_days,
            lifetime_s=config.agent_timeout_s + 2 * config.verifier_timeout_s + START_S,
        )

    def _of(self, kind: str, id: str, grading: Grading) -> TrialRecord:
        score = grading.score
        outcome: Outcome = "verifier_error" if score.reward is None else "scored"
        return replace(
            self._record(kind, id, outcome, score.reward, reason=score.fault, log_tail=grading.output),
            raw=score.raw,
            checks=grading.checks,
            exit_code=grading.exit_code,
            verifier_seconds=grading.seconds,
            cpu_s=grading.cpu_s,
        )

    def _record(
        self, kind: str, id: str, outcome: Outcome, reward: float | None, *, reason: str = "", log_tail: str = ""
    ) -> TrialRecord:
        name = self.perturbation.name
        return TrialRecord(kind, id, name, outcome, reward, 0.0, reason=reason, log_tail=log_tail[-LOG_TAIL:])


def as_api_trial(record: TrialRecord) -> ApiTrial:
    """The trial as a domain's `score` sees it."""
    return ApiTrial(
        record.outcome, record.raw, record.checks, record.exit_code, record.verifier_seconds, record.log_tail
    )
