"""Shifts the clock that a box's programs see, with libfaketime by read-only mounts: it holds under `env -i` too.

Static programs and programs of another C library are not shifted.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

NAME = "libfaketime.so.1"
RETRY_S = 24 * 3600.0
IN_BOX = "/usr/local/lib/envwheel-clock.so"


@dataclass(frozen=True, slots=True)
class FakeTime:
    """The library on this host, and a folder for the small files that are mounted beside it."""

    library: Path
    folder: Path

    @classmethod
    def find(cls) -> FakeTime | None:
        """The library from the host's package or from the cache; None when neither has it."""
        folder = cache() / "clock"
        installed = sorted(Path("/usr/lib").glob(f"*/faketime/{NAME}"))
        kept = folder / NAME
        if installed:
            return cls(installed[0], folder)
        return cls(kept, folder) if kept.is_file() else None

    @classmethod
    def find_or_fetch(cls) -> FakeTime | None:
        """`find`, else `fetch`, which is not tried again for a day after it failed."""
        found = cls.find()
        failed = cache() / "clock" / "failed"
        if found or (failed.exists() and time.time() - failed.stat().st_mtime < RETRY_S):
            return found
        fetched = cls.fetch()
        if fetched is None:
            with contextlib.suppress(OSError):
                failed.parent.mkdir(parents=True, exist_ok=True)
                failed.touch()
        return fetched

    @classmethod
    def fetch(cls) -> FakeTime | None:
        """Download Debian's package into the cache (no installation, no root); None where that does not work."""
        if not (shutil.which("apt-get") and shutil.which("dpkg")):
            return None
        folder = cache() / "clock"
        with tempfile.TemporaryDirectory() as scratch:
            try:
                run = {"cwd": scratch, "capture_output": True, "timeout": 60, "check": True}
                subprocess.run(["apt-get", "download", "libfaketime"], **run)  # type: ignore[call-overload]
                package = next(Path(scratch).glob("libfaketime_*.deb"))
                subprocess.run(["dpkg", "-x", str(package), "unpacked"], **run)  # type: ignore[call-overload]
                library = next(Path(scratch).glob(f"unpacked/usr/lib/*/faketime/{NAME}"))
            except (OSError, subprocess.SubprocessError, StopIteration):
                return None
            folder.mkdir(parents=True, exist_ok=True)
            _write(folder / NAME, library.read_bytes())
        return cls(folder / NAME, folder)

    def mounts(self, days: int) -> Mapping[str, str]:
        """Host file -> place in the box for a clock that is `days` ahead (behind when negative)."""
        self.folder.mkdir(parents=True, exist_ok=True)
        preload, setting = self.folder / "ld.so.preload", self.folder / f"faketimerc{days:+d}"
        _write(preload, f"{IN_BOX}\n".encode())
        _write(setting, f"{days:+d}d\n".encode())
        return {str(self.library): IN_BOX, str(preload): "/etc/ld.so.preload", str(setting): "/etc/faketimerc"}


def cache() -> Path:
    """Where envwheel keeps what it can make again."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "envwheel"


def _write(path: Path, data: bytes) -> None:
    """Write once, atomically: a box may have the file mounted."""
    with contextlib.suppress(OSError):
        if path.read_bytes() == data:
            return
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.chmod(name, 0o644)
    os.replace(name, path)
