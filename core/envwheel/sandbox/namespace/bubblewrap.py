"""The command line of bubblewrap for a box, and the small files that name it."""

from __future__ import annotations

import functools
import os
import subprocess
from collections.abc import Mapping

from envwheel.sandbox.base import Entry, Tree
from envwheel.sandbox.namespace.network import NAMESERVER
from envwheel.sandbox.within import CAPABILITIES, HOSTS, first_process

SHARED_MEMORY = 64 << 20
HIDDEN = ("/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/timer_list", "/proc/sched_debug")
HIDDEN_FOLDERS = ("/proc/acpi", "/proc/scsi", "/proc/asound")
SHOWN = "/sys/devices/system/cpu"
"""What programs ask for the number of processors."""


def arguments(program: str, hostname: str, lifetime_s: float, mounts: Mapping[str, str]) -> list[str]:
    """The command; `@ROOT@`, `@FILTER@` and `@INFORM@` are filled in where it is executed."""
    words = [program, "--bind", "@ROOT@", "/", "--dev", "/dev", "--proc", "/proc"]
    size = ["--size", str(SHARED_MEMORY)] if _knows(program, "--size") else []  # since 0.7
    words += ["--perms", "1777", *size, "--tmpfs", "/dev/shm", *_hiding()]
    for source, target in mounts.items():
        words += ["--ro-bind", source, target]
    words += ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--unshare-cgroup-try"]
    words += ["--hostname", hostname, "--chdir", "/", "--new-session", "--as-pid-1", "--cap-drop", "ALL"]
    for right in CAPABILITIES:
        words += ["--cap-add", f"CAP_{right}"]
    words += ["--seccomp", "@FILTER@", "--info-fd", "@INFORM@", "--"]
    shell, option, script = first_process(lifetime_s)
    return [*words, shell, option, f"echo up; exec >/dev/null 2>&1; {script}"]


@functools.cache
def _knows(program: str, option: str) -> bool:
    try:
        return option in subprocess.run([program, "--help"], capture_output=True, text=True, timeout=20).stdout
    except (OSError, subprocess.SubprocessError):
        return False


@functools.cache
def _hiding() -> list[str]:
    words: list[str] = []
    for path in HIDDEN:
        words += ["--ro-bind", "/dev/null", path] if os.path.exists(path) else []
    for path in HIDDEN_FOLDERS:
        words += ["--tmpfs", path, "--remount-ro", path] if os.path.isdir(path) else []
    return words + (["--ro-bind", SHOWN, SHOWN] if os.path.isdir(SHOWN) else [])


def files_of(hostname: str, *, network: bool) -> Tree:
    """The files that Docker, too, gives a box of its own: names, and where to ask for others."""
    texts = {
        "/etc/hostname": f"{hostname}\n",
        "/etc/hosts": HOSTS.format(name=hostname),
        "/etc/resolv.conf": f"nameserver {NAMESERVER}\n" if network else "",
    }
    return Tree({path: Entry("file", 0o644, text.encode()) for path, text in texts.items()})
