"""`envwheel import PATH... --out DIR`: tasks of Terminal-Bench's older format become Harbor folders.

Exit codes: 0 all were converted, 1 some were refused (one line says why), 2 the request was wrong.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a folder with a task.yaml, or one of them")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the environments are written")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def run(args: argparse.Namespace) -> int:
    """Convert every task, and tell what had no place."""
    from envwheel.importers.compose import Refused
    from envwheel.importers.terminal_bench import convert, find

    refused = 0
    sources = [source for path in args.paths for source in find(path)]
    for source in sources:
        said: dict[str, Any] = {"path": str(source), "outcome": "imported", "target": "", "message": "", "notes": []}
        try:
            imported = convert(source, args.out)
            said |= {"target": str(imported.path), "notes": list(imported.notes)}
        except Refused as reason:
            refused += 1
            said |= {"outcome": "refused", "message": str(reason)}
        _say(said, args.json)
    if not args.json:
        print(f"{len(sources) - refused} imported, {refused} refused")
    return 1 if refused else 0


def _say(said: dict[str, Any], as_json: bool) -> None:
    from envwheel.console import plain

    if as_json:
        print(json.dumps(said), flush=True)
        return
    print(plain(f"{said['path']}: {said['outcome']}: {said['message'] or said['target']}"), flush=True)
    for note in said["notes"]:
        print(plain(f"  {note}"))
