"""`envwheel status RUN [--html FILE]`: what a run has done so far, also while it goes on."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from envwheel.ledger import AnyRecord


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("run", type=Path, metavar="RUN", help="a run directory")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--html", type=Path, metavar="FILE", help="a report of all candidates for a browser, one file")


def run(args: argparse.Namespace) -> int:
    """Print the rounds and the size of the pool."""
    from envwheel.errors import UsageError
    from envwheel.store import RunDirectory, pool

    records = RunDirectory.read(args.run)
    if not records:
        raise UsageError(f"{args.run} is no run directory (it has no records). `envwheel run --out DIR` makes one.")
    admitted = len(pool(args.run, records))
    if args.html:
        from envwheel.gate.report import refuse_unwritable

        refuse_unwritable(args.html)
        write_report(args.run, records, args.html)
    if args.json:
        from envwheel.summary import status

        print(json.dumps(status(records, admitted)))
    else:
        from rich.console import Console

        from envwheel.progress import report

        report(records, admitted, Console(highlight=False))
    return 0


def write_report(run: Path, records: Sequence[AnyRecord], file: Path) -> None:
    """The page of all candidates that are closed. Raises EnvwheelError."""
    from envwheel.gate import html

    html.write(file, list(_candidates(run, records)), f"envwheel run {run}")


def _candidates(run: Path, records: Sequence[AnyRecord]) -> Iterator[dict[str, Any]]:
    """Every candidate that is closed, as `check --json` would tell it; steps from the evidence where there is some."""
    from envwheel.gate.evidence import steps_of
    from envwheel.ledger import Attempt, RunStart

    engine = next((record.engine for record in records if isinstance(record, RunStart)), "")
    for record in records:
        if not isinstance(record, Attempt):
            continue
        place = run / "environments"
        if not (place / record.environment).is_dir():  # what came from the shelf is in the pool too
            place = run / "candidates" / record.candidate
        yield {
            "path": str(place / record.environment),
            "name": f"{record.candidate} {record.environment}",
            "verdict": record.verdict,
            "code": record.code,
            "message": record.message,
            "seconds": record.wall_s,
            "engine": engine,
            "skipped": [],
            "steps": steps_of(place / record.environment / "evidence.json"),
        }
