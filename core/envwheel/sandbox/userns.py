"""Makes a process of an ordinary user root of a user namespace of its own, and then another program.

There it may do what the namespace engine needs: mount, make namespaces, give files away. Where /etc/subuid and
/etc/subgid give the user ranges of numbers (and newuidmap, of Debian's package uidmap, hands them out) there are other
users too; elsewhere there is one, root, and whatever is made belongs to it. Outside, root is the user who called.

Used as `python -m envwheel.sandbox.userns PROGRAM ARGUMENT...`; the command line does it by itself (`restart`).
"""

from __future__ import annotations

import functools
import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from envwheel.sandbox import kernel

FULL = 65536
"""So many numbers a range must have: Debian's `nobody` is 65534."""
HOST = "4294967295"
"""The size of the map that every number of a machine is in."""
LIMITS = {
    "/proc/sys/user/max_user_namespaces": "0",
    "/proc/sys/kernel/unprivileged_userns_clone": "0",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1",
}
"""Settings of the kernel, and the value with which an ordinary user may not make a user namespace."""

MEND = (
    "Run envwheel as root, or `apt-get install uidmap` and give this user ranges in /etc/subuid and /etc/subgid: "
    "`usermod --add-subuids 100000-165535 --add-subgids 100000-165535 NAME`."
)
"""How boxes come to have users of their own."""


@functools.cache
def inside() -> bool:
    """Whether this process is in a user namespace other than the machine's."""
    return Path("/proc/self/uid_map").read_text().split()[2:] != [HOST]


@functools.cache
def one_user() -> bool:
    """Whether root is the only user that there can be here."""
    counts = [int(line.split()[2]) for line in Path("/proc/self/uid_map").read_text().splitlines()]
    return sum(counts) < FULL


def owner(wanted: tuple[int, int]) -> tuple[int, int]:
    """Whose a file becomes that is meant for `wanted` (user, group)."""
    return (0, 0) if one_user() else wanted


def impossible() -> str:
    """Why this user cannot have a user namespace with mounts and processes of its own; empty when it can."""
    command = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--mount-proc", "true"]
    try:
        tried = subprocess.run(command, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.SubprocessError) as error:
        return f"user namespaces could not be tried: {error}"
    if tried.returncode == 0:
        return ""
    for path, value in LIMITS.items():
        if os.path.exists(path) and Path(path).read_text().strip() == value:
            name = path.removeprefix("/proc/sys/").replace("/", ".")
            return f"this machine refuses user namespaces to ordinary users ({name} is {value})"
    return f"a user namespace is refused ({(tried.stderr.strip().splitlines() or ['no reason given'])[-1]})"


def restart() -> NoReturn:
    """Start this very command line again, as root of a user namespace. Open files and threads end here."""
    sys.stdout.flush()
    sys.stderr.flush()
    again = [sys.executable, "-P", "-m", "envwheel.sandbox.userns", sys.executable, *sys.orig_argv[1:]]
    os.execv(sys.executable, again)


def main(argv: list[str]) -> int:
    """Enter a new user namespace and become the program `argv`."""
    user = pwd.getpwuid(os.getuid())
    os.environ.setdefault("HOME", user.pw_dir)
    try:
        if not _with_ranges(user.pw_name):
            _alone()
        os.execvp(argv[0], argv)
    except OSError as error:
        print(f"envwheel: a user namespace could not be made: {error}.", file=sys.stderr)
        return 2


def _with_ranges(name: str) -> bool:
    """Enter a namespace with the user's ranges; False where it has none. A helper outside lets the numbers in."""
    ranges = [range_of(Path(f"/etc/sub{kind}id"), name, os.getuid()) for kind in "ug"]
    programs = [shutil.which(f"new{kind}idmap") for kind in "ug"]
    if not all(ranges) or not all(programs):
        return False
    target = os.getpid()
    entered, enter = os.pipe()
    helper = os.fork()
    if helper == 0:
        os.close(enter)
        os._exit(0 if os.read(entered, 1) and _let_in(programs, target, ranges) else 1)
    os.close(entered)
    kernel.unshare(kernel.NEWUSER)
    os.write(enter, b"1")
    os.close(enter)
    if os.waitpid(helper, 0)[1] != 0:
        raise OSError("newuidmap or newgidmap refused the ranges of /etc/subuid and /etc/subgid")
    return True


def _let_in(programs: list[str | None], target: int, ranges: list[str]) -> bool:
    own = (os.getuid(), os.getgid())
    commands = [
        [str(program), str(target), "0", str(me), "1", "1", start, str(FULL - 1)]
        for program, me, start in zip(programs, own, ranges, strict=True)
    ]
    return all(subprocess.run(command, stdin=subprocess.DEVNULL).returncode == 0 for command in commands)


def range_of(path: Path, name: str, number: int) -> str:
    """The start of a range that is large enough; empty when there is none."""
    lines = path.read_text().splitlines() if path.exists() else []
    for owner, start, count in (line.split(":") for line in lines if line.count(":") == 2):
        if owner in (name, str(number)) and count.isdigit() and int(count) >= FULL - 1:
            return start
    return ""


def _alone() -> None:
    uid, gid = os.getuid(), os.getgid()
    kernel.unshare(kernel.NEWUSER)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {uid} 1")
    Path("/proc/self/gid_map").write_text(f"0 {gid} 1")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
