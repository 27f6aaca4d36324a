"""Calls to the kernel that Python does not have: namespaces, mounts, careful opening, capabilities, filters.

Each raises OSError with the kernel's own reason. Used by what makes boxes (`warden.py`) and what copies files into and
out of them (`rooted.py`).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
from collections.abc import Iterable

NEWNS, NEWCGROUP, NEWUTS, NEWIPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
NEWPID, NEWNET, NEWUSER = 0x20000000, 0x40000000, 0x10000000

READ_ONLY, NO_SUID, NO_DEV, NO_EXEC, REMOUNT, NO_ATIME, NO_DIR_ATIME = 1, 2, 4, 8, 32, 1024, 2048
BIND, RECURSIVE, PRIVATE, RELATIVE_ATIME = 4096, 16384, 1 << 18, 1 << 21
_ST_RELATIVE_ATIME = 4096
"""Of statvfs(3), which names this one flag by another number than mount(2)."""

NO_MAGIC_LINKS, NO_LINKS, BENEATH, IN_ROOT = 2, 4, 8, 16

CAPABILITY = {
    "CHOWN": 0,
    "DAC_OVERRIDE": 1,
    "DAC_READ_SEARCH": 2,
    "FOWNER": 3,
    "FSETID": 4,
    "KILL": 5,
    "SETGID": 6,
    "SETUID": 7,
    "SETPCAP": 8,
    "NET_ADMIN": 12,
    "SYS_CHROOT": 18,
    "SYS_ADMIN": 21,
    "MKNOD": 27,
    "SETFCAP": 31,
}
LAST_CAPABILITY = 63

_SYS_OPENAT2 = 437
_DUMPABLE, _SECCOMP, _DROP_BOUND, _NO_NEW_PRIVILEGES = 4, 22, 24, 38
_FILTER_MODE = 2

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def _checked(result: int, what: str = "") -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what or None)
    return result


def unshare(flags: int) -> None:
    """Leave the namespaces in `flags` for new ones."""
    _checked(_libc.unshare(flags))


def enter(descriptor: int, flags: int) -> None:
    """Enter the namespaces in `flags` of the process behind a pidfd."""
    _checked(_libc.setns(descriptor, flags))


def mount(source: str, target: str, kind: str, flags: int = 0, data: str = "") -> None:
    """See mount(2)."""
    words = [word.encode("utf-8", "surrogateescape") or None for word in (source, target, kind)]
    _checked(_libc.mount(*words, flags, data.encode("utf-8", "surrogateescape") or None), target)


def make_read_only(path: str) -> None:
    """Mount `path` onto itself, read-only; what else its mount forbids stays forbidden."""
    mount(path, path, "", BIND)
    kept = os.statvfs(path).f_flag & (NO_SUID | NO_DEV | NO_EXEC | NO_ATIME | NO_DIR_ATIME)
    relative = RELATIVE_ATIME if os.statvfs(path).f_flag & _ST_RELATIVE_ATIME else 0
    mount("none", path, "", BIND | REMOUNT | READ_ONLY | kept | relative)


def open_in(folder: int, path: str, flags: int, mode: int = 0, *, resolve: int = IN_ROOT) -> int:
    """Open `path` so that neither links nor `..` nor a race lead out of `folder` (a descriptor)."""
    how = struct.pack("QQQ", flags | os.O_CLOEXEC, mode, resolve | NO_MAGIC_LINKS)
    name = path.encode("utf-8", "surrogateescape") or b"."
    while True:
        try:
            return _checked(_libc.syscall(_SYS_OPENAT2, folder, name, how, len(how)), path)
        except BlockingIOError:
            continue  # something was renamed meanwhile


def hide_memory() -> None:
    """Until the next exec: no process without CAP_SYS_PTRACE can look into this one or at its descriptors."""
    _checked(_libc.prctl(_DUMPABLE, 0, 0, 0, 0))


def forbid_new_privileges() -> None:
    """Setuid programs give nothing any more, here and below."""
    _checked(_libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))


def bound_capabilities(kept: Iterable[str]) -> None:
    """Take all capabilities but `kept` away from this process and whatever it will run. Before the user changes."""
    numbers = {CAPABILITY[name] for name in kept}
    for number in range(LAST_CAPABILITY + 1):
        if number not in numbers and _libc.prctl(_DROP_BOUND, number, 0, 0, 0) != 0:
            break  # the kernel knows no more


def set_capabilities(kept: Iterable[str]) -> None:
    """Hold exactly the capabilities `kept`, none of them inheritable."""
    mask = sum(1 << CAPABILITY[name] for name in kept)
    header = struct.pack("Ii", 0x20080522, 0)
    low, high = mask & 0xFFFFFFFF, mask >> 32
    _checked(_libc.capset(header, struct.pack("IIIIII", low, low, 0, high, high, 0)))


def filter_calls(program: bytes) -> None:
    """Put this process and what it runs under a seccomp program. Needs `forbid_new_privileges` before."""
    code = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    _checked(_libc.prctl(_SECCOMP, _FILTER_MODE, head, 0, 0))


def process_of(pidfd: int) -> int:
    """The number of the process behind a pidfd, as this process's /proc numbers it; -1 when it has ended."""
    with open(f"/proc/self/fdinfo/{pidfd}") as info:
        for line in info:
            if line.startswith("Pid:"):
                return int(line.split()[1])
    return -1


def processes_with(number: int) -> list[int]:
    """The processes in the process namespace of process `number`, as this process's /proc numbers them."""
    try:
        wanted = os.readlink(f"/proc/{number}/ns/pid")
    except OSError:
        return []
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/{name}/ns/pid") == wanted:
                found.append(int(name))
    return found
