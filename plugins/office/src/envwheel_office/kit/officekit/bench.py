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
    """One recalculation: cells ("Sheet!B7") that are set before, cells that are read after."""

    set: dict[str, Scalar] = field(default_factory=dict)
    get: tuple[str, ...] = ()


class Bench(Protocol):
    """The candidate's files and the environment's own, each read once."""

    def document(self, file: str) -> Document:
        """The candidate's file, relative to /app: guarded, then read in a limited child. `Refused` with its reason."""

    def original(self, file: str) -> Document:
        """A file of tests/, read the same way. ValueError when it is refused: the environment is at fault."""

    def compute(self, file: str, runs: Sequence[Computation], *, ours: bool = False) -> list[dict[str, Scalar]]:
        """What the workbook `file` (with `ours`, one of tests/) shows in the cells of each run's `get`.

        Errors are texts as "#N/A". Where engines cannot agree the cell is missing. Raises Unreadable.
        """

    def text(self, file: str) -> str | None:
        """A plain text file of the candidate's; None when it is none."""


class Unreadable(Exception):
    """The candidate's file cannot be computed: score 0 with this reason."""
