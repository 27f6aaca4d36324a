"""Level 3 of `invoice_ageing`: the ageing as live formulas that follow the as-of date."""

from __future__ import annotations

import random
from datetime import date
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import formulas, kept, live, look, table
from envwheel_office.books import book, extended, grid
from envwheel_office.facts import Names, day
from envwheel_office.families.invoice_register import AGEING, HEAD, ageing, invoices, total_row
from envwheel_office.family import Recipe, Wrong
from envwheel_office.kit.officekit.language_base import Anchor
from envwheel_office.kit.officekit.language_cells import Change
from envwheel_office.scripts import answered, edited, rebuilt


def live_cells(customers: list[str], last: int, *, product: bool = False) -> dict[str, dict[str, Any]]:
    """The sheet Ageing as formulas; with `product` from SUMPRODUCT alone, else with a helper column on the sheet."""
    due, amount, paid, who = (f"Invoices!${letter}$2:${letter}${last}" for letter in "DEFB")
    rows: list[list[str]] = [AGEING]
    for y, name in enumerate(customers, 2):
        cells = [name]
        for index in range(5):
            low, high = (-100000, 0) if index == 0 else ((index - 1) * 30 + 1, index * 30 if index < 4 else 100000)
            if product:
                days = f"(Settings!$B$1-{due}"
                test = f"{days}>={low})*{days}<={high})" if index else f"{days}<=0)"
                cells.append(f"=SUMPRODUCT(({who}=$A{y})*{test}*({amount}>{paid})*({amount}-{paid}))")
            else:
                span = f'$L$2:$L${last},">={low}",$L$2:$L${last},"<={high}"'
                cells.append(f"=SUMIFS($K$2:$K${last},{who},$A{y},{span})")
        rows.append([*cells, f"=SUM(B{y}:F{y})"])
    end = len(customers) + 1
    rows.append(["Total", *(f"=SUM({letter}2:{letter}{end})" for letter in "BCDEFG")])
    found = grid(rows)
    if not product:
        found |= {f"K{y}": f"=MAX(Invoices!E{y}-Invoices!F{y},0)" for y in range(2, last + 1)}
        found |= {f"L{y}": f"=Settings!$B$1-Invoices!D{y}" for y in range(2, last + 1)}
    return {"Ageing": found}


STYLE = """
for row in wb["Ageing"].iter_rows(min_row=2, min_col=2, max_col=7):
    for cell in row:
        cell.number_format = "#,##0.00"
"""


def make(draw: random.Random) -> Recipe:
    """Level 3: the same as live formulas that follow the as-of date."""
    as_of = day(draw, date(2022, 3, 1), date(2023, 9, 30))
    customers = sorted(Names(draw).companies(9))
    rows = invoices(draw, 120, customers, as_of)
    data = book(
        {
            "Settings": [["As of", as_of]],
            "Customers": [["Customer"], *([name] for name in customers)],
            "Invoices": [HEAD, *(row.row() for row in rows)],
        },
        plain=["Settings"],
    )
    answer = live_cells(customers, 121, product=True)
    found = ageing(rows, as_of, customers)
    anchor = Anchor(headers=AGEING, sheet="Ageing")
    return Recipe(
        instruction=f"""
The workbook /app/invoices.xlsx has the sheets Settings (cell B1 holds the as-of date), Customers and Invoices (columns
{", ".join(HEAD)}).

Save it as /app/ageing.xlsx with a further sheet Ageing: a table with the headers Customer, Current, 1-30, 31-60, 61-90,
Over 90 and Total, with one row for each customer of the sheet Customers, in that order (also for those that owe
nothing), and a last row Total with the sums of the columns.

- What is open of an invoice is Amount minus Paid, and 0 where too much was paid.
- Current holds what is due on the as-of date or later; the other columns go by the days since Due (day 30 belongs to
  1-30, day 31 to 31-60, ...).
- Every amount is a live formula. The table must stay right when somebody changes the as-of date in Settings, or
  amounts, payments, due dates and customers in the rows of Invoices.
- Amounts are shown with thousands separators and two decimals. Helper columns or sheets are fine.

The sheets Settings, Customers and Invoices stay as they are.
""",
        artifacts=("ageing.xlsx",),
        solve=answered("invoices.xlsx", "ageing.xlsx", answer, STYLE),
        checks=(
            table(
                "ageing", "buckets by customer in the order of Customers, with totals", "ageing.xlsx", "Ageing", AGEING,
                [*found, total_row(found)], types="tnnnnnn", weight=3, floor=0.5,
            ),
            formulas("formulas", "the column Over 90 is computed", "ageing.xlsx", anchor, "Over 90", ["Settings!B1"]),
            look(
                "format", "amounts have thousands separators and two decimals", "ageing.xlsx", anchor, "Total",
                number="number", decimals=2, thousands=True,
            ),
            live(
                "live", "the table follows the as-of date and the invoices", "ageing.xlsx", "reference.xlsx",
                [
                    Change(how="shift_days", range="Settings!B1:B1", count=1, days=50),
                    Change(how="scale", range="Invoices!E2:E121", count=15),
                    Change(how="shift_days", range="Invoices!D2:D121", count=15, days=60),
                    Change(how="choose", range="Invoices!B2:B121", count=10),
                ],
                anchor=anchor, names=AGEING[1:], key=["Customer"],
            ),
            kept("ageing.xlsx", "invoices.xlsx", "new"),
        ),
        files={"invoices.xlsx": data},
        tests={"invoices.xlsx": data, "reference.xlsx": extended(data, answer)},
        wrongs=live_wrongs([*found, total_row(found)]),
        alternatives=(
            Alternative(
                "helper", "XlsxWriter, SUMIFS over helper columns",
                rebuilt(
                    "invoices.xlsx", "ageing.xlsx", live_cells(customers, 121),
                    "money = new.add_format({'num_format': '#,##0.00'})\n"
                    "for ref, item in answer['Ageing'].items():\n"
                    "    if str(item).startswith('=') and ref[0] in 'BCDEFG':\n"
                    "        sheets['Ageing'].write_formula(ref, item, money)\n",
                ),
            ),
        ),
    )  # fmt: skip


def live_wrongs(right: list[list[Any]]) -> tuple[Wrong, ...]:
    """What goes wrong with live formulas, beginning with none at all."""
    return edited(
        "ageing.xlsx",
        (
            "typed", "right numbers, typed", ("formulas", "live"),
            "for y, row in enumerate(right, 2):\n    for x, item in enumerate(row[1:], 2):\n        "
            "wb['Ageing'].cell(y, x).value = item",
        ),
        (
            "short", "the ranges end 20 rows early", ("ageing", "live"),
            "for row in wb['Ageing'].iter_rows(min_row=2):\n    for cell in row:\n        "
            "if '$121' in str(cell.value):\n            cell.value = cell.value.replace('$121', '$101')",
        ),
        (
            "fixed_date", "the as-of date is typed into the formulas", ("formulas", "live"),
            "serial = (wb['Settings']['B1'].value - __import__('datetime').datetime(1899, 12, 30)).days\n"
            "for row in wb['Ageing'].iter_rows(min_row=2):\n    for cell in row:\n        "
            "cell.value = str(cell.value).replace('Settings!$B$1', str(serial))",
        ),
        (
            "edges", "day 31 falls through", ("ageing",),
            "for cell in wb['Ageing']['D'][1:]:\n    cell.value = str(cell.value).replace('>=31', '>31')",
        ),
        ("bare", "as General", ("format",), "for cell in wb['Ageing']['G']:\n    cell.number_format = 'General'"),
        ("touched", "pays an invoice", ("kept",), "wb['Invoices']['F3'] = 3.5"),
        right=right,
    )  # fmt: skip
