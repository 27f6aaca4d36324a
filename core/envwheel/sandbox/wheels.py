"""Python packages of a base image: fetched and unpacked on this machine, then copied in.

`pip` in a build would have to trust whatever stands between this machine and its package index; the `pip` out here
already does. `BaseImage.wheels` pins every distribution, dependencies too. What the build's context gets besides the
author's own files:

    wheels.txt    the pins, one a line; with them the image's key changes
    wheels/       the packages, unpacked, for `COPY wheels /usr/local/lib/python3.11/dist-packages`

The folder is kept in the cache by its pins. It is only fetched for an image that has to be made.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from envwheel.api import BaseImage
from envwheel.errors import SetupError
from envwheel.sandbox.builds import Request
from envwheel.sandbox.context import with_folder
from envwheel.sandbox.faketime import cache

PYTHON = "3.11"
"""Of Debian bookworm, which every base image of ours starts from."""
GLIBC = 36
"""The minor version of its C library: wheels for `manylinux_2_5` up to `manylinux_2_36` run there."""
PIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9.!+_-]+")
PINS, FOLDER = "wheels.txt", "wheels"
LIMIT_S = 900.0


@contextlib.contextmanager
def pinned(base: BaseImage) -> Iterator[Path | None]:
    """The context of `base` with its pins in it, for the image's key. A folder that goes away again."""
    if not base.wheels:
        yield base.context
        return
    with tempfile.TemporaryDirectory(prefix="envwheel-context-") as name:
        if base.context is not None:
            shutil.copytree(base.context, name, symlinks=True, dirs_exist_ok=True)
        Path(name, PINS).write_text("\n".join(base.wheels) + "\n", "utf-8")
        yield Path(name)


def filled(request: Request, base: BaseImage) -> Request:
    """The same build with the packages in its context. Raises SetupError when they cannot be fetched."""
    if not base.wheels:
        return request
    return replace(request, tar=with_folder(request.tar, packages(base.wheels), FOLDER))


def packages(pins: Sequence[str], options: Sequence[str] = ()) -> Path:
    """The folder with the packages of `pins`; one process at a time fetches it. `options` are more ones of pip.

    Raises SetupError when a pin is none, or pip does not get it.
    """
    for pin in pins:
        if not PIN.fullmatch(pin):
            raise SetupError(f"'{pin}' is no pin of a wheel; write NAME==VERSION.")
    folder = cache() / "wheels"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / _key(pins, options)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.is_dir():
            _fetch(pins, options, path)
    return path


def _key(pins: Sequence[str], options: Sequence[str]) -> str:
    parts = [PYTHON, GLIBC, machine(), sorted(pins), list(options)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def machine() -> str:
    """The processor as wheels call it."""
    name = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(name, name)


def command(pins: Sequence[str], target: Path, options: Sequence[str] = ()) -> list[str]:
    """What unpacks wheels for the image's Python, whichever Python this is, into `target`."""
    platforms = [f"manylinux_2_{minor}_{machine()}" for minor in range(GLIBC, 4, -1)]
    platforms += [f"manylinux2014_{machine()}", f"linux_{machine()}"]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    pip += ["--no-user", "--no-deps", "--no-compile", "--only-binary", ":all:", "--target", str(target)]
    pip += ["--implementation", "cp", "--python-version", PYTHON, "--abi", f"cp{PYTHON.replace('.', '')}"]
    return [*pip, *(word for name in platforms for word in ("--platform", name)), *options, *pins]


def _fetch(pins: Sequence[str], options: Sequence[str], path: Path) -> None:
    part = path.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        done = subprocess.run(command(pins, part, options), capture_output=True, text=True, timeout=LIMIT_S)
        said = done.stderr.strip() if done.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as error:
        said = str(error)
    if said or not part.is_dir():
        shutil.rmtree(part, ignore_errors=True)
        raise SetupError(
            "The Python packages of a base image could not be fetched: "
            f"{said.splitlines()[-1] if said else 'pip brought nothing'}. They are wheels for Python {PYTHON} on Linux "
            f"({machine()}); see that `{os.path.basename(sys.executable)} -m pip download {pins[0]}` works here "
            "(`python -m ensurepip` gives a missing pip; PIP_INDEX_URL names another index)."
        )
    # Programs that start with the path of the Python out here.
    shutil.rmtree(part / "bin", ignore_errors=True)
    os.replace(part, path)
