"""Last quarter's deck and the workbook that it has to follow now: the model behind level 4 of `sales_deck`."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date
from typing import Any

from envwheel_office.books import book
from envwheel_office.decks import add, add_chart, add_table, house
from envwheel_office.facts import REGIONS, Names, mail
from envwheel_office.papers import packed

METHOD = (
    "Sales are net of returns and without tax",
    "A sale counts in the quarter of its delivery",
    "Sales between our own firms are left out",
)
NONE = "n/a"


@dataclass(slots=True)
class Quarter:
    """The third quarter of `year`. `rows` are the workbook's: region as it is written, quarter, amount in EUR, status.

    `before`: what last quarter's deck says, region -> the amounts of Q1 and Q2, None where there is none.
    """

    year: int
    person: str
    rows: list[tuple[str, str, int, str]]
    before: dict[str, list[int | None]]

    @property
    def amounts(self) -> dict[str, list[int | None]]:
        """Region -> its three quarters, the largest third quarter first."""
        found: dict[str, list[int | None]] = {}
        names = {name.casefold(): name for name in self.before}
        for region, quarter, amount, status in self.rows:
            if status != "replaced":
                row = found.setdefault(names[region.strip().casefold()], [None, None, None])
                at = int(quarter[1]) - 1
                row[at] = (row[at] or 0) + amount
        return dict(sorted(found.items(), key=lambda item: -(item[1][2] or 0)))

    def bullets(self) -> list[str]:
        """The summary of the third quarter."""
        return summary(self.amounts, 2)

    def table(self) -> list[list[Any]]:
        """The regions' figures in thousands."""
        return table(self.amounts)

    def workbook(self) -> bytes:
        """The workbook."""
        return book({"Sales": [["Region", "Quarter", "Amount", "Status"], *(list(row) for row in self.rows)]})

    def deck(self) -> bytes:
        """Last quarter's deck, on the figures that were known then."""
        made = house()
        add(made, "Opening", f"Sales Q2 {self.year}", [f"Figures as of 5 July {self.year}"])
        add(
            made, "Content", "Summary", summary(self.before, 1),
            notes=f"Figures as of 5 July {self.year}. Start with the change from Q1.",
        )  # fmt: skip
        slide = add(made, "Figure", "Quarters by region")
        series = [(f"Q{at + 1}", [thousands(row[at]) for row in self.before.values()]) for at in (0, 1)]
        add_chart(slide, list(self.before), series, "Sales in kEUR")
        slide = add(made, "Figure", "Regions")
        add_table(
            slide, [["Region", "Q1", "Q2", "Total"], *([shown(cell) for cell in row] for row in table(self.before))]
        )
        add(made, "Content", "Method", METHOD, notes="Only on request.")
        add(made, "Closing", "Contact", [self.person, mail(self.person)])
        return packed(made)


def thousands(amount: int | None) -> float | None:
    """Thousands of EUR."""
    return None if amount is None else round(amount / 1000, 1)


def shown(cell: object) -> str:
    """A cell as it is written."""
    return f"{cell:,.1f}" if isinstance(cell, float) else str(cell)


def table(amounts: dict[str, list[int | None]]) -> list[list[Any]]:
    """Rows of a table: region, quarters and their sum in thousands."""
    return [
        [region, *(NONE if one is None else thousands(one) for one in row), thousands(sum(one or 0 for one in row))]
        for region, row in amounts.items()
    ]


def summary(amounts: dict[str, list[int | None]], at: int) -> list[str]:
    """The bullet points on quarter `at` (0 is Q1)."""
    total = sum(row[at] or 0 for row in amounts.values())
    both = [row for row in amounts.values() if row[at] is not None and row[at - 1] is not None]
    change = sum(row[at] or 0 for row in both) / sum(row[at - 1] or 0 for row in both) - 1
    best = max(amounts, key=lambda region: amounts[region][at] or 0)
    return [
        f"Sales in Q{at + 1}: {total / 1000:,.1f} kEUR",
        f"Change from Q{at}: {change * 100:+.1f} %",
        f"Strongest region: {best}",
    ]


def draw_quarter(draw: random.Random) -> Quarter:
    """Five regions: one without a second quarter, one written in two ways, one whose second quarter was replaced."""
    while True:
        made = _draw(draw)
        thirds = [row[2] for row in made.amounts.values()]
        old, new = made.before, made.amounts
        changes = {text for text in (*summary(old, 1), *summary(new, 2)) if text.startswith("Change")}
        # Nobody is as strong as another, the strongest is another than before, and the order is not that of letters.
        unlike = summary(old, 1)[2] != summary(new, 2)[2] and list(new) != sorted(new) and len(changes) == 2
        if len(set(thirds)) == len(thirds) and unlike:
            return made


def _draw(draw: random.Random) -> Quarter:
    names = draw.sample(REGIONS, 5)
    closed, twice, mended = draw.sample(names, 3)

    def amount() -> int:
        return 100 * draw.randint(900, 4200)

    rows: list[tuple[str, str, int, str]] = []
    before: dict[str, list[int | None]] = {}
    for name in names:
        for quarter in ("Q1", "Q2", "Q3"):
            if name == closed and quarter == "Q2":
                continue
            if name == twice and quarter != "Q1":
                rows += [(name, quarter, amount(), "final"), (f"{name.upper()} ", quarter, amount(), "final")]
            elif name == mended and quarter == "Q2":
                old = amount()
                rows += [(name, quarter, old, "replaced"), (name, quarter, old + 100 * draw.randint(80, 400), "final")]
            else:
                rows.append((name, quarter, amount(), "final"))
        known = [sum(one[2] for one in rows if one[0].strip().casefold() == name.casefold() and one[1] == quarter
                     and not (one[3] == "final" and name == mended and quarter == "Q2")) or None
                 for quarter in ("Q1", "Q2")]  # fmt: skip
        before[name] = known
    draw.shuffle(rows)
    before = dict(sorted(before.items(), key=lambda item: -(item[1][1] or 0)))
    return Quarter(date(draw.choice((2020, 2021, 2022)), 10, 5).year, Names(draw).people(1)[0], rows, before)
