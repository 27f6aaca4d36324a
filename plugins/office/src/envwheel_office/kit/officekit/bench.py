"""What a judge of one check may ask for, and what it answers.

A judge is a function (check, bench) -> Score in a module judge_*.py; `JUDGES` of registry.py names it by the check's
kind. It sees documents as records of model.py only; it never opens a file of the candidate's itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from .model import Document, Scalar


@dataclass(frozen=True, slots=True)
class Score:
    """A share in [0, 1] of what was asked for, and the reason of every lost point."""

    value: float
    reason: str = ""


FULL = Score(1.0)


@dataclass(frozen=True, slots=True)
class Computation:
    """One recalculation: cells ("Sheet!B7") that are set before, cells that are read after.

    `type` are formulas that are typed into (free) cells: what a rule of the workbook's gives where it stands.
    """

    set: dict[str, Scalar] = field(default_factory=dict)
    get: tuple[str, ...] = ()
    type: dict[str, str] = field(default_factory=dict)


class Bench(Protocol):
    """The candidate's files and the environment's own, each read once."""

    def document(self, file: str) -> Document:
        """The candidate's file, relative to /app: guarded, then read in a limited child. `Refused` with its reason."""

    def original(self, file: str, *, computed: bool = True) -> Document:
        """A file of tests/, read the same way. `Fault` when it is refused.

        Without `computed` a workbook's formulas may have no values: what is typed in it takes no engine.
        """

    def compute(self, file: str, runs: Sequence[Computation], *, ours: bool = False) -> list[dict[str, Scalar]]:
        """What the workbook `file` (with `ours`, one of tests/) shows in the cells of each run's `get`.

        Errors are texts as "#N/A". Where engines cannot agree the cell is missing. Raises Unreadable.
        """

    def text(self, file: str) -> str | None:
        """A plain text file of the candidate's; None when it is none."""

    def listing(self, folder: str) -> list[str] | None:
        """The files below a folder of the candidate's, by relative path; None when it is no folder.

        What is no plain file (a link, a pipe) has " (no plain file)" behind its name.
        """

    def launch(self, file: str, command: Sequence[str], inputs: dict[str, str], timeout_s: float) -> Bench:
        """Run the candidate's program `file` as nobody in a fresh folder beside `inputs` (name -> file of tests/).

        Gives the bench of what lies there then. Unreadable when it cannot be run, fails or takes too long.
        """


class Unreadable(Exception):
    """What the check asks for cannot be had of the candidate's file: score 0 with this reason."""


class Fault(ValueError):
    """The environment is at fault: its own file is refused or tells nothing. There is no reward then."""
