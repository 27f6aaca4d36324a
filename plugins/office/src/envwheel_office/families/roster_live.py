"""Levels 3 and 4 of `roster`: a headcount that follows its key date, and a bridge between two days with a memo."""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import formulas, kept, live, look, table
from envwheel_office.books import extended
from envwheel_office.families.employees import LIVE, Staff, draw_staff, leap_rule, years_formula
from envwheel_office.families.movements import BRIDGE, OUTSIDE, Movements, draw_movements
from envwheel_office.family import Recipe, Wrong
from envwheel_office.kit.officekit.language_base import Anchor, Scalar
from envwheel_office.kit.officekit.language_cells import Change
from envwheel_office.papers import memo
from envwheel_office.scripts import Fault, answered, edited, rebuilt

HEADS, FLOW = "headcount.xlsx", "bridge.xlsx"
LOOKS = """
for letter in letters:
    for cell in wb[sheet][letter][1:]:
        if cell.row <= last:
            cell.number_format = "0.00"
"""
FORMATS = """
plain = new.add_format({"num_format": "#,##0.00"})
for ref, item in answer[sheet].items():
    if ref[0] in letters and str(item).startswith("="):
        sheets[sheet].write(ref, item, plain)
"""
EACH = "for ws in wb:\n    for row in ws.iter_rows():\n        for c in row:\n            if c.data_type == 'f':\n"
EACH += "                c.value = c.value.replace({})"


def serials(*days: date) -> list[Scalar]:
    """Days as a workbook's numbers."""
    return [(day - date(1899, 12, 30)).days for day in days]


def make_live(draw: random.Random) -> Recipe:
    """Level 3: who is active on the date in a cell, with FTE, bands and average years."""
    staff = draw_staff(draw, 7, 70)
    data = staff.book(["Settings", "Departments", "Employees"])
    answer, other = (staff.live_cells(side) for side in (False, True))
    rows, n, key = staff.live(), len(staff.employees) + 1, staff.key
    anchor = Anchor(headers=LIVE, sheet="Headcount")
    asked: list[Any] = [
        table("headcount", "active employees by department", HEADS, "Headcount", LIVE, rows, types="t" + "n" * 7,
              weight=4, floor=0.5),
        formulas("formulas", "Employees is computed", HEADS, anchor, "Employees",
                 ["Settings!B1", f"Employees!C2:C{n}"]),
        look("fte", "FTE has two decimals", HEADS, anchor, "FTE", decimals=2, number="number"),
        look("average", "Average years has two decimals", HEADS, anchor, "Average years", decimals=2,
             number="number"),
        live(
            "live", "the table follows the key date, dates, departments and FTE", HEADS, "reference.xlsx",
            [
                Change(how="set", range="Settings!B1:B1", count=1, values=serials(
                    key + timedelta(days=1), date(key.year - 1, 12, 31), date(2024, 2, 29), date(2023, 2, 28),
                    date(key.year - 2, 6, 30), key + timedelta(days=140))),
                Change(how="shift_days", range=f"Employees!D2:D{n}", count=8, days=400),
                Change(how="shift_days", range=f"Employees!E2:E{n}", count=3, days=50),
                Change(how="choose", range=f"Employees!C2:C{n}", count=5),
                Change(how="set", range=f"Employees!F2:F{n}", count=5, values=[1, 0.4, 0.9]),
            ],
            anchor=anchor, names=LIVE[1:], key=["Department"], seeds=5,
        ),
        kept(HEADS, "employees.xlsx", "new"),
    ]  # fmt: skip
    look_at = f"sheet, letters, last = 'Headcount', 'CH', {len(rows) + 1}\n"
    return Recipe(
        instruction=TOLD_LIVE.format(head=", ".join(LIVE), leap=leap_rule(staff.early)),
        artifacts=(HEADS,),
        solve=answered("employees.xlsx", HEADS, answer, look_at + LOOKS),
        checks=tuple(asked),
        files={"employees.xlsx": data},
        tests={"employees.xlsx": data, "reference.xlsx": extended(data, other)},
        wrongs=edited(HEADS, *live_faults(staff, n), rows=rows),
        alternatives=(
            Alternative("xlsxwriter", "XlsxWriter, single sums, months", rebuilt(
                "employees.xlsx", HEADS, other, look_at + FORMATS)),
        ),
    )  # fmt: skip


TOLD_LIVE = """
/app/employees.xlsx has the sheets Settings (B1 holds the key date), Departments (their names) and Employees (columns
No, Employee, Department, Hired, Left and FTE; Hired is the first day of work, Left the last one, blank where there is
none yet).

Save it as /app/headcount.xlsx with a further sheet Headcount: a table with a row for each department in the order of
the sheet Departments, then a row Total for the whole firm. Its headers are
{head}.

- It counts who is active on the key date: hired on it or before, and not left before it. On the last day of work
  somebody still counts.
- Employees is how many are active, FTE the sum of their FTE. The next four columns count the active employees by
  their full years of service from Hired to the key date.
- A year is full on the anniversary itself; of a 29 February the anniversary is {leap} in years without that day.
- Average years is the average of the full years (whole numbers) of the active employees, 0 where there are none. In
  the row Total it is the average over all active employees of the firm.
- Every number is a live formula: the table stays right when somebody changes the key date, or dates, departments or
  FTE of employees. No rows are added.
- FTE and Average years are shown with two decimals.
- Helper columns right of the table or on sheets of their own are fine.

The sheets Settings, Departments and Employees stay as they are.
"""


def live_faults(staff: Staff, n: int) -> list[Fault]:
    """What goes wrong at level 3."""
    leap = "=IF(A@=1," + years_formula("Employees!D@", "Settings!$B$1", not staff.early) + ",0)"
    end, key = len(staff.departments) + 1, staff.key
    return [
        ("typed", "right numbers, typed", ("formulas", "live"),
         "for y, row in enumerate(rows, 2):\n    for x, item in enumerate(row[1:], 2):\n        "
         "wb['Headcount'].cell(y, x).value = item"),
        ("one_day", "the key date is typed into the formulas", ("formulas", "live"),
         EACH.format(f"'Settings!$B$1', 'DATE({key.year},{key.month},{key.day})'")),
        ("before", "who begins on the day does not count", ("headcount",),
         EACH.format("'<=Settings!$B$1', '<Settings!$B$1'")),
        ("last_day", "who works the last day does not count", ("headcount",),
         EACH.format("'<Settings!$B$1,1', '<=Settings!$B$1,1'")),
        ("leap", "the other anniversary of a 29 February", ("headcount",),
         f"for y in range(2, {n + 1}):\n    wb['Service'][f'B{{y}}'] = {leap!r}.replace('@', str(y))"),
        ("days", "days through 365", ("headcount",),
         f"for y in range(2, {n + 1}):\n    wb['Service'][f'B{{y}}'] = "
         "f'=IF(A{y}=1,INT((Settings!$B$1-Employees!D{y})/365),0)'"),
        ("mean_of_means", "the average of averages", ("headcount",),
         f"wb['Headcount']['H{end + 1}'] = '=AVERAGE(H2:H{end})'"),
        ("nobody", "divides by nobody", ("headcount",),
         f"for y in range(2, {end + 1}):\n    c = wb['Headcount'][f'H{{y}}']\n"
         "    c.value = c.value.replace(f'IF(B{y}=0,0,', '(')"),
        ("short", "the last rows are missing", ("formulas", "live"), EACH.format(f"'${n}', '${n - 9}'")),
        ("bare", "as General", ("fte", "average"),
         "for letter in 'CH':\n    for c in wb['Headcount'][letter]:\n        c.number_format = 'General'"),
        ("touched", "a date is lost", ("kept",), "wb['Employees']['D3'] = wb['Employees']['D4'].value"),
    ]  # fmt: skip


def make_bridge(draw: random.Random) -> Recipe:
    """Level 4: headcounts on two days and what lies between them, by a memo's rules."""
    firm = draw_movements(draw, 6, 56)
    data = firm.book()
    answer, other = firm.by_movements(), firm.by_places()
    rows = firm.rows()
    n, m, k = len(firm.moves) + 1, len(firm.people) + 1, len(firm.absences) + 1
    anchor = Anchor(headers=BRIDGE, sheet="Bridge")
    contracts: list[Scalar] = ["Permanent", "Fixed-term", OUTSIDE]
    hours: list[Scalar] = [15, 24, firm.full, firm.full + 3]
    places: list[Scalar] = [*firm.departments]
    free = draw.sample(firm.settled(), 6)
    asked: list[Any] = [
        table("bridge", "both headcounts and what lies between them", FLOW, "Bridge", BRIDGE, rows,
              types="t" + "n" * 8, weight=4, floor=0.5),
        formulas("formulas", "Leavers is computed", FLOW, anchor, "Leavers", ["Settings!B1", "Settings!B2"]),
        look("fte", "FTE has two decimals", FLOW, anchor, "FTE", decimals=2, number="number"),
        live(
            "live", "the table follows both dates, movements, employees and unpaid leave", FLOW, "reference.xlsx",
            [
                Change(how="set", range="Settings!B1:B1", count=1, values=serials(
                    *(firm.opening + timedelta(days=days) for days in (-31, -1, 0, 1, 45)))),
                Change(how="set", range="Settings!B2:B2", count=1, values=serials(
                    *(firm.closing + timedelta(days=days) for days in (-59, -1, 0, 1, 61)))),
                Change(how="shift_days", range=f"Movements!B2:B{n}", count=10, days=5),
                *(Change(how="set", range=f"Movements!E{y}:E{y}", count=1, values=places) for y in free),
                Change(how="set", range=f"Employees!C2:C{m}", count=4, values=contracts),
                Change(how="set", range=f"Employees!D2:D{m}", count=5, values=hours),
                Change(how="shift_days", range=f"Unpaid!B2:C{k}", count=3, days=5),
            ],
            anchor=anchor, names=BRIDGE[1:], key=["Department"], seeds=6,
        ),
        kept(FLOW, "roster.xlsx", "new"),
    ]  # fmt: skip
    look_at = f"sheet, letters, last = 'Bridge', 'H', {len(rows) + 1}\n"
    return Recipe(
        instruction=TOLD_BRIDGE.format(head=", ".join(BRIDGE)),
        artifacts=(FLOW,),
        solve=answered("roster.xlsx", FLOW, answer, look_at + LOOKS),
        checks=tuple(asked),
        files={"roster.xlsx": data, "policy.docx": memo("How we count heads", policy(firm))},
        tests={"roster.xlsx": data, "reference.xlsx": extended(data, other)},
        skills=("spreadsheet", "formulas", "policy"),
        wrongs=bridge_wrongs(firm, rows),
        alternatives=(
            Alternative("xlsxwriter", "XlsxWriter, where everybody is on both days", rebuilt(
                "roster.xlsx", FLOW, other, look_at + FORMATS)),
        ),
    )  # fmt: skip


TOLD_BRIDGE = """
/app/roster.xlsx has these sheets:

- Settings: B1 holds the opening date, B2 the closing date.
- Departments: their names.
- Employees: No, Employee, Contract, and Hours (agreed hours a week).
- Movements: No (of the employee), Date, Kind (Hire, Transfer or Exit), From and To (departments). They stand as they
  were reported, which is not always the order of their dates; some are planned for later.
- Unpaid: No, From and To (first and last day) of unpaid leave.

Save it as /app/bridge.xlsx with a further sheet Bridge: a table with a row for each department in the order of the
sheet Departments, then a row Total with the sums of the columns. Its headers are
{head}.

What counts, and what the columns mean, stands in the memo /app/policy.docx; read it first.

- Every number is a live formula: the table stays right when somebody changes the dates in Settings, dates or
  departments of movements, contracts, hours or unpaid leave. No rows are added.
- FTE is shown with two decimals, but not rounded.
- Helper columns right of the table or on sheets of their own are fine.

The sheets Settings, Departments, Employees, Movements and Unpaid stay as they are.
"""


def policy(firm: Movements) -> list[str]:
    """The memo of level 4."""
    return [
        "The bridge leads from the headcount at the end of the opening date to that at the end of the closing date. "
        "In each row Opening + Joiners - Leavers + Transfers in - Transfers out = Closing.",
        "- We count heads, whatever their hours, also those on unpaid leave. Employees with the contract "
        f"{OUTSIDE} are counted nowhere, in no column.",
        "- A Hire or a Transfer counts from its Date on. The Date of an Exit is the last day of work: on that day the "
        "employee still counts, and the Exit counts from the day after.",
        "- Joiners, Leavers, Transfers in and Transfers out are the hires, exits and transfers whose first day of "
        "counting is later than the opening date and not later than the closing date. Each of them is counted, also "
        "where somebody has several or comes back. All are positive numbers.",
        "- A Transfer whose From and To are the same department is a change of position and no transfer.",
        f"- FTE is that of the employees in Closing. Full time is {firm.full:g} hours a week; who has fewer Hours is a "
        "share of it, who has more is 1.",
        f"- Long service is how many of the employees in Closing have {firm.least} full years of service or more on "
        "the closing date. Service begins with the last Hire up to that date; earlier employment is forgotten.",
        "- Unpaid leave is no service. Each day of it since that Hire, up to and including the closing date, lets "
        "service begin a day later.",
        "- A year is full on the anniversary of the day on which service begins; of a 29 February the anniversary is "
        f"{leap_rule(firm.early)} in years without that day.",
    ]


def bridge_wrongs(firm: Movements, rows: list[list[Any]]) -> tuple[Wrong, ...]:
    """What goes wrong at level 4: each rule of the memo forgotten once."""
    n, m = len(firm.moves) + 1, len(firm.people) + 1
    leap = f"=IF(A@=0,0,{years_formula('C@', 'Settings!$B$2', not firm.early)})"
    forgotten = {
        "contractors": ("contractors count", f"'\"{OUTSIDE}\"', '\"Nobody\"'"),
        "exit_day": ("an exit counts on its day", "'\"Exit\",1,0', '\"Exit\",0,0'"),
        "position": ("a change of position is a transfer", "'<>Movements!E', '<>Movements!A'"),
        "first_hire": ("service begins with the first hire", "'MAXIFS', 'MINIFS'"),
        "forgotten": ("unpaid leave of earlier employment counts", "'\">=\"&A', '\">=\"&0*A'"),
        "to_come": ("unpaid leave after the closing date counts", "'Settings!$B$2)-Unpaid', '60000)-Unpaid'"),
        "all_leave": ("unpaid leave is service", "'=MAX(0,MIN(', '=0*MAX(0,MIN('"),
        "hours": ("more than full time is more than 1", "'MIN(1,', 'MAX(0,'"),
        "opening_day": ("the opening date is in the bridge", "'\">\"&Settings!$B$1', '\">=\"&Settings!$B$1'"),
        "planned": ("planned movements count", "'\"<=\"&Settings!$B$2', '\"<=\"&60000'"),
    }
    return edited(
        FLOW,
        ("typed", "right numbers, typed", ("formulas", "live"),
         "for y, row in enumerate(rows, 2):\n    for x, item in enumerate(row[1:], 2):\n        "
         "wb['Bridge'].cell(y, x).value = item"),
        ("short", "what was reported late is missing", ("bridge", "live"), EACH.format(f"'${n}', '${n - 5}'")),
        *((id, why, ("bridge",), EACH.format(code)) for id, (why, code) in forgotten.items()),
        ("leap", "the other anniversary of a 29 February", ("bridge",),
         f"for y in range(2, {m + 1}):\n    wb['People'][f'D{{y}}'] = {leap!r}.replace('@', str(y))"),
        ("bare", "as General", ("fte",), "for c in wb['Bridge']['H']:\n    c.number_format = 'General'"),
        ("touched", "a movement is lost", ("kept",), "wb['Movements']['B3'] = wb['Movements']['B2'].value"),
        rows=rows,
    )  # fmt: skip
