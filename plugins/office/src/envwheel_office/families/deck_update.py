"""Level 4 of `sales_deck`: last quarter's deck for this quarter, by a workbook with traps and the rules of a memo."""

from __future__ import annotations

import random
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import typed
from envwheel_office.families.deck_quarter import NONE, Quarter, draw_quarter, thousands
from envwheel_office.families.deck_scripts import MARKUP, OBJECTS
from envwheel_office.family import Recipe
from envwheel_office.kit.officekit.language import (
    Notes,
    Overflow,
    Preserve,
    SlideChart,
    Slides,
    SlideTable,
    SlideText,
)
from envwheel_office.papers import memo
from envwheel_office.scripts import edited, python, swapped

FILE = "q3.pptx"
HEAD = ["Region", "Q1", "Q2", "Q3", "Total"]
POLICY = (
    "- All figures come from the workbook, those of earlier quarters, too: some were mended since the last deck. Rows "
    "of the status replaced do not count.",
    "- A region is the same one whatever its letters' case and blanks around it; several rows of a region and quarter "
    "are added up. Names are written as in the last deck.",
    "- Amounts are shown in thousands of EUR (kEUR) with one decimal, in texts as 1,234.5 kEUR.",
    "- Where a region has no figure for a quarter, the table says n/a and the chart has a gap; it is not 0. Its total "
    "is the sum of what there is.",
    "- The change from the quarter before is computed over the regions that have both quarters, and written as +4.2 % "
    "or -4.2 %.",
    "- Regions are sorted by their latest quarter, the largest first, in the table and in the chart.",
)
SOLVE = r"""
from pptx.chart.data import CategoryChartData
from openpyxl import load_workbook

deck = Presentation("/app/q2.pptx")
opening, summary, charted, listed = list(deck.slides)[:4]
old = next(shape for shape in listed.shapes if shape.has_table)
known = {row.cells[0].text.casefold(): row.cells[0].text for row in list(old.table.rows)[1:]}
amounts = {}
for region, quarter, amount, status in load_workbook("/app/sales.xlsx")["Sales"].iter_rows(min_row=2, values_only=True):
    if status == "replaced":
        continue
    row = amounts.setdefault(known[region.strip().casefold()], {})
    row[quarter] = row.get(quarter, 0) + amount
order = sorted(amounts, key=lambda name: -amounts[name]["Q3"])
quarters = ["Q1", "Q2", "Q3"]

def fill(shape, lines):
    frame = shape.text_frame
    for paragraph in frame.paragraphs[len(lines):]:
        paragraph._p.getparent().remove(paragraph._p)
    for paragraph, line in zip(frame.paragraphs, lines):
        paragraph.runs[0].text = line
        for run in paragraph.runs[1:]:
            run.text = ""

total = sum(row["Q3"] for row in amounts.values())
both = [row for row in amounts.values() if "Q2" in row and "Q3" in row]
change = sum(row["Q3"] for row in both) / sum(row["Q2"] for row in both) - 1
fill(opening.shapes.title, [f"Sales Q3 {year}"])
fill(opening.placeholders[1], [f"Figures as of 5 October {year}"])
fill(summary.placeholders[1], [
    f"Sales in Q3: {total / 1000:,.1f} kEUR",
    f"Change from Q2: {change * 100:+.1f} %",
    f"Strongest region: {order[0]}",
])
summary.notes_slide.notes_text_frame.text = f"Figures as of 5 October {year}. Start with the change from Q2."
data = CategoryChartData()
data.categories = order
for quarter in quarters:
    data.add_series(quarter, [amounts[name][quarter] / 1000 if quarter in amounts[name] else None for name in order])
next(shape for shape in charted.shapes if shape.has_chart).chart.replace_data(data)
old._element.getparent().remove(old._element)
table(listed, [["Region", *quarters, "Total"]] + [
    [name, *(f"{amounts[name][quarter] / 1000:,.1f}" if quarter in amounts[name] else "n/a" for quarter in quarters),
     f"{sum(amounts[name].values()) / 1000:,.1f}"] for name in order])
deck.save("/app/q3.pptx")
"""
OTHER = r"""
import sqlite3
from openpyxl import load_workbook

base = sqlite3.connect(":memory:")
base.execute("create table sales (region text, quarter text, amount integer, status text)")
values = list(load_workbook("/app/sales.xlsx", read_only=True).active.values)[1:]
base.executemany("insert into sales values (?, ?, ?, ?)", values)
base.execute("delete from sales where status = 'replaced'")
base.execute("update sales set region = lower(trim(region))")
deck = Presentation("/app/q2.pptx")
names = {}
for shape in deck.slides[3].shapes:
    if shape.has_table:
        cells = [shape.table.cell(y, 0).text for y in range(1, len(shape.table.rows))]
        names = {text.lower(): text for text in cells}
figure = {}
for region, quarter, amount in base.execute("select region, quarter, sum(amount) from sales group by 1, 2"):
    figure[region, quarter] = amount
order = [region for region, in base.execute(
    "select region from sales where quarter = 'Q3' group by region order by sum(amount) desc")]
both = [region for region in order if (region, "Q2") in figure]
part = sum(figure[region, "Q3"] for region in both) / sum(figure[region, "Q2"] for region in both)
k = lambda amount: "{:,.1f}".format(amount / 1000)
axis = "Q1 Q2 Q3".split()
ids = deck.slides._sldIdLst
old = list(ids)
added = [deck.slides.add_slide(layout(deck, name)) for name in ("Opening", "Content", "Figure", "Figure")]
for slide, title in zip(added, (f"Sales Q3 {year}", "Summary", "Quarters by region", "Regions")):
    slide.placeholders[0].text = title
added[0].placeholders[1].text = f"Figures as of 5 October {year}"
added[1].placeholders[1].text = "\n".join([
    "Sales in Q3: " + k(sum(figure[region, "Q3"] for region in order)) + " kEUR",
    "Change from Q2: {:+.1f} %".format(100 * part - 100), "Strongest region: " + names[order[0]]])
added[1].notes_slide.notes_text_frame.text = f"Figures as of 5 October {year}. Start with the change from Q2."
chart(added[2], "column", "Sales in kEUR", [names[region] for region in order], [
    (quarter, [figure[region, quarter] / 1000 if (region, quarter) in figure else None for region in order])
    for quarter in axis])
table(added[3], [["Region", *axis, "Total"]] + [
    [names[region], *(k(figure[region, one]) if (region, one) in figure else "n/a" for one in axis),
     k(sum(figure.get((region, one), 0) for one in axis))] for region in order])
for one in old[:4]:
    ids.remove(one)
    deck.part.drop_rel(one.rId)
for one in old[4:]:
    ids.append(one)
deck.save("/app/q3.pptx")
"""


def make_update(draw: random.Random) -> Recipe:
    """The environment."""
    quarter = draw_quarter(draw)
    old, year = quarter.deck(), quarter.year
    return Recipe(
        instruction=f"""
/app/q2.pptx is the deck on sales of the second quarter {year}. Make the one of the third quarter of it, /app/q3.pptx,
with the figures in /app/sales.xlsx (sheet Sales: Region, Quarter, Amount in EUR, Status) by the rules in
/app/rules.docx. It has the same six slides in the same layouts and order:

- The first: title "Sales Q3 {year}", subtitle "Figures as of 5 October {year}".
- Summary: three bullet points in the body as there are now, but for Q3 and the change from Q2; its notes are "Figures
  as of 5 October {year}. Start with the change from Q2."
- Quarters by region: a native column chart with the title "Sales in kEUR", the regions as categories and a series for
  each of Q1, Q2 and Q3, which has the quarter's name.
- Regions: a native table with the columns {", ".join(HEAD)}.
- Method and Contact stay as they are, with their notes.

No figure or date of the old deck stays where it no longer holds. Everything stays on its slide and in its box, nothing
overlaps, and no text is smaller than 10 points.
""",
        artifacts=(FILE,),
        solve=python(OBJECTS + SOLVE, year=year),
        checks=tuple(checks(quarter)),
        files={"q2.pptx": old, "sales.xlsx": quarter.workbook(), "rules.docx": memo("Sales decks", POLICY)},
        tests={"q2.pptx": old},
        skills=("slides", "policy", "cleaning"),
        wrongs=wrongs(year),
        alternatives=(Alternative("markup", "slides anew, as XML, by a data base", python(MARKUP + OTHER, year=year)),),
    )


def checks(quarter: Quarter) -> list[Any]:
    """What is asked for."""
    year, amounts = quarter.year, quarter.amounts
    stale = [f"5 July {year}"]
    return [
        Slides(
            id="slides", why="the slides in their order and layouts", file=FILE, floor=0.5,
            titles=[f"Sales Q3 {year}", "Summary", "Quarters by region", "Regions", "Method", "Contact"],
            layouts=["Opening", "Content", "Figure", "Figure", "Content", "Closing"],
        ),
        SlideText(
            id="opening", why="the first slide says of when the figures are", file=FILE, slide=f"Sales Q3 {year}",
            contains=[f"Figures as of 5 October {year}"], absent=stale,
        ),
        SlideText(
            id="summary", why="the summary of the third quarter", file=FILE, slide="Summary", weight=3,
            bullets=quarter.bullets(),
        ),
        Notes(
            id="notes", why="the notes of the summary are of now", file=FILE, slide="Summary", absent=[*stale, "Q1"],
            contains=[f"Figures as of 5 October {year}. Start with the change from Q2."],
        ),
        SlideChart(
            id="chart", why="three quarters by region, gaps as gaps", file=FILE, slide="Quarters by region", weight=3,
            floor=0.1, type="column", title="Sales in kEUR", categories=list(amounts), names=["Q1", "Q2", "Q3"],
            series=[[thousands(row[at]) for row in amounts.values()] for at in range(3)],
        ),
        SlideTable(
            id="table", why="the regions' figures", file=FILE, slide="Regions", weight=3, floor=0.3, key=["Region"],
            columns=typed(HEAD, "taaan", tol=0.04), rows=quarter.table(), order="exact",
        ),
        Preserve(
            id="kept", why="the slides Method and Contact stay", file=FILE, gate=True, original="q2.pptx",
            allow=[f"slide:{at}" for at in range(1, 5)],
        ),
        Overflow(id="fits", why="everything fits", file=FILE),
    ]  # fmt: skip


def wrongs(year: int) -> tuple[Any, ...]:
    """Wrong solutions."""
    return (
        *swapped(
            SOLVE, lambda text: python(OBJECTS + text, year=year),
            ("title", "the quarter of before", ("slides",), "Sales Q3 {year}", "Sales Q2 {year}"),
            ("dated", "the date of before", ("opening",), "fill(opening.placeholders[1]",
             "0 and fill(opening.placeholders[1]"),
            ("stale_notes", "the notes of before", ("notes",), "summary.notes_slide.notes_text_frame.text = f",
             "stale = f"),
            ("replaced", "replaced figures count, too", ("chart", "table", "summary"), 'if status == "replaced":',
             "if False:"),
            ("twice", "the last row of a region counts", ("chart", "table", "summary"), "row.get(quarter, 0) + amount",
             "amount"),
            ("zero", "gaps are zeros", ("chart",), " else None for name", " else 0 for name"),
            ("blank", "a blank instead of n/a", ("table",), f'else "{NONE}"', 'else ""'),
            ("letters", "regions by their letters", ("chart", "table"), '-amounts[name]["Q3"])', "name)"),
            ("all", "the change over all regions", ("summary",),
             'both = [row for row in amounts.values() if "Q2" in row and "Q3" in row]',
             'both = [{"Q2": 0, **row} for row in amounts.values()]'),
            ("euros", "amounts in euros", ("summary",), "{total / 1000:,.1f} kEUR", "{total:,} EUR"),
            ("two", "two quarters only", ("chart", "table"), 'quarters = ["Q1", "Q2", "Q3"]',
             'quarters = ["Q2", "Q3"]'),
        ),
        *edited(
            FILE,
            ("method", "a slide is mended, too", ("kept",), "deck.slides[4].placeholders[1].text = 'Sales are net'"),
            ("gone", "a slide is lost", ("slides", "kept"), "ids = deck.slides._sldIdLst\nids.remove(ids[4])"),
            ("text", "a text box over the chart", ("fits",),
             "from pptx.util import Inches\n"
             "box = deck.slides[2].shapes.add_textbox(*[Inches(n) for n in (2, 3, 5, 1)])\n"
             "box.text_frame.text = 'Second quarter'"),
            ("line", "a line chart", ("chart",),
             "from pptx.chart.data import CategoryChartData\nfrom pptx.enum.chart import XL_CHART_TYPE\n"
             "old = next(shape for shape in deck.slides[2].shapes if shape.has_chart)\n"
             "data = CategoryChartData()\ndata.categories = list(old.chart.plots[0].categories)\n"
             "for one in old.chart.plots[0].series:\n    data.add_series(one.name, one.values)\n"
             "deck.slides[2].shapes.add_chart(XL_CHART_TYPE.LINE, old.left, old.top, old.width, old.height, data)\n"
             "old._element.getparent().remove(old._element)"),
        ),
    )  # fmt: skip
