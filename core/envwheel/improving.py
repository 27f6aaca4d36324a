"""Before a round: the proposer's harness is revised, left alone, or rolled back, and a `HarnessNote` says so.

    improve(parts, round)        # does nothing where there is no harness, or where it was done before

The turn belongs to the results of the rounds before; it is made when a next round begins, so that the last round of a
run costs nothing more. A kill in the middle of it loses that turn only: what it took is noted, and it begins anew.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from envwheel import revisions
from envwheel.agent import clip
from envwheel.errors import InfraError
from envwheel.ledger import AnyRecord, Attempt, HarnessNote, ProposalNote, Tokens
from envwheel.parts import Parts
from envwheel.propose import harness
from envwheel.propose.practice import Improved
from envwheel.proposing import spent
from envwheel.rollout import RolloutWriter, read_steps

MESSAGE = 400
"""Characters of what the gate said of one candidate."""
MOST_RESULTS = 40
RESULTS = 20_000
"""Characters of all results."""


@runtime_checkable
class Improves(Protocol):
    """A proposer that can revise its harness."""

    def improve(self, domain: str, harness: Mapping[str, bytes], results: str, on_step: Any) -> Improved:
        """What it leaves."""


def improve(parts: Parts, round: int) -> None:
    """Prepare the harness for round `round`. Raises SetupError, and InfraError when our side failed too often."""
    store, proposer = parts.store, parts.proposer
    if not parts.config.proposer.keeps_harness or not isinstance(proposer, Improves) or not parts.control.go_on():
        return
    begun = store.of(ProposalNote, round=round) or not any(one.round < round for one in store.of(Attempt))
    if begun or any(note.action != "interrupted" for note in store.of(HarnessNote, round=round)):
        return
    turn = HarnessTurn(parts, round)
    if (found := revisions.better(store.records)) is not None:
        turn.roll_back(*found)
    else:
        turn.practise(proposer)


@dataclass
class HarnessTurn:
    """One preparation of the harness."""

    parts: Parts
    round: int

    def __post_init__(self) -> None:
        self.store = self.parts.store
        self.now = revisions.current(self.store.records)

    def roll_back(self, to: revisions.Revision, chance: float) -> None:
        """Count with an earlier revision from now on."""
        rows = {one.number: one for one in revisions.table(self.store.records)}
        now = rows[self.now]
        reason = (
            f"{now.valid} of {now.judged} candidates valid with {self.now}, {to.valid} of {to.judged} with {to.number}"
        )
        self._note("", to.number, "rolled_back", reason, worse=round(chance, 4))

    def practise(self, proposer: Improves) -> None:
        """Let the model revise it."""
        started = time.monotonic()
        id = self._next_id()
        files = harness.read(self.store.path / "harness" / self.now)
        domain = self.parts.domains.ids[0]
        writer = RolloutWriter(self._rollout(id))
        try:
            improved = proposer.improve(domain, files, results(self.store.records), writer.step)
        except InfraError as error:
            self._note(id, self.now, "infra", str(error), seconds=time.monotonic() - started)
            self.parts.control.infra("proposer", str(error))
            return
        self.parts.control.fine("proposer")
        more: dict[str, Any] = {"left_out": improved.left_out[:20], "seconds": time.monotonic() - started}
        if dict(improved.files) == files:
            self._note(id, self.now, "kept", improved.reason, **more)
            return
        revision = self._next_revision()
        self._keep(revision, improved.files)
        self._note(id, revision, "revised", improved.reason, **more)

    def _keep(self, revision: str, files: Mapping[str, bytes]) -> None:
        folder = self.store.path / "harness" / revision
        try:
            harness.keep(folder, files)
        except OSError as error:
            raise InfraError(
                "disk", f"{folder} cannot be written: {error.strerror}. Make room, then --resume."
            ) from error

    def _next_revision(self) -> str:
        numbers = [note.revision for note in self.store.of(HarnessNote)]
        return harness.following(max([revisions.FIRST, *numbers]))

    def _next_id(self) -> str:
        """The first id without a rollout; a rollout without a note is one that was killed, and is noted."""
        noted = {note.id for note in self.store.of(HarnessNote, round=self.round)}
        for number in count(1):
            id = f"r{self.round:02d}-harness-p{number}"
            if id in noted:
                continue
            if not self._rollout(id).exists():
                return id
            self._note(id, self.now, "interrupted", "the run was killed meanwhile")
        raise AssertionError("unreachable")

    def _rollout(self, id: str) -> Path:
        return self.store.rollouts / str(self.round) / f"{id}.jsonl"

    def _note(
        self,
        id: str,
        revision: str,
        action: Literal["revised", "kept", "rolled_back", "interrupted", "infra"],
        reason: str,
        **more: Any,
    ) -> None:
        turns, usage = spent(read_steps(self._rollout(id))) if id else (0, None)
        tokens = Tokens.of(usage) if usage else Tokens()
        rollout = f"rollouts/{self.round}/{id}.jsonl" if id else ""
        note = HarnessNote(
            round=self.round,
            id=id,
            revision=revision,
            parent=self.now,
            action=action,
            reason=reason,
            turns=turns,
            tokens=tokens,
            rollout=rollout,
            **more,
        )
        self.store.append(note)
        self.parts.control.spend(tokens)


def results(records: Sequence[AnyRecord]) -> str:
    """What became of the candidates so far, the latest first, and of each revision of the harness."""
    rows = [
        f"- revision {one.number}: {one.valid} of {one.judged} candidates valid, "
        f"{one.tokens.input + one.tokens.output} tokens"
        for one in revisions.table(records)
    ]
    attempts = list({one.candidate: one for one in records if isinstance(one, Attempt)}.values())
    told = [_told(one) for one in reversed(attempts[-MOST_RESULTS:])]
    return clip(
        "\n".join(["## Revisions of the harness", *rows, "", "## Candidates, the latest first", *told]), RESULTS
    )


def _told(one: Attempt) -> str:
    if one.verdict == "infra":
        return f"- {one.environment}: not judged, our own side failed"
    validity = "valid" if one.valid else "NOT valid"
    result = f"{one.verdict}{' ' + one.code if one.code else ''} at {one.stage}"
    passed = f", the solver passed {one.passes} of {one.scored}" if one.scored else ""
    cost = f"{one.proposer_tokens.input + one.proposer_tokens.output} tokens, {one.validations} validations"
    said = f"\n  {' '.join(clip(one.message, MESSAGE).split())}" if one.message else ""
    return f"- {one.environment} (revision {one.harness or '-'}): {validity}, {result}{passed}; {cost}{said}"
