"""The whole gate over every family and level of a domain; the table goes into the docs.

    python bench/gate_all.py --domain swe [--seed 1] [--levels 0,1,2,3,4] [--jobs N] [--engine auto] [--out FILE]

The environments are written to runs/gate-all/DOMAIN and judged by `envwheel check --resume`, so that an interrupted run
goes on where it was; the evidence lies beside them, in runs/gate-all/DOMAIN-evidence.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

import calls

from envwheel.api import Family
from envwheel.domains import Domains

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("empty", "reference", "attack", "mutant", "alternative")


def table(verdicts: list[dict], written: dict[str, tuple[Family, int, int]], evidence: Path) -> str:
    """The verdicts as Markdown: rewards as lowest..highest of each kind of trial."""
    lines = [
        "| family | level | verdict | untouched | reference | attacks | mutants | alternatives | seconds |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    order = {name: (family.id, level) for name, (family, level, _) in written.items()}
    for verdict in sorted(verdicts, key=lambda each: order[each["name"]]):
        family, level, _ = written[verdict["name"]]
        file = evidence / f"{verdict['name']}.evidence.json"
        trials = [trial for step in json.loads(file.read_text())["steps"] for trial in step["trials"]]
        cells = [_rewards([trial["reward"] for trial in trials if trial["kind"] == kind]) for kind in KINDS]
        word = verdict["verdict"] + (f" `{verdict['code']}`" if verdict["code"] else "")
        lines.append(f"| `{family.id}` | {level} | {word} | {' | '.join(cells)} | {verdict['seconds']:.0f} |")
    return "\n".join(lines)


def _rewards(rewards: list[float | None]) -> str:
    if not rewards:
        return "-"
    numbers = [reward for reward in rewards if reward is not None]
    if not numbers:
        return f"{len(rewards)} without a reward"
    low, high = min(numbers), max(numbers)
    span = f"{low:g}" if low == high else f"{low:g}..{high:g}"
    return f"{span} ({len(rewards)})"


def main() -> None:
    """Write the pool, judge it, write the table; exit 1 when a verdict is not `ok`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--domain", default="swe")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--levels", default="0,1,2,3,4")
    # Trials of services wait more than they work.
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1))
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    levels = {int(level) for level in args.levels.split(",")}
    pool = ROOT / "runs" / "gate-all" / args.domain
    pool.mkdir(parents=True, exist_ok=True)
    families = Domains.load([args.domain]).families(args.domain)
    wanted = [(family, level, args.seed) for family in families for level in sorted(levels & set(family.levels))]
    written = dict(zip(calls.write(args.domain, wanted, pool), wanted, strict=True))
    evidence = pool.with_name(f"{args.domain}-evidence")
    options = ["--domain", args.domain, "--engine", args.engine, "--jobs", str(args.jobs), "--resume"]
    verdicts = calls.check([pool], *options, "--out", str(evidence))
    verdicts = [verdict for verdict in verdicts if verdict["name"] in written]
    good = sum(verdict["verdict"] == "ok" for verdict in verdicts)
    text = (
        f"# The gate over the procedural families of `{args.domain}`\n\n"
        f"Written by `make gate-all DOMAIN={args.domain}` (seed {args.seed}): {good} of {len(verdicts)} environments "
        "pass every step. Cells: lowest..highest reward (number of trials). The untouched state and every attack must "
        "end at 0, the reference and every alternative at 1, every mutant below 1.\n\n"
        f"{table(verdicts, written, evidence)}\n"
    )
    out = args.out or ROOT / "docs" / f"gate-{args.domain}.md"
    out.write_text(text)
    print(text)
    sys.exit(0 if good == len(verdicts) else 1)


if __name__ == "__main__":
    main()
