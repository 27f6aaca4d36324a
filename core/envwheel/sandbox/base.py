"""What an engine is: `Engine` makes an `Image` from a folder and a `Box` from an image; a `Shell` runs commands in it.

Everything in a box is hostile. Implementations are thread-safe; one `Engine` serves all trials of a process. Errors:
`InfraError` when our side failed, `BuildFailed` when the candidate's image does not build, `BoxGone` when a box ended.
`docker.py` and `namespace.py` are the real ones, `fake.py` the one for unit tests.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from envwheel.api import BaseImage
from envwheel.sandbox.room import Room

if TYPE_CHECKING:
    from envwheel.sandbox.aliases import Alias

Role = Literal["work", "verifier", "proposer"]


@dataclass(frozen=True, slots=True)
class BoxLimits:
    """What a box may use: CPUs, MiB of memory (no swap), MiB of disk, processes."""

    cpus: float = 1.0
    memory_mb: int = 2048
    disk_mb: int = 4096
    processes: int = 256

    def scaled(self, fraction: float) -> BoxLimits:
        """The same limits times `fraction` (0 < fraction <= 1), whole numbers rounded up."""
        return BoxLimits(
            cpus=self.cpus * fraction,
            memory_mb=-int(-self.memory_mb * fraction // 1),
            disk_mb=-int(-self.disk_mb * fraction // 1),
            processes=-int(-self.processes * fraction // 1),
        )


@dataclass(frozen=True, slots=True)
class BoxSpec:
    """One box to start.

    `user` and `workdir` None mean the image's own. `clock_days` shifts the clock that programs see. `lifetime_s` is a
    hard end even if the orchestrator is gone.
    """

    image: str
    role: Role
    user: str | None = None
    workdir: str | None = None
    network: bool = False
    limits: BoxLimits = field(default_factory=BoxLimits)
    env: Mapping[str, str] = field(default_factory=dict)
    hostname: str | None = None
    clock_days: int = 0
    lifetime_s: float = 3600.0


@dataclass(frozen=True, slots=True)
class Image:
    """A built or resolved image. `id` is the engine's content id; `base_id` the id of the image it was built FROM.

    `aliases`: (reference that was asked for, what was used in its place), for it and the images it was built from.
    """

    id: str
    user: str = ""
    workdir: str = ""
    base_id: str = ""
    aliases: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class LayerFile:
    """A regular file in a layer that an image adds to its base; `visible` is False when a later layer removed it."""

    path: str
    size: int
    layer: int
    visible: bool
    read: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class CommandResult:
    """`exit_code` is None when the command was killed for time or output; `output` is capped (head and tail kept).

    `shell_lost`: the shell itself had to be replaced, so its variables and working directory are gone.
    """

    exit_code: int | None
    output: str
    seconds: float
    timed_out: bool = False
    truncated: bool = False
    shell_lost: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """What a box has used so far; None where the engine cannot tell."""

    peak_mb: float | None = None
    cpu_s: float | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One member of a `Tree`. `mode` holds permission bits only."""

    kind: Literal["file", "dir", "link"]
    mode: int
    data: bytes = b""
    target: str = ""


@dataclass(frozen=True, slots=True)
class Tree:
    """Files taken out of a box or to be put into one: absolute path -> entry, parents before children.

    `dropped` lists what was left out for safety (devices, FIFOs, links that leave the tree), one line each.
    """

    entries: Mapping[str, Entry] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()

    def sha256(self) -> str:
        """Content hash over path, kind, mode and bytes."""
        digest = hashlib.sha256()
        for path in sorted(self.entries):
            entry = self.entries[path]
            head = f"{path}\0{entry.kind}\0{entry.mode:o}\0{entry.target}\0{len(entry.data)}\0"
            digest.update(head.encode("utf-8", "surrogateescape") + entry.data)
        return digest.hexdigest()

    def merged(self, other: Tree) -> Tree:
        """Both trees in one; `other` wins where paths are equal."""
        return Tree({**self.entries, **other.entries}, self.dropped + other.dropped)


@dataclass(frozen=True, slots=True)
class ArchiveCaps:
    """Caps on what is copied out of a box: MiB of apparent size, members."""

    size_mb: int = 64
    members: int = 10_000


class ArtifactLimit(Exception):
    """What was asked for is larger than the caps allow."""


class Shell(Protocol):
    """A persistent shell in a box: variables and working directory stay from command to command."""

    def run(self, command: str, *, timeout_s: float = 120.0, output_cap: int = 1 << 20) -> CommandResult:
        """Run `command` (bash), stderr with stdout. At the time limit its processes are killed.

        Raises BoxGone, InfraError.
        """

    def close(self) -> None:
        """End the shell and what it runs in the foreground."""


class Box(Protocol):
    """One live sandbox. Leaving its context closes it."""

    id: str
    spec: BoxSpec

    def shell(self, *, user: str | None = None, env: Mapping[str, str] | None = None) -> Shell:
        """A new persistent shell as `user` (None: the box's own) in the working directory. BoxGone, InfraError."""

    def put(self, tree: Tree, *, owner: tuple[int, int] = (0, 0)) -> None:
        """Write `tree` into the box (before or after `start`ed processes), all of it owned by `owner`."""

    def get(self, path: str, caps: ArchiveCaps = ArchiveCaps()) -> Tree | None:
        """Copy the file or folder at `path` out; None when it is not there. Works after `stop` too.

        Raises ArtifactLimit over the caps, InfraError.
        """

    def stop(self) -> None:
        """Kill every process in the box; files stay. Afterwards only `get`, `usage` and `close` make sense."""

    def usage(self) -> Usage:
        """Peak memory and CPU time so far (call before `stop`; afterwards the last known figures)."""

    def gone(self) -> str | None:
        """None while the box lives, else the reason as in `BoxGone.reason`."""

    def close(self) -> None:
        """Remove the box and all it holds. Never raises for a box that is already gone."""

    def __enter__(self) -> Box: ...

    def __exit__(self, *exc: object) -> None: ...


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep removed."""

    boxes: int = 0
    images: int = 0


class Engine(Protocol):
    """Makes images and boxes."""

    name: str
    lacks: frozenset[str]
    """What this engine cannot do on this host: "users", "limits", "clock", "confined_builds"."""
    room: Room
    """The memory that trials share."""

    def build(self, context: Path, *, timeout_s: float = 600.0, network: bool = True) -> Image:
        """The image of the folder `context` with its Dockerfile; built once per content, then reused.

        Raises BuildFailed (also when its base image is nowhere to be had), InfraError.
        """

    def image(self, reference: str) -> Image:
        """A ready image by name: local, known base (made when missing), alias or registry. Raises BuildFailed."""

    def alias(self, alias: Alias) -> None:
        """Let `alias.image`, with its packages, stand for `alias.name` from now on. Raises BuildFailed, InfraError."""

    def ensure(self, base: BaseImage) -> Image:
        """The image of a domain's base, made when it is missing or its recipe changed. BuildFailed, InfraError."""

    def image_files(self, image: Image) -> Iterator[LayerFile]:
        """Every regular file of every layer that `image` adds to its base, files deleted later included."""

    def start(self, spec: BoxSpec) -> Box:
        """A fresh box. Raises InfraError."""

    def remove(self, image: Image) -> None:
        """Forget an image that `build` made; base images stay."""

    def describe(self) -> Mapping[str, str]:
        """Version, storage and limits of this engine, for `doctor` and evidence."""

    def sweep(self, *, everything: bool = False) -> Swept:
        """Remove boxes and images whose owner is dead or whose time is over; `everything`: all that is ours."""

    def close(self) -> None:
        """Remove what this process still holds."""
