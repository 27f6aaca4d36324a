"""formualizer 0.13 in the recalculation child, the cross-check. It reads no caches."""

from __future__ import annotations

import datetime
import math
from typing import Any

import formualizer

from .reference import parts, split

ERRORS = {"Div": "#DIV/0!", "Na": "#N/A", "Name": "#NAME?", "Null": "#NULL!", "Num": "#NUM!", "Ref": "#REF!",
          "Value": "#VALUE!", "Spill": "#SPILL!", "Calc": "#CALC!", "Circ": "#CIRC!", "NImpl": "#N/IMPL!",
          "Error": "#ERROR!"}  # fmt: skip
DAY_ZERO = datetime.datetime(1899, 12, 30)


def compute(path: str, runs: list[dict[str, Any]]) -> list[list[Any]]:
    """As recompute.py says. Every run starts from the file as it is."""
    answers = []
    for run in runs:
        workbook = formualizer.load_workbook(path)
        workbook.set_temporal_egress("serial")
        sheets = {name.casefold(): name for name in workbook.sheet_names}
        for name, value in run["set"].items():
            sheet, cell = parts(name)
            workbook.set_value(sheets[sheet.casefold()], *split(cell), float(value) if type(value) is int else value)
        workbook.evaluate_all()
        answers.append([shown(workbook, sheets, name) for name in run["get"]])
    return answers


def shown(workbook: Any, sheets: dict[str, str], name: str) -> Any:
    """A cell's value in the words of recompute.py."""
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
