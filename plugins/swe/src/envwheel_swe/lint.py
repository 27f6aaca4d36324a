"""Static checks of this domain: what is certain from the files alone, without running anything of a candidate's."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from envwheel.api import Environment, Finding

MAX_OBJECT = 1 << 20
MIN_ANSWER = 32
"""Shorter contents say nothing: an empty file or a version number is equal by chance."""
DATE = re.compile(rb"\b(20\d\d)-(\d\d)-(\d\d)\b")


def inspect_environment(environment: Environment) -> list[Finding]:
    """Every finding, errors first."""
    found = [*unnamed_artifacts(environment), *git_answers(environment), *loose_runs(environment)]
    found += near_dates(environment, date.today())
    return sorted(found, key=lambda finding: finding.severity != "error")


def unnamed_artifacts(environment: Environment) -> Iterator[Finding]:
    """Artifacts that the instruction does not mention: the solver cannot know where its work is looked for.

    /app is where the solver stands, so a name relative to it will do.
    """
    for artifact in environment.artifacts:
        if artifact.rstrip("/").removeprefix("/app/") not in environment.instruction:
            yield Finding("unnamed_artifact", f"the instruction never names the artifact {artifact}", "instruction.md")


def git_answers(environment: Environment) -> Iterator[Finding]:
    """Blobs of a repository in the fixtures that equal a file of tests/ or solution/ and no file in plain sight."""
    hidden = {
        data: path.relative_to(environment.path).as_posix()
        for folder in ("solution", "tests")
        for path, data in _contents(environment.path / folder)
        if len(data) >= MIN_ANSWER
    }
    context = environment.path / "environment"
    objects = []
    for path, data in _contents(context):
        hidden.pop(data, None)
        if re.fullmatch(r"[0-9a-f]{38}", path.name) and re.fullmatch(r"[0-9a-f]{2}", path.parent.name):
            objects.append((path, data))
        elif path.suffix == ".pack":
            yield Finding(
                "git_history", "a pack cannot be looked into; make the repository in setup", str(path), "warning"
            )
    for path, data in objects:
        blob = _blob(data)
        if blob is not None and blob in hidden:
            yield Finding("git_history", f"the repository's history holds {hidden[blob]}", str(path))


def loose_runs(environment: Environment) -> Iterator[Finding]:
    """Checkers that start programs by other means than grade.run, which drops rights and ends what is left."""
    for path, data in _contents(environment.path / "tests"):
        if (
            path.suffix == ".py"
            and "kit" not in path.parts
            and re.search(rb"os\.system\(|os\.popen\(|shell=True", data)
        ):
            message = "the checker starts a shell itself; use grade.run, which drops rights and sets limits"
            yield Finding("loose_run", message, path.name, "warning")


def near_dates(environment: Environment, today: date) -> Iterator[Finding]:
    """Fixtures with dates near `today`: what is in the future now will be in the past when the environment is used."""
    for path, data in _contents(environment.path / "environment"):
        for year, month, day in DATE.findall(data):
            try:
                seen = date(int(year), int(month), int(day))
            except ValueError:
                continue
            if abs(seen - today) < timedelta(days=400):
                yield Finding("near_date", f"{seen} is near today; take dates well in the past", path.name, "warning")
                break


def _contents(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Regular files below `folder` of at most 1 MiB, with their bytes."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= MAX_OBJECT:
            yield path, path.read_bytes()


def _blob(data: bytes) -> bytes | None:
    """The content of a loose git object when it is a blob. Never runs git, never inflates more than 1 MiB."""
    try:
        plain = zlib.decompressobj().decompress(data, MAX_OBJECT)
    except zlib.error:
        return None
    head, _, body = plain.partition(b"\0")
    return body if head.startswith(b"blob ") else None
