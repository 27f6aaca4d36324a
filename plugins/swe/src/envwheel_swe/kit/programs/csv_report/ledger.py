"""ledger.py FOLDER OUTPUT: one ledger out of bank exports in several dialects."""

import csv
import json
import re
import sys
from bisect import bisect_right
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path

FIELDS = ("date", "account", "reference", "amount", "currency")


def read_rates(path):
    """Currency -> sorted days and the rate of each."""
    rates = {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            rates.setdefault(row["currency"], []).append((row["date"], Decimal(row["rate"])))
    return {currency: sorted(pairs) for currency, pairs in rates.items()}


def parse_day(text, order):
    """ISO text of a day written in the order "ymd", "dmy" or "mdy"; None when it is wrong."""
    match = re.fullmatch(r"([0-9]+)([-/.])([0-9]+)\2([0-9]+)", text)
    if not match:
        return None
    parts = dict(zip(order, (match[1], match[3], match[4]), strict=True))
    if len(parts["y"]) != 4:
        return None
    try:
        return date(int(parts["y"]), int(parts["m"]), int(parts["d"])).isoformat()
    except ValueError:
        return None


def parse_amount(text, mark):
    """The amount with decimal mark `mark`; the other of . and , may group thousands. None if wrong."""
    group = re.escape("," if mark == "." else ".")
    number = rf"-?([0-9]+|[0-9]{{1,3}}({group}[0-9]{{3}})+)({re.escape(mark)}[0-9]{{1,2}})?"
    if not re.fullmatch(number, text):
        return None
    return Decimal(text.replace("," if mark == "." else ".", "").replace(mark, "."))


def convert(amount, currency, day, base, rates):
    """The amount in the base currency, rounded to cents; None without a rate on or before the day."""
    if currency == base:
        return amount.quantize(Decimal("0.01"))
    pairs = rates.get(currency, [])
    at = bisect_right(pairs, day, key=lambda pair: pair[0])
    if at == 0:
        return None
    return (amount * pairs[at - 1][1]).quantize(Decimal("0.01"), ROUND_HALF_EVEN)


def read_source(folder, source):
    """Pairs of the line on which a record starts and the record by our field names (None: wrong number of columns)."""
    with open(folder / source["file"], encoding=source["encoding"], newline="") as file:
        reader = csv.reader(file, delimiter=source["delimiter"])
        header = next(reader)
        start = reader.line_num + 1
        for row in reader:
            if row:
                named = dict(zip(header, row, strict=False))
                fields = {field: named.get(source["columns"][field], "").strip() for field in FIELDS}
                yield start, fields if len(row) == len(header) else None
            start = reader.line_num + 1


def judge(row, source, base, rates, seen):
    """(reason, None) or ("", (month, account, amount in the base currency))."""
    if row is None:
        return "columns", None
    day = parse_day(row["date"], source["day_order"])
    if day is None:
        return "date", None
    amount = parse_amount(row["amount"], source["decimal_mark"])
    if amount is None:
        return "amount", None
    value = convert(amount, row["currency"].upper(), day, base, rates)
    if value is None:
        return "rate", None
    key = (day, row["account"], row["reference"])
    if key in seen:
        return "duplicate", None
    seen.add(key)
    return "", (day[:7], row["account"], value)


def write(path, header, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def main():
    folder, output = Path(sys.argv[1]), Path(sys.argv[2])
    config = json.loads((folder / "sources.json").read_text("utf-8"))
    rates = read_rates(folder / "rates.csv")
    rejects, seen, months = [], set(), {}
    for source in config["sources"]:
        for line, row in read_source(folder, source):
            reason, found = judge(row, source, config["base"], rates, seen)
            if reason:
                rejects.append((source["file"], line, reason))
            else:
                entry = months.setdefault(found[:2], [0, Decimal(0)])
                entry[0] += 1
                entry[1] += found[2]
    output.mkdir(parents=True, exist_ok=True)
    rows = [(month, account, count, f"{total:.2f}") for (month, account), (count, total) in sorted(months.items())]
    write(output / "summary.csv", ["month", "account", "entries", "total"], rows)
    write(output / "rejects.csv", ["file", "line", "reason"], rejects)


main()
