"""Who holds a box or an image: a process, named so that any later process can tell whether it still lives.

The text form `HOST:PID:STARTTIME` is the value of the label `envwheel.owner`; HOST stands for one boot of one machine
and one process namespace. A process of another host is not judged: only the expiry label ends what it holds.
"""

from __future__ import annotations

import functools
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

_FORM = re.compile(r"^([0-9a-z]{1,40})[:-](\d{1,10})[:-](\d{1,20})$")


@dataclass(frozen=True, slots=True)
class Owner:
    """A process on a host. `start` is the kernel's start time in clock ticks, so that a reused pid is not mistaken."""

    host: str
    pid: int
    start: int

    def __str__(self) -> str:
        return f"{self.host}:{self.pid}:{self.start}"

    @property
    def tag(self) -> str:
        """The same in characters that an image tag may hold."""
        return f"{self.host}-{self.pid}-{self.start}"

    @property
    def here(self) -> bool:
        """Whether it is a process of this host, so that `alive` can know."""
        return self.host == this_host()

    def alive(self) -> bool:
        """False only for a process of this host that has ended."""
        return not self.here or _start_time(self.pid) == self.start


def parse(text: str) -> Owner | None:
    """The owner written as a label or as the end of a tag; None for anything else."""
    match = _FORM.match(text)
    return Owner(match[1], int(match[2]), int(match[3])) if match else None


def over(holder: Owner | None, expires: str) -> bool:
    """Whether what `holder` held until `expires` (seconds since the epoch) may go.

    The clock counts only where a process cannot be seen: it may jump, and a box ends by itself in time.
    """
    if holder is None or holder.here:
        return holder is None or not holder.alive()
    return expires.isdigit() and int(expires) < time.time()


def current() -> Owner:
    """This process."""
    return Owner(this_host(), os.getpid(), _start_time(os.getpid()) or 0)


@functools.cache
def this_host() -> str:
    """One boot of this machine and one process namespace."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip().replace("-", "")[:12]
    return f"{boot}n{os.stat('/proc/self/ns/pid').st_ino}"


def _start_time(pid: int) -> int | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(") ")[2].split()
    return None if fields[0] in "ZX" else int(fields[19])
