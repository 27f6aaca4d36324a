"""A workbook that computes sales by region and product, all right: the model behind `workbook_repair`."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from envwheel_office.books import book, grid
from envwheel_office.facts import PRODUCTS, REGIONS, money


@dataclass(slots=True)
class Report:
    """Sales rows are date, region, product, units; `prices` are product, price, cost."""

    regions: list[str]
    prices: list[tuple[str, float, float]]
    rows: list[tuple[date, str, str, int]]

    @property
    def last(self) -> int:
        """The last row of Sales."""
        return len(self.rows) + 1

    @property
    def products_end(self) -> int:
        """The last row of Prices."""
        return len(self.prices) + 1

    @property
    def total(self) -> int:
        """The row of Summary with the total of the regions."""
        return len(self.regions) + 2

    @property
    def first_product(self) -> int:
        """The first row of Summary with a product."""
        return self.total + 4

    @property
    def last_product(self) -> int:
        """The last one."""
        return self.first_product + len(self.prices) - 1

    def unlike(self, row: int) -> int:
        """A row of Sales with another product than `row`."""
        return next(y for y, sale in enumerate(self.rows, 2) if sale[2] != self.rows[row - 2][2])

    def book(self) -> bytes:
        """The workbook without its formulas."""
        return book(
            {
                "Prices": [["Product", "Price", "Cost"], *(list(row) for row in self.prices)],
                "Sales": [
                    ["Date", "Region", "Product", "Units", "Price", "Revenue"],
                    *(list(row) for row in self.rows),
                ],
                "Summary": [["Region", "Revenue", "Share", "Units"], *([name] for name in self.regions), ["Total"]],
            }
        )

    def cells(self) -> dict[str, dict[str, Any]]:
        """All its formulas."""
        n, m = self.last, self.products_end
        sales: dict[str, Any] = {}
        for y in range(2, n + 1):
            sales[f"E{y}"] = f"=INDEX(Prices!$B$2:$B${m},MATCH(C{y},Prices!$A$2:$A${m},0))"
            sales[f"F{y}"] = f"=D{y}*E{y}"
        by = "=SUMIFS(Sales!${0}$2:${0}${1},Sales!${2}$2:${2}${1},A{3})"
        summary: dict[str, Any] = {}
        for y in range(2, self.total):
            summary[f"B{y}"] = by.format("F", n, "B", y)
            summary[f"C{y}"] = f"=B{y}/B${self.total}"
            summary[f"D{y}"] = by.format("D", n, "B", y)
        for column in "BCD":
            summary[f"{column}{self.total}"] = f"=SUM({column}2:{column}{self.total - 1})"
        first, last, end = self.first_product, self.last_product, self.total - 1
        summary |= grid([["Product", "Revenue", "Cost", "Profit"]], f"A{first - 1}")
        for y, (name, _, _) in enumerate(self.prices, first):
            units = by.format("D", n, "C", y)
            summary[f"A{y}"], summary[f"B{y}"] = name, by.format("F", n, "C", y)
            summary[f"C{y}"] = f"{units}*INDEX(Prices!$C$2:$C${m},MATCH(A{y},Prices!$A$2:$A${m},0))"
            summary[f"D{y}"] = f"=B{y}-C{y}"
        summary[f"A{last + 1}"] = "All products"
        for column in "BCD":
            summary[f"{column}{last + 1}"] = f"=SUM({column}{first}:{column}{last})"
        summary |= grid(
            [
                ["Average sale", f"=AVERAGE(Sales!F2:F{n})"],
                ["Largest sale", f"=MAX(Sales!F2:F{n})"],
                ["Best region", f"=INDEX(A2:A{end},MATCH(MAX(B2:B{end}),B2:B{end},0))"],
                ["Margin", f"=D{last + 1}/B{last + 1}"],
            ],
            f"A{last + 4}",
        )
        return {"Sales": sales, "Summary": summary}


def draw_report(draw: random.Random, count: int) -> Report:
    """A report on a year's sales in which every region and every product occurs early and late."""
    regions = draw.sample(REGIONS, 5)
    prices = []
    for name in draw.sample(PRODUCTS, 4):
        price = money(draw, 30, 400)
        prices.append((name, price, round(price * draw.uniform(0.5, 0.8), 2)))
    when, rows = date(draw.choice((2021, 2022)), 1, 4), []
    for index in range(count):
        when += timedelta(days=draw.randint(0, 9))
        region = regions[index % 5] if index < 5 or index >= count - 5 else draw.choice(regions)
        rows.append((when, region, draw.choice(prices)[0], draw.randint(1, 40)))
    return Report(regions, prices, rows)
