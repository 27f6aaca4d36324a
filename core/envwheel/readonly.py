"""What a domain's hook may see of an environment, and for how long.

`shown(environment)` is a context manager: the environment at a private copy without links, devices and write bits,
removed at the end. `within(seconds, call)` gives the call's value, or TimeoutError when it takes longer.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from envwheel.api import Environment
from envwheel.errors import InfraError

T = TypeVar("T")


@contextmanager
def shown(environment: Environment) -> Iterator[Environment]:
    """`environment` with `path` at a copy that the caller's folder cannot be reached from. Raises InfraError."""
    root = Path(tempfile.mkdtemp(prefix="envwheel-hook-"))
    try:
        target = root / environment.path.name
        try:
            _copy(environment.path, target)
        except OSError as error:
            raise InfraError("disk", f"Cannot copy {environment.path} for a domain to look at: {error}.") from error
        yield replace(environment, path=target)
    finally:
        _remove(root)


def within(seconds: float, call: Callable[[], T]) -> T:
    """The value of `call()`, or what it raised. Raises TimeoutError after `seconds`; the thread is then left behind."""
    values: list[T] = []
    errors: list[BaseException] = []

    def body() -> None:
        try:
            values.append(call())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=body, daemon=True, name="envwheel-hook")
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not values:
        raise TimeoutError(f"gave no answer within {seconds:g} s")
    return values[0]


def _copy(source: Path, target: Path) -> None:
    target.mkdir()
    with os.scandir(source) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            if entry.is_dir(follow_symlinks=False):
                _copy(Path(entry.path), target / entry.name)
            elif entry.is_file(follow_symlinks=False):
                shutil.copyfile(entry.path, target / entry.name, follow_symlinks=False)
                (target / entry.name).chmod(
                    0o555 if entry.stat(follow_symlinks=False).st_mode & stat.S_IXUSR else 0o444
                )
    target.chmod(0o555)


def _remove(root: Path) -> None:
    for folder, _, _ in os.walk(root):
        os.chmod(folder, 0o700)
    shutil.rmtree(root, ignore_errors=True)
