"""Watches the disk while boxes live or images build, because overlay storage has no quota of its own.

About twice a second a box is asked for the size of its writable layer; where telling takes long, only when the disk's
free space moved. A box over its limit is killed with reason `disk_limit`, as is the one that grew most when the disk
itself runs full. A build is stopped over its apparent size, because committing a sparse file writes it out in full. It
also ends boxes that outlive their lifetime.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from envwheel.errors import InfraError
from envwheel.sandbox.base import BoxSpec

PERIOD_S = 0.5
LOOK_ANYWAY_S = 5.0
"""A box is measured this often even if free space did not move: somebody may delete as fast as it writes."""
SHARE = 0.1
"""Measuring takes at most this part of the time."""
QUICK_S = 0.002
"""What is measured as fast as this is measured every time."""
FREE_FLOOR = 2 << 30
INODE_SHARE = 16 << 10
"""Bytes of a disk for each of its inodes, as file systems are usually made."""
NOTICEABLE = 1 << 20

LookAtBuild = Callable[[bool], str]
"""Called with whether the disk is running full; ends a build that takes too much and says by how much, else ""."""


class Killable(Protocol):
    """What the watchdog knows of a box."""

    id: str
    spec: BoxSpec

    def end(self, reason: str) -> None:
        """Kill it."""

    def disk_used(self) -> int | None:
        """Bytes that its writable layer holds; None when that cannot be told now."""


@dataclass(slots=True)
class _Watched:
    box: Killable
    expires: float
    size: int = 0
    grew: int = 0
    free_then: int = 0
    measured: float = 0.0
    took: float = 1.0
    next_at: float = 0.0


@dataclass(slots=True)
class WatchedBuild:
    """A build under watch; `over` says by how much it was over, when it was."""

    look: LookAtBuild
    over: str = ""


class Watchdog:
    """One thread, alive while there is something to watch."""

    def __init__(self, root: Path | None) -> None:
        """`root`: a folder on the disk that boxes and builds fill; None when it is out of reach."""
        self._root = root
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
    def build(self, look: LookAtBuild) -> Iterator[WatchedBuild]:
        """Watch a build, which `look` measures."""
        self.check_free()
        watched = WatchedBuild(look)
        with self._lock:
            self._builds.append(watched)
        self._run()
        try:
            yield watched
        finally:
            with self._lock:
                self._builds.remove(watched)

    def check_free(self) -> None:
        """Raise InfraError when the disk has no room for another box or build."""
        free = self._free()
        if free is not None and free < FREE_FLOOR:
            raise InfraError(
                "disk",
                f"{self._root} has {free >> 20} MiB left, less than {FREE_FLOOR >> 20}: free some room "
                "(`envwheel gc`, `du`, `docker system df`).",
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
        crowded = free is not None and free < FREE_FLOOR
        for build in builds:
            build.over = build.look(crowded) or build.over

    def _free(self) -> int | None:
        if self._root is None:
            return None
        status = os.statvfs(self._root)
        # An empty file costs an inode, not a block.
        return min(status.f_bavail * status.f_frsize, status.f_favail * INODE_SHARE or 1 << 62)

    def _due(self, watched: _Watched, free: int | None, now: float) -> bool:
        if now < watched.next_at:
            return False
        moved = free is not None and abs(watched.free_then - free) > NOTICEABLE
        return moved or watched.took < QUICK_S or now - watched.measured > LOOK_ANYWAY_S

    def _measure(self, watched: _Watched, free: int | None, now: float) -> None:
        size = watched.box.disk_used()
        if size is None:
            return
        watched.took = time.monotonic() - now
        watched.grew, watched.size = size - watched.size, size
        watched.free_then, watched.measured = free or 0, now
        watched.next_at = now + watched.took / SHARE
        if size > watched.box.spec.limits.disk_mb << 20:
            watched.box.end("disk_limit")

    def _relieve(self, boxes: list[_Watched]) -> None:
        growing = [watched for watched in boxes if watched.grew > NOTICEABLE]
        if growing:
            max(growing, key=lambda watched: watched.grew).box.end("disk_limit")
