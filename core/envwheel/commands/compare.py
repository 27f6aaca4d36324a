"""`envwheel compare`: matched targets through several proposers, side by side."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envwheel.lists import commas, levels

if TYPE_CHECKING:
    from envwheel.compare.comparison import Source
    from envwheel.compare.figures import Figures
    from envwheel.config import Config
    from envwheel.parts import Parts

EPILOG = """
Every method gets the same targets (skill, level, seed) and the same digest; the gate judges what it makes. No solver is
needed. After an interrupt or a crash, `--resume` goes on where it was. Exit code 0: every target is judged; 2: some are
not, because our side failed or a budget was used up. docs/compare.md tells more.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.epilog = EPILOG
    parser.add_argument("--methods", type=commas, help="of terminal, prompt_only, prompt_only+repair, procedural")
    parser.add_argument("--domains", type=commas, help="domain ids, with commas between")
    parser.add_argument("-n", type=int, help="targets for each method (default: run.candidates)")
    parser.add_argument("--model", help="openai:MODEL, command:PROGRAM, ...: one model for every method")
    parser.add_argument("--levels", type=levels, metavar="LEVELS", help="such as 0-4 or 0,2 (default: all)")
    parser.add_argument("--config", type=Path, metavar="FILE", help="an envwheel.toml: [proposer.model], budgets, ...")
    parser.add_argument("--run", type=Path, metavar="DIR", help="a run whose rollouts the proposers read about")
    parser.add_argument("--engine", help="auto, docker, namespace")
    parser.add_argument("--jobs", type=int, help="boxes at a time")
    parser.add_argument("--seed", type=int, help="equal seeds give equal targets")
    parser.add_argument("--out", help="the directory of the comparison (default: runs/compare-DOMAINS)")
    parser.add_argument("--resume", action="store_true", help="go on with the comparison that is there")
    parser.add_argument("--json", action="store_true", help="one JSON object, and nothing else")
    parser.add_argument("--html", type=Path, metavar="FILE", help="a report for a browser, one file")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="a row for each candidate")


def run(args: argparse.Namespace) -> int:
    """Exit code 0 when every target is judged, 2 when some are not, 130 when interrupted."""
    from envwheel.compare.comparison import opened
    from envwheel.compare.figures import figures
    from envwheel.console import console
    from envwheel.control import interruptible
    from envwheel.gate.report import refuse_unwritable
    from envwheel.index import refresh
    from envwheel.progress import Board

    refuse_unwritable(args.html, args.csv)
    config = _config(args)
    names, source = _saved(args, config)
    board = Board(console(), quiet=args.json, rounds=names)
    with opened(config, names, source, board, resume=args.resume) as comparison:
        parts = comparison.parts
        with board, interruptible(parts.control, parts.engine.close, board.say):
            complete = comparison.run()
        records, path = list(parts.store.records), parts.store.path
        refresh(path)
    found = figures(records, names)
    _tell(args, parts, found, path)
    if parts.control.interrupted:
        console().print("Interrupted; go on with --resume.")
        return 130
    if not complete:
        why = parts.control.reason or "our side failed some targets"
        console().print(f"Not every target is judged: {why}. Go on with --resume.")
    return 0 if complete else 2


def _tell(args: argparse.Namespace, parts: Parts, found: Figures, path: Path) -> None:
    """Print the figures, and write the files that were asked for."""
    config = parts.config
    about: dict[str, Any] = {
        "schema": 1,
        "path": str(path),
        "domains": list(parts.domains.ids),
        "levels": config.proposer.levels,
        "seed": config.run.seed,
        "n": config.run.candidates,
        "engine": parts.engine.name,
    }
    if args.html:
        from envwheel.compare import html

        html.write(args.html, found, path, parts.store.records)
    if args.csv:
        from envwheel.compare.html import candidates
        from envwheel.gate.report import write_csv

        write_csv(args.csv, candidates(found, path, parts.store.records))
    if args.json:
        print(json.dumps(about | found.model_dump(mode="json")))
        return
    from rich.console import Console

    from envwheel.compare.report import show
    from envwheel.gate.report import PLAIN_WIDTH

    show(found, Console(highlight=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH))
    print(f"directory: {path}")


def _saved(args: argparse.Namespace, config: Config) -> tuple[list[str], Source]:
    """Methods and source as asked for, else as a comparison that is resumed was begun with. Raises UsageError."""
    from envwheel.compare.comparison import Source, read_saved
    from envwheel.errors import UsageError

    saved = read_saved(config.directory) if args.resume else None
    if saved and args.run in (None, Path(saved[1].run)):
        return args.methods or saved[0], saved[1]
    if not args.methods:
        raise UsageError("compare: --methods says what is compared, such as --methods terminal,prompt_only.")
    return args.methods, Source.of(args.run)


def _config(args: argparse.Namespace) -> Config:
    """As configured, else as a comparison that is resumed was begun with. `run.out` of a file is for its own run."""
    from envwheel.config import Config, load, override
    from envwheel.start import CONFIG

    path: Path | None = args.config or (Path(CONFIG) if Path(CONFIG).is_file() else None)
    config = load(path) if path else Config()
    out = Path(args.out or f"runs/compare-{'-'.join(args.domains or config.run.domains)}")
    if args.resume and not args.config and (out / CONFIG).is_file():
        config = load(out / CONFIG)
    changes = {
        "run.domains": args.domains,
        "run.candidates": args.n,
        "run.seed": args.seed,
        "run.jobs": args.jobs,
        "run.out": str(out),
        "proposer.name": args.model,
        "proposer.levels": args.levels,
        "engine.name": args.engine,
    }
    return override(config, changes)
