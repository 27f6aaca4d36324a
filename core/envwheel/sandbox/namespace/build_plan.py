"""What a Dockerfile of the common kind does: one stage of ENV, WORKDIR, USER, COPY and RUN, without tricks of quoting.

An engine that has boxes of its own can follow such a plan itself. Whatever is not sure to mean here what it means to
Docker raises `Uncommon`, and is left to a builder that knows the whole language.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from envwheel.sandbox.dockerfile import Instruction, expanded, instructions

TRICKS = re.compile(r"[\\\"'*?\[\]<>|&;`]")
"""In the words of an instruction: quoting, patterns, here-documents."""
_PAIR = re.compile(r"""([A-Za-z_]\w*)=("[^"\\]*"|'[^'\\$]*'|[^\s"'\\]*)(?:\s+|$)""")


class Uncommon(Exception):
    """A Dockerfile is not of the common kind."""


@dataclass(frozen=True, slots=True)
class Run:
    """`RUN script`, by /bin/sh, with what was set before it."""

    script: str
    user: str
    workdir: str
    env: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Copy:
    """`COPY sources target`: paths in the context, `.` for all of it, and an absolute path that may end in a slash."""

    sources: tuple[str, ...]
    target: str
    owner: str


@dataclass(frozen=True, slots=True)
class Folder:
    """`WORKDIR path`."""

    path: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps in their order, and what a box of the image starts with."""

    steps: tuple[Run | Copy | Folder, ...]
    user: str
    workdir: str
    env: Mapping[str, str]


def plan(dockerfile: str, *, user: str, workdir: str, env: Mapping[str, str], unused: Iterable[str]) -> Plan:
    """The plan of `dockerfile` on a base image that brings `user`, `workdir` and `env`. Raises Uncommon."""
    reader = _Reader(user, workdir, env)
    begun = False
    for item in instructions(dockerfile):
        if item.word in unused:
            continue
        if begun == (item.word == "FROM"):
            raise Uncommon(f"{item.word}: more than one stage, or something before it")
        if begun:
            reader.read(item)
        begun = True
    return Plan(tuple(reader.steps), reader.user, reader.workdir, reader.env)


class _Reader:
    """Reads the instructions of one stage; each changes what the later ones start with."""

    def __init__(self, user: str, workdir: str, env: Mapping[str, str]) -> None:
        self.user, self.workdir, self.env = user, workdir, dict(env)
        self.steps: list[Run | Copy | Folder] = []

    def read(self, item: Instruction) -> None:
        rest = item.text[len(item.word) :].strip()
        known = {"ENV": self._env, "WORKDIR": self._workdir, "USER": self._user, "COPY": self._copy, "RUN": self._run}
        if item.word not in known or not rest:
            raise Uncommon(item.text)
        known[item.word](rest)

    def _env(self, rest: str) -> None:
        found: dict[str, str] = {}
        at = 0
        while at < len(rest):
            match = _PAIR.match(rest, at)
            if not match:
                raise Uncommon(f"ENV {rest}")
            value = match[2]
            bare = value[1:-1] if value[:1] in ("'", '"') else value
            found[match[1]] = bare if value.startswith("'") else self._filled(bare)
            at = match.end()
        self.env |= found

    def _workdir(self, rest: str) -> None:
        self.workdir = posixpath.normpath(posixpath.join(self.workdir or "/", self._word(rest)))
        self.steps.append(Folder(self.workdir))

    def _user(self, rest: str) -> None:
        self.user = self._word(rest)

    def _copy(self, rest: str) -> None:
        owner = ""
        if match := re.match(r"--chown=(\S+)\s+", rest):
            owner, rest = self._word(match[1]), rest[match.end() :]
        if rest.startswith("["):
            words = _strings(rest)
            if any(re.search(r"[\\*?$\[]", word) for word in words):
                raise Uncommon(f"COPY {rest}")
        else:
            words = [self._word(word) for word in rest.split()]
        if len(words) < 2 or any(word.startswith("--") or ".." in word.split("/") for word in words):
            raise Uncommon(f"COPY {rest}")
        *sources, target = words
        if len(sources) > 1 and not target.endswith("/"):
            raise Uncommon(f"COPY {rest}")
        place = posixpath.normpath(posixpath.join(self.workdir or "/", target))
        slash = "/" if target.endswith(("/", "/.")) or target == "." else ""
        cleaned = tuple(posixpath.normpath("/" + source).lstrip("/") or "." for source in sources)
        self.steps.append(Copy(cleaned, place.rstrip("/") + slash or "/", owner))

    def _run(self, rest: str) -> None:
        gains_rights = "sudo" in rest and self.user.split(":")[0] not in ("", "root", "0")
        if rest.startswith(("[", "--")) or gains_rights:
            raise Uncommon(f"RUN {rest}")
        self.steps.append(Run(rest, self.user, self.workdir or "/", dict(self.env)))

    def _word(self, text: str) -> str:
        if TRICKS.search(text) or not text:
            raise Uncommon(text)
        return self._filled(text)

    def _filled(self, text: str) -> str:
        value = expanded(text, self.env)
        if "$" in value:
            raise Uncommon(text)
        return value


def _strings(text: str) -> list[str]:
    try:
        words = json.loads(text)
    except ValueError as error:
        raise Uncommon(text) from error
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise Uncommon(text)
    return words
