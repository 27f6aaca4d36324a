"""The arithmetic of the family `roster`: full years, and the bridge between two headcounts, against hand-made facts."""

from __future__ import annotations

import random
from datetime import date

import pytest

from envwheel_office.families.employees import anniversary, draw_staff, full_years
from envwheel_office.families.movements import Absence, Move, Movements, Person, draw_movements


@pytest.mark.parametrize(
    ("start", "end", "early", "years"),
    [
        (date(2016, 2, 28), date(2021, 2, 27), True, 4),
        (date(2016, 2, 28), date(2021, 2, 28), True, 5),
        (date(2016, 2, 29), date(2021, 2, 28), True, 5),
        (date(2016, 2, 29), date(2021, 2, 28), False, 4),
        (date(2016, 2, 29), date(2021, 3, 1), False, 5),
        (date(2016, 2, 29), date(2024, 2, 28), True, 7),
        (date(2016, 2, 29), date(2024, 2, 29), False, 8),
        (date(2016, 3, 1), date(2021, 2, 28), True, 4),
        (date(2020, 12, 31), date(2021, 1, 1), True, 0),
    ],
)
def test_a_year_is_full_on_its_anniversary(start: date, end: date, early: bool, years: int) -> None:
    assert full_years(start, end, early) == years
    assert anniversary(start, years, early) <= end < anniversary(start, years + 1, early)


def firm() -> Movements:
    people = [
        Person("E1", "Ann", "Permanent", 30),
        Person("E2", "Bob", "Permanent", 44),
        Person("E3", "Cid", "Contractor", 40),
        Person("E4", "Dot", "Permanent", 20),
        Person("E5", "Eve", "Permanent", 40),
    ]
    moves = [
        Move("E1", date(2010, 1, 1), "Hire", None, "Sales"),
        Move("E1", date(2025, 2, 28), "Transfer", "Sales", "Legal"),
        Move("E2", date(2020, 3, 10), "Hire", None, "Legal"),
        Move("E2", date(2024, 6, 1), "Transfer", "Legal", "Legal"),
        Move("E3", date(2024, 6, 1), "Hire", None, "Sales"),
        Move("E4", date(2015, 1, 1), "Hire", None, "Sales"),
        Move("E4", date(2024, 2, 28), "Exit", "Sales", None),
        Move("E4", date(2024, 9, 1), "Hire", None, "Sales"),
        Move("E5", date(2012, 1, 1), "Hire", None, "Legal"),
        Move("E5", date(2025, 2, 28), "Exit", "Legal", None),
        Move("E5", date(2025, 5, 1), "Hire", None, "Sales"),
    ]
    absences = [Absence("E4", date(2016, 1, 1), date(2016, 12, 31)), Absence("E5", date(2025, 2, 1), date(2025, 2, 20))]
    days = (date(2024, 2, 28), date(2025, 2, 28))
    return Movements(*days, 40, 5, True, ["Sales", "Legal"], people, moves, absences)


def test_the_bridge_of_a_small_firm() -> None:
    assert firm().rows() == [
        ["Sales", 2, 1, 1, 0, 1, 1, 0.5, 0],
        ["Legal", 2, 0, 0, 1, 0, 3, 2.75, 2],
        ["Total", 4, 1, 1, 1, 1, 4, 3.25, 2],
    ]


def test_unpaid_leave_is_no_service_from_the_last_hire_to_the_closing_date() -> None:
    one = firm()
    assert [one.years(no) for no in ("E1", "E2", "E4", "E5")] == [15, 4, 0, 13]
    one.absences = [
        Absence("E1", date(2024, 1, 1), date(2024, 2, 27)),
        Absence("E1", date(2025, 2, 28), date(2030, 1, 1)),
    ]
    assert one.years("E1") == 14
    one.absences.pop(0)
    assert one.years("E1") == 15


@pytest.mark.parametrize("seed", range(20))
def test_every_bridge_closes_and_moves_agree_with_places(seed: int) -> None:
    made = draw_movements(random.Random(seed), 6, 56)
    for _, opening, joiners, leavers, came, went, closing, fte, long in made.rows():
        assert opening + joiners - leavers + came - went == closing
        assert 0 <= long <= closing >= fte > 0
    assert made.rows()[-1][4] == made.rows()[-1][5]
    for person in made.people:
        mine = sorted((move for move in made.moves if move.no == person.no), key=lambda move: move.day)
        assert [move.origin for move in mine] == [None, *(move.target for move in mine[:-1])]


@pytest.mark.parametrize("seed", range(20))
def test_crosstab_and_list_of_the_active_agree(seed: int) -> None:
    staff = draw_staff(random.Random(seed), 7, 60)
    *rows, total = staff.tenure()
    assert total[-1] == len(staff.service()) == sum(row[-1] for row in rows)
    assert 0 in [row[-1] for row in rows]
    one, *means = (row[4] for row in reversed(staff.headcount()))
    assert abs(one - sum(means) / len(means)) > 0.02
