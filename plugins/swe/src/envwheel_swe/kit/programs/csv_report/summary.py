"""summary.py INPUT OUTPUT: paid amounts by region."""

import csv
import json
import re
import sys
from decimal import Decimal

AMOUNT = re.compile(r"-?[0-9]+(\.[0-9]{1,2})?")


def summarise(rows):
    regions, count, skipped = {}, 0, 0
    for row in rows:
        count += 1
        amount = row["amount"].strip() or "0"
        if not AMOUNT.fullmatch(amount):
            skipped += 1
            continue
        if row["status"].strip().lower() != "paid":
            continue
        name = row["region"].strip() or "unknown"
        entry = regions.setdefault(name, {"orders": 0, "total": Decimal(0)})
        entry["orders"] += 1
        entry["total"] += Decimal(amount)
    shown = {name: {"orders": e["orders"], "total": f"{e['total']:.2f}"} for name, e in regions.items()}
    return {"rows": count, "skipped": skipped, "regions": shown}


def main():
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        result = summarise(csv.DictReader(file))
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(result, file, ensure_ascii=False, indent=2)


main()
