"""The writable layer of a namespace box: a file system of its own size, so that no box can fill the host's disk.

An ext4 in a file without a name, through a loop device that frees itself: when the last process and descriptor of the
box are gone, nothing is left. Where a host gives no loop device it is a tmpfs, which counts as the box's memory.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from envwheel.errors import InfraError
from envwheel.sandbox.kernel import NO_ATIME, NO_DEV, mount

BLOCK = 4096
INODE = 256
ROOM_MB = 512
"""Above the limit, so that the watchdog sees a box pass its limit before the box meets the wall behind it."""
OPTIONS = "nobarrier,noinit_itable"
"""Nothing in a box outlives it, so nothing has to reach the disk."""
_GET_FREE, _CONFIGURE, _AUTO_CLEAR = 0x4C82, 0x4C0A, 4


@dataclass(frozen=True, slots=True)
class Scratch:
    """How writable layers are made: `kind` is "loop" or "tmpfs"; `folder` keeps empty file systems to copy."""

    kind: str
    folder: Path

    @classmethod
    def best(cls, folder: Path) -> Scratch:
        """The best way that works on this host."""
        loop = os.geteuid() == 0 and os.access("/dev/loop-control", os.W_OK) and shutil.which("mke2fs") is not None
        return cls("loop" if loop else "tmpfs", folder)

    def device(self, disk_mb: int) -> int:
        """A loop device over a fresh file system; it frees itself when nothing uses it. Raises InfraError."""
        try:
            backing = _copy(self.template(disk_mb))
            try:
                return _attach(backing)
            finally:
                os.close(backing)
        except OSError as error:
            raise InfraError("disk", f"A writable layer for a box could not be made: {error}.") from error

    def template(self, disk_mb: int) -> str:
        """The empty file system for a limit, made when it is missing; empty for tmpfs. Raises InfraError."""
        if self.kind != "loop":
            return ""
        path = self.folder / f"empty-{disk_mb}+{ROOM_MB}.ext4"
        if not path.exists():
            self._make(path, disk_mb)
        return str(path)

    def _make(self, path: Path, disk_mb: int) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}-{os.urandom(4).hex()}")
        inodes = max((disk_mb + ROOM_MB << 20) // BLOCK, 1024)
        size = (disk_mb + ROOM_MB << 20) + inodes * INODE
        features = "^has_journal,^resize_inode,^metadata_csum,uninit_bg"
        command = ["mke2fs", "-q", "-F", "-t", "ext4", "-b", str(BLOCK), "-m", "0", "-N", str(inodes), "-O", features]
        try:
            with open(part, "wb") as file:
                file.truncate(size)
            subprocess.run(
                [*command, "-E", "lazy_itable_init=1,nodiscard", str(part)],
                check=True,
                capture_output=True,
                timeout=60,
            )
            os.replace(part, path)
        except (OSError, subprocess.SubprocessError) as error:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise InfraError(
                "disk", f"An empty file system for boxes could not be made in {self.folder}: {error}."
            ) from error


def mount_scratch(place: str, device: int, disk_mb: int) -> None:
    """Mount a fresh writable layer at `place` of this mount namespace; `device` -1: a tmpfs. Raises OSError."""
    if device < 0:
        inodes = max((disk_mb << 20) // BLOCK, 1024)
        mount("tmpfs", place, "tmpfs", NO_DEV, f"size={disk_mb + ROOM_MB}m,nr_inodes={inodes},mode=755")
        return
    mount(f"/proc/self/fd/{device}", place, "ext4", NO_DEV | NO_ATIME, OPTIONS)


def used(descriptor: int) -> int:
    """Bytes that a writable layer holds; every file costs a block at least, the empty ones too."""
    seen = os.fstatvfs(descriptor)
    return max((seen.f_blocks - seen.f_bfree) * seen.f_frsize, (seen.f_files - seen.f_ffree) * BLOCK)


def _copy(template: str) -> int:
    """A file without a name that is equal to `template`, holes included."""
    source = os.open(template, os.O_RDONLY)
    try:
        size = os.fstat(source).st_size
        made = os.open(os.path.dirname(template), os.O_TMPFILE | os.O_RDWR, 0o600)
        os.ftruncate(made, size)
        for start, length in _extents(source, size):
            while length > 0:
                done = os.copy_file_range(source, made, length, start, start)
                start, length = start + done, length - done
        return made
    finally:
        os.close(source)


def _extents(descriptor: int, size: int) -> Iterator[tuple[int, int]]:
    at = 0
    while at < size:
        try:
            start = os.lseek(descriptor, at, os.SEEK_DATA)
        except OSError:
            return
        at = os.lseek(descriptor, start, os.SEEK_HOLE)
        yield start, at - start


def _attach(backing: int) -> int:
    """A loop device over `backing` that frees itself when nothing uses it any more."""
    control = os.open("/dev/loop-control", os.O_RDWR)
    try:
        while True:
            number = fcntl.ioctl(control, _GET_FREE)
            loop = _device(number)
            try:
                fcntl.ioctl(loop, _CONFIGURE, _configuration(backing))
                return loop
            except OSError as error:
                os.close(loop)
                if error.errno != errno.EBUSY:  # another process took it first
                    raise
    finally:
        os.close(control)


def _device(number: int) -> int:
    path = f"/dev/loop{number}"
    with suppress(FileExistsError, PermissionError):
        if not os.path.exists(path):  # a container's /dev does not grow by itself
            os.mknod(path, 0o600 | 0o060000, os.makedev(7, number))
    return os.open(path, os.O_RDWR)


def _configuration(backing: int) -> bytes:
    head = struct.pack("II", backing, BLOCK)
    information = struct.pack("QQQQQIIII", 0, 0, 0, 0, 0, 0, 0, 0, _AUTO_CLEAR) + bytes(64 + 64 + 32 + 16)
    return head + information + bytes(64)
