"""Levels 3 and 4 of `data_cleaning`: spellings by a list, what cannot be used goes into a log, then a live summary."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import formulas, live, look, table
from envwheel_office.books import book, csv_text, extended, grid
from envwheel_office.facts import Names, codes, day, money
from envwheel_office.families.data_cleaning_dirt import COUNTRIES, HEAD, READ, dirty_amount, dirty_date, dirty_text
from envwheel_office.family import Recipe, Wrong
from envwheel_office.kit.officekit.language_base import Anchor
from envwheel_office.kit.officekit.language_cells import Change
from envwheel_office.papers import memo
from envwheel_office.scripts import edited, python, swapped

LOG = ["Line", "Order", "Issue"]
SUMMARY = ["Country", "Orders", "Amount", "Largest"]


@dataclass(slots=True)
class Line:
    """A line of the export: what it says, and what it means."""

    number: str
    day: date | None
    customer: str
    country: str | None
    amount: float | None
    texts: list[str]


def lines(draw: random.Random, count: int, start: date) -> list[Line]:
    """Lines of an export, with every kind of fault."""
    customers = Names(draw).companies(count // 5)
    made = []
    for index, number in enumerate(codes(draw, "O", count, 5)):
        when = day(draw, date(2021, 2, 1), date(2023, 6, 30))
        country = draw.choice(list(COUNTRIES))
        spelling = draw.choice((country, *COUNTRIES[country]))
        amount = money(draw, 20, 4800) * (-1 if index % 9 == 4 else 1)
        line = Line(number, when, draw.choice(customers), country, amount, [])
        line.texts = [number, dirty_date(draw, when), line.customer, spelling, dirty_amount(draw, amount)]
        made.append(line)
    broken = draw.sample(made, 14)
    for line in broken[:4]:
        line.day, line.texts[1] = None, draw.choice(("31.02.2022", "n/a", "2022-13-05", "unknown"))
    for line in broken[3:7]:
        line.amount, line.texts[4] = None, draw.choice(("tbd", "see note", ""))
    for line in broken[7:10]:
        line.country, line.texts[3] = None, draw.choice(("Atlantis", "XX", "??"))
    for line in broken[10:]:
        line.day = start - timedelta(days=draw.randint(1, 300))
        line.texts[1] = dirty_date(draw, line.day)
    if start.year > 2020:
        broken[10].day = start
        broken[10].texts[1] = start.isoformat()
    draw.shuffle(made)
    for line in draw.sample([item for item in made if item.day and item.amount], 5):
        other = money(draw, 20, 900)
        texts = [*line.texts[:4], f"{other:.2f}"]
        twin = Line(line.number, line.day, line.customer, line.country, other, texts)
        made.insert(draw.randint(0, len(made)), twin)
    return made


def judged(found: list[Line], start: date | None) -> tuple[list[list[Any]], list[list[Any]]]:
    """The clean rows and the log; `start`: what is older is left out."""
    last = {line.number: index for index, line in enumerate(found)}
    rows: list[list[Any]] = []
    log: list[list[Any]] = []
    for index, line in enumerate(found):
        issues = []
        if last[line.number] != index:
            issues = ["duplicate"]
        else:
            issues += ["bad date"] * (line.day is None) + ["bad amount"] * (line.amount is None)
            if not issues and start and line.day and line.day < start:
                issues = ["too old"]
            if not issues:
                rows.append([line.number, line.day, line.customer, line.country, line.amount])
                issues += ["unknown country"] * (line.country is None)
        log += [[index + 2, line.number, issue] for issue in issues]
    return sorted(rows), log


SOLVE_HEAD = """
import csv, datetime
from openpyxl import Workbook, load_workbook

"""
SOLVE = (
    SOLVE_HEAD
    + READ
    + """
def amount(item):
    item = text(item).replace("EUR", "").replace(",", "").strip()
    minus = item.startswith("(") or item.endswith("-") or item.startswith("-")
    try:
        return float(item.strip("()-")) * (-1 if minus else 1)
    except ValueError:
        return None

spellings = load_workbook("/app/countries.xlsx")["Spellings"]
names = {a.casefold(): b for a, b in spellings.iter_rows(min_row=2, values_only=True)}
lines = list(csv.DictReader(open("/app/orders.csv", encoding="utf-8")))
last = {text(line["Order"]): index for index, line in enumerate(lines)}
rows, log = [], []
for index, line in enumerate(lines):
    number, when, much = text(line["Order"]), day(line["Date"]), amount(line["Amount"])
    country = names.get(text(line["Country"]).casefold())
    if last[number] != index:
        log.append([index + 2, number, "duplicate"])
        continue
    bad = [issue for item, issue in ((when, "bad date"), (much, "bad amount")) if item is None]
    if not bad and start and when < datetime.date.fromisoformat(start):
        bad = ["too old"]
    log += [[index + 2, number, issue] for issue in bad]
    if not bad:
        if country is None:
            log.append([index + 2, number, "unknown country"])
        rows.append([number, when, text(line["Customer"]), country, much])
wb = Workbook()
ws = wb.active
ws.title = "Clean"
ws.append(["Order", "Date", "Customer", "Country", "Amount"])
for row in sorted(rows, key=lambda row: row[0]):
    ws.append(row)
for cell in ws["B"][1:]:
    cell.number_format = "yyyy-mm-dd"
issues = wb.create_sheet("Issues")
issues.append(["Line", "Order", "Issue"])
for row in log:
    issues.append(row)
if start:
    n = ws.max_row
    out = wb.create_sheet("Summary")
    out.append(["Country", "Orders", "Amount", "Largest"])
    for y, name in enumerate(sorted(set(names.values())), 2):
        where = f"Clean!$D$2:$D${n}"
        out.append([name, f"=COUNTIF({where},A{y})", f"=SUMIF({where},A{y},Clean!$E$2:$E${n})",
                    f"=MAXIFS(Clean!$E$2:$E${n},{where},A{y})".replace("MAXIFS", "_xlfn.MAXIFS")])
for ws in wb:
    for letter in "ABCDEFGH":
        ws.column_dimensions[letter].width = 16
wb.save("/app/clean.xlsx")
"""
)
OTHER = """
import csv, datetime, re, xlsxwriter
from openpyxl import load_workbook

months = "jan feb mar apr may jun jul aug sep oct nov dec".split()

def day(item):
    hit = re.fullmatch(r"(\\d{4})-(\\d\\d)-(\\d\\d)", item)
    hit = hit or re.fullmatch(r"(\\d+)[. ](\\w+)[. ](\\d{4})", item)
    if not hit:
        return None
    year, month, day = hit.groups() if len(hit[1]) == 4 else hit.groups()[::-1]
    month = int(month) if month.isdigit() else months.index(month.lower()) + 1
    try:
        return datetime.date(int(year), month, int(day))
    except ValueError:
        return None

spellings = dict(list(load_workbook("/app/countries.xlsx").active.values)[1:])
spellings = {key.lower(): value for key, value in spellings.items()}
with open("/app/orders.csv", encoding="utf-8", newline="") as source:
    lines = [[re.sub(r"\\s+", " ", item).strip() for item in line] for line in csv.reader(source)]
good, log, seen = {}, [], set()
for number in range(len(lines), 1, -1):
    order, when, who, where, much = lines[number - 1]
    if order in seen:
        log.append((number, 0, order, "duplicate"))
        continue
    seen.add(order)
    when = day(when)
    digits = re.sub(r"[^0-9.]", "", much)
    if when is None:
        log.append((number, 1, order, "bad date"))
    if not digits:
        log.append((number, 2, order, "bad amount"))
    if when and digits:
        if start and when.isoformat() < start:
            log.append((number, 1, order, "too old"))
            continue
        where = spellings.get(where.lower())
        if where is None:
            log.append((number, 3, order, "unknown country"))
        good[order] = (when, who, where, float(digits) * (-1 if re.search(r"[-(]", much) else 1))
wb = xlsxwriter.Workbook("/app/clean.xlsx")
ws, issues = wb.add_worksheet("Clean"), wb.add_worksheet("Issues")
dates = wb.add_format({"num_format": "dd/mm/yyyy"})
ws.write_row(0, 0, ["Order", "Date", "Customer", "Country", "Amount"])
for y, order in enumerate(sorted(good), 1):
    when, who, where, much = good[order]
    ws.write_row(y, 0, [order, None, who, where, much])
    ws.write_datetime(y, 1, when, dates)
issues.write_row(0, 0, ["Line", "Order", "Issue"])
for y, (number, _, order, issue) in enumerate(sorted(log), 1):
    issues.write_row(y, 0, [number, order, issue])
if start:
    out = wb.add_worksheet("Summary")
    out.write_row("C2", ["Country", "Orders", "Amount", "Largest"])
    n = len(good) + 1
    for y, name in enumerate(sorted(set(spellings.values())), 2):
        where = f"(Clean!D$2:D${n}=C{y + 1})"
        out.write(y, 2, name)
        out.write_formula(y, 3, f"=SUMPRODUCT({where}*1)")
        out.write_formula(y, 4, f"=SUMPRODUCT({where}*Clean!E$2:E${n})")
        out.write_formula(y, 5, f"=SUMPRODUCT(MAX({where}*(Clean!E$2:E${n}+100000)))-100000")
wb.close()
"""
RULES = """
- Dates are written 2023-04-03, 03.04.2023 (the day first) or 3 Apr 2023; they become real dates, shown as dates. A date
  that cannot be read or does not exist is bad.
- Amounts may carry "EUR" and thousands separators; a negative one is written -12.50, 12.50- or (12.50). They become
  numbers. What is no number is a bad amount.
- In all texts, blanks at both ends are removed, and several blanks in a row within a text become one.
- Countries are written in many ways. /app/countries.xlsx says which spelling means which country (upper and lower case
  do not matter). A spelling that is not listed leaves Country blank."""
CODES = """
- duplicate: the order number stands in a later line again; only the last line of an order counts, the others are not
  looked at any further.
- bad date, bad amount: the line is left out (two rows in Issues, in this order, when both are bad).
- unknown country: the line is kept, with Country blank."""
POLICY = (
    "For everybody who loads order exports into our books.",
    "- Dates: 2023-04-03, 03.04.2023 (the day first) and 3 Apr 2023 are all in use. They become real dates, shown as "
    "dates. A date that cannot be read or does not exist is bad.",
    "- Amounts may carry EUR and thousands separators. Negative ones are written -12.50, 12.50- or (12.50). What is no "
    "number is a bad amount.",
    "- Blanks at both ends of a text go; several blanks in a row become one.",
    "- Countries are named as the workbook countries.xlsx says, whatever their case. A spelling that is not listed "
    "leaves the country blank and is logged as unknown country.",
    "- Only the last line of an order number counts. The earlier ones are logged as duplicate and not looked at any "
    "further.",
    "- A line with a bad date or a bad amount is left out and logged as bad date, bad amount, or both, in this order.",
)


def live_cells(rows: list[list[Any]]) -> dict[str, dict[str, Any]]:
    """The summary of the reference workbook."""
    n = len(rows) + 1
    found: list[list[Any]] = [SUMMARY]
    for y, name in enumerate(sorted(COUNTRIES), 2):
        where = f"(Clean!$D$2:$D${n}=A{y})"
        largest = f"=SUMPRODUCT(MAX({where}*(Clean!$E$2:$E${n}+1000000)))-1000000"
        found.append([name, f"=SUMPRODUCT({where}*1)", f"=SUMPRODUCT({where}*Clean!$E$2:$E${n})", largest])
    return {"Summary": grid(found)}


def summary(rows: list[list[Any]]) -> list[list[Any]]:
    """What the summary shows."""
    by = {name: [row[4] for row in rows if row[3] == name] for name in sorted(COUNTRIES)}
    return [[name, len(found), sum(found), max(found)] for name, found in by.items()]


INTRO = """
/app/orders.csv is an export with the columns Order, Date, Customer, Country and Amount, full of dirt. Make a clean
workbook /app/clean.xlsx of it with"""
SHEETS = """
1. a sheet Clean: a table with the headers Order, Date, Customer, Country and Amount, sorted by Order;
2. a sheet Issues: a table with the headers Line, Order and Issue, which lists every fault that was found in the order
   of the export. Line is the line of the file (the header is line 1), Issue is one of the codes"""
THIRD = """
3. a sheet Summary: a table with the headers Country, Orders, Amount and Largest, a row for each country of
   /app/countries.xlsx in alphabetical order: how many orders of the sheet Clean it has, the sum of their amounts and
   the largest of them. These three are live formulas on the sheet Clean, whose table starts in cell A1."""


def make(level: int, draw: random.Random) -> Recipe:
    """Level 3: with a log. Level 4: the rules are in a memo, which has one more, and there is a live summary."""
    start = date(2022, draw.randint(1, 6), 1) if level == 4 else None
    found = lines(draw, 60 if level == 3 else 90, start or date(2020, 1, 1))
    rows, log = judged(found, start)
    spellings = sorted((text, name) for name, texts in COUNTRIES.items() for text in dict.fromkeys(
        {item.casefold(): item for item in (*texts, name)}.values()))  # fmt: skip
    text = csv_text([HEAD, *([dirty_text(draw, item) for item in line.texts] for line in found)])
    files: dict[str, str | bytes] = {
        "orders.csv": text,
        "countries.xlsx": book({"Spellings": [["Spelling", "Country"], *spellings]}),
    }
    if start:
        rule = f"- Orders from before {start.day} {start:%B} {start.year} belong to the old books. "
        rule += "They are left out and logged as too old."
        files["policy.docx"] = memo("Loading of order exports", [*POLICY, rule])
        told = f"{INTRO}{SHEETS} duplicate, bad date, bad amount, too old\n   and unknown country;{THIRD}\n"
        told += "\nWhat counts as a fault and what becomes of it stands in the memo /app/policy.docx.\n"
    else:
        told = f"{INTRO}{SHEETS} below.\n\nThe rules:\n{RULES}\n\nThe codes:\n{CODES}\n"
    clean = Anchor(headers=HEAD, sheet="Clean")
    checks: list[Any] = [
        table(
            "rows", "clean rows, sorted by Order", "clean.xlsx", "Clean", HEAD, rows, types="xdxxn", weight=4, floor=0.6
        ),
        table(
            "log", "every fault with its line and code, in order", "clean.xlsx", "Issues", LOG, log,
            key=["Line", "Issue"], types="ntt", weight=3,
        ),
        look("dates", "dates are shown as dates", "clean.xlsx", clean, "Date", number="date"),
    ]  # fmt: skip
    tests: dict[str, str | bytes] = {}
    if start:
        anchor = Anchor(headers=SUMMARY, sheet="Summary")
        tests["reference.xlsx"] = extended(book({"Clean": [HEAD, *rows]}), live_cells(rows))
        checks += [
            table(
                "summary", "orders, amount and largest by country", "clean.xlsx", "Summary", SUMMARY, summary(rows),
                types="tnnn", weight=2,
            ),
            formulas("formulas", "Amount is computed", "clean.xlsx", anchor, "Amount"),
            live(
                "live", "the summary follows the sheet Clean", "clean.xlsx", "reference.xlsx",
                [
                    Change(how="scale", range=f"Clean!E2:E{len(rows) + 1}", count=8),
                    Change(how="choose", range=f"Clean!D2:D{len(rows) + 1}", count=6),
                ],
                anchor=anchor, names=SUMMARY[1:], key=["Country"],
            ),
        ]  # fmt: skip
    given = {"start": start.isoformat() if start else None}
    return Recipe(
        instruction=told,
        artifacts=("clean.xlsx",),
        solve=python(SOLVE, **given),
        checks=tuple(checks),
        files=files,
        tests=tests,
        skills=("cleaning", "policy", "formulas") if start else ("cleaning", "spreadsheet"),
        wrongs=wrongs(given, summary(rows) if start else None),
        alternatives=(Alternative("xlsxwriter", "read from the end, XlsxWriter", python(OTHER, **given)),),
    )


def wrongs(given: dict[str, Any], right: list[list[Any]] | None) -> tuple[Wrong, ...]:
    """What goes wrong: in the reading, in the log, and with a typed summary."""
    found = swapped(
        SOLVE,
        lambda text: python(text, **given),
        ("first", "keeps the first line of an order", ("rows", "log"), "index for index, line in enumerate(lines)}",
         "len(lines) - 1 - index for index, line in enumerate(lines[::-1])}"),
        ("lines", "counts lines without the header", ("log",), '2, number, "dup', '1, number, "dup'),
        ("exact", "spellings by exact case", ("rows", "log"), '"Country"]).casefold()', '"Country"])'),
        ("silent", "unknown countries are not logged", ("log",), "if country is None:", "if country == 0:"),
        ("as_numbers", "dates that show as numbers", ("dates",), "yyyy-mm-dd", "General"),
    )  # fmt: skip
    if right is None:
        return found
    found += swapped(
        SOLVE,
        lambda text: python(text, **given),
        ("old_too", "no cut-off", ("rows", "log", "summary"), "if not bad and start and", "if False and"),
        ("edge", "the first day is too old", ("rows", "log"), 'when < datetime', 'when <= datetime'),
    )  # fmt: skip
    return found + edited(
        "clean.xlsx",
        ("typed", "right numbers, typed", ("formulas", "live"),
         "for y, row in enumerate(right, 2):\n    for x, item in enumerate(row[1:], 2):\n        "
         "wb['Summary'].cell(y, x).value = item"),
        right=right,
    )  # fmt: skip
