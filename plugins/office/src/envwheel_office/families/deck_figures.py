"""Sales by region and quarter: the model behind levels 0 to 2 of `sales_deck`."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from envwheel_office.facts import REGIONS, Names

QUARTERS = ("Q1", "Q2", "Q3", "Q4")


@dataclass(slots=True)
class Figures:
    """Sales in EUR: region -> the amounts of the four quarters."""

    year: int
    person: str
    amounts: dict[str, list[int]]

    @property
    def total(self) -> int:
        """Of everything."""
        return sum(map(sum, self.amounts.values()))

    @property
    def best_region(self) -> str:
        """The one that sold most in the year."""
        return max(self.amounts, key=lambda region: sum(self.amounts[region]))

    @property
    def best_quarter(self) -> str:
        """The one in which most was sold."""
        sums = [sum(row[at] for row in self.amounts.values()) for at in range(4)]
        return QUARTERS[sums.index(max(sums))]

    @property
    def largest(self) -> tuple[str, str, int]:
        """Region, quarter and amount of the largest figure."""
        return max(
            ((region, QUARTERS[at], amount) for region, row in self.amounts.items() for at, amount in enumerate(row)),
            key=lambda item: item[2],
        )

    @property
    def bullets(self) -> list[str]:
        """The key figures."""
        return [
            f"Total sales: {self.total:,} EUR",
            f"Best region: {self.best_region}",
            f"Best quarter: {self.best_quarter}",
        ]

    def rows(self, total: bool = False) -> list[list[Any]]:
        """As a table with its header; `total`: with the sum of each region."""
        head = ["Region", *QUARTERS, *(["Total"] if total else [])]
        return [head] + [
            [region, *row, *([sum(row)] if total else [])] for region, row in self.amounts.items()
        ]  # fmt: skip


def draw_figures(draw: random.Random, regions: int) -> Figures:
    """Figures in which what is best is best by far, and stands nowhere at the edge."""
    names = draw.sample(REGIONS, regions)
    amounts = {name: [draw.randint(120_000, 480_000) for _ in QUARTERS] for name in names}
    strong, quarter = draw.choice(names[1:-1]), draw.randrange(1, 3)
    # The largest figure is another region's: who looks for it in the best one is wrong.
    other = draw.choice([name for name in names if name != strong])
    amounts[strong] = [draw.randint(490_000, 690_000) for _ in QUARTERS]
    for name in names:
        amounts[name][quarter] += draw.randint(90_000, 120_000)
    amounts[other][quarter] = draw.randint(820_000, 980_000)
    return Figures(draw.choice((2020, 2021, 2022)), Names(draw).people(1)[0], amounts)
