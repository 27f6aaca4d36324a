"""The triage of an environment that nobody solved, from its trials in a digest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from envwheel.api import EMPTY
from envwheel.propose.digest import Seen
from envwheel.triage import blamed

FEWEST = 3
"""Trials without a pass from which something is said."""


@dataclass(frozen=True, slots=True)
class Said:
    """`design_flaw` with the way in which most trials failed, or `too_hard` where the failures are scattered."""

    code: Literal["design_flaw", "too_hard"]
    why: str


@dataclass(frozen=True, slots=True)
class _Checks:
    checks: tuple[tuple[str, bool], ...] = ()
    messages: Mapping[str, str] = EMPTY


def triage(trials: Sequence[Seen]) -> Said | None:
    """What to say of an environment whose `trials` all failed; None when one passed or there are too few.

    A trial that did nothing has no say.
    """
    if len(trials) < FEWEST or any(one.passed for one in trials):
        return None
    told = [
        _Checks(tuple(one.trial.checks.items()), one.trial.messages)
        if one.trial.turns or one.trial.tokens.output
        else _Checks()
        for one in trials
    ]
    if why := blamed(told, trials[0].work, known=bool(trials[0].work)):
        return Said("design_flaw", why)
    return Said("too_hard", f"{len(trials)} trials failed in different ways, or did none of the work")
