"""The values of a workbook's formula cells, filled in from what the engines computed (recalc.py).

A dynamic array fills cells that may not be in the file at all. How far it goes only an engine knows, so the free cells
right of it and below are asked for, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from . import reference
from .bench import Computation, Unreadable
from .model_cells import Cell, Scalar, Sheet, Workbook
from .recalc import FIRST, Computed, Err, RecalcEngine, compute

SPILL_ROWS, SPILL_COLUMNS, MOST_SPILLED = 200, 30, 50_000
"""How far a dynamic array is followed: below the last used row, to the right, and all of them together."""


def fill(
    workbook: Workbook, data: bytes, *, first: Sequence[RecalcEngine] = FIRST, last: RecalcEngine | None = None
) -> None:
    """Give every formula cell of `workbook` its value. Where no engine can, all of them are unsure."""
    cells = {
        f"{sheet.name}!{name}": cell
        for sheet in workbook.sheets
        for name, cell in sheet.cells.items()
        if cell.formula is not None
    }
    if not cells:
        return
    free = _free(workbook)
    try:
        done = compute(data, workbook, [Computation(get=(*cells, *free))], first=first, last=last)
    except Unreadable:
        done = Computed([{}], unsure=set(cells))
    for name, value in done.values[0].items():
        if name in cells:
            _set(workbook, cells[name], value)
        elif value is not None:
            sheet, place = free[name]
            sheet.cells[place[1]] = spilled = Cell(formula=sheet.cells[place[0]].formula)
            _set(workbook, spilled, value)
    _trim(workbook)
    workbook.engine, workbook.unsure, workbook.alone = done.engine, sorted(done.unsure), sorted(done.alone)


def _set(workbook: Workbook, cell: Cell, value: Scalar) -> None:
    cell.kind, cell.value = cast(Any, _kind(workbook, cell, value)), value


def _kind(workbook: Workbook, cell: Cell, value: Scalar) -> str:
    if isinstance(value, Err):
        return "error"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, str):
        return "text"
    if value is None:
        return "empty"
    return "date" if workbook.styles[cell.style].number_class == "date" else "number"


def _free(workbook: Workbook) -> dict[str, tuple[Sheet, tuple[str, str]]]:
    """Cells that hold nothing and may be filled by a dynamic array: "Sheet!C2" -> (its sheet, (array's cell, "C2"))."""
    if not any(sheet.spills for sheet in workbook.sheets):
        return {}
    last = max(reference.split(name)[0] for sheet in workbook.sheets for name in sheet.cells)
    found: dict[str, tuple[Sheet, tuple[str, str]]] = {}
    for sheet in workbook.sheets:
        for start in sheet.spills:
            row, column = reference.split(start)
            end_row = min(max(last, row) + SPILL_ROWS, reference.MAX_ROW)
            area = f"{start}:{reference.name(end_row, min(column + SPILL_COLUMNS, reference.MAX_COLUMN))}"
            for name in reference.cells(area):
                if name not in sheet.cells and len(found) < MOST_SPILLED:
                    found[f"{sheet.name}!{name}"] = (sheet, (start, name))
    return found


def _trim(workbook: Workbook) -> None:
    """Cells that a file gives to a dynamic array, and that it does not reach, hold nothing."""
    for sheet in workbook.sheets:
        arrays = {sheet.cells[name].formula for name in sheet.spills}
        for name, cell in list(sheet.cells.items()):
            if arrays and cell.formula in arrays and cell.kind == "empty" and name not in sheet.spills:
                cell.formula = None
                if not cell.style:
                    del sheet.cells[name]
