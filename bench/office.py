"""How long the verifier of an office environment takes, in a verifier box that is there and has graded once.

    python bench/office.py [--engine namespace] [--rounds 5] [--json]

Three environments: a workbook with tables, formulas, metamorphic runs, marks and a chart (`budget_variance`, level 3),
a redline (`redline`, level 2), and a sum whose formula the two light engines cannot do, so that LibreOffice is asked
(`invoice_ageing`, level 0). Goals: 1 s without LibreOffice, 4 s with.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from pathlib import Path

from envwheel.domains import Domains
from envwheel.environment import draft
from envwheel.environment.folder import read
from envwheel.prepare import base_images
from envwheel.sandbox.base import Engine, Shell
from envwheel.sandbox.engines import open_engine
from envwheel.trial import ScriptWork, Stage, build_images, inline, solution_work

DOMAIN = "office"
LIGHT_S, LIBREOFFICE_S = 1.0, 4.0
ASKS_LIBREOFFICE = """/usr/bin/python3 - <<'PY'
from openpyxl import load_workbook
book = load_workbook("/app/invoices.xlsx")
book["Invoices"]["H1"] = "=SUMPRODUCT((MONTH(C2:C15)>0)*E2:E15)"
book.save("/app/total.xlsx")
PY
"""
CASES = (
    ("a workbook", "budget_variance", 3, "", LIGHT_S),
    ("a redline", "redline", 2, "", LIGHT_S),
    ("a workbook, LibreOffice asked", "invoice_ageing", 0, ASKS_LIBREOFFICE, LIBREOFFICE_S),
)


def seconds(engine: Engine, domains: Domains, family: str, level: int, script: str, rounds: int) -> float:
    """Median seconds of a grading with reward 1. SystemExit when one has another."""
    made = next(one for one in domains.families(DOMAIN) if one.id == family).build(level, 7)
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder) / made.name
        task = read(draft.write(made, where, domains=[DOMAIN], kit=domains.kit(DOMAIN), proposer="procedural"))
        images = build_images(engine, task)
        try:
            stage = Stage(engine, task, images)
            work = ScriptWork("reference", "own", (inline(script),)) if script else solution_work(task)
            attempt = stage.attempt(work)
            if attempt.record.reward != 1.0:
                raise SystemExit(f"{made.name}: reward {attempt.record.reward}: {attempt.record.log_tail}")
            with engine.start(stage.spec("verifier")) as box:
                box.put(attempt.artifacts)
                root = box.shell(user="root")
                return statistics.median([_graded(root) for _ in range(rounds + 1)][1:])
        finally:
            for image in images.uses:
                engine.remove(image)


def _graded(root: Shell) -> float:
    started = time.monotonic()
    ran = root.run("cd /app && bash /tests/test.sh", timeout_s=240.0)
    if not ran.output.rstrip().endswith("reward 1.0"):
        raise SystemExit(f"no reward 1: {ran.output[-500:]}")
    return time.monotonic() - started


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="namespace", choices=["docker", "namespace"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    domains, found = Domains.load([DOMAIN]), {}
    engine = open_engine(args.engine)
    try:
        base_images(engine, domains)
        if not args.json:
            print(f"{args.engine}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}: seconds of a grading")
        for what, family, level, script, goal in CASES:
            found[what] = seconds(engine, domains, family, level, script, args.rounds)
            if not args.json:
                met = "met" if found[what] <= goal else "MISSED"
                print(f"{what:<32}{found[what]:6.2f}   <= {goal:g} {met}", flush=True)
    finally:
        engine.close()
    if args.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
