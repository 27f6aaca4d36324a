"""Filled claim forms from three branches, and what is decided on them: the model behind level 4 of `pdf_form`."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from envwheel_office.facts import Names, codes, day, money
from envwheel_office.forms import Entry, form

BRANCHES = {"Graz": "%d.%m.%Y", "Leeds": "%d/%m/%Y", "Boston": "%m/%d/%Y"}
"""How each branch writes dates; Graz writes amounts as 1.234,50, the others as 1,234.50."""
CENTRES = {"Graz": "4210 Graz", "Leeds": "4320 Leeds", "Boston": "4430 Boston"}
ITEMS = ("Hotel", "Train", "Flight", "Taxi", "Meals", "Parking", "Fee of the fair", "Car hire")
LINES = 4
CLAIM = (
    Entry("form", "Form", fixed=True),
    Entry("claim", "Claim no."),
    Entry("name", "Name"),
    Entry("branch", "Branch", "choice", ("-", *BRANCHES)),
    Entry("submitted", "Submitted on"),
    Entry("last_day", "Last day of travel"),
    *(entry for at in range(1, LINES + 1)
      for entry in (Entry(f"item_{at}", f"Item {at}"), Entry(f"amount_{at}", f"Amount {at} (EUR)"))),
    Entry("total", "Total (EUR)"),
    Entry("advance", "Advance received (EUR)"),
    Entry("receipts", "Receipts attached", "box"),
    Entry("signed", "Signed", "box"),
)  # fmt: skip
APPROVAL = (
    Entry("form", "Form", fixed=True),
    Entry("claim", "Claim no."),
    Entry("name", "Name"),
    Entry("cost_centre", "Cost centre", "choice", ("-", *CENTRES.values())),
    Entry("submitted", "Submitted on"),
    Entry("total", "Total (EUR)"),
    Entry("advance", "Advance received (EUR)"),
    Entry("to_pay", "To pay (EUR)"),
    Entry("advance_paid", "There was an advance", "box"),
    Entry("approver", "Approved by", fixed=True),
)
LATE, SMALL = 30, 100.0


@dataclass(frozen=True, slots=True)
class Sent:
    """A claim form as it came in. `stated` is the total that it says, which may be wrong."""

    number: str
    name: str
    branch: str
    submitted: date
    last: date
    items: tuple[tuple[str, float], ...]
    advance: float = 0.0
    receipts: bool = True
    signed: bool = True
    stated: float | None = None

    @property
    def total(self) -> float:
        """The sum of its items."""
        return round(sum(amount for _, amount in self.items), 2)

    @property
    def decision(self) -> str:
        """By the policy."""
        if not self.signed:
            return "unsigned"
        if not self.receipts and self.total > SMALL:
            return "no receipts"
        return "late" if (self.submitted - self.last).days > LATE else "approved"

    def pdf(self) -> bytes:
        """The filled form."""
        shape = BRANCHES[self.branch]
        values = {
            "form": "T-7 / 2023", "claim": self.number, "name": self.name, "branch": self.branch,
            "submitted": self.submitted.strftime(shape), "last_day": self.last.strftime(shape),
            "total": self._amount(self.total if self.stated is None else self.stated),
            "advance": self._amount(self.advance) if self.advance else "",
            "receipts": "Yes" if self.receipts else "Off", "signed": "Yes" if self.signed else "Off",
        }  # fmt: skip
        for at, (item, amount) in enumerate(self.items, 1):
            values |= {f"item_{at}": item, f"amount_{at}": self._amount(amount)}
        return form("Travel expenses", CLAIM, values, foot=f"Branch {self.branch}")

    def _amount(self, value: float) -> str:
        text = f"{value:,.2f}"
        return text.translate(str.maketrans(",.", ".,")) if self.branch == "Graz" else text

    def approval(self) -> dict[str, str]:
        """What its approval holds."""
        return {
            "claim": self.number, "name": self.name, "cost_centre": CENTRES[self.branch],
            "submitted": f"{self.submitted:%d.%m.%Y}", "total": f"{self.total:,.2f}", "advance": f"{self.advance:,.2f}",
            "to_pay": f"{self.total - self.advance:,.2f}", "advance_paid": "Yes" if self.advance else "Off",
        }  # fmt: skip


@dataclass(slots=True)
class Inbox:
    """All that came, in the order of their files, and what counts of it."""

    sent: list[Sent]
    approver: str

    @property
    def counted(self) -> list[Sent]:
        """The last version of each claim, by number."""
        last: dict[str, Sent] = {}
        for one in sorted(self.sent, key=lambda one: one.submitted):
            last[one.number] = one
        return [last[number] for number in sorted(last)]

    @property
    def approved(self) -> list[Sent]:
        """Those that are approved."""
        return [one for one in self.counted if one.decision == "approved"]

    def rows(self) -> list[list[Any]]:
        """The register."""
        return [[one.number, one.name, one.branch, one.submitted, one.total, one.decision] for one in self.counted]

    def blank(self) -> bytes:
        """The approval form."""
        values = {"form": "A-3 / 2023", "approver": self.approver, "cost_centre": "-"}
        return form("Approval of travel expenses", APPROVAL, values, foot="Amounts in euros, dates as 31.12.2023.")


def draw_inbox(draw: random.Random) -> Inbox:
    """Nine claims, two of them sent twice, so that each rule decides on one of them."""
    names = Names(draw)
    people, numbers = names.people(10), codes(draw, "EC-", 9)
    draw.shuffle(numbers)

    def items(low: float, high: float, count: int) -> tuple[tuple[str, float], ...]:
        return tuple((item, money(draw, low, high)) for item in draw.sample(ITEMS, count))

    def made(
        at: int, branch: str, low: float = 60, high: float = 480, count: int = 3, days: int = 9, **more: Any
    ) -> Sent:
        last = day(draw, date(2023, 2, 13), date(2023, 9, 20))
        submitted = last + timedelta(days=days)
        return Sent(numbers[at], people[at], branch, submitted, last, items(low, high, count), **more)

    # Dates that turn round when day and month are taken for each other: 11 April is before 9 May, 4 November is not
    # before 5 September.
    month = draw.randint(3, 8)
    early, late = date(2023, month, draw.randint(10, 12)), date(2023, month + 1, draw.randint(5, 8))
    twice = replace(made(2, "Boston"), submitted=early, last=date(2023, month, 9), advance=50.0)
    again = replace(twice, submitted=late, items=items(80, 600, 4))
    withdrawn = made(7, "Leeds")
    sent = [
        made(0, "Graz", 1100, 1900, 2, advance=float(draw.randint(2, 9) * 100)),
        replace(wrong := made(1, "Leeds", count=4), stated=round(wrong.total - wrong.items[-1][1], 2)),
        twice,
        again,
        made(3, "Leeds", signed=False, receipts=False),
        made(4, "Graz", 70, 300, receipts=False),
        made(5, "Boston", 9, 48, 2, receipts=False),
        made(6, "Graz", days=draw.randint(LATE + 1, LATE + 9)),
        withdrawn,
        replace(withdrawn, submitted=withdrawn.submitted + timedelta(days=4), signed=False),
        made(8, "Leeds", days=LATE, advance=float(draw.randint(4, 12) * 10)),
    ]
    draw.shuffle(sent)
    return Inbox(sent, people[9])
