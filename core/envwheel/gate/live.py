"""What is being judged now, on standard error: a live table on a terminal, else a line for each verdict."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

from envwheel.console import console, safe
from envwheel.gate.report import STYLES

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live

MOST_RUNNING = 12
REFRESH = 4
"""Pictures a second."""


class Progress:
    """How far a check is. Thread-safe; `quiet` says that standard output belongs to a program."""

    def __init__(self, total: int, quiet: bool, to: Console | None = None) -> None:
        self._to = to or console()
        self._lock = threading.Lock()
        self._running: dict[Hashable, tuple[str, str, float]] = {}
        self._counts: Counter[str] = Counter()
        self._total, self._quiet, self._started = total, quiet, time.monotonic()
        self._live: Live | None = None

    def __enter__(self) -> Progress:
        # A picture that is drawn again and again, and lines of JSON, do not go to one terminal.
        if self._to.is_terminal and not (self._quiet and sys.stdout.isatty()):
            from rich.live import Live

            self._live = Live(
                get_renderable=self._picture,
                console=self._to,
                refresh_per_second=REFRESH,
                transient=True,
                redirect_stdout=sys.stdout.isatty(),  # else what is printed would not go to the file
            )
            self._live.start()
        return self

    def __exit__(self, *exc: object) -> None:
        if self._live:
            self._live.stop()

    def step(self, key: Hashable, name: str, step: str) -> None:
        """The environment `key`, called `name`, is at `step` now."""
        with self._lock:
            began = self._running[key][2] if key in self._running else time.monotonic()
            self._running[key] = (name, step, began)

    def done(self, key: Hashable, verdict: Mapping[str, Any]) -> None:
        """An environment is judged."""
        with self._lock:
            self._running.pop(key, None)
            self._counts[verdict["verdict"]] += 1
            done = self._counts.total()
        if not self._live and not self._quiet:
            word = f"{verdict['verdict']} {verdict['code']}".strip()
            self._to.print(safe(f"{done}/{self._total} {verdict['name']}: {word}"), soft_wrap=True)

    def say(self, text: str) -> None:
        """A line of its own."""
        self._to.print(safe(text), soft_wrap=True)

    def _picture(self) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table

        with self._lock:
            running, counts = list(self._running.values()), dict(self._counts)
        now, done = time.monotonic(), sum(counts.values())
        bar = Table.grid(padding=(0, 1))
        words = [f"[{STYLES[word]}]{count} {word}[/]" for word in STYLES if (count := counts.get(word))]
        bar.add_row(
            ProgressBar(self._total, done, width=30),
            f"{done}/{self._total}",
            f"[dim]{_clock(now - self._started)}{self._left(done, now)}[/]",
            ", ".join(words),
        )
        rows = Table.grid(padding=(0, 2))
        for name, step, began in running[:MOST_RUNNING]:
            rows.add_row(f"  {safe(name)}", f"[cyan]{safe(step)}[/]", f"[dim]{now - began:.0f} s[/]")
        if len(running) > MOST_RUNNING:
            rows.add_row(f"  [dim]and {len(running) - MOST_RUNNING} more[/]")
        return Group(bar, rows)

    def _left(self, done: int, now: float) -> str:
        if not done or done >= self._total:
            return ""
        return f", about {_clock((now - self._started) / done * (self._total - done))} left"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
