"""Surveys: a mean, counts with shares, a crosstab with top-2 shares, a live one, a codebook's rules and a deck."""

from __future__ import annotations

import random
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import cell, kept, look, table, value
from envwheel_office.books import book, grid
from envwheel_office.facts import DEPARTMENTS, codes, rng
from envwheel_office.families.questionnaire import MEAN, draw_survey
from envwheel_office.families.survey_live import LOOKS_OTHER, crosstab, looks, make_live
from envwheel_office.families.survey_report import make_report
from envwheel_office.family import OfficeFamily, Recipe
from envwheel_office.kit.officekit.language_base import Anchor
from envwheel_office.scripts import answered, edited, python, rebuilt, swapped

ID = "survey"
FILE = "summary.xlsx"
SCALE = ("Very satisfied", "Satisfied", "Neither", "Dissatisfied", "Very dissatisfied")
SILENT = "No answer"


def make_mean(draw: random.Random) -> Recipe:
    """Level 0: the mean of a column."""
    while True:
        survey = draw_survey(draw, 4, 1, 40)
        mean, final = survey.tables()[MEAN][-1][1], survey.rows[-1][2][0]
        if final is not None and abs(final - mean) > 0.3:  # who overlooks it has another mean
            break
    data, last = survey.book("Answers"), len(survey.rows) + 1
    return Recipe(
        instruction="""
/app/answers.xlsx has one sheet, Answers, with the columns Respondent, Department and Q1: answers from 1 to 5, blank
where somebody gave none.

Save a copy as /app/summary.xlsx in which F1 of that sheet holds the mean of all answers in the column Q1, not rounded;
blank cells do not count. A number or a formula, as you like. E1 holds the label Mean. Change nothing else.
""",
        artifacts=(FILE,),
        solve=answered("answers.xlsx", FILE, {"Answers": {"E1": "Mean", "F1": f"=AVERAGE(C2:C{last})"}}),
        checks=(
            value("mean", "F1 holds the mean of the answers", FILE, cell("Answers!F1"), mean, tol=0.0005),
            kept(FILE, "answers.xlsx", "Answers!E1:F1"),
        ),
        files={"answers.xlsx": data},
        tests={"answers.xlsx": data},
        wrongs=edited(
            FILE,
            ("zeros", "a blank counts as 0", ("mean",), f"wb['Answers']['F1'] = '=SUM(C2:C{last})/{last - 1}'"),
            ("short", "the last answer is missing", ("mean",), f"wb['Answers']['F1'] = '=AVERAGE(C2:C{last - 1})'"),
            ("touched", "blanks are filled", ("kept",),
             f"for y in range(2, {last + 1}):\n    wb['Answers'][f'C{{y}}'] = wb['Answers'][f'C{{y}}'].value or 3"),
        ),
        alternatives=(
            Alternative("number", "XlsxWriter, a number",
                        rebuilt("answers.xlsx", FILE, {"Answers": {"E1": "Mean", "F1": mean}})),
        ),
    )  # fmt: skip


COUNTS = """
from openpyxl import load_workbook

wb = load_workbook("/app/answers.xlsx")
given = [row[2] for row in wb["Answers"].iter_rows(min_row=2, values_only=True)]
counts = [given.count(answer) for answer in scale]
base = sum(counts)
ws = wb.create_sheet("Summary")
ws.append(["Answer", "Count", "Share"])
for answer, count in zip(scale, counts):
    ws.append([answer, count, count / base])
ws.append(["Total", base, 1])
for y in range(2, ws.max_row + 1):
    ws.cell(y, 3).number_format = "0.0%"
for letter in "ABC":
    ws.column_dimensions[letter].width = 18
wb.save("/app/summary.xlsx")
"""
COUNTS_LOOKS = """
percent = new.add_format({"num_format": "0.0%"})
for ref, item in answer["Summary"].items():
    if ref[0] == "D" and str(item).startswith("="):
        sheets["Summary"].write(ref, item, percent)
sheets["Summary"].set_column("B:D", 18)
"""


def make_counts(draw: random.Random) -> Recipe:
    """Level 1: how often each answer was given."""
    people = draw.randint(70, 90)
    departments, nobody = draw.sample(DEPARTMENTS, 5), draw.choice(SCALE[2:])
    liked = [0 if one == nobody else 1 for one in SCALE]
    while True:
        weights = [draw.randint(2, 9) * one for one in liked]
        given = [draw.choices((*SCALE, None, SILENT), (*weights, 2, 2))[0] for _ in range(people)]
        counts = [given.count(one) for one in SCALE]
        # The order of the scale is not that of the counts, and what was not answered matters.
        if counts != sorted(counts, reverse=True) and given.count(None) > 2 and given.count(SILENT) > 2:
            break
    head = ["Respondent", "Department", "Answer"]
    numbers = codes(draw, "R", people)
    rows = [[number, draw.choice(departments), one] for number, one in zip(numbers, given, strict=True)]
    data, base = book({"Answers": [head, *rows]}), sum(counts)
    wanted: list[list[Any]] = [
        *([one, count, count / base] for one, count in zip(SCALE, counts, strict=True)), ["Total", base, 1.0]
    ]  # fmt: skip
    formulas: list[list[Any]] = [["Answer", "Count", "Share"]]
    formulas += [[one, f"=COUNTIF(Answers!C$2:C${people + 1},B{y})", f"=C{y}/C$9"] for y, one in enumerate(SCALE, 4)]
    formulas.append(["Total", "=SUM(C4:C8)", "=SUM(D4:D8)"])
    known = {"scale": SCALE}
    return Recipe(
        instruction=f"""
/app/answers.xlsx has one sheet, Answers, with the columns Respondent, Department and Answer: the answers to the
question how satisfied people are. A cell that is blank or says {SILENT} is no answer.

Save it as /app/summary.xlsx with a further sheet Summary: a table with the headers Answer, Count and Share, a row for
each answer of the scale, in this order: {", ".join(SCALE)}; then a row Total.

- Count is how many people gave this answer: 0 where nobody did. The Total is the sum of the counts.
- Share is Count divided by the Total, so who gave no answer is not in the base. It is not rounded, but shown as a
  percentage with one decimal. The share of the Total is 100 %.

The sheet Answers stays as it is.
""",
        artifacts=(FILE,),
        solve=python(COUNTS, **known),
        checks=(
            table(
                "summary", "count and share of each answer, and the total", FILE, "Summary",
                ["Answer", "Count", "Share"], wanted, types="tnn", weight=4, tol=0.0005, floor=0.5,
            ),
            look(
                "percent", "Share is a percentage with one decimal", FILE,
                Anchor(headers=["Answer", "Count", "Share"], sheet="Summary"), "Share", number="percent", decimals=1,
            ),
            kept(FILE, "answers.xlsx", "new"),
        ),
        files={"answers.xlsx": data},
        tests={"answers.xlsx": data},
        skills=("analysis", "spreadsheet"),
        wrongs=(
            *swapped(
                COUNTS, lambda text: python(text, **known),
                ("everybody", "shares of all people", ("summary",), "count / base]", "count / len(given)]"),
                ("blanks", "what says no answer is in the base", ("summary",), "base = sum(counts)",
                 "base = sum(one is not None for one in given)"),
                ("nobody", "no row for what nobody said", ("summary",), "in zip(scale, counts):",
                 "in zip(scale, counts):\n    if not count:\n        continue"),
                ("often", "the most frequent first", ("summary",), "in zip(scale, counts):",
                 "in sorted(zip(scale, counts), key=lambda pair: -pair[1]):"),
                ("no_total", "no total", ("summary",), 'ws.append(["Total", base, 1])\n', ""),
                ("hundred", "a share of 100 as 100", ("summary",), "base, 1]", "base, 100]"),
                ("fraction", "shares as fractions", ("percent",), '"0.0%"', '"0.000"'),
            ),
            *edited(FILE, ("touched", "an answer is lost", ("kept",), "wb['Answers']['C3'] = None\n"
                           "wb['Answers']['A4'] = 'R1'")),
        ),
        alternatives=(
            Alternative("formulas", "XlsxWriter, formulas, another place", rebuilt(
                "answers.xlsx", FILE, {"Summary": grid(formulas, "B3")}, COUNTS_LOOKS)),
        ),
    )  # fmt: skip


CROSSTAB = """
from openpyxl import load_workbook
from openpyxl.styles import Alignment

wb = load_workbook("/app/answers.xlsx")
(_, _, *items), *rows = wb["Answers"].iter_rows(values_only=True)
names = sorted({row[1] for row in rows})
base, mean, top = (wb.create_sheet(name) for name in ("Base", "Mean", "Top 2"))
for ws in (base, mean, top):
    ws.append(["Department", *items])
    for letter in "ABCDEFG":
        ws.column_dimensions[letter].width = 16
for name in [*names, "All"]:
    own = [row for row in rows if name in ("All", row[1])]
    given = [[row[at] for row in own if row[at] is not None] for at in range(2, len(items) + 2)]
    base.append([name, *(len(one) for one in given)])
    mean.append([name, *(sum(one) / len(one) if one else "n/a" for one in given)])
    top.append([name, *(sum(answer >= 4 for answer in one) / len(one) if one else "n/a" for one in given)])
for ws, look in ((base, "0"), (mean, "0.00"), (top, "0.0%")):
    for row in ws.iter_rows(min_col=2):
        for cell in row:
            cell.number_format, cell.alignment = look, Alignment(horizontal="right")
wb.save("/app/summary.xlsx")
"""


def make_crosstab(draw: random.Random) -> Recipe:
    """Level 2: departments and items, with base, mean and top-2 share."""
    survey = draw_survey(draw, 5, 4, draw.randint(70, 90))
    data, tables, head = survey.book("Answers"), survey.tables(), ["Department", *survey.items]
    return Recipe(
        instruction=f"""
/app/answers.xlsx has one sheet, Answers, with the columns Respondent, Department and {", ".join(survey.items)}: answers
from 1 (very bad) to 5 (very good), blank where somebody gave none.

Save it as /app/summary.xlsx with three further sheets, Base, Mean and Top 2. Each has a table with the headers
{", ".join(head)}: a row for each department in alphabetical order, then a row All for all people together.

- Base is how many people answered the item. A blank is no answer and counts nowhere, neither in a mean nor in a share.
- Mean is the mean of their answers; Top 2 is the share of those who answered 4 or 5 among those who answered.
- Where nobody answered, Base is 0, and Mean and Top 2 are the text n/a.
- All is computed from the answers of all people; it is no mean of the departments.
- Nothing is rounded. Means are shown as numbers with two decimals, the Top 2 as percentages with one decimal.

The sheet Answers stays as it is. Numbers or formulas, as you like.
""",
        artifacts=(FILE,),
        solve=python(CROSSTAB),
        checks=(
            *crosstab(FILE, tables, head),
            *looks(FILE, head),
            kept(FILE, "answers.xlsx", "new"),
        ),
        files={"answers.xlsx": data},
        tests={"answers.xlsx": data},
        skills=("analysis", "spreadsheet"),
        wrongs=(
            *swapped(
                CROSSTAB, python,
                ("everybody", "blanks are in the base", ("base", "top"),
                 'base.append([name, *(len(one) for one in given)])',
                 'base.append([name, *(len(own) for one in given)])\n    for one in given:\n'
                 '        one += [0] * (len(own) - len(one))'),
                ("zeros", "blanks are zeros", ("mean",), "mean.append([name, *(sum(one) / len(one)",
                 "mean.append([name, *(sum(one) / len(own)"),
                ("best", "only the best answer", ("top",), "answer >= 4", "answer == 5"),
                ("three", "the better half of the scale", ("top",), "answer >= 4", "answer >= 3"),
                ("found", "in the order of the answers", ("base", "mean", "top"), "sorted({row[1] for row in rows})",
                 "list(dict.fromkeys(row[1] for row in rows))"),
                ("nobody", "0 where nobody answered", ("mean",), 'sum(one) / len(one) if one else "n/a"',
                 "sum(one) / len(one) if one else 0"),
                ("fraction", "shares as fractions", ("percent",), '"0.0%"', '"0.000"'),
                ("one_place", "means with one decimal", ("decimals",), '"0.00"', '"0.0"'),
            ),
            *edited(
                FILE,
                ("of_means", "All as a mean of the departments", ("mean", "top"),
                 "for name in ('Mean', 'Top 2'):\n    for x in range(2, wb[name].max_column + 1):\n"
                 "        own = [wb[name].cell(y, x).value for y in range(2, wb[name].max_row)]\n"
                 "        own = [one for one in own if one != 'n/a']\n"
                 "        wb[name].cell(wb[name].max_row, x).value = sum(own) / len(own)"),
                ("touched", "an answer is changed", ("kept",), "wb['Answers']['A3'] = 'R1'"),
            ),
        ),
        alternatives=(
            Alternative("formulas", "XlsxWriter, formulas",
                        rebuilt("answers.xlsx", FILE, survey.formulas(other=True), LOOKS_OTHER)),
        ),
    )  # fmt: skip


def make(level: int, seed: int) -> Recipe:
    """0: a mean; 1: counts; 2: a crosstab; 3: live, with codes and reversed items; 4: a codebook, and a deck, too."""
    draw = rng(ID, level, seed)
    return (make_mean, make_counts, make_crosstab, make_live, make_report)[level](draw)


FAMILY = OfficeFamily.of(ID, "Survey summaries", ("analysis", "formulas"), make)
