"""Control groups of the host: a confined parent for builds, and a running box's figures without asking the daemon.

Works where this process is root on the daemon's machine. Version 1 and 2 with the daemon's `cgroupfs` driver are
written directly; with the `systemd` driver a slice is made. Elsewhere `Confinement.possible` says no, and why.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from envwheel.errors import InfraError
from envwheel.sandbox.base import Usage

ROOT = Path("/sys/fs/cgroup")
FOLDER = "envwheel-builds"
V1_CONTROLLERS = ("memory", "pids", "cpu", "cpuacct", "cpuset", "devices", "freezer", "blkio", "systemd", "unified")


@dataclass(frozen=True, slots=True)
class Confinement:
    """How builds are confined on this host: the daemon's cgroup driver ("cgroupfs", "systemd") and version (1, 2)."""

    driver: str
    version: int

    @property
    def possible(self) -> bool:
        """Whether this process may make a cgroup that the daemon's build containers go under."""
        if os.geteuid() != 0:
            return False
        if self.driver == "systemd":
            return shutil.which("systemctl") is not None and Path("/run/systemd/system").is_dir()
        if self.version == 1:
            return all(os.access(ROOT / name, os.W_OK) for name in ("memory", "pids"))
        return os.access(ROOT / "cgroup.subtree_control", os.W_OK)

    @contextmanager
    def parent(self, name: str, *, memory_mb: int, processes: int) -> Iterator[str]:
        """A cgroup with these limits as the daemon's `cgroupparent`, removed afterwards. Raises InfraError."""
        if self.driver == "systemd":
            yield from _slice(name, memory_mb, processes)
            return
        folders = _v1_folders(name) if self.version == 1 else [ROOT / FOLDER / name]
        try:
            if self.version == 1:
                _limit_v1(name, memory_mb, processes)
            else:
                _limit_v2(name, memory_mb, processes)
        except OSError as error:
            _remove(folders)
            raise InfraError("host", f"A control group for the build could not be made: {error}.") from error
        try:
            yield f"/{FOLDER}/{name}"
        finally:
            _remove(folders)


def _v1_folders(name: str) -> list[Path]:
    return [ROOT / controller / FOLDER / name for controller in V1_CONTROLLERS]


def _limit_v1(name: str, memory_mb: int, processes: int) -> None:
    memory, pids = ROOT / "memory" / FOLDER / name, ROOT / "pids" / FOLDER / name
    memory.mkdir(parents=True, exist_ok=True)
    pids.mkdir(parents=True, exist_ok=True)
    (memory / "memory.use_hierarchy").write_text("1") if _is_zero(memory / "memory.use_hierarchy") else None
    (memory / "memory.limit_in_bytes").write_text(str(memory_mb << 20))
    swap = memory / "memory.memsw.limit_in_bytes"
    if swap.exists():
        swap.write_text(str(memory_mb << 20))
    (pids / "pids.max").write_text(str(processes))


def _is_zero(path: Path) -> bool:
    return path.exists() and path.read_text().strip() == "0"


def _limit_v2(name: str, memory_mb: int, processes: int) -> None:
    folder = ROOT / FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    for above in (ROOT, ROOT / FOLDER, folder):
        (above / "cgroup.subtree_control").write_text("+memory +pids +cpu")
    (folder / "memory.max").write_text(str(memory_mb << 20))
    if (folder / "memory.swap.max").exists():
        (folder / "memory.swap.max").write_text("0")
    (folder / "pids.max").write_text(str(processes))


def remove_stale() -> None:
    """Remove the groups of builds whose process has ended; their names end in its pid. Busy ones stay."""
    for folder in [*ROOT.glob(f"*/{FOLDER}/*-*"), *ROOT.glob(f"{FOLDER}/*-*")]:
        pid = folder.name.rpartition("-")[2]
        if folder.is_dir() and pid.isdigit() and not Path("/proc", pid).exists():
            _remove([folder])


def _remove(folders: list[Path]) -> None:
    for folder in folders:
        for path in [*(Path(top) for top, _, _ in os.walk(folder, topdown=False)), folder]:
            with contextlib.suppress(OSError):
                path.rmdir()
        with contextlib.suppress(OSError):
            folder.parent.rmdir()


def _slice(name: str, memory_mb: int, processes: int) -> Iterator[str]:
    unit = f"envwheel-{name.replace('-', '_')}.slice"
    limits = [f"MemoryMax={memory_mb}M", "MemorySwapMax=0", f"TasksMax={processes}"]
    try:
        subprocess.run(["systemctl", "start", unit], check=True, capture_output=True, timeout=30)
        subprocess.run(
            ["systemctl", "set-property", "--runtime", unit, *limits], check=True, capture_output=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise InfraError("host", f"A systemd slice for the build could not be made: {error}.") from error
    try:
        yield unit
    finally:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(["systemctl", "stop", unit], check=False, capture_output=True, timeout=30)


def box_folders(container: str, controller: str) -> list[Path]:
    """Where the cgroup of a container may lie on this host."""
    return [
        ROOT / controller / "docker" / container,
        ROOT / "docker" / container,
        ROOT / "system.slice" / f"docker-{container}.scope",
        ROOT / controller / "system.slice" / f"docker-{container}.scope",
    ]


def usage(container: str) -> Usage | None:
    """Peak memory and CPU time of a running container from this host's files; None where they are not to be had."""
    peak = _number(container, "memory", ("memory.max_usage_in_bytes", "memory.peak"))
    cpu = _number(container, "cpuacct", ("cpuacct.usage",))
    micro = _keyed(container, "cpu.stat", "usage_usec") if cpu is None else None
    if peak is None:
        return None
    seconds = cpu / 1e9 if cpu is not None else micro / 1e6 if micro is not None else None
    return Usage(peak_mb=peak / (1 << 20), cpu_s=seconds)


def processes(container: str) -> list[int]:
    """Host pids of a running container's processes; empty where they are not to be had."""
    for folder in box_folders(container, "pids"):
        with contextlib.suppress(OSError, ValueError):
            return [int(word) for word in (folder / "cgroup.procs").read_text().split()]
    return []


def _number(container: str, controller: str, names: tuple[str, ...]) -> int | None:
    for folder in box_folders(container, controller):
        for name in names:
            with contextlib.suppress(OSError, ValueError):
                return int((folder / name).read_text())
    return None


def _keyed(container: str, name: str, key: str) -> int | None:
    for folder in box_folders(container, "cpu"):
        with contextlib.suppress(OSError, ValueError, StopIteration):
            lines = (line.split() for line in (folder / name).read_text().splitlines())
            return next(int(value) for word, value in lines if word == key)
    return None
