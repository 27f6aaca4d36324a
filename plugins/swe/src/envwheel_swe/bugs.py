"""Bugs in real packages, made by changing their syntax tree, that the packages' own tests were seen to catch.

The table data/py_bugs.json is made by tools/find_bugs.py, which runs everything in a box. Here it is only read, and
applied to pinned sources as text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Bug:
    """The text `right` at (`line`, `column`) of `path` reads `wrong`; `half` is another wrong text in its place.

    `function` is where it stands; `fails` are tests that fail with it; `column` counts characters from 0.
    """

    project: str
    path: str
    line: int
    column: int
    right: str
    wrong: str
    half: str
    kind: str
    function: str
    fails: tuple[str, ...]

    def put(self, text: str, new: str, old: str | None = None) -> str:
        """The file's text with `new` in the place of `old` (default: the right text). Raises ValueError."""
        old = self.right if old is None else old
        lines = text.splitlines(keepends=True)
        line = lines[self.line - 1]
        if line[self.column : self.column + len(old)] != old:
            raise ValueError(f"{self.path}:{self.line} does not hold {old!r}")
        lines[self.line - 1] = line[: self.column] + new + line[self.column + len(old) :]
        return "".join(lines)


@dataclass(frozen=True, slots=True)
class Suite:
    """What is known of a package's tests: those that hold, and those that are left out for being slow or random."""

    project: str
    passing: tuple[str, ...]
    skip: tuple[str, ...]


@cache
def table() -> tuple[Mapping[str, Suite], tuple[Bug, ...]]:
    """The suites by project, and all bugs."""
    data: dict[str, Any] = json.loads((files("envwheel_swe") / "data" / "py_bugs.json").read_text("utf-8"))
    suites = {name: Suite(name, tuple(item["passing"]), tuple(item["skip"])) for name, item in data["suites"].items()}
    bugs = tuple(Bug(**{**item, "fails": tuple(item["fails"])}) for item in data["bugs"])
    return suites, bugs
