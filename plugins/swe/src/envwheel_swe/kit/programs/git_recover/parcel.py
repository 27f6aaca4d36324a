"""Prices parcels: reads orders `ID WEIGHT ZONE` from standard input, prints a price for each, then the total."""

import sys

RATES = {"a": 390, "b": 490, "c": 890}
STEP = 60


def price(weight, zone):
    """The price of one parcel in cents."""
    cents = RATES[zone]
    cents += -(-weight // 500) * STEP
    return cents


def reduced(total, count):
    """The total with the discount for many parcels."""
    if count >= 10:
        total -= total * 5 // 100
    return total


def main():
    total = count = 0
    for line in sys.stdin:
        ident, weight, zone = line.split()
        cents = price(int(weight), zone)
        total += cents
        count += 1
        print(ident, cents)
    print("total", reduced(total, count))


main()
