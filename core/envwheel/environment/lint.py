"""Static lint: what can be said about an environment without an engine.

`lint(task)` gives certain faults and warnings (`findings`), places that the gate must try in a box before it says
`leak_answer` (`suspects`), and why its reward may differ from run to run (`randomness`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from envwheel.api import Finding
from envwheel.environment.dockerfile import copies
from envwheel.environment.folder import TaskFolder
from envwheel.environment.leaks import files, leaked_files, leaking_links
from envwheel.environment.signs import chance, downloads
from envwheel.environment.suspects import Suspect, suspects

_SCRIPTS = (".sh", ".py", ".bash", ".pl", ".js", ".rb")


@dataclass(frozen=True, slots=True)
class LintReport:
    """`findings` of severity "error" reject with their `rule` as code. `randomness`: one line a sign."""

    findings: tuple[Finding, ...]
    suspects: tuple[Suspect, ...]
    randomness: tuple[str, ...]


def lint(task: TaskFolder) -> LintReport:
    """Look at `task` without running anything of it."""
    findings = (*leaked_files(task.path), *leaking_links(task.path), *_copied_names(task), *_downloads(task))
    randomness = tuple(f"{path}: {sign}" for path, text in _scripts(task) for sign in chance(path, text))
    return LintReport(findings, suspects(task.path, task.environment.instruction), randomness)


def _copied_names(task: TaskFolder) -> Iterator[Finding]:
    """Folders called tests or solution in the image: a fault only by content, so the name alone is a warning."""
    if task.work_context is None:
        return
    for copy in copies((task.work_context / "Dockerfile").read_text(errors="replace")):
        for source in copy.sources:
            if source.strip("/").split("/")[-1] in ("tests", "solution", "test.sh", "solve.sh"):
                yield Finding("leak_tests", f"`{copy.line}` looks like a leak", "environment/Dockerfile", "warning")


def _downloads(task: TaskFolder) -> Iterator[Finding]:
    for path, text in _scripts(task):
        if path.startswith("tests/"):
            for line in downloads(text):
                yield Finding("needs_network", f"tests fetch something while grading: {line[:100]}", path, "warning")


def _scripts(task: TaskFolder) -> Iterator[tuple[str, str]]:
    for folder in ("tests", "solution"):
        for name, data in files(task.path / folder):
            if name.endswith(_SCRIPTS) and not name.startswith("kit/"):
                yield f"{folder}/{name}", data.decode(errors="replace")
