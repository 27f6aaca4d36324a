"""What shows the values of other cells: charts, and validations whose choices stand in a range. After recalculation."""

from __future__ import annotations

import datetime
from itertools import islice

from . import reference
from .model_cells import Cell, Chart, Sheet, Workbook

MOST = 100_000
"""Cells of one reference; what points at more is cut."""


def resolve(workbook: Workbook) -> None:
    """Fill series and choices of `workbook` from its cells as they are now."""
    for sheet in workbook.sheets:
        for chart in sheet.charts:
            _chart(workbook, sheet, chart)
        for rule in sheet.validations:
            if rule.kind == "list" and rule.choices is None and rule.formulas:
                found = pointed(workbook, rule.formulas[0], sheet)
                rule.choices = None if found is None else [text(cell) for cell in found if text(cell)]


def _chart(workbook: Workbook, sheet: Sheet, chart: Chart) -> None:
    for title in ("title", "x_title", "y_title"):
        if (said := getattr(chart, title)).startswith("="):
            setattr(chart, title, " ".join(filter(None, map(text, pointed(workbook, said, sheet) or []))))
    for series in chart.series:
        if series.name_ref:
            series.name = " ".join(filter(None, map(text, pointed(workbook, series.name_ref, sheet) or [])))
        if series.categories_ref:
            series.categories = [text(cell) for cell in pointed(workbook, series.categories_ref, sheet) or []]
        if series.values_ref:
            series.values = [number(cell) for cell in pointed(workbook, series.values_ref, sheet) or []]


def pointed(workbook: Workbook, said: str, sheet: Sheet, depth: int = 0) -> list[Cell | None] | None:
    """The cells that a reference, a union of some, a defined name or a table's column means; None where it is other."""
    said = said.strip().lstrip("=")
    if said.startswith("(") and said.endswith(")"):
        found = [pointed(workbook, part, sheet, depth) for part in _union(said[1:-1])]
        return None if None in found else [cell for cells in found for cell in cells or []]
    where, area = reference.parts(said)
    target = workbook.sheet(where) if where and not where.startswith("[") else sheet
    try:
        if target is None:
            raise ValueError(said)
        return [target.cells.get(name) for name in islice(reference.cells(area, 2 * reference.MAX_ROW), MOST)]
    except ValueError:
        meaning = _named(workbook, target or sheet, area) if depth < 5 else None
        return pointed(workbook, meaning, sheet, depth + 1) if meaning else None


def _union(said: str) -> list[str]:
    parts, quoted = [""], False
    for letter in said:
        quoted ^= letter == "'"
        if letter == "," and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _named(workbook: Workbook, sheet: Sheet, name: str) -> str | None:
    """What a defined name, or a table's column as "Table[Column]", means."""
    wanted = {f"{sheet.name}!{name}".casefold(), name.casefold()}
    for known, meaning in workbook.names.items():
        if known.casefold() in wanted:
            return meaning
    table, _, column = name.rstrip("]").partition("[")
    for other in workbook.sheets:
        for item in other.tables:
            headers = [header.casefold() for header in item.headers]
            if item.name.casefold() == table.casefold() and column.casefold() in headers:
                row, first, last, _ = reference.area(item.ref)
                across = reference.letters(first + headers.index(column.casefold()))
                return f"'{other.name}'!{across}{row + 1}:{across}{last}"
    return None


def text(cell: Cell | None) -> str:
    """A cell's value as text: 12 without decimals, a date as ISO."""
    if cell is None or cell.value is None:
        return ""
    if isinstance(cell.value, bool):
        return "TRUE" if cell.value else "FALSE"
    if isinstance(cell.value, str):
        return cell.value
    if cell.kind == "date" and 0 < cell.value < 2_900_000:
        moment = datetime.datetime(1899, 12, 30) + datetime.timedelta(seconds=round(cell.value * 86400))
        return moment.isoformat(sep=" ") if cell.value % 1 else moment.date().isoformat()
    return f"{cell.value:.15g}"


def number(cell: Cell | None) -> float | None:
    """A cell's number; None for anything else."""
    value = None if cell is None else cell.value
    return None if value is None or isinstance(value, (str, bool)) else float(value)
