"""`envwheel gc`: remove boxes and images that runs left behind.

Only what carries envwheel's own labels is touched, and only if its owner has ended or its time is over; `--all` also
takes what living processes hold. Base images stay.
"""

from __future__ import annotations

import argparse
import json


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--all", action="store_true", help="also remove what running envwheel processes hold")
    parser.add_argument("--engine", default="auto", metavar="E", help="the engine to clean (default: auto)")
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")


def run(args: argparse.Namespace) -> int:
    """Sweep, and say what was removed."""
    from envwheel.sandbox.engines import open_engine

    engine = open_engine(args.engine)
    try:
        swept = engine.sweep(everything=args.all)
    finally:
        engine.close()
    if args.json:
        print(json.dumps({"schema": 1, "engine": engine.name, "boxes": swept.boxes, "images": swept.images}))
    else:
        print(f"Removed {_counted(swept.boxes, 'box', 'boxes')} and {_counted(swept.images, 'image', 'images')}.")
    return 0


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
