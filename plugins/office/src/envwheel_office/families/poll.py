"""A staff survey with the rules of a codebook: sheets sent twice, codes, reversed items, small groups, weights."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

from envwheel_office.books import book
from envwheel_office.facts import DEPARTMENTS, codes
from envwheel_office.families.questionnaire import ALL, BASE, ITEMS, MEAN, TOP, answered, opinions, score

SMALL, FEW = 10, 5
OTHER, HIDDEN = "Other", f"n<{FEW}"
COMPLETE, PARTIAL = "complete", "partial"
RULES = {
    "latest": (BASE, MEAN, TOP),
    "complete": (BASE, MEAN, TOP),
    "codes": (BASE, MEAN),
    "reversed": (MEAN, TOP),
    "merged": (BASE, MEAN, TOP),
    "counted": (BASE, MEAN, TOP),
    "hidden": (MEAN, TOP),
    "weights": (MEAN, TOP),
    "own": (MEAN, TOP),
}
"""What the codebook says -> the tables that are others where it is overlooked."""
Tables = dict[str, list[list[Any]]]


@dataclass(frozen=True, slots=True)
class Sheet:
    """What somebody sent."""

    respondent: str
    submitted: date
    status: str
    department: str
    answers: tuple[int | None, ...]


@dataclass(slots=True)
class Poll:
    """`staff`: people by department; `items`: their short names, Q1 first; `turned`: which of these are reversed;
    `codes`: does not apply, don't know."""

    year: int
    staff: dict[str, int]
    items: list[str]
    turned: list[str]
    codes: tuple[int, int]
    sheets: list[Sheet]

    @property
    def labels(self) -> list[str]:
        """Q1, Q2, ..."""
        return [f"Q{number}" for number in range(1, len(self.items) + 1)]

    def book(self) -> bytes:
        """The workbook."""
        rows = [[one.respondent, one.submitted, one.status, one.department, *one.answers] for one in self.sheets]
        head = ["Respondent", "Submitted", "Status", "Department", *self.labels]
        return book({"Answers": [head, *rows], "Staff": [["Department", "Staff"], *map(list, self.staff.items())]})

    def counted(self, without: str = "") -> list[Sheet]:
        """The sheets that count, one for each person."""
        found: dict[str, Sheet] = {}
        for one in self.sheets:
            known = found.get(one.respondent)
            if one.status != COMPLETE and without != "complete":
                continue
            if known is None or without == "latest" or one.submitted > known.submitted:
                found[one.respondent] = one
        return list(found.values())

    def scores(self, sheets: Sequence[Sheet], at: int, without: str = "") -> list[tuple[int, Sheet]]:
        """What counts of the answers to an item, and in which sheet."""
        turned = self.items[at] in self.turned and without != "reversed"
        most = max(self.codes) if without == "codes" else 5
        found = [(one.answers[at], one) for one in sheets]
        return [(score(answer, turned), one) for answer, one in found if answer is not None and answer <= most]

    def rows(self, without: str = "") -> dict[str, str]:
        """Department -> the row that it is shown in."""
        counted = self.sheets if without == "counted" else self.counted(without)
        sizes = {name: sum(one.department == name for one in counted) for name in self.staff}
        return {name: OTHER if sizes[name] < SMALL and without != "merged" else name for name in sorted(self.staff)}

    def tables(self, without: str = "") -> Tables:
        """The three crosstabs; `without`: a rule of `RULES` that is overlooked."""
        counted, rows = self.counted(without), self.rows(without)
        names = [name for name in rows if name in rows.values()] + [OTHER] * (OTHER in rows.values())
        found: Tables = {BASE: [], MEAN: [], TOP: []}
        for name in names:
            own = [one for one in counted if rows[one.department] == name]
            given = [[value for value, _ in self.scores(own, at, without)] for at in range(len(self.items))]
            shown = [len(one) >= FEW or (bool(one) and without == "hidden") for one in given]
            found[BASE].append([name, *map(len, given)])
            pairs = list(zip(given, shown, strict=True))
            found[MEAN].append([name, *(sum(one) / len(one) if ok else HIDDEN for one, ok in pairs)])
            found[TOP].append([name, *(sum(v >= 4 for v in one) / len(one) if ok else HIDDEN for one, ok in pairs)])
        weights = self.weights(counted, rows, without)
        whole = [self.scores(counted, at, without) for at in range(len(self.items))]
        sums = [sum(weights[one.department] for _, one in pairs) for pairs in whole]
        found[BASE].append([ALL, *map(len, whole)])
        for sheet in (MEAN, TOP):
            parts = [
                sum(weights[one.department] * (value if sheet == MEAN else value >= 4) for value, one in pairs)
                for pairs in whole
            ]
            found[sheet].append([ALL, *(part / total for part, total in zip(parts, sums, strict=True))])
        return found

    def weights(self, counted: Sequence[Sheet], rows: dict[str, str], without: str) -> dict[str, float]:
        """How much a person of a department counts in the row of all."""
        if without == "weights":
            return dict.fromkeys(self.staff, 1.0)
        found = {}
        for name in self.staff:
            group = [name] if without != "own" else [one for one in rows if rows[one] == rows[name]]
            found[name] = sum(self.staff[one] for one in group) / sum(one.department in group for one in counted)
        return found

    def ranking(self, tables: Tables) -> list[tuple[str, float]]:
        """The items and their shares in the row of all, the highest first."""
        return sorted(zip(self.items, tables[TOP][-1][1:], strict=True), key=lambda pair: -pair[1])

    def lowest(self, tables: Tables) -> list[list[Any]]:
        """By row the base and the share of the item that is lowest."""
        at = self.items.index(self.ranking(tables)[-1][0]) + 1
        return [[one[0], one[at], other[at]] for one, other in zip(tables[BASE], tables[TOP], strict=True)]

    def best(self, tables: Tables) -> tuple[str, float]:
        """Which department is best on it."""
        known = [(name, share) for name, _, share in self.lowest(tables)[:-1] if share != HIDDEN]
        return max(known, key=lambda pair: pair[1])

    def bullets(self, tables: Tables) -> list[str]:
        """The key results."""
        ranking, (name, share) = self.ranking(tables), self.best(tables)
        return [
            f"Highest: {ranking[0][0]}, {shown(ranking[0][1])}",
            f"Lowest: {ranking[-1][0]}, {shown(ranking[-1][1])}",
            f"Best on {ranking[-1][0]}: {name}, {shown(share)}",
        ]

    def note(self, tables: Tables) -> str:
        """What stands below the chart."""
        bases = tables[BASE][-1][1:]
        return f"Weighted by staff; {min(bases)} to {max(bases)} answers by item"


def shown(share: float) -> str:
    """A share as it is written."""
    return f"{share:.1%}"


def sound(poll: Poll) -> bool:
    """Whether every rule matters, nothing is best together with something else, and no share is written by luck."""
    right = poll.tables()
    merged, few = list(poll.rows().values()).count(OTHER), [HIDDEN in row for row in right[TOP]]
    if merged != 2 or sum(few) != 1 or few[-2]:
        return False
    ranking = [share for _, share in poll.ranking(right)]
    parts = sorted((row[2] for row in poll.lowest(right)[:-1] if row[2] != HIDDEN), reverse=True)
    if min(one - other for one, other in (*pairwise(ranking), (parts[0], parts[1]))) < 0.008:
        return False
    written = [*ranking, *parts]
    if min(written) < 0.06 or any(abs(share * 1000 % 1 - 0.5) < 0.02 for share in written):
        return False
    # Without weights the lowest item reads otherwise, and the best items are not asked first.
    others = {rule: poll.tables(rule) for rule in RULES}
    if poll.bullets(others["weights"])[1] == poll.bullets(right)[1] or ranking == right[TOP][-1][1:]:
        return False
    return not any(alike(right[sheet], others[rule][sheet]) for rule, sheets in RULES.items() for sheet in sheets)


def alike(right: list[list[Any]], wrong: list[list[Any]]) -> bool:
    """Whether two tables show the same."""
    if [row[0] for row in right] != [row[0] for row in wrong]:
        return False
    pairs = [pair for one, other in zip(right, wrong, strict=True) for pair in zip(one, other, strict=True)]
    return all(
        one == other or (not isinstance(one, str) and not isinstance(other, str) and abs(one - other) < 0.006)
        for one, other in pairs
    )


def draw_poll(draw: random.Random) -> Poll:
    """A poll in which everything that the codebook speaks of occurs."""
    while True:
        made = _draw(draw)
        if sound(made):
            return made


def _draw(draw: random.Random) -> Poll:
    year = draw.choice((2020, 2021, 2022, 2023))
    names, items = draw.sample(DEPARTMENTS, 7), draw.sample(list(ITEMS), 6)
    turned = sorted(draw.sample(items, 2), key=items.index)
    known = draw.choice(((8, 9), (7, 9), (6, 7)))
    missing = (*known, *known, None)
    # How many of them count, and how many there are: some answered gladly, some did not.
    people = {name: draw.randint(12, 20) if index > 1 else draw.randint(6, 9) for index, name in enumerate(names)}
    # The small ones are as unlike as can be, so that their common weight is another.
    spans = [(4.5, 6.5), (1.1, 1.3), *[(1.1, 4.5)] * 5]
    staff = {name: round(people[name] * draw.uniform(*span)) for name, span in zip(names, spans, strict=True)}
    staff = dict(draw.sample(list(staff.items()), len(staff)))
    thought = opinions(draw, names, items)
    rare = (draw.choice(names[2:]), draw.choice(items))
    sheets: list[Sheet] = []
    start = date(year, draw.randint(2, 9), 1)
    numbers = codes(draw, "R", sum(people.values()) + 6)
    draw.shuffle(numbers)

    def sheet(number: str, name: str, day: int, status: str = COMPLETE) -> Sheet:
        given = [
            draw.choice(known) if (name, item) == rare and draw.random() < 0.78
            else answered(draw, thought[name, item], item in turned, missing) for item in items
        ]  # fmt: skip
        if status == PARTIAL:
            cut = draw.randint(2, 4)
            given[cut:] = [None] * (len(given) - cut)
        return Sheet(number, start + timedelta(days=day), status, name, tuple(given))

    everybody = [(numbers.pop(), name) for name, count in people.items() for _ in range(count)]
    for number, name in everybody:
        sheets.append(sheet(number, name, draw.randint(4, 20)))
    # Earlier complete sheets, later incomplete ones, incomplete ones alone; the small department looks large by them.
    busy = [(number, name) for number, name in everybody if name == names[0]][:4]
    for number, name in [*busy, *draw.sample(everybody, 8)]:
        sheets.append(sheet(number, name, draw.randint(0, 3)))
    for number, name in draw.sample(everybody, 8):
        sheets.append(sheet(number, name, draw.randint(21, 27), PARTIAL))
    for number in numbers:
        sheets.append(sheet(number, draw.choice(names[1:]), draw.randint(0, 27), PARTIAL))
    draw.shuffle(sheets)
    days = {(one.respondent, one.submitted) for one in sheets}
    return Poll(year, staff, items, turned, known, sheets) if len(days) == len(sheets) else _draw(draw)
