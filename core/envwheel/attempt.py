"""One trial of a solver at an environment, kept on disk as a rollout.

subject = Subject(task, images, domain="swe")
tried = attempt(engine, subject, solver, domains, id="r01-c002-t1", folder=run / "rollouts" / "1", seed=7)
tried.summary.passed, tried.summary.path        # the domain's judgement; the ATIF file
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from envwheel.api import Reward
from envwheel.domains import Domains
from envwheel.environment.folder import TaskFolder
from envwheel.ledger import Tokens, TrialNote
from envwheel.rollout import RolloutSummary, RolloutWriter
from envwheel.sandbox.base import Engine
from envwheel.solver import Solver
from envwheel.triage import said
from envwheel.trial import Images, Stage, TrialRecord, Work, as_api_trial, solution_work


@dataclass(frozen=True, slots=True)
class Subject:
    """An environment with its images. `domain` is the one whose `score` counts; None: the core."""

    task: TaskFolder
    images: Images
    domain: str | None = None


@dataclass(frozen=True, slots=True)
class Attempted:
    """What came of a trial: the rollout's summary and the trial behind it."""

    summary: RolloutSummary
    trial: TrialRecord


def attempt(
    engine: Engine,
    subject: Subject,
    solver: Solver,
    domains: Domains,
    *,
    id: str,
    folder: Path,
    seed: int,
    round: int | None = None,
) -> Attempted:
    """Let `solver` try `subject` once and write the rollout to `folder`/`id`.jsonl and .json.

    What our side fails ends as outcome "infra". Raises DomainError when the domain's `score` breaks its promise.
    """
    writer = RolloutWriter(folder / f"{id}.jsonl")
    work = solver.work(subject.task, seed, writer)
    record = _trial(engine, subject, work, seed)
    scored = record.outcome == "scored"
    reward: Reward | None = domains.score(subject.domain, as_api_trial(record)) if scored else None
    environment = subject.task.environment
    summary = RolloutSummary(
        id=id,
        environment=environment.name,
        tree_sha256=subject.task.tree_sha256,
        solver=solver.name,
        outcome=record.outcome,
        reward=record.reward if scored else None,
        value=reward.value if reward else None,
        passed=reward.passed if reward else None,
        reason=record.reason or work.reason,
        round=round,
        turns=work.turns,
        usage=work.usage,
        seconds=record.seconds,
        simulated=solver.simulated,
        checks=record.checks,
        skills=environment.skills,
        level=environment.level,
        seed=seed,
        work_s=record.work.seconds,
        limit_s=subject.task.config.agent_timeout_s,
    )
    return Attempted(replace(summary, path=writer.finish(summary)), record)


def trial_note(
    summary: RolloutSummary, *, candidate: str, environment: str, rollout: str, round: int, cpu_s: float | None = None
) -> TrialNote:
    """The ledger's record of a rollout; `rollout` is its file, relative to the run directory."""
    return TrialNote(
        round=round,
        candidate=candidate,
        environment=environment,
        id=summary.id,
        rollout=rollout,
        outcome=summary.outcome,
        reward=summary.reward,
        value=summary.value,
        passed=summary.passed,
        reason=summary.reason,
        turns=summary.turns,
        seconds=summary.seconds,
        cpu_s=cpu_s,
        tokens=Tokens.of(summary.usage),
        checks={check.id: check.passed for check in summary.checks},
        messages=said(summary.checks),
    )


def _trial(engine: Engine, subject: Subject, work: Work, seed: int) -> TrialRecord:
    """A trial. Without a reward the reference is run as well, to ask whether verifier or artifacts are the cause."""
    stage = Stage(engine, subject.task, subject.images, seed=seed)
    made = stage.attempt(work)
    if made.record.outcome != "verifier_error" or subject.task.solution is None or not subject.task.config.separate:
        return made.record
    reference = stage.attempt(solution_work(subject.task))
    if reference.record.outcome == "infra":
        return replace(made.record, outcome="infra", reason=reference.record.reason)
    blaming = replace(stage, reference_artifacts=reference.artifacts)
    again = blaming.grade(work.kind, work.id, made.artifacts)
    return replace(again, seconds=made.record.seconds + again.seconds, work=made.record.work)
