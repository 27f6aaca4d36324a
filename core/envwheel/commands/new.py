"""`envwheel new PATH [--domain ID] [--name NAME] [--json]`: a small environment that passes the gate, a start."""

from __future__ import annotations

import argparse
import json
import os
import re
from pathlib import Path


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("path", type=Path, metavar="PATH", help="the folder to write; it must not exist")
    parser.add_argument("--domain", metavar="ID", help="an installed domain that it belongs to; its kit is copied in")
    parser.add_argument("--name", help="name in task.toml (default: the folder's)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Write the skeleton and say what to do next."""
    from envwheel.console import plain
    from envwheel.domains import Domains
    from envwheel.environment import draft, folder, skeleton
    from envwheel.errors import UsageError

    target = Path(os.path.abspath(args.path))
    name = args.name or target.name
    if not re.fullmatch(draft.NAME, name):
        raise UsageError(f"'{name}' is no name for an environment: letters, digits, '.', '_' and '-'. Give --name.")
    if os.path.lexists(target):
        raise UsageError(f"{target} is there already, and nothing is overwritten. Name a new folder.")
    domains = Domains.load([args.domain]) if args.domain else Domains.none()
    kit = [file for id in domains.ids for file in domains.kit(id)]
    draft.write(skeleton.draft(name), target, domains=domains.ids, kit=kit, proposer="hand")
    task = folder.read(target)
    if args.json:
        print(
            json.dumps({"path": str(target), "name": name, "domains": [*domains.ids], "tree_sha256": task.tree_sha256})
        )
        return 0
    print(plain(_next_steps(args.path)))
    return 0


def _next_steps(path: Path) -> str:
    return f"""\
Wrote {path}: a program that adds up orders, with a separate verifier.

  {path}/instruction.md           say what is wanted, and which files are graded
  {path}/environment/app/         what the solver finds in /app
  {path}/solution/solve.sh        the reference: it must score 1
  {path}/tests/check.py           the checks; tests/kit/grade.py says what it can do
  {path}/task.toml                limits and artifacts

Next: envwheel check {path}"""
