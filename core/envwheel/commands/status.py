"""`envwheel status RUN [--html FILE]`: what a run has done so far, also while it goes on."""

from __future__ import annotations

import argparse
import json
from pathlib import Path


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("run", type=Path, metavar="RUN", help="a run directory")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--html", type=Path, metavar="FILE", help="the same and all candidates for a browser")


def run(args: argparse.Namespace) -> int:
    """Print the rounds and the size of the pool."""
    from envwheel.errors import UsageError
    from envwheel.store import RunDirectory, pool

    records = RunDirectory.read(args.run)
    if not records:
        raise UsageError(f"{args.run} is no run directory (it has no records). `envwheel run --out DIR` makes one.")
    admitted = len(pool(args.run, records))
    if args.html:
        from envwheel import run_page
        from envwheel.gate.report import refuse_unwritable

        refuse_unwritable(args.html)
        run_page.write(args.html, args.run, records, admitted)
    if args.json:
        from envwheel.summary import status

        print(json.dumps(status(records, admitted)))
    else:
        from rich.console import Console

        from envwheel.progress import report

        report(records, admitted, Console(highlight=False))
    return 0
