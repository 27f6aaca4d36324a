"""Engines side by side: each in a process of its own, so that one that dies takes no other with it."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from officekit.recompute import end, start

RUNS = [{"set": {}, "get": ["S!A1"]}]


def answers(*computes: Callable[[str, Any], Any]) -> list[Any]:
    started = [start(SimpleNamespace(compute=compute), "a.xlsx", RUNS) for compute in computes]
    return [json.loads(end(*each)) for each in started]


def right(path: str, runs: Any) -> Any:
    return [[60.0]]


def raises(path: str, runs: Any) -> Any:
    raise ValueError("no workbook\n")


def dies(path: str, runs: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def infinite(path: str, runs: Any) -> Any:
    return [[float("inf")]]


def test_all_engines_answer() -> None:
    assert answers(right, right) == [[[60.0]], [[60.0]]]


@pytest.mark.parametrize(
    ("other", "why"),
    [(raises, "ValueError: no workbook?"), (dies, "it ended with signal 9"), (infinite, "ValueError")],
)
def test_one_that_fails_says_why_and_leaves_the_other(other: Callable[[str, Any], Any], why: str) -> None:
    one, two = answers(other, right)
    assert one["failed"].startswith(why)
    assert two == [[60.0]]


def test_a_long_answer_of_one_does_not_block_the_other() -> None:
    long = [[["x" * 1000] * 1000]]
    assert answers(right, lambda path, runs: long) == [[[60.0]], long]
