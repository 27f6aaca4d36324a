"""How `envwheel/base:bookworm` is made: Debian's own packages by mmdebstrap, as a tar kept in the cache.

It has bash, a full python3, git, curl, make, patch, procps and the usual archive tools, the user `agent` (uid 1000) and
/app, which it owns. Documentation is left out; package lists too, so `apt-get update` comes before an install.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from envwheel.errors import InfraError, SetupError
from envwheel.sandbox import userns
from envwheel.sandbox.faketime import cache

SUITE = "bookworm"
PACKAGES = "bash,bzip2,ca-certificates,curl,file,git,less,make,patch,procps,python3,unzip,xz-utils,zip"
DPKG_OPTIONS = (
    "path-exclude=/usr/share/man/*",
    "path-exclude=/usr/share/locale/*",
    "path-exclude=/usr/share/doc/*",
    "path-include=/usr/share/doc/*/copyright",
    "path-exclude=/usr/share/info/*",
)
HOOKS = (
    'chroot "$1" useradd --create-home --uid 1000 --shell /bin/bash agent',
    'chroot "$1" install -d -o agent -g agent /app',
)
CHANGES = (
    "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "ENV LANG=C.UTF-8",
    "WORKDIR /app",
    'CMD ["/bin/bash"]',
)
ROOT_ONLY = (
    '--aptopt=APT::Sandbox::User "root"',
    "--skip=chroot/mount/dev",
    '--setup-hook=mkdir -p "$1/dev" && mount -t tmpfs dev "$1/dev" && for name in null zero full random urandom tty; '
    'do touch "$1/dev/$name" && mount --bind "/dev/$name" "$1/dev/$name"; done',
    '--customize-hook=umount --recursive "$1/dev"',
)
"""For mmdebstrap where root is the only user: its own /dev wants a group, apt a user."""
LIMIT_S = 900
INSTALL = (
    "`apt-get install mmdebstrap debian-archive-keyring` and run envwheel as root once, "
    "or `docker load` an image that another machine made"
)


def key() -> str:
    """The hash of the recipe."""
    parts = [SUITE, PACKAGES, DPKG_OPTIONS, HOOKS, CHANGES]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def dockerfile(upstream: str, label: str) -> str:
    """The same image as a Dockerfile on a registry's Debian."""
    packages = " ".join(PACKAGES.split(","))
    users = " && ".join(hook.removeprefix('chroot "$1" ') for hook in HOOKS)
    install = f"apt-get update && apt-get install -y --no-install-recommends {packages} && rm -rf /var/lib/apt/lists/*"
    return "\n".join([f"FROM {upstream}", f"RUN {install} && {users}", *CHANGES, f"LABEL {label}"]) + "\n"


@contextmanager
def archive() -> Iterator[Path]:
    """The tar of the base image, made first when the cache lacks it; one process at a time makes it.

    Raises SetupError where it cannot be made on this machine, InfraError when making it failed.
    """
    folder = cache() / "images"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"base-{SUITE}-{key()}{'-root-only' if userns.one_user() else ''}.tar"
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            _make(path)
        yield path


def _apart() -> list[str]:
    """What stands before mmdebstrap in a user namespace: it may mount /proc only for processes of its own."""
    if not userns.inside():
        return []
    apart = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    return [*apart, sys.executable, "-P", "-m", "envwheel.sandbox.seccomp"] if userns.one_user() else apart


def _make(path: Path) -> None:
    if os.geteuid() != 0 or shutil.which("mmdebstrap") is None:
        raise SetupError(
            "The base image is not in the engine's store and can be made here only by root with mmdebstrap: "
            + INSTALL
            + "."
        )
    part = path.with_suffix(".part.tar")
    command = [*_apart(), "mmdebstrap", "--quiet", "--variant=minbase", f"--include={PACKAGES}"]
    command += [f"--dpkgopt={option}" for option in DPKG_OPTIONS]
    command += [f"--customize-hook={hook}" for hook in HOOKS]
    command += ROOT_ONLY if userns.one_user() else []
    try:
        subprocess.run([*command, SUITE, str(part)], check=True, capture_output=True, timeout=LIMIT_S, text=True)
    except subprocess.CalledProcessError as error:
        part.unlink(missing_ok=True)
        raise InfraError("network", f"mmdebstrap could not make the base image: {error.stderr[-2000:]}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        part.unlink(missing_ok=True)
        raise InfraError("timeout", f"mmdebstrap could not make the base image: {error}") from error
    os.replace(part, path)
