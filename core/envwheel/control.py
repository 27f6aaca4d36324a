"""When a run goes on and when it stops: interrupts, budgets, places for boxes, and failures of our own side.

    with control.place():           # waits until a box may start; raises Stopped when the run is to end
        ...
    control.infra("gate", "...")    # ten in a row of one kind end the run
    control.fine("gate")

Ctrl-C once ends the run when what is in a box has finished; twice ends it now (`interruptible`).
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from types import FrameType

from envwheel.errors import InfraError, SetupError
from envwheel.ledger import Tokens

MOST_IN_A_ROW = 10
"""So many failures of our side, of one kind and with nothing that works between them, end a run."""
BACK_OFF_S = 2.0
"""Seconds before a trial that our side failed is made again."""
DOUBLE_S = 0.5
"""A second signal this soon is the same one twice (`timeout` signals a process and then its whole group)."""


class Stopped(Exception):
    """The run is to end: nothing new begins. The record on disk is complete."""


class Control:
    """Shared by all threads of a run."""

    def __init__(
        self,
        jobs: int,
        *,
        max_dollars: float | None = None,
        max_tokens: int | None = None,
        max_hours: float | None = None,
        back_off_s: float = BACK_OFF_S,
        seats: int = 1,
    ) -> None:
        self.back_off_s = back_off_s
        self.reason = ""
        """Why the run stops before its last round; empty while it goes on."""
        self.interrupted = False
        self._places = threading.BoundedSemaphore(jobs)
        self._seats = threading.BoundedSemaphore(seats)
        self._stop = threading.Event()
        self._guard = threading.Lock()
        self._failures: Counter[str] = Counter()
        self._spent = Tokens()
        self._max_dollars, self._max_tokens = max_dollars, max_tokens
        self._end = time.monotonic() + max_hours * 3600 if max_hours else None

    def stop(self, reason: str) -> None:
        """Begin nothing more. The first reason stays."""
        with self._guard:
            self.reason = self.reason or reason
        self._stop.set()

    def go_on(self) -> bool:
        """Something new may begin."""
        if self._end is not None and time.monotonic() > self._end:
            self.stop("the time budget (run.max_hours) is used up")
        return not self._stop.is_set()

    @contextlib.contextmanager
    def place(self) -> Iterator[None]:
        """A place for a box, held while the block runs. Raises Stopped."""
        with self._places:
            if not self.go_on():
                raise Stopped
            yield

    @contextlib.contextmanager
    def seat(self) -> Iterator[None]:
        """A seat for a proposer, which mostly waits for its model and takes no place meanwhile. Raises Stopped."""
        with self._seats:
            if not self.go_on():
                raise Stopped
            yield

    def pause(self, seconds: float) -> None:
        """Wait, unless the run is to end. Raises Stopped."""
        if self._stop.wait(seconds):
            raise Stopped

    def fine(self, what: str) -> None:
        """Our side works, as far as `what` (gate, trial) goes."""
        with self._guard:
            del self._failures[what]

    def infra(self, what: str, message: str) -> None:
        """Our side failed once more at `what`. Raises InfraError at the tenth time in a row.

        Kinds are counted apart: boxes may work while the solver's model is gone.
        """
        with self._guard:
            self._failures[what] += 1
            in_a_row = self._failures[what]
        if in_a_row >= MOST_IN_A_ROW:
            self.stop("our side failed too often")
            raise InfraError(
                "host",
                f"Our side failed {MOST_IN_A_ROW} times in a row ({what}), last: {message}. Mend it and --resume.",
            )

    def spend(self, tokens: Tokens) -> None:
        """Count what a model took against the budgets. Raises SetupError when dollars are bounded but unknown."""
        with self._guard:
            self._spent += tokens
            spent = self._spent
        if self._max_dollars is not None and spent.dollars is None:
            self.stop("a price is unknown")
            raise SetupError(
                "run.max_dollars is set, but the price of a model is not known. "
                "Name it under [solver.model] and [proposer.model] as `prices`, or remove the budget."
            )
        if self._max_dollars is not None and (spent.dollars or 0.0) >= self._max_dollars:
            self.stop("the budget in dollars (run.max_dollars) is used up")
        if self._max_tokens is not None and spent.input + spent.output >= self._max_tokens:
            self.stop("the budget in tokens (run.max_tokens) is used up")


@contextlib.contextmanager
def interruptible(control: Control, end_now: Callable[[], None], say: Callable[[str], None]) -> Iterator[None]:
    """Within the block, the first Ctrl-C (or SIGTERM) stops `control` gently, the second calls `end_now` and exits."""

    first: list[float] = []

    def handle(number: int, frame: FrameType | None) -> None:
        if first and time.monotonic() - first[0] < DOUBLE_S:
            return
        if first:
            try:
                end_now()
            finally:
                os._exit(130)
        first.append(time.monotonic())
        control.interrupted = True
        control.stop("interrupted")
        say("Interrupted: what is in a box is finished and written. Once more ends it now.")

    former = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
