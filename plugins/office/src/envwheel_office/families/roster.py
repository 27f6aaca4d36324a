"""Employees to headcounts: a count, FTE by department, tenure at a key date, live formulas, a bridge by a memo."""

from __future__ import annotations

import random
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import cell, kept, look, table, value
from envwheel_office.facts import rng
from envwheel_office.families import roster_live
from envwheel_office.families.employees import HEADCOUNT, TENURE, draw_staff, leap_rule
from envwheel_office.family import OfficeFamily, Recipe
from envwheel_office.kit.officekit.language_base import Anchor
from envwheel_office.scripts import answered, edited, python, rebuilt, swapped

ID = "roster"
GIVEN = """/app/employees.xlsx has the sheet Employees (columns No, Employee, Department, Hired, Left and FTE; Hired is
the first day of work, Left the last one, blank where there is none yet)"""


def make_count(draw: random.Random) -> Recipe:
    """Level 0: how many employees one department has."""
    staff = draw_staff(draw, 4, 26)
    data = staff.book(["Employees"])
    name, n = staff.employees[-1].department, len(staff.employees) + 1
    total = sum(one.department == name for one in staff.employees)
    formula = f'=COUNTIF(C2:C{n},"{name}")'
    return Recipe(
        instruction=f"""
{GIVEN}.

Save a copy as /app/count.xlsx in which cell J1 of that sheet holds how many rows belong to the department {name}
(whether or not somebody has left), as a number or a formula. Change nothing else.
""",
        artifacts=("count.xlsx",),
        solve=answered("employees.xlsx", "count.xlsx", {"Employees": {"J1": formula}}),
        checks=(
            value("count", f"J1 holds the number of rows of {name}", "count.xlsx", cell("Employees!J1"), total),
            kept("count.xlsx", "employees.xlsx", "Employees!J1"),
        ),
        files={"employees.xlsx": data},
        tests={"employees.xlsx": data},
        wrongs=edited(
            "count.xlsx",
            ("all", "all departments", ("count",), f"wb['Employees']['J1'] = '=COUNTA(C2:C{n})'"),
            ("short", "the last row is missing", ("count",),
             f"wb['Employees']['J1'] = '=COUNTIF(C2:C{n - 1},\"{name}\")'"),
            ("touched", "a date is lost", ("kept",), "wb['Employees']['D3'] = None"),
        ),
        alternatives=(
            Alternative("number", "XlsxWriter, a number", rebuilt(
                "employees.xlsx", "count.xlsx", {"Employees": {"J1": total}})),
        ),
    )  # fmt: skip


HEADS = """
from openpyxl import load_workbook

wb = load_workbook("/app/employees.xlsx")
found = {}
for no, name, department, hired, left, fte in wb["Employees"].iter_rows(min_row=2, values_only=True):
    found.setdefault(department, []).append(fte)
ws = wb.create_sheet("Headcount")
for letter in "ABCDE":
    ws.column_dimensions[letter].width = 16
ws.append(["Department", "Employees", "Part-time", "FTE", "Average FTE"])
everybody = [fte for each in found.values() for fte in each]
for department, each in [*sorted(found.items()), ("Total", everybody)]:
    part = sum(fte < 1 for fte in each)
    ws.append([department, len(each), part, sum(each), sum(each) / len(each)])
for row in ws.iter_rows(min_row=2, min_col=4):
    for cell in row:
        cell.number_format = "0.00"
wb.save("/app/headcount.xlsx")
"""
HEADS_FORMATS = """
plain = new.add_format({"num_format": "#,##0.00"})
for ref, item in answer["Headcount"].items():
    if ref[0] in "DE" and str(item).startswith("="):
        sheets["Headcount"].write(ref, item, plain)
"""


def make_headcount(draw: random.Random) -> Recipe:
    """Level 1: employees and FTE by department."""
    staff = draw_staff(draw, 6, 44)
    data = staff.book(["Employees"])
    rows, file = staff.headcount(), "headcount.xlsx"
    end = len(rows)
    anchor = Anchor(headers=HEADCOUNT, sheet="Headcount")
    return Recipe(
        instruction=f"""
{GIVEN}.

Save it as /app/{file} with a further sheet Headcount: a table with the headers {", ".join(HEADCOUNT)},
a row for each department in alphabetical order, then a row Total for the whole firm.

- Every row of the sheet Employees counts, whether or not somebody has left.
- Employees is how many there are, Part-time how many of them have an FTE below 1, FTE the sum of their FTE.
- Average FTE is FTE divided by Employees, in the row Total, too.
- FTE and Average FTE are shown with two decimals.

Numbers or formulas, as you like. The sheet Employees stays as it is.
""",
        artifacts=(file,),
        solve=python(HEADS),
        checks=(
            table("headcount", "employees and FTE by department, with a total", file, "Headcount", HEADCOUNT, rows,
                  types="tnnnn", weight=4, floor=0.1),
            look("fte", "FTE has two decimals", file, anchor, "FTE", decimals=2, number="number"),
            look("average", "Average FTE has two decimals", file, anchor, "Average FTE", decimals=2, number="number"),
            kept(file, "employees.xlsx", "new"),
        ),
        files={"employees.xlsx": data},
        tests={"employees.xlsx": data},
        wrongs=(
            *swapped(
                HEADS, python,
                ("stayers", "only who has not left", ("headcount",), "    found.set", "    left or found.set"),
                ("full", "counts full time", ("headcount",), "fte < 1", "fte >= 1"),
                ("reversed", "Z to A", ("headcount",), "sorted(found.items())", "sorted(found.items(), reverse=True)"),
                ("no_total", "no row Total", ("headcount",), ', ("Total", everybody)]', "]"),
                ("bare", "as General", ("fte", "average"), '"0.00"', '"General"'),
            ),
            *edited(
                file,
                ("mean_of_means", "the average of averages", ("headcount",),
                 f"wb['Headcount']['E{end + 1}'] = '=AVERAGE(E2:E{end})'"),
                ("touched", "an FTE is lost", ("kept",), "wb['Employees']['F3'] = 0.1"),
            ),
        ),
        alternatives=(
            Alternative("formulas", "XlsxWriter, formulas", rebuilt(
                "employees.xlsx", file, {"Headcount": staff.headcount_cells()}, HEADS_FORMATS)),
        ),
    )  # fmt: skip


SERVICE = """
import datetime
from openpyxl import load_workbook

wb = load_workbook("/app/employees.xlsx")
key = datetime.datetime(*day)
bands = [1, 5, 10, 99]
active, counts = [], {}
for no, name, department, hired, left, fte in wb["Employees"].iter_rows(min_row=2, values_only=True):
    row = counts.setdefault(department, [0, 0, 0, 0, 0])
    if hired > key or (left and left < key):
        continue
    due = (hired.month, hired.day)
    if due == (2, 29) and early:
        due = (2, 28)
    years = key.year - hired.year - ((key.month, key.day) < due)
    active.append([no, name, department, years])
    row[next(at for at, end in enumerate(bands) if years < end)] += 1
    row[4] += 1
service, tenure = wb.create_sheet("Service"), wb.create_sheet("Tenure")
for letter in "ABCDEF":
    service.column_dimensions[letter].width = tenure.column_dimensions[letter].width = 18
service.append(["No", "Employee", "Department", "Years"])
for row in active:
    service.append(row)
tenure.append(["Department", "Under 1", "1 to 4", "5 to 9", "10 or more", "Total"])
for department in sorted(counts):
    tenure.append([department, *counts[department]])
tenure.append(["Total", *map(sum, zip(*counts.values()))])
wb.save("/app/tenure.xlsx")
"""
RULES = """
- Active on that day is who was hired on it or before and has not left before it: on the last day of work somebody
  still counts.
- Years are the full years of service from Hired to that day. A year is full on the anniversary itself; of a
  29 February the anniversary is {leap} in years without that day.
"""


def make_tenure(draw: random.Random) -> Recipe:
    """Level 2: who is active on a key date, with full years, and a crosstab of departments and bands."""
    staff = draw_staff(draw, 7, 60)
    data = staff.book(["Employees"])
    given: dict[str, Any] = {"day": (staff.key.year, staff.key.month, staff.key.day), "early": staff.early}
    names, file = ["No", "Employee", "Department", "Years"], "tenure.xlsx"
    return Recipe(
        instruction=f"""
{GIVEN}.

Save it as /app/{file} with two further sheets that say how things stand on {staff.key.day} {staff.key:%B %Y}:

- Service: a table with the headers {", ".join(names)}, a row for each active employee in the order
  of the sheet Employees.
- Tenure: a table with the headers {", ".join(TENURE)}, a row for each department of
  the sheet Employees in alphabetical order (also for one of which nobody is active), then a row Total with the sums of
  the columns. It counts the active employees by their Years; a cell where there is nobody holds 0.
{RULES.format(leap=leap_rule(staff.early))}
Numbers or formulas, as you like. The sheet Employees stays as it is.
""",
        artifacts=(file,),
        solve=python(SERVICE, **given),
        checks=(
            table("service", "the active employees with their full years", file, "Service", names, staff.service(),
                  types="tttn", floor=0.7),
            table("tenure", "active employees by department and years", file, "Tenure", TENURE, staff.tenure(),
                  types="tnnnnn", floor=0.4),
            kept(file, "employees.xlsx", "new"),
        ),
        files={"employees.xlsx": data},
        tests={"employees.xlsx": data},
        wrongs=(
            *swapped(
                SERVICE, lambda text: python(text, **given),
                ("before", "who begins on the day does not count", ("service", "tenure"), "hired > key",
                 "hired >= key"),
                ("last_day", "who works the last day does not count", ("service", "tenure"), "left < key",
                 "left <= key"),
                ("leap", "the other anniversary of a 29 February", ("service", "tenure"), "and early", "and not early"),
                ("calendar", "the difference of the years", ("service", "tenure"), " - ((key.month, key.day) < due)",
                 ""),
                ("days", "days through 365", ("service", "tenure"),
                 "key.year - hired.year - ((key.month, key.day) < due)", "(key - hired).days // 365"),
                ("after", "a year is full a day later", ("service", "tenure"), "key.day) < due", "key.day) <= due"),
                ("band", "five years are in the band 1 to 4", ("tenure",), "if years < end", "if years <= end"),
                ("nobody", "no row for a department without anybody", ("tenure",), "in sorted(counts):",
                 "in sorted(d for d in counts if counts[d][4]):"),
                ("no_total", "no row Total", ("tenure",), 'tenure.append(["Total",', 'print(["Total",'),
            ),
            *edited(
                file,
                ("touched", "a department is changed", ("kept",), "wb['Employees']['C3'] = 'Elsewhere'"),
            ),
        ),
        alternatives=(
            Alternative("formulas", "XlsxWriter, formulas over months", rebuilt(
                "employees.xlsx", file, staff.tenure_cells())),
        ),
    )  # fmt: skip


def make(level: int, seed: int) -> Recipe:
    """0: a count; 1: headcount and FTE; 2: tenure on a day; 3: live; 4: a bridge between two days, a memo."""
    draw = rng(ID, level, seed)
    if level < 3:
        return (make_count, make_headcount, make_tenure)[level](draw)
    return (roster_live.make_live, roster_live.make_bridge)[level - 3](draw)


FAMILY = OfficeFamily.of(ID, "HR roster and headcount", ("spreadsheet", "formulas", "analysis"), make)
