"""Children of the judging process: what they may, and what is heard of one that fails."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from officekit import child
from officekit.child import Answer, ask


def told(*works: Callable[[str], Any], **limits: int) -> list[Answer]:
    return ask(works, "xlsx", b"the document", **limits)


def right(path: str) -> Any:
    return [[60.0]]


def raises(path: str) -> Any:
    raise ValueError("no workbook\n")


def dies(path: str) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def infinite(path: str) -> Any:
    return [[float("inf")]]


def deep(path: str) -> Any:
    os.write(child.ANSWER, b"[" * 50_000 + child.END)
    os._exit(0)


def too_much(path: str) -> Any:
    return bytearray(2 << 30)


def half(path: str) -> Any:
    return len(bytearray(1 << 29))


def leaves_one_behind(path: str) -> Any:
    pid = os.fork()
    if pid == 0:
        time.sleep(300)
    return pid


def test_all_works_answer_about_the_document() -> None:
    def read(path: str) -> Any:
        with open(path, "rb") as file:
            return file.read().decode()

    assert told(right, read) == [Answer([[60.0]]), Answer("the document")]


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (raises, "ValueError: no workbook?"),
        (dies, "it ended with signal 9"),
        (infinite, "ValueError"),
        (deep, "its answer is none"),
        (too_much, "it takes too much memory"),
    ],
)
def test_one_that_fails_says_why_and_leaves_the_other(other: Callable[[str], Any], why: str) -> None:
    one, two = told(other, right, memory=1 << 30)
    assert one.failure.startswith(why)
    assert two == Answer([[60.0]])


def test_what_the_judging_process_holds_is_not_counted() -> None:
    held = bytearray(1 << 30)
    assert told(half, memory=3 << 28) == [Answer(1 << 29)]
    assert len(held) == 1 << 30


def test_a_long_answer_of_one_does_not_block_the_other() -> None:
    long = [["x" * 1000] * 1000]
    assert told(right, lambda path: long) == [Answer([[60.0]]), Answer(long)]


def test_one_that_computes_for_ever_is_ended() -> None:
    def spins(path: str) -> Any:
        while True:
            pass

    (answer,) = told(spins, seconds=1)
    # On a busy machine the time on the wall is over first.
    assert answer.failure in ("it ended with signal 9", "it ended with signal 24", "it takes more than 1 s")


def test_nothing_that_it_started_is_left() -> None:
    (answer,) = told(leaves_one_behind)
    assert not os.path.exists(f"/proc/{answer.value}")


def test_it_has_no_descriptor_of_the_judging_process() -> None:
    with open(__file__, "rb"):
        (answer,) = told(lambda path: [number for number in range(3, 200) if os.path.exists(f"/proc/self/fd/{number}")])
    assert answer.value == [child.ANSWER]


def test_what_it_prints_is_no_answer() -> None:
    def prints(path: str) -> Any:
        print("[1, '']", flush=True)
        print("[2, '']", file=sys.stderr, flush=True)
        os.write(1, b"[3, '']")

    assert told(prints) == [Answer(None)]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become nobody")
def test_it_is_nobody_with_limits_before_it_sees_a_document() -> None:
    def look(path: str) -> Any:
        names = ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_CORE", "RLIMIT_FSIZE")
        limits = [resource.getrlimit(getattr(resource, name))[0] for name in names]
        return [os.getresuid(), os.getresgid(), os.getgroups(), limits]

    (answer,) = told(look, memory=1 << 31)
    *who, (space, *others) = answer.value
    assert who == [[65534] * 3, [65534] * 3, []]
    assert 1 << 31 < space < 1 << 36
    assert others == [60, 0, child.FILE_LIMIT]
