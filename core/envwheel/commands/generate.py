"""`envwheel generate`: a static pool, every environment through the gate, none calibrated."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

from envwheel.errors import UsageError
from envwheel.lists import commas, levels

if TYPE_CHECKING:
    from envwheel.config import Config

EPILOG = """
The pool is DIR/environments: a folder of Harbor environments, each with its evidence.json. Families (for a model:
skills) and levels are spread evenly. `envwheel run --pool DIR` takes its candidates from there.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.epilog = EPILOG
    parser.add_argument("--proposer", default="procedural", help="procedural (default), terminal, prompt_only")
    parser.add_argument("--domains", type=commas, help="domain ids, with commas between")
    parser.add_argument("-n", type=int, default=8, metavar="N", help="candidates to make (default: 8)")
    parser.add_argument("--levels", type=levels, metavar="LEVELS", help="such as 0-4 or 0,2 (default: all)")
    parser.add_argument("--families", type=commas, metavar="NAMES", help="only these generators, with commas between")
    parser.add_argument("--model", metavar="SPEC", help="the model that proposes: openai:MODEL, command:PROGRAM, ...")
    parser.add_argument("--config", type=Path, help="an envwheel.toml, for [proposer], [gate] and [engine]")
    parser.add_argument("--engine", help="auto, docker, namespace")
    parser.add_argument("--seed", type=int, help="equal seeds give equal candidates")
    parser.add_argument("--jobs", type=int, help="boxes at a time")
    parser.add_argument("--out", metavar="DIR", help="the pool's directory (default: pools/DOMAINS)")
    parser.add_argument("--resume", action="store_true", help="go on with the pool that is there")
    parser.add_argument("--json", action="store_true", help="print what `status --json` prints, and nothing else")


def run(args: argparse.Namespace) -> int:
    """Exit code 0 when all candidates were judged and the pool holds something, 1 when it is empty, 130 interrupted."""
    from rich.console import Console

    from envwheel.commands.run import turn
    from envwheel.progress import report
    from envwheel.summary import status

    started = time.monotonic()
    ended = turn(_config(args), resume=args.resume, quiet=args.json, calibrated=False)
    if args.json:
        print(json.dumps(status(ended.records, ended.pool)))
    else:
        report(ended.records, ended.pool, Console(highlight=False))
        print(f"pool: {ended.path / 'environments'} ({time.monotonic() - started:.0f} s)")
    return ended.exit_code


def _config(args: argparse.Namespace) -> Config:
    from envwheel.config import Config, load, override
    from envwheel.listing import canonical

    if args.n < 1:
        raise UsageError("-n takes a number of at least 1.")
    base = load(args.config) if args.config else Config()
    named = "-".join(map(canonical, args.domains or base.run.domains))
    changes = {
        "run.domains": args.domains,
        "run.rounds": 1,
        "run.candidates": args.n,
        "run.out": args.out or base.run.out or f"pools/{named}",
        "run.seed": args.seed,
        "run.jobs": args.jobs,
        "proposer.kind": args.proposer,
        "proposer.name": args.model,
        "proposer.levels": args.levels or None,
        "proposer.families": args.families or None,
        "proposer.spread": True,
        "engine.name": args.engine,
    }
    return override(base, changes)
