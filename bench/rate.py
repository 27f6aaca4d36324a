"""How many environments a minute? Tiny ones with a separate verifier, on every engine.

    python bench/rate.py [--count 8] [--engine docker] [--engine namespace] [--rows trials,gate] [--json]

Row `trials`: untouched state once and reference three times (`trials.py`), nothing else. Row `gate`: `envwheel check`
with the whole battery and the mutants that need no domain. The environments are of level 0 of a family of `swe`, other
ones in every row. Goals on two cores: 20 and 5 a minute on docker, 100 and 30 on namespace.
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

import calls
import trials

from envwheel.domains import Domains

DOMAIN, FAMILY, LEVEL = "swe", "file_links", 0
GOALS = {
    ("docker", "trials"): 20.0,
    ("docker", "gate"): 5.0,
    ("namespace", "trials"): 100.0,
    ("namespace", "gate"): 30.0,
}
"""Environments a minute."""
ROWS = ("trials", "gate")


def rate(environments: Sequence[Path], engine: str, row: str) -> float:
    """Environments a minute, process start included."""
    start = time.monotonic()
    if row == "trials":
        subprocess.run([sys.executable, trials.__file__, engine, *map(str, environments)], check=True)
    else:
        calls.check_all_ok(environments, "--engine", engine)
    return 60 * len(environments) / (time.monotonic() - start)


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=8, help="environments a row; three times as many on namespace")
    parser.add_argument("--engine", action="append", choices=["docker", "namespace"])
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rates: dict[str, float] = {}
    family = next(one for one in Domains.load([DOMAIN]).families(DOMAIN) if one.id == FAMILY)
    seeds = itertools.count(1)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    print(f"{'':<24}{'a minute':>9}   goal", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="envwheel-bench-") as temporary:
        for engine, row in itertools.product(args.engine or ["docker", "namespace"], args.rows.split(",")):
            count = args.count * (3 if engine == "namespace" else 1)
            wanted = [(family, LEVEL, seed) for seed in itertools.islice(seeds, count)]
            environments = list(calls.write(DOMAIN, wanted, Path(temporary)).values())
            found = rates[f"{engine} {row}"] = rate(environments, engine, row)
            goal = GOALS[engine, row]
            met = "met" if found >= goal else "MISSED"
            print(f"{f'{engine}, {row}':<24}{found:>9.1f}   >= {goal:g} {met}", file=sys.stderr)
    if args.json:
        print(json.dumps(rates))


if __name__ == "__main__":
    main()
