"""What is aimed at: low and wide without data, the solver's edge with it, and never one family only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from envwheel.api import Draft, Family, Rate
from envwheel.propose.digest import Arm
from envwheel.propose.targets import FLOOR, Aim, Belief, believe, choose, nearness
from envwheel.rates import rate


def build(level: int, seed: int) -> Draft:
    raise NotImplementedError


SKILLS = {"links": "files", "modes": "files", "sort": "text", "count": "text", "commit": "git", "query": "data"}
FAMILIES = [Family(id, id, (skill,), (0, 1, 2, 3, 4), build) for id, skill in SKILLS.items()]
PAIRS = {("swe", family.id, level): family for family in FAMILIES for level in family.levels}


def aims(
    seen: Mapping[Arm, Rate] | None = None,
    number: int = 8,
    seed: int = 1,
    valid: Mapping[str, tuple[int, int]] | None = None,
) -> list[Aim]:
    validity = {("swe", id, 0): pair for id, pair in (valid or {}).items()}
    return choose({"swe": FAMILIES}, seen or {}, validity, number, seed)


def test_without_data_low_and_spread_out() -> None:
    first = aims()
    assert len({aim.family.id for aim in first}) == len(FAMILIES)
    assert max(aim.level for aim in first) <= 1
    assert sum(aim.level == 0 for aim in first) >= 6
    assert all("nothing tried yet" in aim.reason for aim in first)


def test_equal_inputs_give_equal_targets_and_the_seed_breaks_ties() -> None:
    assert aims(seed=3) == aims(seed=3)
    assert [aim.arm for aim in aims(seed=3)] != [aim.arm for aim in aims(seed=4)]


def test_the_next_round_follows_from_the_rollouts() -> None:
    weak = {("swe", "links", 0): rate(4, 8)} | {("swe", id, 0): rate(0, 8) for id in SKILLS if id != "links"}
    chosen = Counter(aim.arm for aim in aims(weak))
    assert chosen.most_common(1)[0][0] == ("swe", "links", 0)
    assert "passed 4 of 8 trials there" in next(aim.reason for aim in aims(weak) if aim.arm == ("swe", "links", 0))
    strong = {("swe", id, 0): rate(8, 8) for id in SKILLS}
    assert min(aim.level for aim in aims(strong)) >= 1


def test_failing_everywhere_at_a_level_moves_down_and_passing_moves_up() -> None:
    failing = {("swe", id, 2): rate(0, 8) for id in SKILLS}
    assert {aim.level for aim in aims(failing)} <= {0, 1}
    passing = {("swe", id, 1): rate(8, 8) for id in SKILLS}
    assert {aim.level for aim in aims(passing)} <= {2, 3}


def test_every_fourth_target_goes_to_the_family_tried_least() -> None:
    seen = {("swe", "links", 0): rate(4, 8)} | {
        ("swe", id, level): rate(0, 20) for id in SKILLS for level in range(1, 5)
    }
    tried = {id: (9, 9) for id in SKILLS if id != "query"}
    chosen = aims(seen, valid=tried)
    for aim in chosen[FLOOR - 1 :: FLOOR]:
        assert aim.family.id == "query"
        assert "for diversity" in aim.reason


def test_no_family_takes_the_whole_round() -> None:
    seen = {("swe", "links", 0): rate(10, 20)} | {("swe", id, 0): rate(0, 8) for id in SKILLS if id != "links"}
    chosen = Counter(aim.family.id for aim in aims(seen, 12))
    assert chosen["links"] >= 3
    assert len(chosen) >= 4


def test_of_equal_families_the_one_that_changes_is_aimed_at() -> None:
    seen = {("swe", id, 0): rate(4, 8) for id in SKILLS}
    for change in (0.3, -0.3):
        first = choose({"swe": FAMILIES}, seen, {}, 1, 1, {("swe", "sort"): change, ("swe", "count"): 0.1})[0]
        assert first.family.id == "sort"
        assert f"the family's rate changed by {change:+.2f}" in first.reason
    assert "changed" not in choose({"swe": FAMILIES}, seen, {}, 1, 1)[0].reason


def test_what_the_gate_rejects_is_aimed_at_less() -> None:
    bad = dict.fromkeys(SKILLS, (8, 8)) | {"links": (0, 8)}
    assert "links" not in {aim.family.id for aim in aims(number=5, valid=bad)}


def test_belief_counts_its_own_trials_in_full_and_neighbours_at_most_five() -> None:
    arm = ("swe", "links", 1)
    neighbours = {("swe", "links", 0): rate(400, 400), ("swe", "modes", 1): rate(400, 400)}
    borrowed = believe(arm, PAIRS, neighbours)
    assert borrowed.alpha + borrowed.beta == pytest.approx(5.0)
    assert borrowed.mean > 0.9
    own = believe(arm, PAIRS, {**neighbours, arm: rate(0, 20)})
    assert own.mean < 0.25


def test_nearness_falls_with_distance() -> None:
    arm = ("swe", "links", 1)
    order = [("swe", "links", 2), ("swe", "links", 3), ("swe", "modes", 2), ("swe", "sort", 2), ("swe", "sort", 3)]
    weights = [nearness(arm, other, PAIRS) for other in order]
    assert weights == sorted(weights, reverse=True)
    assert nearness(arm, arm, PAIRS) == 0.0
    assert nearness(arm, ("swe", "gone", 1), PAIRS) == 0.0


def test_learnability_is_expected_4p_1_minus_p() -> None:
    assert Belief(1, 1).learnability == pytest.approx(2 / 3)
    assert Belief(5000, 5000).learnability == pytest.approx(1.0, abs=1e-3)
    assert Belief(1, 999).learnability < 0.005


def test_no_family_is_an_error() -> None:
    with pytest.raises(ValueError, match="no family"):
        choose({"swe": []}, {}, {}, 1, 0)
