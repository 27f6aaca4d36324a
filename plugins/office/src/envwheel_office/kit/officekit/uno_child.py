"""LibreOffice and who speaks with it, as a program of its own: `listener.py` starts it, with rights of nobody.

    python3 -I uno_child.py FOLDER          FOLDER is its own, with the profile in it and the workbooks that it is told

One JSON object a line. In: {"book": "3.xlsx", "runs": [{"set": {"Ledger!B2": 7}, "type": {"Sum!F9": "=A1>2"}, "get":
["Sum!B1"]}]}; what is typed are formulas as the file writes them. Out, after a first {"ready": true}: {"runs":
[{"Sum!B1": 14.0}]} or {"error": "..."}. An error in a cell is {"error": "#N/A"}, a cell that is nowhere is left out.
The last workbook stays open, so that a further run on it costs milliseconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.table.CellContentType import EMPTY, FORMULA, TEXT

SOFFICE = "/usr/lib/libreoffice/program/soffice.bin"
START_S = 90.0
ONE_BY_ONE = 24
"""So many cells of a sheet are asked for singly, more of them as arrays."""
MOST_CELLS = 400_000
LOAD = {"Hidden": True, "MacroExecutionMode": 0, "UpdateDocMode": 0, "FilterName": "Calc MS Excel 2007 XML"}
"""No macro runs, no link is refreshed."""
AS_IN_FILES = 3
"""com.sun.star.sheet.AddressConvention.XL_OOX."""


def start(folder: str) -> Any:
    """The desktop of a fresh LibreOffice whose profile is FOLDER/profile. Raises TimeoutError."""
    pipe = f"office{os.getpid()}"
    command = [SOFFICE, "--headless", "--invisible", "--norestore", "--nologo", "--nodefault", "--nolockcheck"]
    command += [f"-env:UserInstallation=file://{folder}/profile", f"--accept=pipe,name={pipe};urp;"]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    context = uno.getComponentContext()
    resolver = context.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", context)
    end = time.monotonic() + START_S
    while True:
        try:
            remote = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
            return remote.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", remote)
        except uno.getClass("com.sun.star.uno.Exception"):
            if process.poll() is not None or time.monotonic() > end:
                raise TimeoutError("LibreOffice does not start") from None
            time.sleep(0.02)


class Book:
    """An open workbook, computed."""

    def __init__(self, desktop: Any, path: str) -> None:
        loading = tuple(PropertyValue(name, 0, value, 0) for name, value in LOAD.items())
        self._doc = desktop.loadComponentFromURL(uno.systemPathToFileUrl(path), "_blank", 0, loading)
        if self._doc is None or not hasattr(self._doc, "Sheets"):
            raise ValueError("LibreOffice reads no workbook in it")
        sheets = [self._doc.Sheets.getByIndex(at) for at in range(self._doc.Sheets.Count)]
        self._sheets = {sheet.Name.casefold(): sheet for sheet in sheets}
        self._parser = self._doc.createInstance("com.sun.star.sheet.FormulaParser")
        self._parser.FormulaConvention, self._parser.CompileEnglish = AS_IN_FILES, True
        self._doc.enableAutomaticCalculation(False)
        self._doc.calculateAll()

    def close(self) -> None:
        """Forget it."""
        self._doc.close(True)

    def run(self, changes: dict[str, Any], formulas: dict[str, str], wanted: list[str]) -> dict[str, Any]:
        """What the cells `wanted` show after `changes` and with `formulas`, which are taken back again.

        Cells that are nowhere are left out.
        """
        before = []
        try:
            for name, value in [*changes.items(), *formulas.items()]:
                cell = self._cell(name)
                if cell is None:
                    raise ValueError(f"there is no cell {name}")
                before.append((cell, _kept(cell), cell.NumberFormat))
                if name in formulas:
                    self._type(cell, value)
                else:
                    _put(cell, value)
            if before:
                self._doc.calculate()
            return self._read(wanted)
        finally:
            for cell, (kind, value), shape in reversed(before):
                cell.setFormula(value) if kind == FORMULA else _put(cell, value)
                cell.NumberFormat = shape  # a formula that says true or false leaves that as the cell's format
            if before:
                self._doc.calculate()

    def _type(self, cell: Any, formula: str) -> None:
        cell.setTokens(self._parser.parseFormula(formula.removeprefix("="), cell.getCellAddress()))

    def _cell(self, name: str) -> Any:
        sheet, ref = _split(name)
        found = self._sheet(sheet)
        try:
            return found.getCellRangeByName(ref) if found else None
        except uno.getClass("com.sun.star.uno.Exception"):
            return None

    def _sheet(self, name: str) -> Any:
        return self._sheets.get(name.casefold())

    def _read(self, wanted: list[str]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        by_sheet: dict[str, dict[str, str]] = {}
        for name in wanted:
            sheet, ref = _split(name)
            by_sheet.setdefault(sheet, {})[name] = ref
        for sheet, refs in by_sheet.items():
            shown = self._array(sheet, refs) if len(refs) > ONE_BY_ONE else None
            for name in refs:
                if shown is not None and name in shown:
                    found[name] = shown[name]
                elif (cell := self._cell(name)) is not None:
                    found[name] = _shown(cell)
        return found

    def _array(self, sheet: str, refs: dict[str, str]) -> dict[str, Any] | None:
        """Values of many cells by two calls; without those that only the cell itself can tell (errors, true, false)."""
        at = {name: _place(ref) for name, ref in refs.items()}
        rows, columns = [row for row, _ in at.values()], [column for _, column in at.values()]
        top, left, bottom, right = min(rows), min(columns), max(rows), max(columns)
        found = self._sheet(sheet)
        if found is None or (bottom - top + 1) * (right - left + 1) > MOST_CELLS:
            return None
        area = found.getCellRangeByPosition(left, top, right, bottom)
        data, formulas = area.getDataArray(), area.getFormulaArray()
        shown = {}
        for name, (row, column) in at.items():
            value, formula = data[row - top][column - left], formulas[row - top][column - left]
            if value == "" and formula == "":
                shown[name] = None
            elif isinstance(value, str) or (isinstance(value, float) and value not in (0.0, 1.0)):
                shown[name] = value
        return shown


def _split(name: str) -> tuple[str, str]:
    """Sheet and reference of "Sheet!B7" or "'My sheet'!B7"."""
    sheet, _, ref = name.rpartition("!")
    if len(sheet) > 1 and sheet[0] == sheet[-1] == "'":
        sheet = sheet[1:-1].replace("''", "'")
    return sheet, ref.replace("$", "")


def _place(ref: str) -> tuple[int, int]:
    """Row and column of "B7", from 0."""
    letters = ref.rstrip("0123456789")
    column = 0
    for letter in letters.upper():
        column = column * 26 + ord(letter) - 64
    return int(ref[len(letters) :]) - 1, column - 1


def _shown(cell: Any) -> Any:
    """What one cell shows: a number, a text, true or false, None, an error as its text."""
    kind = cell.getType()
    if kind == EMPTY:
        return None
    if kind == TEXT or (kind == FORMULA and cell.FormulaResultType2 == 2):
        return cell.getString()
    if code := cell.getError():
        return {"error": ERRORS.get(code, "#ERROR!")}
    text, value = cell.getString(), cell.getValue()
    return text == "TRUE" if text in ("TRUE", "FALSE") and value in (0.0, 1.0) else value


ERRORS = {
    502: "#VALUE!",
    503: "#NUM!",
    504: "#VALUE!",
    519: "#VALUE!",
    522: "#CIRC!",
    523: "#NUM!",
    524: "#REF!",
    525: "#NAME?",
    532: "#DIV/0!",
    32767: "#N/A",
}
"""LibreOffice's numbers of errors in Excel's words; the others say that it cannot read the formula."""


def _kept(cell: Any) -> tuple[Any, Any]:
    kind = cell.getType()
    if kind == FORMULA:
        return kind, cell.getFormula()
    return kind, None if kind == EMPTY else cell.getString() if kind == TEXT else cell.getValue()


def _put(cell: Any, value: Any) -> None:
    if value is None:
        cell.setFormula("")
    elif isinstance(value, bool):
        cell.setFormula("=TRUE()" if value else "=FALSE()")
    elif isinstance(value, str):
        cell.setString(value)
    else:
        cell.setValue(float(value))


def serve(folder: str) -> None:
    """Answer until the input ends."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    desktop = start(folder)
    print(json.dumps({"ready": True}), file=out, flush=True)
    name, book = "", None
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            if asked["book"] != name:
                if book is not None:
                    book.close()
                name, book = "", None
                book = Book(desktop, os.path.join(folder, asked["book"]))
                name = asked["book"]
            assert book is not None
            said: dict[str, Any] = {"runs": [book.run(run["set"], run["type"], run["get"]) for run in asked["runs"]]}
        except (ValueError, uno.getClass("com.sun.star.uno.Exception")) as error:
            said = {"error": str(error).splitlines()[0][:300] if str(error) else type(error).__name__}
        print(json.dumps(said), file=out, flush=True)


if __name__ == "__main__":
    serve(sys.argv[1])
