"""A shared verifier made separate, where its tests only look at files that can be declared as artifacts.

    change = plan(Path("task"))        # raises Refused with the reason; change.diff, change.text, change.artifacts
    write(change)

The verifier box is then a fresh copy of the solver's image into which only the artifacts are put, and the tests with
them: what a solver did to the interpreter, to PATH or to its processes does not come along.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envwheel.environment.folder import TaskFolder, read
from envwheel.environment.invalid import InvalidTask
from envwheel.environment.reads import look
from envwheel.environment.toml import dumps
from envwheel.sandbox.dockerfile import instructions

MOST_REASONS = 3
MOST_ARTIFACTS = 12
"""More single files than this are declared as their folder."""
_TABLE = re.compile(r"^\s*\[", re.MULTILINE)


class Refused(Exception):
    """Why a verifier stays as it is, as a sentence."""


@dataclass(frozen=True, slots=True)
class Change:
    """A new task.toml. `artifacts` are those that the tests look at."""

    path: Path
    artifacts: tuple[str, ...]
    old: str
    text: str

    @property
    def diff(self) -> str:
        """What changes, as `diff -u` shows it."""
        before, after = self.old.splitlines(keepends=True), self.text.splitlines(keepends=True)
        name = f"{self.path.name}/task.toml"
        return "".join(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"))


def plan(path: Path) -> Change | None:
    """The change; None when the verifier is separate already. Raises Refused."""
    try:
        task = read(path, need_solution=False)
    except InvalidTask as invalid:
        raise Refused(str(invalid)) from None
    if task.config.separate:
        return None
    if (task.path / "tests" / "Dockerfile").exists():
        raise Refused("tests/Dockerfile is there, so the author meant another box: set environment_mode by hand")
    workdir = _workdir(task)
    seen = look(task.path, workdir)
    obstacles = [*seen.obstacles, *_variables(task)]
    if obstacles:
        more = f"; and {len(obstacles) - MOST_REASONS} more" if len(obstacles) > MOST_REASONS else ""
        raise Refused("; ".join(obstacles[:MOST_REASONS]) + more)
    # What a program needs beside itself cannot be told, so where one is run all of the folder comes along.
    wanted = {workdir} if seen.runs else seen.paths
    artifacts = _artifacts({*wanted, *task.config.artifact_paths}, workdir)
    if not artifacts:
        raise Refused("the tests name no file that could be declared")
    old = (task.path / "task.toml").read_text("utf-8")
    return Change(task.path, artifacts, old, _edited(old, artifacts))


def write(change: Change) -> None:
    """Put the new task.toml in place of the old one, at once."""
    target = change.path / "task.toml"
    temporary = target.with_name(f".task.toml.{os.getpid()}")
    temporary.write_text(change.text, "utf-8")
    os.replace(temporary, target)


def _variables(task: TaskFolder) -> list[str]:
    """Variables of the solver's box that the tests name, or that change how programs are found."""
    files = [path for path in (task.path / "tests").rglob("*") if path.is_file() and not path.is_symlink()]
    text = "\n".join(path.read_text("utf-8", "replace") for path in files)
    return [
        f"the tests may need {name}, which [environment.env] sets for the solver's box only"
        for name in sorted(set(task.config.env) - set(task.config.verifier_env))
        if name.endswith("PATH") or re.search(rf"\b{re.escape(name)}\b", text)
    ]


def _workdir(task: TaskFolder) -> str:
    """Where the tests run: what task.toml or the last WORKDIR says. Raises Refused."""
    found = task.config.workdir or ""
    if not found and task.work_context:
        for item in instructions((task.work_context / "Dockerfile").read_text("utf-8", "replace")):
            if item.word == "FROM":
                found = ""
            elif item.word == "WORKDIR":
                found = os.path.join(found, item.text.split(None, 1)[-1].strip("\"'"))
    if not found.startswith("/") or "$" in found or os.path.normpath(found) == "/":
        raise Refused("the working directory is not known: write `workdir` under [environment], or WORKDIR")
    return os.path.normpath(found)


def _artifacts(paths: Iterable[str], workdir: str) -> tuple[str, ...]:
    """The fewest paths that hold all of `paths`."""
    kept: list[str] = []
    for path in sorted(paths):
        if not any(path == other or path.startswith(other + "/") for other in kept):
            kept.append(path)
    return tuple(kept) if len(kept) <= MOST_ARTIFACTS else (workdir,)


def _edited(old: str, artifacts: tuple[str, ...]) -> str:
    """`old` with two fields set and every other line as it was. Raises Refused where that is not possible."""
    table = tomllib.loads(old)
    text = old
    if list(table.get("artifacts", ())) != list(artifacts):
        text = _without(text, r"^artifacts\s*=\s*\[[^\]]*\][^\n]*\n", "artifacts" in table)
        first = _TABLE.search(text)
        at = first.start() if first else len(text)
        head = text[:at].rstrip("\n")
        text = f"{head}\n{dumps({'artifacts': list(artifacts)})}\n{text[at:].lstrip()}".lstrip("\n")
    verifier = table.get("verifier", {})
    text = _without(text, r"^environment_mode\s*=[^\n]*\n", "environment_mode" in verifier)
    line = 'environment_mode = "separate"\n'
    heading = re.search(r"^\[verifier\][^\n]*\n", text, re.MULTILINE)
    text = text[: heading.end()] + line + text[heading.end() :] if heading else f"{text.rstrip()}\n\n[verifier]\n{line}"
    wanted: dict[str, Any] = {**table, "artifacts": list(artifacts)}
    wanted["verifier"] = {**verifier, "environment_mode": "separate"}
    try:
        made = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        made = {}
    if made != wanted:
        raise Refused("task.toml is written in a form that is not edited here: set `artifacts` and environment_mode")
    return text


def _without(text: str, pattern: str, there: bool) -> str:
    return re.sub(pattern, "", text, count=1, flags=re.MULTILINE) if there else text
