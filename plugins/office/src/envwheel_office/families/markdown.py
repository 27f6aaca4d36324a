"""A report in Markdown and what a document of it holds: the model behind `report_toc`."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from envwheel_office.facts import REGIONS

QUARTERS = ("Q1", "Q2", "Q3", "Q4")
SUBJECTS = ("Demand", "The order book", "Delivery", "Customer service", "The price level", "Competition", "The team")
VERBS = ("remained stable", "grew faster than planned", "fell short of the plan", "recovered late in the year")
REASONS = (
    "because two large customers moved their orders.", "although the summer was quiet.", "after the new depot opened.",
    "while costs of transport kept rising.", "since the campaign in spring.", "despite the long winter.",
)  # fmt: skip
PARTS = ("Summary", "Market", "Sales by region", "Sales by quarter", "Outlook", "Risks")


@dataclass(slots=True)
class Paper:
    """A title and blocks: ("##", text), ("###", text), ("", text), ("table", rows), ("caption", text)."""

    title: str
    blocks: list[tuple[str, object]]
    sales: list[list[object]] = field(default_factory=list)

    @property
    def headings(self) -> list[tuple[int, str]]:
        """(level, text) of all headings."""
        return [(len(kind) - 1, str(text)) for kind, text in self.blocks if kind in ("##", "###")]

    def fill(self) -> Callable[[str], str]:
        """What puts amounts in the place of {{names}}."""
        sums: dict[str, int] = {}
        for region, quarter, amount in self.sales:
            for key in (str(region), str(quarter), "all"):
                sums[key] = sums.get(key, 0) + int(str(amount))
        return lambda text: re.sub(r"\{\{(.+?)\}\}", lambda hit: f"{sums[hit[1]]:,d} EUR", text)

    def texts(self) -> list[tuple[str, list[str]]]:
        """Heading -> the paragraphs right below it."""
        found: list[tuple[str, list[str]]] = []
        fill = self.fill()
        for kind, text in self.blocks:
            if kind in ("##", "###"):
                found.append((str(text), []))
            elif kind == "":
                found[-1][1].append(fill(str(text)))
        return [item for item in found if item[1]]

    def tables(self, level: int) -> list[tuple[str, list[list[str]]]]:
        """(caption, rows) of each table."""
        found = []
        fill = self.fill()
        for at, (kind, rows) in enumerate(self.blocks):
            if kind == "table" and isinstance(rows, list):
                filled = [[fill(cell) for cell in row] for row in rows]
                if level > 3:
                    filled[1:] = sorted(filled[1:], key=lambda row: -int(re.sub(r"\D", "", row[1])))
                found.append((str(self.blocks[at + 1][1]), filled))
        return found

    def place(self, number: int) -> str:
        """The heading above table `number`, counted from 1."""
        name = ""
        for kind, text in self.blocks:
            name = str(text) if kind in ("##", "###") else name
            number -= kind == "table"
            if not number:
                return name
        raise ValueError("no such table")

    def markdown(self, filled: bool) -> str:
        """The report as text."""
        parts = [f"# {self.title}"]
        for kind, text in self.blocks:
            if kind == "table" and isinstance(text, list):
                lines = ["| " + " | ".join(row) + " |" for row in text]
                parts.append("\n".join([lines[0], "|" + "---|" * len(text[0]), *lines[1:]]))
            else:
                parts.append({"": "", "caption": "Table: "}.get(kind, f"{kind} ") + str(text))
        whole = "\n\n".join(parts) + "\n"
        return self.fill()(whole) if filled else whole


def draw_paper(draw: random.Random, level: int) -> Paper:
    """A report with two tables from level 1 on; at level 4 its amounts are to be filled in."""
    regions = draw.sample(REGIONS, 4)
    sales: list[list[object]] = [[r, q, draw.randint(40_000, 900_000)] for r in regions for q in QUARTERS]
    year = draw.choice((2020, 2021, 2022))
    paper = Paper(f"Sales report {year}", [], sales)
    fill = (lambda text: text) if level == 4 else paper.fill()
    sentences = [f"{a} {b} {c}" for a in SUBJECTS for b in VERBS for c in REASONS]
    draw.shuffle(sentences)
    for name in PARTS:
        paper.blocks.append(("##", name))
        text = f"{sentences.pop()} {sentences.pop()}"
        if name == "Summary":
            text += fill(f" All sales came to {{{{all}}}}, of which {{{{{regions[0]}}}}} in the region {regions[0]}.")
        paper.blocks.append(("", text))
        keys = {"Sales by region": regions, "Sales by quarter": list(QUARTERS)}.get(name)
        if keys and level:
            label = "Region" if keys is regions else "Quarter"
            rows = [[label, "Amount"], *([key, fill(f"{{{{{key}}}}}")] for key in keys)]
            paper.blocks += [("table", rows), ("caption", f"{name} in {year}")]
        elif draw.random() < 0.7 or name == "Market":
            for topic in draw.sample(("Products", "Customers", "Costs", "Staff"), 2):
                paper.blocks += [("###", f"{topic} ({name.lower()})"), ("", sentences.pop())]
    return paper
