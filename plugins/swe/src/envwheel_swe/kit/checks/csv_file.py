"""Judges a count or a table that was made from orders.csv; recomputed here from a copy of its rows."""

import json
import sys
from pathlib import Path

sys.path.insert(0, "/tests/kit")
import grade

EXPECT = json.loads(Path("/tests/expect.json").read_text())


def wanted():
    rows = [row for row in EXPECT["rows"] if row["status"] in EXPECT["statuses"]]
    if EXPECT["target"].endswith("count.txt"):
        return f"{len(rows)}\n"
    sums = {}
    for row in rows:
        count, total = sums.get(row[EXPECT["place"]], (0, 0))
        sums[row[EXPECT["place"]]] = (count + 1, total + int(row["amount"]))
    order = sorted(sums, key=lambda name: (-sums[name][1], name))
    lines = [f"{EXPECT['place']},orders,total", *(f"{name},{sums[name][0]},{sums[name][1]}" for name in order)]
    return "\n".join(lines) + "\n"


def main():
    g = grade.Grade()
    text = grade.read_text(EXPECT["target"])
    g.check("is there", text is not None, f"{EXPECT['target']} is no plain text file")
    same = text is not None and text.replace("\r\n", "\n").rstrip("\n") == wanted().rstrip("\n")
    g.check("is right", same, f"{EXPECT['target']} does not hold what the orders say")
    g.finish()


main()
