"""settle.py ORDERS REFUNDS OUTPUT REJECTS: what each region earned after refunds."""

import csv
import re
import sys
from decimal import ROUND_HALF_EVEN, Decimal

AMOUNT = re.compile(r"[0-9]+(\.[0-9]{1,2})?")


def records(path):
    """Pairs of the line on which a record starts and the record."""
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        header = next(reader)
        start = reader.line_num + 1
        for row in reader:
            if row:
                yield start, dict(zip(header, row, strict=False)) if len(row) == len(header) else None
            start = reader.line_num + 1


def read_orders(path, rejects):
    orders = {}
    for line, row in records(path):
        if row is None:
            rejects.append(("orders", line, "columns"))
        elif not row["version"].isascii() or not row["version"].isdigit():
            rejects.append(("orders", line, "version"))
        elif not AMOUNT.fullmatch(row["amount"]):
            rejects.append(("orders", line, "amount"))
        else:
            version = int(row["version"])
            if row["id"] not in orders or version >= orders[row["id"]][0]:
                orders[row["id"]] = (version, row["region"], Decimal(row["amount"]))
    return orders


def read_refunds(path, orders, rejects):
    refunded = {}
    for line, row in records(path):
        if row is None:
            rejects.append(("refunds", line, "columns"))
        elif not AMOUNT.fullmatch(row["amount"]):
            rejects.append(("refunds", line, "amount"))
        elif row["id"] not in orders:
            rejects.append(("refunds", line, "unknown order"))
        else:
            total = refunded.get(row["id"], Decimal(0)) + Decimal(row["amount"])
            if total > orders[row["id"]][2]:
                rejects.append(("refunds", line, "too much"))
            else:
                refunded[row["id"]] = total
    return refunded


def write(path, header, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def main():
    orders_path, refunds_path, output, rejects_path = sys.argv[1:]
    rejects = []
    orders = read_orders(orders_path, rejects)
    refunded = read_refunds(refunds_path, orders, rejects)
    regions = {}
    for order, (_, region, amount) in orders.items():
        entry = regions.setdefault(region, [0, Decimal(0), Decimal(0)])
        entry[0] += 1
        entry[1] += amount
        entry[2] += refunded.get(order, Decimal(0))
    rows = []
    for region, (count, gross, back) in regions.items():
        rate = (100 * back / gross).quantize(Decimal("0.1"), ROUND_HALF_EVEN) if gross else "n/a"
        rows.append((region, count, f"{gross:.2f}", f"{back:.2f}", f"{gross - back:.2f}", rate))
    rows.sort(key=lambda row: (-Decimal(row[4]), row[0]))
    write(output, ["region", "orders", "gross", "refunded", "net", "rate"], rows)
    write(rejects_path, ["file", "line", "reason"], rejects)


main()
