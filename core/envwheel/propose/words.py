"""The first message of a proposer that is a model: what every proposer is told, why this target, and its own notes.

first_message(brief, target, desk)
"""

from __future__ import annotations

from envwheel.agent import clip
from envwheel.api import Brief
from envwheel.ledger import Target
from envwheel.propose.base import Desk
from envwheel.propose.told import task_text

NOTES = "notes.md"
"""The file of the harness that stands in the first message."""
NOTES_CHARS = 6000


def first_message(brief: Brief, target: Target, desk: Desk) -> str:
    """The task of a proposer."""
    why = f"# Why this target\n\n{target.domain}, {target.family}, level {target.level}: {target.reason}."
    parts = [task_text(brief, desk).strip(), why]
    notes = desk.harness / NOTES if desk.harness else None
    if notes and notes.is_file() and (text := notes.read_text("utf-8", "replace").strip()):
        parts.append(f"# Your notes of earlier rounds (harness/{NOTES})\n\n{clip(text, NOTES_CHARS)}")
    return "\n\n".join(parts)
