"""Open invoices: a total, a list of what is overdue, an ageing by customer as values and as live formulas."""

from __future__ import annotations

import random
from datetime import date

from envwheel.api import Alternative
from envwheel_office.ask import cell, kept, look, table, value
from envwheel_office.books import book
from envwheel_office.facts import Names, cents, day, rng
from envwheel_office.families import invoice_ageing_inbox, invoice_ageing_live
from envwheel_office.families.invoice_register import AGEING, HEAD, ageing, invoices, total_row
from envwheel_office.family import OfficeFamily, Recipe
from envwheel_office.kit.officekit.language_base import Anchor
from envwheel_office.scripts import edited, python, rebuilt, swapped

ID = "invoice_ageing"


def make_total(draw: random.Random) -> Recipe:
    """Level 0: one sum in one cell."""
    as_of = day(draw, date(2022, 3, 1), date(2023, 9, 30))
    rows = invoices(draw, 14, Names(draw).companies(5), as_of)
    data = book({"Invoices": [HEAD, *(row.row() for row in rows)]})
    total = cents(sum(row.amount for row in rows))
    write = "from openpyxl import load_workbook\nwb = load_workbook('/app/invoices.xlsx')\nws = wb.active\n"
    solve = write + "ws['H1'] = sum(row[4] for row in ws.iter_rows(min_row=2, values_only=True))\n"
    save = "wb.save('/app/total.xlsx')\n"
    return Recipe(
        instruction="""
The workbook /app/invoices.xlsx has one sheet, Invoices, with one invoice a row.

Save a copy of it as /app/total.xlsx in which cell H1 of the sheet Invoices holds the sum of the column Amount (of all
invoices, paid or not). A number or a formula, as you like. Change nothing else.
""",
        artifacts=("total.xlsx",),
        solve=python(solve + save),
        checks=(
            value("total", "H1 holds the sum of the column Amount", "total.xlsx", cell("Invoices!H1"), total),
            kept("total.xlsx", "invoices.xlsx", "Invoices!H1"),
        ),
        files={"invoices.xlsx": data},
        tests={"invoices.xlsx": data},
        wrongs=edited(
            "total.xlsx",
            ("paid", "adds up the wrong column", ("total",), "wb.active['H1'] = '=SUM(F2:F15)'"),
            ("short", "the range ends one row early", ("total",), "wb.active['H1'] = '=SUM(E2:E14)'"),
            ("text", "the sum as text", ("total",), f"wb.active['H1'] = '{total}'"),
            ("touched", "rounds the amounts on the way", ("kept",), "wb.active['E3'] = round(wb.active['E3'].value)"),
        ),
        alternatives=(
            Alternative("formula", "a formula", python(write + "ws['H1'] = '=SUM(E2:E15)'\n" + save)),
            Alternative(
                "rebuilt", "all anew", rebuilt("invoices.xlsx", "total.xlsx", {"Invoices": {"H1": "=SUM(E2:E15)"}})
            ),
        ),
    )


OVERDUE = ["Invoice", "Customer", "Due", "Open", "Days overdue"]
LIST = """
import datetime
from openpyxl import load_workbook

wb = load_workbook("/app/invoices.xlsx")
rows = []
for number, customer, issued, due, amount, paid in wb["Invoices"].iter_rows(min_row=2, values_only=True):
    left = round(amount - paid, 2)
    days = (datetime.datetime.fromisoformat(as_of) - due).days
    if left > 0 and days > 0:
        rows.append([number, customer, due, left, days])
rows.sort(key=lambda row: (-row[4], row[0]))
ws = wb.create_sheet("Overdue")
for letter in "ABCDEFGH":
    ws.column_dimensions[letter].width = 16
ws.append(["Invoice", "Customer", "Due", "Open", "Days overdue"])
for row in rows:
    ws.append(row)
for cell in ws["C"][1:]:
    cell.number_format = "yyyy-mm-dd"
wb.save("/app/overdue.xlsx")
"""
LIST_POLARS = """
import datetime
import xlsxwriter
from openpyxl import load_workbook

as_of = datetime.datetime.fromisoformat(as_of)
given = list(load_workbook("/app/invoices.xlsx")["Invoices"].values)
late = [row for row in given[1:] if row[3] < as_of and row[5] < row[4]]
late = sorted(sorted(late, key=lambda row: row[0]), key=lambda row: row[3])
new = xlsxwriter.Workbook("/app/overdue.xlsx")
dates = new.add_format({"num_format": "dd.mm.yyyy"})
invoices, overdue = new.add_worksheet("Invoices"), new.add_worksheet("Overdue")
invoices.freeze_panes("A2")
for y, row in enumerate(given):
    for x, item in enumerate(row):
        invoices.write(y, x, item, dates if isinstance(item, datetime.datetime) else None)
overdue.write_row("B3", ["Invoice", "Customer", "Due", "Open", "Days overdue"])
for y, row in enumerate(late, 3):
    overdue.write_row(y, 1, row[:2])
    overdue.write_datetime(y, 3, row[3], dates)
    overdue.write_row(y, 4, [round(row[4] - row[5], 2), (as_of - row[3]).days])
new.close()
"""


def make_list(draw: random.Random) -> Recipe:
    """Level 1: which invoices are overdue, in order."""
    as_of = day(draw, date(2022, 3, 1), date(2023, 9, 30))
    rows = invoices(draw, 45, Names(draw).companies(7), as_of)
    data = book({"Invoices": [HEAD, *(row.row() for row in rows)]})
    late = [row for row in rows if row.open > 0 and row.due < as_of]
    late.sort(key=lambda row: (row.due, row.number))
    given = {"as_of": as_of.isoformat()}
    return Recipe(
        instruction=f"""
The workbook /app/invoices.xlsx has one sheet, Invoices, with the columns {", ".join(HEAD)}.

Save it as /app/overdue.xlsx with a further sheet Overdue: a table with the headers Invoice, Customer, Due, Open and
Days overdue, one row for each invoice that is overdue on {as_of.isoformat()}.

- Open is Amount minus Paid. Only invoices with an open amount above 0 are listed.
- Days overdue is the number of days from Due to {as_of.isoformat()}; an invoice that is due on that very day is not
  overdue.
- Due is a real date, Open and Days overdue are numbers.
- The most overdue invoice comes first; among equal ones the lower invoice number.

The sheet Invoices stays as it is.
""",
        artifacts=("overdue.xlsx",),
        solve=python(LIST, **given),
        checks=(
            table(
                "overdue", "the overdue invoices with their days, in order", "overdue.xlsx", "Overdue", OVERDUE,
                [[row.number, row.customer, row.due, row.open, (as_of - row.due).days] for row in late],
                types="ttdnn", floor=0.5,
            ),
            kept("overdue.xlsx", "invoices.xlsx", "new"),
        ),
        files={"invoices.xlsx": data},
        tests={"invoices.xlsx": data},
        wrongs=swapped(
            LIST,
            lambda text: python(text, **given),
            ("due_today", "counts what is due on the day", ("overdue",), "days > 0", "days >= 0"),
            ("paid_too", "lists paid invoices", ("overdue",), "left > 0 and", ""),
            ("from_issue", "counts from the date of issue", ("overdue",), "as_of) - due", "as_of) - issued"),
            ("unsorted", "in the order of the register", ("overdue",), "rows.sort(", "sorted(rows, "),
            ("touched", "a number is lost", ("kept",), 'ws = wb.create', 'wb["Invoices"]["A2"] = ""\nws = wb.create'),
        ),
        alternatives=(Alternative("elsewhere", "XlsxWriter, table at B3", python(LIST_POLARS, **given)),),
    )  # fmt: skip


AGE = """
import datetime
from openpyxl import load_workbook

wb = load_workbook("/app/invoices.xlsx")
heads = ["Current", "1-30", "31-60", "61-90", "Over 90"]
found = {}
for number, customer, issued, due, amount, paid in wb["Invoices"].iter_rows(min_row=2, values_only=True):
    left = max(round(amount - paid, 2), 0)
    days = (datetime.datetime.fromisoformat(as_of) - due).days
    place = 0 if days <= 0 else 1 if days <= 30 else 2 if days <= 60 else 3 if days <= 90 else 4
    found.setdefault(customer, [0] * 5)[place] += left
rows = [[name, *sums, sum(sums)] for name, sums in found.items() if sum(sums) > 0]
rows.sort(key=lambda row: (-round(row[6], 2), row[0]))
rows.append(["Total", *(sum(row[x] for row in rows) for x in range(1, 7))])
ws = wb.create_sheet("Ageing")
for letter in "ABCDEFGH":
    ws.column_dimensions[letter].width = 16
ws.append(["Customer", *heads, "Total"])
for row in rows:
    ws.append([row[0], *(round(item, 2) for item in row[1:])])
for row in ws.iter_rows(min_row=2, min_col=2):
    for cell in row:
        cell.number_format = "#,##0.00"
wb.save("/app/ageing.xlsx")
"""
AGE_OTHER = """
import collections
import datetime
import xlsxwriter
from openpyxl import load_workbook

last = datetime.datetime.fromisoformat(as_of)
given = list(load_workbook("/app/invoices.xlsx")["Invoices"].values)
cents = collections.defaultdict(lambda: [0] * 6)
for row in given[1:]:
    left = round(row[4] * 100) - round(row[5] * 100)
    if left > 0:
        late = max((last - row[3]).days, 0)
        for place in (min(-(-late // 30), 4), 5):
            cents[row[1]][place] += left
new = xlsxwriter.Workbook("/app/ageing.xlsx")
dates, money = new.add_format({"num_format": "yyyy/mm/dd"}), new.add_format({"num_format": "#,##0.00;-#,##0.00"})
copy, out = new.add_worksheet("Invoices"), new.add_worksheet("Ageing")
copy.freeze_panes("A2")
for y, row in enumerate(given):
    for x, item in enumerate(row):
        copy.write(y, x, item, dates if isinstance(item, datetime.datetime) else None)
out.write_row("A4", ["Customer", "Current", "1-30", "31-60", "61-90", "Over 90", "Total"])
names = sorted(sorted(cents), key=lambda name: cents[name][5], reverse=True)
for y, name in enumerate(names, 4):
    out.write(y, 0, name)
    out.write_row(y, 1, [item / 100 for item in cents[name]], money)
end = 4 + len(names)
out.write(end, 0, "Total")
for x in range(1, 7):
    out.write_formula(end, x, f"=SUM({chr(65 + x)}5:{chr(65 + x)}{end})", money)
new.close()
"""


def make_ageing(draw: random.Random) -> Recipe:
    """Level 2: buckets by customer, as values."""
    as_of = day(draw, date(2022, 3, 1), date(2023, 9, 30))
    customers = Names(draw).companies(8)
    rows = invoices(draw, 90, customers, as_of)
    data = book({"Invoices": [HEAD, *(row.row() for row in rows)]})
    found = [row for row in ageing(rows, as_of, customers) if row[6] > 0]
    found.sort(key=lambda row: (-row[6], str(row[0])))
    given = {"as_of": as_of.isoformat()}
    return Recipe(
        instruction=f"""
The workbook /app/invoices.xlsx has one sheet, Invoices, with the columns {", ".join(HEAD)}.

Save it as /app/ageing.xlsx with a further sheet Ageing that shows, as of {as_of.isoformat()}, what each customer still
owes and for how long it has been due: a table with the headers Customer, Current, 1-30, 31-60, 61-90, Over 90 and
Total.

- What is open of an invoice is Amount minus Paid; where a customer paid too much it is 0 (credits are not set off).
- Current holds what is not overdue: due on {as_of.isoformat()} or later. The other columns go by the number of days
  since Due: day 30 belongs to 1-30, day 31 to 31-60, and so on.
- One row for each customer that owes something, the largest Total first; then one row Total with the sum of each
  column.
- All amounts are numbers, rounded to cents and shown with thousands separators and two decimals.

The sheet Invoices stays as it is.
""",
        artifacts=("ageing.xlsx",),
        solve=python(AGE, **given),
        checks=(
            table(
                "ageing", "buckets by customer with totals, largest first", "ageing.xlsx", "Ageing", AGEING,
                [*found, total_row(found)], types="tnnnnnn", weight=4, floor=0.5,
            ),
            *(
                look(
                    f"format_{name}", "amounts have thousands separators and two decimals", "ageing.xlsx",
                    Anchor(headers=AGEING, sheet="Ageing"), column, number="number", decimals=2, thousands=True,
                )
                for name, column in (("current", "Current"), ("total", "Total"))
            ),
            kept("ageing.xlsx", "invoices.xlsx", "new"),
        ),
        files={"invoices.xlsx": data},
        tests={"invoices.xlsx": data},
        wrongs=(
            *swapped(
                AGE, lambda text: python(text, **given),
                ("edges", "day 30 in the next bucket", ("ageing",), "days <= 30", "days < 30"),
                ("today", "due today counts as overdue", ("ageing",), "0 if days <= 0", "0 if days < 0"),
                ("credits", "sets credits off", ("ageing",), "paid, 2), 0)", "paid, 2), -9999)"),
                ("unsorted", "customers as they come", ("ageing",), "rows.sort(", "sorted(rows, "),
                ("no_total", "no row Total", ("ageing",), 'rows.append(["Total"', '[].append(["Total"'),
                ("unformatted", "numbers as they are", ("format_current", "format_total"), "#,##0.00", "General"),
            ),
            *edited("ageing.xlsx", ("touched", "another amount", ("kept",), "wb['Invoices']['E5'] = 1")),
        ),
        alternatives=(Alternative("cents", "XlsxWriter, in cents, other place", python(AGE_OTHER, **given)),),
    )  # fmt: skip


def make(level: int, seed: int) -> Recipe:
    """0: a sum; 1: a list; 2: buckets; 3: as live formulas; 4: with an inbox of PDF invoices and a memo."""
    draw = rng(ID, level, seed)
    if level == 4:
        return invoice_ageing_inbox.make(draw)
    return (make_total, make_list, make_ageing, invoice_ageing_live.make)[level](draw)


FAMILY = OfficeFamily.of(ID, "Ageing of invoices", ("finance", "spreadsheet", "formulas"), make)
