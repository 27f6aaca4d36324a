"""What does calibration decide, and how many trials does it save? A simulation; no boxes, no model, some seconds.

    python bench/calibration.py [--draws 2000] [--seed 0] [--json]

Prints, through the real `calibrate.verdict` and `calibrate.wanted`:

1. the probability that "1 to k-1 passes of k" keeps an environment of true pass rate p: by the binomial formula and by
   drawn sequences of which the decision sees all k trials;
2. for the default band the mean number of trials until the decision is certain, with 1, 2, 4 and 8 side by side, for
   each p of `GRID`: exact, by the tree of all outcomes, and drawn. The saving is the sum of the means over the grid
   against the sum of k: every p of the grid weighs the same. `waits` are the batches that follow one another.

A batch that was begun is paid in full, also when its first trial settles the matter: that is what trials side by side
waste. Exit code 1 when a drawn decision differs from that of the whole sequence, or when the ratio exceeds `GOAL`.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from envwheel.api import Band
from envwheel.calibrate import Tried, verdict, wanted
from envwheel.rates import kept

TABLE_K, TABLE_P = (4, 5, 8, 16), (0.02, 0.05, 0.1, 0.2, 0.5)
GRID = (0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 0.9, 0.95, 0.98)
JOBS = (1, 2, 4, 8)
GOAL = 0.75
"""At most this share of the trials that fixed k makes, over the grid."""

PASS, FAIL = Tried("scored", True, 1.0), Tried("scored", False, 0.0)


@dataclass(frozen=True, slots=True)
class Cost:
    """What the rule does at one pass rate: how often it keeps, mean trials, mean batches one after the other."""

    kept: float
    trials: float
    waits: float


def play(outcomes: Iterator[Tried], band: Band, jobs: int) -> tuple[list[Tried], int]:
    """The trials that `calibrate` makes when they end as `outcomes` say, and how many batches they were."""
    trials: list[Tried] = []
    waits = 0
    while verdict(trials, band) is None:
        trials += [next(outcomes) for _ in range(min(wanted(trials, band), jobs))]
        waits += 1
    return trials, waits


def exact(p: float, band: Band, jobs: int) -> Cost:
    """By the tree of all outcomes: what may follow depends on how many passes and failures there are, no more."""

    @cache
    def below(passes: int, failures: int) -> tuple[float, float, float]:
        trials = [PASS] * passes + [FAIL] * failures
        if code := verdict(trials, band):
            return float(code == "in_band"), 0.0, 0.0
        batch = min(wanted(trials, band), jobs)
        sums = [0.0, float(batch), 1.0]
        for more in range(batch + 1):
            chance = math.comb(batch, more) * p**more * (1 - p) ** (batch - more)
            for index, value in enumerate(below(passes + more, failures + batch - more)):
                sums[index] += chance * value
        return sums[0], sums[1], sums[2]

    return Cost(*below(0, 0))


def drawn(p: float, band: Band, jobs: int, draws: int, seed: int) -> tuple[Cost, int]:
    """By `draws` sequences, and how many of them were decided otherwise than all their k trials are."""
    draw, keeps, trials, waits, other = random.Random(f"{seed} {p} {band} {jobs}"), 0, 0, 0, 0
    for _ in range(draws):
        sequence = [PASS if draw.random() < p else FAIL for _ in range(band.attempts)]
        made, batches = play(iter(sequence), band, jobs)
        code = verdict(made, band)
        keeps, trials, waits = keeps + (code == "in_band"), trials + len(made), waits + batches
        other += code != verdict(sequence, band)
    return Cost(keeps / draws, trials / draws, waits / draws), other


def table(draws: int, seed: int) -> dict[tuple[int, float], tuple[float, float]]:
    """(k, p) -> probability of being kept by fixed k: by the formula, and by drawn sequences of k trials."""
    found = {}
    for k in TABLE_K:
        band = Band(1, k - 1, k)
        for p in TABLE_P:
            draw = random.Random(f"{seed} table {k} {p}")
            sequences = ([PASS if draw.random() < p else FAIL for _ in range(k)] for _ in range(draws))
            found[k, p] = kept(p, band), sum(verdict(one, band) == "in_band" for one in sequences) / draws
    return found


def ratio(costs: Sequence[Cost], band: Band) -> float:
    """Trials made over trials that fixed k makes, each pass rate weighing the same."""
    return sum(cost.trials for cost in costs) / (band.attempts * len(costs))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print both tables; 0 when nothing was decided otherwise and the saving is as promised."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args(arguments)
    band, keeping = Band(), table(args.draws, args.seed)
    costs = {jobs: [exact(p, band, jobs) for p in GRID] for jobs in JOBS}
    played = {jobs: [drawn(p, band, jobs, args.draws, args.seed) for p in GRID] for jobs in JOBS}
    otherwise = sum(other for row in played.values() for _, other in row)
    ratios = {jobs: ratio(row, band) for jobs, row in costs.items()}
    if args.json:
        print(json.dumps(plain(keeping, costs, ratios, otherwise)))
    else:
        _print_table(keeping)
        _print_costs(band, costs, {jobs: [cost for cost, _ in row] for jobs, row in played.items()})
        every = args.draws * len(GRID) * len(JOBS)
        print(f"decided otherwise than by all {band.attempts} trials: {otherwise} of {every}")
    return int(otherwise > 0 or max(ratios.values()) > GOAL)


def _print_table(keeping: dict[tuple[int, float], tuple[float, float]]) -> None:
    print("kept by 1..k-1 of k, fixed k: formula (drawn)")
    print("k \\ p" + "".join(f"{p:>15g}" for p in TABLE_P))
    for k in TABLE_K:
        pairs = [keeping[k, p] for p in TABLE_P]
        print(f"{k:<5}" + "".join(f"{f'{formula:.3f} ({found:.3f})':>15}" for formula, found in pairs))


def _print_costs(band: Band, costs: dict[int, list[Cost]], played: dict[int, list[Cost]]) -> None:
    print(f"\nuntil the decision is certain, band {band.low_passes} to {band.high_passes} of {band.attempts}:")
    print(
        f"{'p':<6}{'kept: fixed, so':>16}" + "".join(f"{f'trials, {jobs} at a time':>24}{'waits':>7}" for jobs in JOBS)
    )
    for at, p in enumerate(GRID):
        pair = f"{kept(p, band):.3f} {costs[1][at].kept:.3f}"
        cells = (f"{costs[j][at].trials:>15.2f} ({played[j][at].trials:.2f}) {costs[j][at].waits:>7.2f}" for j in JOBS)
        print(f"{p:<6g}{pair:>16} " + " ".join(cells))
    ends = (f"{ratio(costs[j], band):>15.3f}{'':>16}" for j in JOBS)
    print(f"{'ratio to fixed k':<23}" + "".join(ends) + f"(goal: at most {GOAL})")


def plain(
    keeping: dict[tuple[int, float], tuple[float, float]],
    costs: dict[int, list[Cost]],
    ratios: dict[int, float],
    otherwise: int,
) -> dict[str, object]:
    """What `--json` prints."""
    return {
        "kept": [{"k": k, "p": p, "formula": one, "drawn": two} for (k, p), (one, two) in keeping.items()],
        "trials": [
            {"jobs": jobs, "p": p, "kept": cost.kept, "trials": cost.trials, "waits": cost.waits}
            for jobs, row in costs.items()
            for p, cost in zip(GRID, row, strict=True)
        ],
        "ratio": ratios,
        "decided_otherwise": otherwise,
    }


if __name__ == "__main__":
    raise SystemExit(main())
