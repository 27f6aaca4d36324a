"""Judge of programs: run on hidden inputs, and what they write is judged like any other answer."""

from __future__ import annotations

from .bench import Bench, Score, Unreadable
from .language import HiddenRun, Program
from .verify import ENOUGH, judged, reward, spelled


def program(check: Program, bench: Bench) -> Score:
    """The mean of the runs: each counts what its checks would give as a reward."""
    scores = [_run(check, run, bench) for run in check.runs]
    lost = [f"run {at}: {score.reason}" for at, score in enumerate(scores, 1) if score.value < 1 - ENOUGH]
    value = sum(score.value for score in scores) / len(scores)
    return Score(value, f"{len(lost)} of {len(scores)} hidden runs are not right; {lost[0]}" if lost else "")


def _run(check: Program, run: HiddenRun, bench: Bench) -> Score:
    try:
        wrote = bench.launch(check.file, check.command, run.inputs, check.timeout_s)
    except Unreadable as error:
        return Score(0.0, str(error))
    graded = [(each, judged(each, wrote)) for each in run.checks]
    lost = [f"{each.id} {spelled(score)}" for each, score in graded if spelled(score)]
    return Score(reward(graded), "; ".join(lost[:2]))
