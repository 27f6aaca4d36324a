"""Punches of a few weeks, the hours and pay that follow, and the same as formulas: the model behind `timesheets`."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import Any

from envwheel_office.books import book, grid
from envwheel_office.facts import Names, cents

PUNCHES = ["Employee", "Date", "In", "Out", "Break"]
PAY = {
    1: ["Employee", "Shifts", "Hours"],
    2: ["Employee", "Shifts", "Hours", "Overtime"],
    3: ["Employee", "Shifts", "Hours", "Overtime", "Pay"],
    4: ["Employee", "Shifts", "Hours", "Overtime", "Weekend", "Pay"],
}


@dataclass(frozen=True, slots=True)
class Punch:
    """One shift. Times in minutes from midnight; `rest` is the break in minutes."""

    who: str
    day: date
    start: int
    end: int
    rest: int

    def row(self) -> list[Any]:
        """As it stands in the workbook."""
        return [self.who, self.day, _clock(self.start), _clock(self.end), self.rest]

    def hours(self, least: bool) -> float:
        """Paid hours; with `least` a long shift has a break of at least 30 minutes."""
        span = (self.end - self.start) % 1440
        rest = max(self.rest, 30) if least and span > 360 else self.rest
        return (span - rest) / 60


def _clock(minutes: int) -> time:
    return time(minutes // 60, minutes % 60)


@dataclass(slots=True)
class Roster:
    """Who works for which wage, and when."""

    staff: list[tuple[str, float]]
    punches: list[Punch]

    def book(self, sheets: list[str]) -> bytes:
        """The workbook."""
        known: dict[str, list[list[Any]]] = {
            "Punches": [PUNCHES, *(punch.row() for punch in self.punches)],
            "Staff": [["Employee", "Wage"], *([name, wage] for name, wage in self.staff)],
        }
        return book({name: known[name] for name in sheets}, change=_as_times)

    def pay(self, level: int) -> list[list[Any]]:
        """The rows of the table, with Total."""
        found: list[list[Any]] = []
        for name, wage in self.staff:
            mine = [punch for punch in self.punches if punch.who == name]
            hours = [punch.hours(level == 4) for punch in mine]
            over = [max(each - 8, 0) for each in hours]
            weekend = sum(each for each, punch in zip(hours, mine, strict=True) if punch.day.weekday() > 4)
            row: list[Any] = [name, len(mine), sum(hours)]
            if level > 1:
                row.append(sum(over))
            if level == 3:
                row.append(sum(hours) * wage + sum(over) * wage / 2)
            if level == 4:
                row += [weekend, cents(sum(hours) * wage + sum(over) * wage / 2 + weekend * wage / 4)]
            found.append(row)
        return [*found, ["Total", *(sum(row[x] for row in found) for x in range(1, len(PAY[level])))]]

    def formulas(self, level: int, other: bool) -> dict[str, Any]:
        """The table as formulas over helper columns H (hours), I (overtime), J (hours without break)."""
        n = len(self.punches) + 1
        helper: dict[str, Any] = {"H1": "Worked", "I1": "Over", "J1": "Span"}
        for y in range(2, n + 1):
            start, end, rest = (f"Punches!{x}{y}" for x in "CDE")
            span = f"(IF({end}<{start},1+{end},{end})-{start})*24"
            if other:
                span = f"MOD({end}-{start},1)*24"
            helper[f"J{y}"] = f"=ROUND({span},6)"
            least = f"IF(J{y}>6,MAX({rest},30),{rest})" if level == 4 else rest
            helper[f"H{y}"] = f"=J{y}-{least}/60"
            helper[f"I{y}"] = f"=IF(H{y}-8>0,H{y}-8,0)" if not other else f"=MAX(H{y}-8,0)"
        rows: list[list[Any]] = [list(PAY[level])]
        for y, (name, _) in enumerate(self.staff, 2):
            who = f"Punches!$A$2:$A${n}"
            hours, over = (
                (f"=SUMPRODUCT(({who}=A{y})*${x}$2:${x}${n})" if other else f"=SUMIF({who},A{y},${x}$2:${x}${n})")
                for x in "HI"
            )
            mine = f"({who}=A{y})"
            count = f"=SUMPRODUCT({mine}*1)" if other else f"=COUNTIF({who},A{y})"
            row: list[Any] = [name, count, hours]
            if level > 1:
                row.append(over)
            if level == 4:
                row.append(
                    f"=SUMIFS($K$2:$K${n},{who},A{y})" if not other else f"=SUMPRODUCT(({who}=A{y})*$K$2:$K${n})"
                )
            if level > 2:
                wage = f"INDEX(Staff!$B$2:$B${len(self.staff) + 1},MATCH(A{y},Staff!$A$2:$A${len(self.staff) + 1},0))"
                pay = f"{wage}*(C{y}+D{y}/2{f'+E{y}/4' if level == 4 else ''})"
                row.append(f"=ROUND({pay},2)" if level == 4 else f"={pay}")
            rows.append(row)
        if level == 4:
            helper["K1"] = "Weekend hours"
            for row_at in range(2, n + 1):
                helper[f"K{row_at}"] = f"=IF(WEEKDAY(Punches!B{row_at},2)>5,H{row_at},0)"
        bottom = len(self.staff) + 1
        rows.append(["Total", *(f"=SUM({column}2:{column}{bottom})" for column in "BCDEF"[: len(PAY[level]) - 1])])
        return grid(rows) | helper


def _as_times(wb: Any) -> None:
    for row in wb["Punches"].iter_rows(min_row=2, min_col=3, max_col=4):
        for cell in row:
            cell.number_format = "hh:mm"


def draw_roster(draw: random.Random, people: int, days: int, night: int | bool, memo: bool = False) -> Roster:
    """Shifts of whole quarters; with `night` some end after midnight, with `memo` some lie on weekends."""
    names = sorted(Names(draw).people(people))
    staff = [(name, draw.randint(56, 130) / 4) for name in names]
    punches = []
    first = date(draw.choice((2021, 2022, 2023)), draw.randint(1, 11), 2)
    for offset in range(days):
        day = first + timedelta(days=offset)
        if day.weekday() > 4 and not memo:
            continue
        for name in names:
            if draw.random() < 0.25:
                continue
            start = draw.randint(20, 40) * 15
            long = draw.randint(18, 42) * 15
            if night and draw.random() < 0.25:
                start = draw.randint(72, 92) * 15
                long = max(long, 1440 - start + 60)
            rest = draw.choice((0, 15, 30, 45, 60) if memo else (30, 45, 60))
            punches.append(Punch(name, day, start, (start + long) % 1440, rest))
    return Roster(staff, punches)
