"""A persistent shell in a box, over a connection that the engine makes: about a millisecond a command.

The protocol is in `marker.py`. A command over its time or output limit is killed with everything below it; a shell that
does not come back is replaced by a fresh one, which the result says (`shell_lost`).
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Mapping
from typing import Protocol

from envwheel.errors import BoxGone, InfraError
from envwheel.sandbox.base import CommandResult
from envwheel.sandbox.marker import Answer, HeadTail, new_nonce, wrapped

FLOOD_BYTES = 64 << 20
"""A command that prints more than this is killed."""
GRACE_S = 3.0
"""How long a shell may take to come back after its command was killed."""
OPEN_S = 60.0
FORGET = b"jobs >/dev/null 2>&1\n"
"""Lets a shell say of killed jobs, where nobody listens, what it would print into its next command's output."""


class Connection(Protocol):
    """One shell process in a box that has said hello; making it raises BoxGone or InfraError."""

    ended: bool

    def send(self, data: bytes) -> None:
        """Write all of `data` to the shell's standard input. BoxGone, InfraError."""

    def read(self, answer: Answer, deadline: float, flood: int = FLOOD_BYTES) -> bool:
        """Read until the marker (True), the deadline, the end of the shell or too much output (False)."""

    def kill(self, *, shell_too: bool) -> None:
        """Kill what runs below the shell, and the shell as well when asked. BoxGone."""

    def exit_code(self) -> int | None:
        """The exit code of a shell that has ended; None when it is not known."""

    def close(self) -> None:
        """Let go of the shell."""


class ShellBox(Protocol):
    """What a shell needs of its box."""

    def connect(self, user: str | None, env: Mapping[str, str]) -> Connection:
        """A new shell process. BoxGone, InfraError."""

    def check(self) -> None:
        """Raise BoxGone when the box is gone."""


class PersistentShell:
    """Implements `Shell`. One command at a time; further callers wait."""

    def __init__(self, box: ShellBox, user: str | None, env: Mapping[str, str]) -> None:
        self._box, self._user, self._env = box, user, dict(env)
        self._lock = threading.Lock()
        self._connection: Connection | None = box.connect(user, self._env)

    def run(self, command: str, *, timeout_s: float = 120.0, output_cap: int = 1 << 20) -> CommandResult:
        """See `Shell.run`."""
        with self._lock:
            started = time.monotonic()
            if self._connection is None:
                self._box.check()
                self._connection = self._box.connect(self._user, self._env)
            answer = Answer(new_nonce(), HeadTail(output_cap))
            connection = self._connection
            connection.send(wrapped(command, answer.nonce))
            done = connection.read(answer, started + timeout_s)
            code, timed_out, lost = answer.code, False, False
            if not done and connection.ended:
                code, lost = self._after_end(connection), True
            elif not done:
                timed_out = answer.output.total <= FLOOD_BYTES
                code, lost = None, self._kill(connection, answer)
            answer.flush()
            return CommandResult(
                exit_code=code,
                output=answer.output.text(),
                seconds=time.monotonic() - started,
                timed_out=timed_out,
                truncated=answer.output.truncated,
                shell_lost=lost,
            )

    def _after_end(self, connection: Connection) -> int | None:
        """The shell ended by itself (`exit`, `exec`, a signal): its exit code, unless the whole box is gone."""
        self._connection = None
        try:
            self._box.check()
            code = connection.exit_code()
            self._box.check()
            return code
        finally:
            connection.close()

    def _kill(self, connection: Connection, answer: Answer) -> bool:
        """Kill what the command runs, then the shell itself if it does not come back. True when the shell is lost."""
        connection.kill(shell_too=False)
        if connection.read(answer, time.monotonic() + GRACE_S, flood=1 << 62):
            connection.send(FORGET)
            return False
        if not connection.ended:
            connection.kill(shell_too=True)
        self._drop()
        self._box.check()
        return True

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def close(self) -> None:
        """See `Shell.close`."""
        with self._lock:
            if self._connection is not None and not self._connection.ended:
                with contextlib.suppress(BoxGone, InfraError):
                    self._connection.send(b"exit\n")
            self._drop()
