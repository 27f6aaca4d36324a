"""An engine in memory, for unit tests of everything above the engine (a domain's tests may use it too).

A box is a dict of files. A command is answered by the program whose marker stands in the command, or in a script that
the command names (`rm -rf PATH...` is understood as well); no process is ever started:

    engine = FakeEngine({"base": {"/usr/bin/python3": b""}})
    engine.program("MAKE-IT", lambda run: run.write("/app/out.txt", "hello\\n"))
    engine.program("GRADE-IT", lambda run: run.write("/logs/verifier/reward.txt", run.read("/app/out.txt") and "1"))

`build` understands FROM, WORKDIR, USER, COPY of files and folders, and RUN lines that a program answers. Failures are
injected with `fail_start`, `fail_build`, or by a program that raises (`BoxGone`, `InfraError`) or returns a
`CommandResult`. `engine.boxes` lists every box that was started, `engine.live` those not closed yet; `held` counts the
uses of each built image that were not given back, `most_held` is how many there ever were at a time.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
import shlex
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from envwheel.api import BaseImage
from envwheel.errors import BoxGone, BuildFailed
from envwheel.sandbox.aliases import Alias, normalised
from envwheel.sandbox.base import (
    ArchiveCaps,
    ArtifactLimit,
    BoxSpec,
    CommandResult,
    Entry,
    Image,
    LayerFile,
    Swept,
    Tree,
    Usage,
)
from envwheel.sandbox.room import Room

BASE = "envwheel/base:bookworm"
DEFAULT_CAPS = ArchiveCaps()


@dataclass(slots=True)
class Run:
    """One command in a fake box, as a program sees it."""

    box: FakeBox
    command: str
    user: str
    env: Mapping[str, str]
    timeout_s: float

    def read(self, path: str) -> str | None:
        """Text of the file at `path`, None when it is not there."""
        entry = self.box.files.get(path)
        return entry.data.decode("utf-8", "replace") if entry and entry.kind == "file" else None

    def write(self, path: str, content: str | bytes, mode: int = 0o644) -> None:
        """Make the file at `path` and the folders above it."""
        data = content.encode() if isinstance(content, str) else content
        self.box.files[path] = Entry("file", mode, data)

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with all below it."""
        for name in [name for name in self.box.files if name == path or name.startswith(path + "/")]:
            del self.box.files[name]

    def glob(self, folder: str) -> list[str]:
        """Paths of all files below `folder`, sorted."""
        return sorted(name for name in self.box.files if name.startswith(folder.rstrip("/") + "/"))


Program = Callable[[Run], "CommandResult | int | str | None"]
"""What answers a command: its exit code, its output (exit 0), a whole result, or None for exit 0."""


@dataclass(slots=True)
class _FakeImage:
    image: Image
    files: dict[str, Entry]
    layers: list[LayerFile] = field(default_factory=list)


class FakeShell:
    """A shell of a fake box."""

    def __init__(self, box: FakeBox, user: str, env: Mapping[str, str]) -> None:
        self.box, self.user, self.env = box, user, env

    def run(self, command: str, *, timeout_s: float = 120.0, output_cap: int = 1 << 20) -> CommandResult:
        """The answer of every program whose marker is in the command or in a script it names; the last one counts."""
        self.box.check()
        self.box.commands.append(command)
        result = CommandResult(0, "", 0.0)
        text = self.box.text_of(command)
        run = Run(self.box, command, self.user, {**self.box.spec.env, **self.env}, timeout_s)
        for path in _removed(command):
            run.remove(path)
        for marker, program in self.box.engine.programs:
            if marker in text:
                result = _result(program(run))
        self.box.check()
        return replace(result, output=result.output[:output_cap])

    def close(self) -> None:
        """Nothing is held."""


class FakeBox:
    """A box that is a dict of files."""

    def __init__(self, engine: FakeEngine, spec: BoxSpec, image: _FakeImage, number: int) -> None:
        self.engine, self.spec, self.image = engine, spec, image.image
        self.id = f"fake-{number}"
        self.files = dict(image.files)
        self.commands: list[str] = []
        self.peak_mb: float | None = None
        self.reason: str | None = None
        self.stopped = False

    def check(self) -> None:
        """Raise BoxGone when a program killed this box."""
        if self.reason:
            raise BoxGone(self.reason, f"box {self.id} is gone: {self.reason}")

    def kill(self, reason: str = "died") -> None:
        """End the box under its user's hands."""
        self.reason = reason

    def text_of(self, command: str) -> str:
        """The command with the text of every file it names."""
        named = [entry for path, entry in self.files.items() if path in command]
        return "\n".join([command, *(entry.data.decode("utf-8", "replace") for entry in named)])

    def shell(self, *, user: str | None = None, env: Mapping[str, str] | None = None) -> FakeShell:
        """A shell as `user`."""
        self.check()
        return FakeShell(self, user or self.spec.user or self.image.user or "root", env or {})

    def put(self, tree: Tree, *, owner: tuple[int, int] = (0, 0)) -> None:
        """Add files."""
        self.check()
        self.files.update(tree.entries)

    def get(self, path: str, caps: ArchiveCaps = DEFAULT_CAPS) -> Tree | None:
        """The file or folder at `path`."""
        below = {n: e for n, e in sorted(self.files.items()) if n == path or n.startswith(path.rstrip("/") + "/")}
        if not below:
            return None
        if len(below) > caps.members or sum(len(e.data) for e in below.values()) > caps.size_mb << 20:
            raise ArtifactLimit(f"{path} is over {caps.size_mb} MiB or {caps.members} members")
        leaving = {n: e for n, e in below.items() if e.kind == "link" and e.target.startswith("/")}
        kept = {n: e for n, e in below.items() if n not in leaving}
        if path not in kept and kept:
            kept = {path: Entry("dir", 0o755), **kept}
        return Tree(kept, tuple(f"{name}: link to '{entry.target}'" for name, entry in leaving.items()))

    def stop(self) -> None:
        """Files stay."""
        self.stopped = True

    def usage(self) -> Usage:
        """What a program set as `peak_mb`."""
        return Usage(self.peak_mb, None)

    def gone(self) -> str | None:
        """Why the box is gone, if it is."""
        return self.reason

    def close(self) -> None:
        """Forget the box."""
        self.engine.live.pop(self.id, None)

    def __enter__(self) -> FakeBox:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class FakeEngine:
    """An `Engine` without processes. `bases`: image name -> files; `envwheel/base:bookworm` is always there."""

    name = "fake"

    def __init__(self, bases: Mapping[str, Mapping[str, bytes]] | None = None, lacks: frozenset[str] = frozenset()):
        self.lacks = lacks
        self.room = Room.of_machine()
        self.programs: list[tuple[str, Program]] = []
        self.boxes: list[FakeBox] = []
        self.live: dict[str, FakeBox] = {}
        self.removed: list[str] = []
        self.held: Counter[str] = Counter()
        self.most_held = 0
        self.builds = 0
        self._aliases: dict[str, tuple[str, str]] = {}
        self._images: dict[str, _FakeImage] = {}
        self._starts: dict[int, Exception] = {}
        self._lock = threading.Lock()
        for name, files in {BASE: {}, **(bases or {})}.items():
            entries = {path: Entry("file", 0o644, data) for path, data in files.items()}
            self._images[name] = _FakeImage(Image(name, user="root", workdir="/app"), entries)

    def program(self, marker: str, answer: Program) -> None:
        """Let `answer` play every script or command in which `marker` stands."""
        self.programs.append((marker, answer))

    def fail_start(self, number: int, error: Exception) -> None:
        """Raise `error` at the `number`-th start (from 1)."""
        self._starts[number] = error

    def build(self, context: Path, *, timeout_s: float = 600.0, network: bool = True) -> Image:
        """Read the Dockerfile of `context`; one image per content."""
        digest = hashlib.sha256()
        for path in sorted(path for path in context.rglob("*") if path.is_file()):
            digest.update(f"{path.relative_to(context)}\0".encode() + path.read_bytes() + b"\0")
        key = "sha256:" + digest.hexdigest()
        with self._lock:
            if key not in self._images:
                self.builds += 1
                self._images[key] = _Dockerfile(self, context, key).built()
            self.held[key] += 1
            self.most_held = max(self.most_held, len(+self.held))
            return replace(self._images[key].image)

    def image(self, reference: str) -> Image:
        """A base by name."""
        return self.base(reference).image

    def alias(self, alias: Alias) -> None:
        """Let another base stand in; packages change its name only."""
        if alias.image not in self._images:
            raise BuildFailed(f"There is no image '{alias.image}'.")
        self._aliases[alias.name] = alias.image, alias.shown

    def ensure(self, base: BaseImage) -> Image:
        """A domain's base: there already, or empty."""
        with self._lock:
            if base.tag not in self._images:
                self._images[base.tag] = _FakeImage(Image(f"sha256:{base.tag}"), {})
            return self._images[base.tag].image

    def image_files(self, image: Image) -> Iterator[LayerFile]:
        """What the Dockerfile copied."""
        yield from self._images[image.id].layers

    def start(self, spec: BoxSpec) -> FakeBox:
        """A box with the image's files, or the injected error."""
        with self._lock:
            number = len(self.boxes) + 1
            box = FakeBox(self, spec, self._images[spec.image], number)
            self.boxes.append(box)
            if number in self._starts:
                raise self._starts[number]
            self.live[box.id] = box
            return box

    def remove(self, image: Image) -> None:
        """Note that the image was given back; with the last use it is gone."""
        with self._lock:
            self.removed.append(image.id)
            self.held[image.id] -= 1

    def describe(self) -> Mapping[str, str]:
        """Nothing to tell."""
        return {"engine": "fake"}

    def sweep(self, *, everything: bool = False) -> Swept:
        """Nothing outlives this process."""
        return Swept()

    def close(self) -> None:
        """Forget all boxes."""
        self.live.clear()

    def base(self, name: str) -> _FakeImage:
        """The image that a FROM line names. Raises BuildFailed."""
        if known := self._aliases.get(normalised(name)):
            found = self._images[known[0]]
            return replace(found, image=replace(found.image, aliases=((normalised(name), known[1]),)))
        if name not in self._images:
            raise BuildFailed(f"There is no image '{name}'.", log_tail=f"FROM {name}: not found")
        return self._images[name]


class _Dockerfile:
    """The few instructions that tests need."""

    def __init__(self, engine: FakeEngine, context: Path, key: str) -> None:
        self.engine, self.context, self.key = engine, context, key
        self.files: dict[str, Entry] = {}
        self.layers: list[LayerFile] = []
        self.user, self.workdir, self.base_id = "", "/", ""
        self.aliases: tuple[tuple[str, str], ...] = ()

    def built(self) -> _FakeImage:
        """The image after the last line. Raises BuildFailed."""
        for line in (self.context / "Dockerfile").read_text("utf-8").replace("\\\n", " ").splitlines():
            word, _, rest = line.strip().partition(" ")
            step = getattr(self, "_" + word.lower(), None) if word.isupper() else None
            if step:
                step(rest.strip())
        image = Image(self.key, self.user, self.workdir, self.base_id, self.aliases)
        return _FakeImage(image, self.files, self.layers)

    def _from(self, rest: str) -> None:
        base = self.engine.base(rest.split()[0])
        self.files = dict(base.files)
        self.user, self.workdir, self.base_id = base.image.user, base.image.workdir, base.image.id
        self.aliases = base.image.aliases

    def _workdir(self, rest: str) -> None:
        self.workdir = rest

    def _user(self, rest: str) -> None:
        self.user = rest

    def _copy(self, rest: str) -> None:
        *sources, target = [word for word in rest.split() if not word.startswith("--")]
        for source in sources:
            path = self.context / source
            if not path.exists():
                raise BuildFailed(f"COPY {source}: no such file", log_tail=f"COPY {source}: no such file")
            for file in [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file()):
                below = str(file.relative_to(path)) if path.is_dir() else (file.name if target.endswith("/") else "")
                self._add(posixpath.normpath(posixpath.join(self.workdir, target, below)), file)

    def _add(self, where: str, file: Path) -> None:
        data, mode = file.read_bytes(), file.stat().st_mode & 0o777
        self.files[where] = Entry("file", mode, data)
        self._layer(where, data)

    def _layer(self, where: str, data: bytes) -> None:
        self.layers.append(LayerFile(where, len(data), len(self.layers), True, lambda: data))

    def _run(self, rest: str) -> None:
        image = _FakeImage(Image(self.key, self.user, self.workdir), self.files)
        box = FakeBox(self.engine, BoxSpec(self.key, "work"), image, 0)
        result = box.shell(user="root").run(rest)
        if result.exit_code != 0:
            raise BuildFailed(f"RUN {rest} ended with {result.exit_code}", log_tail=result.output)
        for where, entry in box.files.items():
            if self.files.get(where) != entry:
                self._layer(where, entry.data)
        self.files = box.files


def _result(answer: CommandResult | int | str | None) -> CommandResult:
    if isinstance(answer, CommandResult):
        return answer
    if isinstance(answer, str):
        return CommandResult(0, answer, 0.01)
    return CommandResult(answer or 0, "", 0.01)


def _removed(command: str) -> list[str]:
    """The paths of the `rm -rf` in `command`."""
    found = re.search(r"rm -rf (?:-- )?([^;&|\n]*)", command)
    return [word for word in shlex.split(found[1]) if word.startswith("/")] if found else []
