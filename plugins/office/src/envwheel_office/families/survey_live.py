"""Level 3 of `survey`: crosstabs that follow the answers, with codes that are no answers and reversed items."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import formulas, kept, live, look, table
from envwheel_office.books import extended
from envwheel_office.facts import DEPARTMENTS
from envwheel_office.families.questionnaire import BASE, MEAN, TOP, Survey, draw_survey
from envwheel_office.family import Recipe, Wrong
from envwheel_office.kit.officekit.language_base import Anchor
from envwheel_office.kit.officekit.language_cells import Change
from envwheel_office.scripts import answered, edited, rebuilt

FILE = "summary.xlsx"
CODES = (8, 9, 99)
LOOKS = """
from openpyxl.styles import Alignment, Font

for name, look in (("Base", "0"), ("Mean", "0.00"), ("Top 2", "0.0%")):
    for row in wb[name].iter_rows():
        for cell in row:
            cell.font = Font(name="Calibri", bold=cell.row == 1)
            if cell.column > 1:
                cell.alignment, cell.number_format = Alignment(horizontal="right"), look
"""
LOOKS_OTHER = """
forms = {"Mean": new.add_format({"num_format": "#,##0.00"}), "Top 2": new.add_format({"num_format": "0.0%"})}
for name, form in forms.items():
    for ref, item in answer[name].items():
        if str(item).startswith("="):
            sheets[name].write(ref, item, form)
"""


def crosstab(file: str, tables: dict[str, list[list[Any]]], head: Sequence[str]) -> tuple[Any, ...]:
    """The checks of the three tables. `n/a` is a text, everything else a number."""
    types = "t" + "a" * (len(head) - 1)
    return (
        table(
            "base", "how many answered, by department and item", file, BASE, head, tables[BASE],
            types="t" + "n" * (len(head) - 1), floor=0.5,
        ),
        table(
            "mean", "the mean, by department and item", file, MEAN, head, tables[MEAN], types=types, weight=2,
            tol=0.0005, floor=0.2,
        ),
        table(
            "top", "the top-2 share, by department and item", file, TOP, head, tables[TOP], types=types, weight=2,
            tol=0.0005, floor=0.2,
        ),
    )  # fmt: skip


def looks(file: str, head: Sequence[str]) -> tuple[Any, ...]:
    """The checks of how means and shares are shown."""
    means, shares = (Anchor(headers=list(head), sheet=sheet) for sheet in (MEAN, TOP))
    return (
        look("decimals", "means have two decimals", file, means, head[1], number="number", decimals=2),
        look("percent", "shares are percentages with one decimal", file, shares, head[1], number="percent", decimals=1),
    )


def make_live(draw: random.Random) -> Recipe:
    """The environment."""
    codes = sorted(draw.sample(CODES, 2))
    survey = draw_survey(draw, 6, 5, draw.randint(95, 120), (None, *codes), turned=2)
    # Nobody of one department has answered yet.
    survey.departments.insert(draw.randint(1, 4), draw.choice([n for n in DEPARTMENTS if n not in survey.departments]))
    draw.shuffle(survey.departments)
    data, tables, head = survey.book("Departments", "Answers"), survey.tables(), ["Department", *survey.items]
    one, two = survey.turned
    return Recipe(
        instruction=f"""
/app/answers.xlsx has two sheets: Departments (the column Department) and Answers, with the columns Respondent,
Department and {", ".join(survey.items)}: answers from 1 (disagree) to 5 (agree). {codes[0]} means "does not apply" and
{codes[1]} means "no answer"; a blank is no answer either. None of these three counts anywhere.

{one} and {two} are worded negatively, so their answers are reversed: 6 minus the answer counts, in means and in shares.

Save it as /app/summary.xlsx with three further sheets, Base, Mean and Top 2. Each has a table with the headers
{", ".join(head)}: a row for each department in the order of the sheet Departments, then a row All for all people
together.

- Base is how many people answered the item from 1 to 5.
- Mean is the mean of these answers, Top 2 the share of 4 and 5 among them; both after reversing.
- Where Base is 0, Mean and Top 2 are the text n/a.
- All is computed from the answers of all people; it is no mean of the departments.
- All numbers of the three tables are live formulas: they stay right when somebody changes answers, to a blank or one
  of the codes, too, or moves people to another department. The department names may be typed.
- Nothing is rounded. Means are shown as numbers with two decimals, the Top 2 as percentages with one decimal.

The sheets Departments and Answers stay as they are.
""",
        artifacts=(FILE,),
        solve=answered("answers.xlsx", FILE, survey.formulas(), LOOKS),
        checks=(
            *crosstab(FILE, tables, head),
            *looks(FILE, head),
            *behaviour(survey, codes, head),
            kept(FILE, "answers.xlsx", "new"),
        ),
        files={"answers.xlsx": data},
        tests={"answers.xlsx": data, "reference.xlsx": extended(data, survey.formulas(other=True))},
        wrongs=wrongs(survey, codes, tables),
        alternatives=(
            Alternative("sumproduct", "XlsxWriter, SUMPRODUCT instead of COUNTIFS",
                        rebuilt("answers.xlsx", FILE, survey.formulas(other=True), LOOKS_OTHER)),
        ),
    )  # fmt: skip


def behaviour(survey: Survey, codes: Sequence[int], head: Sequence[str]) -> tuple[Any, ...]:
    """That the tables are computed, and follow answers and departments."""
    last = len(survey.rows) + 1
    end = "CDEFGH"[len(survey.items) - 1]
    changes = [
        Change(how="set", range=f"Answers!C2:{end}{last}", count=25, values=[1, 2, 3, 4, 5, *codes, None]),
        Change(how="set", range=f"Answers!B2:B{last}", count=10, values=list(survey.departments)),
    ]
    computed = [
        formulas(
            f"computed_{sheet[:4].lower().strip()}", f"the numbers of {sheet} are computed", FILE,
            Anchor(headers=list(head), sheet=sheet), item, [f"Answers!B2:B{last}", f"Answers!{column}2:{column}{last}"],
        )
        for sheet, item, column in ((MEAN, survey.turned[0], "CDEFGH"[survey.items.index(survey.turned[0])]),
                                    (TOP, survey.items[-1], end))
    ]  # fmt: skip
    followed = [
        live(
            f"live_{sheet[:4].lower().strip()}", f"{sheet} follows answers and departments", FILE, "reference.xlsx",
            changes, anchor=Anchor(headers=list(head), sheet=sheet), names=head[1:], key=["Department"], tol=0.0005,
        )
        for sheet in (BASE, MEAN, TOP)
    ]  # fmt: skip
    return (*computed, *followed)


def wrongs(survey: Survey, codes: Sequence[int], tables: dict[str, list[list[Any]]]) -> tuple[Wrong, ...]:
    """What goes wrong."""
    last = len(survey.rows) + 1
    each = "for name in {}:\n    for row in wb[name].iter_rows(min_row=2, min_col=2):\n        for cell in row:\n"
    swap = each + "            cell.value = str(cell.value).replace({!r}, {!r})"
    every, first = "('Base', 'Mean', 'Top 2')", "('Mean',)"
    lives = ("live_base", "live_mean", "live_top")
    return edited(
        FILE,
        ("typed", "right numbers, typed", ("computed_mean", "computed_top", *lives),
         "for name, rows in tables.items():\n    for y, row in enumerate(rows, 2):\n"
         "        for x, item in enumerate(row[1:], 2):\n            wb[name].cell(y, x).value = item"),
        ("short", "the answers end 12 rows early", lives, swap.format(every, f"${last}", f"${last - 12}")),
        ("codes", "codes are answers", ("base", "mean", "top", *lives), swap.format(every, "<=5", f"<={codes[1]}")),
        ("one_code", "only one of the codes is known", ("base", "mean", *lives),
         swap.format(every, "<=5", f"<={codes[0]}")),
        ("as_given", "nothing is reversed", ("mean", "live_mean"), swap.format(first, ',"n/a",6-', ',"n/a",')),
        ("as_given_top", "shares of 4 and 5 of reversed items, too", ("top", "live_top"),
         each.format("('Top 2',)") + "            cell.value = str(cell.value).replace('\"<=2\"', '\"<=5\"')"
         ".replace('\">=1\"', '\">=4\"')"),
        ("five_minus", "5 minus the answer", ("mean", "live_mean"), swap.format(first, '"n/a",6-', '"n/a",5-')),
        ("error", "divides by a base of 0", ("mean", "top"),
         "import re\n" + each.format("('Mean', 'Top 2')") +
         "            cell.value = re.sub(r'^=IF\\(.*?,\"n/a\",(.*)\\)$', r'=\\1', str(cell.value))"),
        ("no_group", "each department has the answers of all", ("base", "mean", "top", *lives),
         swap.format(every, f"Answers!$B$2:$B${last},$A", f'Answers!$B$2:$B${last},"<>"&$I')),
        ("all", "All is the sum of the departments' means", ("mean", "live_mean"),
         "ws = wb['Mean']\nfor x, letter in enumerate('BCDEF', 2):\n"
         "    ws.cell(ws.max_row, x).value = f'=AVERAGE({letter}2:{letter}{ws.max_row - 1})'"),
        ("one_place", "means with one decimal", ("decimals",),
         each.format(first) + "            cell.number_format = '0.0'"),
        ("fraction", "shares as fractions", ("percent",),
         each.format("('Top 2',)") + "            cell.number_format = '0.000'"),
        ("touched", "codes are blanked in the answers", ("kept",),
         "for row in wb['Answers'].iter_rows(min_row=2, min_col=3):\n    for cell in row:\n"
         f"        cell.value = None if cell.value in {tuple(codes)} else cell.value"),
        tables=tables,
    )  # fmt: skip
