"""What a proposer that is a model is told besides its domain's brief: worked examples, and how the solver fared.

task_text(brief, desk)       # the user's message: the same words for every way of proposing
"""

from __future__ import annotations

from pathlib import Path

from envwheel.agent import clip
from envwheel.api import Brief
from envwheel.propose.base import Desk
from envwheel.propose.digest import summary

SHOWN = ("instruction.md", "solution/solve.sh", "tests/check.py")
"""What is shown of an admitted environment."""
ADMITTED = 1
"""Admitted environments that are shown besides the brief's own examples."""
FILE_CHARS = 6000
"""Characters of one file of it."""


def task_text(brief: Brief, desk: Desk) -> str:
    """The domain's task, what is known of the solver, and worked examples."""
    examples = [*brief.examples, *map(_admitted, desk.examples[:ADMITTED])]
    parts = [brief.task.strip()]
    if desk.digest.skills:
        parts += ["# How the solver fared so far", summary(desk.digest)]
    if examples:
        parts += ["# Worked examples (build something else)", *(example.strip() for example in examples)]
    return "\n\n".join(parts) + "\n"


def _admitted(folder: Path) -> str:
    """An admitted environment as text."""
    parts = [f"### {folder.name} (admitted)"]
    for name in SHOWN:
        path = folder / name
        if path.is_file() and not path.is_symlink():
            parts.append(f"{name}:\n\n{clip(path.read_text('utf-8', 'replace').rstrip(), FILE_CHARS)}")
    return "\n\n".join(parts)
