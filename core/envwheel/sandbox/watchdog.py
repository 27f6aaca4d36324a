"""Watches the disk while boxes live or images build, because overlay storage has no quota of its own.

About twice a second, but only when the disk's free space moved, a box's writable layer is summed up (blocks and a floor
per inode, so that neither sparse nor empty files fool it; files that are open but deleted count too). A box over its
limit is killed with reason `disk_limit`, as is the one that grew most when the disk itself runs full. A build is
stopped over its apparent size, because committing a sparse file writes it out in full. It also ends boxes that outlive
their lifetime.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from envwheel.errors import InfraError
from envwheel.sandbox import disk
from envwheel.sandbox.base import BoxSpec
from envwheel.sandbox.daemon import Daemon

PERIOD_S = 0.5
LOOK_ANYWAY_S = 5.0
"""A box is measured this often even if free space did not move: somebody may delete as fast as it writes."""
SHARE = 0.1
"""Measuring takes at most this part of the time."""
FREE_FLOOR = 2 << 30
NOTICEABLE = 1 << 20


class Killable(Protocol):
    """What the watchdog knows of a box."""

    id: str
    spec: BoxSpec

    def end(self, reason: str) -> None:
        """Kill it."""


@dataclass(slots=True)
class _Watched:
    box: Killable
    expires: float
    folders: tuple[Path, ...] | None = None
    size: int = 0
    grew: int = 0
    free_then: int = 0
    measured: float = 0.0
    next_at: float = 0.0


@dataclass(slots=True)
class WatchedBuild:
    """A build under watch; `over` says by how much it was over, when it was."""

    key: str
    over: str = ""
    folders: dict[str, tuple[Path, ...]] = field(default_factory=dict)


class Watchdog:
    """One thread, alive while there is something to watch."""

    def __init__(self, daemon: Daemon, root: Path, step_mb: int) -> None:
        self._daemon, self._step = daemon, step_mb << 20
        self._root = root if daemon.local and root.is_dir() else None
        self._boxes: dict[str, _Watched] = {}
        self._builds: list[WatchedBuild] = []
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, box: Killable) -> None:
        """Watch `box` until `drop`."""
        with self._lock:
            self._boxes[box.id] = _Watched(box, time.monotonic() + box.spec.lifetime_s)
        self._run()

    def drop(self, box: Killable) -> None:
        """Watch it no longer."""
        with self._lock:
            self._boxes.pop(box.id, None)

    @contextmanager
    def build(self, key: str) -> Iterator[WatchedBuild]:
        """Watch the containers of the build labelled `key`."""
        self.check_free()
        watched = WatchedBuild(key)
        with self._lock:
            self._builds.append(watched)
        self._run()
        try:
            yield watched
        finally:
            with self._lock:
                self._builds.remove(watched)

    def check_free(self) -> None:
        """Raise InfraError when the daemon's disk has no room for another box or build."""
        free = self._free()
        if free is not None and free < FREE_FLOOR:
            raise InfraError(
                "disk",
                f"{self._root} has {free >> 20} MiB left, less than {FREE_FLOOR >> 20}: free some room "
                "(`envwheel gc`, `docker system df`).",
            )

    def close(self) -> None:
        """Stop watching."""
        with self._lock:
            self._boxes.clear()
            self._builds.clear()
        self._wake.set()

    def _run(self) -> None:
        with self._lock:
            if self._thread is None:
                self._wake.clear()
                self._thread = threading.Thread(target=self._loop, name="envwheel-disk", daemon=True)
                self._thread.start()

    def _loop(self) -> None:
        while True:
            self._wake.wait(PERIOD_S)
            with self._lock:
                boxes, builds = list(self._boxes.values()), list(self._builds)
                if not boxes and not builds:
                    self._thread = None
                    return
            # The daemon may be slow or gone for a moment; the next look comes soon.
            with contextlib.suppress(InfraError):
                self._look(boxes, builds)

    def _look(self, boxes: list[_Watched], builds: list[WatchedBuild]) -> None:
        free = self._free()
        now = time.monotonic()
        for watched in boxes:
            if now > watched.expires:
                watched.box.end("lifetime")
            elif self._due(watched, free, now):
                self._measure(watched, free, now)
        if free is not None and free < FREE_FLOOR:
            self._relieve(boxes)
        for build in builds:
            self._look_at_build(build, crowded=free is not None and free < FREE_FLOOR)

    def _free(self) -> int | None:
        if self._root is None:
            return None
        status = os.statvfs(self._root)
        # An empty file costs an inode, not a block.
        return min(status.f_bavail * status.f_frsize, status.f_favail * disk.INODE_BYTES or 1 << 62)

    def _due(self, watched: _Watched, free: int | None, now: float) -> bool:
        if now < watched.next_at:
            return False
        moved = free is not None and abs(watched.free_then - free) > NOTICEABLE
        return moved or now - watched.measured > LOOK_ANYWAY_S

    def _measure(self, watched: _Watched, free: int | None, now: float) -> None:
        if watched.folders is None:
            watched.folders = self._folders(watched.box.id)
        size = disk.used(watched.folders, watched.box.id) if watched.folders else self._asked(watched.box.id)
        if size is None:
            return
        watched.grew, watched.size = size - watched.size, size
        watched.free_then, watched.measured = free or 0, now
        watched.next_at = now + (time.monotonic() - now) / SHARE
        if size > watched.box.spec.limits.disk_mb << 20:
            watched.box.end("disk_limit")

    def _relieve(self, boxes: list[_Watched]) -> None:
        growing = [watched for watched in boxes if watched.grew > NOTICEABLE]
        if growing:
            max(growing, key=lambda watched: watched.grew).box.end("disk_limit")

    def _folders(self, container: str) -> tuple[Path, ...]:
        """The writable folders of a container on this host: its layer and its volumes; empty when out of reach."""
        seen = self._daemon.call("inspect a box", lambda api: api.inspect_container(container), ignore=(404,))
        upper = (((seen or {}).get("GraphDriver") or {}).get("Data") or {}).get("UpperDir")
        volumes = [mount["Source"] for mount in (seen or {}).get("Mounts") or [] if mount["Type"] == "volume"]
        if self._root is None or not upper or not os.access(upper, os.R_OK | os.X_OK):
            return ()
        return (Path(upper), *map(Path, volumes))

    def _asked(self, container: str) -> int | None:
        url = self._daemon.api._url("/containers/{0}/json", container)
        seen = self._daemon.call(
            "measure a box", lambda api: api._result(api._get(url, params={"size": 1}), json=True), ignore=(404,)
        )
        return (seen or {}).get("SizeRw")

    def _look_at_build(self, build: WatchedBuild, *, crowded: bool) -> None:
        filters = {"label": f"envwheel.build={build.key}"}
        found = self._daemon.call("list containers", lambda api: api.containers(all=True, filters=filters)) or []
        for container in found:
            name = container["Id"]
            if name not in build.folders:
                build.folders[name] = self._folders(name)
            size = disk.apparent(build.folders[name])
            if size > self._step or (crowded and size > NOTICEABLE):
                build.over = f"{size >> 20} MiB in one step, {self._step >> 20} are allowed"
                self._daemon.call("stop a build step", lambda api: api.kill(name), ignore=(404, 409))  # noqa: B023
                disk.defuse(build.folders[name])
