"""The orchestrator's side of the warden: starts it, sends requests, gives each its own line of answers."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from envwheel.errors import InfraError

HELLO_S = 30.0
KEPT_VARIABLES = ("HOME", "LANG", "LD_LIBRARY_PATH", "PATH", "PYTHONPATH", "VIRTUAL_ENV")
"""What the warden is told of this process's environment: nothing that boxes must not learn."""


class Line:
    """The answers to one request, and the descriptors that came with them."""

    def __init__(self, ours: socket.socket) -> None:
        self._socket = ours
        self.said: dict[str, Any] = {}
        self.descriptors: dict[str, list[int]] = {}
        """Word -> what came with it."""
        self.broken = False

    def fileno(self) -> int:
        """For poll(2)."""
        return self._socket.fileno()

    def wait(self, words: Sequence[str], seconds: float) -> bool:
        """Listen until one of `words` was said (now or before); False at the end of the line or the time."""
        deadline = time.monotonic() + seconds
        while not any(word in self.said for word in words):
            poll = select.poll()
            poll.register(self._socket, select.POLLIN)
            left = deadline - time.monotonic()
            if self.broken or not poll.poll(max(0.0, left) * 1000):
                return False
            message, descriptors, _, _ = socket.recv_fds(self._socket, 1 << 16, 8)
            self.broken = not message
            said = json.loads(message) if message else {}
            self.said.update(said)
            for word in said:
                self.descriptors[word] = descriptors
        return True

    def send(self, data: bytes) -> None:
        """Say something to the process that the request made."""
        with contextlib.suppress(OSError):
            self._socket.send(data)

    def close(self) -> None:
        """Let go of the line and of what came over it."""
        self._socket.close()
        for descriptors in self.descriptors.values():
            for descriptor in descriptors:
                os.close(descriptor)
        self.descriptors.clear()


class Wards:
    """One warden process. Thread-safe."""

    def __init__(self, programs: Sequence[str]) -> None:
        """`programs`: what it will execute for us, paths of the host. Raises InfraError."""
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        environment = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        command = [sys.executable, "-P", "-m", "envwheel.sandbox.namespace.warden", str(theirs.fileno()), *programs]
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            command,
            pass_fds=[theirs.fileno()],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        theirs.close()
        hello = Line(self._requests)
        if not hello.wait(["up", "failed"], HELLO_S) or "failed" in hello.said:
            self._process.kill()
            said = hello.said.get("failed") or (self._process.communicate()[1] or b"").decode(errors="replace")[-2000:]
            raise InfraError("host", f"The process that makes boxes did not start: {said or 'no answer'}.")
        (self._handle,) = hello.descriptors["up"]

    def ask(self, request: Mapping[str, Any], descriptors: Sequence[int] = ()) -> Line:
        """Send a request; its line. Raises InfraError when the warden is gone."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        message = json.dumps(request).encode()
        try:
            with self._lock:
                socket.send_fds(self._requests, [message], [theirs.fileno(), *descriptors])
        except OSError as error:
            ours.close()
            raise InfraError("host", f"The process that makes boxes does not answer: {error}.") from error
        finally:
            theirs.close()
        return Line(ours)

    @property
    def ended(self) -> bool:
        """Whether somebody killed it; every box is gone then."""
        poll = select.poll()
        poll.register(self._requests, 0)  # it tells of a hang-up unasked
        return bool(poll.poll(0)) or ended(self._handle)

    def kill(self) -> None:
        """End it, and with it every box and build."""
        kill(self._handle)

    def close(self) -> None:
        """End it and let go."""
        self._requests.close()
        self.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        if self._process.stderr:
            self._process.stderr.close()
        with contextlib.suppress(OSError):
            os.close(self._handle)


def ended(pidfd: int, seconds: float = 0.0) -> bool:
    """Whether the process behind a pidfd has ended, after waiting for it a while."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def kill(pidfd: int, number: int = signal.SIGKILL) -> None:
    """Send a signal; no matter if the process has ended."""
    with contextlib.suppress(OSError):
        signal.pidfd_send_signal(pidfd, number)
