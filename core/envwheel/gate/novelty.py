"""Step `duplicate`: whether an environment is new among others, and no text of a benchmark.

    novelty = Novelty(duplicates=True, benchmarks=[Path("terminal-bench")])
    for path in paths: novelty.look(path)       # in the order in which the first of two copies stays
    novelty.faults(path)                        # [Fault("duplicate", "a near copy (94 %) of pool/invoices-2")]

Those that a generator made are copies when they have the same parameters or the same content, as in a run; others when
instruction, tests and solution are near copies.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from envwheel.console import plain
from envwheel.errors import UsageError
from envwheel.gate.options import Fault
from envwheel.gate.texts import GRAM, Near, Runs, likeness, read_text, shingles, words

ALIKE = 0.8
"""Likeness from which one is a copy of another."""
RUN = 30
"""Words in a row that a file shares with a benchmark; of an instruction `GRAM` are enough."""
FORM = frozenset({"test.sh", "run-tests.sh", "Dockerfile", "LICENSE", "LICENSE.txt", "COPYING", "LICENSE.md"})
"""Files that are alike in environments which have nothing else in common."""
SHOWN = 120


class Novelty:
    """What has been seen so far. Not thread-safe: look at all folders first, then ask."""

    def __init__(self, *, duplicates: bool, benchmarks: Sequence[Path] = ()) -> None:
        self._near = Near(ALIKE) if duplicates else None
        self._members: list[Path] = []
        self._made: dict[str, Path] = {}
        self._benchmark = Benchmark(benchmarks) if benchmarks else None
        self._faults: dict[Path, list[Fault]] = {}

    def look(self, path: Path) -> list[Fault]:
        """Compare the folder with those before it and with the benchmarks, and keep what was found."""
        faults = []
        if self._near and (copied := self._copy(path)):
            faults.append(Fault("duplicate", copied))
        if self._benchmark:
            faults += self._benchmark.faults(path)
        self._faults[path] = faults
        return faults

    def faults(self, path: Path) -> list[Fault]:
        """What `look` found."""
        return self._faults.get(path, [])

    def _copy(self, path: Path) -> str:
        if not words(read_text(path / "instruction.md")):
            return ""  # no environment, so nothing is a copy of it
        marks = _marks(path)
        for mark in marks:
            if mark in self._made:
                return f"the same parameters or content as {self._made[mark]}"
        if marks:
            self._made.update(dict.fromkeys(marks, path))
            return ""
        assert self._near is not None
        tokens = _tokens(path)
        own = shingles(tokens)
        for number, _ in self._near.like(tokens):
            alike = likeness(own, shingles(_tokens(self._members[number])))
            if alike >= ALIKE:
                return f"a near copy ({alike:.0%}) of {self._members[number]}"
        self._near.add(tokens)
        self._members.append(path)
        return ""


class Benchmark:
    """Texts that no environment may share long runs of words with."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._near, self._runs = Near(ALIKE, size=1), Runs()
        self._names: list[str] = []
        for path in paths:
            if not path.exists():
                raise UsageError(f"There is no {path} with texts of a benchmark.")
            before = len(self._names)
            for name, text in _texts(path):
                tokens = words(text)
                self._runs.add(tokens)
                self._near.add(tokens)
                self._names.append(f"{path.name}/{name}" if name else path.name)
            if len(self._names) == before:
                raise UsageError(f"{path} holds no text to compare with. Name a file or a folder of text files.")

    def faults(self, path: Path) -> list[Fault]:
        """One `contaminated`, or nothing. Safe from many threads."""
        said = self.shared(path)
        return [Fault("contaminated", said)] if said else []

    def shared(self, path: Path) -> str:
        """The first long run, or near copy, as a sentence; "" when there is none."""
        instruction = words(read_text(path / "instruction.md"))
        if found := self._run("instruction.md", instruction, GRAM):
            return found
        if len(set(instruction)) >= GRAM:
            for number, estimate in self._near.like(instruction):
                return f"instruction.md has about {estimate:.0%} of its words in common with {self._names[number]}"
        for folder in ("tests", "solution", "environment"):
            for name, text in _texts(path / folder):
                if found := self._run(f"{folder}/{name}", words(text), RUN):
                    return found
        return ""

    def _run(self, name: str, tokens: Sequence[str], least: int) -> str:
        start, length, number = self._runs.longest(tokens)
        if length < least:
            return ""
        said = " ".join(tokens[start : start + length])
        said = said if len(said) <= SHOWN else said[:SHOWN] + "..."
        return plain(f'{name} shares {length} words in a row with {self._names[number]}: "{said}"')


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    """(name below `path`, text) of every text file that says something of its own."""
    if path.is_file():
        yield "", read_text(path)
        return
    for root, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if name not in (".git", "kit", "__pycache__"))
        for name in sorted(files):
            file = Path(root, name)
            if name not in FORM and (text := read_text(file)):
                yield file.relative_to(path).as_posix(), text


def _tokens(path: Path) -> list[str]:
    """Instruction, tests and solution. Data is left out: other numbers do not make another task."""
    parts = [read_text(path / "instruction.md")]
    parts += [text for folder in ("tests", "solution") for _, text in _texts(path / folder)]
    return words("\n".join(parts))


def _marks(path: Path) -> tuple[str, ...]:
    """What makes a generator's work the same as another: parameters, content; empty for what no generator made."""
    own = _own(path)
    if own.get("proposer") != "procedural":
        return ()
    knobs = [own.get(key) for key in ("domains", "family", "level", "params")]
    content = hashlib.sha256()
    for part in ("instruction.md", "environment", "tests"):
        for name, text in _texts(path / part):
            content.update(f"{part}/{name}\0{len(text)}\0{text}".encode("utf-8", "replace"))
    return hashlib.sha256(json.dumps(knobs, default=str, sort_keys=True).encode()).hexdigest(), content.hexdigest()


def _own(path: Path) -> dict[str, Any]:
    """[metadata.envwheel] of its task.toml, empty where there is none that can be read."""
    try:
        own = tomllib.loads(read_text(path / "task.toml"))["metadata"]["envwheel"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return own if isinstance(own, dict) else {}
