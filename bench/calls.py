"""What the benches share: environments to measure with, and `envwheel check` as a user calls it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from envwheel.api import Family
from envwheel.domains import Domains
from envwheel.environment import draft


def write(domain: str, wanted: Iterable[tuple[Family, int, int]], pool: Path) -> dict[str, Path]:
    """An environment for each (family, level, seed), as families and kit are now; folder name -> folder."""
    kit = Domains.load([domain]).kit(domain)
    written = {}
    for family, level, seed in wanted:
        made = family.build(level, seed)
        target = pool / made.name
        shutil.rmtree(target, ignore_errors=True)
        draft.write(made, target, domains=[domain], kit=kit, proposer="procedural")
        written[made.name] = target
    return written


def check(folders: Sequence[Path], *options: str) -> list[dict]:
    """The verdicts of `envwheel check`, one a folder; its words and progress go where ours do."""
    command = [sys.executable, "-m", "envwheel.cli", "check", *map(str, folders), "--json", *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(done.returncode)
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_all_ok(folders: Sequence[Path], *options: str) -> None:
    """`check`, which must find nothing."""
    bad = [verdict for verdict in check(folders, *options) if verdict["verdict"] != "ok"]
    if bad:
        raise SystemExit(f"envwheel check: {json.dumps(bad)}")
