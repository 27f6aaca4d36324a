"""How a candidate's folder comes about: a desk is laid, the proposer works at it, a `ProposalNote` says what it cost.

    Proposing(parts, round, target).folder()       # Path; raises NothingProposed with the gate's code

A folder that the notes know by its hash is not made again. The rollout on disk is the truth about turns and tokens, so
that a proposer that was killed in the middle still counts with what it took: it is noted as `interrupted` and the
work begins anew under the next id.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, Literal

from envwheel.api import Digest
from envwheel.control import Stopped
from envwheel.environment.hash import tree_sha256
from envwheel.environment.invalid import InvalidTask
from envwheel.errors import DomainError, EnvwheelError, InfraError
from envwheel.feedback import judged
from envwheel.gate.ladder import Verdict
from envwheel.ledger import Attempt, ProposalNote, Target, Tokens
from envwheel.model.base import NO_USAGE, ModelUsage
from envwheel.parts import Parts
from envwheel.propose.base import Desk, Judged, Proposal
from envwheel.propose.digest import digest, seen
from envwheel.revisions import current
from envwheel.rollout import RolloutSummary, RolloutWriter, end, read_steps
from envwheel.store import pool

EXAMPLES = 4
"""Admitted environments that a proposer may look at."""


class NothingProposed(EnvwheelError):
    """There is no folder: for a fault of the proposer with a code of the gate's, or (`infra`) of our own side."""

    def __init__(self, note: ProposalNote) -> None:
        self.code, self.infra = note.code, note.outcome == "infra"
        super().__init__(note.message)


class Proposing:
    """The making of one candidate's folder. `judge` is the gate with all findings, as the proposer may call it."""

    def __init__(self, parts: Parts, round: int, target: Target, judge: Callable[[Path], Verdict]) -> None:
        self.parts, self.round, self.target = parts, round, target
        self.store, self.control = parts.store, parts.control
        self.revision = current(parts.store.records) if parts.config.proposer.keeps_harness else ""
        self._judge = judge

    def folder(self) -> Path:
        """The candidate's folder, made when it is missing.

        Raises NothingProposed, Stopped, SetupError, and InfraError when our side failed too often.
        """
        note = self.store.last(ProposalNote, candidate=self.target.candidate)
        path = self.store.candidates / self.target.candidate / self.target.name
        if note and note.outcome == "nothing":
            raise NothingProposed(note)
        if note and note.outcome == "made" and path.exists() and tree_sha256(path) == note.tree_sha256:
            return path
        with self.control.seat():
            note = self._make(self._next_id())
        if note.outcome != "made":
            raise NothingProposed(note)
        return path

    def _next_id(self) -> str:
        """The first id of which there is neither note nor rollout; rollouts without a note are noted."""
        noted = {note.id for note in self.store.of(ProposalNote, candidate=self.target.candidate)}
        for number in count(1):
            id = f"{self.target.candidate}-p{number}"
            if id in noted:
                continue
            if not self._rollout(id).exists():
                return id
            self._note(id, "interrupted", Proposal(None, "interrupted"), 0.0)
        raise AssertionError("unreachable")

    def _make(self, id: str) -> ProposalNote:
        """Let the proposer work. Raises InfraError when our side failed for the tenth time in a row."""
        started = time.monotonic()
        desk = self._desk(id)
        try:
            proposal = self.parts.proposer.propose(self.target, desk)
        except (DomainError, InvalidTask) as error:
            proposal = Proposal(None, code=getattr(error, "code", "schema"), message=str(error))
        except InfraError as error:
            failed = Proposal(None, "infra", error.cause, str(error))
            note = self._note(id, "infra", failed, time.monotonic() - started)
            self.control.infra("proposer", str(error))
            return note
        self.control.fine("proposer")
        made = proposal.folder is not None
        return self._note(id, "made" if made else "nothing", proposal, time.monotonic() - started)

    def _desk(self, id: str) -> Desk:
        earlier = [one for one in self.store.records if getattr(one, "round", 0) < self.round]
        readable = self.store.path / "digest" / str(self.round)
        harness = self.store.path / "harness" / self.revision
        return Desk(
            id=id,
            where=self.store.candidates / self.target.candidate,
            rollout=RolloutWriter(self._rollout(id)),
            digest=self._digest(earlier),
            judge=self._validate,
            say=lambda text: self.parts.watch.stage(self.target.candidate, text),
            digest_folder=readable if readable.is_dir() else None,
            examples=self._examples(earlier),
            harness=harness if self.revision and harness.is_dir() else None,
        )

    def _digest(self, earlier: Sequence[Any]) -> Digest:
        return self.parts.digest or digest(seen(earlier), self.store.path, round=self.round)

    def _examples(self, earlier: Sequence[Any]) -> tuple[Path, ...]:
        """Admitted environments of the same domain: same skills first, then the nearest level, the latest first."""
        attempts = {one.environment: one for one in earlier if isinstance(one, Attempt) and one.verdict == "admitted"}
        there = [attempts[name] for name in pool(self.store.path, earlier) if name in attempts]
        same = [one for one in there if one.domain == self.target.domain]

        def far(one: Attempt) -> tuple[bool, int, int]:
            alien = not set(one.skills) & set(self.target.skills)
            return alien, abs(one.level - self.target.level), -one.round

        return tuple(self.store.environments / one.environment for one in sorted(same, key=far)[:EXAMPLES])

    def _validate(self, folder: Path) -> Judged:
        """The gate on a draft. Raises Stopped when the run is to end."""
        if not self.control.go_on():
            raise Stopped
        return judged(self._judge(folder))

    def _rollout(self, id: str) -> Path:
        return self.store.rollouts / str(self.round) / f"{id}.jsonl"

    def _note(
        self, id: str, outcome: Literal["made", "nothing", "infra", "interrupted"], proposal: Proposal, seconds: float
    ) -> ProposalNote:
        rollout = self._rollout(id)
        turns, usage = spent(read_steps(rollout))
        tokens = Tokens.of(usage)
        note = ProposalNote(
            round=self.round,
            candidate=self.target.candidate,
            id=id,
            method=self.parts.proposer.method,
            model=self.parts.proposer.model,
            outcome=outcome,
            reason=proposal.reason,
            code=proposal.code,
            message=proposal.message,
            tree_sha256=tree_sha256(proposal.folder) if proposal.folder else "",
            turns=turns,
            validations=proposal.validations,
            tokens=tokens,
            seconds=round(seconds, 3),
            cpu_s=proposal.cpu_s,
            rollout=f"rollouts/{self.round}/{id}.jsonl" if rollout.exists() else "",
            harness=self.revision,
        )
        self.store.append(note)
        self.control.spend(tokens)
        return note


def finish_rollouts(parts: Parts, record: Attempt) -> None:
    """Give the proposer's rollouts of a closed candidate their end: reward 1 when the gate held, passed when it got
    as far as this run takes candidates.

    Earlier ones of the same candidate (interrupted, or failed by our side) end as `infra`.
    """
    notes = [note for note in parts.store.of(ProposalNote, candidate=record.candidate) if note.rollout]
    for note in notes:
        path = parts.store.path / note.rollout
        if path.with_suffix(".json").exists():
            continue
        turns, usage = spent(read_steps(path))
        summary = RolloutSummary(
            id=note.id,
            environment=record.environment,
            tree_sha256=note.tree_sha256,
            solver=note.model or note.method,
            outcome="infra",
            reason=note.reason,
            round=record.round,
            turns=turns,
            usage=usage,
            seconds=note.seconds,
            skills=record.skills,
            level=record.level,
            seed=record.seed,
            role="proposer",
        )
        if note is notes[-1] and note.outcome in ("made", "nothing") and record.verdict != "infra":
            value, reason = float(record.valid), record.code or record.verdict
            summary = replace(
                summary,
                outcome="scored",
                reward=value,
                value=value,
                passed=record.verdict in ("admitted", "ok"),
                reason=reason,
            )
        end(path, summary)


def spent(steps: Iterable[Mapping[str, Any]]) -> tuple[int, ModelUsage]:
    """Turns and usage of a rollout's steps."""
    turns, usage = 0, NO_USAGE
    for step in steps:
        if used := step.get("usage"):
            turns += 1
            usage += ModelUsage(**used)
    return turns, usage
