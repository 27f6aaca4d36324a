"""`envwheel doctor [--engine E] [--prepare [--domains IDS]] [--json]`: what this machine lacks, the fix; 2 if any.

`--prepare` first makes what would else be made when it is first used.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from envwheel.console import plain
from envwheel.lists import commas


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--engine", default="auto", metavar="E", help="the engine to look at (default: auto)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--prepare", action="store_true", help="make base images and fetch the embedded model first")
    parser.add_argument("--domains", type=commas, help="with --prepare: base images of these only, commas between")


def run(args: argparse.Namespace) -> int:
    """Print each condition as it is found; 2 when one is `missing`."""
    from envwheel.health import examine

    if args.prepare:
        _prepare(args.engine, args.domains)
    missing = False
    for one in examine(args.engine):
        missing = missing or one.state == "missing"
        if args.json:
            print(json.dumps(asdict(one)), flush=True)
            continue
        print(f"{one.state:<8} {one.what}: {' '.join(plain(one.detail).split())}", flush=True)
        if one.fix:
            print(f"{'':<8} fix: {plain(one.fix)}", flush=True)
    return 2 if missing else 0


def _prepare(engine: str, ids: list[str] | None) -> None:
    from envwheel.console import console
    from envwheel.listing import canonical, find
    from envwheel.prepare import prepare
    from envwheel.sandbox.engines import open_engine

    wanted = None if ids is None else [find(canonical(id)).id for id in ids]
    with console().status("looking") as status:
        for name in prepare(lambda: open_engine(engine), wanted):
            status.update(f"making ready: {name}")
