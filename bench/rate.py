"""How many environments a minute does `envwheel check` judge? Tiny ones with a separate verifier, on every engine.

    python bench/rate.py [--count 8] [--engine docker] [--engine namespace] [--rows trials,gate] [--json]

Row `trials`: untouched state and reference twice each (the boxes of one untouched state and three references), nothing
else. Row `gate`: every step, with the whole battery and the mutants that need no domain. The environments are of level
0 of a family of `swe`, other ones in every row. Goals on two cores: 20 and 5 a minute on docker, 100 and 30 on
namespace.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from envwheel.domains import Domains
from envwheel.environment import draft

DOMAIN, FAMILY = "swe", "file_links"
GOALS = {
    ("docker", "trials"): 20.0,
    ("docker", "gate"): 5.0,
    ("namespace", "trials"): 100.0,
    ("namespace", "gate"): 30.0,
}
"""Environments a minute."""
OPTIONS = {"trials": ["--only", "schema,build,empty,reference", "--repeat", "2"], "gate": []}


def write_environments(folder: Path, seeds: Sequence[int]) -> list[Path]:
    """One environment of the family for each seed."""
    domains = Domains.load([DOMAIN])
    family = next(one for one in domains.families(DOMAIN) if one.id == FAMILY)
    made = []
    for seed in seeds:
        drafted = family.build(0, seed)
        target = folder / f"{drafted.name}-{seed}"
        made.append(draft.write(drafted, target, domains=[DOMAIN], kit=domains.kit(DOMAIN), proposer="procedural"))
    return made


def rate(environments: Sequence[Path], engine: str, row: str) -> float:
    """Environments a minute, process start included."""
    command = [sys.executable, "-m", "envwheel.cli", "check", *map(str, environments), "--engine", engine, "--json"]
    start = time.monotonic()
    done = subprocess.run([*command, *OPTIONS[row]], capture_output=True, text=True, check=False)
    seconds = time.monotonic() - start
    verdicts = [json.loads(line)["verdict"] for line in done.stdout.splitlines()]
    if verdicts != ["ok"] * len(environments):
        raise SystemExit(f"envwheel check: {verdicts}\n{done.stdout}\n{done.stderr[-2000:]}")
    return 60 * len(environments) / seconds


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--engine", action="append", choices=["docker", "namespace"])
    parser.add_argument("--rows", default=",".join(OPTIONS))
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rates: dict[str, float] = {}
    seeds = itertools.count(1)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    print(f"{'':<24}{'a minute':>9}   goal", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="envwheel-bench-") as temporary:
        for engine, row in itertools.product(args.engine or ["docker", "namespace"], args.rows.split(",")):
            environments = write_environments(Path(temporary), list(itertools.islice(seeds, args.count)))
            found = rates[f"{engine} {row}"] = rate(environments, engine, row)
            goal = GOALS[engine, row]
            met = "met" if found >= goal else "MISSED"
            print(f"{f'{engine}, {row}':<24}{found:>9.1f}   >= {goal:g} {met}", file=sys.stderr)
    if args.json:
        print(json.dumps(rates))


if __name__ == "__main__":
    main()
