"""Consecutive requests of an episode begin with the same bytes, which is what endpoints keep."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from spoken import FINISH, WORK, Said, call, engine, settings, try_once

from envwheel.sandbox.fake import FakeEngine

LONG = "a long line of output\n" * 20


def talkative() -> FakeEngine:
    """Boxes whose command prints much."""
    boxes = engine()
    boxes.program("print-much", lambda run: LONG)
    return boxes


def conversation(raw: bytes) -> bytes:
    """The messages of a request as they are on the wire, without what closes the list."""
    start = raw.index(b'"messages":[') + len(b'"messages":[')
    return raw[start : raw.index(b"}],", start)]


def test_each_request_begins_as_the_one_before_it(endpoint: Any, tmp_path: Path) -> None:
    said = [call("print-much"), Said("malformed"), Said("text"), call(WORK), call(FINISH)]
    assert try_once("openai", settings("openai", said, endpoint, tmp_path), tmp_path, boxes=talkative()).summary.turns
    assert len(endpoint.raw) == len(said)
    for before, after in pairwise(endpoint.raw):
        assert conversation(after).startswith(conversation(before))
        assert before.partition(b'"messages":[')[0] == after.partition(b'"messages":[')[0]


def test_after_an_overflow_old_outputs_change_once_and_all_else_stays(endpoint: Any, tmp_path: Path) -> None:
    much = call("print-much")
    said = [much, much, much, much, Said("overflow"), much, much, much, call(FINISH)]
    summary = try_once("openai", settings("openai", said, endpoint, tmp_path), tmp_path, boxes=talkative()).summary
    assert (summary.reason, summary.turns) == ("done", 8)
    sent = [body["messages"] for body in endpoint.asked]
    full, cut = sent[4], sent[5]
    changed = [number for number, pair in enumerate(zip(full, cut, strict=True)) if pair[0] != pair[1]]
    assert [cut[number]["role"] for number in changed] == ["tool", "tool"]
    assert changed == [3, 5]
    for before, after in pairwise(sent[5:]):
        assert after[: len(before)] == before


def test_conversations_about_one_environment_share_a_cache_key_where_asked(endpoint: Any, tmp_path: Path) -> None:
    said = [call(WORK), call(FINISH)]
    for number in range(2):
        table = settings("openai", said, endpoint, tmp_path) | {"cache_key": True}
        try_once("openai", table, tmp_path / str(number))
    keys = {body["prompt_cache_key"] for body in endpoint.asked}
    assert (len(endpoint.asked), len(keys)) == (4, 1)
    try_once("openai", table, tmp_path / "other", seconds=59.0)
    assert endpoint.asked[-1]["prompt_cache_key"] not in keys
    try_once("openai", settings("openai", said, endpoint, tmp_path), tmp_path / "none")
    assert "prompt_cache_key" not in endpoint.asked[-1]


def test_cached_tokens_reach_the_rollout(endpoint: Any, tmp_path: Path) -> None:
    said = [call(WORK), call(FINISH)]
    summary = try_once("openai", settings("openai", said, endpoint, tmp_path), tmp_path).summary
    assert (summary.usage.input_tokens, summary.usage.cached_tokens) == (200, 100)
