"""Levels 2 to 4 of `budget_variance`: the summary as live formulas, with marks, a chart, and a memo's rules."""

from __future__ import annotations

import random
from datetime import date
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import formulas, kept, live, look, table
from envwheel_office.books import extended, grid
from envwheel_office.families.budget_plan import HEAD, Plan, draw_plan, months_by_name
from envwheel_office.family import Recipe, Wrong
from envwheel_office.kit.officekit.language_base import Anchor
from envwheel_office.kit.officekit.language_cells import Change, ChartCheck, CondFormat, DataValidation
from envwheel_office.papers import memo
from envwheel_office.scripts import answered, edited, rebuilt

FORMATS = """
import re
percent, money = new.add_format({"num_format": "0.0%"}), new.add_format({"num_format": "#,##0.00"})
for ref, item in answer["Summary"].items():
    if str(item).startswith("=") and ref[0] in "BCDE":
        sheets["Summary"].write(ref, item, percent if ref[0] == "E" else money)
"""
LOOKS = """
for row in wb["Summary"].iter_rows(min_row=2, min_col=2, max_col=5):
    for cell in row:
        cell.number_format = "0.0%" if cell.column == 5 else "#,##0.00"
"""
MARKS = """
from openpyxl.chart import BarChart, Reference
from openpyxl.formatting.rule import FormulaRule
from openpyxl.styles import PatternFill

ws = wb["Summary"]
red = PatternFill(start_color="FFC7CE", end_color="FFC7CE", fill_type="solid")
ws.conditional_formatting.add(f"E2:E{last}", FormulaRule(formula=["AND(ISNUMBER(E2),E2>0.1)"], fill=red))
chart = BarChart()
chart.type = "col"
chart.title = "Budget and actual"
chart.add_data(Reference(ws, min_col=2, max_col=3, min_row=1, max_row=last), titles_from_data=True)
chart.set_categories(Reference(ws, min_col=1, min_row=2, max_row=last))
ws.add_chart(chart, "H2")
"""
MARKS_OTHER = """
ws = sheets["Summary"]
red = new.add_format({"bg_color": "#FF9999"})
ws.conditional_format(f"E2:E{last}", {"type": "formula", "criteria": "=AND(ISNUMBER($E2),$E2>10%)", "format": red})
chart = new.add_chart({"type": "column"})
for column in "BC":
    chart.add_series({
        "name": f"=Summary!${column}$1", "categories": f"=Summary!$A$2:$A${last}",
        "values": f"=Summary!${column}$2:${column}${last}",
    })
chart.set_title({"name": "Budget and actual by department"})
ws.insert_chart("H2", chart)
"""
CHOOSE = """
from openpyxl.worksheet.datavalidation import DataValidation
rule = DataValidation(type="whole", operator="between", formula1="1", formula2="12", showErrorMessage=True)
wb["Settings"].add_data_validation(rule)
rule.add("B1")
"""
CHOOSE_OTHER = """
sheets["Settings"].data_validation("B1", {"validate": "list", "source": [str(month) for month in range(1, 13)]})
"""
STATUS = ["on plan", "favourable", "adverse"]


def status(plan: Plan, row: list[Any]) -> str:
    """What a variance means: within 5 % it is on plan; costs should fall short, income should not."""
    if row[4] != "n/a" and abs(row[4]) <= 0.05:
        return STATUS[0]
    return STATUS[1] if (row[3] > 0) == (row[0] in plan.income) else STATUS[2]


def memo_cells(plan: Plan, other: bool) -> dict[str, Any]:
    """Level 4 as formulas: renamed departments, an account left out, a status."""
    n, m, k = len(plan.departments) + 1, len(plan.postings) + 1, len(plan.aliases) + 1
    rows: list[list[Any]] = [[*HEAD, "Status"]]
    who, when, what, amount = (f"Actuals!${x}$2:${x}${m}" for x in "BACD")
    for y, name in enumerate(plan.departments, 2):
        budget = months_by_name(y, n, "Settings!$B$1")
        if other:
            until = f'{when},"<="&EOMONTH(DATE(Settings!$B$2,Settings!$B$1,1),0),{what},"<>{plan.excluded}"'
            parts = [f"SUMIFS({amount},{who},A{y},{until})"]
            parts += [
                f"IF(Renamed!$B${z}=A{y},SUMIFS({amount},{who},Renamed!$A${z},{until}),0)" for z in range(2, k + 1)
            ]
            actual = "=" + "+".join(parts)
        else:
            names = f"({who}=A{y})"
            names += "".join(f"+({who}=Renamed!$A${z})*(Renamed!$B${z}=A{y})" for z in range(2, k + 1))
            counts = f'({what}<>"{plan.excluded}")*({when}<DATE(Settings!$B$2,Settings!$B$1+1,1))'
            actual = f"=SUMPRODUCT(({names})*{counts}*{amount})"
        kind = f"INDEX(Departments!$B$2:$B${n},MATCH(A{y},Departments!$A$2:$A${n},0))"
        good = f'IF(IF(D{y}>0,1,0)=IF({kind}="Income",1,0),"favourable","adverse")'
        near = f"IF(B{y}=0,FALSE,ABS(D{y}/B{y})<=Settings!$B$3)"
        rows.append(
            [name, budget, actual, f"=C{y}-B{y}", f'=IF(B{y}=0,"n/a",D{y}/B{y})', f'=IF({near},"on plan",{good})']
        )
    return grid(rows)


INTRO = """
/app/budget.xlsx has the sheets {sheets} (Settings holds the month in B1{more}; Budget has a row for each department and
a column for each month from Jan to Dec; Actuals are the postings of {year} with the columns Date, Department, Account
and Amount).

Save it as /app/summary.xlsx with a further sheet Summary that compares budget and actuals from January to the month in
Settings!B1, both included: a table that starts in cell A1 with the headers {head}, a row for each department in the
order of the sheet Budget{total}.

- Budget and Actual are sums over these months; Variance is Actual minus Budget; Variance % is Variance divided by
  Budget, or the text n/a where Budget is 0.
- All of these are live formulas: the table stays right when somebody changes the month, the budget or the postings.
- Variance % is shown as a percentage with one decimal, the other numbers with thousands separators and two decimals.
"""
CHART = """\
- A conditional format marks every cell of the column Variance % whose number is above 10 % with a fill (a text n/a
  is not marked); it must follow the values.
- A column chart on the sheet Summary, with "Budget and actual" in its title, shows the two series Budget and Actual of
  all departments, linked to the cells of the table.
"""
POLICY_RULES = """\
- Which postings count for which department, and what the column Status says, stands in the memo
  /app/policy.docx. Status is a live formula, too.
- Settings!B1 accepts the whole numbers 1 to 12 and nothing else (data validation). Nothing else in Settings changes.
"""


def make(level: int, draw: random.Random) -> Recipe:
    """The recipe of level 2, 3 or 4."""
    month = draw.randint(4, 9)
    plan = draw_plan(draw, 7 + level, 80 + 30 * level, month)
    plan.budget[plan.departments[-1]] = [0.0] * 12
    sheets = ["Settings", "Budget", "Actuals"]
    if level == 4:
        rename(plan, draw)
        sheets = ["Settings", "Departments", "Renamed", "Budget", "Actuals"]
    data = plan.book(sheets, month)
    head = HEAD if level < 4 else [*HEAD, "Status"]
    rows = plan.rows(month, total=level == 2)
    answer, other = (
        {"Summary": memo_cells(plan, side) if level == 4 else plan.formulas(other=side, total=level == 2)}
        for side in (False, True)
    )
    if level == 4:
        rows = [[*row, status(plan, row)] for row in rows]
    last = len(plan.departments) + 1
    told = INTRO.format(
        sheets=", ".join(sheets[:-1]) + " and " + sheets[-1],
        year=plan.year,
        head=", ".join(head),
        total=", then a row Total with the sums of Budget and Actual and with their variance" if level == 2 else "",
        more=", the year in B2 and a tolerance in B3" if level == 4 else ", the year in B2",
    )
    told += (CHART if level >= 3 else "") + (POLICY_RULES if level == 4 else "")
    told += "\nThe sheets that are there already stay as they are.\n"
    more = (MARKS, MARKS_OTHER) if level >= 3 else ("", "")
    choose = (CHOOSE, CHOOSE_OTHER) if level == 4 else ("", "")
    files: dict[str, str | bytes] = {"budget.xlsx": data}
    if level == 4:
        files["policy.docx"] = policy(plan)
    return Recipe(
        instruction=told,
        artifacts=("summary.xlsx",),
        solve=answered("budget.xlsx", "summary.xlsx", answer, f"last = {last}\n{LOOKS}{more[0]}{choose[0]}"),
        checks=checks(level, plan, rows, head),
        files=files,
        tests={"budget.xlsx": data, "reference.xlsx": extended(data, other)},
        skills=("finance", "formulas", "policy", "looks") if level == 4 else (),
        wrongs=wrongs(level, plan, rows, last),
        alternatives=(
            Alternative(
                "xlsxwriter",
                "XlsxWriter, other functions, other kinds of rules",
                rebuilt("budget.xlsx", "summary.xlsx", other, f"last = {last}\n{FORMATS}{more[1]}{choose[1]}"),
            ),
        ),
    )


def checks(level: int, plan: Plan, rows: list[list[Any]], head: list[str]) -> tuple[Any, ...]:
    """What is asked for at this level."""
    file, anchor, last = "summary.xlsx", Anchor(headers=head, sheet="Summary"), len(plan.departments) + 1
    n = len(plan.postings) + 1
    asked: list[Any] = [
        table(
            "summary", "budget, actual and variance by department", file, "Summary", head, rows,
            types="tnnna" + "t" * (level == 4), weight=3, tol=0.0005, floor=0.5,
        ),
        formulas("formulas", "Actual is computed", file, anchor, "Actual", ["Settings!B1"]),
        look("percent", "Variance % has one decimal", file, anchor, "Variance %", number="percent", decimals=1),
        live(
            "live", "the table follows month, budget and postings", file, "reference.xlsx",
            [
                Change(how="set", range="Settings!B1:B1", count=1, values=[1, 2, 3, 5, 7, 8, 10, 11, 12]),
                Change(how="scale", range=f"Budget!B2:M{last - 1}", count=10),
                Change(how="scale", range=f"Actuals!D2:D{n}", count=12),
                Change(how="choose", range=f"Actuals!B2:B{n}", count=6),
            ],
            anchor=anchor, names=head[1:], key=["Department"], seeds=5,
        ),
        kept(file, "budget.xlsx", "new"),
    ]  # fmt: skip
    if level >= 3:
        asked += [
            CondFormat(
                id="marks", why="a conditional format marks Variance % above 10 %", file=file, anchor=anchor,
                column="Variance %", marked="above", values=[0.1], probes=[0.11, 0.09, 0.5, -0.3], fill="any",
            ),
            ChartCheck(
                id="chart", why="a column chart of Budget and Actual", file=file, sheet="Summary", type="column",
                title="Budget and actual", series=[[row[x] for row in rows] for x in (1, 2)],
                categories=plan.departments,
            ),
        ]  # fmt: skip
    if level == 4:
        asked.append(
            DataValidation(
                id="choice", why="Settings!B1 accepts the months 1 to 12", file=file, range="Settings!B1:B1",
                accepts=[1, 6, 12], refuses=[0, 13, 2.5, "June"],
            )
        )  # fmt: skip
    return tuple(asked)


def rename(plan: Plan, draw: random.Random) -> None:
    """Some postings under old names, some on an account that does not count, income departments."""
    plan.income = plan.departments[:3]
    plan.aliases = {f"{name} (old)": name for name in plan.departments[1:4]}
    old = {name: alias for alias, name in plan.aliases.items()}
    plan.excluded = "Internal transfer"
    for index, (when, name, account, amount) in enumerate(plan.postings):
        name = old[name] if name in old and draw.random() < 0.4 else name
        account = plan.excluded if index % 11 == 2 else account
        plan.postings[index] = (when, name, account, amount)
    close = plan.departments[0]
    done = sum(plan.budget[close]) / 12
    plan.postings.append((date(plan.year, 12, 20), close, "Travel", round(done, 2)))


def policy(plan: Plan) -> bytes:
    """The memo of level 4."""
    return memo(
        "Budget reports",
        (
            "This is how we compare budget and actuals since the reorganisation.",
            "- Some postings still carry the old name of a department. The sheet Renamed says to which department "
            "they belong; they count for it.",
            f"- Postings on the account {plan.excluded} move money between departments and do not count anywhere.",
            "- Status is on plan where Variance is at most the tolerance of Settings!B3 away from Budget (as a share "
            "of Budget, up or down). Otherwise it is favourable or adverse.",
            "- More than planned is favourable for a department of the kind Income and adverse for one of the kind "
            "Cost; with less than planned it is the other way round. A variance of 0 counts as less. Without a budget "
            "nothing is on plan.",
        ),
    )


def wrongs(level: int, plan: Plan, rows: list[list[Any]], last: int) -> tuple[Wrong, ...]:
    """What goes wrong, by what the level asks for."""
    n = len(plan.postings) + 1
    each = "for row in wb['Summary'].iter_rows(min_row=2):\n    for cell in row:\n        "
    faults = [
        ("typed", "right numbers, typed", ("formulas", "live"),
         "for y, row in enumerate(rows, 2):\n    for x, item in enumerate(row[1:], 2):\n        "
         "wb['Summary'].cell(y, x).value = item"),
        ("short", "the postings end 15 rows early", ("live",),
         each + f"cell.value = str(cell.value).replace('${n}', '${n - 15}')"),
        ("month", "the month is typed into the formulas", ("formulas", "live"),
         each + "cell.value = str(cell.value).replace('Settings!$B$1', str(wb['Settings']['B1'].value))"),
        ("error", "divides by a budget of 0", ("summary",),
         f"wb['Summary']['E{last}'] = '=D{last}/B{last}'"),
        ("bare", "a share as General", ("percent",), "for c in wb['Summary']['E']:\n    c.number_format = '0.00'"),
        ("touched", "a posting is lost", ("kept",), "wb['Actuals']['D4'] = 0"),
    ]  # fmt: skip
    if level >= 3:
        faults += [
            ("typed_fill", "cells filled by hand", ("marks",),
             "from openpyxl.formatting.formatting import ConditionalFormattingList\n"
             "from openpyxl.styles import PatternFill\nws = wb['Summary']\n"
             "ws.conditional_formatting = ConditionalFormattingList()\n"
             "for y, row in enumerate(rows, 2):\n    if row[4] != 'n/a' and row[4] > 0.1:\n"
             "        ws.cell(y, 5).fill = PatternFill(start_color='FFC7CE', end_color='FFC7CE', fill_type='solid')"),
            ("no_chart", "no chart", ("chart",), "wb['Summary']._charts = []"),
            ("one_series", "only the actuals", ("chart",), "wb['Summary']._charts[0].series.pop(0)"),
        ]  # fmt: skip
    if level == 4:
        faults += [
            ("free", "B1 takes everything", ("choice",), "wb['Settings'].data_validations.dataValidation = []"),
            ("transfers", "transfers count", ("summary", "live"),
             each + f"cell.value = str(cell.value).replace('{plan.excluded}', '-')"),
            ("cost_only", "more is always adverse", ("summary",),
             each + "cell.value = str(cell.value).replace('\"Income\"', '\"Other\"')"),
        ]  # fmt: skip
    return edited("summary.xlsx", *faults, rows=rows)
