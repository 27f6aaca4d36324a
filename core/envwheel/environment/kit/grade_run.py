"""Running a candidate's program: part of `grade`.

It runs as nobody in a session of its own, with limits and a clean environment. Whatever it forks stays a descendant of
the checker, so that all of it can be found and killed. One program at a time; services may run beside it.
"""

from __future__ import annotations

import atexit
import errno
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import IO, Any, NamedTuple

from grade_reap import NOBODY, can_drop, confine, descendants, kill_leftovers

FILE_LIMIT = 64 << 20  # bytes that a candidate may write into one file
ADDRESS_LIMIT = 16 << 30
PATH = "/usr/local/bin:/usr/bin:/bin"
DROP = can_drop()


class Ran(NamedTuple):
    """What a program did. `code` None: it ran out of time or wrote more than `output_limit`; negative: a signal."""

    code: int | None
    out: bytes
    err: bytes


_base = ""


def scratch(files: Mapping[str, bytes | str] | None = None) -> str:
    """A fresh folder of nobody's with `files` (relative path -> content; what starts with "#!" is executable)."""
    global _base
    if not _base:
        _base = tempfile.mkdtemp(prefix="grade-")
        os.chmod(_base, 0o711)
        atexit.register(_sweep)
    folder = tempfile.mkdtemp(dir=_base)
    for name, content in (files or {}).items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, 0o755 if data.startswith(b"#!") else 0o644)
    give(folder)
    return folder


def _sweep() -> None:
    try:
        shutil.rmtree(_base, ignore_errors=True)
    except RecursionError:
        pass  # a candidate nested its folders too deeply; the box goes anyway


def in_scratch(path: str) -> bool:
    """True for a folder that `scratch` or `copy_tree` made, or one in it."""
    return bool(_base) and os.path.abspath(path).startswith(_base + "/")


def give(folder: str) -> None:
    """Hand `folder`, a plain tree, to nobody, who may then read and change all of it."""
    for root, _, files in os.walk(folder):
        for path in [root, *(os.path.join(root, name) for name in files)]:
            if not os.path.islink(path):
                os.chmod(path, os.stat(path).st_mode & 0o777 | (0o755 if path == root else 0o644))
            if DROP:
                os.lchown(path, NOBODY, NOBODY)


def run(
    argv: Sequence[str],
    *,
    stdin: bytes = b"",
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = 10,
    files: Mapping[str, bytes | str] | None = None,
    as_root: bool = False,
    output_limit: int = 1_000_000,
) -> Ran:
    """Run `argv` as nobody in `cwd` (default: a fresh folder with `files`), then kill all that it started.

    Code 126 or 127: it could not be started. `as_root` is for programs and data that are not the candidate's.
    """
    if cwd is not None and files:
        raise ValueError("files go into a fresh folder: give files or cwd")
    cwd = scratch(files) if cwd is None else cwd
    others = frozenset(descendants())
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        try:
            process = launch(argv, cwd, env, (given if stdin else subprocess.DEVNULL, out, err), timeout, as_root)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.ENOMEM):
                raise  # the box is full: no fault of this program
            return Ran(127 if error.errno == errno.ENOENT else 126, b"", str(error).encode())
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            code = None
        kill_leftovers(keep=others)
        texts = [_kept(file, output_limit) for file in (out, err)]
    code = None if max(map(len, texts)) > output_limit else code
    return Ran(code, texts[0][:output_limit], texts[1][:output_limit])


def _kept(file: IO[bytes], limit: int) -> bytes:
    file.seek(0)
    return file.read(limit + 1)


def launch(
    argv: Sequence[str],
    cwd: str,
    env: Mapping[str, str] | None,
    streams: tuple[Any, Any, Any],
    seconds: float = 600,
    as_root: bool = False,
) -> subprocess.Popen[bytes]:
    """Start `argv` with limits and a clean environment; `streams` are stdin, stdout, stderr. Raises OSError."""

    def restrict() -> None:
        # No RLIMIT_NPROC: it counts nobody's processes in every box of this host. The box has a limit of its own.
        limits = {"CORE": 0, "CPU": int(seconds) + 2, "FSIZE": FILE_LIMIT, "AS": ADDRESS_LIMIT}
        confine(NOBODY if DROP and not as_root else None, limits)
        os.umask(0o022)

    clean = {"PATH": PATH, "LC_ALL": "C.UTF-8", "HOME": cwd, "USER": "nobody", **(env or {})}
    stdin, out, err = streams
    return subprocess.Popen(
        list(argv), cwd=cwd, env=clean, stdin=stdin, stdout=out, stderr=err, start_new_session=True, preexec_fn=restrict
    )


class Service:
    """A candidate's service, running as nobody. Leaving its context kills it and all that it started."""

    def __init__(self, argv: Sequence[str], cwd: str | None, env: Mapping[str, str] | None, port: int | None) -> None:
        self.port, self._others = port, frozenset(descendants())
        self._log = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            streams = (subprocess.DEVNULL, self._log, subprocess.STDOUT)
            self.process: subprocess.Popen[bytes] | None = launch(argv, cwd or scratch(), env, streams)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.ENOMEM):
                raise
            self.process = None  # it never comes up, and `wait_port` says so

    def wait_port(self, port: int | None = None, timeout: float = 10) -> bool:
        """True as soon as something listens on 127.0.0.1:`port`; False after `timeout` seconds."""
        import socket

        end = time.monotonic() + timeout
        while self.process is not None and time.monotonic() < end:
            try:
                socket.create_connection(("127.0.0.1", port or self.port or 0), timeout=1).close()
                return True
            except OSError:
                time.sleep(0.02)
        return False

    def log(self, limit: int = 10_000) -> bytes:
        """The first `limit` bytes of what it has printed."""
        return os.pread(self._log.fileno(), limit, 0)

    def stop(self) -> None:
        """Kill it and all that was started since."""
        kill_leftovers(keep=self._others)
        if self.process is not None:
            self.process.poll()

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()


def start(
    argv: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None, port: int | None = None
) -> Service:
    """Start a candidate's service as nobody: `with grade.start([...], port=8080) as service: service.wait_port()`."""
    return Service(argv, cwd, env, port)
