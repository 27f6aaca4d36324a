"""`envwheel domains [--check] [--json]`: what is installed, from metadata; `--check` loads each in its own process."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass

from envwheel.listing import IN_REPO, Listing, canonical, installed, pip_line


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table, and one JSON object. `state`: not checked, ready, missing, broken or not installed."""

    name: str
    version: str
    distribution: str
    core: str
    state: str
    detail: str = ""
    fix: str = ""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--check", action="store_true", help="load each domain, in a process of its own")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def run(args: argparse.Namespace) -> int:
    """Print the table; 2 when `--check` finds a broken domain."""
    rows = [_row(one, check=args.check) for one in installed()]
    rows += [_absent(id) for id in IN_REPO if canonical(id) not in {row.name for row in rows}]
    if args.json:
        for row in rows:
            print(json.dumps(asdict(row)))
    else:
        _print(rows)
    return 2 if args.check and any(row.state == "broken" for row in rows) else 0


def _row(listing: Listing, *, check: bool) -> Row:
    state, detail, fix = "not checked", "", ""
    if listing.problem:
        state, detail = "broken", listing.problem
    elif check:
        from envwheel.child import load_state

        found = load_state(listing.id)
        state, detail, fix = found.state, found.detail, found.fix
    return Row(listing.id, listing.version, listing.distribution, listing.core or "any", state, detail, fix)


def _absent(id: str) -> Row:
    return Row(canonical(id), "", f"envwheel-{id}", "", "not installed", "", pip_line(id))


def _print(rows: list[Row]) -> None:
    from envwheel.columns import columns

    header = ("NAME", "VERSION", "DISTRIBUTION", "CORE", "STATE", "")
    lines = [
        (*(cell or "-" for cell in (row.name, row.version, row.distribution, row.core)), row.state, _why(row))
        for row in rows
    ]
    print(columns(header, lines) if rows else f"No domain is installed. {pip_line(IN_REPO[0])}")


def _why(row: Row) -> str:
    return ": ".join(part for part in (row.detail, row.fix) if part)
