"""A register of invoices and what its ageing is: the model behind `invoice_ageing`."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from envwheel_office.facts import cents, codes, day, money

HEAD = ["Invoice", "Customer", "Issued", "Due", "Amount", "Paid"]
BUCKETS = ["Current", "1-30", "31-60", "61-90", "Over 90"]
AGEING = ["Customer", *BUCKETS, "Total"]


@dataclass(frozen=True, slots=True)
class Invoice:
    """One row of the register."""

    number: str
    customer: str
    issued: date
    due: date
    amount: float
    paid: float

    def row(self) -> list[Any]:
        """As it stands in the workbook."""
        return [self.number, self.customer, self.issued, self.due, self.amount, self.paid]

    @property
    def open(self) -> float:
        """What is still to pay, 0 when too much was paid."""
        return max(cents(self.amount - self.paid), 0.0)


def invoices(draw: random.Random, count: int, customers: list[str], as_of: date) -> list[Invoice]:
    """A register in order of number; some due dates lie on the edges of the buckets."""
    rows = []
    for number in codes(draw, "INV-", count):
        terms = draw.choice((14, 30, 45))
        due = day(draw, as_of - timedelta(days=150), as_of + timedelta(days=45))
        if draw.random() < 0.2:
            due = as_of - timedelta(days=draw.choice((0, 1, 30, 31, 60, 61, 90, 91)))
        amount = money(draw, 120, 9800)
        paid = draw.choice((0.0, 0.0, 0.0, amount, round(amount / 2, 2), round(amount + 25, 2)))
        rows.append(Invoice(number, draw.choice(customers), due - timedelta(days=terms), due, amount, paid))
    for index, late in enumerate((0, 30, 60, 90, 31, 61, 91)):
        old = rows[index]
        due = as_of - timedelta(days=late)
        rows[index] = Invoice(old.number, old.customer, due - timedelta(days=30), due, old.amount, 0.0)
    last = rows[7]
    rows[7] = Invoice(last.number, last.customer, last.issued, last.due, last.amount, round(last.amount + 25, 2))
    return rows


def bucket(late: int) -> int:
    """Which of `BUCKETS` a number of days belongs to."""
    return 0 if late <= 0 else min((late - 1) // 30 + 1, 4)


def ageing(rows: list[Invoice], as_of: date, customers: list[str]) -> list[list[Any]]:
    """A row per customer: the five buckets and their sum."""
    found = []
    for name in customers:
        sums = [0.0] * 5
        for row in rows:
            if row.customer == name:
                sums[bucket((as_of - row.due).days)] += row.open
        found.append([name, *map(cents, sums), cents(sum(sums))])
    return found


def total_row(rows: list[list[Any]]) -> list[Any]:
    """The sums of all columns but the first."""
    return ["Total", *(cents(sum(row[column] for row in rows)) for column in range(1, 7))]
