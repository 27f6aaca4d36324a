"""A budget by department and month, the postings of a year, and what the comparison of the two is."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from envwheel_office.books import book, grid
from envwheel_office.facts import DEPARTMENTS, MONTHS, cents, money

HEAD = ["Department", "Budget", "Actual", "Variance", "Variance %"]
ACCOUNTS = ("Salaries", "Travel", "Licences", "Rent", "Consulting", "Supplies")


@dataclass(slots=True)
class Plan:
    """Budget and postings of one year. `aliases`: old names that postings use -> departments."""

    year: int
    departments: list[str]
    budget: dict[str, list[float]]
    postings: list[tuple[date, str, str, float]]
    income: list[str] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    excluded: str = ""

    def book(self, sheets: Sequence[str], month: int = 6) -> bytes:
        """The workbook with these sheets, in this order."""
        kind = {True: "Income", False: "Cost"}
        known: dict[str, list[list[Any]]] = {
            "Settings": [["Month", month], ["Year", self.year], ["Tolerance", 0.05]],
            "Departments": [["Department", "Kind"], *([name, kind[name in self.income]] for name in self.departments)],
            "Renamed": [["Old name", "Department"], *(list(pair) for pair in self.aliases.items())],
            "Budget": [["Department", *MONTHS], *([name, *self.budget[name]] for name in self.departments)],
            "Actuals": [["Date", "Department", "Account", "Amount"], *(list(row) for row in self.postings)],
        }
        return book({name: known[name] for name in sheets}, plain=["Settings"])

    def actual(self, name: str, month: int) -> float:
        """What was posted to a department from January to `month`."""
        return cents(
            sum(
                amount
                for when, department, account, amount in self.postings
                if self.aliases.get(department, department) == name and when.month <= month and account != self.excluded
            )
        )

    def rows(self, month: int, total: bool = False) -> list[list[Any]]:
        """The comparison; "n/a" where there is no budget."""
        found: list[list[Any]] = []
        for name in self.departments:
            found.append([name, cents(sum(self.budget[name][:month])), self.actual(name, month)])
        if total:
            found.append(["Total", *(cents(sum(row[x] for row in found)) for x in (1, 2))])
        for row in found:
            gap = cents(row[2] - row[1])
            row += [gap, gap / row[1] if row[1] else "n/a"]
        return found

    def formulas(
        self,
        *,
        other: bool = False,
        month: str = "Settings!$B$1",
        blank: bool = True,
        total: bool = False,
        first: int = 1,
    ) -> dict[str, Any]:
        """The comparison as formulas from row `first`; `other` says it in other functions."""
        n, m = len(self.departments) + 1, len(self.postings) + 1
        rows: list[list[Any]] = [HEAD]
        for y, name in enumerate(self.departments, first + 1):
            who, when, amount = (f"Actuals!${x}$2:${x}${m}" for x in "BAD")
            if other:
                plan = months_by_name(y, n, month)
                done = f"=SUMPRODUCT(({who}=A{y})*({when}<DATE({self.year},{month}+1,1))*{amount})"
            else:
                at = y - first + 1
                sums = (f"SUM(Budget!$B${at}:${x}${at})" for x in "BCDEFGHIJKLM")
                plan = f"=CHOOSE({month},{','.join(sums)})"
                done = f'=SUMIFS({amount},{who},A{y},{when},"<="&EOMONTH(DATE({self.year},{month},1),0))'
            rows.append([name, plan, done])
        if total:
            end = first + len(self.departments)
            rows.append(["Total", *(f"=SUM({x}{first + 1}:{x}{end})" for x in "BC")])
        for y, row in enumerate(rows[1:], first + 1):
            share = f"D{y}/B{y}"
            row += [f"=C{y}-B{y}", f'=IF(B{y}=0,"n/a",{share})' if blank and not other else f'=IFERROR({share},"n/a")']
        return grid(rows, f"A{first}")


def months_by_name(y: int, n: int, month: str) -> str:
    """The months up to `month` of the department in A`y`, each looked up by its name."""
    months = (f"IF({k}<={month},VLOOKUP(A{y},Budget!$A$2:$M${n},{k + 1},FALSE),0)" for k in range(1, 13))
    return "=" + "+".join(months)


def draw_plan(draw: random.Random, count: int, postings: int, month: int = 6) -> Plan:
    """A plan whose postings lie on the edges of `month` too."""
    year = draw.choice((2021, 2022, 2023))
    names = draw.sample(DEPARTMENTS, count)
    budget = {name: [float(round(draw.uniform(4, 40)) * 250) for _ in MONTHS] for name in names}
    rows = []
    for index in range(postings):
        when = date(year, draw.randint(1, 12), draw.randint(1, 28))
        amount = money(draw, 150, 9000) * (-1 if index % 13 == 5 else 1)
        rows.append((when, draw.choice(names[:-1]), draw.choice(ACCOUNTS), amount))
    if rows:
        ends = (date(year, month, 30), date(year, month % 12 + 1, 1))
        rows[:2] = [(when, row[1], row[2], row[3]) for when, row in zip(ends, rows, strict=False)]
        rows.sort(key=lambda row: row[0])
    return Plan(year, names, budget, rows)
