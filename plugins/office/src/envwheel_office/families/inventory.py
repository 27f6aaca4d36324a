"""Stock from movements: quantities, reorder lists, live stock cards, first-in-first-out values, a memo's rules."""

from __future__ import annotations

import random
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import cell, formulas, kept, live, look, table, value
from envwheel_office.books import extended
from envwheel_office.facts import rng
from envwheel_office.families.stock import HEADS, MOVES, Stock, draw_stock
from envwheel_office.family import OfficeFamily, Recipe
from envwheel_office.kit.officekit.language_base import Anchor
from envwheel_office.kit.officekit.language_cells import Change, DataValidation
from envwheel_office.papers import memo
from envwheel_office.scripts import Fault, answered, edited, python, rebuilt, swapped

ID = "inventory"
FILE = "stock.xlsx"


def make_sum(draw: random.Random) -> Recipe:
    """Level 0: what one item has in stock."""
    stock = draw_stock(draw, 4, 30, 0)
    data = stock.book(["Movements"])
    item, n = stock.items[1].name, len(stock.moves) + 1
    formula = f'=SUMIF(Movements!C2:C{n},"{item}",Movements!D2:D{n})'
    total = stock.on_hand(item)
    return Recipe(
        instruction=f"""
/app/movements.xlsx has the sheet Movements (columns {", ".join(MOVES)}; receipts are positive, issues negative).

Save a copy as /app/{FILE} in which cell H1 of that sheet holds the sum of Quantity of all movements of the item {item},
as a number or a formula. Change nothing else.
""",
        artifacts=(FILE,),
        solve=answered("movements.xlsx", FILE, {"Movements": {"H1": formula}}),
        checks=(
            value("sum", f"H1 holds the stock of {item}", FILE, cell("Movements!H1"), total),
            kept(FILE, "movements.xlsx", "Movements!H1"),
        ),
        files={"movements.xlsx": data},
        tests={"movements.xlsx": data},
        wrongs=edited(
            FILE,
            ("all", "all items", ("sum",), f"wb['Movements']['H1'] = '=SUM(D2:D{n})'"),
            ("receipts", "receipts only", ("sum",),
             f"wb['Movements']['H1'] = '=SUMIFS(D2:D{n},C2:C{n},\"{item}\",D2:D{n},\">0\")'"),
            ("touched", "a quantity is lost", ("kept",), "wb['Movements']['D3'] = 0"),
        ),
        alternatives=(
            Alternative("number", "XlsxWriter, a number", rebuilt(
                "movements.xlsx", FILE, {"Movements": {"H1": total}})),
        ),
    )  # fmt: skip


REORDER = """
from openpyxl import load_workbook

wb = load_workbook("/app/movements.xlsx")
have = {}
for no, date, item, quantity, *rest in wb["Movements"].iter_rows(min_row=2, values_only=True):
    have[item] = have.get(item, 0) + quantity
rows = []
for item, least, lot, supplier in wb["Items"].iter_rows(min_row=2, values_only=True):
    missing = least - have.get(item, 0)
    if missing > 0:
        rows.append([item, supplier, have.get(item, 0), -(-missing // lot) * lot])
rows.sort(key=lambda row: (row[1], row[0]))
ws = wb.create_sheet("Reorder")
for letter in "ABCDEFGH":
    ws.column_dimensions[letter].width = 16
ws.append(["Item", "Supplier", "On hand", "Order"])
for row in rows:
    ws.append(row)
wb.save("/app/stock.xlsx")
"""
REORDER_OTHER = """
import collections, math
import xlsxwriter
from openpyxl import load_workbook

old = load_workbook("/app/movements.xlsx")
have = collections.Counter()
for row in list(old["Movements"].values)[1:]:
    have[row[2]] += row[3]
new = xlsxwriter.Workbook("/app/stock.xlsx")
dates = new.add_format({"num_format": "yyyy-mm-dd"})
for ws in old:
    copy = new.add_worksheet(ws.title)
    copy.freeze_panes("A2")
    for y, row in enumerate(ws.values):
        for x, item in enumerate(row):
            copy.write(y, x, item, dates if hasattr(item, "year") else None)
out = new.add_worksheet("Reorder")
out.write("C2", "What to order")
out.write_row("C4", ["Item", "Supplier", "On hand", "Order"])
low = [row for row in list(old["Items"].values)[1:] if have[row[0]] < row[1]]
for y, (item, least, lot, supplier) in enumerate(sorted(low, key=lambda row: (row[3], row[0])), 4):
    out.write_row(y, 2, [item, supplier, have[item], math.ceil((least - have[item]) / lot) * lot])
new.close()
"""


def make_reorder(draw: random.Random) -> Recipe:
    """Level 1: what has to be ordered."""
    stock = draw_stock(draw, 14, 110, 1)
    data = stock.book(["Items", "Movements"])
    names = ["Item", "Supplier", "On hand", "Order"]
    rows = []
    for item in stock.items:
        have = stock.on_hand(item.name)
        if have < item.least:
            rows.append([item.name, item.supplier, have, -((have - item.least) // item.lot) * item.lot])
    rows.sort(key=lambda row: (row[1], row[0]))
    return Recipe(
        instruction=f"""
/app/movements.xlsx has the sheets Items (columns Item, Minimum, Lot, Supplier) and Movements (columns
{", ".join(MOVES)}; receipts are positive, issues negative).

Save it as /app/{FILE} with a further sheet Reorder: a table with the headers Item, Supplier, On hand and Order, a row
for each item of which less than its Minimum is on hand (the sum of its movements; 0 when it has none).

- Order is the smallest multiple of the item's Lot that brings it to its Minimum or above.
- The rows are sorted by Supplier, then by Item.

The sheets Items and Movements stay as they are.
""",
        artifacts=(FILE,),
        solve=python(REORDER),
        checks=(
            table("reorder", "what has to be ordered, sorted", FILE, "Reorder", names, rows, types="ttnn", floor=0.5),
            kept(FILE, "movements.xlsx", "new"),
        ),
        files={"movements.xlsx": data},
        tests={"movements.xlsx": data},
        wrongs=(
            *swapped(
                REORDER, python,
                ("exactly", "orders what is at its minimum", ("reorder",), "if missing > 0", "if missing >= 0"),
                ("lots", "orders what is missing", ("reorder",), "-(-missing // lot) * lot", "missing"),
                ("down", "too few lots", ("reorder",), "-(-missing // lot) * lot", "missing // lot * lot"),
                ("by_item", "sorted by item only", ("reorder",), "(row[1], row[0])", "row[0]"),
                ("unmoved", "skips unmoved items", ("reorder",), "if missing > 0", "if missing > 0 and item in have"),
            ),
            *edited(FILE, ("touched", "another minimum", ("kept",), "wb['Items']['B3'] = 1")),
        ),
        alternatives=(Alternative("elsewhere", "XlsxWriter, table at C4", python(REORDER_OTHER)),),
    )  # fmt: skip


COMMON = """
/app/movements.xlsx has the sheets Settings (B1 holds a cut-off date), Items (columns Item, Minimum, Lot, Supplier) and
Movements (columns {moves}; receipts are positive, issues negative{more}).

Save it as /app/{file} with a further sheet Stock: a table with the headers {head}, a row for each item of the
sheet Items, in that order.
"""
LIVE = """
- Received and Issued are sums of the movements up to the cut-off date, that day included; both are positive numbers.
- On hand is Received minus Issued. Status is the text order where On hand is below Minimum, else ok.
"""
VALUE = """\
- Value is what On hand is worth by first in, first out: what is left over comes from the newest receipts up to the
  cut-off date, each at its Price, counted back from the last row of the sheet Movements (its rows are in order of
  time). Value is shown with thousands separators and two decimals.
"""
END = """- All of these columns are live formulas: they stay right when somebody changes the cut-off date{follow}.
  Helper columns right of the table or on a sheet of their own are fine.

{rest}
"""
POLICY = (
    "- A movement whose kind is Count is no movement: somebody counted, and found that Quantity is what is there at "
    "that moment. On hand then starts anew from it.",
    "- Received and Issued count what came in and went out after the item's last count up to the cut-off date (all, "
    "where it was never counted), by the order of the rows: the rows of the sheet Movements are in order of time.",
    "- On hand is the last count (0 without one) plus Received minus Issued.",
    "- Movements of the kind Consignment belong to the supplier and never count.",
    "- Status is blocked where On hand is negative, order where it is below Minimum, else ok.",
)


def make_live(level: int, draw: random.Random) -> Recipe:
    """Levels 2 to 4: live stock cards; with values; with counts and a memo."""
    stock = draw_stock(draw, 6 + 2 * level, 60 + 20 * level, level)
    data = stock.book(["Settings", "Items", "Movements"])
    names = HEADS[level]
    anchor = Anchor(headers=names, sheet="Stock")
    answer, other = (stock.sheets(level, side) for side in (False, True))
    rows, n = stock.rows(level), len(stock.moves) + 1
    told = COMMON.format(moves=", ".join(stock.head), file=FILE, head=", ".join(names), more="")
    told += LIVE if level < 4 else "\nWhat the columns mean stands in the memo /app/policy.docx; read it first.\n\n"
    told += VALUE if level == 3 else ""
    rest = "The sheets Settings, Items and Movements stay as they are"
    if level == 4:
        rest = (
            f"Column B of the sheet Items (rows 2 to {len(stock.items) + 1}) accepts whole numbers from 0 to 500 only "
        )
        rest += "(data validation).\nOtherwise the sheets Settings, Items and Movements stay as they are"
    told += END.format(follow=", quantities, items or minimums" + (" or prices" if level == 3 else ""), rest=rest + ".")
    asked: list[Any] = [
        table("stock", "stock by item", FILE, "Stock", names, rows, types=TYPES[level], weight=4, floor=0.5),
        formulas("formulas", "On hand is computed", FILE, anchor, "On hand", ["Settings!B1"]),
        live(
            "live", "stock follows date, movements and minimums", FILE, "reference.xlsx",
            [
                Change(how="shift_days", range="Settings!B1:B1", count=1, days=30),
                Change(how="set", range=f"Movements!D2:D{n}", count=6, values=[-7, 12, 30, -3, 5]),
                Change(how="choose", range=f"Movements!C2:C{n}", count=4),
                Change(how="set", range=f"Items!B2:B{len(stock.items) + 1}", count=4, values=[0, 400, 15]),
                *([Change(how="scale", range=f"Movements!E2:E{n}", count=10)] if level == 3 else []),
            ],
            anchor=anchor, names=names[1:], key=["Item"],
        ),
        kept(FILE, "movements.xlsx", "new"),
    ]  # fmt: skip
    if level == 3:
        asked.append(
            look("format", "Value has separators and decimals", FILE, anchor, "Value", decimals=2, thousands=True)
        )
    if level == 4:
        asked.append(
            DataValidation(
                id="minimum", why="Minimum accepts whole numbers from 0 to 500", file=FILE,
                range=f"Items!B2:B{len(stock.items) + 1}", accepts=[0, 20, 500], refuses=[-1, 501, 2.5, "many"],
            )
        )  # fmt: skip
    files: dict[str, str | bytes] = {"movements.xlsx": data}
    if level == 4:
        files["policy.docx"] = memo("Stock records", POLICY)
    more = LOOKS if level == 3 else RULE if level == 4 else ""
    return Recipe(
        instruction=told,
        artifacts=(FILE,),
        solve=answered("movements.xlsx", FILE, answer, f"last = {len(stock.items) + 1}\n{more}"),
        checks=tuple(asked),
        files=files,
        tests={"movements.xlsx": data, "reference.xlsx": extended(data, answer)},
        skills=("spreadsheet", "formulas", "policy") if level == 4 else (),
        wrongs=edited(FILE, *faults(level, stock, rows), rows=rows),
        alternatives=(
            Alternative("xlsxwriter", "XlsxWriter, other formulas", rebuilt(
                "movements.xlsx", FILE, other, f"last = {len(stock.items) + 1}\n" + OTHER.get(level, ""))),
        ),
    )  # fmt: skip


TYPES = {2: "tnnnt", 3: "tnnntn", 4: "tnnnt"}
LOOKS = "for c in wb['Stock']['F'][1:]:\n    c.number_format = '#,##0.00'\n"
RULE = """
from openpyxl.worksheet.datavalidation import DataValidation
rule = DataValidation(type="whole", operator="between", formula1="0", formula2="500", showErrorMessage=True)
wb["Items"].add_data_validation(rule)
rule.add(f"B2:B{last}")
"""
OTHER = {
    3: """
money = new.add_format({"num_format": "#,##0.00"})
for ref, item in answer["Stock"].items():
    if ref[0] == "F" and str(item).startswith("="):
        sheets["Stock"].write(ref, item, money)
""",
    4: """
sheets["Items"].data_validation(f"B2:B{last}", {
    "validate": "custom", "value": "=AND(ISNUMBER(B2),B2>=0,B2<=500,B2=INT(B2))"})
""",
}


def faults(level: int, stock: Stock, rows: list[list[Any]]) -> list[Fault]:
    """What goes wrong at this level."""
    each = "for ws in wb:\n    for row in ws.iter_rows():\n        for c in row:\n            if c.data_type == 'f':\n"
    each += "                c.value = c.value.replace({})"
    n = len(stock.moves) + 1
    found: list[Fault] = [
        ("typed", "right numbers, typed", ("formulas", "live"),
         "for y, row in enumerate(rows, 2):\n    for x, item in enumerate(row[1:], 2):\n        "
         "wb['Stock'].cell(y, x).value = item"),
        ("all_time", "does not look at the cut-off date", ("stock", "formulas", "live"),
         each.format("'Settings!$B$1', '60000'")),
        ("before", "the cut-off day does not count", ("stock",), each.format("'<=', '<'")),
        ("at_minimum", "orders what is at its minimum", ("stock",), each.format("'<Items!B', '<=Items!B'")),
        ("short", "the last rows are missing", ("live",), each.format(f"'${n}', '${n - 20}'")),
        ("touched", "a quantity is lost", ("kept",), "wb['Movements']['D3'] = 0"),
    ]  # fmt: skip
    if level == 3:
        found += [
            ("average", "the average price", ("stock", "live"),
             "for y in range(2, len(rows) + 2):\n    wb['Stock'][f'F{y}'] = f'=D{y}*AVERAGE(Movements!$E$2:$E$9)'"),
            ("bare", "as General", ("format",), "for c in wb['Stock']['F']:\n    c.number_format = 'General'"),
        ]  # fmt: skip
    if level == 4:
        found += [
            ("free", "no rule", ("minimum",), "wb['Items'].data_validations.dataValidation = []"),
            ("consignment", "counts the supplier's stock", ("stock",), each.format("'Consignment', 'Nothing'")),
            ("counts", "counts are movements", ("stock",), each.format("'\"Count\"', '\"Nothing\"'")),
        ]
    return found


def make(level: int, seed: int) -> Recipe:
    """0: a sum; 1: a reorder list; 2: live stock; 3: values; 4: counts, consignment, a memo."""
    draw = rng(ID, level, seed)
    if level < 2:
        return (make_sum, make_reorder)[level](draw)
    return make_live(level, draw)


FAMILY = OfficeFamily.of(ID, "Stock and reorder", ("spreadsheet", "formulas", "analysis"), make)
