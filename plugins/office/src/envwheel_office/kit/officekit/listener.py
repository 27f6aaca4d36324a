"""One LibreOffice for a whole grading: started when it is first asked, computing workbooks, ended with the grading.

    with Listener() as office:
        before = Computation(get=("Sum!B1",))
        after = Computation({"Ledger!B2": 7}, ("Sum!B1",))
        office.compute(data, [before, after])       # [{"Sum!B1": 3.0}, {"Sum!B1": 8.0}]

LibreOffice and the program that speaks with it (uno_child.py) run as a user of their own, whom a candidate's programs,
which run as nobody, cannot touch; the profile is a copy of the image's. What comes back is JSON on a pipe. A workbook
that makes LibreOffice fail or takes too long is `Unreadable`; the next one gets a fresh LibreOffice.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from .bench import Computation, Unreadable
from .model import Scalar

PROFILE = "/opt/office-profile"
CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "uno_child.py")
USER = 65533
"""Beside nobody (65534)."""
START_S, COMPUTE_S = 100.0, 60.0
FILE_LIMIT, ADDRESS_LIMIT, CPU_S = 64 << 20, 16 << 30, 600
ANSWER_LIMIT = 64 << 20


class Listener:
    """LibreOffice, started by the first `compute`. Not for several threads.

    `error` makes the value of a cell that shows an error, of its text.
    """

    def __init__(self, profile: str = PROFILE, error: Callable[[str], str] = str) -> None:
        self._profile, self._error = profile, error
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = ""
        self._said = b""

    def compute(
        self, data: bytes, runs: Sequence[Computation], *, timeout_s: float = COMPUTE_S
    ) -> list[dict[str, Scalar]]:
        """What the workbook `data` shows in the cells of each run's `get`; a cell that is nowhere is missing.

        Raises Unreadable for the workbook's fault, RuntimeError when LibreOffice cannot be started.
        """
        self._ready()
        book = sha256(data).hexdigest()[:16] + ".xlsx"
        path = os.path.join(self._folder, book)
        if not os.path.exists(path):
            with open(path, "wb") as file:
                file.write(data)
            _give(path)
        told = [{"set": dict(run.set), "type": dict(run.type), "get": list(run.get)} for run in runs]
        asked = {"book": book, "runs": told}
        answer = self._ask(asked, timeout_s)
        if "error" in answer:
            raise Unreadable(f"LibreOffice cannot compute it: {answer['error']}")
        return self._checked(answer, runs)

    def stop(self) -> None:
        """End LibreOffice and what belongs to it; a later `compute` starts another."""
        if self._process is not None:
            _end_group(self._process.pid)
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._process, self._folder, self._said = None, "", b""

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def _ready(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        from grade_reap import confine

        self.stop()
        self._folder = tempfile.mkdtemp(prefix="office-")
        shutil.copytree(self._profile, os.path.join(self._folder, "profile"))
        child = shutil.copy(CHILD, os.path.join(self._folder, "child.py"))
        for folder, _, names in os.walk(self._folder):
            for name in ["", *names]:
                _give(os.path.join(folder, name))

        def restrict() -> None:
            os.umask(0o077)
            confine(_user(), {"CORE": 0, "CPU": CPU_S, "FSIZE": FILE_LIMIT, "AS": ADDRESS_LIMIT})

        env = {"PATH": "/usr/bin:/bin", "HOME": self._folder, "TMPDIR": self._folder, "LC_ALL": "C.UTF-8"}
        try:
            self._process = subprocess.Popen(
                ["/usr/bin/python3", "-I", child, self._folder],
                cwd=self._folder,
                env=env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=restrict,
            )
            self._line(START_S)
        except (OSError, subprocess.SubprocessError, Unreadable):
            self.stop()
            raise RuntimeError("LibreOffice does not start in this box") from None

    def _ask(self, asked: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(asked).encode() + b"\n")
            self._process.stdin.flush()
            return self._line(timeout_s)
        except (OSError, Unreadable) as error:
            self.stop()
            raise Unreadable(str(error) or "LibreOffice ended") from None

    def _line(self, timeout_s: float) -> dict[str, Any]:
        """The next answer. Raises Unreadable when there is none in time, or it is none."""
        assert self._process is not None
        assert self._process.stdout is not None
        pipe, end = self._process.stdout.fileno(), time.monotonic() + timeout_s
        while b"\n" not in self._said:
            left = end - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                raise Unreadable(f"LibreOffice took more than {timeout_s:.0f} s")
            part = os.read(pipe, 1 << 20)
            if not part or len(self._said) > ANSWER_LIMIT:
                raise Unreadable("LibreOffice ended while it computed")
            self._said += part
        line, _, self._said = self._said.partition(b"\n")
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise Unreadable("LibreOffice's answer is none")
        return answer

    def _checked(self, answer: dict[str, Any], runs: Sequence[Computation]) -> list[dict[str, Scalar]]:
        """The answer, held to what was asked: it comes from a process that read a hostile file."""
        given = answer.get("runs")
        if not isinstance(given, list) or len(given) != len(runs) or not all(isinstance(one, dict) for one in given):
            raise Unreadable("LibreOffice's answer is none")
        return [
            {name: self._value(one[name]) for name in run.get if name in one}
            for run, one in zip(runs, given, strict=True)
        ]

    def _value(self, value: Any) -> Scalar:
        if isinstance(value, dict):
            return self._error(str(value.get("error"))[:20])
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, (int, float)):
            return float(value)
        raise Unreadable("LibreOffice's answer is none")


def _end_group(pid: int) -> None:
    """Kill the process group that `pid` leads, and return when none of it is left.

    An orphan becomes a child of this process before its parent can be waited for (grade_reap makes a subreaper), so the
    waiting misses none.
    """
    try:
        os.killpg(pid, signal.SIGKILL)
        while True:
            os.waitpid(-pid, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


def _user() -> int | None:
    """Whom LibreOffice runs as; None, whoever this process is, in a box of one user."""
    from grade_reap import can_drop

    return USER if can_drop() else None


def _give(path: str) -> None:
    user = _user()
    if user is not None:
        os.chown(path, user, user)
    os.chmod(path, 0o700 if os.path.isdir(path) else 0o600)
