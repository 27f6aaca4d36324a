"""A hundred solvers side by side leave no thread and no file descriptor behind, over HTTP too (bench/agents.py)."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import agents
import pytest
from spoken import Said, call, program, settings, try_once

from envwheel.errors import ModelUnavailable
from envwheel.model.base import Message, Sampling
from envwheel.model.registry import open_model

TRIALS, TURNS = 100, 3


@pytest.mark.slow
@pytest.mark.parametrize("kind", agents.KINDS)
def test_a_hundred_trials_leave_nothing_behind(kind: str, tmp_path: Path) -> None:
    with agents.served(TURNS, 0.02) as url:
        found = agents.measure(agents.opened(kind, url, TURNS, 0.02), TRIALS, TURNS, tmp_path)
    assert [(one.outcome, one.reward, one.turns) for one in found.outcomes] == [("scored", 1.0, TURNS)] * TRIALS
    assert (max(0, found.threads), max(0, found.descriptors)) == (0, 0)


@pytest.mark.parametrize("how", ["die", "status", "garbage", "hang"])
@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_an_endpoint_that_fails_leaves_nothing_behind(kind: str, how: str, endpoint: Any, tmp_path: Path) -> None:
    said = Said(how, "busy", status=503, wait_s=0.0)
    model = open_model(kind, settings(kind, [said], endpoint, tmp_path) | {"retries": 0, "timeout_s": 0.2})

    def fail() -> None:
        with pytest.raises(ModelUnavailable):
            model.complete([Message("user", "hi")], [], Sampling())

    fail()
    before = agents.held()
    for _ in range(10):
        fail()
    model.close()
    endpoint.stopped.set()
    # The endpoint lives in this process too; its own threads close their side.
    for thread in threading.enumerate():
        if "process_request_thread" in thread.name:
            thread.join(5.0)
    assert agents.held() <= before


def test_programs_leave_nothing_behind(tmp_path: Path) -> None:
    table = {"command": program(tmp_path, [call("ls"), Said("die"), Said("text")]), "retries": 0}
    try_once("command", table, tmp_path)
    threads, descriptors = threading.active_count(), agents.held()
    for number in range(5):
        (tmp_path / "count").unlink()
        assert try_once("command", table, tmp_path / str(number)).summary.outcome == "infra"
    assert (threading.active_count(), agents.held()) == (threads, descriptors)
