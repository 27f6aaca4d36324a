"""The environment that `envwheel new` writes: small, real, and passing the gate; a start to change into your own."""

from __future__ import annotations

from envwheel import api

IMAGE = "envwheel/base:bookworm"

INSTRUCTION = """\
Write `/app/totals.py`, which adds up orders. `python3 /app/totals.py` reads lines `CUSTOMER,CENTS` on standard input,
for example those of `/app/orders.csv`, and prints one line `CUSTOMER TOTAL` for each customer.

- CENTS is a whole number and may be negative (a refund).
- The customer with the highest total comes first; customers with equal totals are in alphabetical order.
- Empty lines are skipped. Without any order nothing is printed. The exit status is 0.

Use Python's standard library only. Only `/app/totals.py` is carried over to grading, where it runs on other orders.
"""

ORDERS = """\
ida,1250
jon,300
kaya,1975
ida,-250
lou,300

jon,45
"""

PROGRAM = """\
import sys

totals = {}
for line in sys.stdin:
    if line.strip():
        customer, cents = line.strip().split(",")
        totals[customer] = totals.get(customer, 0) + int(cents)
for customer in sorted(totals, key=lambda name: (-totals[name], name)):
    print(customer, totals[customer])
"""

SOLVE = f"""\
#!/bin/bash
set -e
cat > /app/totals.py <<'PY'
{PROGRAM}PY
"""

CHECK = '''\
"""Run the program on orders that the solver has not seen; what it should print is computed here, in another way."""

import sys
from collections import Counter

sys.path.insert(0, "/tests/kit")
import grade

PROGRAM = "/app/totals.py"


def wanted(orders):
    totals = Counter()
    for customer, cents in orders:
        totals[customer] += cents
    ranked = sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    return "".join(f"{customer} {total}\\n" for customer, total in ranked)


def program_prints_the_totals(orders, blank=""):
    text = blank.join(f"{customer},{cents}\\n" for customer, cents in orders)
    argv, files = ["/usr/bin/python3", "-I", "totals.py"], {"totals.py": program}
    ran = grade.run(argv, stdin=text.encode(), files=files, timeout=5)
    want = wanted(orders)
    grade.need(ran.code == 0, f"exit status {ran.code}: {ran.err[-200:]!r}")
    grade.need(ran.out == want.encode(), f"wanted {want[:200]!r}, got {ran.out[:200]!r}")


g = grade.Grade()
program = grade.read_text(PROGRAM) or ""
if g.check("the program is a plain text file", bool(program), f"no such text file: {PROGRAM}"):
    rng = grade.rng("orders", 1)
    names = ["ida", "jon", "kaya", "lou", "m.k", "noor", "ove", "pia"]
    with g.case("no orders"):
        program_prints_the_totals([])
    with g.case("equal totals"):
        program_prints_the_totals([("pia", 5), ("ida", 5), ("jon", 7), ("jon", -2)])
    with g.case("refunds"):
        program_prints_the_totals([("ida", -10), ("jon", 20), ("ida", -5), ("lou", 0)])
    with g.case("empty lines"):
        program_prints_the_totals([("ida", 1), ("jon", 2)], blank="\\n")
    with g.case("many orders"):
        program_prints_the_totals([(rng.choice(names), rng.randint(-500, 5000)) for _ in range(300)])
g.finish()
'''


def draft(name: str) -> api.Draft:
    """The skeleton as a draft called `name`."""
    return api.Draft(
        name=name,
        instruction=INSTRUCTION,
        files={"orders.csv": ORDERS},
        solution={"solve.sh": SOLVE},
        tests={"check.py": CHECK},
        artifacts=("/app/totals.py",),
        image=IMAGE,
        limits=api.Limits(memory_mb=256, agent_timeout_s=300.0, verifier_timeout_s=120.0),
    )
