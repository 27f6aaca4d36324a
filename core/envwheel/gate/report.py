"""Verdicts for people and for programs: a table, one JSON object a line, and what is going on meanwhile."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from envwheel.console import console, plain, safe
from envwheel.gate.ladder import Verdict

if TYPE_CHECKING:
    from rich.table import Table

STYLES = {"ok": "green", "rejected": "red", "infra": "yellow"}
PLAIN_WIDTH = 160
"""Columns of a table that does not go to a terminal."""
LONGEST = 400


def as_json(verdict: Verdict) -> dict[str, Any]:
    """The object that `check --json` prints."""
    return {
        "path": str(verdict.path),
        "name": verdict.name,
        "verdict": verdict.verdict,
        "code": verdict.code,
        "message": plain(verdict.message),
        "seconds": round(verdict.seconds, 3),
        "engine": verdict.engine,
        "skipped": list(verdict.skipped),
        "steps": [
            {
                "step": step.step,
                "outcome": step.outcome,
                "code": step.code,
                "seconds": round(step.seconds, 3),
                "rewards": [trial.reward for trial in step.trials],
            }
            for step in verdict.steps
        ],
    }


def one_line(text: str) -> str:
    """`text` as one line of a bounded length, without anything that could act on a terminal."""
    line = " ".join(plain(text).split())
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."


def table(verdicts: Iterable[Mapping[str, Any]]) -> Table:
    """Name, verdict, code, why and seconds of each verdict (as `as_json` gives it)."""
    from rich.table import Table

    grid = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("name", "verdict", "code"):
        grid.add_column(name, no_wrap=True)
    grid.add_column("why", overflow="fold")
    grid.add_column("seconds", justify="right", no_wrap=True)
    for verdict in verdicts:
        word = verdict["verdict"]
        style = STYLES[word]
        grid.add_row(
            safe(verdict["name"]),
            f"[{style}]{word}[/]",
            safe(verdict["code"]),
            safe(one_line(verdict["message"])),
            f"{verdict['seconds']:.1f}",
        )
    return grid


def print_table(verdicts: list[Mapping[str, Any]]) -> None:
    """The table and a line of counts, to standard output."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else PLAIN_WIDTH
    out = Console(file=sys.stdout, highlight=False, width=width)
    out.print(table(verdicts))
    counts = {word: sum(verdict["verdict"] == word for verdict in verdicts) for word in STYLES}
    out.print(f"\n{len(verdicts)} judged: " + ", ".join(f"{count} {word}" for word, count in counts.items() if count))


class Progress:
    """What is being judged now, on standard error: a live line on a terminal, else a line for each verdict."""

    def __init__(self, total: int, quiet: bool) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, str] = {}
        self._total, self._done, self._quiet = total, 0, quiet
        self._status: Any = None

    def __enter__(self) -> Progress:
        if console().is_terminal:
            self._status = console().status("")
            self._status.start()
        return self

    def __exit__(self, *exc: object) -> None:
        if self._status:
            self._status.stop()

    def step(self, name: str, step: str) -> None:
        """An environment is at `step` now."""
        with self._lock:
            self._running[name] = step
            self._show()

    def done(self, verdict: Mapping[str, Any]) -> None:
        """An environment is judged."""
        with self._lock:
            self._running.pop(verdict["name"], None)
            self._done += 1
            self._show()
            if not self._status and not self._quiet:
                word = f"{verdict['verdict']} {verdict['code']}".strip()
                console().print(safe(f"{self._done}/{self._total} {verdict['name']}: {word}"))

    def say(self, text: str) -> None:
        """A line of its own."""
        console().print(safe(text))

    def _show(self) -> None:
        if self._status:
            now = ", ".join(f"{safe(name)} [dim]{step}[/]" for name, step in sorted(self._running.items()))
            self._status.update(f"{self._done}/{self._total} {now}")
