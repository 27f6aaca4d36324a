"""`envwheel fix PATH...`: a shared verifier becomes a separate one where the tests only look at files.

The difference is shown, and written with --write only. Exit codes: 0 changed, to be changed, or nothing to do; 1 some
were refused (one line says why); 2 the request was wrong.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="an environment, or a folder of them")
    parser.add_argument("--write", action="store_true", help="change task.toml (else the difference is shown only)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def run(args: argparse.Namespace) -> int:
    """Show, or write, what makes each verifier separate."""
    from envwheel.environment.folder import find

    outcomes = []
    for path in find(args.paths):
        said = _fix(path, args.write)
        outcomes.append(said["outcome"])
        _say(said, args.json)
    if not args.json:
        counts = ", ".join(f"{outcomes.count(word)} {word}" for word in dict.fromkeys(outcomes))
        after = "" if args.write or "fixable" not in outcomes else "; --write changes them"
        print(f"{len(outcomes)} environments: {counts}{after}")
    return 1 if "refused" in outcomes else 0


def _fix(path: Path, really: bool) -> dict[str, Any]:
    from envwheel.environment.separate import Refused, plan, write

    said: dict[str, Any] = {"path": str(path), "outcome": "separate", "message": "", "artifacts": [], "diff": ""}
    try:
        change = plan(path)
    except Refused as reason:
        return {**said, "outcome": "refused", "message": str(reason)}
    if change is None:
        return said
    if really:
        write(change)
    outcome = "fixed" if really else "fixable"
    return {**said, "outcome": outcome, "artifacts": list(change.artifacts), "diff": change.diff}


def _say(said: dict[str, Any], as_json: bool) -> None:
    from envwheel.console import plain

    if as_json:
        print(json.dumps(said), flush=True)
        return
    more = f": {said['message']}" if said["message"] else ""
    print(plain(f"{said['path']}: {said['outcome']}{more}"), flush=True)
    if said["diff"]:
        print(plain(said["diff"]), flush=True)
        print("  What a solver installs or starts does not cross over. `envwheel check` tells whether it holds.")
