"""LibreOffice over UNO in the recalculation child: the authority where the other engines cannot agree.

    compute(path, runs, listener)    # the name of a pipe on which soffice listens; without one it starts its own

What a file has cached is not believed: `calculateAll` before anything is read. No macro runs, no link is updated.
"""

from __future__ import annotations

import os
import subprocess
import time
from typing import Any

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.table.CellContentType import EMPTY, FORMULA, VALUE

from .reference import parts

ERRORS = {502: "#VALUE!", 503: "#NUM!", 504: "#VALUE!", 519: "#VALUE!", 522: "#CIRC!", 523: "#NUM!", 524: "#REF!",
          525: "#NAME?", 532: "#DIV/0!", 32767: "#N/A"}  # fmt: skip
"""Its error codes in Excel's words; the others say that it cannot read the formula."""
CONTENT = 1 | 2 | 4 | 16
"""CellFlags VALUE, DATETIME, STRING and FORMULA: what makes a cell empty leaves its format."""
START_SECONDS = 60


def compute(path: str, runs: list[dict[str, Any]], listener: str = "") -> list[list[Any]]:
    """As recompute.py says. What a run set is put back after it."""
    process = None
    if not listener:
        listener = f"office-{os.getpid()}"
        process = listen(listener, os.path.dirname(path))
    try:
        document = load(connect(listener), path)
        try:
            return [computed(document, run) for run in runs]
        finally:
            document.close(True)
    finally:
        if process is not None:
            process.kill()
            process.wait()


def listen(pipe: str, folder: str) -> subprocess.Popen[bytes]:
    """Start soffice with a profile of its own in `folder`, listening on `pipe`."""
    return subprocess.Popen(
        ["soffice", "--headless", "--norestore", "--nologo", "--nodefault", "--nolockcheck",
         f"-env:UserInstallation=file://{folder}/profile", f"--accept=pipe,name={pipe};urp;"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def connect(pipe: str) -> Any:
    """The desktop of the soffice that listens on `pipe`. Raises TimeoutError."""
    context = uno.getComponentContext()
    resolver = context.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", context)
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            remote = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
            return remote.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", remote)
        except Exception:
            if time.monotonic() > end:
                raise TimeoutError("LibreOffice does not answer") from None
            time.sleep(0.05)


def load(desktop: Any, path: str) -> Any:
    """The document, all of it computed anew. Raises ValueError when it is no workbook."""
    wanted = {"Hidden": True, "MacroExecutionMode": 0, "UpdateDocMode": 0, "FilterName": "Calc MS Excel 2007 XML"}
    options = tuple(PropertyValue(name, 0, value, 0) for name, value in wanted.items())
    document = desktop.loadComponentFromURL(uno.systemPathToFileUrl(path), "_blank", 0, options)
    if document is None:
        raise ValueError("LibreOffice cannot open it")
    document.calculateAll()
    return document


def computed(document: Any, run: dict[str, Any]) -> list[Any]:
    """One run's values; its cells are as before when it is done."""
    before = []
    for name, value in run["set"].items():
        cell = find(document, name)
        if cell is not None:
            before.append((cell, cell.getFormula() if cell.Type == FORMULA else content(cell), cell.Type == FORMULA))
            put(cell, value)
    if before:
        document.calculateAll()
    answer = [shown(document, name) for name in run["get"]]
    for cell, value, formula in before:
        if formula:
            cell.setFormula(value)
        else:
            put(cell, value)
    return answer


def find(document: Any, name: str) -> Any:
    """The cell "Sheet!B7"; None without such a sheet."""
    sheet, cell = parts(name)
    known = {item.casefold(): item for item in document.Sheets.ElementNames}
    if sheet.casefold() not in known:
        return None
    return document.Sheets.getByName(known[sheet.casefold()]).getCellRangeByName(cell)


def content(cell: Any) -> Any:
    """What is typed in a cell."""
    if cell.Type == EMPTY:
        return None
    return cell.getValue() if cell.Type == VALUE else cell.getString()


def put(cell: Any, value: Any) -> None:
    """Type a value into a cell."""
    if value is None:
        cell.clearContents(CONTENT)
    elif isinstance(value, bool):
        cell.setFormula("=TRUE()" if value else "=FALSE()")
    elif isinstance(value, str):
        cell.setString(value)
    else:
        cell.setValue(float(value))


def shown(document: Any, name: str) -> Any:
    """A cell's value in the words of recompute.py."""
    cell = find(document, name)
    if cell is None:
        return {}
    if cell.Type == EMPTY:
        return None
    if code := cell.getError():
        return {"error": ERRORS.get(code, "#ERROR!")}
    if cell.Type == FORMULA and cell.FormulaResultType2 == 2:
        return cell.getString()
    if cell.Type not in (FORMULA, VALUE):
        return cell.getString()
    number = cell.getValue()
    text = cell.getString()
    return text == "TRUE" if text in ("TRUE", "FALSE") and number in (0, 1) else number
