"""formualizer 0.13 in the recalculation child, the cross-check. It reads no caches of formulas.

What a file holds in the other cells of an array formula is a cache, too, but one that formualizer takes for constants
in the array's way. So it gets the file without those cells.
"""

from __future__ import annotations

import datetime
import math
import zipfile
from typing import Any

import formualizer
from lxml import etree

from .package import safe_parser
from .reference import cells, parts, split

ERRORS = {"Div": "#DIV/0!", "Na": "#N/A", "Name": "#NAME?", "Null": "#NULL!", "Num": "#NUM!", "Ref": "#REF!",
          "Value": "#VALUE!", "Spill": "#SPILL!", "Calc": "#CALC!", "Circ": "#CIRC!", "NImpl": "#N/IMPL!",
          "Error": "#ERROR!"}  # fmt: skip
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
MOST_FILLED = 100_000
DAY_ZERO = datetime.datetime(1899, 12, 30)


def compute(path: str, runs: list[dict[str, Any]]) -> list[list[Any]]:
    """As recalc.ChildEngine says. Every run starts from the file as it is."""
    answers = []
    path = bare(path)
    for run in runs:
        workbook = formualizer.load_workbook(path)
        workbook.set_temporal_egress("serial")
        sheets = {name.casefold(): name for name in workbook.sheet_names}
        for name, value in run["set"].items():
            sheet, cell = parts(name)
            workbook.set_value(sheets[sheet.casefold()], *split(cell), float(value) if type(value) is int else value)
        for name, formula in run.get("type", {}).items():
            sheet, cell = parts(name)
            workbook.set_formula(sheets[sheet.casefold()], *split(cell), formula)
        workbook.evaluate_all()
        answers.append([shown(workbook, sheets, name) for name in run["get"]])
    return answers


def bare(path: str) -> str:
    """A copy of the workbook at `path` without what array formulas have filled; itself when there is no such cell."""
    changed = {}
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    for name, data in content.items():
        if b'="array"' in data and name.endswith(".xml"):
            root = etree.fromstring(data, safe_parser())
            filled = {
                cell
                for formula in root.iter(MAIN + "f")
                if formula.get("t") == "array"
                for cell in list(cells(formula.get("ref") or "A1", MOST_FILLED))[1:]
            }
            for cell in [item for item in root.iter(MAIN + "c") if item.get("r") in filled]:
                cell.getparent().remove(cell)
            if filled:
                changed[name] = etree.tostring(root, encoding="UTF-8", xml_declaration=True)
    if not changed:
        return path
    with zipfile.ZipFile(path + ".bare.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(name, changed.get(name, data))
    return path + ".bare.xlsx"


def shown(workbook: Any, sheets: dict[str, str], name: str) -> Any:
    """A cell's value in the words of recalc.ChildEngine."""
    sheet, cell = parts(name)
    if sheet.casefold() not in sheets:
        return {}
    value = workbook.get_value(sheets[sheet.casefold()], *split(cell))
    if isinstance(value, dict):
        return {"error": ERRORS.get(value.get("kind", ""), "#ERROR!")}
    if isinstance(value, list):
        value = value[0][0] if value and value[0] else None
    if isinstance(value, datetime.datetime):
        return (value - DAY_ZERO) / datetime.timedelta(days=1)
    if isinstance(value, datetime.date):
        return float((value - DAY_ZERO.date()).days)
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return {"error": "#NUM!"}
    return value
