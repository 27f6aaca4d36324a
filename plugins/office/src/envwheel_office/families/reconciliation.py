"""Ledger against bank: what matches, what is open, charges, sums that hide, and a statement that has to add up."""

from __future__ import annotations

import random
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import beside, cell, formulas, kept, live, table, value
from envwheel_office.books import extended
from envwheel_office.facts import rng
from envwheel_office.families.accounts import BANK, LEDGER, draw_books
from envwheel_office.family import OfficeFamily, Recipe
from envwheel_office.kit.officekit.language_base import Anchor
from envwheel_office.kit.officekit.language_cells import Change
from envwheel_office.papers import memo
from envwheel_office.scripts import Fault, answered, edited, python, rebuilt, swapped

ID = "reconciliation"
FILE = "reconciled.xlsx"


def make_difference(draw: random.Random) -> Recipe:
    """Level 0: one difference."""
    books = draw_books(draw, 0)
    data = books.book()
    a, b = len(books.ledger) + 1, len(books.bank) + 1
    gap = round(sum(row[3] for row in books.ledger) - sum(row[3] for row in books.bank), 2)
    formula = f"=SUM(Ledger!D2:D{a})-SUM(Bank!D2:D{b})"
    return Recipe(
        instruction=f"""
/app/accounts.xlsx has the sheets Ledger (columns {", ".join(LEDGER)}) and Bank (columns {", ".join(BANK)}).

Save a copy as /app/{FILE} in which cell H1 of the sheet Ledger holds the sum of the amounts in Ledger minus the sum of
the amounts in Bank, as a number or a formula. Change nothing else.
""",
        artifacts=(FILE,),
        solve=answered("accounts.xlsx", FILE, {"Ledger": {"H1": formula}}),
        checks=(
            value("difference", "H1 holds ledger minus bank", FILE, cell("Ledger!H1"), gap),
            kept(FILE, "accounts.xlsx", "Ledger!H1"),
        ),
        files={"accounts.xlsx": data},
        tests={"accounts.xlsx": data},
        wrongs=edited(
            FILE,
            ("sign", "bank minus ledger", ("difference",),
             f"wb['Ledger']['H1'] = '=SUM(Bank!D2:D{b})-SUM(Ledger!D2:D{a})'"),
            ("ledger", "the ledger only", ("difference",), f"wb['Ledger']['H1'] = '=SUM(D2:D{a})'"),
            ("touched", "an amount is lost", ("kept",), "wb['Bank']['D3'] = 0"),
        ),
        alternatives=(
            Alternative("number", "a number", rebuilt("accounts.xlsx", FILE, {"Ledger": {"H1": gap}})),
        ),
    )  # fmt: skip


MATCH = """
import datetime
from openpyxl import load_workbook

wb = load_workbook("/app/accounts.xlsx")
ledger = list(wb["Ledger"].iter_rows(min_row=2, values_only=True))
bank = list(wb["Bank"].iter_rows(min_row=2, values_only=True))
taken = {}
for row in sorted(ledger, key=lambda row: row[0]):
    found = [
        line for line in bank
        if line[0] not in taken.values() and round(line[3] - row[3], 2) == 0
        and (row[2] in line[2] if references else True)
        and abs((line[1] - row[1]).days) <= days
    ]
    if found:
        best = min(found, key=lambda line: (abs((line[1] - row[1]).days), line[0]))
        taken[row[0]] = best[0]
ws = wb.create_sheet("Matched")
for letter in "ABCDEFGH":
    ws.column_dimensions[letter].width = 16
ws.append(["Voucher", "Line"])
for row in sorted(taken.items()):
    ws.append(row)
ws = wb.create_sheet("Open")
for letter in "ABCDEFGH":
    ws.column_dimensions[letter].width = 16
ws.append(["Source", "Number", "Date", "Amount"])
for row in sorted(ledger):
    if row[0] not in taken:
        ws.append(["Ledger", row[0], row[1], row[3]])
for line in sorted(bank):
    if line[0] not in taken.values():
        ws.append(["Bank", line[0], line[1], line[3]])
for cell in ws["C"][1:]:
    cell.number_format = "yyyy-mm-dd"
wb.save("/app/reconciled.xlsx")
"""
MATCH_OTHER = """
import collections, datetime
import xlsxwriter
from openpyxl import load_workbook

old = load_workbook("/app/accounts.xlsx")
ledger, bank = (sorted(list(old[name].values)[1:]) for name in ("Ledger", "Bank"))
free = collections.OrderedDict((line[0], line) for line in bank)
pairs = []
for number, when, reference, amount, *_ in ledger:
    best = None
    for line in free.values():
        gap = abs(line[1] - when) // datetime.timedelta(days=1)
        if round(line[3] * 100) == round(amount * 100) and gap <= days and (not references or reference in line[2]):
            if best is None or gap < best[0]:
                best = gap, line[0]
    if best:
        pairs.append((number, best[1]))
        del free[best[1]]
new = xlsxwriter.Workbook("/app/reconciled.xlsx")
dates = new.add_format({"num_format": "dd.mm.yyyy"})

def put(ws, y, x, row):
    for at, item in enumerate(row, x):
        ws.write(y, at, item, dates if isinstance(item, datetime.datetime) else None)

for ws in old:
    copy = new.add_worksheet(ws.title)
    copy.freeze_panes("A2")
    for y, row in enumerate(ws.values):
        put(copy, y, 0, row)
matched, left = new.add_worksheet("Matched"), new.add_worksheet("Open")
for y, row in enumerate([("Voucher", "Line"), *sorted(pairs)], 2):
    put(matched, y, 1, row)
done = {number for number, _ in pairs}
rows = [("Source", "Number", "Date", "Amount")]
rows += [("Ledger", row[0], row[1], row[3]) for row in ledger if row[0] not in done]
rows += [("Bank", line[0], line[1], line[3]) for line in free.values()]
for y, row in enumerate(rows):
    put(left, y, 0, row)
new.close()
"""
BY_REFERENCE = """\
A voucher and a bank line match when their amounts are equal and the Text of the bank line contains the Reference
of the voucher. Each bank line matches one voucher at most."""
BY_DATE = """\
A voucher and a bank line match when their amounts are equal and their dates are at most {days} days apart. Each bank
line matches one voucher at most: the vouchers choose in the order of their numbers, and each takes, of the bank lines
that are still free, the nearest in time; of equally near ones the one with the lower number."""


def make_match(level: int, draw: random.Random) -> Recipe:
    """Level 1: by reference; level 2: by amount and date."""
    books = draw_books(draw, level)
    data = books.book()
    days = 4 if level == 2 else 100000
    given = {"references": level == 1, "days": days}
    pairs, left = books.matched(days, by_reference=level == 1)
    rule = BY_REFERENCE if level == 1 else BY_DATE.format(days=days)
    faults = [
        (
            "near",
            "amounts that are close",
            ("matched", "open"),
            "round(line[3] - row[3], 2) == 0",
            "abs(line[3] - row[3]) < 1",
        ),
        ("no_bank", "open bank lines are forgotten", ("open",), 'ws.append(["Bank"', '[].append(["Bank"'),
    ]
    if level == 1:
        faults.append(("amount", "by amount alone", ("matched",), "row[2] in line[2] if references else True", "True"))
    else:
        faults += [
            (
                "twice",
                "a line for two vouchers",
                ("matched", "open"),
                "line[0] not in taken.values() and round",
                "round",
            ),
            ("first", "the first free line", ("matched",), "(abs((line[1] - row[1]).days), line[0])", "line[0]"),
            ("week", "a week apart", ("matched", "open"), "<= days", "<= days + 3"),
        ]
    return Recipe(
        instruction=f"""
/app/accounts.xlsx has the sheets Ledger (columns {", ".join(LEDGER)}) and Bank (columns {", ".join(BANK)}).

{rule}

Save it as /app/{FILE} with two further sheets:

- Matched: a table with the headers Voucher and Line, a row for each match, in the order of the vouchers' numbers;
- Open: a table with the headers Source, Number, Date and Amount, a row for everything that has no match: first the
  vouchers (Source is Ledger, Number the voucher), then the bank lines (Source is Bank, Number the line), each by
  number. Dates are real dates.

The sheets Ledger and Bank stay as they are.
""",
        artifacts=(FILE,),
        solve=python(MATCH, **given),
        checks=(
            table("matched", "which voucher is which line", FILE, "Matched", ["Voucher", "Line"], pairs, types="tt",
                  floor=0.2),
            table("open", "what has no match", FILE, "Open", ["Source", "Number", "Date", "Amount"], left,
                  key=["Source", "Number"], types="ttdn"),
            kept(FILE, "accounts.xlsx", "new"),
        ),
        files={"accounts.xlsx": data},
        tests={"accounts.xlsx": data},
        wrongs=(
            *swapped(MATCH, lambda text: python(text, **given), *faults),
            *edited(FILE, ("touched", "an amount is lost", ("kept",), "wb['Bank']['D3'] = 0")),
        ),
        alternatives=(Alternative("elsewhere", "XlsxWriter, other place", python(MATCH_OTHER, **given)),),
    )  # fmt: skip


STATEMENT = """
/app/accounts.xlsx has the sheets Balances (B1 is the bank's balance at the end of the month, B2 the ledger's), Ledger
(columns {ledger}) and Bank (columns {bank}).

{rule}

Save it as /app/{file} with three further sheets:

- Matching: a table with the headers Voucher and Line, a row for each voucher, in the order of the sheet Ledger. Line is
  a live formula: the number of the bank line that matches, or the text open.
- Lines: a table with the headers Line and Voucher, a row for each bank line, in the order of the sheet Bank. Voucher is
  a live formula: the voucher that matches, or the text open.
- Statement: in column A the labels Bank balance, Outstanding vouchers, Unrecorded lines, Adjusted balance, Ledger
  balance and Difference, with live formulas beside them in column B. Outstanding vouchers is the sum of the amounts of
  all vouchers that are open, Unrecorded lines that of all bank lines that are open. Adjusted balance is Bank balance
  plus Outstanding vouchers minus Unrecorded lines; Difference is Adjusted balance minus Ledger balance.

All formulas stay right when somebody changes balances, amounts or references. Helper columns on the new sheets are
fine. The sheets Balances, Ledger and Bank stay as they are.
"""
UNIQUE = """\
Ledger and Bank have a Reference each. A voucher and a bank line match when reference and amount are equal; every
reference stands once at most in each of the two sheets."""
BY_MEMO = """\
When a voucher and a bank line match, and what else counts, stands in the memo /app/policy.docx; read it first. The
sheet Statement has a further label, Fees, in column A."""
POLICY = (
    "- The bank cuts references: the first 8 characters of a reference are what the bank shows. Upper and lower case "
    "do not matter.",
    "- The bank books incoming payments less its fee, which is in the column Fee: Amount plus Fee is what was paid. A "
    "voucher and a bank line match when the references agree and the voucher's amount is Amount plus Fee.",
    "- Vouchers whose status is void are neither matched nor outstanding: Line is the text void.",
    "- The fees of matched lines are costs that the ledger does not know yet: the row Fees of the statement is their "
    "sum, and Adjusted balance is Bank balance plus Outstanding vouchers minus Unrecorded lines plus Fees.",
    "- The amount of an open bank line counts without its fee.",
)


def make_statement(level: int, draw: random.Random) -> Recipe:
    """Levels 3 and 4: a live statement; with cut references, fees and void vouchers."""
    books = draw_books(draw, level)
    data = books.book()
    answer, other = (books.statement(side) for side in (False, True))
    vouchers, lines, sums = books.expected()
    told = STATEMENT.format(
        ledger=", ".join(books.ledger_head), bank=", ".join(books.bank_head), file=FILE,
        rule=UNIQUE if level == 3 else BY_MEMO,
    )  # fmt: skip
    a, b = len(books.ledger) + 1, len(books.bank) + 1
    changes = [
        Change(how="scale", range="Balances!B1:B2", count=2),
        Change(how="scale", range=f"Ledger!D2:D{a}", count=3),
        Change(how="scale", range=f"Bank!D2:D{b}", count=3),
        Change(how="blank", range=f"Bank!C2:C{b}", count=2),
    ]
    if level == 4:
        changes.append(Change(how="set", range=f"Ledger!E2:E{a}", count=2, values=["void"]))
    followed = [beside(label, "Statement") for label in sums]
    first, second = (
        live(
            id, why, FILE, "reference.xlsx", changes, anchor=Anchor(headers=names, sheet=sheet), names=names[1:],
            key=names[:1], outputs=followed if id == "live" else (),
        )
        for id, why, sheet, names in (
            ("live", "vouchers and statement follow the accounts", "Matching", ["Voucher", "Line"]),
            ("live_lines", "lines follow the accounts", "Lines", ["Line", "Voucher"]),
        )
    )  # fmt: skip
    names = ["Voucher", "Line"]
    matching = Anchor(headers=names, sheet="Matching")
    files: dict[str, str | bytes] = {"accounts.xlsx": data}
    if level == 4:
        files["policy.docx"] = memo("Reconciliation of bank accounts", POLICY)
    return Recipe(
        instruction=told,
        artifacts=(FILE,),
        solve=answered("accounts.xlsx", FILE, answer),
        checks=(
            table("matching", "the line of each voucher", FILE, "Matching", names, vouchers, types="tt", weight=2),
            table("lines", "the voucher of each line", FILE, "Lines", names[::-1], lines, types="tt", weight=2),
            *(
                value(_id(label), f"{label} of the statement", FILE, beside(label, "Statement"), much)
                for label, much in sums.items() if label not in ("Bank balance", "Ledger balance")
            ),
            formulas("formulas", "Line is computed", FILE, matching, "Line", [f"Bank!D2:D{b}"]),
            first, second,
            kept(FILE, "accounts.xlsx", "new"),
        ),
        files=files,
        tests={"accounts.xlsx": data, "reference.xlsx": extended(data, answer)},
        skills=("finance", "formulas", "policy") if level == 4 else (),
        wrongs=edited(FILE, *statement_faults(level, vouchers, lines), vouchers=vouchers, lines=lines),
        alternatives=(Alternative("xlsxwriter", "XlsxWriter, other formulas", rebuilt("accounts.xlsx", FILE, other)),),
    )  # fmt: skip


def _id(label: str) -> str:
    return label.lower().replace(" ", "_")


def statement_faults(level: int, vouchers: list[list[Any]], lines: list[list[Any]]) -> list[Fault]:
    """What goes wrong with a statement."""
    each = "for ws in wb:\n    for row in ws.iter_rows():\n        for c in row:\n            if c.data_type == 'f':\n"
    each += "                c.value = c.value.replace({})"
    put = "for y, row in enumerate({0}, 2):\n    wb['{1}'].cell(y, 2).value = row[1]"
    found: list[Fault] = [
        ("typed", "right lines, typed", ("formulas", "live"), put.format("vouchers", "Matching")),
        ("typed_lines", "right vouchers, typed", ("live_lines",), put.format("lines", "Lines")),
        ("outstanding", "a sum of all vouchers", ("outstanding_vouchers", "adjusted_balance", "difference", "live"),
         "wb['Statement']['B2'] = '=SUM(Ledger!D2:D500)'"),
        ("unrecorded", "forgets unrecorded lines", ("unrecorded_lines", "adjusted_balance", "difference", "live"),
         "wb['Statement']['B3'] = '=0*Balances!B1'"),
        ("reference_only", "amounts may differ", ("matching", "lines"), each.format("'ABS(', '0*ABS('")),
        ("touched", "an amount is lost", ("kept",), "wb['Bank']['D3'] = 0"),
    ]  # fmt: skip
    if level == 4:
        found += [
            ("no_fees", "fees are forgotten", ("fees", "live"), "wb['Statement']['B7'] = '=0*Balances!B1'"),
            ("void", "void vouchers are open", ("matching",), each.format("'\"void\"', '\"none\"'")),
        ]
    return found


def make(level: int, seed: int) -> Recipe:
    """0: a difference; 1: by reference; 2: by amount and date; 3: a live statement; 4: fees, cut references, a memo."""
    draw = rng(ID, level, seed)
    if level == 0:
        return make_difference(draw)
    return make_match(level, draw) if level < 3 else make_statement(level, draw)


FAMILY = OfficeFamily.of(ID, "Ledger and bank", ("finance", "analysis", "formulas"), make)
