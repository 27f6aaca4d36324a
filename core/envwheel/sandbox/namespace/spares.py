"""Writable layers made ahead: one is kept at hand of each size in use."""

from __future__ import annotations

import os
import threading
from concurrent.futures import Future, ThreadPoolExecutor

from envwheel.sandbox.namespace.scratch import Scratch

SIZES = 4
"""So many sizes are kept at hand."""


class Spares:
    """Keeps one fresh writable layer of each size in use at hand, because making one takes as long as the whole box."""

    def __init__(self, scratch: Scratch) -> None:
        self.scratch = scratch
        self._lock = threading.Lock()
        self._ready: dict[int, Future[int]] = {}
        self._maker = ThreadPoolExecutor(1, thread_name_prefix="envwheel-spare")

    def take(self, disk_mb: int) -> list[int]:
        """The descriptor of a fresh loop device, none for tmpfs. Raises InfraError."""
        if self.scratch.kind != "loop":
            return []
        with self._lock:
            ready = self._ready.pop(disk_mb, None)
        device = ready.result() if ready else self.scratch.device(disk_mb)
        with self._lock:
            if disk_mb not in self._ready and len(self._ready) < SIZES:
                self._ready[disk_mb] = self._maker.submit(self.scratch.device, disk_mb)
        return [device]

    def close(self) -> None:
        """Free what nobody took."""
        self._maker.shutdown(wait=True)
        for ready in self._ready.values():
            if ready.exception() is None:
                os.close(ready.result())
