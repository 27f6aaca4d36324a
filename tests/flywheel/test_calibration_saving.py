"""What sequential calibration saves against fixed k, by the bench that prints it, and that it decides nothing else."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import calibration
import pytest
from calibration import FAIL, GOAL, GRID, JOBS, PASS, TABLE_K, TABLE_P

from envwheel.api import Band
from envwheel.calibrate import calibrate, verdict
from envwheel.rates import expected_kept, kept

NOTES = {
    4: (0.078, 0.185, 0.344, 0.589, 0.875),
    5: (0.096, 0.226, 0.410, 0.672, 0.938),
    8: (0.149, 0.337, 0.570, 0.832, 0.992),
    16: (0.276, 0.560, 0.815, 0.972, 1.0),
}
"""Probability of being kept by "1 to k-1 of k" for each p of TABLE_P; the same for 1 - p."""


@pytest.mark.parametrize("k", TABLE_K)
def test_fixed_k_keeps_as_the_table_says(k: int) -> None:
    band = Band(1, k - 1, k)
    for p, expected in zip(TABLE_P, NOTES[k], strict=True):
        assert kept(p, band) == pytest.approx(expected, abs=5.1e-4)
        assert kept(1 - p, band) == pytest.approx(expected, abs=5.1e-4)


def test_drawn_sequences_agree_with_the_formula() -> None:
    draws = 1500
    for formula, drawn in calibration.table(draws, seed=1).values():
        assert drawn == pytest.approx(formula, abs=4 * (formula * (1 - formula) / draws) ** 0.5 + 1e-3)


@pytest.mark.parametrize("jobs", JOBS)
@pytest.mark.parametrize("p", GRID)
def test_stopping_early_keeps_exactly_as_often_as_fixed_k(p: float, jobs: int) -> None:
    for band in (Band(), Band(2, 6, 8), Band(1, 3, 4)):
        assert calibration.exact(p, band, jobs).kept == pytest.approx(kept(p, band), abs=1e-12)


@pytest.mark.parametrize("jobs", JOBS)
def test_every_sequence_of_eight_is_decided_as_by_all_eight(jobs: int) -> None:
    band = Band()
    for sequence in itertools.product([PASS, FAIL], repeat=8):
        decision = calibrate(lambda number, all=sequence: all[number], band, jobs=jobs)
        assert decision is not None
        assert decision.code == verdict(sequence, band)
        assert decision.scored <= 8


@pytest.mark.parametrize("jobs", JOBS)
def test_over_the_grid_at_most_three_quarters_of_the_trials_are_made(jobs: int) -> None:
    costs = [calibration.exact(p, Band(), jobs) for p in GRID]
    assert calibration.ratio(costs, Band()) <= GOAL
    assert max(cost.trials for cost in costs) < 8


def test_trials_side_by_side_cost_little_of_the_saving_and_shorten_the_wait() -> None:
    alone, pairs = ([calibration.exact(p, Band(), jobs) for p in GRID] for jobs in (1, 2))
    for one, two in zip(alone, pairs, strict=True):
        assert one.trials <= two.trials <= one.trials + 0.2
        assert two.waits < 0.7 * one.waits


def test_the_tree_of_all_outcomes_agrees_with_drawn_runs() -> None:
    for p in (0.05, 0.5):
        cost, otherwise = calibration.drawn(p, Band(), 2, draws=2000, seed=3)
        assert otherwise == 0
        assert cost.trials == pytest.approx(calibration.exact(p, Band(), 2).trials, abs=0.2)


def test_the_bench_prints_what_it_found(capsys: pytest.CaptureFixture[str]) -> None:
    assert calibration.main(["--draws", "50", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert set(said["ratio"]) == {str(jobs) for jobs in JOBS}
    assert said["decided_otherwise"] == 0


def test_the_documentation_holds_what_is_computed() -> None:
    told = (Path(__file__).parents[2] / "docs" / "concepts.md").read_text("utf-8")
    for k in TABLE_K:
        cells = [f"{kept(p, Band(1, k - 1, k)):.3f}".removeprefix("0") for p in TABLE_P]
        assert f"| {k} | {' | '.join(cells)} |" in told
    for words, jobs in (("one at a time", (1,)), ("two or more at a time", (2, 4, 8))):
        for number in jobs:
            costs = [calibration.exact(p, Band(), number) for p in GRID]
            row = " | ".join(f"{cost.trials:.2f}" for cost in costs)
            assert f"| {words} | {row} | {calibration.ratio(costs, Band()):.3f} |" in told


def test_the_expected_share_averages_over_the_belief() -> None:
    sharp = expected_kept(5000, 5000, Band())
    assert sharp == pytest.approx(kept(0.5, Band()), abs=1e-3)
    # Uniform belief: each count of passes is as likely as any other, so 7 of the 9 counts are in band.
    assert expected_kept(1, 1, Band()) == pytest.approx(7 / 9)
    points = [(at + 0.5) / 2000 for at in range(2000)]
    weights = [p**1.5 * (1 - p) ** 0.5 for p in points]
    average = sum(w * kept(p, Band(2, 6, 8)) for p, w in zip(points, weights, strict=True)) / sum(weights)
    assert expected_kept(2.5, 1.5, Band(2, 6, 8)) == pytest.approx(average, abs=1e-3)
