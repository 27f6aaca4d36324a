"""Who works where since when, full years of service, and the same as formulas: the model behind `roster`."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from envwheel_office.books import book, grid
from envwheel_office.facts import DEPARTMENTS, Names, codes, day

EMPLOYEES = ["No", "Employee", "Department", "Hired", "Left", "FTE"]
BANDS = {"Under 1": (0, 1), "1 to 4": (1, 5), "5 to 9": (5, 10), "10 or more": (10, 99)}
"""From so many full years of service up to, but without, so many."""
HEADCOUNT = ["Department", "Employees", "Part-time", "FTE", "Average FTE"]
TENURE = ["Department", *BANDS, "Total"]
LIVE = ["Department", "Employees", "FTE", *BANDS, "Average years"]
KEYS = {2021: 5, 2022: 10, 2025: 5, 2026: 10}
"""Years whose end of February is looked at, and how many years before it there was a 29 February."""


def anniversary(start: date, years: int, early: bool) -> date:
    """The day on which `years` are full. Of a 29 February it is the 28th (`early`) or 1 March in other years."""
    year = start.year + years
    try:
        return start.replace(year=year)
    except ValueError:
        return date(year, 2, 28) if early else date(year, 3, 1)


def full_years(start: date, end: date, early: bool) -> int:
    """The years that are full on the day `end`, anniversaries included."""
    found = end.year - start.year
    return found - (anniversary(start, found, early) > end)


def years_formula(start: str, end: str, early: bool, other: bool = False) -> str:
    """`full_years` of two cells, without a sign of equality; `other` counts months."""
    gap = f"YEAR({end})-YEAR({start})"
    if other:
        late = f"DAY({start})>DAY({end})"
        late = f"AND({late},{end}<>EOMONTH({end},0))" if early else late
        return f"INT((12*({gap})+MONTH({end})-MONTH({start})-IF({late},1,0))/12)"
    due = f"EDATE({start},12*({gap}))" if early else f"DATE(YEAR({end}),MONTH({start}),DAY({start}))"
    return f"{gap}-IF({due}>{end},1,0)"


def leap_rule(early: bool) -> str:
    """What the solver is told of a 29 February."""
    return "28 February" if early else "1 March"


@dataclass(frozen=True, slots=True)
class Employee:
    """One employee; `hired` is the first day of work, `left` the last."""

    no: str
    name: str
    department: str
    hired: date
    left: date | None
    fte: float

    def row(self) -> list[Any]:
        """As it stands in the workbook."""
        return [self.no, self.name, self.department, self.hired, self.left, self.fte]

    def active(self, key: date) -> bool:
        """Whether the employee counts on that day."""
        return self.hired <= key and (self.left is None or self.left >= key)


@dataclass(slots=True)
class Staff:
    """All employees, the departments in the order of their sheet, the key date and the rule for a 29 February."""

    departments: list[str]
    employees: list[Employee]
    key: date
    early: bool

    def book(self, sheets: list[str]) -> bytes:
        """The workbook."""
        known: dict[str, list[list[Any]]] = {
            "Settings": [["Key date", self.key]],
            "Departments": [["Department"], *([name] for name in self.departments)],
            "Employees": [EMPLOYEES, *(one.row() for one in self.employees)],
        }
        return book({name: known[name] for name in sheets}, plain=["Settings"])

    def years(self, one: Employee) -> int:
        """Full years of service on the key date."""
        return full_years(one.hired, self.key, self.early)

    def headcount(self) -> list[list[Any]]:
        """Level 1: employees and FTE of each department, whoever has left or not."""
        rows: list[list[Any]] = []
        for name in [*sorted(self.departments), "Total"]:
            mine = [one.fte for one in self.employees if name in (one.department, "Total")]
            rows.append([name, len(mine), sum(fte < 1 for fte in mine), sum(mine), sum(mine) / len(mine)])
        return rows

    def service(self) -> list[list[Any]]:
        """Level 2: the active employees with their years."""
        active = [one for one in self.employees if one.active(self.key)]
        return [[one.no, one.name, one.department, self.years(one)] for one in active]

    def tenure(self) -> list[list[Any]]:
        """Level 2: active employees by department and band."""
        rows: list[list[Any]] = []
        for name in [*sorted(self.departments), "Total"]:
            mine = self._years_in(name)
            rows.append([name, *_banded(mine), len(mine)])
        return rows

    def live(self) -> list[list[Any]]:
        """Level 3: active employees, their FTE, bands and average years."""
        rows: list[list[Any]] = []
        for name in [*self.departments, "Total"]:
            mine = self._years_in(name)
            fte = sum(one.fte for one in self.employees if one.active(self.key) and name in (one.department, "Total"))
            rows.append([name, len(mine), fte, *_banded(mine), sum(mine) / len(mine) if mine else 0])
        return rows

    def _years_in(self, name: str) -> list[int]:
        active = [one for one in self.employees if one.active(self.key)]
        return [self.years(one) for one in active if name in (one.department, "Total")]

    def headcount_cells(self) -> dict[str, Any]:
        """Level 1 as formulas."""
        n = len(self.employees) + 1
        who, fte = f"Employees!$C$2:$C${n}", f"Employees!$F$2:$F${n}"
        rows: list[list[Any]] = [list(HEADCOUNT)]
        for y, name in enumerate(sorted(self.departments), 2):
            part = f'=COUNTIFS({who},A{y},{fte},"<1")'
            rows.append([name, f"=COUNTIF({who},A{y})", part, f"=SUMIF({who},A{y},{fte})", f"=D{y}/B{y}"])
        end = len(self.departments) + 1
        sums = (f"=SUM({x}2:{x}{end})" for x in "BCD")
        return grid([*rows, ["Total", *sums, f"=D{end + 1}/B{end + 1}"]])

    def tenure_cells(self) -> dict[str, dict[str, Any]]:
        """Level 2 as formulas: who is active is typed, the rest is computed."""
        rows = self.service()
        at = {one.no: y for y, one in enumerate(self.employees, 2)}
        key = f"DATE({self.key.year},{self.key.month},{self.key.day})"
        for row in rows:
            row[3] = "=" + years_formula(f"Employees!D{at[row[0]]}", key, self.early, other=True)
        n = len(rows) + 1
        who, years = f"Service!$C$2:$C${n}", f"Service!$D$2:$D${n}"
        table: list[list[Any]] = [list(TENURE)]
        for y, name in enumerate(sorted(self.departments), 2):
            counts = (f'=COUNTIFS({who},A{y},{years},">={low}",{years},"<{high}")' for low, high in BANDS.values())
            table.append([name, *counts, f"=SUM(B{y}:E{y})"])
        table.append(["Total", *(f"=SUM({x}2:{x}{len(self.departments) + 1})" for x in "BCDEF")])
        return {"Service": grid([["No", "Employee", "Department", "Years"], *rows]), "Tenure": grid(table)}

    def live_cells(self, other: bool) -> dict[str, dict[str, Any]]:
        """Level 3 as formulas: over a sheet of helpers, or in single sums over helper columns right of the table."""
        n, end, key = len(self.employees) + 1, len(self.departments) + 1, "Settings!$B$1"
        who, hired, left, fte = (f"Employees!$C$2:$C${n}", *(f"Employees!${x}$2:${x}${n}" for x in "DEF"))
        helper: dict[str, Any] = {"M1": "Years"} if other else {"A1": "Active", "B1": "Years"}
        for y in range(2, n + 1):
            one = f"Employees!D{y}"
            count = years_formula(one, key, self.early, other)
            if other:
                helper[f"M{y}"] = f"=IF({one}>{key},0,{count})"
            else:
                gone = f'IF(Employees!E{y}="",0,IF(Employees!E{y}<{key},1,0))'
                helper |= {f"A{y}": f"=IF({one}<={key},1,0)-IF({one}<={key},{gone},0)"}
                helper |= {f"B{y}": f"=IF(A{y}=1,{count},0)"}
        rows: list[list[Any]] = [list(LIVE)]
        for y, name in enumerate(self.departments, 2):
            if other:
                years, mine = f"$M$2:$M${n}", f'({who}=A{y})*({hired}<={key})*(({left}="")+({left}>={key}))'
                bands = [f"=SUMPRODUCT({mine}*({years}>={low})*({years}<{high}))" for low, high in BANDS.values()]
                row = [f"=SUMPRODUCT({mine})", f"=SUMPRODUCT({mine}*{fte})", *bands]
                row.append(f"=IFERROR(SUMPRODUCT({mine}*{years})/B{y},0)")
            else:
                years, mine = f"Service!$B$2:$B${n}", f"{who},A{y},Service!$A$2:$A${n},1"
                bands = [f'=COUNTIFS({mine},{years},">={low}",{years},"<{high}")' for low, high in BANDS.values()]
                row = [f"=COUNTIFS({mine})", f"=SUMIFS({fte},{mine})", *bands]
                row.append(f"=IF(B{y}=0,0,SUMIFS({years},{mine})/B{y})")
            rows.append([name, *row])
        mean = f"=IF(B{end + 1}=0,0,SUMPRODUCT(B2:B{end},H2:H{end})/B{end + 1})"
        rows.append(["Total", *(f"=SUM({x}2:{x}{end})" for x in "BCDEFG"), mean])
        cells = grid(rows)
        return {"Headcount": cells | helper} if other else {"Headcount": cells, "Service": helper}


def _banded(years: list[int]) -> list[int]:
    return [sum(low <= each < high for each in years) for low, high in BANDS.values()]


def draw_staff(draw: random.Random, departments: int, people: int) -> Staff:
    """Employees, many of whom sit on an edge of the key date; nobody of the last department is active on it."""
    year = draw.choice(sorted(KEYS))
    key = date(year, 2, 28)
    names = draw.sample(DEPARTMENTS, departments)
    spans = _edges(key)
    while len(spans) < people - 3:
        hired = day(draw, date(year - 16, 1, 1), key - timedelta(days=90))
        left = day(draw, hired + timedelta(days=60), key + timedelta(days=200)) if draw.random() < 0.25 else None
        spans.append((hired, left))
    places = [names[1 + at // 3 % (departments - 2)] if at % 3 else names[0] for at in range(len(spans))]
    draw.shuffle(places)
    for _ in range(3):
        hired = day(draw, date(year - 12, 1, 1), date(year - 3, 12, 31))
        spans.append((hired, day(draw, hired + timedelta(days=90), key - timedelta(days=20))))
        places.append(names[-1])
    order = draw.sample(range(people), people)
    employees = []
    for no, name, at in zip(codes(draw, "E", people), Names(draw).people(people), order, strict=True):
        fte = 0.5 if places[at] == names[0] else draw.choice((1.0, 1.0, 1.0, 0.8, 0.75, 0.6))
        employees.append(Employee(no, name, places[at], *spans[at], fte))
    return Staff(draw.sample(names, departments), employees, key, draw.random() < 0.5)


def _edges(key: date) -> list[tuple[date, date | None]]:
    """First and last days on which a rule turns."""
    one = timedelta(days=1)
    later = [(date(key.year - years, 3, 1), None) for years in (1, 5, 10)]
    return [
        (key, None),
        (key + one, None),
        (date(key.year - 3, 5, 17), key),
        (date(key.year - 6, 9, 4), key - one),
        (date(key.year - 7, 11, 20), key + one),
        (date(key.year - KEYS[key.year], 2, 29), None),
        *((date(key.year - years, 2, 28), None) for years in (1, 5, 10)),
        *later,
    ]
