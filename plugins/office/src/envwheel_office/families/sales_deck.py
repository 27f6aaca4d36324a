"""Decks on sales: a title, slides from a list, a chart with notes, a slide a region, last quarter's deck anew."""

from __future__ import annotations

import random
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import typed
from envwheel_office.books import csv_text
from envwheel_office.decks import add, add_chart, add_table, house
from envwheel_office.facts import rng
from envwheel_office.families.deck_figures import QUARTERS, Figures, draw_figures
from envwheel_office.families.deck_regions import make_regions
from envwheel_office.families.deck_scripts import MARKUP, OBJECTS
from envwheel_office.families.deck_update import make_update
from envwheel_office.family import OfficeFamily, Recipe
from envwheel_office.kit.officekit.language import (
    Notes,
    Overflow,
    Preserve,
    SlideChart,
    Slides,
    SlideTable,
    SlideText,
)
from envwheel_office.papers import packed
from envwheel_office.scripts import Fault, edited, python, swapped

ID = "sales_deck"
FILE = "deck.pptx"

TITLE = """
from pptx import Presentation

deck = Presentation("/app/deck.pptx")
deck.slides[2].shapes.title.text = title
deck.save("/app/deck.pptx")
"""
TITLE_OTHER = """
import os, zipfile

with zipfile.ZipFile("/app/deck.pptx") as old, zipfile.ZipFile("/app/new.pptx", "w") as new:
    for part in old.namelist():
        data = old.read(part)
        new.writestr(part, data.replace(wrong.encode(), title.encode()) if part == "ppt/slides/slide3.xml" else data)
os.replace("/app/new.pptx", "/app/deck.pptx")
"""


def make_title(draw: random.Random) -> Recipe:
    """Level 0: the title of one slide."""
    figures = draw_figures(draw, 4)
    title, wrong = f"Sales by region {figures.year}", f"Sales by region {figures.year - 1}"
    deck = house()
    add(deck, "Opening", f"Sales {figures.year}", [f"Prepared by {figures.person}"])
    add(deck, "Content", "Key figures", figures.bullets)
    add_table(add(deck, "Figure", wrong), [[str(cell) for cell in row] for row in figures.rows()])
    add_chart(add(deck, "Figure", "Sales by quarter"), QUARTERS, list(figures.amounts.items()), "Sales in EUR")
    add(deck, "Closing", "Questions", ["sales@example.com"])
    given = packed(deck)
    titles = [f"Sales {figures.year}", "Key figures", title, "Sales by quarter", "Questions"]
    rows = figures.rows()
    return Recipe(
        instruction=f"""
The third slide of /app/deck.pptx has the title "{wrong}". It must be "{title}". Change it in place; everything else in
the deck stays as it is.
""",
        artifacts=(FILE,),
        solve=python(TITLE, title=title),
        checks=(
            Slides(id="titles", why="the title of the third slide is mended", file=FILE, titles=titles, floor=0.99),
            SlideTable(
                id="table", why="its table stays", file=FILE, slide=title, key=["Region"], gate=True,
                columns=typed(rows[0], "tnnnn"), rows=rows[1:],
            ),
            Preserve(
                id="kept", why="the other slides stay", file=FILE, gate=True, original="deck.pptx", allow=["slide:3"],
            ),
        ),
        files={FILE: given},
        tests={FILE: given},
        wrongs=edited(
            FILE,
            ("second", "another slide's title", ("titles", "kept"),
             "deck.slides[1].shapes.title.text, deck.slides[2].shapes.title.text = title, wrong"),
            ("anew", "a new slide instead", ("titles", "table"),
             "deck.slides[2].shapes.title.text = wrong\n"
             "deck.slides.add_slide(deck.slide_layouts[1]).shapes.title.text = title"),
            ("table", "its table is gone", ("table",),
             "for shape in deck.slides[2].shapes:\n    if shape.has_table:\n"
             "        shape._element.getparent().remove(shape._element)"),
            ("bullet", "a bullet is changed, too", ("kept",), "deck.slides[1].placeholders[1].text = title"),
            title=title, wrong=wrong,
        ),
        alternatives=(Alternative("zip", "in the package itself", python(TITLE_OTHER, title=title, wrong=wrong)),),
    )  # fmt: skip


WRITE = r"""
import csv

rows = list(csv.DictReader(open("/app/sales.csv", encoding="utf-8")))
quarters = ["Q1", "Q2", "Q3", "Q4"]
amounts = {row["Region"]: [int(row[quarter]) for quarter in quarters] for row in rows}
sums = {region: sum(values) for region, values in amounts.items()}
by_quarter = [sum(values[at] for values in amounts.values()) for at in range(4)]
deck = Presentation("/app/template.pptx")

def note(slide, text):
    if level > 1:
        slide.notes_slide.notes_text_frame.text = text

add(deck, "Opening", f"Sales {year}", f"By region and quarter, prepared by {person}")
key = add(deck, "Content", "Key figures", "\n".join([
    f"Total sales: {sum(sums.values()):,} EUR",
    f"Best region: {max(sums, key=sums.get)}",
    f"Best quarter: {quarters[by_quarter.index(max(by_quarter))]}",
]))
most, region, at = max((value, region, at) for region, values in amounts.items() for at, value in enumerate(values))
note(key, f"Largest figure: {most:,} EUR ({region}, {quarters[at]})")
regions = add(deck, "Figure", "Sales by region")
table(regions, [["Region", *quarters, "Total"]] + [[name, *values, sums[name]] for name, values in amounts.items()])
note(regions, f"Source: sales.csv, {len(amounts) * 4} figures")
if level > 1:
    charted = add(deck, "Figure", "Sales by quarter")
    chart(charted, "column", "Sales in EUR", quarters, list(amounts.items()))
    note(charted, f"Source: sales.csv, {len(amounts) * 4} figures")
deck.save("/app/deck.pptx")
"""
OTHER = r"""
import sqlite3

base = sqlite3.connect(":memory:")
base.execute("create table sales (region text, quarter text, amount integer)")
head, *lines = open("/app/sales.csv", encoding="utf-8").read().split()
for line in lines:
    region, *values = line.split(",")
    base.executemany("insert into sales values (?, ?, ?)", zip([region] * 4, head.split(",")[1:], map(int, values)))
ask = lambda text: base.execute(text).fetchall()
deck = Presentation("/app/template.pptx")
names = [region for region, in ask("select distinct region from sales order by rowid")]
row = "select amount from sales where region = '{}' order by quarter"
values = {name: [amount for amount, in ask(row.format(name))] for name in names}
total, count = ask("select sum(amount), count(*) from sales")[0]
top = "select {0} from sales group by {0} order by sum(amount) desc limit 1"
facts = ["Total sales: {:,} EUR".format(total), "Best region: " + ask(top.format("region"))[0][0],
         "Best quarter: " + ask(top.format("quarter"))[0][0]]
largest = ask("select amount, region, quarter from sales order by amount desc")[0]
source = f"Source: sales.csv, {count} figures"
plan = [("Opening", f"Sales {year}", f"By region and quarter, prepared by {person}", ""),
        ("Content", "Key figures", None, "Largest figure: {:,} EUR ({}, {})".format(*largest)),
        ("Figure", "Sales by region", None, source), ("Figure", "Sales by quarter", None, source)]
for number, (name, title, text, note) in enumerate(plan[: 3 if level == 1 else 4]):
    slide = deck.slides.add_slide(layout(deck, name))
    slide.placeholders[0].text_frame.paragraphs[0].add_run().text = title
    if text:
        slide.placeholders[1].text_frame.text = text
    if number == 1:
        frame_ = slide.placeholders[1].text_frame
        frame_.text = facts[0]
        for fact in facts[1:]:
            frame_.add_paragraph().add_run().text = fact
    if number == 2:
        table(slide, [["Region", *head.split(",")[1:], "Total"]] + [
            [name, *(f"{value:,}" for value in values[name]), f"{sum(values[name]):,}"] for name in reversed(names)])
    if number == 3:
        chart(slide, "column", "Sales in EUR", head.split(",")[1:], [(name, values[name]) for name in reversed(names)])
    if note and level > 1:
        slide.notes_slide.notes_text_frame.text = note
deck.save("/app/deck.pptx")
"""
INTRO = """
Make the presentation /app/deck.pptx from the template /app/template.pptx and the figures in /app/sales.csv (sales in
EUR by region and quarter). It uses the template's layouts, its titles stand in the title placeholders, and it has these
slides in this order:

1. Layout Opening: title "Sales {year}", subtitle "By region and quarter, prepared by {person}".
2. Layout Content: title "Key figures"; the body has three bullet points, as in
   Total sales: 1,234,567 EUR
   Best region: North
   Best quarter: Q1
   (the region and the quarter with the largest sum).
3. Layout Figure: title "Sales by region"; a native table with the columns {head}, a row for each region,
   amounts as whole numbers.
"""
CHART = """\
4. Layout Figure: title "Sales by quarter"; a native column chart with the title "Sales in EUR", the quarters as its
   categories and a series for each region, which has the region's name.

The notes of the slides 3 and 4 are "Source: sales.csv, 12 figures" with the number of figures that there are, those of
the slide 2 name the largest figure, as in "Largest figure: 123,456 EUR (North, Q1)".
"""
FITS = """
Everything stays on its slide and in its box, nothing overlaps, and no text is smaller than 10 points.
"""


def make_slides(level: int, draw: random.Random) -> Recipe:
    """Levels 1 and 2: slides from a list."""
    figures = draw_figures(draw, 4 + level)
    given: dict[str, Any] = {"level": level, "year": figures.year, "person": figures.person}
    head = ", ".join(figures.rows(total=True)[0])
    told = INTRO.format(year=figures.year, person=figures.person, head=head) + (CHART if level > 1 else "") + FITS
    return Recipe(
        instruction=told,
        artifacts=(FILE,),
        solve=python(OBJECTS + WRITE, **given),
        checks=tuple(checks(level, figures)),
        files={"template.pptx": packed(house()), "sales.csv": csv_text(figures.rows())},
        wrongs=(
            *swapped(WRITE, lambda text: python(OBJECTS + text, **given), *swaps(level)),
            *edited(FILE, *faults(level)),
        ),
        alternatives=(Alternative("markup", "as XML, by a data base", python(MARKUP + OTHER, **given)),),
    )


def checks(level: int, figures: Figures) -> list[Any]:
    """What is asked for at this level."""
    titles = [f"Sales {figures.year}", "Key figures", "Sales by region", "Sales by quarter"][: level + 2]
    rows = figures.rows(total=True)
    asked: list[Any] = [
        Slides(
            id="slides", why="the slides in their order and layouts", file=FILE, titles=titles, floor=0.5,
            layouts=["Opening", "Content", "Figure", "Figure"][: level + 2],
        ),
        SlideText(
            id="opening", why="the subtitle of the first slide", file=FILE, slide=titles[0],
            contains=[f"By region and quarter, prepared by {figures.person}"],
        ),
        SlideText(
            id="key", why="the key figures as bullet points", file=FILE, slide="Key figures", weight=2,
            bullets=figures.bullets,
        ),
        SlideTable(
            id="table", why="a table of all figures with the regions' sums", file=FILE, slide="Sales by region",
            weight=2, floor=0.2, columns=typed(rows[0], "tnnnnn"), key=["Region"], rows=rows[1:],
        ),
        Overflow(id="fits", why="everything fits", file=FILE),
    ]  # fmt: skip
    if level > 1:
        region, quarter, amount = figures.largest
        source = f"Source: sales.csv, {len(figures.amounts) * 4} figures"
        asked += [
            SlideChart(
                id="chart", why="a chart of the figures", file=FILE, slide="Sales by quarter", type="column", weight=2,
                series=[list(map(float, row)) for row in figures.amounts.values()], names=list(figures.amounts),
                categories=list(QUARTERS), title="Sales in EUR",
            ),
            Notes(
                id="notes_key", why="the largest figure in the notes", file=FILE, slide="Key figures",
                contains=[f"Largest figure: {amount:,} EUR ({region}, {quarter})"],
            ),
            *(
                Notes(id=f"notes_{at}", why="the source in the notes", file=FILE, slide=titles[at], contains=[source])
                for at in (2, 3)
            ),
        ]  # fmt: skip
    return asked


def swaps(level: int) -> list[Any]:
    """Wrong turns of the program."""
    found: list[Any] = [
        ("layout", "one layout for everything", ("slides",), 'template.pptx")',
         'template.pptx")\nlayout = lambda deck, name, of=layout: of(deck, "Content")'),
        ("nobody", "prepared by nobody", ("opening",), ", prepared by {person}", ""),
        ("plain", "amounts as they are", ("key",), "{sum(sums.values()):,} EUR", "{sum(sums.values())} EUR"),
        ("best", "the region of the largest figure", ("key",), "max(sums, key=sums.get)",
         "max(amounts, key=lambda name: max(amounts[name]))"),
        ("sums", "no sums", ("table",), "[name, *values, sums[name]]", '[name, *values, ""]'),
        ("row", "a region is lost", ("table",), "for name, values in amounts.items()])\nnote",
         "for name, values in list(amounts.items())[1:]])\nnote"),
    ]  # fmt: skip
    if level > 1:
        found += [
            ("by_region", "regions as categories", ("chart",), 'quarters, list(amounts.items()))',
             "list(amounts), [(q, [v[at] for v in amounts.values()]) for at, q in enumerate(quarters)])"),
            ("lines", "a line chart", ("chart",), 'chart(charted, "column"', 'chart(charted, "line"'),
            ("unnamed", "series without names", ("chart",), "quarters, list(amounts.items()))",
             'quarters, [("Sales", values) for values in amounts.values()])'),
            ("silent", "no notes", ("notes_key", "notes_2", "notes_3"), "if level > 1:\n        slide.notes",
             "if level > 2:\n        slide.notes"),
            ("counted", "rows are counted, not figures", ("notes_2",), "note(regions, f\"Source: sales.csv, "
             "{len(amounts) * 4}", "note(regions, f\"Source: sales.csv, {len(amounts)}"),
        ]  # fmt: skip
    return found


def faults(level: int) -> list[Fault]:
    """Wrong turns of the deck."""
    found: list[Fault] = [
        ("order", "slides in another order", ("slides",), "ids = deck.slides._sldIdLst\nids.append(ids[1])"),
        ("box", "a text box instead of bullets", ("key",),
         "from pptx.util import Inches\nslide = deck.slides[1]\nbody = slide.placeholders[1]\n"
         "slide.shapes.add_textbox(*[Inches(n) for n in (1, 2, 9, 3)]).text_frame.text = body.text_frame.text\n"
         "body._element.getparent().remove(body._element)"),
        ("huge", "letters that leave the slide", ("fits",),
         "from pptx.enum.text import MSO_AUTO_SIZE\nfrom pptx.util import Pt\n"
         "frame = deck.slides[1].placeholders[1].text_frame\nframe.auto_size = MSO_AUTO_SIZE.NONE\n"
         "for paragraph in frame.paragraphs:\n    paragraph.runs[0].font.size = Pt(110)"),
        ("tiny", "letters that nobody can read", ("fits",),
         "from pptx.util import Pt\nfor paragraph in deck.slides[1].placeholders[1].text_frame.paragraphs:\n"
         "    paragraph.runs[0].font.size = Pt(6)"),
        ("over", "the table lies on the title", ("fits",),
         "for shape in deck.slides[2].shapes:\n    if shape.has_table:\n        shape.top = 500000"),
    ]  # fmt: skip
    if level > 1:
        found += [
            ("cropped", "the chart leaves the slide", ("fits",),
             "for shape in deck.slides[3].shapes:\n    if shape.has_chart:\n        shape.left = 4000000"),
            ("stale", "a figure of the chart is another", ("chart",),
             "from pptx.chart.data import CategoryChartData\n"
             "chart = next(shape.chart for shape in deck.slides[3].shapes if shape.has_chart)\n"
             "data = CategoryChartData()\ndata.categories = list(chart.plots[0].categories)\n"
             "for number, series in enumerate(chart.plots[0].series):\n"
             "    data.add_series(series.name, [value + 1000 * (number == 0) for value in series.values])\n"
             "chart.replace_data(data)"),
        ]  # fmt: skip
    return found


def make(level: int, seed: int) -> Recipe:
    """0: a title; 1: three slides; 2: a chart and notes; 3: a slide for each region; 4: last quarter's deck anew."""
    draw = rng(ID, level, seed)
    if level == 0:
        return make_title(draw)
    if level < 3:
        return make_slides(level, draw)
    return make_regions(draw) if level == 3 else make_update(draw)


FAMILY = OfficeFamily.of(ID, "Decks on sales", ("slides",), make)
