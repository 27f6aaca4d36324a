"""`envwheel run`: turn the flywheel."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from envwheel.errors import UsageError
from envwheel.lists import commas

if TYPE_CHECKING:
    from envwheel.config import Config
    from envwheel.ledger import AnyRecord

EPILOG = """
Without CONFIG, envwheel.toml of the working directory is used where there is one. The run directory (runs/NAME) holds
everything; after an interrupt or a crash, `--resume` goes on where it was.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.epilog = EPILOG
    parser.add_argument("config", nargs="?", type=Path, metavar="CONFIG", help="an envwheel.toml")
    parser.add_argument("--domains", type=commas, help="domain ids, with commas between")
    parser.add_argument("--rounds", type=int, help="turns of the flywheel")
    parser.add_argument("--candidates", type=int, help="candidates a round")
    parser.add_argument("--proposer", metavar="KIND", help="procedural, terminal, prompt_only")
    parser.add_argument("--model", metavar="SPEC", help="the model that proposes (default: the solver's)")
    parser.add_argument("--proposer-network", choices=("none", "on"), help="whether its box may fetch packages")
    parser.add_argument("--pool", metavar="DIR", help="take the candidates from a static pool: no proposer")
    parser.add_argument(
        "--solver", help="local, simulated, openai:MODEL, anthropic:MODEL, command:PROGRAM, scripted:PATH"
    )
    parser.add_argument(
        "--rollouts",
        nargs="+",
        metavar="PATH",
        help="rollouts that others made, for the digest: Harbor jobs, ATIF files",
    )
    parser.add_argument("--engine", help="auto, docker, namespace")
    parser.add_argument("--out", help="the run directory")
    parser.add_argument("--seed", type=int, help="equal seeds give equal candidates")
    parser.add_argument("--jobs", type=int, help="boxes at a time")
    parser.add_argument("--max-cost", type=float, metavar="DOLLARS", help="start nothing more once models cost this")
    parser.add_argument("--max-tokens", type=int, metavar="N", help="start nothing more once models took this many")
    parser.add_argument("--resume", action="store_true", help="go on with the run that is there")
    parser.add_argument("--json", action="store_true", help="print what `status --json` prints, and nothing else")


def run(args: argparse.Namespace) -> int:
    """Exit code 0 when all rounds are done and the pool holds something, 1 when it is empty, 130 when interrupted."""
    from rich.console import Console

    from envwheel import run_page
    from envwheel.progress import report
    from envwheel.summary import status

    started = time.monotonic()
    ended = turn(_config(args), resume=args.resume, quiet=args.json)
    run_page.write(ended.path / run_page.REPORT, ended.path, ended.records, ended.pool)
    if args.json:
        print(json.dumps(status(ended.records, ended.pool)))
    else:
        report(ended.records, ended.pool, Console(highlight=False))
        print(f"run directory: {ended.path} ({time.monotonic() - started:.0f} s)")
    return ended.exit_code


@dataclass(frozen=True, slots=True)
class Ended:
    """A run that came to an end; `pool` is how many environments it holds."""

    path: Path
    records: Sequence[AnyRecord]
    pool: int
    exit_code: int


def turn(config: Config, *, resume: bool, quiet: bool, calibrated: bool = True) -> Ended:
    """Turn the flywheel until it is done or stopped, and say why when it was. Raises SetupError, InfraError."""
    from envwheel.console import console
    from envwheel.control import interruptible
    from envwheel.flywheel import Flywheel
    from envwheel.index import refresh
    from envwheel.progress import Board
    from envwheel.propose import foreign
    from envwheel.start import opened, settled
    from envwheel.store import pool

    config = settled(config, resume=resume)
    board = Board(console(), quiet=quiet)
    with opened(config, board, calibrated=calibrated) as parts:
        for one in foreign.take(parts.store, config.run):
            board.say(f"{one.path}: not read: {one.why}")
        with board, interruptible(parts.control, parts.engine.close, board.say):
            complete = Flywheel(parts).run()
        records, path = list(parts.store.records), parts.store.path
        refresh(path)
    admitted = len(pool(path, records))
    if parts.control.interrupted:
        console().print("Interrupted; go on with --resume.")
        return Ended(path, records, admitted, 130)
    if not complete:
        why = parts.control.reason or "our side failed some candidates"
        console().print(f"Stopped: {why}. Go on with --resume.", soft_wrap=True)
    return Ended(path, records, admitted, 0 if admitted else 1)


def _config(args: argparse.Namespace) -> Config:
    from envwheel.config import Config, load, override
    from envwheel.start import CONFIG
    from envwheel.store import RunDirectory

    if args.pool and args.proposer:
        raise UsageError("--pool takes the candidates from a folder, --proposer makes them: name one.")
    path = args.config or (Path(CONFIG) if Path(CONFIG).is_file() else None)
    if path is None and args.resume and args.out and RunDirectory.read(Path(args.out)):
        path = Path(args.out) / CONFIG
    changes = {
        "run.domains": args.domains,
        "run.rounds": args.rounds,
        "run.candidates": args.candidates,
        "run.out": args.out,
        "run.seed": args.seed,
        "run.jobs": args.jobs,
        "run.max_dollars": args.max_cost,
        "run.max_tokens": args.max_tokens,
        "run.rollouts": args.rollouts,
        "proposer.kind": "static" if args.pool else args.proposer,
        "proposer.name": args.model,
        "proposer.network": args.proposer_network and args.proposer_network == "on",
        "proposer.pool": args.pool,
        "solver.name": args.solver,
        "engine.name": args.engine,
    }
    return override(load(path) if path else Config(), changes)
