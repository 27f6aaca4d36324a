"""Bash and Python texts of which references, alternatives and wrong solutions are made; they run in the work box.

python("print(total)", total=12)              Python as bash, names given as literals before it
answered("in.xlsx", "out.xlsx", answer)       the reference of a workbook task: cells of `answer` into a copy
rebuilt("in.xlsx", "out.xlsx", answer)        the same with XlsxWriter: everything is copied, then written anew
edited("out.xlsx", ("id", "why", ("check",), "wb['Sum']['B2'] = 7"), ...)   wrong solutions, made of a right one
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from textwrap import dedent
from typing import Any

from envwheel_office.family import Wrong

Cells = Mapping[str, Mapping[str, Any]]
"""Sheet -> cell -> value or formula."""
Fault = tuple[str, str, tuple[str, ...], str]
"""A wrong turn: id, why it is plausible, the checks that see it, and code."""
Swap = tuple[str, str, tuple[str, ...], str, str]
"""A wrong turn in a program: id, why, the checks that see it, the text that it replaces, what stands there instead."""

_OPEN = {
    "xlsx": "from openpyxl import load_workbook\nwb = load_workbook(path)\n",
    "docx": "from docx import Document\ndoc = Document(path)\n",
    "pptx": "from pptx import Presentation\ndeck = Presentation(path)\n",
}
_SAVE = {"xlsx": "wb.save(path)\n", "docx": "doc.save(path)\n", "pptx": "deck.save(path)\n"}

_ANSWER = """
from openpyxl import load_workbook

wb = load_workbook(source)
for sheet, cells in answer.items():
    fresh = sheet not in wb.sheetnames
    ws = wb.create_sheet(sheet) if fresh else wb[sheet]
    for ref, value in cells.items():
        ws[ref] = value
        if fresh:
            ws.column_dimensions[ws[ref].column_letter].width = 14
"""
_REBUILD = """
import datetime
import xlsxwriter
from openpyxl import load_workbook

old = load_workbook(source)
new = xlsxwriter.Workbook(target)
dates = new.add_format({"num_format": "yyyy-mm-dd"})
sheets = {}
for ws in old:
    sheets[ws.title] = copy = new.add_worksheet(ws.title)
    if ws.freeze_panes:
        copy.freeze_panes(ws.freeze_panes)
    for row in ws.iter_rows():
        for cell in row:
            if isinstance(cell.value, datetime.datetime):
                copy.write_datetime(cell.row - 1, cell.column - 1, cell.value, dates)
            elif cell.data_type == "s":
                copy.write_string(cell.row - 1, cell.column - 1, cell.value)
            elif cell.value is not None:
                copy.write(cell.row - 1, cell.column - 1, cell.value)
for sheet, cells in answer.items():
    if sheet not in sheets:
        sheets[sheet] = new.add_worksheet(sheet)
    for ref, value in cells.items():
        sheets[sheet].write(ref, value, dates if ref in dated.get(sheet, ()) else None)
"""


def python(program: str, **given: Any) -> str:
    """Bash that runs a Python program; `given` are names that it may use."""
    head = "".join(f"{name} = {value!r}\n" for name, value in given.items())
    return f"/usr/bin/python3 - <<'PY'\n{head}{dedent(program).strip()}\nPY\n"


def answered(source: str, target: str, answer: Cells, more: str = "") -> str:
    """Bash that copies `source` to `target` with the cells of `answer`, and then does `more` to the workbook `wb`."""
    program = f"{_ANSWER}{dedent(more)}\nwb.save(target)\n"
    return python(program, source=f"/app/{source}", target=f"/app/{target}", answer=_plain(answer))


def rebuilt(
    source: str, target: str, answer: Cells, more: str = "", dated: Mapping[str, Sequence[str]] | None = None
) -> str:
    """As `answered`, with XlsxWriter: `more` may use `new`, `sheets`; the cells of `dated` are shown as dates."""
    program = f"{_REBUILD}{dedent(more)}\nnew.close()\n"
    given = {"answer": _plain(answer), "dated": {sheet: list(refs) for sheet, refs in (dated or {}).items()}}
    return python(program, source=f"/app/{source}", target=f"/app/{target}", **given)


def _plain(answer: Cells) -> dict[str, dict[str, Any]]:
    return {sheet: dict(cells) for sheet, cells in answer.items()}


def edited(file: str, *faults: Fault, **given: Any) -> tuple[Wrong, ...]:
    """Wrong solutions that open what the reference wrote (as `wb`, `doc` or `deck`), change it and save it."""
    end = file.rsplit(".", 1)[-1]
    return tuple(
        Wrong(id, why, kills, python(f"{_OPEN[end]}{dedent(code).strip()}\n{_SAVE[end]}", path=f"/app/{file}", **given))
        for id, why, kills, code in faults
    )


def swap(text: str, old: str, new: str) -> str:
    """`text` with `old`, which occurs exactly once, replaced: how a wrong program is made from a right one."""
    if text.count(old) != 1:
        raise ValueError(f"expected to find exactly once, found {text.count(old)} times: {old!r}")
    return text.replace(old, new)


def swapped(program: str, write: Callable[[str], str], *faults: Swap) -> tuple[Wrong, ...]:
    """Wrong solutions made of a right program: `write` makes bash of it with that fault in it."""
    return tuple(Wrong(id, why, kills, write(swap(program, old, new))) for id, why, kills, old, new in faults)
