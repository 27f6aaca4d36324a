"""Writes the workbooks that environments are given: plain tables, dates as dates, a readable look, byte-equal.

book({"Invoices": [["Invoice", "Due"], ["INV-1", date(2023, 1, 31)]]})
extended(data, answer)      a copy with more cells: the reference workbook of a metamorphic check
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from openpyxl import Workbook, load_workbook
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter

from envwheel_office.package import fixed
from envwheel_office.scripts import Cells

Rows = Sequence[Sequence[Any]]


def book(sheets: Mapping[str, Rows], *, plain: Iterable[str] = (), change: Any = None) -> bytes:
    """An xlsx file; first rows are bold and frozen but for sheets in `plain`. `change` may alter the Workbook."""
    wb = Workbook()
    wb.remove(wb.active)
    for title, rows in sheets.items():
        ws = wb.create_sheet(title)
        for row in rows:
            ws.append(list(row))
        _dress(ws, title not in set(plain))
    if change is not None:
        change(wb)
    return _bytes(wb)


def _dress(ws: Any, head: bool) -> None:
    if head:
        ws.freeze_panes = "A2"
        for cell in ws[1]:
            cell.font = Font(name="Calibri", size=11, bold=True)
    for column in ws.iter_cols():
        width = max((len(str(cell.value)) for cell in column if cell.value is not None), default=8)
        ws.column_dimensions[get_column_letter(column[0].column)].width = min(max(width + 2, 10), 40)
        for cell in column:
            if isinstance(cell.value, date):
                cell.number_format = "yyyy-mm-dd"
            elif isinstance(cell.value, float):
                cell.number_format = "#,##0.00"


def extended(data: bytes, answer: Cells) -> bytes:
    """The workbook `data` with the cells of `answer` in it, new sheets where it has none of that name."""
    wb = load_workbook(io.BytesIO(data))
    for title, cells in answer.items():
        ws = wb[title] if title in wb.sheetnames else wb.create_sheet(title)
        for ref, value in cells.items():
            ws[ref] = value
    return _bytes(wb)


def _bytes(wb: Any) -> bytes:
    out = io.BytesIO()
    wb.save(out)
    return fixed(out.getvalue())


def csv_text(rows: Rows, delimiter: str = ",") -> str:
    """Rows as CSV."""
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()


def grid(rows: Rows, first: str = "A1") -> dict[str, Any]:
    """Rows as cells: {"A1": ..., "B1": ...}; None leaves a cell out."""
    letters = "".join(char for char in first if char.isalpha())
    top = int(first[len(letters) :])
    left = 0
    for char in letters:
        left = left * 26 + ord(char) - 64
    return {
        f"{get_column_letter(left + x)}{top + y}": value
        for y, row in enumerate(rows)
        for x, value in enumerate(row)
        if value is not None
    }
