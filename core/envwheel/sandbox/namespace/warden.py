"""The process that makes boxes for the namespace engine, and without which none of them lives.

It is the first process of a process namespace and has a mount namespace of its own: when it ends, by an orderly close
or because the orchestrator was killed, the kernel ends every box and build and takes every mount away. It has one
thread, so that what it forks is whole. Requests come over one socket, each with a socket for the answers: `start` a
box, open a `shell` in one, `run` a program confined (a build).
Run as `python -m envwheel.sandbox.namespace.warden DESCRIPTOR PROGRAM...`.

What a box executes could be a script whose interpreter is `/proc/self/exe`, that is, a program of the host; so the
programs used here lie on read-only mounts, and a process on its way into a box cannot be looked into.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
import sys
from dataclasses import dataclass
from typing import Any

from envwheel.sandbox import kernel, seccomp, userns
from envwheel.sandbox.namespace.entering import become, box_process, program_process, shell_process

LARGEST = 1 << 20
OUTPUT_CAP = 4096
UP = b"up\n"


@dataclass(slots=True)
class _Coming:
    """A box that was started and did not say yet that it is up."""

    pid: int
    reply: socket.socket
    said: int
    information: int
    text: bytes = b""
    code: int | None = None
    """How it ended, when that was noticed before its last words were heard."""


class Warden:
    """The loop: requests, boxes that come up, processes that ended, the orchestrator's end."""

    def __init__(self, requests: socket.socket, orchestrator: int) -> None:
        self._requests, self._orchestrator = requests, orchestrator
        self._filter = seccomp.program(pretended=userns.one_user())
        self._processes = os.open("/proc/self/ns/pid", os.O_RDONLY)
        self._coming: dict[int, _Coming] = {}
        self._replies: dict[int, socket.socket] = {}
        self._poll = select.poll()
        self._wake, wake = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(self._wake, False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        for descriptor in (requests.fileno(), orchestrator, self._wake):
            self._poll.register(descriptor, select.POLLIN)

    def serve(self) -> None:
        """Until the orchestrator ends or closes its socket."""
        while True:
            ready = {descriptor for descriptor, _ in self._poll.poll()}
            if self._orchestrator in ready:
                return
            for descriptor in ready & set(self._coming):
                self._hear(self._coming[descriptor])
            if self._wake in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(self._wake, 4096)
            self._reap()
            if self._requests.fileno() in ready and not self._request():
                return

    def _request(self) -> bool:
        message, descriptors, _, _ = socket.recv_fds(self._requests, LARGEST, 8)
        if not message:
            return False
        reply = socket.socket(fileno=descriptors[0])
        request = json.loads(message)
        try:
            getattr(self, "_" + request.pop("do"))(request, reply, descriptors[1:])
        except OSError as error:
            _answer(reply, {"failed": f"{error}", "ours": True})
        finally:
            for descriptor in descriptors[1:]:
                os.close(descriptor)
        return True

    def _start(self, request: dict[str, Any], reply: socket.socket, descriptors: list[int]) -> None:
        said, say = os.pipe()
        information, inform = os.pipe()
        pid = os.fork()
        if pid == 0:
            become(box_process, request, reply, descriptors, say, inform, self._filter)
        os.close(say)
        os.close(inform)
        self._coming[said] = _Coming(pid, reply, said, information)
        self._poll.register(said, select.POLLIN)
        self._made(pid, reply)

    def _hear(self, box: _Coming) -> None:
        data = os.read(box.said, OUTPUT_CAP)
        box.text = (box.text + data)[-OUTPUT_CAP:]
        if data and not box.text.endswith(UP):
            return
        self._poll.unregister(box.said)
        del self._coming[box.said]
        os.close(box.said)
        told = os.read(box.information, OUTPUT_CAP) if data else b""
        os.close(box.information)
        if told:
            with contextlib.suppress(OSError):
                first = os.pidfd_open(json.loads(told)["child-pid"])
                _answer(box.reply, {"up": True}, [first])
                os.close(first)
        else:
            _answer(box.reply, {"failed": box.text.decode("utf-8", "replace").strip()})
        if box.code is not None:
            self._ended(box.pid, box.code)

    def _shell(self, request: dict[str, Any], reply: socket.socket, descriptors: list[int]) -> None:
        # What this process forks is in the box's process namespace; it stays in its own.
        kernel.enter(descriptors[0], kernel.NEWPID)
        try:
            pid = os.fork()
            if pid == 0:
                become(shell_process, request, descriptors, self._filter)
        finally:
            kernel.enter(self._processes, kernel.NEWPID)
        self._made(pid, reply)

    def _run(self, request: dict[str, Any], reply: socket.socket, descriptors: list[int]) -> None:
        pid = os.fork()
        if pid == 0:
            become(program_process, request, reply, descriptors)
        self._made(pid, reply)

    def _made(self, pid: int, reply: socket.socket) -> None:
        self._replies[pid] = reply
        handle = os.pidfd_open(pid)
        _answer(reply, {"made": True}, [handle])
        os.close(handle)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            code = os.waitstatus_to_exitcode(status)
            coming = next((box for box in self._coming.values() if box.pid == pid), None)
            if coming is not None:
                coming.code = code
            else:
                self._ended(pid, code)

    def _ended(self, pid: int, code: int) -> None:
        reply = self._replies.pop(pid, None)
        if reply is not None:
            _answer(reply, {"ended": code})
            reply.close()


def _answer(reply: socket.socket, said: dict[str, Any], descriptors: list[int] | None = None) -> None:
    with contextlib.suppress(OSError):  # nobody may listen any more
        socket.send_fds(reply, [json.dumps(said).encode()], descriptors or [])


def _read_only(paths: list[str]) -> None:
    kernel.mount("none", "/", "", kernel.RECURSIVE | kernel.PRIVATE)
    for path in {os.path.realpath(path) for path in paths}:
        kernel.make_read_only(path)


def main(argv: list[str]) -> int:
    """Enter the namespaces, then serve."""
    requests = socket.socket(fileno=int(argv[0]))
    if argv[1] == "inside":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        gc.disable()
        gc.freeze()  # so that what is forked copies few pages
        Warden(requests, int(argv[2])).serve()
        return 0
    orchestrator = os.pidfd_open(os.getppid())
    try:
        kernel.unshare(kernel.NEWNS | kernel.NEWPID)
        _read_only([sys.executable, *argv[1:]])
    except OSError as error:
        _answer(requests, {"failed": f"{error}"})
        return 2
    pid = os.fork()
    if pid == 0:
        kernel.mount("proc", "/proc", "proc", kernel.NO_SUID | kernel.NO_DEV)
        os.set_inheritable(requests.fileno(), True)
        os.set_inheritable(orchestrator, True)
        # Again, now from its read-only mount.
        again = ["-P", "-m", "envwheel.sandbox.namespace.warden", str(requests.fileno()), "inside", str(orchestrator)]
        os.execv(sys.executable, [sys.executable, *again])
    handle = os.pidfd_open(pid)
    _answer(requests, {"up": True}, [handle])
    os.close(handle)
    requests.close()
    os.waitpid(pid, 0)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
