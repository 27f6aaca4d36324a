"""A shell process in a namespace box: two pipes, and a handle by which it is stopped from outside the box."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import signal
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from envwheel.errors import BoxGone
from envwheel.sandbox.kernel import process_of
from envwheel.sandbox.marker import Answer, HeadTail, new_nonce, opening
from envwheel.sandbox.namespace.wards import ended, kill
from envwheel.sandbox.shell import FLOOD_BYTES, OPEN_S

if TYPE_CHECKING:
    from envwheel.sandbox.namespace.box import NamespaceBox

PIECE = 1 << 18
CODE_S = 2.0
SETTLE_S = 0.3
PASSES = 100
DEATH_S = 1.0


class NamespaceConnection:
    """Implements `Connection`."""

    def __init__(self, box: NamespaceBox, request: dict[str, Any], first: int) -> None:
        """`request` is the warden's `shell`; `first` the pidfd of the box's first process."""
        self._box, self._first, self._rest = box, first, b""
        self.ended = False
        theirs_in, self._in = os.pipe()
        self._out, theirs_out = os.pipe()
        os.set_blocking(self._in, False)
        try:
            self._line = box.wards.ask(request, [first, theirs_in, theirs_out])
        except BaseException:
            os.close(self._in)
            os.close(self._out)
            raise
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._line.fileno(), select.POLLIN)
        answer = Answer(new_nonce(), HeadTail(4096))
        try:
            self.send(opening(answer.nonce, box.spec.workdir))
            opened = self.read(answer, time.monotonic() + OPEN_S, flood=1 << 20)
        except BoxGone:
            opened = False
        if not opened:
            self.close()
            answer.flush()
            said = answer.output.text().strip() or "no answer"
            raise box.lost(f"a shell did not start: {said}")

    def send(self, data: bytes) -> None:
        """See `Connection.send`."""
        deadline = time.monotonic() + OPEN_S
        view = memoryview(data)
        try:
            while view:
                with contextlib.suppress(BlockingIOError):
                    view = view[os.write(self._in, view) :]
                    continue
                poll = select.poll()
                poll.register(self._in, select.POLLOUT)
                if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                    raise OSError(errno.ETIMEDOUT, "it does not read")
        except OSError as error:
            raise self._box.lost(f"a shell's connection broke ({error})") from error

    def read(self, answer: Answer, deadline: float, flood: int = FLOOD_BYTES) -> bool:
        """See `Connection.read`. A shell that ended is ended, though what it started may hold its output open."""
        if self._rest and answer.feed(self._rest):
            return True
        self._rest = b""
        while answer.output.total <= flood and (left := deadline - time.monotonic()) > 0:
            ready = dict(self._poll.poll(left * 1000))
            if self._out in ready:
                data = os.read(self._out, PIECE)
                if not data:
                    self.ended = True
                    return False
                if answer.feed(data):
                    self._rest = answer.rest
                    return True
            elif (ready and self._line.wait(["ended"], 0.0)) or (ready and self._line.broken):
                self.ended = True
                return False
        return False

    def kill(self, *, shell_too: bool) -> None:
        """See `Connection.kill`."""
        if not self._line.wait(["made"], 1.0):
            return
        (shell,) = self._line.descriptors["made"]
        number = process_of(shell)
        if number > 0:
            kill_below(number, self._box.pids)
        if shell_too:
            kill(shell)

    def exit_code(self) -> int | None:
        """See `Connection.exit_code`."""
        code = int(self._line.said["ended"]) if self._line.wait(["ended"], CODE_S) else None
        if code in (None, -signal.SIGKILL):
            # Perhaps the whole box is ending: its first process is the last to go. Without the warden it surely is.
            ended(self._first, OPEN_S if code is None and self._line.broken else SETTLE_S)
        return 128 - code if code is not None and code < 0 else code

    def close(self) -> None:
        """See `Connection.close`."""
        if self._in >= 0:
            os.close(self._in)
            os.close(self._out)
            self._line.close()
            self._in = -1


def kill_below(top: int, pids: Callable[[], list[int]]) -> None:
    """Kill what runs below process `top` among `pids`. Stops first, so that nothing escapes to a new parent."""
    seen = {top}
    for _ in range(PASSES):
        found = {pid for pid, parent in _parents(pids()) if parent in seen} - seen
        for pid in found:
            _signal(pid, signal.SIGSTOP)
        seen |= found
        if not found:
            break
    doomed = seen - {top}
    for pid in doomed:
        _signal(pid, signal.SIGKILL)
    # A shell that still hears of a death later would tell of it in the output of its next command.
    give_up = time.monotonic() + DEATH_S
    while any(_state(pid)[:1] not in (b"", b"Z") for pid in doomed) and time.monotonic() < give_up:
        time.sleep(0.001)


def _parents(pids: list[int]) -> list[tuple[int, int]]:
    states = ((pid, _state(pid).split()) for pid in pids)
    return [(pid, int(state[1])) for pid, state in states if state]


def _state(pid: int) -> bytes:
    """What /proc says of a process after its name: state, parent and more; empty when it is gone."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", "rb") as stat:
        return stat.read().rpartition(b") ")[2]
    return b""


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, number)
