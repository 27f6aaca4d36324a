"""A loan, its schedule in Decimal, and the same as formulas: the model behind `loan_schedule`."""

from __future__ import annotations

import random
from calendar import monthrange
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from envwheel_office.books import book, grid
from envwheel_office.facts import day


def cents(value: Decimal) -> Decimal:
    """Rounded to cents, halves up."""
    return value.quantize(Decimal("0.01"), ROUND_HALF_UP)


@dataclass(slots=True)
class Loan:
    """A loan with equal payments. `extra`: payments on top; `rates`: from payment number on; `holidays`: skipped."""

    principal: int
    rate: float
    months: int
    first: date
    extra: list[tuple[date, float]] = field(default_factory=list)
    rates: list[tuple[int, float]] = field(default_factory=list)
    holidays: list[int] = field(default_factory=list)

    @property
    def payment(self) -> float:
        """The equal monthly payment."""
        return float(instalment(Decimal(self.principal), Decimal(str(self.rate)), self.months))

    def book(self) -> bytes:
        """The workbook of the terms."""
        terms = [
            ["Principal", self.principal],
            ["Annual rate", self.rate],
            ["Months", self.months],
            ["First payment", self.first],
        ]
        found: dict[str, list[list[Any]]] = {"Terms": terms}
        if self.extra:
            found["Extra"] = [["Date", "Amount"], *(list(row) for row in self.extra)]
        if self.rates:
            found["Rates"] = [["From", "Rate"], *(list(row) for row in self.rates)]
            found["Holidays"] = [["No"], *([no] for no in self.holidays)]
        return book(found, plain=["Terms"], change=_as_rates)

    def date(self, no: int) -> date:
        """When payment `no` is due."""
        month = self.first.month - 1 + no - 1
        year, month = self.first.year + month // 12, month % 12 + 1
        return date(year, month, min(self.first.day, monthrange(year, month)[1]))

    def rows(self) -> list[list[Any]]:
        """The schedule, in the order of `head`."""
        balance, found = Decimal(self.principal), []
        plan, before = Decimal(0), Decimal(-1)
        for no in range(1, self.months + 1):
            steps = [rate for start, rate in self.rates if start <= no]
            rate = Decimal(str(steps[-1] if steps else self.rate))
            if rate != before or no - 1 in self.holidays:
                plan = instalment(balance, rate, self.months - no + 1)
            before = rate
            interest = cents(balance * rate / 12)
            paid = balance + interest if no == self.months else min(plan, balance + interest)
            if no in self.holidays:
                paid = Decimal(0)
            principal = paid - interest
            after = balance - principal
            low = self.date(no - 1) if no > 1 else date.min
            more = sum((Decimal(str(much)) for when, much in self.extra if low < when <= self.date(no)), Decimal(0))
            more = min(more, after)
            balance = after - more
            row: list[Any] = [no, self.date(no), float(paid), float(interest), float(principal)]
            row += [float(more)] * bool(self.extra) + [float(rate)] * bool(self.rates)
            found.append([*row, float(balance)])
        return found

    def totals(self) -> tuple[float, float]:
        """What is paid in all, and the interest in it."""
        rows = self.rows()
        paid = sum(row[2] for row in rows) + (sum(row[5] for row in rows) if self.extra else 0)
        return round(paid, 2), round(sum(row[3] for row in rows), 2)

    def formulas(self, *, other: bool, first: int = 1) -> dict[str, Any]:
        """The schedule as formulas, its header in row `first`; `other` computes the payment by its closed form."""
        names = head(self)
        letter = {name: "ABCDEFGHIJ"[x] for x, name in enumerate(names)}
        rows: list[list[Any]] = [[*names, "Plan"]]
        plan_at = "ABCDEFGHIJ"[len(names)]
        for no in range(1, self.months + 1):
            y = first + no
            at = {name: f"{column}{y}" for name, column in letter.items()}
            before = "Terms!$B$1" if no == 1 else f"{letter['Balance']}{y - 1}"
            rate = at.get("Rate", "Terms!$B$2")
            left = f"(Terms!$B$3-{at['No']}+1)"
            plan = f"ROUND(PMT({rate}/12,{left},-{before}),2)"
            if other:
                plan = f"ROUND({before}*({rate}/12)/(1-(1+{rate}/12)^-{left}),2)"
            if no > 1:
                keep = f"{plan_at}{y - 1}"
                again = f"OR({rate}<>{letter['Rate']}{y - 1},{self._skipped(str(no - 1))})" if self.rates else "FALSE"
                plan = f"IF({again},{plan},{keep})" if self.rates else keep
            rest = f"{before}+{at['Interest']}"
            paid = f"IF({at['No']}=Terms!$B$3,{rest},MIN({plan_at}{y},{rest}))"
            cells = {
                "No": no,
                "Date": f"=EDATE(Terms!$B$4,{at['No']}-1)",
                "Payment": f"=IF({self._skipped(at['No'])},0,{paid})" if self.rates else f"={paid}",
                "Interest": f"=ROUND({before}*{rate}/12,2)",
                "Principal": f"={at['Payment']}-{at['Interest']}",
                "Balance": f"=ROUND({before}-{at['Principal']}{'-' + at['Extra'] if self.extra else ''},2)",
            }
            if self.extra:
                cells["Extra"] = f"=MIN({self._extra(at['Date'], y, no, other)},{before}-{at['Principal']})"
            if self.rates:
                n = len(self.rates) + 1
                cells["Rate"] = f"=INDEX(Rates!$B$2:$B${n},MATCH({at['No']},Rates!$A$2:$A${n},1))"
            rows.append([*(cells[name] for name in names), f"={plan}"])
        return grid(rows, f"A{first}")

    def _skipped(self, no: str) -> str:
        return f"COUNTIF(Holidays!$A$2:$A${len(self.holidays) + 1},{no})>0"

    def _extra(self, when: str, y: int, no: int, other: bool) -> str:
        dates, amounts = (f"Extra!${x}$2:${x}${len(self.extra) + 1}" for x in "AB")
        if other:
            low = f"({dates}>B{y - 1})*" if no > 1 else ""
            return f"SUMPRODUCT({low}({dates}<={when})*{amounts})"
        low = f'{dates},">"&B{y - 1},' if no > 1 else ""
        return f'SUMIFS({amounts},{low}{dates},"<="&{when})'


def _as_rates(wb: Any) -> None:
    wb["Terms"]["B2"].number_format = "0.00%"


def instalment(balance: Decimal, rate: Decimal, months: int) -> Decimal:
    """The payment at each month's end that pays `balance` off: b r / (1 - (1 + r)^-n), r a twelfth of `rate`."""
    r = rate / 12
    return cents(balance * r / (1 - (1 + r) ** -months))


def head(loan: Loan) -> list[str]:
    """The columns of the schedule."""
    more = ["Extra"] * bool(loan.extra) + ["Rate"] * bool(loan.rates)
    return ["No", "Date", "Payment", "Interest", "Principal", *more, "Balance"]


def sheets(loan: Loan, other: bool) -> dict[str, dict[str, Any]]:
    """Schedule and totals as formulas."""
    first = 3 if other else 1
    low, high = first + 1, first + loan.months
    extra = f"+SUM(Schedule!F{low}:F{high})" if loan.extra else ""
    totals = [
        ["Total paid", f"=SUM(Schedule!C{low}:C{high}){extra}"],
        ["Total interest", f"=SUM(Schedule!D{low}:D{high})"],
    ]
    return {"Schedule": loan.formulas(other=other, first=first), "Totals": grid(totals)}


def draw_loan(draw: random.Random, level: int) -> Loan:
    """A loan of this level."""
    first = day(draw, date(2019, 2, 1), date(2022, 11, 28)).replace(day=draw.randint(1, 28))
    months = (36, 24, 36, 48, 60)[level]
    loan = Loan(draw.randint(24, 240) * 500, draw.randint(24, 79) / 1000, months, first)
    if level == 3:
        spots = sorted(draw.sample(range(3, 30), 3))
        loan.extra = [(loan.date(no), float(draw.randint(4, 12) * 250)) for no in spots[:1]]
        loan.extra += [(loan.date(no).replace(day=28), float(draw.randint(4, 12) * 250)) for no in spots[1:]]
        loan.extra.append((loan.date(40), float(loan.principal)))
    if level == 4:
        loan.first = date(first.year, draw.choice((1, 3, 5, 8)), 31)
        changes = sorted(draw.sample(range(8, 50), 2))
        loan.rates = [
            (1, loan.rate),
            *((no, round(loan.rate + draw.choice((-0.009, 0.006, 0.011)), 4)) for no in changes),
        ]
        loan.holidays = sorted({changes[0] - 1, draw.randint(3, 6), draw.randint(51, 57)})
    return loan
