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
from envwheel.rollout import RolloutSummary, RolloutWriter
from envwheel.sandbox.base import Engine, Tree
from envwheel.solver import Solver
from envwheel.trial import Images, TrialRecord, as_api_trial, run_trial


@dataclass(frozen=True, slots=True)
class Subject:
    """An environment with its images. `domain` is the one whose `score` counts; None: the core.

    `reference` are the artifacts of the reference solution: with them a verifier that a solver broke can be told from
    one that is broken.
    """

    task: TaskFolder
    images: Images
    domain: str | None = None
    reference: Tree | None = None


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
    record = run_trial(engine, subject.task, subject.images, work, seed=seed, reference_artifacts=subject.reference)
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
    )
    return Attempted(replace(summary, path=writer.finish(summary)), record)
