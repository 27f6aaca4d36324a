"""Runs ledger.py on fresh folders of exports; the wanted ledger comes from the entries as they were drawn."""

import csv
import io
import json
import sys
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path

sys.path.insert(0, "/tests/kit")
import grade

EXPECT = json.loads(Path("/tests/expect.json").read_text())
FIELDS = ("date", "account", "reference", "amount", "currency")
ACCOUNTS = ["rent", "Food & drink", 'the "big" one', "travel; train", "Büro, oben", "x"]
BAD_DAYS = ["2023-02-30", "2023-13-01", "23-01-05", "2023-1", "2023-01/05", "", "soon", "02023-01-05"]
BAD_AMOUNTS = [
    "",
    "1e2",
    "+4",
    "1{g}23",
    "12{m}345",
    "{m}5",
    "5{m}",
    "1{g}0000",
    "12{g}34{m}00",
    "--2",
    "1 000",
    "1{g}000{g}00",
]


def write_day(rng, iso, order):
    year, month, day = iso.split("-")
    if rng.random() < 0.4:
        month, day = str(int(month)), str(int(day))
    mark = rng.choice("-/.")
    return mark.join({"y": year, "m": month, "d": day}[letter] for letter in order)


def write_amount(rng, value, mark):
    group = "," if mark == "." else "."
    text = f"{value:,.2f}" if rng.random() < 0.5 else f"{value:.2f}"
    if text.endswith("0") and rng.random() < 0.5:
        text = text[:-1] if not text.endswith("00") else text[:-3]
    return text.translate({ord(","): group, ord("."): mark})


def draw_entry(rng, source, number):
    """Fields as they are written, and (reason or None, day, currency, value) as they are meant."""
    day = f"2023-{rng.randint(1, 6):02d}-{rng.choice([1, 2, 14, 15, 28]):02d}"
    value = Decimal(rng.choice([0, 1, -5, 250, 1205, 10005, 99_999_999, -123_450, rng.randrange(10**6)])) / 100
    currency = rng.choice(["EUR", "USD", "CHF", "JPY"])
    fields = {
        "date": write_day(rng, day, source["day_order"]),
        "account": rng.choice(ACCOUNTS),
        "reference": f"R{rng.randrange(40)}" if rng.random() < 0.5 else f"{source['file']}-{number}\nnote",
        "amount": write_amount(rng, value, source["decimal_mark"]),
        "currency": rng.choice([currency, currency.lower(), f" {currency} "]),
    }
    reason = None
    if rng.random() < 0.1:
        reason = rng.choice(["date", "amount"])
        group = "," if source["decimal_mark"] == "." else "."
        amount = rng.choice(BAD_AMOUNTS).format(g=group, m=source["decimal_mark"])
        fields[reason] = rng.choice(BAD_DAYS) if reason == "date" else amount
        if reason == "date" and source["day_order"] == "ymd" and fields["date"] == "2023-01/05":
            fields["date"] = "2023-01/5"
    return fields, (reason, day, currency, value)


def draw_source(rng, number, rows):
    """A source's description, the bytes of its file, and its entries with the line on which each begins."""
    names = dict(zip(FIELDS, rng.sample(["when", "who", "Beleg", "sum", "cur", "Wert", "tag"], 5), strict=True))
    source = {
        "file": f"export {number}.csv",
        "encoding": rng.choice(["utf-8", "utf-8-sig", "latin-1", "utf-16"]),
        "delimiter": rng.choice([",", ";", "\t", "|"]),
        "decimal_mark": rng.choice(".,"),
        "day_order": rng.choice(["ymd", "dmy", "mdy"]),
        "columns": names,
    }
    order = [*rng.sample(FIELDS, 5), "extra"]
    text, entries = "", []

    def add(cells):
        nonlocal text
        out = io.StringIO()
        csv.writer(out, delimiter=source["delimiter"], lineterminator="\r\n" if number % 2 else "\n").writerow(cells)
        text += out.getvalue()

    add([names.get(field, "extra") for field in order])
    for at in range(rows):
        fields, meant = draw_entry(rng, source, at % 30)
        line = text.count("\n") + 1
        cells = [fields.get(field, rng.choice(["", "x"])) for field in order]
        if rng.random() < 0.04:
            cells, meant = rng.choice([cells[:-1], [*cells, ""]]), ("columns", *meant[1:])
        add(cells)
        entries.append((line, fields, meant))
        text += "\n" if rng.random() < 0.05 else ""
    return source, text.encode(source["encoding"]), entries


def rate_on(rates, currency, day):
    known = [pair for pair in rates if pair[0] == currency and pair[1] <= day]
    return max(known, key=lambda pair: pair[1])[2] if known else None


def want(sources, rates):
    rejects, months, seen = [["file", "line", "reason"]], {}, set()
    for source, entries in sources:
        for line, fields, (reason, day, currency, value) in entries:
            rate = Decimal(1) if currency == "EUR" else rate_on(rates, currency, day)
            key = (day, fields["account"].strip(), fields["reference"].strip())
            reason = reason or ("rate" if rate is None else "duplicate" if key in seen else None)
            if reason:
                rejects.append([source["file"], str(line), reason])
                continue
            seen.add(key)
            count, total = months.get((day[:7], key[1]), (0, Decimal(0)))
            cents = (value * rate).quantize(Decimal("0.01"), ROUND_HALF_EVEN)
            months[day[:7], key[1]] = (count + 1, total + cents)
    rows = [["month", "account", "entries", "total"]]
    rows += [[*key, str(count), f"{total:.2f}"] for key, (count, total) in sorted(months.items())]
    return rows, rejects


def parse(path):
    text = grade.read_text(path)
    grade.need(text is not None, f"{Path(path).name} is no plain text file")
    return list(csv.reader(io.StringIO(text.replace("\r\n", "\n"), newline="")))


def differ(got, wanted):
    odd = next((pair for pair in zip(got, wanted, strict=False) if pair[0] != pair[1]), (len(got), len(wanted)))
    return f"got, wanted {odd}"


def main():
    g = grade.Grade()
    rng = grade.rng(EXPECT["seed"])
    program = grade.read_text("/app/ledger.py", 200_000)
    g.check("is a plain program", program is not None, "/app/ledger.py is no plain text file")
    for number, sizes in enumerate([[0], [12, 5], [60, 40, 80], [500, 300, 200, 100]] if program is not None else []):
        drawn = [draw_source(rng, at, rows) for at, rows in enumerate(sizes)]
        days = [f"2023-{month:02d}-{day:02d}" for month in range(1, 7) for day in (2, 15)]
        rates = [
            (cur, day, Decimal(rng.randrange(5000, 15000)) / 10**4)
            for cur in ("USD", "CHF", "JPY")
            for day in rng.sample(days, 5)
        ]
        if number:
            rates = [pair for pair in rates if pair[0] != "JPY" or pair[1] > "2023-03-01"]
        lines = "".join(f"{cur},{day},{rate}\n" for cur, day, rate in rates)
        files = {f"in/{source['file']}": data for source, data, _ in drawn} | {
            "in/rates.csv": "currency,date,rate\n" + lines
        }
        files["in/sources.json"] = json.dumps({"base": "EUR", "sources": [source for source, _, _ in drawn]})
        rows, rejects = want([(source, entries) for source, _, entries in drawn], rates)
        with g.case(f"folder {number}"):
            cwd = grade.scratch({**files, "ledger.py": program})
            ran = grade.run(["/usr/bin/python3", "ledger.py", "in", "new/out"], cwd=cwd, timeout=30)
            grade.need(ran.code == 0, f"it ended with status {ran.code}: {ran.err[-200:]!r}")
            got = parse(f"{cwd}/new/out/rejects.csv")
            grade.need(got == rejects, f"rejects.csv differs: {differ(got, rejects)}")
            got = parse(f"{cwd}/new/out/summary.csv")
            grade.need(got == rows, f"summary.csv differs: {differ(got, rows)}")
    g.finish()


main()
