"""A control group of our own: limits on memory, processes and CPU for one box or one build, its figures, its end.

Version 2 where its controllers can be had, else version 1, whose controllers are folders apart. A group's name begins
with its owner (`owner.Owner.tag`) and the time after which it may go, so that a sweep can tell what is left over.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from envwheel.errors import InfraError
from envwheel.sandbox import owner as owners
from envwheel.sandbox.base import Usage
from envwheel.sandbox.owner import Owner

ROOT = Path("/sys/fs/cgroup")
FOLDER = "envwheel"
NEEDED = ("memory", "pids", "cpu")
PERIOD_US = 100_000
END_S = 10.0


@dataclass(frozen=True, slots=True)
class Bounds:
    """MiB of memory (no swap), processes, CPUs (None: all)."""

    memory_mb: int
    processes: int
    cpus: float | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """One group: the folder of each controller; the same one three times in version 2."""

    name: str
    folders: dict[str, Path]

    @property
    def doors(self) -> list[str]:
        """The files into which a process writes to enter."""
        return sorted({str(folder / "cgroup.procs") for folder in self.folders.values()})

    def admit(self, pid: int) -> None:
        """Put a process into the group. Raises InfraError."""
        try:
            for door in self.doors:
                with open(door, "w") as file:
                    file.write(str(pid))
        except OSError as error:
            raise InfraError("host", f"A process could not enter its control group: {error}.") from error

    def pids(self) -> list[int]:
        """The processes inside."""
        try:
            return [int(word) for word in (self.folders["pids"] / "cgroup.procs").read_text().split()]
        except (OSError, ValueError):
            return []

    def usage(self) -> Usage:
        """Peak memory and CPU time so far."""
        peak = _number(self.folders["memory"], "memory.max_usage_in_bytes", "memory.peak")
        nanoseconds = _number(self.folders.get("cpuacct", self.folders["cpu"]), "cpuacct.usage")
        seconds = nanoseconds / 1e9 if nanoseconds is not None else _micro(self.folders["cpu"])
        return Usage(peak_mb=None if peak is None else peak / (1 << 20), cpu_s=seconds)

    def end(self) -> None:
        """Kill all that is inside and remove the group; what does not go is left to the sweep."""
        deadline = time.monotonic() + END_S
        pause = 0.0005
        while not self._removed() and time.monotonic() < deadline:
            for pid in self.pids():
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(pause)
            pause = min(2 * pause, 0.1)

    def _removed(self) -> bool:
        gone = True
        for folder in set(self.folders.values()):
            try:
                folder.rmdir()
            except FileNotFoundError:
                continue
            except OSError:
                gone = False
        return gone


def lacking() -> str:
    """Why no group can be made here; empty when it can."""
    if os.geteuid() != 0:
        return "only root may make control groups here"
    missing = [name for name in NEEDED if name not in _homes()]
    return f"no control group with {', '.join(missing)} can be written" if missing else ""


def make(owner: Owner, kind: str, name: str, expires: float, bounds: Bounds) -> Group:
    """A new group with these limits. Raises InfraError."""
    full = f"{owner.tag}+{int(expires)}+{kind}+{name}"
    group = Group(full, {controller: home / full for controller, home in _homes().items()})
    try:
        for folder in set(group.folders.values()):
            folder.mkdir(parents=True, exist_ok=True)
        _limit(group.folders, bounds)
    except (OSError, KeyError) as error:
        group.end()
        raise InfraError("host", f"A control group could not be made: {error}.") from error
    return group


def sweep(*, everything: bool = False, only: Owner | None = None) -> int:
    """End the groups that `owners.over` gives free (`only`: all of that owner); the number of boxes."""
    boxes = 0
    for group in _ours():
        tag, expires, kind, _ = group.name.split("+", 3)
        holder = owners.parse(tag)
        if holder == only if only is not None else everything or owners.over(holder, expires):
            group.end()
            boxes += kind == "box"
    return boxes


def held(owner: Owner) -> list[str]:
    """Names of the groups of an owner."""
    return [name for name in names() if name.startswith(owner.tag + "+")]


def names() -> list[str]:
    """The names of all groups of ours; each begins with its owner's tag and a plus."""
    return [group.name for group in _ours()]


def _ours() -> Iterator[Group]:
    homes = _homes()
    found = {folder.name for home in set(homes.values()) if home.is_dir() for folder in home.iterdir()}
    for name in sorted(found):
        if name.count("+") >= 3:
            yield Group(name, {controller: home / name for controller, home in homes.items()})


def _homes() -> dict[str, Path]:
    """Controller -> the folder that holds our groups."""
    if (ROOT / "cgroup.controllers").exists():
        offered = (ROOT / "cgroup.controllers").read_text().split()
        writable = os.access(ROOT / "cgroup.subtree_control", os.W_OK)
        return dict.fromkeys([name for name in NEEDED if name in offered and writable], ROOT / FOLDER)
    names = (*NEEDED, "cpuacct")
    return {name: ROOT / name / FOLDER for name in names if os.access(ROOT / name / "cgroup.procs", os.W_OK)}


def _limit(folders: dict[str, Path], bounds: Bounds) -> None:
    memory, pids, cpu = (folders[name] for name in NEEDED)
    size = str(bounds.memory_mb << 20)
    quota = None if bounds.cpus is None else str(max(1000, round(bounds.cpus * PERIOD_US)))
    if memory == pids:
        for above in (ROOT, ROOT / FOLDER):
            (above / "cgroup.subtree_control").write_text("+memory +pids +cpu")
        (memory / "memory.max").write_text(size)
        _if_there(memory / "memory.swap.max", "0")
        if quota:
            (cpu / "cpu.max").write_text(f"{quota} {PERIOD_US}")
    else:
        (memory / "memory.limit_in_bytes").write_text(size)
        _if_there(memory / "memory.memsw.limit_in_bytes", size)
        if quota:
            (cpu / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (cpu / "cpu.cfs_quota_us").write_text(quota)
    (pids / "pids.max").write_text(str(bounds.processes))


def _if_there(path: Path, text: str) -> None:
    if path.exists():
        path.write_text(text)


def _number(folder: Path, *names: str) -> int | None:
    for name in names:
        with contextlib.suppress(OSError, ValueError):
            return int((folder / name).read_text())
    return None


def _micro(folder: Path) -> float | None:
    with contextlib.suppress(OSError, ValueError):
        for line in (folder / "cpu.stat").read_text().splitlines():
            word, _, value = line.partition(" ")
            if word == "usage_usec":
                return int(value) / 1e6
    return None
