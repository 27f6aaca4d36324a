"""How much disk a box's writable folders take, seen from the host; links are never followed."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

INODE_BYTES = 4096
"""What a file costs at least: empty ones use up the disk's inodes."""
ENDLESS = 1 << 62
"""The size of a folder so deep that its path cannot be said: nobody makes one by accident."""
DEFUSE_ABOVE = 1 << 20


def used(folders: Iterable[Path], processes: Iterable[int]) -> int:
    """Bytes on disk below `folders`, plus what `processes` hold open though it is deleted."""
    seen: set[tuple[int, int]] = set()
    total = 0
    for status in _everything(folders):
        if status is None:
            return ENDLESS
        total += _counted(status, seen)
    return total + sum(_counted(status, seen) for status in _open_but_deleted(processes))


def _counted(status: os.stat_result, seen: set[tuple[int, int]]) -> int:
    if status.st_nlink > 1 and not stat.S_ISDIR(status.st_mode):
        if (status.st_dev, status.st_ino) in seen:
            return 0
        seen.add((status.st_dev, status.st_ino))
    return max(status.st_blocks * 512, INODE_BYTES)


def apparent(folders: Iterable[Path]) -> int:
    """Bytes that a copy of everything below `folders` would write: holes and hard links count in full."""
    total = 0
    for status in _everything(folders):
        if status is None:
            return ENDLESS
        total += max(status.st_size if stat.S_ISREG(status.st_mode) else 0, INODE_BYTES)
    return total


def defuse(folders: Iterable[Path]) -> None:
    """Empty every large file below `folders`, so that a copy that has begun comes to its end."""
    for folder in folders:
        for entry in _walk(folder):
            if entry is None:
                continue
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(status.st_mode) and status.st_size > DEFUSE_ABOVE:
                    descriptor = os.open(entry.path, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
                    try:
                        os.ftruncate(descriptor, 0)
                    finally:
                        os.close(descriptor)


def _everything(folders: Iterable[Path]) -> Iterator[os.stat_result | None]:
    for folder in folders:
        for entry in _walk(folder):
            if entry is None:
                yield None
                continue
            with contextlib.suppress(OSError):
                yield entry.stat(follow_symlinks=False)


def _walk(folder: Path) -> Iterator[os.DirEntry[str] | None]:
    """Every entry below `folder`; None for a part that is too deep to name."""
    todo = [str(folder)]
    while todo:
        try:
            with os.scandir(todo.pop()) as entries:
                for entry in entries:
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(entry.path)
        except OSError as error:
            if error.errno == 36:  # ENAMETOOLONG
                yield None


def _open_but_deleted(processes: Iterable[int]) -> Iterator[os.stat_result]:
    for pid in processes:
        with contextlib.suppress(OSError):
            for descriptor in os.listdir(f"/proc/{pid}/fd"):
                with contextlib.suppress(OSError):
                    path = f"/proc/{pid}/fd/{descriptor}"
                    target = os.readlink(path)
                    if target.endswith(" (deleted)") and not target.startswith(("/memfd:", "/dev/shm/", "/SYSV")):
                        status = os.stat(path)
                        if stat.S_ISREG(status.st_mode) and status.st_nlink == 0:
                            yield status
