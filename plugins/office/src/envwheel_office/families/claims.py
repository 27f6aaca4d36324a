"""Travel claims and their form: the model behind `pdf_form`."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from envwheel_office.facts import Names, codes, day, money
from envwheel_office.forms import Entry, form

DEPARTMENTS = {"SAL": "Sales", "FIN": "Finance", "LOG": "Logistics", "RES": "Research", "LEG": "Legal"}
WAYS = {"T": "Train", "C": "Car", "P": "Plane"}
PURPOSES = (
    "Visit to a customer", "Trade fair", "Training", "Audit of a supplier", "Opening of a depot", "Board meeting",
)  # fmt: skip
TITLE = "Travel expenses"
ENTRIES = (
    Entry("form", "Form", fixed=True),
    Entry("claim", "Claim no."),
    Entry("name", "Name"),
    Entry("department", "Department", "choice", ("-", *DEPARTMENTS.values())),
    Entry("cost_centre", "Cost centre"),
    Entry("start", "First day"),
    Entry("end", "Last day"),
    Entry("purpose", "Purpose"),
    Entry("way", "Travelled by", "radio", tuple(WAYS.values())),
    Entry("amount", "Amount (EUR)"),
    Entry("advance", "Advance paid", "box"),
    Entry("receipts", "Receipts attached", "box"),
    Entry("office", "Send to", fixed=True),
)
OFFICE = "Travel office, room 214"


@dataclass(slots=True)
class Claim:
    """A travel claim. `first` and `last` names apart; `way` is a key of WAYS."""

    number: str
    first: str
    last: str
    department: str
    centre: str
    start: date
    end: date
    purpose: str
    way: str
    amount: float
    advance: bool
    receipts: bool

    @property
    def name(self) -> str:
        """As the form asks for it."""
        return f"{self.last}, {self.first}"

    def values(self, write: Callable[[date], str] = lambda day: f"{day:%d.%m.%Y}") -> dict[str, str | bool]:
        """What the form holds of it; boxes are True or False."""
        return {
            "claim": self.number, "name": self.name, "department": DEPARTMENTS[self.department],
            "cost_centre": self.centre, "start": write(self.start), "end": write(self.end), "purpose": self.purpose,
            "way": WAYS[self.way], "amount": f"{self.amount:,.2f}", "advance": self.advance, "receipts": self.receipts,
        }  # fmt: skip


def asked(values: dict[str, str | bool]) -> dict[str, str]:
    """Values as a check and `forms.form` write them."""
    return {
        name: value if isinstance(value, str) else "Yes" if value else "Off"
        for name, value in values.items()
    }  # fmt: skip


def blank(number: str, values: dict[str, str] | None = None) -> bytes:
    """The form, empty but for what is fixed and for `values`."""
    told = {"form": number, "office": OFFICE, "department": "-", "way": "", **(values or {})}
    return form(TITLE, ENTRIES, told, foot="One form for each journey. Amounts in euros.")


def draw_claims(draw: random.Random, count: int) -> list[Claim]:
    """Claims with different numbers, names and amounts; boxes and ways of all kinds."""
    people = Names(draw).people(count)
    ways, found = list(WAYS), []
    for at, number in enumerate(codes(draw, "EC-", count)):
        first, last = people[at].split(" ", 1)
        start = day(draw, date(2023, 1, 9), date(2023, 10, 20))
        found.append(
            Claim(
                number, first, last, draw.choice(list(DEPARTMENTS)), str(draw.randint(4100, 4990)), start,
                start + timedelta(days=draw.randint(1, 6)), draw.choice(PURPOSES), ways[at % 3],
                money(draw, 1050, 2900) if at % 2 == 0 else money(draw, 60, 900), at % 2 == 1, at % 3 != 1,
            )
        )  # fmt: skip
    return found
