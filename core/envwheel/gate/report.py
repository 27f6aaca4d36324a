"""Verdicts for people and for programs: one JSON object a line, a table with a summary by code, a CSV file.

Everything here takes verdicts as `as_json` gives them; `html.py` makes the report for a browser, `live.py` shows what
goes on meanwhile.
"""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envwheel.console import plain, safe
from envwheel.errors import EnvwheelError, UsageError
from envwheel.gate.ladder import Verdict
from envwheel.gate.options import STEPS

if TYPE_CHECKING:
    from rich.table import Table

STYLES = {"ok": "green", "admitted": "green", "rejected": "red", "infra": "yellow"}
PLAIN_WIDTH = 160
"""Columns of a table that does not go to a terminal."""
LONGEST = 400
MOST_ROWS = 50
"""A table of more verdicts is no longer read; then only those that are not `ok` are shown, this many of them."""
MOST_NAMES = 3
FORMULA = ("=", "+", "-", "@", "\t")
"""What a cell must not begin with: a spreadsheet would calculate it."""


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


def reward_text(rewards: Iterable[float | None]) -> str:
    """Rewards as text, repetitions counted: `0 x18, 0.5, none`."""
    runs: list[tuple[str, int]] = []
    for reward in rewards:
        word = "none" if reward is None else f"{reward:g}"
        if runs and runs[-1][0] == word:
            runs[-1] = (word, runs[-1][1] + 1)
        else:
            runs.append((word, 1))
    return ", ".join(word if count == 1 else f"{word} x{count}" for word, count in runs)


def by_verdict(verdicts: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Verdict -> how many, only those that there are."""
    words = [verdict["verdict"] for verdict in verdicts]
    return {word: count for word in STYLES if (count := words.count(word))}


def by_code(verdicts: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str], list[Mapping[str, Any]]]:
    """(verdict, code) -> those that have it, for all that are not fine; the most frequent first."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for verdict in verdicts:
        if verdict["code"]:
            groups.setdefault((verdict["verdict"], verdict["code"]), []).append(verdict)
    return dict(sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])))


def table(verdicts: Iterable[Mapping[str, Any]]) -> Table:
    """Name, verdict, code, why and seconds of each verdict."""
    grid = _grid("name", "verdict", "code")
    grid.add_column("why", overflow="fold")
    grid.add_column("seconds", justify="right", no_wrap=True)
    for verdict in verdicts:
        grid.add_row(
            safe(verdict["name"]),
            _coloured(verdict["verdict"], verdict["verdict"]),
            safe(verdict["code"]),
            safe(one_line(verdict["message"])),
            f"{verdict['seconds']:.1f}",
        )
    return grid


def summary(verdicts: Sequence[Mapping[str, Any]]) -> Table:
    """How many have each code, and the names of the first of them."""
    grid = _grid("verdict", "code")
    grid.add_column("count", justify="right", no_wrap=True)
    grid.add_column("share", justify="right", no_wrap=True)
    grid.add_column("for example", overflow="fold")
    for (word, code), group in by_code(verdicts).items():
        names = ", ".join(verdict["name"] for verdict in group[:MOST_NAMES])
        more = f" and {len(group) - MOST_NAMES} more" if len(group) > MOST_NAMES else ""
        share = f"{len(group) / len(verdicts):.1%}"
        grid.add_row(_coloured(word, word), safe(code), str(len(group)), share, safe(names + more))
    return grid


def print_table(verdicts: list[Mapping[str, Any]]) -> None:
    """Verdicts, a summary by code where there is more than one finding, and a line of counts, to standard output."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else PLAIN_WIDTH
    out = Console(file=sys.stdout, highlight=False, width=width)
    bad = [verdict for verdict in verdicts if verdict["code"]]
    shown = verdicts if len(verdicts) <= MOST_ROWS else bad[:MOST_ROWS]
    if shown:
        out.print(table(shown))
    if len(shown) < len(verdicts):
        ones = f"the first {len(shown)} of {len(bad)} that are not ok" if len(shown) < len(bad) else "those not ok"
        out.print(f"\nShown are {ones}; --csv, --html and --json give all.")
    if len(bad) > 1:
        out.print()
        out.print(summary(verdicts))
    counts = ", ".join(f"{count} {word}" for word, count in by_verdict(verdicts).items())
    out.print(f"\n{len(verdicts)} judged: {counts}")
    if bad:
        out.print(f"[dim]What a code means, and the mend: envwheel check --explain {safe(bad[0]['code'])}[/]")


def write_csv(path: Path, verdicts: Iterable[Mapping[str, Any]]) -> None:
    """A row for each verdict, with the outcome and rewards of every step. Raises EnvwheelError."""
    head = ["path", "name", "verdict", "code", "message", "seconds", "engine", "skipped"]
    trials = STEPS[STEPS.index("empty") :]
    with replaced(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        sheet = csv.writer(file)
        sheet.writerow([*head, *STEPS, *(f"{step} rewards" for step in trials)])
        for verdict in verdicts:
            steps = {step["step"]: step for step in verdict["steps"]}
            plain_cells = [verdict[name] for name in head[:-1]]
            outcomes = [steps[step]["outcome"] if step in steps else "" for step in STEPS]
            rewards = [reward_text(steps[step]["rewards"]) if step in steps else "" for step in trials]
            sheet.writerow(map(_cell, [*plain_cells, ", ".join(verdict["skipped"]), *outcomes, *rewards]))


def refuse_unwritable(*files: Path | None) -> None:
    """Raise UsageError for a file that cannot be written, before hours of work for it."""
    for file in files:
        if file and (file.is_dir() or not os.access(file.absolute().parent, os.W_OK)):
            raise UsageError(f"{file} cannot be written: name a file in a folder that there is.")


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """A temporary path beside `path`, which takes its place when all went well. Raises EnvwheelError."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        raise EnvwheelError(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        temporary.unlink(missing_ok=True)


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    text = plain(value)
    return f"'{text}" if text.startswith(FORMULA) else text


def _grid(*names: str) -> Table:
    from rich.table import Table

    grid = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        grid.add_column(name, no_wrap=True)
    return grid


def _coloured(word: str, text: str) -> str:
    return f"[{STYLES[word]}]{text}[/]"
