"""The arithmetic of surveys, against figures that were worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from envwheel_office.facts import rng
from envwheel_office.families.poll import RULES, Poll, Sheet, alike, draw_poll
from envwheel_office.families.questionnaire import ALL, BASE, MEAN, TOP, Survey

SURVEY = Survey(
    ["Legal", "Sales"],
    ["Q1", "Q2"],
    [("R1", "Sales", [5, 1]), ("R2", "Sales", [4, 9]), ("R3", "Sales", [2, None]), ("R4", "Legal", [None, 99])],
    ["Q2"],
)


def test_codes_and_blanks_are_in_no_base_and_reversed_items_count_as_6_minus_the_answer() -> None:
    tables = SURVEY.tables()
    assert tables[BASE] == [["Legal", 0, 0], ["Sales", 3, 1], [ALL, 3, 1]]
    assert tables[MEAN] == [
        ["Legal", "n/a", "n/a"],
        ["Sales", pytest.approx(11 / 3), 5],
        [ALL, pytest.approx(11 / 3), 5],
    ]
    assert tables[TOP] == [["Legal", "n/a", "n/a"], ["Sales", pytest.approx(2 / 3), 1], [ALL, pytest.approx(2 / 3), 1]]


def sent(number: int, name: str, answer: int | None, day: int = 1, status: str = "complete") -> Sheet:
    return Sheet(f"R{number}", date(2023, 5, day), status, name, (answer,))


def poll() -> Poll:
    """Ten of Sales answered 4, two of Legal and three of Service 2; everything else must not count."""
    sheets = [sent(number, "Sales", 4) for number in range(10)]
    sheets += [sent(20, "Legal", 2), sent(21, "Legal", 2), sent(22, "Legal", 8)]
    sheets += [sent(number, "Service", 2) for number in (30, 31, 32)]
    sheets += [sent(0, "Sales", 1, 9, "partial"), sent(40, "Sales", 1, 2, "partial"), sent(20, "Legal", 5, 3)]
    sheets.append(sent(20, "Legal", 2, 4))
    sheets.insert(0, sheets.pop())
    return Poll(2023, {"Sales": 20, "Legal": 30, "Service": 6}, ["Pay"], [], (8, 9), sheets)


def test_the_latest_complete_sheet_of_each_respondent_counts() -> None:
    found = {one.respondent: one.answers[0] for one in poll().counted()}
    assert len(found) == 16
    assert (found["R0"], found["R20"], "R40" in found) == (4, 2, False)


def test_small_departments_are_one_row_and_all_is_weighted_by_staff() -> None:
    tables = poll().tables()
    assert tables[BASE] == [["Sales", 10], ["Other", 5], [ALL, 15]]
    # Weights: Sales 20 / 10 = 2, Legal 30 / 3 = 10, Service 6 / 3 = 2; two of Legal answered.
    assert tables[TOP] == [["Sales", 1.0], ["Other", 0.0], [ALL, pytest.approx(20 / (20 + 20 + 6))]]
    assert tables[MEAN][-1] == [ALL, pytest.approx((4 * 20 + 2 * 26) / 46)]


def test_few_answers_are_not_shown() -> None:
    made = poll()
    made.sheets = [replace(one, answers=(9,)) if one.respondent == "R30" else one for one in made.sheets]
    tables = made.tables()
    assert [tables[sheet][1] for sheet in (BASE, MEAN, TOP)] == [["Other", 4], ["Other", "n<5"], ["Other", "n<5"]]


def test_every_rule_of_the_codebook_matters_for_every_seed() -> None:
    for seed in range(8):
        made = draw_poll(rng("survey", 4, seed))
        right = made.tables()
        for rule, sheets in RULES.items():
            assert not any(alike(right[sheet], made.tables(rule)[sheet]) for sheet in sheets), (seed, rule)
