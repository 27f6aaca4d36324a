"""The boxes of the `office` domain for engine tests: their images, and the kit as it lies in a verifier box."""

from __future__ import annotations

from pathlib import Path

from envwheel.environment.stamp import kit_files
from envwheel.sandbox.base import Entry, Tree
from envwheel_office import plugin
from envwheel_office.boxes import AUTHOR, VERIFIER, WORK

__all__ = ["AUTHOR", "REPO", "VERIFIER", "WORK", "kit"]

REPO = Path(__file__).parents[2]


def kit() -> Tree:
    """/tests/kit as a draft of this domain has it."""
    files = {f"/tests/kit/{name}": Entry("file", 0o644, data) for name, data in kit_files(plugin.kit())}
    folders = {str(Path(path).parent): Entry("dir", 0o755) for path in files}
    return Tree({"/tests": Entry("dir", 0o755), **dict(sorted(folders.items())), **files})
