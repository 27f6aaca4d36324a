"""Level 3 of `pdf_form`: pages taken out, sorted and turned, a table from pages, a form with what they say."""

from __future__ import annotations

import random
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import typed
from envwheel_office.families import filling
from envwheel_office.families.packet import ENTRIES, HEAD, Packet, draw_packet
from envwheel_office.family import Recipe, Wrong
from envwheel_office.forms import form
from envwheel_office.kit.officekit.language import PdfForm, PdfPages, PdfText, PlainTable, Preserve
from envwheel_office.scripts import python, swapped

SOLVE = r"""
import csv, datetime, math, re
import pdfplumber

receipts, rows = [], []
with pdfplumber.open("/app/packet.pdf") as packet:
    for at, page in enumerate(packet.pages):
        a, b = page.chars[0]["matrix"][:2]
        turn = round(math.degrees(math.atan2(b, a))) % 360
        text = "".join(char["text"] for char in page.chars)
        found = re.search(r"^Receipt (R-\d+)", text)
        if found:
            day = re.search(r"(\d{1,2} [A-Z][a-z]+ \d{4})", text)[1]
            total = float(re.search(r"Total ([\d,.]+) EUR", text)[1].replace(",", ""))
            receipts.append((found[1], at, turn, datetime.datetime.strptime(day, "%d %B %Y").date(), total))
        for table in page.extract_tables() if text.startswith("Card statement") else ():
            for day, merchant, category, amount in table[1:]:
                day = datetime.datetime.strptime(day, "%d %b %Y").date()
                rows.append([day, merchant, category, float(amount.replace(",", ""))])

receipts.sort()
source, out = PdfReader("/app/packet.pdf"), PdfWriter()
for number, at, turn, day, total in receipts:
    out.add_page(source.pages[at]).rotate(turn)
out.write("/app/receipts.pdf")
with open("/app/statement.csv", "w", encoding="utf-8", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["Date", "Merchant", "Category", "Amount"])
    writer.writerows([day, merchant, category, f"{amount:.2f}"] for day, merchant, category, amount in rows)
travel = [row for row in rows if row[2] == "Travel"]
paid = {(receipt[3], receipt[4]) for receipt in receipts}
missing = sum((row[0], row[3]) not in paid for row in travel)
fill("/app/form.pdf", "/app/claim.pdf", {
    "receipts": str(len(receipts)),
    "receipts_total": f"{sum(receipt[4] for receipt in receipts):,.2f}",
    "travel_total": f"{sum(row[3] for row in travel):,.2f}",
    "missing": str(missing),
    "covered": not missing,
})
"""
OTHER = r"""
import re
from pypdf import PdfReader, PdfWriter

months = {name: at for at, name in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)}

def iso(text):
    day, month, year = text.split()
    return f"{year}-{months[month[:3]]:02d}-{int(day):02d}"

def cents(text):
    return int(re.sub(r"\D", "", text))

def euros(amount):
    return f"{amount // 100:,}.{amount % 100:02d}"

source, found, lines = PdfReader("/app/packet.pdf"), {}, []
for page in source.pages:
    seen = []
    page.extract_text(visitor_text=lambda text, cm, tm, font, size: text.strip() and seen.append((text, cm, tm)))
    whole = " ".join(text.strip() for text, _, _ in seen)
    number = re.search(r"Receipt (R-\d+)", whole)
    if number and not whole.startswith("Papers"):
        _, cm, tm = seen[0]
        across, up = tm[0] * cm[0] + tm[1] * cm[2], tm[0] * cm[1] + tm[1] * cm[3]
        # The direction in which letters follow each other, as drawn; then what the page's own rotation makes of it.
        drawn = 0 if across > abs(up) else 90 if up > abs(across) else 180 if -across > abs(up) else 270
        when = iso(re.search(r"\d+ [A-Z]\w+ \d{4}", whole)[0])
        found[number[1]] = page, when, cents(re.search(r"Total (\S+)", whole)[1]), (drawn - page.rotation) % 360
out = PdfWriter()
for number in sorted(found):
    page = out.add_page(found[number][0])
    page.rotate(found[number][3])
    page.transfer_rotation_to_content()
out.write("/app/receipts.pdf")
text = "\n".join(page.extract_text(extraction_mode="layout") for page in PdfReader("/app/packet.pdf").pages)
for line in text.splitlines():
    parts = re.split(r"\s{2,}", line.strip())
    if len(parts) == 4 and re.fullmatch(r"\d+ [A-Z]\w\w \d{4}", parts[0]):
        lines.append((iso(parts[0]), *parts[1:3], cents(parts[3])))
with open("/app/statement.csv", "w", encoding="utf-8") as file:
    print("Date,Merchant,Category,Amount", file=file)
    for day, merchant, category, amount in lines:
        print(day, merchant, category, f"{amount / 100:.2f}", sep=",", file=file)
travel, paid = [line for line in lines if line[2] == "Travel"], [item[1:3] for item in found.values()]
open_ = [line for line in travel if (line[0], line[3]) not in paid]
fill("/app/form.pdf", "/app/claim.pdf", {
    "receipts": str(len(found)), "receipts_total": euros(sum(item[2] for item in found.values())),
    "travel_total": euros(sum(line[3] for line in travel)),
    "missing": str(len(open_)), "covered": not open_})
"""


def make_packet(draw: random.Random) -> Recipe:
    """The environment."""
    packet = draw_packet(draw)
    given = form("Check of a claim", ENTRIES, {"form": "T-9 / 2023", "claim": packet.claim}, foot="Amounts in euros.")
    free = [f"field:{entry.name}" for entry in ENTRIES if not entry.fixed]
    return Recipe(
        instruction=f"""
/app/packet.pdf is what came by post for the claim {packet.claim}: a letter, receipts (a page each, in no order, some of
them scanned sideways or upside down) and a card statement on two pages. Make three files of it:

- /app/receipts.pdf: the pages of the receipts only, sorted by the receipt's number, each turned so that it can be read
  upright. Their words stay words: no pictures of pages.
- /app/statement.csv: the table of the statement with the header {",".join(HEAD)} and all its rows in their order, no
  sums. Dates are written as 2023-12-31, amounts as 1234.50.
- /app/claim.pdf: the form /app/form.pdf, filled in: receipts is the number of receipts and receipts_total their sum,
  travel_total the sum of the statement's rows of the category Travel, missing the number of these rows for which there
  is no receipt of the same day and amount; the box covered is ticked if none is missing, else empty. Amounts are
  written as 1,234.50 here.

{filling.SEEN}""",
        artifacts=("receipts.pdf", "statement.csv", "claim.pdf"),
        solve=python(filling.LIBRARY + SOLVE),
        checks=(
            *checks(packet),
            PdfForm(
                id="form", why="the form says what the papers say", file="claim.pdf", fields=packet.form(), weight=3,
            ),
            Preserve(
                id="kept", why="the form stays a form, read-only fields stay as they are", file="claim.pdf", gate=True,
                original="form.pdf", allow=free,
            ),
        ),
        files={"packet.pdf": packet.pdf(), "form.pdf": given},
        tests={"form.pdf": given},
        skills=("pdf", "analysis"),
        wrongs=(
            *swapped(SOLVE, lambda text: python(filling.LIBRARY + text), *swaps(packet)),
            Wrong("unseen", "values that no viewer shows", ("form",),
                  python(filling.UNSEEN, path="/app/claim.pdf", names=["receipts"])),
            Wrong("flat", "no form any more", ("form", "kept"), python(filling.FLAT, path="/app/claim.pdf")),
            Wrong("opened", "a fixed field is none any more", ("kept",),
                  python(filling.OPENED, path="/app/claim.pdf", name="claim")),
        ),
        alternatives=(Alternative("words", "by the pages' text, turned in the content, as in a viewer",
                                  python(filling.VIEWER + OTHER)),),
    )  # fmt: skip


def checks(packet: Packet) -> list[Any]:
    """The pages of the receipts, and the table."""
    right = sorted(packet.receipts)
    return [
        PdfPages(
            id="pages", why="the receipts' pages, upright", file="receipts.pdf", orientation="portrait",
            count=len(right),
        ),
        *(
            PdfText(
                id=f"receipt_{at}", why=f"page {at} is the receipt {number}, and can be read", file="receipts.pdf",
                page=at, contains=[f"Receipt {number}", merchant, f"Total {amount:,.2f} EUR"],
            )
            for at, (number, merchant, _, amount, _) in enumerate(right, 1)
        ),
        PlainTable(
            id="statement", why="the statement's rows in their order", file="statement.csv", weight=3, floor=0.1,
            columns=typed(HEAD, "dttn"), key=["Date", "Merchant", "Amount"], order="exact",
            rows=[[when.isoformat(), merchant, kind, amount] for when, merchant, kind, amount in packet.statement],
        ),
    ]  # fmt: skip


def swaps(packet: Packet) -> list[Any]:
    """Wrong turns of the program."""
    right = sorted(packet.receipts)
    over = tuple(f"receipt_{at}" for at, item in enumerate(right, 1) if item[4] == 180)
    every = tuple(f"receipt_{at}" for at in range(1, len(right) + 1))
    return [
        ("unsorted", "receipts as they came", (), "receipts.sort()\n", ""),
        ("reversed", "the last receipt first", (every[0], every[1], every[3], every[4]), "receipts.sort()",
         "receipts.sort(reverse=True)"),
        ("shifted", "a page too early", every, "source.pages[at]", "source.pages[at - 1]"),
        ("unturned", "pages as they came", ("pages", *over), ".rotate(turn)", ".rotate(0)"),
        ("backwards", "turned the wrong way", tuple(f"receipt_{at}" for at, item in enumerate(right, 1)
         if item[4] in (90, 270)), ".rotate(turn)", ".rotate(-turn)"),
        ("carried", "sums among the rows", ("statement",), "receipts.sort()",
         'rows.append([rows[-1][0], "Total of all pages", "", sum(row[3] for row in rows)])\nreceipts.sort()'),
        ("first", "the statement's first page only", ("statement", "form"), 'text.startswith("Card statement") else',
         'text.startswith("Card statement") and not rows else'),
        ("all", "everything on the card", ("form",), 'if row[2] == "Travel"]', "]"),
        ("spoken", "dates as they are", ("statement",), 'writer.writerows([day, merchant',
         'writer.writerows([f"{day:%d.%m.%Y}", merchant'),
        ("covered", "ticked whatever is missing", ("form",), '"covered": not missing', '"covered": bool(missing)'),
    ]  # fmt: skip
