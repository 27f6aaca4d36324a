"""Budget against actuals: sums, a summary, live formulas, marks and a chart, a month to choose and a memo's rules."""

from __future__ import annotations

import random
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import kept, look, table
from envwheel_office.facts import MONTHS, rng
from envwheel_office.families import budget_variance_live
from envwheel_office.families.budget_plan import HEAD, draw_plan
from envwheel_office.family import OfficeFamily, Recipe
from envwheel_office.kit.officekit.language_base import Anchor
from envwheel_office.scripts import answered, edited, python, rebuilt, swapped

ID = "budget_variance"


def make_sums(draw: random.Random) -> Recipe:
    """Level 0: a column of sums."""
    plan = draw_plan(draw, 6, 0)
    data = plan.book(["Budget"])
    last = len(plan.departments) + 1
    answer: dict[str, dict[str, Any]] = {"Budget": {"N1": "Year"}}
    answer["Budget"] |= {f"N{y}": f"=SUM(B{y}:M{y})" for y in range(2, last + 1)}
    rows = [[name, sum(plan.budget[name])] for name in plan.departments]
    typed = "for y, row in enumerate(rows, 2):\n    wb['Budget'].cell(y, 14).value = row[1]"
    return Recipe(
        instruction="""
/app/budget.xlsx has one sheet, Budget: a row for each department, a column for each month from Jan to Dec.

Save a copy as /app/year.xlsx in which column N of that sheet has the header Year in N1 and, below it, the sum of the
twelve months for each department. Numbers or formulas, as you like. Change nothing else.
""",
        artifacts=("year.xlsx",),
        solve=answered("budget.xlsx", "year.xlsx", answer),
        checks=(
            table(
                "sums", "the sum of the twelve months by department", "year.xlsx", "Budget", ["Department", "Year"],
                rows, types="tn",
            ),
            kept("year.xlsx", "budget.xlsx", f"Budget!N1:N{last}"),
        ),
        files={"budget.xlsx": data},
        tests={"budget.xlsx": data},
        wrongs=edited(
            "year.xlsx",
            ("eleven", "December is missing", ("sums",),
             f"for y in range(2, {last + 1}):\n    wb['Budget'][f'N{{y}}'] = f'=SUM(B{{y}}:L{{y}})'"),
            ("first", "only the first row", ("sums",),
             f"for y in range(3, {last + 1}):\n    wb['Budget'][f'N{{y}}'] = None"),
            ("touched", "a month is lost", ("kept",), typed + "\nwb['Budget']['C3'] = 0", ),
            rows=rows,
        ),
        alternatives=(
            Alternative("typed", "XlsxWriter, numbers", rebuilt(
                "budget.xlsx", "year.xlsx",
                {"Budget": {"N1": "Year", **{f"N{y}": row[1] for y, row in enumerate(rows, 2)}}},
            )),
        ),
    )  # fmt: skip


SUMMARY = """
from openpyxl import load_workbook

wb = load_workbook("/app/budget.xlsx")
spent = {}
for when, department, account, amount in wb["Actuals"].iter_rows(min_row=2, values_only=True):
    if when.month <= month:
        spent[department] = spent.get(department, 0) + amount
ws = wb.create_sheet("Summary")
for letter in "ABCDEFGH":
    ws.column_dimensions[letter].width = 16
ws.append(["Department", "Budget", "Actual", "Variance", "Variance %"])
for row in wb["Budget"].iter_rows(min_row=2, values_only=True):
    budget, actual = sum(row[1:month + 1]), spent.get(row[0], 0)
    ws.append([row[0], budget, actual, actual - budget, (actual - budget) / budget])
for row in ws.iter_rows(min_row=2, min_col=2):
    for cell in row:
        cell.number_format = "0.0%" if cell.column == 5 else "#,##0.00"
wb.save("/app/summary.xlsx")
"""


def make_summary(draw: random.Random) -> Recipe:
    """Level 1: a summary for the first months of the year, as values."""
    month = draw.randint(4, 9)
    plan = draw_plan(draw, 7, 90, month)
    data = plan.book(["Budget", "Actuals"])
    given = {"month": month}
    anchor = Anchor(headers=HEAD, sheet="Summary")
    formula = plan.formulas(other=True, month=str(month), blank=False)
    return Recipe(
        instruction=f"""
/app/budget.xlsx has two sheets: Budget (a row for each department, a column for each month from Jan to Dec) and Actuals
(the postings of {plan.year}, with the columns Date, Department, Account and Amount).

Save it as /app/summary.xlsx with a further sheet Summary that compares the two for January to {MONTHS[month - 1]}
{plan.year}, both included: a table with the headers {", ".join(HEAD)}, a row for each department in the order of the
sheet Budget.

- Budget and Actual are sums over these months. A department without postings has Actual 0.
- Variance is Actual minus Budget; Variance % is Variance divided by Budget.
- Variance % is shown as a percentage with one decimal, the other numbers with thousands separators and two decimals.

The sheets Budget and Actuals stay as they are.
""",
        artifacts=("summary.xlsx",),
        solve=python(SUMMARY, **given),
        checks=(
            table(
                "summary", "budget, actual and variance by department", "summary.xlsx", "Summary", HEAD,
                plan.rows(month), types="tnnnn", weight=4, tol=0.0005, floor=0.1,
            ),
            look(
                "percent", "Variance % has one decimal", "summary.xlsx", anchor, "Variance %", number="percent",
                decimals=1,
            ),
            look(
                "money", "amounts have thousands separators and two decimals", "summary.xlsx", anchor, "Actual",
                number="number", decimals=2, thousands=True,
            ),
            kept("summary.xlsx", "budget.xlsx", "new"),
        ),
        files={"budget.xlsx": data},
        tests={"budget.xlsx": data},
        wrongs=(
            *swapped(
                SUMMARY, lambda text: python(text, **given),
                ("year", "all postings of the year", ("summary",), "when.month <= month", "when.month <= 12"),
                ("sign", "budget minus actual", ("summary",), "actual - budget, (", "budget - actual, ("),
                ("of_actual", "a share of the actual", ("summary",), "/ budget]", "/ (actual or 1)]"),
                ("fraction", "a share as a number", ("percent",), '"0.0%" if', '"0.0" if'),
                ("bare", "amounts as General", ("money",), '"#,##0.00"', '"General"'),
            ),
            *edited("summary.xlsx", ("touched", "a posting is lost", ("kept",), "wb['Actuals']['D4'] = 0")),
        ),
        alternatives=(
            Alternative("formulas", "XlsxWriter, formulas", rebuilt(
                "budget.xlsx", "summary.xlsx", {"Summary": formula}, budget_variance_live.FORMATS)),
        ),
    )  # fmt: skip


def make(level: int, seed: int) -> Recipe:
    """0: sums; 1: a summary; 2: live; 3: with marks and a chart; 4: a month to choose, renamed departments, a memo."""
    draw = rng(ID, level, seed)
    if level < 2:
        return (make_sums, make_summary)[level](draw)
    return budget_variance_live.make(level, draw)


FAMILY = OfficeFamily.of(ID, "Budget against actuals", ("finance", "formulas", "looks"), make)
