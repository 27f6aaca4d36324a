"""Hires, transfers and exits of a firm, the bridge between two headcounts, the same as formulas: level 4 of `roster`.

    opening + joiners - leavers + transfers in - transfers out = closing

A movement counts from its date on; an exit, whose date is the last day of work, from the day after.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from envwheel_office.books import book, grid
from envwheel_office.facts import DEPARTMENTS, Names, codes, day
from envwheel_office.families.employees import KEYS, full_years, years_formula

BRIDGE = [
    "Department", "Opening", "Joiners", "Leavers", "Transfers in", "Transfers out", "Closing", "FTE", "Long service",
]  # fmt: skip
OUTSIDE = "Contractor"
ONE = timedelta(days=1)
Event = tuple[date, str]
"""A day, and what happens: Hire, Exit, Transfer, or Stay: a transfer within the department."""
Career = tuple[str, list[Event], list[tuple[date, date]]]
"""A contract ("": any; with "+" more hours than full time), what happens, and unpaid leave."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who works here, or did."""

    no: str
    name: str
    contract: str
    hours: float


@dataclass(frozen=True, slots=True)
class Move:
    """A hire (no origin), an exit (no target), or a transfer."""

    no: str
    day: date
    kind: str
    origin: str | None
    target: str | None

    @property
    def counts(self) -> date:
        """From this day on."""
        return self.day + ONE if self.kind == "Exit" else self.day


@dataclass(frozen=True, slots=True)
class Absence:
    """Unpaid leave, both days included."""

    no: str
    first: date
    last: date


@dataclass(slots=True)
class Movements:
    """A firm between two days. `full` are the weekly hours of full time, `least` the years of long service."""

    opening: date
    closing: date
    full: float
    least: int
    early: bool
    departments: list[str]
    people: list[Person]
    moves: list[Move]
    absences: list[Absence]

    def book(self) -> bytes:
        """The workbook."""
        return book(
            {
                "Settings": [["Opening date", self.opening], ["Closing date", self.closing]],
                "Departments": [["Department"], *([name] for name in self.departments)],
                "Employees": [
                    ["No", "Employee", "Contract", "Hours"],
                    *([one.no, one.name, one.contract, one.hours] for one in self.people),
                ],
                "Movements": [
                    ["No", "Date", "Kind", "From", "To"],
                    *([move.no, move.day, move.kind, move.origin, move.target] for move in self.moves),
                ],
                "Unpaid": [["No", "From", "To"], *([one.no, one.first, one.last] for one in self.absences)],
            },
            plain=["Settings"],
        )

    def place(self, no: str, when: date) -> str | None:
        """The department of somebody at the end of a day, None outside."""
        past = [move for move in self.moves if move.no == no and move.counts <= when]
        return max(past, key=lambda move: move.counts).target if past else None

    def years(self, no: str) -> int:
        """Full years since the last hire; each day of unpaid leave since then begins them a day later."""
        start = max(m.day for m in self.moves if m.no == no and m.kind == "Hire" and m.day <= self.closing)
        away = [one for one in self.absences if one.no == no and start <= one.first <= self.closing]
        days = sum((min(one.last, self.closing) - one.first).days + 1 for one in away)
        return full_years(start + timedelta(days=days), self.closing, self.early)

    def rows(self) -> list[list[Any]]:
        """The bridge of each department, and of all."""
        counted = [one for one in self.people if one.contract != OUTSIDE]
        known = {one.no for one in counted}
        moves = [m for m in self.moves if m.no in known and self.opening < m.counts <= self.closing]
        rows: list[list[Any]] = []
        for name in self.departments:
            there = [one for one in counted if self.place(one.no, self.closing) == name]
            rows.append(
                [
                    name,
                    sum(self.place(one.no, self.opening) == name for one in counted),
                    sum(m.kind == "Hire" and m.target == name for m in moves),
                    sum(m.kind == "Exit" and m.origin == name for m in moves),
                    sum(m.kind == "Transfer" and m.target == name != m.origin for m in moves),
                    sum(m.kind == "Transfer" and m.origin == name != m.target for m in moves),
                    len(there),
                    sum(min(one.hours / self.full, 1) for one in there),
                    sum(self.years(one.no) >= self.least for one in there),
                ]
            )
        return [*rows, ["Total", *(sum(row[x] for row in rows) for x in range(1, len(BRIDGE)))]]

    def settled(self) -> list[int]:
        """Rows of the sheet Movements whose To may become any department: nothing of that person follows them."""
        last = {m.no: m for m in sorted(self.moves, key=lambda move: move.day)}
        return [y for y, m in enumerate(self.moves, 2) if last[m.no] is m and m.target not in (None, m.origin)]

    def by_movements(self) -> dict[str, dict[str, Any]]:
        """The bridge as formulas: each movement has weights, the table sums them up."""
        n, m, k = len(self.moves) + 1, len(self.people) + 1, len(self.absences) + 1
        no, when, kind = (f"Movements!${x}$2:${x}${n}" for x in "ABC")
        people: list[list[Any]] = [["Hired", "Unpaid days", "Start", "Years", "Long", "Counts", "FTE"]]
        for y in range(2, m + 1):
            hired = f'=_xlfn.MAXIFS({when},{no},Employees!A{y},{kind},"Hire",{when},"<="&Settings!$B$2)'
            away = f'=SUMIFS(Away!$A$2:$A${k},Unpaid!$A$2:$A${k},Employees!A{y},Unpaid!$B$2:$B${k},">="&A{y})'
            years = f"=IF(A{y}=0,0,{years_formula(f'C{y}', 'Settings!$B$2', self.early)})"
            counts = f'=IF(Employees!C{y}="{OUTSIDE}",0,1)'
            fte = f"=F{y}*MIN(1,Employees!D{y}/{self.full:g})"
            people.append([hired, away, f"=A{y}+B{y}", years, f"=F{y}*IF(D{y}>={self.least},1,0)", counts, fte])
        away_days = [f"=MAX(0,MIN(Unpaid!C{y},Settings!$B$2)-Unpaid!B{y}+1)" for y in range(2, k + 1)]
        moves: list[list[Any]] = [["Row", "From day", "Counts", "FTE", "Long"]]
        for y in range(2, n + 1):
            from_day = f'=Movements!B{y}+IF(Movements!C{y}="Exit",1,0)'
            moved = f"IF(Movements!D{y}<>Movements!E{y},1,0)"
            weights = (f"={moved}*INDEX(People!${x}$2:${x}${m},A{y})" for x in "FGE")
            moves.append([f"=MATCH(Movements!A{y},Employees!$A$2:$A${m},0)", from_day, *weights])
        source, target, since = f"Movements!$D$2:$D${n}", f"Movements!$E$2:$E${n}", f"Moves!$B$2:$B${n}"
        rows: list[list[Any]] = [list(BRIDGE)]
        for y, name in enumerate(self.departments, 2):
            counted = f"Moves!$C$2:$C${n}"
            between = f'{since},">"&Settings!$B$1,{since},"<="&Settings!$B$2'
            stock = [
                f"=SUMIFS({weight},{target},A{y},{until})-SUMIFS({weight},{source},A{y},{until})"
                for weight, until in (
                    (counted, f'{since},"<="&Settings!$B$1'),
                    (f"Moves!$D$2:$D${n}", f'{since},"<="&Settings!$B$2'),
                    (f"Moves!$E$2:$E${n}", f'{since},"<="&Settings!$B$2'),
                )
            ]
            flows = [
                f'=SUMIFS({counted},{side},A{y},{kind},"{what}",{between})'
                for side, what in ((target, "Hire"), (source, "Exit"), (target, "Transfer"), (source, "Transfer"))
            ]
            rows.append([name, stock[0], *flows, f"=B{y}+C{y}-D{y}+E{y}-F{y}", *stock[1:]])
        return {
            "Bridge": grid(_totalled(rows)),
            "People": grid(people),
            "Moves": grid(moves),
            "Away": grid([["Days"], *([one] for one in away_days)]),
        }

    def by_places(self) -> dict[str, dict[str, Any]]:
        """The same otherwise: where everybody is on both days is looked up, the table counts heads."""
        n, m, k = len(self.moves) + 1, len(self.people) + 1, len(self.absences) + 1
        no, kind, source, target = (f"Movements!${x}$2:${x}${n}" for x in "ACDE")
        since, row_of, counts = (f"Log!${x}$2:${x}${n}" for x in "ABC")
        log: list[list[Any]] = [["Since", "Row", "Counts"]]
        for y in range(2, n + 1):
            contract = f"VLOOKUP(Movements!A{y},Employees!$A$2:$C${m},3,FALSE)"
            log.append([f'=IF(Movements!C{y}="Exit",Movements!B{y}+1,Movements!B{y})', y,
                        f'=IF({contract}="{OUTSIDE}",0,1)'])  # fmt: skip
        state: list[list[Any]] = [["Since", "At opening", "Since", "At closing", "Hired", "Start", "Long", "FTE"]]
        for y in range(2, m + 1):
            mine = f"({no}=Employees!$A{y})"
            places: list[str] = []
            for at, date_cell in (("A", "Settings!$B$1"), ("C", "Settings!$B$2")):
                places.append(f"=SUMPRODUCT(MAX({mine}*({since}<={date_cell})*{since}))")
                found = f"INDEX(Movements!$E$1:$E${n},SUMPRODUCT({mine}*({since}={at}{y})*{row_of}))"
                places.append(f'=IF({at}{y}=0,"",IF(Employees!C{y}="{OUTSIDE}","",{found}&""))')
            hired = f'=SUMPRODUCT(MAX({mine}*({kind}="Hire")*({since}<=Settings!$B$2)*{since}))'
            first, last = (f"Unpaid!${x}$2:${x}${k}" for x in "BC")
            away = f"({first}>=E{y})*({first}<=Settings!$B$2)*"
            away += f"(({last}<=Settings!$B$2)*({last}-{first}+1)+({last}>Settings!$B$2)*(Settings!$B$2-{first}+1))"
            start = f"=E{y}+SUMPRODUCT((Unpaid!$A$2:$A${k}=Employees!$A{y})*{away})"
            years = years_formula(f"F{y}", "Settings!$B$2", self.early, other=True)
            fte = f"=IF(Employees!D{y}>={self.full:g},1,Employees!D{y}/{self.full:g})"
            state.append([*places, hired, start, f"=IF(E{y}=0,0,IF({years}>={self.least},1,0))", fte])
        rows: list[list[Any]] = [list(BRIDGE)]
        between = f"({since}>Settings!$B$1)*({since}<=Settings!$B$2)*{counts}"
        for y, name in enumerate(self.departments, 2):
            there = f"(State!$D$2:$D${m}=A{y})"
            moved = f'=SUMPRODUCT(({kind}="Transfer")*({source}<>{target})*'
            rows.append([
                name,
                f"=COUNTIF(State!$B$2:$B${m},A{y})",
                f'=SUMPRODUCT(({target}=A{y})*({kind}="Hire")*{between})',
                f'=SUMPRODUCT(({source}=A{y})*({kind}="Exit")*{between})',
                f"{moved}({target}=A{y})*{between})",
                f"{moved}({source}=A{y})*{between})",
                f"=COUNTIF(State!$D$2:$D${m},A{y})",
                f"=SUMPRODUCT({there}*State!$H$2:$H${m})",
                f"=SUMPRODUCT({there}*State!$G$2:$G${m})",
            ])  # fmt: skip
        return {"Bridge": grid(_totalled(rows)), "State": grid(state), "Log": grid(log)}


def _totalled(rows: list[list[Any]]) -> list[list[Any]]:
    return [*rows, ["Total", *(f"=SUM({x}2:{x}{len(rows)})" for x in "BCDEFGHI")]]


def draw_movements(draw: random.Random, departments: int, people: int) -> Movements:
    """A firm in which each rule of the memo decides over somebody."""
    year = draw.choice(sorted(KEYS))
    closing = date(year, 2, 28)
    opening = draw.choice((date(year - 1, 2, 28), date(year - 1, 8, 31)))
    names, least, full = draw.sample(DEPARTMENTS, departments), KEYS[year], draw.choice((38, 38.5, 40))
    careers = _edges(draw, opening, closing, least)
    while len(careers) < people:
        careers.append(_career(draw, closing))
    draw.shuffle(careers)
    found, moves, absences = [], [], []
    for no, name, career in zip(codes(draw, "E", people), Names(draw).people(people), careers, strict=True):
        kind, events, away = career
        contract = kind.strip("+") or draw.choice(("Permanent", "Permanent", "Permanent", "Fixed-term", OUTSIDE))
        hours = full + 4 if kind.endswith("+") else draw.choice((full, full, full, 20, 25, 30))
        found.append(Person(no, name, contract, hours))
        moves += _moved(draw, no, names, events)
        absences += [Absence(no, *span) for span in away]
    moves.sort(key=lambda move: (move.day, move.no))
    inside = {one.no for one in found if one.contract != OUTSIDE}
    late = [m for m in moves if m.no in inside and opening < m.counts <= closing and m.origin != m.target]
    for move in draw.sample(late, 5):
        moves.remove(move)
        moves.append(move)
    absences.sort(key=lambda one: one.first)
    return Movements(opening, closing, full, least, draw.random() < 0.5, names, found, moves, absences)


def _moved(draw: random.Random, no: str, names: list[str], events: Sequence[Event]) -> list[Move]:
    made, at = [], None
    for when, what in events:
        to = at if what == "Stay" else None if what == "Exit" else draw.choice([name for name in names if name != at])
        made.append(Move(no, when, "Transfer" if what == "Stay" else what, at, to))
        at = to
    return made


def _career(draw: random.Random, closing: date) -> Career:
    """Somebody's way until shortly after the closing date, two months at least between two steps."""
    when = day(draw, closing - timedelta(days=4000), closing + timedelta(days=60))
    events, away = [(when, "Hire")], []
    if draw.random() < 0.2:
        first = when + timedelta(days=draw.randint(15, 20))
        away.append((first, first + timedelta(days=draw.randint(20, 25))))
    for chance, what in ((0.5, "Transfer"), (0.2, "Stay"), (0.45, "Exit")):
        later = when + timedelta(days=draw.randint(60, 900))
        if draw.random() < chance and later < closing + timedelta(days=120):
            when = later
            events.append((when, what))
    return "", events, away


def _edges(draw: random.Random, opening: date, closing: date, least: int) -> list[Career]:
    """What each rule turns on."""

    def on(base: date, days: int) -> date:
        return base + timedelta(days=days)

    def old() -> date:
        return day(draw, date(closing.year - 9, 1, 1), date(closing.year - 4, 12, 31))

    staff, away = "Permanent", old()
    long_ago = date(closing.year - least, 2, 28)
    return [
        (staff, [(old(), "Hire"), (opening, "Exit")], []),
        (staff, [(old(), "Hire"), (closing, "Exit")], []),
        (staff, [(opening, "Hire")], []),
        (staff, [(closing, "Hire")], []),
        (staff, [(old(), "Hire"), (closing, "Transfer")], []),
        (staff, [(old(), "Hire"), (on(opening, 60), "Stay")], []),
        (staff, [(old(), "Hire"), (on(opening, 40), "Transfer"), (on(opening, 130), "Transfer")], []),
        (staff, [(old(), "Hire"), (on(opening, 35), "Exit"), (on(opening, 120), "Hire")], []),
        (OUTSIDE, [(away, "Hire")], [(on(away, 200), on(away, 260))]),
        (OUTSIDE, [(on(opening, 30), "Hire")], []),
        (OUTSIDE, [(old(), "Hire"), (on(opening, 50), "Exit")], []),
        (staff + "+", [(old(), "Hire")], []),
        (staff, [(on(long_ago, -1500), "Hire"), (on(long_ago, -300), "Exit"), (on(closing, -500), "Hire")], []),
        (staff, [(on(long_ago, -20), "Hire")], [(on(long_ago, 300), on(long_ago, 359))]),
        (staff, [(on(long_ago, -40), "Hire")], [(on(closing, -25), on(closing, 60))]),
        (staff, [(on(long_ago, -2000), "Hire"), (on(long_ago, -900), "Exit"), (on(long_ago, -30), "Hire")],
         [(on(long_ago, -1500), on(long_ago, -1400))]),
        (staff, [(date(closing.year - least, 2, 29), "Hire")], []),
        (staff, [(long_ago, "Hire")], []),
        (staff, [(on(long_ago, 2), "Hire")], []),
        (staff, [(on(closing, 20), "Hire")], []),
        (staff, [(old(), "Hire"), (on(closing, 15), "Transfer")], []),
        (staff, [(old(), "Hire"), (on(closing, 40), "Exit")], []),
    ]  # fmt: skip
