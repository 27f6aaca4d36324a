"""What a Dockerfile copies out of its context, read without building: enough for lint, no more."""

from __future__ import annotations

import fnmatch
import json
import posixpath
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Copy:
    """A COPY or ADD from the context in the last stage; `target` is an absolute path in the image."""

    sources: tuple[str, ...]
    target: str
    line: str

    def place(self, name: str) -> str | None:
        """Where the context file `name` lands in the image; None when this line does not bring it."""
        for source in self.sources:
            plain = posixpath.normpath(source).lstrip("/")
            if plain == ".":
                return _path(self.target, name)
            parts, depth = name.split("/"), plain.count("/") + 1
            if fnmatch.fnmatchcase("/".join(parts[:depth]), plain):
                if len(parts) > depth:  # the source is a folder: its contents are copied, not itself
                    return _path(self.target, *parts[depth:])
                folder = self.target.endswith("/") or len(self.sources) > 1
                return _path(self.target, parts[-1]) if folder else _path(self.target)
        return None


def _path(*parts: str) -> str:
    return posixpath.normpath(posixpath.join(*parts))


def copies(dockerfile: str) -> list[Copy]:
    """The copies of the last stage, in order. Lines that cannot be read give nothing."""
    found: list[Copy] = []
    workdir = "/"
    for line in instructions(dockerfile):
        word, _, rest = line.partition(" ")
        word = word.upper()
        if word == "FROM":
            found, workdir = [], "/"
        elif word == "WORKDIR":
            workdir = posixpath.join(workdir, rest.strip().strip("\"'"))
        elif word in ("COPY", "ADD"):
            paths = _arguments(rest)
            if len(paths) >= 2 and "--from=" not in rest.split("[")[0]:
                target = posixpath.join(workdir, paths[-1])
                found.append(Copy(tuple(paths[:-1]), target, line))
    return found


def instructions(dockerfile: str) -> Iterator[str]:
    """Instructions with their continuation lines joined, comments left out."""
    lines = [line for line in dockerfile.splitlines() if not line.lstrip().startswith("#")]
    for line in re.sub(r"\\[ \t]*\n", " ", "\n".join(lines)).splitlines():
        if line.strip():
            yield " ".join(line.split())


def _arguments(rest: str) -> list[str]:
    words = rest.split(" ")
    while words and words[0].startswith("--"):
        words.pop(0)
    text = " ".join(words)
    try:
        listed = json.loads(text) if text.startswith("[") else shlex.split(text)
    except ValueError:
        return []
    return [item for item in listed if isinstance(item, str)]
