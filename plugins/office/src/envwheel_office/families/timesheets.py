"""Timesheets to pay: hours by day, weekly overtime, shifts past midnight, live formulas, a memo's supplements."""

from __future__ import annotations

import random
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import cell, formulas, kept, live, look, table, value
from envwheel_office.books import extended, grid
from envwheel_office.facts import rng
from envwheel_office.families.shifts import PAY, Roster, draw_roster
from envwheel_office.family import OfficeFamily, Recipe
from envwheel_office.kit.officekit.language_base import Anchor
from envwheel_office.kit.officekit.language_cells import Change
from envwheel_office.papers import memo
from envwheel_office.scripts import Fault, answered, edited, rebuilt

ID = "timesheets"
FILE = "pay.xlsx"
GIVEN = """/app/punches.xlsx has the sheet Punches (columns Employee, Date, In, Out, Break; In and Out are times of day,
Break is in minutes)"""


def make_total(draw: random.Random) -> Recipe:
    """Level 0: minutes of breaks in one cell."""
    roster = draw_roster(draw, 4, 4, night=0)
    data = roster.book(["Punches"])
    last = len(roster.punches) + 1
    total = sum(punch.rest for punch in roster.punches)
    return Recipe(
        instruction=f"""
{GIVEN}. Save a copy as /app/{FILE} in which cell H1 of the sheet Punches holds the sum of the column Break, as a number
or a formula. Change nothing else.
""",
        artifacts=(FILE,),
        solve=answered("punches.xlsx", FILE, {"Punches": {"H1": f"=SUM(E2:E{last})"}}),
        checks=(
            value("total", "H1 holds the sum of the column Break", FILE, cell("Punches!H1"), total),
            kept(FILE, "punches.xlsx", "Punches!H1"),
        ),
        files={"punches.xlsx": data},
        tests={"punches.xlsx": data},
        wrongs=edited(
            FILE,
            ("count", "counts", ("total",), f"wb['Punches']['H1'] = '=COUNT(E2:E{last})'"),
            ("short", "a row is missing", ("total",), f"wb['Punches']['H1'] = '=SUM(E3:E{last})'"),
            ("touched", "a break is lost", ("kept",), "wb['Punches']['E3'] = 7"),
        ),
        alternatives=(
            Alternative("number", "XlsxWriter, a number", rebuilt("punches.xlsx", FILE, {"Punches": {"H1": total}})),
        ),
    )  # fmt: skip


RULES = {
    1: """- Hours of a row are Out minus In minus Break, in hours as a decimal number (7 hours 30 minutes are 7.5).
""",
    2: """- Hours of a row are Out minus In minus Break, in hours as a decimal number (7 hours 30 minutes are 7.5).
- Where Out is earlier than In, the shift ends on the next day.
- Of an employee's hours of a day (the date of In; there is one row for each), what is above 8 is Overtime.
""",
    3: """- Hours of a row are Out minus In minus Break, in hours as a decimal number (7 hours 30 minutes are 7.5).
- Where Out is earlier than In, the shift ends on the next day. It belongs to the day on which it began.
- Of an employee's hours of a day (there is one row for each), what is above 8 is Overtime.
- Pay is Hours times the employee's hourly wage of the sheet Staff, plus half of that wage for each hour of Overtime.
""",
}
POLICY = (
    "- Hours of a shift are from In to Out, less the break, as a decimal number. Where Out is earlier than In, the "
    "shift ends on the next day; it belongs to the day on which it began.",
    "- A shift of more than 6 hours between In and Out has a break of at least 30 minutes, whatever was punched.",
    "- What is above 8 hours in a shift is Overtime. An hour of it is paid half the wage on top.",
    "- A shift that begins on a Saturday or Sunday is weekend work: all its hours are paid a quarter of the wage on "
    "top (beside what overtime brings).",
    "- Pay is rounded to cents for each employee, once, at the end. The row Total adds up the rounded amounts.",
)


def make_pay(level: int, draw: random.Random) -> Recipe:
    """Levels 1 to 4: a row for each employee."""
    roster = draw_roster(draw, 4 + level, 8 + 2 * level, night=level > 1, memo=level == 4)
    sheets = ["Punches"] if level < 3 else ["Punches", "Staff"]
    data = roster.book(sheets)
    names = PAY[level]
    anchor = Anchor(headers=names, sheet="Pay")
    answer, other = ({"Pay": roster.formulas(level, side)} for side in (False, True))
    rows = roster.pay(level)
    n = len(roster.punches) + 1
    told = told_pay(level, names, sheets)
    asked: list[Any] = [
        table("pay", "hours and pay by employee, with totals", FILE, "Pay", names, rows,
              types="t" + "n" * (len(names) - 1), weight=4, tol=0.004, floor=0.1),
        look("format", "numbers have two decimals", FILE, anchor, "Hours", decimals=2, number="number"),
        kept(FILE, "punches.xlsx", "new"),
    ]  # fmt: skip
    tests: dict[str, str | bytes] = {"punches.xlsx": data}
    if level > 2:
        tests["reference.xlsx"] = extended(data, other)
        asked += [
            formulas("formulas", "Pay is computed", FILE, anchor, "Pay", [f"Staff!B2:B{len(roster.staff) + 1}"]),
            live(
                "live", "the table follows times, breaks and wages", FILE, "reference.xlsx",
                [
                    Change(how="set", range=f"Punches!D2:D{n}", count=5, values=[0.05, 0.2, 0.6, 0.71, 0.9375]),
                    Change(how="set", range=f"Punches!E2:E{n}", count=5, values=[0, 15, 45, 60]),
                    Change(how="choose", range=f"Punches!A2:A{n}", count=3),
                    Change(how="scale", range=f"Staff!B2:B{len(roster.staff) + 1}", count=2),
                ],
                anchor=anchor, names=names[1:], key=["Employee"],
            ),
        ]  # fmt: skip
    files: dict[str, str | bytes] = {"punches.xlsx": data}
    if level == 4:
        files["policy.docx"] = memo("Working time and pay", POLICY)
    return Recipe(
        instruction=told,
        artifacts=(FILE,),
        solve=answered("punches.xlsx", FILE, answer, LOOKS),
        checks=tuple(asked),
        files=files,
        tests=tests,
        skills=("finance", "policy", "formulas") if level == 4 else (),
        wrongs=edited(FILE, *faults(level, roster, rows), rows=rows),
        alternatives=(
            Alternative("xlsxwriter", "XlsxWriter, other formulas", rebuilt("punches.xlsx", FILE, other, FORMATS)),
            *([Alternative("typed", "numbers", answered(
                "punches.xlsx", FILE, {"Pay": grid([names, *rows])}, LOOKS))] if level < 3 else []),
        ),
    )  # fmt: skip


def told_pay(level: int, names: list[str], sheets: list[str]) -> str:
    """The instruction of levels 1 to 4."""
    staff = " and the sheet Staff (Employee, Wage: EUR an hour)" if level > 2 else ""
    order = "the order of the sheet Staff" if level > 2 else "alphabetical order"
    follow = """
- Every number is a live formula: the table stays right when somebody changes names, times, breaks or wages."""
    rules = RULES.get(level, "The rules stand in the memo /app/policy.docx; read it first.\n").rstrip()
    keep = "sheets Punches and Staff stay as they are" if len(sheets) > 1 else "sheet Punches stays as it is"
    return f"""
{GIVEN}{staff}.

Save it as /app/{FILE} with a further sheet Pay: a table with the headers {", ".join(names)}, a row for
each employee in {order}, then a row Total with the sums of the columns.

{rules}{follow if level > 2 else ""}
- Shifts is how many rows an employee has. The other numbers are shown with two decimals.
- Helper columns right of the table or on sheets of their own are fine.

The {keep}.
"""


LOOKS = """
for row in wb["Pay"].iter_rows(min_row=2, min_col=3, max_col=6):
    for cell in row:
        cell.number_format = "0.00"
"""
FORMATS = """
plain = new.add_format({"num_format": "#,##0.00"})
for ref, item in answer["Pay"].items():
    if ref[0] in "CDEF" and str(item).startswith("="):
        sheets["Pay"].write(ref, item, plain)
"""


def faults(level: int, roster: Roster, rows: list[list[Any]]) -> list[Fault]:
    """What goes wrong at this level."""
    n = len(roster.punches) + 1
    each = "for row in wb['Pay'].iter_rows(min_row=2):\n    for c in row:\n        c.value = str(c.value).replace({}) "
    each += "if c.data_type == 'f' else c.value"
    found: list[Fault] = [
        ("no_break", "breaks count as work", ("pay",), each.format("'$H$2:$H$', '$J$2:$J$'")),
        ("short", "the last five rows are missing", ("pay",), each.format(f"'${n}', '${n - 5}'")),
        ("no_total", "no row Total", ("pay",), f"wb['Pay'].delete_rows({len(rows) + 1})"),
        ("bare", "as General", ("format",), "for c in wb['Pay']['C']:\n    c.number_format = 'General'"),
        ("touched", "a break is lost", ("kept",), "wb['Punches']['E3'] = 7"),
    ]
    if level > 1:
        found += [
            (
                "midnight",
                "shifts past midnight are negative",
                ("pay",),
                each.format("'IF(Punches!D', 'IF(1+Punches!D'"),
            ),
            ("nine", "overtime above 9 hours", ("pay",), each.format("'-8', '-9'")),
        ]
    if level > 2:
        found += [
            ("typed", "right numbers, typed", ("formulas", "live"),
             "for y, row in enumerate(rows, 2):\n    for x, item in enumerate(row[1:], 2):\n        "
             "wb['Pay'].cell(y, x).value = item"),
        ]  # fmt: skip
    if level > 3:
        found += [
            ("weekdays", "no weekend", ("pay",), each.format("'>5', '>7'")),
            ("long", "breaks as punched", ("pay",), each.format("'>6', '>60'")),
            ("unrounded", "pay is not rounded", ("pay",), each.format("'=ROUND(', '=SUM('")),
        ]
    return found


def make(level: int, seed: int) -> Recipe:
    """0: a sum; 1: hours; 2: overtime, midnight; 3: live pay; 4: a memo."""
    draw = rng(ID, level, seed)
    return make_total(draw) if level == 0 else make_pay(level, draw)


FAMILY = OfficeFamily.of(ID, "Timesheets and pay", ("finance", "formulas"), make)
