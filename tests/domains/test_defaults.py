"""The core's own answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from envwheel import defaults, hookspecs
from envwheel.api import API, Digest, Domain, Environment, Rate, Trial

LENIENT = Domain("lenient", "Lenient", "One line.", API, {"a": "A", "b": "B"}, tolerance=0.1)


@pytest.mark.parametrize(
    ("outcome", "raw", "value", "passed"),
    [
        ("scored", {"reward": 1}, 1.0, True),
        ("scored", {"reward": 0.95}, 0.95, False),
        ("scored", {"reward": 0.0}, 0.0, False),
        ("scored", {"accuracy": 0.25}, 0.25, False),
        ("scored", {"reward": 1.0, "speed": 40.0}, 1.0, True),
        ("scored", {"a": 1.0, "b": 1.0}, 0.0, False),
        ("scored", {}, 0.0, False),
        ("scored", {"reward": 1.5}, 0.0, False),
        ("scored", {"reward": -1.0}, 0.0, False),
        ("scored", {"reward": float("nan")}, 0.0, False),
        ("verifier_error", {"reward": 1.0}, 0.0, False),
        ("infra", {}, 0.0, False),
    ],
)
def test_score_is_the_raw_reward_where_that_is_valid(outcome, raw, value, passed):
    reward = defaults.score(defaults.CORE, Trial(outcome, raw, (), 0, 1.0, ""))
    assert (reward.value, reward.passed) == (value, passed)
    assert bool(reward.reason) == (value == 0.0 and raw != {"reward": 0.0})


def test_tolerance_widens_what_passes():
    assert defaults.score(LENIENT, Trial("scored", {"reward": 0.9}, (), 0, 1.0, "")).passed
    assert not defaults.score(LENIENT, Trial("scored", {"reward": 0.89}, (), 0, 1.0, "")).passed


def test_the_brief_aims_at_the_weakest_skill():
    digest = Digest({("a", 0): Rate(7, 8, 0, 1), ("b", 2): Rate(1, 8, 0, 1), ("b", 1): Rate(4, 8, 0, 1)})
    brief = defaults.brief(LENIENT, digest, 0)
    assert (brief.skills, brief.level) == (("b",), 2)
    assert defaults.brief(LENIENT, Digest({}), 0).skills == ("a",)


def test_there_is_a_default_for_every_hook_that_may_be_left_out():
    specs = {name for name, value in vars(hookspecs).items() if hasattr(value, "envwheel_spec")}
    answered = {name for name, value in vars(defaults).items() if hasattr(value, "envwheel_impl")}
    assert specs - answered == {"describe", "admitted", "round_finished"}
    assert not answered - specs


def test_nothing_is_read_from_a_folder():
    nowhere = Environment(Path("/nonexistent"), "", {})
    hooks = (defaults.inspect, defaults.attacks, defaults.mutants, defaults.alternatives)
    assert [hook(defaults.CORE, nowhere) for hook in hooks] == [[], [], [], []]
