"""Memory for trials: those that run together are promised no more than the machine has.

A limit is what a task may use; were the sum of all limits above the machine's memory, the kernel could end a box that
is within its own, and our failure would look like the candidate's.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SHARE = 0.9
"""Of the machine's memory; the rest is for the engine and for us."""


class Room:
    """`total_mb` MiB to share. Thread-safe; who comes first is served first, so that nobody waits for ever."""

    def __init__(self, total_mb: float) -> None:
        self.free_mb = self.total_mb = total_mb
        self._queue: deque[object] = deque()
        self._changed = threading.Condition()

    @classmethod
    def of_machine(cls, total_mb: float | None = None) -> Room:
        """Most of `total_mb`, else of this machine's memory."""
        return cls(SHARE * (total_mb or _machine_mb()))

    def give_up(self, mb: float) -> None:
        """Leave `mb` MiB to others for good, down to half of what there was. Nothing may be taken yet."""
        self.free_mb = self.total_mb = max(self.total_mb - mb, self.total_mb / 2)

    @contextmanager
    def taken(self, mb: float) -> Iterator[None]:
        """Hold `mb` MiB; wait until they are free. What is larger than all there is runs alone."""
        mb = min(mb, self.total_mb)
        ticket = object()
        with self._changed:
            self._queue.append(ticket)
            try:
                self._changed.wait_for(lambda: self._queue[0] is ticket and mb <= self.free_mb)
                self.free_mb -= mb
            finally:
                self._queue.remove(ticket)
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self.free_mb += mb
                self._changed.notify_all()


def _machine_mb() -> float:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemTotal:"):
            return int(line.split()[1]) / 1024
    return 1024.0
