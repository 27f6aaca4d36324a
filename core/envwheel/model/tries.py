"""Trying again: the one place that says how often, after which pause, and until when.

    deadline = Deadline(own_s=600, caller_s=sampling.timeout_s)
    answered(once, deadline, name="m", retries=5)

`once` raises `Again` for trouble that may pass; every other error ends the call. What time alone ended is a
ModelTimeout; when something else was wrong before, it is a ModelUnavailable.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from envwheel.errors import ModelTimeout, ModelUnavailable
from envwheel.model.base import Completion

LONGEST_WAIT_S = 120.0
"""The longest pause between two tries, whatever the endpoint asks for."""


class Again(Exception):
    """A try that failed in a way that may pass; `wait_s` is what the endpoint asked for, None: whatever we like."""

    def __init__(self, message: str, wait_s: float | None = None) -> None:
        self.wait_s = wait_s
        super().__init__(message)


@dataclass
class Deadline:
    """When our own patience with one try ends, and the caller's with all of them (None: never). Seconds."""

    own_s: float
    caller_s: float | None
    clock: Callable[[], float] = time.monotonic
    started: float = field(init=False)

    def __post_init__(self) -> None:
        self.started = self.clock()

    def left(self) -> float:
        """What is left to the caller."""
        return float("inf") if self.caller_s is None else self.caller_s - (self.clock() - self.started)

    def try_s(self) -> float:
        """How long a try that begins now may take."""
        return max(0.001, min(self.own_s, self.left()))

    def late(self) -> Exception:
        """What a try that took too long means."""
        if self.left() <= 0:
            return ModelTimeout(f"no answer within the {self.caller_s:.3g} s that were left")
        return Again(f"no answer within {self.own_s:.3g} s")


def answered(
    once: Callable[[Deadline], Completion],
    deadline: Deadline,
    *,
    name: str,
    retries: int,
    sleep: Callable[[float], None] = time.sleep,
) -> Completion:
    """The answer of the first try that gives one. Raises ModelUnavailable, and what `once` raises but `Again`."""
    trouble = ""
    for attempt in range(retries + 1):
        try:
            began = deadline.clock()
            answer = once(deadline)
            return replace(answer, lost_s=began - deadline.started) if trouble else answer
        except Again as again:
            pause, trouble = again.wait_s, str(again)
        except ModelTimeout as late:
            if not trouble:
                raise ModelTimeout(f"{name}: {late}") from None
            break
        if attempt < retries:
            if pause is None:
                pause = min(2.0**attempt, 30.0) * random.uniform(0.75, 1.25)
            if pause >= deadline.left():
                break
            sleep(min(pause, LONGEST_WAIT_S))
    raise ModelUnavailable(f"{name}: no usable answer after {attempt + 1} tries: {trouble}")
