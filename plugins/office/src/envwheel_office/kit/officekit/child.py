"""A child of the judging process that opens a candidate's document: as nobody, with limits.

    (read,) = ask([reader.work("xlsx")], "xlsx", data)      # work(path) of a child; what it gives comes back as JSON

The child is a fork: starting Python and importing a reader again takes a hundred times as long. So what a work needs is
imported before, by root, to whom alone the kit's folder is open; then the child gives up root, and then it looks.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import resource
import select
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

SECONDS = 60
"""CPU time; the wall clock gets twice as much, on a machine that does other things too."""
MEMORY = 2 << 30
"""Address space beyond what the judging process has when it forks."""
FILE_LIMIT = 64 << 20
OUTPUT = 60_000_000
DOCUMENT = "document"
ARENA_MAX = -8
"""glibc's name for the number of malloc's arenas."""
ANSWER = 3
"""The child's descriptor for its answer; it has no other but three to nowhere."""
END = b"\n"
"""The end of an answer: what the child may have started holds its descriptor open."""

Work = Callable[[str], Any]
"""Given the document's path, says something that JSON can hold."""


class Answer(NamedTuple):
    """What a work said; `failure` is why it said nothing."""

    value: Any
    failure: str = ""


def ask(
    works: Sequence[Work], extension: str, data: bytes, *, seconds: int = SECONDS, memory: int = MEMORY
) -> list[Answer]:
    """What each work says of the document `data`; each in a child of its own, all at the same time.

    `seconds` of CPU time and `memory` in bytes are each child's. Raises OSError when the box is full.
    """
    import grade
    from grade_reap import descendants

    import_module("encodings.cp437")  # zipfile's, late; the interpreter itself may be closed to nobody
    name = f"{DOCUMENT}.{extension}"
    folder = grade.scratch({name: data})
    others = frozenset(descendants())
    started = [_start(work, folder, name, seconds, memory) for work in works]
    end = time.monotonic() + 2 * seconds
    answers = [_heard(pid, out, end, seconds) for pid, out in started]
    grade.kill_leftovers(keep=others)
    return answers


def _start(work: Work, folder: str, name: str, seconds: int, memory: int) -> tuple[int, int]:
    """A child at work: its id, and where its answer can be read."""
    out, into = os.pipe()
    pid = os.fork()
    if pid:
        os.close(into)
        return pid, out
    try:
        try:
            _confine(into, folder, seconds, memory)
            text = json.dumps([work(os.path.join(folder, name)), ""], allow_nan=False, separators=(",", ":"))
        except MemoryError:
            text = '[null,"it takes too much memory"]'
        except BaseException as error:  # a panic of Rust is no Exception
            text = json.dumps([None, f"{type(error).__name__}: {error}"])
        with open(ANSWER, "wb") as file:
            file.write(text.encode() + END)
    finally:
        os._exit(0)


def _confine(into: int, folder: str, seconds: int, memory: int) -> None:
    """In the child: nothing of the judging process stays open; nobody; limits."""
    from grade_reap import NOBODY, can_drop, confine

    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    os.dup2(into, ANSWER)
    os.closerange(ANSWER + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    sys.stdout = sys.stderr = open(1, "w", closefd=False)  # noqa: SIM115
    os.chdir(folder)
    tempfile.tempdir = folder
    # Threads' stacks and arenas count as address space: on a machine of many cores they alone would pass the limit.
    os.environ["RAYON_NUM_THREADS"] = "1"
    ctypes.CDLL(None).mallopt(ARENA_MAX, 2)
    gc.disable()  # it lives for one document
    limits = {"AS": _address_space() + memory, "CPU": seconds, "CORE": 0, "FSIZE": FILE_LIMIT}
    confine(NOBODY if can_drop() else None, limits)


def _address_space() -> int:
    """The bytes of this process's address space."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def _heard(pid: int, out: int, end: float, seconds: int) -> Answer:
    """The answer of child `pid`, or why there is none by `end`, a time of the monotonic clock."""
    said, late = bytearray(), f"it takes more than {seconds} s"
    poll = select.poll()
    poll.register(out, select.POLLIN)
    try:
        while poll.poll(max(0.0, end - time.monotonic()) * 1000):
            part = os.read(out, 1 << 20)
            said += part
            if len(said) > OUTPUT:
                return Answer(None, "it holds too much")
            if said.endswith(END):
                return _answer(said)
            if not part:
                return Answer(None, _end_of(pid, end) or late)
    finally:
        os.close(out)
    return Answer(None, late)


def _answer(said: bytearray) -> Answer:
    try:
        value, failure = json.loads(said)
        clean = "".join(letter if letter.isprintable() else "?" for letter in str(failure))
        return Answer(value, clean[:200])
    except (ValueError, TypeError, RecursionError):
        return Answer(None, "its answer is none")


def _end_of(pid: int, end: float) -> str:
    """How a child ended that said nothing; "" when it has not ended."""
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return f"it ended with {'signal' if code < 0 else 'code'} {abs(code)}"
        time.sleep(0.001)
    return ""
