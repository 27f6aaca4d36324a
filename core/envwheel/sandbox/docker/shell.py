"""A shell process in a Docker box: one attached exec, which costs fifty milliseconds to make and one to use."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from envwheel.sandbox.docker.daemon import Attached, Refused
from envwheel.sandbox.marker import Answer, Frames, HeadTail, new_nonce, opening
from envwheel.sandbox.shell import FLOOD_BYTES, OPEN_S

if TYPE_CHECKING:
    from collections.abc import Mapping

    from envwheel.sandbox.docker.box import DockerBox

BASH = ["/bin/sh", "-c", "for b in /bin/bash /usr/bin/bash; do [ -x $b ] && exec $b --noprofile --norc; done; exec sh"]

KILL_BELOW = """\
shell=$1; seen=" $shell "; pass=0; grew=1
while [ $grew = 1 ] && [ $pass -lt 50 ]; do
  grew=0; pass=$((pass + 1))
  for dir in /proc/[0-9]*; do
    pid=${dir#/proc/}
    case $seen in *" $pid "*) continue;; esac
    parent=
    while read -r key value; do
      if [ "$key" = PPid: ]; then parent=$value; break; fi
    done 2>/dev/null <"$dir/status"
    case $seen in *" ${parent:-none} "*) seen="$seen$pid "; kill -STOP "$pid" 2>/dev/null; grew=1;; esac
  done
done
for pid in $seen; do
  if [ "$pid" != "$shell" ] || [ "$2" = all ]; then kill -KILL "$pid" 2>/dev/null; fi
done
"""
"""Kills what runs below process $1 ($2 = all: it as well). Stops first, so that nothing escapes to a new parent; needs
no `ps`, and one spare process."""


class DockerConnection:
    """The attached exec of one shell process."""

    def __init__(self, box: DockerBox, user: str | None, env: Mapping[str, str]) -> None:
        self._box = box
        self._frames = Frames()
        self._rest = b""
        self.ended = False
        try:
            self._exec, self._stream = self._attach(user, env, workdir=None)
        except Refused:
            # The working directory may have been removed by what ran before.
            try:
                self._exec, self._stream = self._attach(user, env, workdir="/")
            except Refused as refused:
                raise box.lost(f"a shell as user {user or 'root'!r} did not start", refused) from refused
        answer = Answer(new_nonce(), HeadTail(4096))
        self.send(opening(answer.nonce, box.spec.workdir))
        if not self.read(answer, time.monotonic() + OPEN_S, flood=1 << 20):
            self.close()
            answer.flush()
            said = answer.output.text().strip() or "no answer"
            raise box.lost(f"a shell as user {user or 'root'!r} did not start: {said}")
        self.pid = answer.code or 0

    def _attach(self, user: str | None, env: Mapping[str, str], workdir: str | None) -> tuple[str, Attached]:
        daemon = self._box.daemon
        with daemon.slot("start a shell") as api:
            made = api.exec_create(
                self._box.id, BASH, stdin=True, stderr=False, user=user or "", environment=dict(env), workdir=workdir
            )
            return made["Id"], daemon.attach(made["Id"])

    def send(self, data: bytes) -> None:
        """Write all of `data` to the shell's standard input."""
        try:
            self._stream.socket.sendall(data)
        except OSError as error:
            raise self._box.lost(f"a shell's connection broke ({error})") from error

    def read(self, answer: Answer, deadline: float, flood: int = FLOOD_BYTES) -> bool:
        """Read until the marker (True), the deadline, the end of the shell or too much output (False)."""
        if self._rest and answer.feed(self._rest):
            return True
        self._rest = b""
        while answer.output.total <= flood and self._stream.wait(deadline - time.monotonic()):
            data = self._stream.receive()
            if not data:
                self.ended = True
                return False
            if answer.feed(self._frames.feed(data)):
                self._rest = answer.rest
                return True
        return False

    def exit_code(self) -> int | None:
        """The exit code of a shell that has ended; None when the daemon does not know it."""
        for _ in range(20):
            seen = self._box.daemon.call("inspect a shell", lambda api: api.exec_inspect(self._exec), ignore=(404,))
            if seen is None:
                return None
            if not seen["Running"]:
                return seen["ExitCode"]
            time.sleep(0.1)
        return None

    def kill(self, *, shell_too: bool) -> None:
        """See `Connection.kill`."""
        self._box.kill_below(self.pid, shell_too=shell_too)

    def close(self) -> None:
        """Let go of the shell."""
        self._stream.close()
