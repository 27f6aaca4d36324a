"""What came by post for a claim, page by page: the model behind level 3 of `pdf_form`."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

from envwheel_office.facts import Names, codes, day, money
from envwheel_office.forms import Entry

ENTRIES = (
    Entry("form", "Form", fixed=True),
    Entry("claim", "Claim no.", fixed=True),
    Entry("receipts", "Number of receipts"),
    Entry("receipts_total", "Total of receipts (EUR)"),
    Entry("travel_total", "Travel on the card (EUR)"),
    Entry("missing", "Receipts missing"),
    Entry("covered", "All travel has receipts", "box"),
)
HEAD = ("Date", "Merchant", "Category", "Amount")
CATEGORIES = ("Travel", "Meals", "Office", "Books")
INK, LINE, PALE = HexColor("#20242c"), HexColor("#8a93a3"), HexColor("#eef1f6")
ACROSS = (56, 166, 356, 456, 539)
"""Where the columns of the statement begin, and where the last one ends."""


@dataclass(slots=True)
class Packet:
    """Receipts are (number, merchant, day, amount, turned clockwise by), statement rows (day, merchant, category,
    amount); `pages` is their order: "letter", "statement 1", "statement 2" or a receipt's number."""

    claim: str
    person: str
    receipts: list[tuple[str, str, date, float, int]]
    statement: list[tuple[date, str, str, float]]
    pages: list[str]

    @property
    def missing(self) -> int:
        """Travel on the card that no receipt has day and amount of."""
        covered = {(day, amount) for _, _, day, amount, _ in self.receipts}
        return sum(kind == "Travel" and (day, amount) not in covered for day, _, kind, amount in self.statement)

    def form(self) -> dict[str, str]:
        """What the form holds in the end."""
        travel = sum(amount for _, _, kind, amount in self.statement if kind == "Travel")
        return {
            "receipts": str(len(self.receipts)),
            "receipts_total": f"{sum(item[3] for item in self.receipts):,.2f}",
            "travel_total": f"{travel:,.2f}",
            "missing": str(self.missing),
            "covered": "Off" if self.missing else "Yes",
        }

    def pdf(self) -> bytes:
        """All of it as one PDF."""
        out = io.BytesIO()
        paper = canvas.Canvas(out, pagesize=A4, invariant=1, pageCompression=0)
        paper.setTitle(f"Papers for {self.claim}")
        half = len(self.statement) // 2 + 2
        for name in self.pages:
            paper.setFillColor(INK)
            paper.setStrokeColor(LINE)
            paper.setPageRotation(0)
            paper.setPageSize(A4)
            if name == "letter":
                self._letter(paper)
            elif name.startswith("statement"):
                first = name.endswith("1")
                self._statement(paper, self.statement[:half] if first else self.statement[half:], first)
            else:
                self._receipt(paper, next(item for item in self.receipts if item[0] == name))
            paper.showPage()
        paper.save()
        return out.getvalue()

    def _letter(self, paper: Any) -> None:
        lines = (
            f"Papers for the claim {self.claim}", "", "Dear travel office,", "",
            f"please find my receipts ({', '.join(item[0] for item in self.receipts)}) and the statement of my card.",
            "Some pages went through the scanner the wrong way round.", "", "Kind regards", self.person,
        )  # fmt: skip
        for at, text in enumerate(lines):
            paper.setFont("Helvetica-Bold" if at == 0 else "Helvetica", 16 if at == 0 else 11)
            paper.drawString(72, A4[1] - 110 - 18 * at, text)

    def _receipt(self, paper: Any, receipt: tuple[str, str, date, float, int]) -> None:
        number, merchant, when, amount, turned = receipt
        wide, high = A4
        paper.saveState()
        # Some of the turned pages are turned in their drawing, some by the page's own rotation. Both need the size as
        # it is seen; it and the rotation hold for all further pages until something else is said.
        paper.setPageSize((high, wide) if turned in (90, 270) else A4)
        if int(number[-1]) % 2 == 0:
            paper.setPageRotation(turned)
        elif turned:
            paper.translate(*{90: (0, wide), 180: (wide, high), 270: (high, 0)}[turned])
            paper.rotate(-turned)
        left, top = wide / 2 - 150, high - 90
        paper.setFillColor(PALE)
        paper.rect(left, top - 190, 300, 220, stroke=1, fill=1)
        paper.setFillColor(INK)
        paper.setFont("Helvetica-Bold", 15)
        paper.drawString(left + 20, top - 10, f"Receipt {number}")
        paper.setFont("Helvetica", 11)
        paper.drawString(left + 20, top - 40, merchant)
        paper.drawString(left + 20, top - 62, f"{when.day} {when:%B} {when.year}")
        paper.line(left + 20, top - 90, left + 280, top - 90)
        paper.setFont("Helvetica-Bold", 12)
        paper.drawString(left + 20, top - 112, f"Total {amount:,.2f} EUR")
        paper.setFont("Helvetica", 9)
        paper.drawString(left + 20, top - 160, "Thank you for your visit.")
        paper.restoreState()

    def _statement(self, paper: Any, rows: Sequence[tuple[date, str, str, float]], first: bool) -> None:
        paper.setFont("Helvetica-Bold", 15)
        paper.drawString(56, A4[1] - 80, f"Card statement, {self.person}" + ("" if first else " (page 2)"))
        lines = [list(HEAD)] + [
            [f"{when.day} {when:%b} {when.year}", merchant, kind, f"{amount:,.2f}"]
            for when, merchant, kind, amount in rows
        ]
        top, high = A4[1] - 110, 22
        for at, line in enumerate(lines):
            y = top - at * high
            paper.setFont("Helvetica-Bold" if at == 0 else "Helvetica", 10)
            for nth, (text, left) in enumerate(zip(line, ACROSS, strict=False)):
                if nth == 3:
                    paper.drawRightString(ACROSS[4] - 6, y - 15, text)
                else:
                    paper.drawString(left + 6, y - 15, text)
            paper.line(ACROSS[0], y, ACROSS[4], y)
        bottom = top - len(lines) * high
        paper.line(ACROSS[0], bottom, ACROSS[4], bottom)
        for left in ACROSS:
            paper.line(left, top, left, bottom)
        paper.setFont("Helvetica-Oblique", 10)
        total = sum(row[3] for row in (rows if first else self.statement))
        word = "Carried forward" if first else "Total of all pages"
        paper.drawString(ACROSS[2] + 6, bottom - 22, word)
        paper.drawRightString(ACROSS[4] - 6, bottom - 22, f"{total:,.2f}")


def draw_packet(draw: random.Random) -> Packet:
    """Five receipts, one sideways to each side, one upside down; a statement of about twenty rows."""
    names = Names(draw)
    merchants = [name for name in names.companies(24) if len(name) <= 28][:9]
    start = day(draw, date(2023, 2, 1), date(2023, 9, 1))
    rows: list[tuple[date, str, str, float]] = []
    for at in range(draw.randint(18, 24)):
        start += timedelta(days=draw.randint(0, 2))
        kind = "Travel" if at % 4 == 0 else draw.choice(CATEGORIES[1:])
        rows.append((start, draw.choice(merchants), kind, money(draw, 1010, 1400) if at == 8 else money(draw, 9, 480)))
    travel = [row for row in rows if row[2] == "Travel"]
    covered = sorted(draw.sample(travel, 5))
    turns = draw.sample((0, 0, 90, 180, 270), 5)
    numbers = codes(draw, "R-", 5)
    draw.shuffle(numbers)
    receipts = [(number, row[1], row[0], row[3], turn)
                for number, row, turn in zip(numbers, covered, turns, strict=True)]  # fmt: skip
    order = [number for number, *_ in receipts]
    draw.shuffle(order)
    if order == sorted(order):
        order.reverse()
    pages = ["letter", *order[:2], "statement 1", order[2], "statement 2", *order[3:]]
    return Packet(f"EC-{draw.randint(2000, 9000)}", names.people(1)[0], receipts, rows, pages)
