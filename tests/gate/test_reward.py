"""Reading what a verifier wrote: hostile bytes never raise, and only a finite number in [0, 1] counts."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envwheel.reward import CHECKS, CTRF, REWARD_JSON, REWARD_TXT, read_checks, read_reward
from envwheel.sandbox.base import Entry, Tree


def tree(**files: str | bytes) -> Tree:
    names = {"json": REWARD_JSON, "txt": REWARD_TXT, "checks": CHECKS, "ctrf": CTRF[0]}
    return Tree(
        {
            names[key]: Entry("file", 0o644, data.encode() if isinstance(data, str) else data)
            for key, data in files.items()
        }
    )


@pytest.mark.parametrize(
    ("text", "reward"), [("1\n", 1.0), ("0", 0.0), (" 0.25 \r\n", 0.25), ("1e-1", 0.1), ("+1.", 1.0), (".5", 0.5)]
)
def test_text_rewards(text: str, reward: float) -> None:
    assert read_reward(tree(txt=text)).reward == reward


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "nan",
        "inf",
        "-inf",
        "1_0",
        "1 point",
        "one",
        "\u0661",
        "0x1",
        "2",
        "-0.1",
        "\ufeff1",
        "1\x00",
        "1e999",
    ],
)
def test_texts_that_are_no_reward(text: str) -> None:
    score = read_reward(tree(txt=text))
    assert score.reward is None
    assert score.fault


def test_wrong_encoding_is_no_reward() -> None:
    assert read_reward(tree(txt="1".encode("utf-16"))).reward is None


@pytest.mark.parametrize(
    ("value", "reward"),
    [
        ({"reward": 1}, 1.0),
        ({"reward": 0.5, "tests": 12}, 0.5),
        ({"score": 0.75}, 0.75),
        ({"a": 1, "b": 1}, None),
        ({}, None),
        ({"reward": True}, None),
        ({"reward": "1"}, None),
        ({"reward": None}, None),
        ({"reward": 1, "note": "fine"}, None),
        ({"reward": 1.5}, None),
        ({"reward": 10**400}, None),
        ([1], None),
        (1, None),
    ],
)
def test_json_rewards(value: object, reward: float | None) -> None:
    assert read_reward(tree(json=json.dumps(value))).reward == reward


def test_json_wins_over_text_even_when_it_is_broken() -> None:
    assert read_reward(tree(json='{"reward": 0}', txt="1")).reward == 0.0
    assert read_reward(tree(json='{"reward": NaN}', txt="1")).reward is None
    assert read_reward(tree(json="[" * 100_000, txt="1")).reward is None


def test_a_link_a_folder_and_a_huge_file_are_no_reward() -> None:
    for entry in (
        Entry("link", 0o777, target="/tests/x"),
        Entry("dir", 0o755),
        Entry("file", 0o644, b"1" + b" " * (2 << 20)),
    ):
        assert read_reward(Tree({REWARD_TXT: entry})).reward is None
    assert read_reward(None).reward is None


@given(st.dictionaries(st.sampled_from(["json", "txt", "checks", "ctrf"]), st.binary(max_size=200)))
def test_no_bytes_raise(files: dict[str, bytes]) -> None:
    found = tree(**files)
    score = read_reward(found)
    assert score.reward is None or (math.isfinite(score.reward) and 0 <= score.reward <= 1)
    read_checks(found, "output", score.reward)


WORDS = ["reward", "id", "passed", "weight", "message", "results", "tests", "name", "status"]
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=4), inner),
    max_leaves=12,
)


@given(_json, _json, _json)
def test_no_json_raises(reward: object, checks: object, ctrf: object) -> None:
    found = tree(json=json.dumps(reward), checks=json.dumps(checks), ctrf=json.dumps(ctrf))
    score = read_reward(found)
    assert score.reward is None or 0 <= score.reward <= 1
    for check in read_checks(found, "", score.reward):
        assert math.isfinite(check.weight)
        assert len(check.id) <= 200


def test_checks_come_from_checks_json_then_ctrf_then_the_last_line() -> None:
    checks = '[{"id": "a", "passed": true, "weight": 2, "message": "m"}, {"id": 3}, {"id": "b", "passed": false}]'
    found = read_checks(tree(checks=checks), "", 0.0)
    assert [(check.id, check.passed, check.weight) for check in found] == [("a", True, 2.0), ("b", False, 1.0)]
    ctrf = '{"results": {"tests": [{"name": "t1", "status": "passed"}, {"name": "t2", "status": "failed"}]}}'
    assert [(check.id, check.passed) for check in read_checks(tree(ctrf=ctrf), "", 0.0)] == [
        ("t1", True),
        ("t2", False),
    ]
    assert read_checks(Tree(), "first\nFAIL row 3\n", 0.0)[0].id == "FAIL row 3"
    assert read_checks(Tree(), "", 0.0) == ()
