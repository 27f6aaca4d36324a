"""Answers to a questionnaire: scales, blanks, codes that are no answers, reversed items, and the crosstabs of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from openpyxl.utils import get_column_letter

from envwheel_office.books import book, grid
from envwheel_office.facts import DEPARTMENTS, codes

BASE, MEAN, TOP = "Base", "Mean", "Top 2"
ALL, NONE = "All", "n/a"
ITEMS = {
    "Workload": ("My workload is reasonable.", "I have more work than I can do."),
    "Pay": ("I am paid fairly.", "I am paid less than my work is worth."),
    "Learning": ("I can learn what my work needs.", "I get no time to learn."),
    "Tools": ("My tools help me work.", "My tools slow me down."),
    "Leadership": ("My manager listens to me.", "My manager has no time for me."),
    "Teamwork": ("My team helps each other.", "In my team everybody is alone."),
    "Information": ("I know what is going on.", "I am the last to hear of changes."),
    "Recognition": ("Good work is noticed here.", "Nobody notices good work here."),
}
"""Short name -> the item as it is worded, and as it is worded when it is reversed."""


@dataclass(slots=True)
class Survey:
    """Rows are (respondent, department, answers to Q1, Q2, ...); an answer is 1 to 5, a code above, or None.

    `turned`: the items whose answers count as 6 minus the answer.
    """

    departments: list[str]
    items: list[str]
    rows: list[tuple[str, str, list[int | None]]]
    turned: list[str] = field(default_factory=list)

    def book(self, *sheets: str) -> bytes:
        """The workbook with these sheets."""
        known: dict[str, list[list[Any]]] = {
            "Departments": [["Department"], *([name] for name in self.departments)],
            "Answers": [
                ["Respondent", "Department", *self.items],
                *([number, department, *answers] for number, department, answers in self.rows),
            ],
        }
        return book({name: known[name] for name in sheets})

    def scores(self, department: str, at: int) -> list[int]:
        """What counts of a department's answers to an item."""
        found = [row[2][at] for row in self.rows if department in (ALL, row[1])]
        return [score(one, self.items[at] in self.turned) for one in found if one is not None and 1 <= one <= 5]

    def tables(self) -> dict[str, list[list[Any]]]:
        """By sheet the crosstab of departments and items, with the row of all."""
        found: dict[str, list[list[Any]]] = {BASE: [], MEAN: [], TOP: []}
        for name in [*self.departments, ALL]:
            own = [self.scores(name, at) for at in range(len(self.items))]
            found[BASE].append([name, *map(len, own)])
            found[MEAN].append([name, *(sum(one) / len(one) if one else NONE for one in own)])
            found[TOP].append([name, *(top(one) if one else NONE for one in own)])
        return found

    def formulas(self, other: bool = False) -> dict[str, dict[str, Any]]:
        """The crosstabs as formulas, each from A1; `other` says it in other functions."""
        found: dict[str, list[list[Any]]] = {}
        for sheet in (BASE, MEAN, TOP):
            rows: list[list[Any]] = [["Department", *self.items]]
            for y, name in enumerate([*self.departments, ALL], 2):
                write = self._other if other else self._cell
                rows.append([name, *(write(sheet, name, y, at) for at in range(len(self.items)))])
            found[sheet] = rows
        return {sheet: grid(rows) for sheet, rows in found.items()}

    def _areas(self, at: int) -> tuple[str, str]:
        last, column = len(self.rows) + 1, get_column_letter(at + 3)
        return f"Answers!$B$2:$B${last}", f"Answers!{column}$2:{column}${last}"

    def _cell(self, sheet: str, name: str, y: int, at: int) -> str:
        who, what = self._areas(at)
        own, turned = ("" if name == ALL else f"{who},$A{y},"), self.items[at] in self.turned
        base = f"{BASE}!{get_column_letter(at + 2)}{y}"
        if sheet == BASE:
            return f'=COUNTIFS({own}{what},">=1",{what},"<=5")'
        if sheet == MEAN:
            part = f'SUMIFS({what},{own}{what},">=1",{what},"<=5")/{base}'
            return f'=IF({base}=0,"{NONE}",{"6-" if turned else ""}{part})'
        low, high = (1, 2) if turned else (4, 5)
        return f'=IF({base}=0,"{NONE}",COUNTIFS({own}{what},">={low}",{what},"<={high}")/{base})'

    def _other(self, sheet: str, name: str, y: int, at: int) -> str:
        who, what = self._areas(at)
        turned = self.items[at] in self.turned
        counts = ("" if name == ALL else f"({who}=$A{y})*") + f"({what}>=1)*({what}<=5)"
        if sheet == BASE:
            return f"=SUMPRODUCT({counts})"
        good = f"(6-{what})" if turned else what
        part = good if sheet == MEAN else f"({what}<=2)" if turned else f"({what}>=4)"
        return f'=IFERROR(SUMPRODUCT({counts}*{part})/SUMPRODUCT({counts}),"{NONE}")'


def score(answer: int, turned: bool) -> int:
    """What an answer on the scale counts."""
    return 6 - answer if turned else answer


def top(scores: Sequence[int]) -> float:
    """The share of 4 and 5."""
    return sum(one >= 4 for one in scores) / len(scores)


def opinions(draw: random.Random, departments: Sequence[str], items: Sequence[str]) -> dict[tuple[str, str], float]:
    """What a department thinks of an item on average."""
    liked = {item: draw.uniform(2.4, 4.1) for item in items}
    moods = {name: draw.uniform(-0.4, 0.4) for name in departments}
    return {(name, item): liked[item] + moods[name] for name in departments for item in items}


def answered(draw: random.Random, opinion: float, turned: bool, missing: Sequence[int | None]) -> int | None:
    """One answer as it is written down: one in eight is one of `missing`."""
    if draw.random() < 0.125:
        return draw.choice(missing)
    return score(min(5, max(1, round(draw.gauss(opinion, 1.1)))), turned)


def draw_survey(
    draw: random.Random,
    departments: int,
    items: int,
    people: int,
    missing: Sequence[int | None] = (None,),
    turned: int = 0,
) -> Survey:
    """A survey in which nobody of one department answered a certain item, and every way to give no answer occurs.

    Its first answers are not in alphabetical order of departments, and each department has several.
    """
    labels = [f"Q{number}" for number in range(1, items + 1)]
    reverse = sorted(draw.sample(labels, turned))
    while True:
        names = draw.sample(DEPARTMENTS, departments)
        thought = opinions(draw, names, labels)
        silent = (draw.choice(names), draw.choice([label for label in labels if label not in reverse]))
        rows: list[tuple[str, str, list[int | None]]] = []
        for index, number in enumerate(codes(draw, "R", people)):
            name = draw.choice(names) if index >= 4 * departments else names[index % departments]
            rows.append((number, name, [
                draw.choice(missing) if (name, label) == silent
                else answered(draw, thought[name, label], label in reverse, missing) for label in labels
            ]))  # fmt: skip
        made = Survey(sorted(names), labels, rows, reverse)
        if names != made.departments and telling(made, missing):
            return made


def telling(survey: Survey, missing: Sequence[int | None]) -> bool:
    """Whether each item has every way to give no answer, answers on both sides, and a mean that departments' is not."""
    tables = survey.tables()
    for at in range(len(survey.items)):
        given = [row[2][at] for row in survey.rows]
        if not {*missing, 4, 5} <= set(given) or not {1, 2} & set(given):
            return False
        for table in (tables[MEAN], tables[TOP]):
            *parts, whole = [row[at + 1] for row in table]
            known = [one for one in parts if one != NONE]
            if abs(sum(known) / len(known) - whole) < 0.002:
                return False
    return True
