"""Order exports that have to become usable workbooks: types, blanks, duplicates, spellings, a log of what was wrong."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import look, table
from envwheel_office.books import csv_text
from envwheel_office.facts import Names, codes, day, money, rng
from envwheel_office.families import data_cleaning_log
from envwheel_office.families.data_cleaning_dirt import COUNTRIES, HEAD, READ, dirty_amount, dirty_date, dirty_text
from envwheel_office.family import OfficeFamily, Recipe
from envwheel_office.kit.officekit.language_base import Anchor
from envwheel_office.scripts import edited, python, swapped

ID = "data_cleaning"


@dataclass(frozen=True, slots=True)
class Order:
    """A clean order."""

    number: str
    day: date
    customer: str
    country: str
    amount: float

    def row(self) -> list[Any]:
        """As it should stand in a workbook."""
        return [self.number, self.day, self.customer, self.country, self.amount]


def orders(draw: random.Random, count: int) -> list[Order]:
    """Clean orders in order of number; a few are refunds."""
    customers = Names(draw).companies(max(count // 4, 4))
    first, last = date(2021, 1, 4), date(2023, 6, 30)
    return [
        Order(
            number,
            day(draw, first, last),
            draw.choice(customers),
            draw.choice(list(COUNTRIES)),
            money(draw, 20, 4800) * (-1 if index % 7 == 3 else 1),
        )
        for index, number in enumerate(codes(draw, "O", count, 5))
    ]


PLAIN = """
import csv
from openpyxl import Workbook

wb = Workbook()
wb.active.title = "Orders"
for index, row in enumerate(csv.reader(open("/app/orders.csv", encoding="utf-8"))):
    wb.active.append(row if index == 0 else [*row[:-1], float(row[-1])])
for ws in wb:
    for letter in "ABCDEFGH":
        ws.column_dimensions[letter].width = 16
wb.save("/app/orders.xlsx")
"""
PLAIN_OTHER = """
import csv, xlsxwriter

wb = xlsxwriter.Workbook("/app/orders.xlsx", {"strings_to_numbers": True})
ws = wb.add_worksheet("Orders")
for y, row in enumerate(csv.reader(open("/app/orders.csv", encoding="utf-8"))):
    ws.write_row(y, 0, row)
wb.close()
"""


def make_plain(draw: random.Random) -> Recipe:
    """Level 0: a clean CSV file becomes a workbook."""
    head = ["Order", "Customer", "Country", "Amount"]
    rows = [[item.number, item.customer, item.country, item.amount] for item in orders(draw, 16)]
    return Recipe(
        instruction="""
Turn /app/orders.csv (comma-separated, UTF-8, with a header line) into a workbook /app/orders.xlsx with one sheet,
Orders: the same header (Order, Customer, Country, Amount) and the same rows in the same order. The amounts must be
numbers, not text.
""",
        artifacts=("orders.xlsx",),
        solve=python(PLAIN),
        checks=(
            table(
                "rows",
                "all rows, amounts as numbers, in order",
                "orders.xlsx",
                "Orders",
                head,
                rows,
                types="tttn",
                floor=0.7,
            ),
        ),
        files={"orders.csv": csv_text([head, *rows])},
        wrongs=edited(
            "orders.xlsx",
            ("text", "amounts as text", ("rows",), "for c in wb.active['D'][1:]:\n    c.value = str(c.value)"),
            ("last", "the last row is missing", ("rows",), "wb.active.delete_rows(wb.active.max_row)"),
            ("whole", "amounts without cents", ("rows",), "for c in wb.active['D'][1:]:\n    c.value = int(c.value)"),
        ),
        alternatives=(Alternative("xlsxwriter", "with XlsxWriter", python(PLAIN_OTHER)),),
    )


CLEAN_HEAD = """
import csv, datetime, re
from openpyxl import Workbook

"""
CLEAN = (
    CLEAN_HEAD
    + READ
    + """
def amount(item):
    item = text(item).replace("EUR", "").replace(",", "").strip()
    minus = item.startswith("(") or item.endswith("-") or item.startswith("-")
    value = float(item.strip("()-"))
    return -value if minus else value

rows = []
for line in csv.DictReader(open("/app/orders.csv", encoding="utf-8")):
    number, when, who, where, much = line.values()
    row = [text(number), day(when), text(who), text(where), amount(much)]
    if row not in rows:
        rows.append(row)
rows.sort(key=lambda row: row[0])
wb = Workbook()
ws = wb.active
ws.title = "Clean"
ws.append(["Order", "Date", "Customer", "Country", "Amount"])
for row in rows:
    ws.append(row)
for cell in ws["B"][1:]:
    cell.number_format = "yyyy-mm-dd"
for ws in wb:
    for letter in "ABCDEFGH":
        ws.column_dimensions[letter].width = 16
wb.save("/app/clean.xlsx")
"""
)
CLEAN_OTHER = """
import csv, datetime, re, xlsxwriter

months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
found = {}
with open("/app/orders.csv", encoding="utf-8", newline="") as source:
    next(source)
    for line in csv.reader(source):
        number, when, who, where, much = (re.sub(r"\\s+", " ", item).strip() for item in line)
        parts = re.split(r"[-. ]", when)
        year, month, day = parts if len(parts[0]) == 4 else parts[::-1]
        month = months.index(month) + 1 if month in months else int(month)
        sign = -1 if re.search(r"[-(]", much) else 1
        much = sign * float(re.sub(r"[^0-9.]", "", much))
        found[number] = (who, datetime.date(int(year), month, int(day)), where, much)
wb = xlsxwriter.Workbook("/app/clean.xlsx")
ws = wb.add_worksheet("Clean")
dates = wb.add_format({"num_format": "d mmm yyyy"})
ws.write("B1", "Cleaned orders")
ws.write_row("B3", ["Order", "Date", "Customer", "Country", "Amount"])
for y, number in enumerate(sorted(found), 3):
    who, day, where, much = found[number]
    ws.write_row(y, 1, [number, None, who, where, much])
    ws.write_datetime(y, 2, day, dates)
wb.close()
"""
WRONG_1 = (
    ("blanks", "leaves blanks within names", ("rows",), '" ".join(item.split())', "item.strip()"),
    ("twice", "keeps rows that stand twice", ("rows",), "if row not in rows", "if True"),
    ("unsorted", "in the order of the file", ("rows",), "rows.sort(", "sorted(rows, "),
)
WRONG_2 = (
    ("month_first", "day and month swapped", ("rows",), '"%d.%m.%Y"', '"%m.%d.%Y", "%d.%m.%Y"'),
    ("brackets", "amounts in brackets are positive", ("rows",), 'item.startswith("(") or ', ""),
    ("trailing", "a minus at the end is overlooked", ("rows",), ' or item.endswith("-")', ""),
    ("twice", "compares rows before cleaning", ("rows",), "if row not in rows", "if line not in rows"),
    ("as_numbers", "dates that show as numbers", ("dates",), "yyyy-mm-dd", "General"),
)


def make_clean(level: int, draw: random.Random) -> Recipe:
    """Levels 1 and 2: blanks and rows that stand twice; then also dates and amounts in many spellings."""
    truth = orders(draw, (0, 30, 60)[level])
    lines = []
    for item in [*truth, *draw.sample(truth, 6)]:
        plain = (item.day.isoformat(), f"{item.amount:.2f}")
        when, much = (dirty_date(draw, item.day), dirty_amount(draw, item.amount)) if level == 2 else plain
        lines.append([dirty_text(draw, text) for text in (item.number, when, item.customer, item.country, much)])
    draw.shuffle(lines)
    stretched = next(line for line in lines for text in line[2:4] if " " in text.strip())
    stretched[2:4] = [text.strip().replace(" ", "   ") for text in stretched[2:4]]
    spellings = """
- Dates are written 2023-04-03, 03.04.2023 (the day first) or 3 Apr 2023. They become real dates, shown as dates.
- Amounts may carry "EUR" and thousands separators; a negative one is written -12.50, 12.50- or (12.50). They become
  numbers."""
    simple = "\n- Date becomes a real date, shown as a date; Amount becomes a number."
    dates = look(
        "dates", "dates are shown as dates", "clean.xlsx", Anchor(headers=HEAD, sheet="Clean"), "Date", number="date"
    )
    wrongs = swapped(CLEAN, python, *(WRONG_1 if level == 1 else WRONG_2))
    if level == 1:
        wrongs += swapped(CLEAN, python, ("as_numbers", "shown as numbers", ("dates",), "yyyy-mm-dd", "General"))
    return Recipe(
        instruction=f"""
/app/orders.csv is an export with the columns Order, Date, Customer, Country and Amount, full of dirt. Make a clean
workbook /app/clean.xlsx of it: on a sheet Clean a table with the same headers.
{spellings if level == 2 else simple}
- In all texts, blanks at both ends are removed, and several blanks in a row within a text become one.
- Rows that are equal in all columns after that stand only once.
- The rows are sorted by Order, rising.
""",
        artifacts=("clean.xlsx",),
        solve=python(CLEAN),
        checks=(
            table(
                "rows", "clean rows, each once, in order", "clean.xlsx", "Clean", HEAD,
                [item.row() for item in truth], types="xdxxn", weight=4, floor=0.6,
            ),
            dates,
        ),
        files={"orders.csv": csv_text([HEAD, *lines])},
        wrongs=wrongs,
        alternatives=(Alternative("elsewhere", "XlsxWriter, other place, other dates", python(CLEAN_OTHER)),),
    )  # fmt: skip


def make(level: int, seed: int) -> Recipe:
    """0: CSV to workbook; 1: blanks, duplicates; 2: dates and amounts; 3: a log; 4: two dialects, a memo, a summary."""
    draw = rng(ID, level, seed)
    if level == 0:
        return make_plain(draw)
    return make_clean(level, draw) if level < 3 else data_cleaning_log.make(level, draw)


FAMILY = OfficeFamily.of(ID, "Cleaning of exports", ("cleaning", "spreadsheet"), make)
