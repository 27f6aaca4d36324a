"""Holding a candidate's processes, and ending them: part of `grade`.

The checker is a child subreaper: whatever a candidate forks, and whoever of it exits, the rest stays below the checker.
So all of it can be found, and "none is left" can be known for certain.
"""

from __future__ import annotations

import ctypes
import functools
import os
import resource
import signal
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NOBODY = 65534
UNUSED = 2**31 - 9  # a user id that nobody has

if ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0) != 0:  # PR_SET_CHILD_SUBREAPER
    raise OSError(ctypes.get_errno(), "this kernel has no child subreaper")


def confine(user: int | None, limits: dict[str, int]) -> None:
    """In a child, before it does anything: the first to go when memory runs out, with `limits`, and as `user`.

    `limits` are resource's by their names without RLIMIT_; a lower one that holds already stays. `user` None: whoever
    this process is. Raises OSError where it cannot become `user`.
    """
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")  # the candidate goes and not the checker
    except OSError:
        pass
    for name, most in limits.items():
        what = getattr(resource, "RLIMIT_" + name)
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))
    if user is not None:
        _become(user)


def _become(user: int) -> None:
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


@functools.cache
def can_drop() -> bool:
    """False without root, and in engines whose boxes have one user only."""
    pid = os.fork()
    if pid == 0:
        try:
            _become(NOBODY)
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(pid, 0)[1] == 0


def kill_leftovers(keep: frozenset[int] = frozenset()) -> None:
    """Kill every process under the checker except `keep` and what descends from it; return when none is left.

    Raises RuntimeError when some cannot be killed: then there must be no reward.
    """
    for attempt in range(400):
        found = descendants(keep)
        for pid in found:
            _ignore(os.kill, pid, signal.SIGKILL)
        for pid in found:
            _ignore(os.waitpid, pid, os.WNOHANG)
        if not found and (keep or not _has_children()):
            return
        if attempt > 20 and not keep:
            _kill_nobody()
        time.sleep(min(attempt, 20) / 1000)
    raise RuntimeError("some of the candidate's processes cannot be killed")


def descendants(keep: frozenset[int] = frozenset()) -> list[int]:
    """Processes below the checker, zombies too, without `keep` and what descends from it."""
    children: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(name))
    found, parents = [], [os.getpid()]
    while parents:
        below = [pid for pid in children.get(parents.pop(), ()) if pid not in keep]
        found += below
        parents += below
    return found


def _has_children() -> bool:
    """Exact, unlike a look into /proc: a chain of processes that fork and exit is always somebody's child."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return True
    except ChildProcessError:
        return False


def _kill_nobody() -> None:
    """Kill all of nobody's processes at one stroke, which no forking can outrun.

    The real id UNUSED keeps nobody from sending a signal to the checker meanwhile.
    """
    if can_drop():
        try:
            os.setresuid(UNUSED, NOBODY, 0)
        except OSError:
            return  # a user namespace without that id
        try:
            _ignore(os.kill, -1, signal.SIGKILL)
        finally:
            os.setresuid(0, 0, 0)


def _ignore(call: Any, *args: int) -> None:
    try:
        call(*args)
    except (ProcessLookupError, ChildProcessError, PermissionError):
        pass
