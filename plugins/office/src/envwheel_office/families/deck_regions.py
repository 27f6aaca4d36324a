"""Level 3 of `sales_deck`: a deck from bookings, with a slide for each region, in a template that holds slides."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import typed
from envwheel_office.books import book
from envwheel_office.decks import add, house
from envwheel_office.facts import PRODUCTS, REGIONS, Names, mail
from envwheel_office.families.deck_figures import QUARTERS
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
from envwheel_office.kit.officekit.language_base import Column
from envwheel_office.papers import packed
from envwheel_office.scripts import edited, python, swapped

FILE = "deck.pptx"
HEAD = ("Region", "Bookings", "Sales", "Share")

SOLVE = r"""
from openpyxl import load_workbook

rows = list(load_workbook("/app/bookings.xlsx")["Bookings"].iter_rows(min_row=2, values_only=True))
year = rows[0][0].year
quarters = ["Q1", "Q2", "Q3", "Q4"]

def sums(rows, key):
    found = {}
    for row in rows:
        found[key(row)] = found.get(key(row), 0) + row[3]
    return found

regions = sums(rows, lambda row: row[1])
order = sorted(regions, key=regions.get, reverse=True)
deck = Presentation("/app/template.pptx")
ids = deck.slides._sldIdLst
example, contact = list(ids)

add(deck, "Opening", f"Sales {year}", f"{len(rows)} bookings in {len(order)} regions")
glance = add(deck, "Figure", "Regions at a glance")
total = sum(regions.values())
table(glance, [["Region", "Bookings", "Sales", "Share"]] + [
    [name, sum(row[1] == name for row in rows), f"{regions[name]:,}", f"{regions[name] / total:.1%}"]
    for name in order])
for name in order:
    own = [row for row in rows if row[1] == name]
    by_quarter = sums(own, lambda row: quarters[(row[0].month - 1) // 3])
    products = sums(own, lambda row: row[2])
    slide = add(deck, "Figure and text", name, "\n".join([
        f"Sales: {regions[name]:,} EUR",
        f"Best quarter: {max(by_quarter, key=by_quarter.get)}",
        f"Best product: {max(products, key=products.get)}",
    ]))
    chart(slide, "line", "Sales in EUR", quarters, [(name, [by_quarter.get(quarter, 0) for quarter in quarters])])
    last = max(row[0] for row in own)
    slide.notes_slide.notes_text_frame.text = f"{len(own)} bookings, the last on {last.day} {last:%B} {last.year}"
# Not before: a new slide's part is named by how many there are.
deck.part.drop_rel(example.rId)
ids.remove(example)
ids.append(contact)
deck.save("/app/deck.pptx")
"""
OTHER = r"""
import collections, datetime
from openpyxl import load_workbook

sheet = load_workbook("/app/bookings.xlsx", read_only=True).active
whole, count = collections.Counter(), collections.Counter()
quarter, product = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
last = {}
lines = [tuple(cell.value for cell in row) for row in sheet.rows][1:]
for day, region, item, amount in lines:
    whole[region] += amount
    count[region] += 1
    quarter[region][f"Q{-(-day.month // 3)}"] += amount
    product[region][item] += amount
    last[region] = max(day, last.get(region, day))
deck = Presentation("/app/template.pptx")
names = [name for name, _ in whole.most_common()]
first = deck.slides.add_slide(layout(deck, "Opening"))
first.placeholders[0].text, first.placeholders[1].text = f"Sales {lines[0][0]:%Y}", "{} bookings in {} regions".format(
    len(lines), len(names))
second = deck.slides.add_slide(layout(deck, "Figure"))
second.placeholders[0].text = "Regions at a glance"
table(second, [("Region", "Bookings", "Sales", "Share")] + [
    (name, count[name], whole[name], "{:.1f} %".format(100 * whole[name] / sum(whole.values()))) for name in names])
for name in names:
    slide = deck.slides.add_slide(layout(deck, "Figure and text"))
    slide.placeholders[0].text = name
    texts = ["Sales: {:,} EUR".format(whole[name]), "Best quarter: " + quarter[name].most_common(1)[0][0],
             "Best product: " + product[name].most_common(1)[0][0]]
    body = slide.placeholders[1].text_frame
    for at, text in enumerate(texts):
        (body.add_paragraph() if at else body.paragraphs[0]).add_run().text = text
    axis = ["Q1", "Q2", "Q3", "Q4"]
    chart(slide, "line", "Sales in EUR", axis, [(name, [quarter[name][one] for one in axis])])
    day = last[name]
    slide.notes_slide.notes_text_frame.text = "{} bookings, the last on {} {:%B %Y}".format(count[name], day.day, day)
ids = deck.slides._sldIdLst
old = list(ids)[:2]
ids.remove(old[0])
ids.remove(old[1])
ids.append(old[1])
deck.part.drop_rel(old[0].rId)
deck.save("/app/deck.pptx")
"""
HINTS = (
    "Opening for the first slide, Closing for the last one",
    "Figure for one table or chart, Figure and text with room for a chart to the left of the text",
    "Delete this slide before you present",
)


@dataclass(slots=True)
class Bookings:
    """Rows are (day, region, product, amount in EUR)."""

    rows: list[tuple[date, str, str, int]]
    person: str

    def of(self, region: str) -> list[tuple[date, str, str, int]]:
        """A region's rows."""
        return [row for row in self.rows if row[1] == region]

    def sales(self, region: str) -> int:
        """A region's sum."""
        return sum(row[3] for row in self.of(region))

    @property
    def regions(self) -> list[str]:
        """The regions, the one with the largest sum first."""
        return sorted({row[1] for row in self.rows}, key=self.sales, reverse=True)

    def quarters(self, region: str) -> list[int]:
        """The sums of a region's quarters."""
        return [sum(row[3] for row in self.of(region) if (row[0].month - 1) // 3 == at) for at in range(4)]

    def bullets(self, region: str) -> list[str]:
        """What stands on a region's slide."""
        quarters, own = self.quarters(region), self.of(region)
        products = {row[2]: sum(one[3] for one in own if one[2] == row[2]) for row in own}
        return [
            f"Sales: {self.sales(region):,} EUR",
            f"Best quarter: {QUARTERS[quarters.index(max(quarters))]}",
            f"Best product: {max(products, key=lambda name: products[name])}",
        ]

    def note(self, region: str) -> str:
        """What stands in its notes."""
        own = self.of(region)
        last = max(row[0] for row in own)
        return f"{len(own)} bookings, the last on {last.day} {last:%B} {last.year}"

    def table(self) -> list[list[Any]]:
        """The overview."""
        total = sum(row[3] for row in self.rows)
        return [[one, len(self.of(one)), self.sales(one), round(self.sales(one) / total, 3)] for one in self.regions]

    def sound(self) -> bool:
        """Whether nothing is best together with something else, no quarter is empty, and the order is its own."""
        for region in self.regions:
            own = self.of(region)
            sums = sorted(sum(one[3] for one in own if one[2] == name) for name in {row[2] for row in own})
            quarters = sorted(self.quarters(region))
            if sums[-1] == sums[-2] or quarters[-1] == quarters[-2] or not quarters[0]:
                return False
        different = len({self.sales(region) for region in self.regions}) == len(self.regions)
        return different and self.regions != sorted(self.regions)

    def template(self) -> bytes:
        """The house's template with a slide of hints and one that closes."""
        deck = house()
        add(deck, "Content", "How to use this template", HINTS)
        add(deck, "Closing", "Contact", [self.person, mail(self.person)], notes="Leave this slide up for questions.")
        return packed(deck)


def draw_bookings(draw: random.Random) -> Bookings:
    """A year's bookings in five regions."""
    year, person = draw.choice((2020, 2021, 2022)), Names(draw).people(1)[0]
    regions, products = draw.sample(REGIONS, 5), draw.sample(PRODUCTS, 4)
    while True:
        rows = []
        for at in range(draw.randint(76, 96)):
            when = date(year, 1, 3) + timedelta(days=draw.randrange(360))
            region = regions[at % 5] if at < 25 else draw.choice(regions)
            rows.append((when, region, draw.choice(products), 50 * draw.randint(40, 900)))
        made = Bookings(sorted(rows), person)
        if made.sound():
            return made


def make_regions(draw: random.Random) -> Recipe:
    """The environment."""
    bookings = draw_bookings(draw)
    template = bookings.template()
    data = book({"Bookings": [["Date", "Region", "Product", "Amount"], *(list(row) for row in bookings.rows)]})
    return Recipe(
        instruction=f"""
/app/bookings.xlsx lists a year's bookings (sheet Bookings: Date, Region, Product, Amount in EUR). Make the presentation
/app/deck.pptx of them, from the template /app/template.pptx and in its layouts. Its slides, in this order:

- Layout Opening: title "Sales {bookings.rows[0][0].year}"; subtitle as in "80 bookings in 4 regions".
- Layout Figure: title "Regions at a glance"; a native table with the columns {", ".join(HEAD)}: a row for each region,
  the largest sales first. Bookings is their number, Sales their sum in EUR, Share the part of all sales as 12.3%.
- Layout "Figure and text", one slide for each region, the largest sales first: its name as the title; a native line
  chart with the title "Sales in EUR", the categories Q1 to Q4 and one series that has the region's name; in the body
  three bullet points as in
  Sales: 1,234,567 EUR
  Best quarter: Q1
  Best product: Stapler
  (by sales); in the notes their number and last day as in "12 bookings, the last on 3 April 2019".
- The slide Contact of the template, unchanged, as the last one. The template's other slide goes.

Titles stand in the title placeholders. Everything stays on its slide and in its box, nothing overlaps, and no text is
smaller than 10 points.
""",
        artifacts=(FILE,),
        solve=python(OBJECTS + SOLVE),
        checks=tuple(checks(bookings)),
        files={"bookings.xlsx": data, "template.pptx": template},
        tests={"template.pptx": template},
        skills=("slides", "analysis"),
        wrongs=wrongs(bookings),
        alternatives=(Alternative("markup", "as XML, in one pass", python(MARKUP + OTHER)),),
    )


def checks(bookings: Bookings) -> list[Any]:
    """What is asked for."""
    regions, year = bookings.regions, bookings.rows[0][0].year
    columns = [*typed(HEAD[:3], "tnn"), Column(header="Share", type="number", tol=0.0006)]
    asked: list[Any] = [
        Slides(
            id="slides", why="the slides in their order and layouts", file=FILE, weight=2, floor=0.5,
            titles=[f"Sales {year}", "Regions at a glance", *regions, "Contact"],
            layouts=["Opening", "Figure", *["Figure and text"] * len(regions), "Closing"],
        ),
        SlideText(
            id="opening", why="the subtitle of the first slide", file=FILE, slide=f"Sales {year}",
            contains=[f"{len(bookings.rows)} bookings in {len(regions)} regions"],
        ),
        SlideTable(
            id="table", why="all regions at a glance", file=FILE, slide="Regions at a glance", weight=2, floor=0.2,
            columns=columns, key=["Region"], rows=bookings.table(), order="exact",
        ),
        Preserve(
            id="kept", why="the slide Contact of the template stays", file=FILE, gate=True, original="template.pptx",
            allow=["slide:1", "new"],
        ),
        Overflow(id="fits", why="everything fits", file=FILE),
    ]  # fmt: skip
    for at, region in enumerate(regions, 1):
        asked += [
            SlideChart(
                id=f"chart_{at}", why=f"a chart of {region}", file=FILE, slide=region, type="line", names=[region],
                series=[list(map(float, bookings.quarters(region)))], categories=list(QUARTERS), title="Sales in EUR",
            ),
            SlideText(
                id=f"text_{at}", why=f"the facts of {region}", file=FILE, slide=region,
                bullets=bookings.bullets(region),
            ),
            Notes(
                id=f"notes_{at}", why=f"the notes of {region}", file=FILE, slide=region,
                contains=[bookings.note(region)],
            ),
        ]  # fmt: skip
    return asked


def wrongs(bookings: Bookings) -> tuple[Any, ...]:
    """Wrong solutions."""
    numbers = range(1, len(bookings.regions) + 1)
    charts, texts, notes = (tuple(f"{name}_{at}" for at in numbers) for name in ("chart", "text", "notes"))
    return (
        *swapped(
            SOLVE, lambda text: python(OBJECTS + text),
            ("letters", "regions by their letters", ("slides", "table"), "key=regions.get, reverse=True", "key=str"),
            ("hints", "the hints stay", ("slides",), "deck.part.drop_rel(example.rId)\nids.remove(example)\n", ""),
            ("contact", "the last slide of the template goes, too", ("slides", "kept"), "ids.append(contact)\n",
             "ids.remove(contact)\n"),
            ("second", "the template's slide is not the last one", ("slides",), "ids.append(contact)\n", ""),
            ("places", "no count", ("opening",), "{len(rows)} bookings in", "Bookings in"),
            ("percent", "shares of the largest", ("table",), "regions[name] / total",
             "regions[name] / regions[order[0]]"),
            ("months", "quarters that begin in March", (charts[0],), "(row[0].month - 1) // 3", "row[0].month // 4"),
            ("columns", "columns, not lines", charts, 'chart(slide, "line"', 'chart(slide, "column"'),
            ("nameless", "series without names", charts, "[(name, [by_quarter", '[("Sales", [by_quarter'),
            ("plain", "amounts as they are", texts, "Sales: {regions[name]:,} EUR", "Sales: {regions[name]} EUR"),
            ("first", "the first day, not the last", notes, "last = max(", "last = min("),
        ),
        *edited(
            FILE,
            ("wide", "charts that lie on the text", ("fits",),
             "for slide in deck.slides:\n    for shape in slide.shapes:\n"
             "        if shape.has_chart:\n            shape.width = 11000000"),
            ("other", "another contact", ("kept",),
             "list(deck.slides)[-1].placeholders[1].text = 'info@example.com'"),
        ),
    )  # fmt: skip
