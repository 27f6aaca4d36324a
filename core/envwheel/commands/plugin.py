"""`envwheel plugin check NAME [--json]`: does an installed domain keep the contract? No engine is needed."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from envwheel.console import console, plain


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("action", choices=["check"], help="check: run the contract")
    parser.add_argument("name", help="id of an installed domain")
    parser.add_argument("--json", action="store_true", help="one JSON object a check")


def run(args: argparse.Namespace) -> int:
    """Run every check and print it as it ends; 1 when one failed, 2 when no such domain is installed."""
    from envwheel.contract import check_domain
    from envwheel.listing import find

    listing = find(args.name)
    outcomes = []
    for result in check_domain(listing.id):
        outcomes.append(result.outcome)
        if args.json:
            print(json.dumps(asdict(result)), flush=True)
        else:
            print(f"{result.outcome:<8} {plain(result.promise)}", flush=True)
            if result.message and result.outcome == "failed":
                print(" " * 9 + " ".join(plain(result.message).split()), flush=True)
    failed = outcomes.count("failed")
    summary = f"{listing.id} ({listing.distribution} {listing.version}): {len(outcomes)} checks, {failed} failed"
    skipped = outcomes.count("skipped")
    console().print(plain(summary + (f", {skipped} skipped." if skipped else ".")), markup=False)
    return 1 if failed else 0
