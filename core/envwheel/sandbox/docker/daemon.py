"""The way to the Docker daemon: one client, a bounded number of calls at a time, every failure an `InfraError`.

Docker does not get faster by more than about two calls a core at once, only slower, so calls wait for a slot. A call
that the daemon answers with an error raises `Refused`, which is an `InfraError` unless a caller knows better.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from envwheel.errors import InfraError, SetupError

if TYPE_CHECKING:
    from docker import APIClient

T = TypeVar("T")

START_LINES = (
    "Install and start it: `apt-get install docker.io && systemctl start docker` (or `dockerd &` where there is no "
    "systemd), and let your user reach its socket: `usermod -aG docker $USER`."
)


def _patience() -> int:
    said = os.environ.get("DOCKER_CLIENT_TIMEOUT") or "120"
    if not said.isdigit() or int(said) < 1:
        raise SetupError(f"DOCKER_CLIENT_TIMEOUT is {said!r}; it must be a whole number of seconds, such as 120.")
    return int(said)


class Refused(InfraError):
    """The daemon answered with an error. `status` is the HTTP status, `explanation` the daemon's own words."""

    def __init__(self, doing: str, status: int, explanation: str) -> None:
        self.status, self.explanation = status, explanation
        super().__init__("daemon", f"Docker would not {doing}: {explanation} (HTTP {status}).")


class Attached:
    """The two-way stream of a running exec."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.socket: socket.socket = getattr(stream, "_sock", stream)
        self.socket.settimeout(60.0)
        self._poll = select.poll()
        self._poll.register(self.socket, select.POLLIN)

    def wait(self, seconds: float) -> bool:
        """Whether something can be read within `seconds`."""
        # Not select(): it knows no descriptor above 1023.
        return seconds > 0 and bool(self._poll.poll(seconds * 1000))

    def receive(self) -> bytes:
        """What has come, framed as the daemon sends it; empty at the end of the stream."""
        try:
            return self.socket.recv(1 << 18)
        except OSError:
            return b""

    def drain(self, seconds: float) -> None:
        """Read to the end, at most `seconds`."""
        deadline = time.monotonic() + seconds
        while self.wait(deadline - time.monotonic()):
            if not self.receive():
                return

    def close(self) -> None:
        """Let go; the process in the box sees the end of its input."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            self._stream._response.close()
            self._stream.close()


class Daemon:
    """A client of the daemon that `DOCKER_HOST` names (default: the local socket). Raises SetupError when it is silent.

    DOCKER_CLIENT_TIMEOUT bounds the wait for each answer (seconds, default 120), not the length of a stream.
    """

    def __init__(self) -> None:
        import docker
        import requests

        self._api_error: type[Exception] = docker.errors.APIError
        self._broken = (requests.exceptions.RequestException, docker.errors.DockerException, OSError)
        settings = {"base_url": None, **docker.utils.kwargs_from_env()}
        try:
            self.api: APIClient = docker.APIClient(**settings, timeout=_patience())
        except self._broken as error:
            raise SetupError(f"The Docker daemon does not answer ({error}). {START_LINES}") from error
        self.local = self.api.base_url.startswith("http+docker://") and "ssh" not in self.api.base_url
        """Whether the daemon is on this machine, as far as a local socket tells."""
        self._slots = threading.BoundedSemaphore(max(2 * (os.cpu_count() or 1), 4))

    @contextmanager
    def slot(self, doing: str) -> Iterator[APIClient]:
        """The client, while one of the slots is held. `doing` completes the sentence "Docker would not ..."."""
        with self._slots, self.errors(doing):
            yield self.api

    @contextmanager
    def errors(self, doing: str) -> Iterator[APIClient]:
        """The client without a slot, for streams that last; failures are turned into `Refused` and `InfraError`."""
        try:
            yield self.api
        except self._api_error as error:
            status = getattr(getattr(error, "response", None), "status_code", 500)
            raise Refused(doing, status, getattr(error, "explanation", None) or str(error)) from error
        except self._broken as error:
            raise InfraError("daemon", f"Docker did not {doing}: {error}.") from error

    def call(self, doing: str, request: Callable[[APIClient], T], *, ignore: tuple[int, ...] = ()) -> T | None:
        """The answer to one request; None when the daemon answered with one of the statuses in `ignore`."""
        try:
            with self.slot(doing) as api:
                return request(api)
        except Refused as refused:
            if refused.status in ignore:
                return None
            raise

    def archive(self, container: str, path: str) -> Generator[bytes, None, None]:
        """The daemon's tar of `path`, in pieces; close it to break off. (The SDK's own call waits without a limit.)"""
        url = self.api._url("/containers/{0}/archive", container)
        response = self.api._get(url, params={"path": path}, stream=True, headers={"Accept-Encoding": "identity"})
        try:
            self.api._raise_for_status(response)
            yield from response.iter_content(1 << 18)
        finally:
            response.close()

    def attach(self, exec_id: str) -> Attached:
        """Start an exec and hold its standard input and output."""
        return Attached(self.api.exec_start(exec_id, socket=True))

    def info(self) -> dict[str, Any]:
        """What the daemon says of itself."""
        return self.call("describe itself", lambda api: api.info()) or {}

    def close(self) -> None:
        """Give the connections back."""
        self.api.close()
