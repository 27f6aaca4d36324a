"""Level 4 of `invoice_ageing`: PDF invoices join a register by the rules of a memo, then a live ageing in EUR."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import formulas, kept, live, table
from envwheel_office.books import book, extended, grid
from envwheel_office.facts import Names, cents, codes, day, money
from envwheel_office.families.invoice_register import BUCKETS, bucket
from envwheel_office.family import Recipe
from envwheel_office.kit.officekit.language_base import Anchor
from envwheel_office.kit.officekit.language_cells import Change
from envwheel_office.papers import memo, sheet_pdf
from envwheel_office.scripts import edited, python, swapped

HEAD = ["Invoice", "Customer", "Kind", "Due", "Currency", "Amount", "Disputed"]
AGEING = ["Customer", *BUCKETS, "Disputed", "Total"]


@dataclass(frozen=True, slots=True)
class Paper:
    """An invoice or a credit note, as it comes or as it is registered. `due` None: only `terms` are known."""

    number: str
    customer: str
    issued: date
    due: date | None
    terms: int
    currency: str
    amount: float
    disputed: bool = False
    credit: bool = False

    @property
    def counts_from(self) -> date:
        """The due date by the memo: terms where none is printed, weekends moved to Monday."""
        found = self.due or self.issued + timedelta(days=self.terms)
        return found + timedelta(days=(7 - found.weekday()) if found.weekday() > 4 else 0)

    def row(self) -> list[Any]:
        """As it stands in the register."""
        kind, sign = ("Credit note", -1) if self.credit else ("Invoice", 1)
        disputed = "yes" if self.disputed else "no"
        return [self.number, self.customer, kind, self.counts_from, self.currency, sign * self.amount, disputed]


def pdf(paper: Paper, layout: int, draw: random.Random) -> bytes:
    """The paper as a PDF in one of two layouts."""
    number, issued = ("Invoice number", "Invoice date") if layout else ("Our reference", "Date of issue")
    net = cents(paper.amount / 1.2)
    lines = [f"{number}: {paper.number}", f"Bill to: {paper.customer}", f"{issued}: {paper.issued.isoformat()}"]
    lines.append(f"Terms: {paper.terms} days net")
    if paper.due:
        lines.append(f"Due date: {paper.due.isoformat()}")
    if paper.disputed:
        lines.append("Status: disputed by the customer")
    title = "CREDIT NOTE" if paper.credit else "INVOICE"
    texts = [(60.0 if layout else 380.0, 80.0, title, 18.0)]
    texts += [(60.0, 130.0 + 18 * y, text, 10.5) for y, text in enumerate(lines)]
    texts += [
        (60.0, 300.0, "Services as agreed", 10.0), (430.0, 300.0, f"{net:,.2f}", 10.0),
        (60.0, 318.0, "VAT 20 %", 10.0), (430.0, 318.0, f"{cents(paper.amount - net):,.2f}", 10.0),
        (60.0, 350.0, f"Total {'credited' if paper.credit else 'due'}: {paper.currency} {paper.amount:,.2f}", 11.5),
        (60.0, 780.0, f"Page 1 of 1, printed for file {draw.randint(100, 999)}", 8.0),
    ]  # fmt: skip
    return sheet_pdf([texts])


def papers(draw: random.Random, count: int, customers: list[str], as_of: date, prefix: str) -> list[Paper]:
    """Invoices and credit notes; the first few are the corner cases of the memo."""
    made = []
    for index, number in enumerate(codes(draw, prefix, count)):
        issued = day(draw, as_of - timedelta(days=170), as_of - timedelta(days=5))
        terms = draw.choice((14, 30, 60))
        due: date | None = issued + timedelta(days=terms + draw.choice((0, 0, 5)))
        if index % 4 == 1:
            due = None
        if index == 2:
            due = as_of - timedelta(days=as_of.weekday() + 2 + 7 * 3)
        currency = ("USD", "GBP", "EUR", "CHF")[index % 4]
        credit, disputed = index in (3, 9), index in (4, 11)
        amount = money(draw, 900, 9000)
        made.append(Paper(number, draw.choice(customers), issued, due, terms, currency, amount, disputed, credit))
    return made


def ageing(rows: list[Paper], rates: dict[str, float], as_of: date, customers: list[str]) -> list[list[Any]]:
    """A row per customer, in EUR, and the row Total."""
    found: list[list[float]] = []
    for name in customers:
        sums = [0.0] * 7
        for row in rows:
            if row.customer == name:
                late = 0 if row.credit else (as_of - row.counts_from).days
                amount = row.amount * rates[row.currency] * (-1 if row.credit else 1)
                sums[5 if row.disputed else bucket(late)] += amount
        sums[6] = sum(sums)
        found.append(sums)
    total = [sum(column) for column in zip(*found, strict=True)]
    return [[name, *sums] for name, sums in zip([*customers, "Total"], [*found, total], strict=True)]


SOLVE = """
import datetime, glob, re
from openpyxl import load_workbook
from pypdf import PdfReader

wb = load_workbook("/app/register.xlsx")
ws = wb["Register"]
known = {row[0] for row in ws.iter_rows(min_row=2, values_only=True)}
fresh = []
for path in glob.glob("/app/inbox/*.pdf"):
    text = PdfReader(path).pages[0].extract_text()
    def find(pattern):
        hit = re.search(pattern, text)
        return hit.group(1).strip() if hit else None
    number = find(r"(?:Invoice number|Our reference): (.*)")
    if number in known:
        continue
    due = find(r"Due date: (.*)")
    if due:
        due = datetime.datetime.fromisoformat(due)
    else:
        issued = datetime.datetime.fromisoformat(find(r"(?:Invoice date|Date of issue): (.*)"))
        due = issued + datetime.timedelta(days=int(find(r"Terms: (\\d+)")))
    while due.weekday() > 4:
        due += datetime.timedelta(days=1)
    credit = "CREDIT NOTE" in text
    currency, amount = re.search(r"Total (?:due|credited): (\\w+) ([\\d,.]+)", text).groups()
    amount = float(amount.replace(",", "")) * (-1 if credit else 1)
    fresh.append([number, find(r"Bill to: (.*)"), "Credit note" if credit else "Invoice", due, currency, amount,
                  "yes" if "disputed" in text else "no"])
for row in sorted(fresh):
    ws.append(row)
    ws.cell(ws.max_row, 4).number_format = "yyyy-mm-dd"
last = ws.max_row
out = wb.create_sheet("Ageing")
for letter in "ABCDEFGH":
    out.column_dimensions[letter].width = 16
out.append(["Customer", "Current", "1-30", "31-60", "61-90", "Over 90", "Disputed", "Total"])
ws["I1"] = "EUR"
ws["J1"] = "Days"
for y in range(2, last + 1):
    ws[f"I{y}"] = f"=F{y}*INDEX(Rates!$B$2:$B$5,MATCH(E{y},Rates!$A$2:$A$5,0))"
    ws[f"J{y}"] = f'=IF(G{y}="yes","",IF(C{y}="Credit note",0,MAX(Settings!$B$1-D{y},0)))'
customers = sorted({ws[f"B{y}"].value for y in range(2, last + 1)})
spans = [(0, 0), (1, 30), (31, 60), (61, 90), (91, 99999)]
for y, name in enumerate(customers, 2):
    sums = f"Register!$I$2:$I${last},Register!$B$2:$B${last},$A{y}"
    days = f"Register!$J$2:$J${last}"
    row = [f'=SUMIFS({sums},{days},">={low}",{days},"<={high}")' for low, high in spans]
    out.append([name, *row, f'=SUMIFS({sums},Register!$G$2:$G${last},"yes")', f"=SUM(B{y}:G{y})"])
end = len(customers) + 1
out.append(["Total", *(f"=SUM({x}2:{x}{end})" for x in "BCDEFGH")])
wb.save("/app/ageing.xlsx")
"""
OTHER = """
import datetime, pathlib
import pdfplumber
from openpyxl import load_workbook

wb = load_workbook("/app/register.xlsx")
ws = wb["Register"]
known = [cell.value for cell in ws["A"]]
fresh = []
for path in pathlib.Path("/app/inbox").iterdir():
    with pdfplumber.open(path) as pdf:
        lines = pdf.pages[0].extract_text().splitlines()
    facts = dict(line.split(": ", 1) for line in lines if ": " in line)
    number = facts.get("Invoice number") or facts["Our reference"]
    if number not in known:
        issued = datetime.date.fromisoformat(facts.get("Invoice date") or facts["Date of issue"])
        due = issued + datetime.timedelta(days=int(facts["Terms"].split()[0]))
        due = datetime.date.fromisoformat(facts["Due date"]) if "Due date" in facts else due
        due += datetime.timedelta(days={5: 2, 6: 1}.get(due.weekday(), 0))
        credit = "Total credited" in facts
        currency, amount = (facts.get("Total credited") or facts["Total due"]).replace(",", "").split()
        amount = -float(amount) if credit else float(amount)
        kind = "Credit note" if credit else "Invoice"
        fresh.append((number, facts["Bill to"], kind, due, currency, amount, "yes" if "Status" in facts else "no"))
for row in sorted(fresh):
    ws.append(row)
n = ws.max_row
out = wb.create_sheet("Ageing", 0)
for letter in "ABCDEFGH":
    out.column_dimensions[letter].width = 16
out.append(["Ageing in EUR"])
out.append([])
out.append(["Customer", "Current", "1-30", "31-60", "61-90", "Over 90", "Disputed", "Total"])
rate = "+".join(f"(Register!$E$2:$E${n}=Rates!$A${y})*Rates!$B${y}" for y in range(2, 6))
late = f"(Settings!$B$1-Register!$D$2:$D${n})*(Register!$C$2:$C${n}=\\"Invoice\\")"
open_ = f"(Register!$G$2:$G${n}=\\"no\\")"
bands = [f"({late}<=0)"] + [f"({late}>{low})*({late}<={low + 30})" for low in (0, 30, 60)] + [f"({late}>90)"]
for y, name in enumerate(sorted({row[1].value for row in ws.iter_rows(min_row=2)}), 4):
    base = f"=SUMPRODUCT((Register!$B$2:$B${n}=$A{y})*Register!$F$2:$F${n}*({rate})*"
    row = [base + f"{open_}*{band})" for band in bands]
    out.append([name, *row, base + f"(Register!$G$2:$G${n}=\\"yes\\"))", base + "1)"])
out.append(["Total", *(f"=SUM({x}4:{x}{y})" for x in "BCDEFGH")])
wb.save("/app/ageing.xlsx")
"""


def live_cells(customers: list[str], last: int, start: int, fresh: list[Paper]) -> dict[str, dict[str, object]]:
    """The reference workbook's cells: the new rows of the register, and the ageing from SUMPRODUCT."""
    who, kind, due, currency, amount, disputed = (f"Register!${x}$2:${x}${last}" for x in "BCDEFG")
    rate = "+".join(f"({currency}=Rates!$A${y})*Rates!$B${y}" for y in range(2, 6))
    days = f'(Settings!$B$1-{due})*({kind}="Invoice")'
    spans = [f"({days}<=0)", *(f"({days}>{low})*({days}<={low + 30})" for low in (0, 30, 60)), f"({days}>90)"]
    rows: list[list[str]] = [AGEING]
    for y, name in enumerate(customers, 2):
        base = f"=SUMPRODUCT(({who}=$A{y})*{amount}*({rate})*"
        rows.append([name, *(f'{base}({disputed}="no")*{span})' for span in spans)])
        rows[-1] += [f'{base}({disputed}="yes"))', f"=SUM(B{y}:G{y})"]
    end = len(customers) + 1
    rows.append(["Total", *(f"=SUM({x}2:{x}{end})" for x in "BCDEFGH")])
    return {"Register": grid([paper.row() for paper in fresh], f"A{start}"), "Ageing": grid(rows)}


INSTRUCTION = """
/app/register.xlsx holds our receivables in three sheets: Settings (B1 is the as-of date), Rates (what one unit of a
currency is in EUR) and Register (columns Invoice, Customer, Kind, Due, Currency, Amount, Disputed). The PDF files in
/app/inbox are invoices and credit notes that may not have been entered yet. How they are registered and aged stands in
the memo /app/policy.docx; read it first.

Save the result as /app/ageing.xlsx, a copy of register.xlsx with two changes:

1. The sheet Register has the new papers below the rows that are there already, without blank rows, in the order of
   their numbers. Kind is "Invoice" or "Credit note", Due a real date, Amount a number in the paper's own currency,
   Disputed "yes" or "no". The rows that are there already are right and stay as they are. Helper columns, if you want
   some, start at column I of that sheet or stand on a sheet of their own.
2. A new sheet Ageing has a table with the headers Customer, Current, 1-30, 31-60, 61-90, Over 90, Disputed and Total:
   one row for each customer of the finished register, in alphabetical order, then a row Total with the sums of the
   columns. Amounts are in EUR and not rounded. Total is the sum of the six columns before it. Every amount is a live
   formula that follows the as-of date in Settings, the rates in Rates and the amounts in Register.

Settings and Rates stay as they are.
"""
POLICY = (
    "These rules hold for every paper that enters the register, and for every ageing that is made from it.",
    "- A paper whose number is in the register already is left out, whatever it says.",
    "- The due date is the one printed on the paper. Where none is printed, it is the date of issue plus the days of "
    "the terms.",
    "- A due date that falls on a Saturday or Sunday is registered as the Monday after.",
    "- The amount of a credit note is registered as a negative number. A credit note is never overdue: it stands under "
    "Current.",
    "- A paper whose status says that the customer disputes it has Disputed yes. It is not aged; its amount stands in "
    "the column Disputed only.",
    "- What is due on the as-of date or later is Current. Day 30 after the due date belongs to 1-30, day 31 to 31-60, "
    "and so on.",
)


def make(draw: random.Random) -> Recipe:
    """The recipe."""
    as_of = day(draw, date(2022, 3, 1), date(2023, 9, 30))
    customers = Names(draw).companies(6)
    old = papers(draw, 18, customers, as_of, "A-")
    fresh = papers(draw, 12, customers, as_of, "B-")
    again = [old[2], old[7]]
    rates = {"EUR": 1.0, "USD": round(draw.uniform(0.86, 0.99), 4), "GBP": round(draw.uniform(1.1, 1.2), 4)}
    rates["CHF"] = round(draw.uniform(0.93, 1.04), 4)
    data = book(
        {
            "Settings": [["As of", as_of]],
            "Rates": [["Currency", "EUR"], *([name, rate] for name, rate in rates.items())],
            "Register": [HEAD, *(paper.row() for paper in old)],
        },
        plain=["Settings"],
    )
    inbox = [*fresh, *again]
    draw.shuffle(inbox)
    files = {f"inbox/scan_{index:02d}.pdf": pdf(paper, index % 2, draw) for index, paper in enumerate(inbox, 1)}
    start, last = len(old) + 2, len(old) + len(fresh) + 1
    seen = sorted({paper.customer for paper in (*old, *fresh)})
    found = ageing([*old, *fresh], rates, as_of, seen)
    anchor = Anchor(headers=AGEING, sheet="Ageing")
    reference = extended(data, live_cells(seen, last, start, fresh))
    return Recipe(
        instruction=INSTRUCTION,
        artifacts=("ageing.xlsx",),
        solve=python(SOLVE),
        checks=(
            table(
                "register", "the new papers are registered by the rules of the memo", "ageing.xlsx", "Register", HEAD,
                [paper.row() for paper in (*old, *fresh)], types="tttdtnt", weight=2, floor=0.7,
            ),
            table(
                "ageing", "the ageing in EUR by the rules of the memo", "ageing.xlsx", "Ageing", AGEING, found,
                types="tnnnnnnn", weight=3, floor=0.5,
            ),
            formulas("formulas", "the column 31-60 is computed", "ageing.xlsx", anchor, "31-60", ["Settings!B1"]),
            live(
                "live", "the ageing follows date, rates and amounts", "ageing.xlsx", "reference.xlsx",
                [
                    Change(how="shift_days", range="Settings!B1:B1", count=1, days=50),
                    Change(how="scale", range="Rates!B2:B5", count=2),
                    Change(how="scale", range=f"Register!F2:F{last}", count=6),
                ],
                anchor=anchor, names=AGEING[1:], key=["Customer"],
            ),
            kept("ageing.xlsx", "register.xlsx", "new", f"Register!A{start}:H{last + 40}", "Register!I1:Z200"),
        ),
        files={"register.xlsx": data, "policy.docx": memo("Receivables: registration and ageing", POLICY), **files},
        tests={"register.xlsx": data, "reference.xlsx": reference},
        skills=("finance", "pdf", "policy", "formulas"),
        wrongs=(
            *swapped(
                SOLVE, python,
                ("twice", "registers a paper again", ("register",), "if number in known", "if number in ()"),
                ("weekends", "leaves due dates on weekends", ("register",), "while due.weekday() > 4", "while False"),
                ("credits", "credit notes count as invoices", ("register", "ageing"), "(-1 if credit else 1)", "1"),
                ("disputed", "nothing is disputed", ("register", "ageing"), '"disputed" in text', "False"),
                ("aged_credits", "ages credit notes", ("live",), 'IF(C{y}="Credit note",0,', 'IF(FALSE,0,'),
                ("euros", "adds up currencies", ("ageing",), "=F{y}*INDEX(", "=F{y}*1+0*INDEX("),
            ),
            *edited(
                "ageing.xlsx",
                (
                    "typed", "right numbers, typed", ("formulas", "live"),
                    "for y, row in enumerate(right, 2):\n    for x, item in enumerate(row[1:], 2):\n        "
                    "wb['Ageing'].cell(y, x).value = item",
                ),
                ("touched", "another rate", ("kept",), "wb['Rates']['B3'] = 0.5"),
                right=found,
            ),
        ),
        alternatives=(Alternative("pdfplumber", "read otherwise, computed otherwise, sheet first", python(OTHER)),),
    )  # fmt: skip
