"""How often does the solver pass this environment, and is that within the band? As few trials as the answer needs.

`verdict` is the decision, a pure function of what the trials said; it is None until more trials could no longer change
it, so that stopping early adds no error. `wanted` says how many to start next: those that the decision needs in any
case, and after a row of equal outcomes a few more. `calibrate` runs them side by side and repeats those that our side
failed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import pstdev
from typing import Literal

from envwheel.api import EMPTY, Band
from envwheel.rates import wilson
from envwheel.triage import blamed

BandCode = Literal["in_band", "too_easy", "too_hard", "design_flaw", "undecided", "flaky", "infra"]

MOST_VERIFIER_ERRORS = 0.05
"""An environment whose verifier gives no valid reward more often than this leaves the pool."""
PARTIAL_SPREAD = 0.1
"""Standard deviation of the rewards from which an environment without a pass still teaches something."""
RETRIES = 2
"""How often a trial that our side failed is made again."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What calibration needs to know of one trial. `value` is the training value, `checks` maps an id to passed,

    `messages` the id of a failed one to what the verifier said.
    """

    outcome: Literal["scored", "verifier_error", "infra"]
    passed: bool | None = None
    value: float | None = None
    checks: tuple[tuple[str, bool], ...] = ()
    messages: Mapping[str, str] = EMPTY


@dataclass(frozen=True, slots=True)
class BandDecision:
    """What calibration found. `low` and `high` bound the pass rate with 95 %; reported, never used to admit."""

    code: BandCode
    message: str
    passes: int
    scored: int
    verifier_errors: int
    infra: int
    low: float
    high: float

    @property
    def in_band(self) -> bool:
        """The solver passes sometimes, but not always."""
        return self.code == "in_band"


def verdict(
    trials: Sequence[Tried], band: Band, untouched_fails: Sequence[str] = (), untouched_says: Mapping[str, str] = EMPTY
) -> BandCode | None:
    """The decision that no further trial can change, or None."""
    scored = [trial for trial in trials if trial.outcome == "scored"]
    errors = sum(trial.outcome == "verifier_error" for trial in trials)
    passes = sum(trial.passed is True for trial in scored)
    left, failures = band.attempts - len(scored), len(scored) - passes
    if errors > MOST_VERIFIER_ERRORS * (band.attempts + errors):
        return "flaky"
    if passes >= band.low_passes and failures >= band.attempts - band.high_passes:
        return "in_band"
    if passes + left < band.low_passes and not (band.partial and passes == 0 and left > 0):
        if band.partial and passes == 0 and pstdev(trial.value or 0.0 for trial in scored) >= PARTIAL_SPREAD:
            return "in_band"
        return "design_flaw" if passes == 0 and blamed(scored, untouched_fails, untouched_says) else "too_hard"
    if failures + left < band.attempts - band.high_passes:
        return "too_easy"
    return None


def wanted(trials: Sequence[Tried], band: Band) -> int:
    """How many trials to start next: at least 1, never more than the decision can use.

    The decision needs at least as many more as the nearest of its three answers. After a long row of equal outcomes
    the next is probably equal too: half as many as the row has are started at once.
    """
    scored = [trial for trial in trials if trial.outcome == "scored"]
    passes = sum(trial.passed is True for trial in scored)
    left, failures = band.attempts - len(scored), len(scored) - passes
    to_band = max(0, band.low_passes - passes) + max(0, band.attempts - band.high_passes - failures)
    to_hard = max(0, band.attempts - band.low_passes + 1 - failures)
    to_easy = max(0, band.high_passes + 1 - passes)
    row = max(passes, failures) if min(passes, failures) == 0 else 0
    return max(1, min(left, max(min(to_band, to_hard, to_easy), row // 2)))


def calibrate(
    run: Callable[[int], Tried],
    band: Band,
    *,
    done: Sequence[Tried] = (),
    untouched_fails: Sequence[str] = (),
    untouched_says: Mapping[str, str] = EMPTY,
    jobs: int = 2,
    most_trials: int | None = None,
    go_on: Callable[[], bool] = lambda: True,
) -> BandDecision | None:
    """Call `run(n)` for n = len(done), len(done) + 1, ... until the decision is certain; None when `go_on` said stop.

    `done` are trials of an earlier, interrupted calibration. `most_trials` bounds all that are scored or end in
    `verifier_error` (default: twice the band's attempts); trials that our side failed are repeated `RETRIES` times
    each on average.
    """
    trials = list(done)
    limit = most_trials or 2 * band.attempts
    with ThreadPoolExecutor(max_workers=max(1, jobs), thread_name_prefix="trial") as pool:
        while (code := verdict(trials, band, untouched_fails, untouched_says)) is None:
            infra = sum(trial.outcome == "infra" for trial in trials)
            if len(trials) - infra >= limit:
                code = "undecided"
                break
            if infra > RETRIES * max(1, len(trials) - infra):
                code = "infra"
                break
            if not go_on():
                return None
            batch = min(wanted(trials, band), limit - len(trials) + infra, max(1, jobs))
            trials += pool.map(run, range(len(trials), len(trials) + batch))
    return decision(code, trials, band)


def decision(code: BandCode, trials: Sequence[Tried], band: Band) -> BandDecision:
    """The figures behind `code`, and a sentence for people."""
    count = Counter(trial.outcome for trial in trials)
    passes = sum(trial.passed is True for trial in trials if trial.outcome == "scored")
    scored = count["scored"]
    low, high = wilson(passes, scored)
    bounds = f"{band.low_passes} to {band.high_passes} of {band.attempts}"
    message = {
        "in_band": f"passed {passes} of {scored} trials",
        "too_easy": f"passed {passes} of {scored} trials; the band is {bounds}",
        "too_hard": f"passed {passes} of {scored} trials; the band is {bounds}",
        "design_flaw": f"nobody passed in {scored} trials, and most did part of the work and failed in the same way",
        "undecided": f"only {scored} of {len(trials)} trials could be scored; {band.attempts} are needed",
        "flaky": f"the verifier gave no valid reward in {count['verifier_error']} of {len(trials)} trials",
        "infra": f"our side failed {count['infra']} of {len(trials)} trials",
    }[code]
    return BandDecision(code, message, passes, scored, count["verifier_error"], count["infra"], low, high)
