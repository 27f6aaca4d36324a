"""The protocol of a persistent shell: how a command is wrapped, and how its output and exit code are told apart.

A shell reads commands from a pipe. Each is one `eval` of a quoted word, so that unbalanced quotes, here-documents and
`cd` behave as at a prompt; its standard input is empty, its output goes to a saved descriptor, so that `exec >file`
lasts for one command; afterwards the shell prints a marker with a fresh nonce and the exit code.
"""

from __future__ import annotations

import secrets
import struct
from dataclasses import dataclass, field

HEAD = struct.Struct(">BxxxL")
"""The daemon puts these bytes before each piece of output: stream number, length."""


def opening(nonce: str, workdir: str | None) -> bytes:
    """What a new shell is told first; it answers with a marker that carries its pid.

    What the shell itself says between commands (a job was killed) would stand in the next command's output: to nowhere.
    """
    enter = f"cd -- {quoted(workdir)} 2>/dev/null\n" if workdir else ""
    return f"exec 9>&1 2>/dev/null\n{enter}printf '\\036%s:%d\\036' {nonce} $$ >&9\n".encode("utf-8", "surrogateescape")


def wrapped(command: str, nonce: str) -> bytes:
    """The lines that run `command` and print the marker. `set -e` ends with the command that said it."""
    # No braces: after a syntax error in `eval`, bash takes a `{` that follows for a plain word.
    text = (
        f"command eval {quoted(command)} </dev/null >&9 2>&9 9>&-\n"
        f"printf '\\036%s:%d\\036' {nonce} \"$?\" >&9 2>/dev/null; set +e 2>/dev/null\n"
    )
    return text.encode("utf-8", "surrogateescape")


def quoted(text: str) -> str:
    """`text` as one word of any POSIX shell. NUL cannot be said to a shell and is left out."""
    return "'" + text.replace("\0", "").replace("'", "'\\''") + "'"


def new_nonce() -> str:
    """A word that no output can hold by chance."""
    return secrets.token_hex(12)


@dataclass(slots=True)
class Frames:
    """Takes the daemon's framing off a stream that arrives in pieces of any length."""

    _buffer: bytearray = field(default_factory=bytearray)
    _left: int = 0

    def feed(self, data: bytes) -> bytes:
        """The output that `data` completes."""
        self._buffer += data
        output = bytearray()
        while self._buffer:
            if not self._left:
                if len(self._buffer) < HEAD.size:
                    break
                self._left = HEAD.unpack_from(self._buffer)[1]
                del self._buffer[: HEAD.size]
                continue
            piece = self._buffer[: self._left]
            output += piece
            self._left -= len(piece)
            del self._buffer[: len(piece)]
        return bytes(output)


@dataclass(slots=True)
class HeadTail:
    """Keeps the first and the last `cap // 2` bytes of what is fed, everything while it fits in `cap`."""

    cap: int
    total: int = 0
    _head: bytearray = field(default_factory=bytearray)
    _tail: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes | bytearray) -> None:
        """Append `data`."""
        self.total += len(data)
        room = self.cap // 2 - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > 2 * self.cap + 65536:
            del self._tail[: -self.cap]

    @property
    def truncated(self) -> bool:
        """Whether something was left out."""
        return self.total > self.cap

    def text(self) -> str:
        """What was kept, with a line that says how much was left out between head and tail."""
        if not self.truncated:
            return (self._head + self._tail).decode("utf-8", "replace")
        tail = self._tail[-(self.cap - self.cap // 2) :] if self.cap else b""
        gap = f"\n[... {self.total - len(self._head) - len(tail)} bytes left out ...]\n"
        return self._head.decode("utf-8", "replace") + gap + tail.decode("utf-8", "replace")


@dataclass(slots=True)
class Answer:
    """Collects one command's output until its marker. `code` is None before that; `rest` is what came after it."""

    nonce: str
    output: HeadTail
    code: int | None = None
    rest: bytes = b""
    _pending: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> bool:
        """Take output; True once the marker was seen."""
        self._pending += data
        start = b"\x1e" + self.nonce.encode() + b":"
        found = self._pending.find(start)
        end = self._pending.find(b"\x1e", found + len(start)) if found >= 0 else -1
        if found >= 0 and end >= 0:
            self.output.feed(self._pending[:found])
            self.code = int(self._pending[found + len(start) : end])
            self.rest = bytes(self._pending[end + 1 :])
            self._pending.clear()
            return True
        keep = len(self._pending) - found if found >= 0 else len(start)
        self.output.feed(self._pending[:-keep])
        del self._pending[:-keep]
        return False

    def flush(self) -> None:
        """No marker will come: what is pending is output."""
        self.output.feed(self._pending)
        self._pending.clear()
