"""IronCalc 0.9 in the recalculation child. It shows a file's caches until it is told to evaluate."""

from __future__ import annotations

import math
import os
import re
import tempfile
import zipfile
from typing import Any

import ironcalc

from .reference import parts, split

SHEET_RELATIONS = re.compile(r"xl/worksheets/_rels/[^/]+\.rels")
COMPUTES_NOTHING = re.compile(rb"<Relationship\b[^>]*/(?:comments|vmlDrawing|drawing|threadedComment)\"[^>]*/>")


def compute(path: str, runs: list[dict[str, Any]]) -> list[list[Any]]:
    """As recalc.ChildEngine says. Every run starts from the file as it is."""
    packed = load(path).to_bytes()
    answers = []
    for run in runs:
        model = ironcalc.load_from_bytes(packed, "en")
        sheets = {item["name"].casefold(): at for at, item in enumerate(model.get_worksheets_properties())}
        for name, value in run["set"].items():
            put(model, *place(sheets, name), value)
        for name, formula in run.get("type", {}).items():
            model.set_user_input(*place(sheets, name), formula)
        model.evaluate()
        answers.append([shown(model, sheets, name) for name in run["get"]])
    return answers


def load(path: str) -> Any:
    """The workbook; without what computes nothing where IronCalc stumbles over it (openpyxl's comments)."""
    try:
        return ironcalc.load_from_xlsx(path, "en", "UTC", "en")
    except ironcalc.WorkbookError:
        bare = os.path.join(tempfile.mkdtemp(), "bare.xlsx")
        with zipfile.ZipFile(path) as whole, zipfile.ZipFile(bare, "w") as copy:
            for name in whole.namelist():
                data = whole.read(name)
                copy.writestr(name, COMPUTES_NOTHING.sub(b"", data) if SHEET_RELATIONS.fullmatch(name) else data)
        return ironcalc.load_from_xlsx(bare, "en", "UTC", "en")


def place(sheets: dict[str, int], name: str) -> tuple[int, int, int]:
    """(sheet, row, column) of "Sheet!B7". KeyError when there is no such sheet."""
    sheet, cell = parts(name)
    return sheets[sheet.casefold()], *split(cell)


def put(model: Any, sheet: int, row: int, column: int, value: Any) -> None:
    """Type a value into a cell as what it is."""
    if value is None:
        model.clear_cell_contents(sheet, row, column)
    elif isinstance(value, bool):
        model.update_cell_with_bool(sheet, row, column, value)
    elif isinstance(value, str):
        model.update_cell_with_text(sheet, row, column, value)
    else:
        model.update_cell_with_number(sheet, row, column, float(value))


def shown(model: Any, sheets: dict[str, int], name: str) -> Any:
    """A cell's value in the words of recalc.ChildEngine."""
    try:
        at = place(sheets, name)
    except KeyError:
        return {}
    value = model.get_cell_value(*at)
    if isinstance(value, str) and model.get_cell_type(*at) == ironcalc.CellType.ErrorValue:
        return {"error": value}
    if isinstance(value, float) and not math.isfinite(value):
        return {"error": "#NUM!"}
    return value
