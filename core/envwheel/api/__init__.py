"""All that a domain author imports.

A domain is a light module that implements some of the hooks in `envwheel.hookspecs` with `@hookimpl`, and is named by
an entry point of the group `envwheel.domains`. Everything that crosses the border is a frozen dataclass of this module;
this module itself needs the standard library and pluggy's marker only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pluggy

API = 1
"""Raised only when a plugin written for the former number would stop working."""
OLDEST_API = 1

hookimpl = pluggy.HookimplMarker("envwheel")


class _Empty(Mapping[str, Any]):
    """An empty mapping that may be a dataclass default (`MappingProxyType` has no hash before Python 3.12)."""

    __slots__ = ()

    def __getitem__(self, key: str) -> Any:
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "{}"


EMPTY: Mapping[str, Any] = _Empty()

Outcome = Literal["scored", "verifier_error", "infra"]


@dataclass(frozen=True, slots=True)
class Domain:
    """What a domain is. `skills` maps a skill's id to its title; `needs` may hold "gpu", "display", "network".

    `tolerance`: a reference reward of at least 1 - tolerance counts as 1.
    """

    id: str
    title: str
    summary: str
    api: int
    skills: Mapping[str, str]
    needs: frozenset[str] = frozenset()
    tolerance: float = 0.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of an environment: CPUs, MiB, process count, seconds."""

    cpus: float = 1.0
    memory_mb: int = 512
    disk_mb: int = 1024
    processes: int = 256
    agent_timeout_s: float = 300.0
    verifier_timeout_s: float = 120.0
    build_timeout_s: float = 600.0


@dataclass(frozen=True, slots=True)
class Environment:
    """An environment folder, read-only. `task` is task.toml as plain data; `params` hold a generator's own knobs."""

    path: Path
    instruction: str
    task: Mapping[str, Any]
    domains: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    level: int | None = None
    params: Mapping[str, Any] = EMPTY

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.name

    @property
    def artifacts(self) -> tuple[str, ...]:
        """Absolute paths in the work box that cross over to the verifier box."""
        listed = self.task.get("artifacts") or ()
        return tuple(item if isinstance(item, str) else item["source"] for item in listed)


FileMap = Mapping[str, str | bytes]
"""Relative path with forward slashes -> content. Text starting with "#!" is made executable."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An environment before it is a folder. The core writes both Dockerfiles, test.sh and task.toml.

    - `files`: what lies in /app, owned by `agent` (uid 1000).
    - `setup`: bash, run as root in /app while the work image is built, after `files` are there; /app is handed to
      `agent` afterwards. It leaves no trace in the box.
    - `solution`: holds "solve.sh"; further correct solutions as "alternatives/<id>.sh".
    - `tests`: holds "check.py", started by test.sh as root with `/usr/bin/python3 -I -B /tests/check.py` in a box that
      has only the artifacts; the kit lies in /tests/kit.
    - `artifacts`: absolute paths under /app.
    - `image`, `verifier_image`: tags of base images; an empty `verifier_image` means the same as `image`.
    - `params`: what makes this draft what it is (for a generator: family and seed, and its knobs).
    """

    name: str
    instruction: str
    files: FileMap
    solution: FileMap
    tests: FileMap
    artifacts: tuple[str, ...]
    image: str
    verifier_image: str = ""
    setup: str = ""
    limits: Limits = field(default_factory=Limits)
    skills: tuple[str, ...] = ()
    level: int | None = None
    params: Mapping[str, Any] = EMPTY


@dataclass(frozen=True, slots=True)
class Family:
    """A seeded generator of complete environments. `build(level, seed)` is pure: equal arguments, equal draft."""

    id: str
    title: str
    skills: tuple[str, ...]
    levels: tuple[int, ...]
    build: Callable[[int, int], Draft]


@dataclass(frozen=True, slots=True)
class Attack:
    """A red-team solution that does none of the work. `script` is bash, run as the solver's user in the work box."""

    id: str
    why: str
    script: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """A plausible wrong solution: `script` is bash, run as the solver's user after the reference has run."""

    id: str
    why: str
    script: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another correct solution: `script` is bash, run as the solver's user instead of the reference."""

    id: str
    why: str
    script: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault that a static check saw. An "error" rejects the candidate with code `rule`."""

    rule: str
    message: str
    path: str = ""
    severity: Literal["error", "warning"] = "error"


@dataclass(frozen=True, slots=True)
class Check:
    """One named check of a verifier, from checks.json."""

    id: str
    passed: bool
    weight: float = 1.0
    message: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """A graded attempt as a domain sees it. `raw` are the verifier's numbers; `log` is the tail of its output."""

    outcome: Outcome
    raw: Mapping[str, float]
    checks: tuple[Check, ...]
    exit_code: int | None
    seconds: float
    log: str


@dataclass(frozen=True, slots=True)
class Reward:
    """The training value of a trial, in [0, 1]."""

    value: float
    passed: bool
    reason: str = ""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.value) and 0.0 <= self.value <= 1.0):
            raise ValueError(f"a reward lies in [0, 1], got {self.value!r}")


@dataclass(frozen=True, slots=True)
class Band:
    """The learnable band: `low_passes` to `high_passes` of `attempts` scored attempts.

    With `partial`, an environment without a pass is in band when its rewards' standard deviation is at least 0.1.
    """

    low_passes: int = 1
    high_passes: int = 7
    attempts: int = 8
    partial: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.low_passes <= self.high_passes < self.attempts:
            raise ValueError(f"a band needs 0 < low_passes <= high_passes < attempts, got {self}")


@dataclass(frozen=True, slots=True)
class Rate:
    """Passes of scored attempts with a 95 % interval."""

    passed: int
    scored: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Trend:
    """How a skill's pass rate goes: a rate for each round, all levels together, and a word for it.

    `chance` is that of the last round's rate being higher than before, at the levels that were tried in both; None,
    with the word "new", where there is nothing to compare.
    """

    rounds: tuple[tuple[int, Rate], ...]
    word: Literal["rising", "falling", "flat", "new"]
    chance: float | None = None


@dataclass(frozen=True, slots=True)
class Digest:
    """What a proposer reads about the solver. `rollouts` are paths of readable records, chosen for what they teach.

    `failures` counts how trials failed, by kind. `classes` counts the failed trials that ran into an error class
    (docs/digest.md), `trend` tells for each skill how its pass rate goes.
    """

    skills: Mapping[tuple[str, int], Rate]
    rollouts: tuple[Path, ...] = ()
    round: int = 0
    failures: Mapping[str, int] = EMPTY
    classes: Mapping[str, int] = EMPTY
    trend: Mapping[str, Trend] = EMPTY


@dataclass(frozen=True, slots=True)
class Goal:
    """What the next environment is to train: a skill of the domain, a level, and a kind of failure ("" for none)."""

    skill: str
    level: int
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Brief:
    """What a proposer is told: who it is, the task, worked examples, and the target."""

    system: str
    task: str
    examples: tuple[str, ...]
    skills: tuple[str, ...]
    level: int


@dataclass(frozen=True, slots=True)
class BaseImage:
    """An image that a candidate's Dockerfile may start FROM, built when its domain is first used.

    `wheels` pins Python packages, NAME==VERSION, dependencies too. They are fetched on the host for the image's Python
    and lie unpacked in `wheels` of the build's context: `COPY wheels /usr/local/lib/python3.11/dist-packages`.
    """

    tag: str
    dockerfile: str
    context: Path | None = None
    role: Literal["work", "verifier", "author"] = "work"
    wheels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KitFile:
    """A file of the domain's kit: `source` on the host, `target` relative to tests/kit/."""

    source: Path
    target: str


@dataclass(frozen=True, slots=True)
class Rendering:
    """How documents become pictures: bash `script`, run in a box of the base image `image`, without network.

    The documents lie in the folder $IN, names as they were, "/" written "__"; pictures, *.png, go to the folder $OUT.
    """

    image: str
    script: str


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that this host lacks, and the line that mends it."""

    what: str
    fix: str
