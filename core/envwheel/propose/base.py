"""What a proposer is: it plans a round's targets and makes an environment of each.

`procedural.py` (a domain's generators), `terminal.py` (a model in a box), `prompt_only.py` (one completion) and
`static.py` (a pool that is there already) are the proposers. What they need of the run comes to them as a `Desk`; the
rollout that they write there says what it cost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from envwheel.api import Digest
from envwheel.ledger import AnyRecord, Target
from envwheel.rollout import RolloutWriter


@dataclass(frozen=True, slots=True)
class Judged:
    """What the gate says of a draft, up to `mutants`: `text` is for the proposer to read.

    `infra`: the gate itself failed, and nothing is known of the draft.
    """

    ok: bool
    code: str
    text: str
    seconds: float
    infra: bool = False


@dataclass(frozen=True, slots=True)
class Desk:
    """What a proposer has before it for one candidate.

    `id` is this piece of work's own, `where` the folder into which the environment's folder goes. `digest` is what is
    known of the solver, `digest_folder` the same as files to read. `examples` are folders of admitted environments of
    the target's domain, the best ones first. `judge` runs the gate on a folder (raises InfraError, Stopped); `say`
    tells people what goes on; `harness` is the host's copy of the proposer's own files, None where there is none.
    """

    id: str
    where: Path
    rollout: RolloutWriter
    digest: Digest
    judge: Callable[[Path], Judged]
    say: Callable[[str], None]
    digest_folder: Path | None = None
    examples: tuple[Path, ...] = ()
    harness: Path | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """What came of it: a folder, or a fault of GATE's codes that says why there is none.

    `reason` says why the work ended: submitted, complete, or the budget that was used up.
    """

    folder: Path | None
    reason: str = "complete"
    code: str = ""
    message: str = ""
    validations: int = 0
    cpu_s: float | None = None


class Proposer(Protocol):
    """Makes candidates. Thread-safe: several desks are worked at at the same time."""

    method: str
    """The word in the ledger: procedural, terminal, prompt_only, static."""
    model: str | None
    """The model's name; None where no model proposes."""

    def plan(self, number: int, count: int, seed: int, records: Sequence[AnyRecord]) -> list[Target]:
        """The targets of round `number`. Equal arguments give equal targets."""

    def propose(self, target: Target, desk: Desk) -> Proposal:
        """Make the environment of `target`. Raises InfraError, SetupError, DomainError and InvalidTask."""

    def close(self) -> None:
        """Free what the proposer holds."""
