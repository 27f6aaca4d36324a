"""A sales workbook with seeded faults: from one that is named to seven that have to be found and logged."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import cell, kept, live, table, value
from envwheel_office.books import extended
from envwheel_office.facts import rng
from envwheel_office.families.sales_report import Report, draw_report
from envwheel_office.family import OfficeFamily, Recipe
from envwheel_office.kit.officekit.language_cells import Change
from envwheel_office.scripts import answered, edited, rebuilt

ID = "workbook_repair"
FILE = "fixed.xlsx"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: what its cell holds wrongly, rightly, and rightly in other words; a hint, and an exact description."""

    id: str
    at: str
    wrong: Any
    right: Any
    other: Any
    symptom: str
    exact: str


def sold(report: Report, draw: random.Random) -> list[Fault]:
    """Faults of single sales."""
    n, right = report.last, report.cells()["Sales"]
    row, twin, text = draw.sample(range(5, n - 2), 3)
    units = report.rows[text - 2][3]
    return [
        Fault("row_above", f"Sales!F{row}", f"=D{row - 1}*E{row}", right[f"F{row}"], f"=PRODUCT(D{row},E{row})",
              "one revenue in the sheet Sales is not units times price", "takes the units of the row above"),
        Fault("lookup", f"Sales!E{twin}", right[f"E{twin}"].replace(f"C{twin}", f"C{report.unlike(twin)}"),
              right[f"E{twin}"],
              f"=VLOOKUP(C{twin},Prices!$A$2:$C${report.products_end},2,FALSE)",
              "one price in the sheet Sales is not that of its product", "looks up the product of another row"),
        Fault("text", f"Sales!D{text}", f" {units}", units, f"={units}",
              "one number of units in the sheet Sales is stored as text", "holds a text that looks like a number"),
    ]  # fmt: skip


def summed(report: Report, draw: random.Random) -> list[Fault]:
    """Faults of the summary."""
    n, right = report.last, report.cells()["Summary"]
    r1, r2, r3 = draw.sample(range(2, 2 + len(report.regions)), 3)
    total, products, end = report.total, report.first_product, report.last_product
    p = draw.randint(products, end)
    return [
        Fault("short", f"Summary!B{r1}", right[f"B{r1}"].replace(f"${n}", f"${n // 2}"), right[f"B{r1}"],
              f"=SUMPRODUCT((Sales!$B$2:$B${n}=A{r1})*Sales!$F$2:$F${n})",
              "the revenue of a region leaves sales out", "does not reach the last row of Sales"),
        Fault("typed", f"Summary!D{r2}", 17 + draw.randint(0, 9), right[f"D{r2}"],
              f"=SUMPRODUCT((Sales!$B$2:$B${n}=A{r2})*Sales!$D$2:$D${n})",
              "the units of a region do not follow the sales", "holds a typed number"),
        Fault("share", f"Summary!C{r3}", f"=B{r3}/B${total + 1}", right[f"C{r3}"], f"=B{r3}/$B${total}",
              "the share of a region shows an error", "divides by the empty cell below the total"),
        Fault("total", f"Summary!B{total}", f"=SUM(B2:B{total - 2})", right[f"B{total}"],
              f"=SUMPRODUCT(B2:B{total - 1})",
              "the total of the regions is too small", "does not add up the last region"),
        Fault("sign", f"Summary!D{p}", f"=B{p}+C{p}", right[f"D{p}"], f"=-C{p}+B{p}",
              "the profit of a product is larger than its revenue", "adds the cost"),
        Fault("average", f"Summary!B{end + 4}", f"=SUM(Sales!F2:F{n})/COUNTA(Sales!F1:F{n})", right[f"B{end + 4}"],
              f"=SUM(Sales!F2:F{n})/COUNT(Sales!F2:F{n})",
              "Average sale counts a sale too many", "counts the header as a sale"),
    ]  # fmt: skip


def faults(level: int, report: Report, draw: random.Random) -> list[Fault]:
    """The faults of this level."""
    below, above = sold(report, draw), summed(report, draw)
    count = (1, 2, 3, 5, 7)[level]
    picked = draw.sample(below, count // 3) + draw.sample(above, count - count // 3)
    return sorted(picked, key=lambda fault: fault.at)


TOLD: tuple[Callable[[list[Fault]], str], ...] = (
    lambda found: f"The formula in {found[0].at} is wrong: it {found[0].exact}. Mend it.",
    lambda found: "Two cells are wrong:\n" + "".join(f"\n- {fault.at} {fault.exact}" for fault in found),
    lambda found: "Three cells are wrong; this is what people noticed:\n" + _list(found),
    lambda found: f"{len(found)} cells of the sheets Sales and Summary are wrong. Find and mend them.",
    lambda found: (
        f"{len(found)} cells of the sheets Sales and Summary are wrong. Find and mend them, and add\n"
        "a sheet Fixes: a table with the one header Cell in A1 and below it the cells that were wrong, as Summary!B2,\n"
        "one a row, in any order."
    ),
)


def _list(found: list[Fault]) -> str:
    return "".join(f"\n- {fault.symptom}" for fault in sorted(found, key=lambda fault: fault.symptom))


def by_sheet(found: list[Fault], field: str) -> dict[str, dict[str, Any]]:
    """The faults' cells by sheet, with their right or other contents."""
    cells: dict[str, dict[str, Any]] = {}
    for fault in found:
        sheet, ref = fault.at.split("!")
        cells.setdefault(sheet, {})[ref] = getattr(fault, field)
    return cells


def make(level: int, seed: int) -> Recipe:
    """0: one fault, named; 1: two, named; 2: three symptoms; 3: five to find; 4: seven, with a log."""
    draw = rng(ID, level, seed)
    report = draw_report(draw, 24 + 12 * level)
    right = extended(report.book(), report.cells())
    found = faults(level, report, draw)
    given = extended(right, by_sheet(found, "wrong"))
    changes = [
        Change(how="scale", range=f"Sales!D2:D{report.last}", count=8),
        Change(how="choose", range=f"Sales!B2:B{report.last}", count=4),
        Change(how="scale", range=f"Prices!B2:C{report.products_end}", count=3),
    ]
    asked: list[Any] = []
    for fault in found:
        why = f"{fault.at} is right: {fault.symptom}"
        if fault.id == "text":
            asked.append(value(fault.id, why, FILE, cell(fault.at), fault.right))
        else:
            asked.append(live(fault.id, why, FILE, "right.xlsx", changes, outputs=[cell(fault.at)], gate=False))
    log = {"Fixes": {"A1": "Cell", **{f"A{y}": fault.at for y, fault in enumerate(found, 2)}}} if level == 4 else {}
    if level == 4:
        asked.append(
            table("log", "Fixes lists what was wrong", FILE, "Fixes", ["Cell"], [[f.at] for f in found], ordered=False)
        )  # fmt: skip
    asked.append(kept(FILE, "report.xlsx", *(fault.at for fault in found), "new"))
    put = "wb['{}']['{}'] = {!r}"
    wrongs = edited(
        FILE,
        *(
            (f"left_{f.id}", f"does not see that it {f.exact}", (f.id,), put.format(*f.at.split("!"), f.wrong))
            for f in found
        ),
        *(
            (f"typed_{f.id}", "types what the cell showed", (f.id,), put.format(*f.at.split("!"), 4711.5))
            for f in found if f.id != "text"
        ),
        ("touched", "mends what was right", ("kept",), f"wb['Sales']['A{report.last}'] = 5"),
        *([("unlogged", "logs no fix", ("log",), "wb['Fixes'].delete_rows(2, 99)")] if level == 4 else []),
    )  # fmt: skip
    return Recipe(
        instruction=f"""
/app/report.xlsx computes our sales: Prices lists what a product costs and sells for, Sales the sales with their price
and revenue, Summary the sums by region and by product. {TOLD[level](found)}

Save the mended workbook as /app/{FILE}. Every mended formula must stay a live formula that follows its inputs; a number
that is stored as text becomes a number. Change nothing else.
""",
        artifacts=(FILE,),
        solve=answered("report.xlsx", FILE, {**by_sheet(found, "right"), **log}),
        checks=tuple(asked),
        files={"report.xlsx": given},
        tests={"report.xlsx": given, "right.xlsx": right},
        wrongs=wrongs,
        alternatives=(
            Alternative(
                "other", "XlsxWriter, other formulas",
                rebuilt("report.xlsx", FILE, {**by_sheet(found, "other"), **log}),
            ),
        ),
        knobs={"faults": [fault.id for fault in found]},
    )  # fmt: skip


FAMILY = OfficeFamily.of(ID, "Repair of workbooks", ("repair", "formulas"), make)
