"""Builds a Dockerfile of the common kind with the engine's own boxes: one box a RUN, whose writable layer is kept.

buildah calls itself a dozen times a step; a box takes a tenth of that, and confines more. Every RUN and COPY has a
layer of its own, because the gate looks into layers for what a later one deleted.
"""

from __future__ import annotations

import contextlib
import io
import os
import posixpath
import secrets
import shutil
import stat
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from envwheel.errors import BoxGone, BuildFailed
from envwheel.sandbox import accounts, disk, userns
from envwheel.sandbox.base import BoxLimits, BoxSpec, Entry, Tree
from envwheel.sandbox.builds import LOG_LINES, BuildLimits
from envwheel.sandbox.kernel import BENEATH, NO_LINKS, open_in
from envwheel.sandbox.marker import quoted
from envwheel.sandbox.namespace import rooted
from envwheel.sandbox.namespace.box import NamespaceBox
from envwheel.sandbox.namespace.bubblewrap import files_of
from envwheel.sandbox.namespace.build_plan import Copy, Folder, Plan, Run, Uncommon
from envwheel.sandbox.namespace.image_store import Stored
from envwheel.sandbox.namespace.places import Place, Places
from envwheel.sandbox.namespace.wards import Wards
from envwheel.sandbox.within import CAPABILITIES

RIGHTS = (*CAPABILITIES, "FSETID", "SETFCAP")
"""What installing software needs besides."""
STEPS, LAYER = "steps", "upper"
"""Of a build's folder: every step has a folder in the first, whose layer is called like the second."""
END_S = 20.0


@dataclass(frozen=True, slots=True)
class Job:
    """One build: where it goes, the context as a tar, the plan, the image it starts from, its limits."""

    folder: Path
    tar: bytes
    plan: Plan
    base: Stored
    limits: BuildLimits
    network: bool


class Steps:
    """Does one job. `kill` ends the step that is running."""

    def __init__(self, places: Places, job: Job) -> None:
        self._places, self._job = places, job
        self._layers: list[str] = list(job.base.layers)
        self._pending: list[str] = []
        self._context = Context(job.tar)
        self._log: list[str] = []
        self._box: NamespaceBox | None = None

    def kill(self) -> None:
        """End the step that is running."""
        box = self._box
        if box is not None:
            box.end("disk_limit")

    def make(self, timeout_s: float) -> Stored:
        """The image. Raises BuildFailed, InfraError, and Uncommon when a step turns out to be beyond this."""
        deadline = time.monotonic() + timeout_s
        for step in self._job.plan.steps:
            left = deadline - time.monotonic()
            if left <= 0:
                raise self._late(timeout_s)
            if isinstance(step, Folder):
                self._pending.append(step.path)
            elif isinstance(step, Copy):
                self._copy(step)
            elif not self._run(step, left):
                raise self._late(timeout_s)
        if self._pending:
            with self._layer():
                pass
        plan, base = self._job.plan, self._job.base
        return Stored(
            id=secrets.token_hex(32),
            user=plan.user,
            workdir=plan.workdir,
            env=dict(plan.env),
            base_id=base.id,
            layers=self._layers,
            stores=base.stores,
        )

    def _late(self, timeout_s: float) -> BuildFailed:
        return BuildFailed(f"The image did not build within {timeout_s:.0f} s.", self._tail())

    def _tail(self) -> str:
        return "\n".join(self._log[-LOG_LINES:])

    def _next(self) -> Path:
        folder = self._job.folder / STEPS / str(len(self._layers))
        folder.mkdir(parents=True)
        return folder

    def _keep(self, folder: Path) -> None:
        """Take what was written into `folder` as the next layer."""
        for name in ("work", "root", "layers"):
            shutil.rmtree(folder / name, ignore_errors=True)
        _take_names_back(folder / LAYER)
        self._layers = [str(folder / LAYER), *self._layers]

    @contextmanager
    def _layer(self) -> Iterator[int]:
        """The files so far, open for changes that make a layer of their own; nothing runs in it."""
        folder = self._next()
        with self._places.opened(self._layers, folder) as files:
            self._make_folders(files)
            yield files
        self._keep(folder)

    def _make_folders(self, files: int) -> None:
        for path in self._pending:
            rooted.make_folder(files, path)
        self._pending = []

    def _copy(self, step: Copy) -> None:
        self._log.append(f"COPY {' '.join(step.sources)} {step.target}")
        with self._layer() as files:
            owner = _owner(files, step.owner)
            place = step.target.rstrip("/") or "/"
            seen = _kind(files, place)
            folder = step.target.endswith("/") or seen == "dir"
            for source in step.sources:
                kind = self._context.kind(source)
                inside = folder or kind == "dir"
                if (inside and seen == "file") or seen == "link":
                    raise Uncommon(f"COPY to {step.target}, which is there and no folder")
                parent = place if inside else posixpath.dirname(place)
                if kind == "dir":
                    tree = self._context.below(source)
                    rooted.make_folder(files, posixpath.dirname(parent))  # as Docker does, its own
                else:
                    name = posixpath.basename(source if inside else place)
                    tree = Tree({f"/{name}": self._context.entries[source]})
                _put(files, parent, tree, owner)

    def _run(self, step: Run, seconds: float) -> bool:
        """Whether it came to its end in time. Raises BuildFailed when that was a bad one."""
        self._log.append(f"RUN {step.script}")
        folder = self._next()
        limits = self._job.limits
        spec = BoxSpec(
            image="",
            role="work",
            user=step.user or "root",
            workdir=step.workdir,
            hostname="build",
            network=self._job.network,
            limits=BoxLimits(float(os.cpu_count() or 1), limits.memory_mb, limits.file_mb, limits.processes),
            lifetime_s=seconds + 60,
        )
        image = replace(self._job.base, id="", env=dict(step.env), layers=self._layers)
        box_id = secrets.token_hex(6)
        try:
            place = self._places.make(spec, image, box_id, folder, self._make_folders)
            box = NamespaceBox(_Keeper(self._places), box_id, spec, place, image, RIGHTS)
            with box:
                self._box = box
                if spec.network:
                    box.join_network()
                ran = box.shell().run(f"/bin/sh -c {quoted(step.script)}", timeout_s=seconds)
        except BoxGone as gone:
            raise BuildFailed(f"The image does not build: {step.script[:200]}: {gone}", self._tail()) from gone
        finally:
            self._box = None
        self._log += ran.output.splitlines()[-LOG_LINES:]
        if ran.timed_out:
            return False
        if ran.exit_code != 0:
            how = "printed too much" if ran.exit_code is None else f"returned a non-zero code: {ran.exit_code}"
            words = f"The command '/bin/sh -c {step.script[:500]}' {how}"
            raise BuildFailed(f"The image does not build: {words}", self._tail())
        # It may have been quicker than the watch.
        over = too_much(disk.apparent([folder / LAYER]), limits.step_mb << 20)
        if over:
            raise BuildFailed(f"The build used more disk than it may: {over}.", self._tail())
        self._keep(folder)
        return True


def too_much(size: int, limit: int) -> str:
    """By how much a layer of `size` bytes is over, "" when it is not."""
    return f"{size >> 20} MiB in one step, {limit >> 20} are allowed" if size > limit else ""


class Context:
    """A build context by path: `.` is all of it."""

    def __init__(self, tar: bytes) -> None:
        self.entries: dict[str, Entry] = {}
        with tarfile.open(fileobj=io.BytesIO(tar)) as archive:
            for member in archive:
                name = posixpath.normpath(member.name)
                if member.issym():
                    self.entries[name] = Entry("link", 0o777, target=member.linkname)
                elif member.isdir():
                    self.entries[name] = Entry("dir", member.mode)
                else:
                    file = archive.extractfile(member)
                    self.entries[name] = Entry("file", member.mode, file.read() if file else b"")

    def kind(self, source: str) -> str:
        """Whether it is a "file" or a "dir". Raises BuildFailed when it is not there, Uncommon for a link."""
        if source == ".":
            return "dir"
        found = self.entries.get(source)
        if found is None:
            raise BuildFailed(f"The image does not build: COPY failed: {source}: not in the build context.")
        if found.kind == "link":
            raise Uncommon(f"COPY {source}, a link")
        return found.kind

    def below(self, source: str) -> Tree:
        """What is in a folder, not the folder itself."""
        prefix = "" if source == "." else f"{source}/"
        inside = {name: entry for name, entry in self.entries.items() if name.startswith(prefix)}
        return Tree({f"/{name.removeprefix(prefix)}": entry for name, entry in inside.items()})


class _Keeper:
    """Implements `box.Keeper`: a step's box belongs to nobody, and is gone when it is closed."""

    def __init__(self, places: Places) -> None:
        self.wards: Wards = places.wards

    def forget(self, box: NamespaceBox, place: Place) -> None:
        place.line.wait(["ended"], END_S)
        place.close()


def _owner(files: int, name: str) -> tuple[int, int]:
    if not name:
        return (0, 0)
    passwd, group = (rooted.text(files, f"etc/{file}") for file in ("passwd", "group"))
    try:
        found = accounts.account(name, passwd, group)
    except LookupError as error:
        raise BuildFailed(f"The image does not build: COPY --chown={name}: {error}.") from error
    return userns.owner((found.uid, found.gid))


def _kind(files: int, path: str) -> str:
    """What is at `path`: "dir" (a link to one too), "file", "link" to something else, or "" for nothing."""
    name = path.lstrip("/") or "."
    try:
        os.close(open_in(files, name, rooted.FOLDER))
        return "dir"
    except OSError:
        pass
    try:
        seen = open_in(files, name, os.O_PATH | os.O_NOFOLLOW)
    except OSError:
        return ""
    try:
        return "link" if stat.S_ISLNK(os.fstat(seen).st_mode) else "file"
    finally:
        os.close(seen)


def _put(files: int, folder: str, tree: Tree, owner: tuple[int, int]) -> None:
    """Write `tree` into a folder that is made, for `owner`, where it is missing. Raises Uncommon."""
    rooted.make_folder(files, folder, owner)
    try:
        place = open_in(files, folder.lstrip("/") or ".", rooted.FOLDER)
    except OSError as error:
        raise Uncommon(f"COPY into {folder}: {error}") from error
    try:
        rooted.put(place, tree, owner)
    finally:
        os.close(place)


def _take_names_back(layer: Path) -> None:
    """What `bubblewrap.files_of` put into a step's box is not part of its layer, nor what the step did to it."""
    with contextlib.suppress(OSError):
        top = os.open(layer, rooted.FOLDER)
        try:
            etc = open_in(top, "etc", rooted.FOLDER, resolve=BENEATH | NO_LINKS)
            try:
                for path in files_of("", network=False).entries:
                    with contextlib.suppress(OSError):
                        os.unlink(posixpath.basename(path), dir_fd=etc)
            finally:
                os.close(etc)
        finally:
            os.close(top)
