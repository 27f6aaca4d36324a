"""Runs summary.py or settle.py on fresh CSV files; the wanted results come from the rows before they were written."""

import csv
import io
import json
import sys
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path

sys.path.insert(0, "/tests/kit")
import grade

EXPECT = json.loads(Path("/tests/expect.json").read_text())
PLACE = EXPECT["place"]
NAMES = ["north", "South", "south", "north, upper", 'the "old" one', "two\nlines", "Île", "", " east "]


def write_csv(header, rows, blank_lines=False):
    """CSV text and the line on which each row begins."""
    text, lines = "", []
    for row in [header, *rows]:
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerow(row)
        lines.append(text.count("\n") + 1)
        text += out.getvalue() + ("\n" if blank_lines and len(lines) % 7 == 3 else "")
    return text, lines[1:]


def draw_summary(rng, count):
    columns = [PLACE, "status", "amount", "note", "id"]
    rng.shuffle(columns)
    good = ["10", "0.1", "0.2", "12.50", "-3", "-0.05", "", " 7.5 ", "99999999999.99", "007"]
    bad = ["1,50", "1.234", "1e3", "+5", ".5", "5.", "x", "--1", "nan", "1_0", "\u0661", "1 0"]
    rows = []
    for number in range(count):
        status = rng.choice(["paid", "PAID", " Paid", "open", "unpaid", "paid out", ""])
        amount = rng.choice(bad) if rng.random() < 0.2 else rng.choice(good)
        note = rng.choice(["", "a, b", 'say "paid"', "line\nbreak", "paid"])
        rows.append(
            {
                PLACE: rng.choice(NAMES),
                "status": status,
                "amount": amount,
                "note": note,
                "id": number,
                "bad": amount in bad,
            }
        )
    return columns, rows


def want_summary(rows):
    regions = {}
    for row in rows:
        if not row["bad"] and row["status"].strip().lower() == "paid":
            entry = regions.setdefault(row[PLACE].strip() or "unknown", {"orders": 0, "total": Decimal(0)})
            entry["orders"] += 1
            entry["total"] += Decimal(row["amount"].strip() or "0")
    shown = {name: {"orders": e["orders"], "total": f"{e['total']:.2f}"} for name, e in regions.items()}
    return {"rows": len(rows), "skipped": sum(row["bad"] for row in rows), PLACE + "s": shown}


def summary(g, rng):
    program = grade.read_text("/app/summary.py", 200_000)
    for number, count in enumerate([0, 1, 30, 800]):
        columns, rows = draw_summary(rng, count)
        text, _ = write_csv(columns, [[row[column] for column in columns] for row in rows])
        with g.case(f"summary of file {number}"):
            cwd = grade.scratch({"summary.py": program, "my input.csv": text})
            ran = grade.run(["/usr/bin/python3", "summary.py", "my input.csv", "out.json"], cwd=cwd, timeout=30)
            grade.need(ran.code == 0, f"it ended with status {ran.code}: {ran.err[-200:]!r}")
            got, want = grade.load_json(f"{cwd}/out.json"), want_summary(rows)
            grade.need(isinstance(got, dict), "OUTPUT is no JSON object")
            for key in want:
                grade.need(got.get(key) == want[key], f"{key} is wrong: {str(got.get(key))[:150]}")
            grade.need(set(got) == set(want), f"OUTPUT has the keys {sorted(got)}")


def draw_orders(rng, count):
    rows = []
    for _ in range(count):
        version = rng.choice(
            ["1", "2", "2", "9", "10", "010", "v2", "", "1.0", "-1"] if rng.random() < 0.3 else ["1", "2", "9", "10"]
        )
        amount = (
            rng.choice(["5,0", "-1", "", "1.234", "x"])
            if rng.random() < 0.1
            else rng.choice(["0", "8", "16", "80", "0.50", "19.99", "100.1"])
        )
        row = [f"A{rng.randrange(max(1, count // 2))}", version, rng.choice(NAMES), amount]
        rows.append([*row, "more"] if rng.random() < 0.05 else row[:3] if rng.random() < 0.05 else row)
    return rows


def draw_refunds(rng, count):
    amounts = ["1", "2.5", "9.99", "0.01", "40", "", "-1"]
    return [[f"A{rng.randrange(count)}", rng.choice(amounts)] for _ in range(count)]


def plain_amount(text):
    whole, point, cents = text.partition(".")
    fine = (
        whole.isascii() and whole.isdigit() and (not point or (cents.isascii() and cents.isdigit() and len(cents) <= 2))
    )
    return Decimal(text) if fine else None


def want_settle(orders, order_lines, refunds, refund_lines):
    rejects, best, back = [["file", "line", "reason"]], {}, {}
    for row, line in zip(orders, order_lines, strict=True):
        if len(row) != 4:
            rejects.append(["orders", str(line), "columns"])
        elif not (row[1].isascii() and row[1].isdigit()):
            rejects.append(["orders", str(line), "version"])
        elif plain_amount(row[3]) is None:
            rejects.append(["orders", str(line), "amount"])
        elif row[0] not in best or int(row[1]) >= best[row[0]][0]:
            best[row[0]] = (int(row[1]), row[2], plain_amount(row[3]))
    for row, line in zip(refunds, refund_lines, strict=True):
        amount = plain_amount(row[1]) if len(row) == 2 else None
        reason = (
            "columns" if len(row) != 2 else "amount" if amount is None else "" if row[0] in best else "unknown order"
        )
        if not reason and back.get(row[0], 0) + amount > best[row[0]][2]:
            reason = "too much"
        if reason:
            rejects.append(["refunds", str(line), reason])
        else:
            back[row[0]] = back.get(row[0], 0) + amount
    sums = {}
    for order, (_, place, amount) in best.items():
        count, gross, refunded = sums.get(place, (0, Decimal(0), Decimal(0)))
        sums[place] = (count + 1, gross + amount, refunded + back.get(order, 0))
    rows = [[PLACE, "orders", "gross", "refunded", "net", "rate"]]
    for place in sorted(sums, key=lambda name: (sums[name][2] - sums[name][1], name)):
        count, gross, refunded = sums[place]
        rate = str((100 * refunded / gross).quantize(Decimal("0.1"), ROUND_HALF_EVEN)) if gross else "n/a"
        rows.append([place, str(count), f"{gross:.2f}", f"{refunded:.2f}", f"{gross - refunded:.2f}", rate])
    return rows, rejects


def parse(path):
    text = grade.read_text(path)
    grade.need(text is not None, f"{Path(path).name} is no plain text file")
    return list(csv.reader(io.StringIO(text.replace("\r\n", "\n"), newline="")))


def settle(g, rng):
    program = grade.read_text("/app/settle.py", 200_000)
    ties = ([["T", "1", "tie", "80"], ["U", "1", "even", "80"]], [["T", "0.20"], ["U", "0.04"]])
    drawn = [(draw_orders(rng, n), draw_refunds(rng, n)) for n in (3, 60, 600)]
    drawn[1][1].insert(5, ["A1", "1", "1"])
    for number, (orders, refunds) in enumerate([([], []), ties, *drawn]):
        order_text, order_lines = write_csv(["id", "version", PLACE, "amount"], orders, True)
        refund_text, refund_lines = write_csv(["id", "amount"], refunds, number % 2 == 0)
        rows, rejects = want_settle(orders, order_lines, refunds, refund_lines)
        with g.case(f"settlement {number}"):
            cwd = grade.scratch({"settle.py": program, "o.csv": order_text, "r.csv": refund_text})
            argv = ["/usr/bin/python3", "settle.py", "o.csv", "r.csv", "out.csv", "rejects.csv"]
            ran = grade.run(argv, cwd=cwd, timeout=30)
            grade.need(ran.code == 0, f"it ended with status {ran.code}: {ran.err[-200:]!r}")
            got = parse(f"{cwd}/rejects.csv")
            odd = next(
                (pair for pair in zip(got, rejects, strict=False) if pair[0] != pair[1]), (len(got), len(rejects))
            )
            grade.need(got == rejects, f"REJECTS differs: got, wanted {odd}")
            got = parse(f"{cwd}/out.csv")
            odd = next((pair for pair in zip(got, rows, strict=False) if pair[0] != pair[1]), (len(got), len(rows)))
            grade.need(got == rows, f"OUTPUT differs: got, wanted {odd}")


def main():
    g = grade.Grade()
    name = "/app/summary.py" if EXPECT["level"] == 2 else "/app/settle.py"
    there = grade.read_text(name, 200_000) is not None
    g.check("is a plain program", there, f"{name} is no plain text file")
    if there:
        (summary if EXPECT["level"] == 2 else settle)(g, grade.rng(EXPECT["seed"]))
    g.finish()


main()
