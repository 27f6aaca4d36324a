"""Workbooks read and computed in a real verifier box, where LibreOffice decides what two engines do not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from office_boxes import REPO, VERIFIER, kit

from envwheel.sandbox.base import BoxLimits, Entry, Tree

pytestmark = [pytest.mark.e2e, pytest.mark.needs("users")]

LIMITS = BoxLimits(cpus=2.0, memory_mb=3072, disk_mb=1024, processes=256)
CORPUS = REPO / "plugins" / "office" / "tests" / "corpus"
LOOK = """
import json, sys
sys.path.insert(0, "/tests/kit")
from officekit import read, model
from officekit.bench import Computation
found = read.read("/app/book.xlsx")
assert isinstance(found, model.Workbook), found
cells = {f"{s.name}!{name}": [c.kind, c.value] for s in found.sheets for name, c in s.cells.items() if c.formula}
asked = json.load(open("/tests/runs.json"))
runs = [Computation(run["set"], tuple(run["get"]), run.get("type", {})) for run in asked]
computed = read.compute("/app/book.xlsx", found, runs) if runs else []
print(json.dumps([cells, found.engine, found.unsure, found.alone, computed]))
"""
Look = Callable[..., Any]


@pytest.fixture
def look(engine, office, start) -> Look:
    """`look(data, runs)`: values of the formulas, engines, unsure and lonely cells, what further runs give."""

    def one(data: bytes, runs: list[dict] | None = None) -> Any:
        box = start(image=VERIFIER, role="verifier", user="root", limits=LIMITS)
        given = {"/tests/look.py": LOOK.encode(), "/tests/runs.json": json.dumps(runs or []).encode()}
        files = {name: Entry("file", 0o644, text) for name, text in given.items()}
        app = {"/app": Entry("dir", 0o755), "/app/book.xlsx": Entry("file", 0o644, data)}
        box.put(kit().merged(Tree(files)).merged(Tree(app)))
        ran = box.shell().run("chmod 700 /tests; /usr/bin/python3 -I -B /tests/look.py", timeout_s=200)
        assert ran.exit_code == 0, ran.output
        return json.loads(ran.output.splitlines()[-1])

    return one


def book(folder: Path, *formulas: str) -> bytes:
    """A workbook with 3, 1, 2 in column A and the formulas in column C of the sheet "S"."""
    import openpyxl

    made = openpyxl.Workbook()
    made.active.title = "S"
    for row, value in enumerate((3, 1, 2), 1):
        made.active.cell(row, 1, value)
    for row, formula in enumerate(formulas, 1):
        made.active.cell(row, 3, formula)
    made.save(folder / "book.xlsx")
    return (folder / "book.xlsx").read_bytes()


def test_where_two_engines_agree_libreoffice_is_not_started(look, tmp_path):
    cells, engine, unsure, alone, _ = look(book(tmp_path, "=SUM(A1:A3)", '=IF(A1>2,"yes","no")'))
    assert cells == {"S!C1": ["number", 6.0], "S!C2": ["text", "yes"]}
    assert (engine, unsure, alone) == ("ironcalc+formualizer", [], [])


def test_libreoffice_decides_what_one_engine_lacks(look, tmp_path):
    data = book(tmp_path, "=_xlfn.AGGREGATE(9,6,A1:A3)", "=SUM(MMULT(A1:A2,TRANSPOSE(A1:A2)))*0+5", "=A1*2")
    runs = [{"set": {"S!A1": 10}, "get": ["S!C1", "S!C3"]}, {"set": {}, "get": ["S!C1"]}]
    cells, engine, _, _, computed = look(data, runs)
    assert cells["S!C1"] == ["number", 6.0]
    assert engine == "ironcalc+formualizer+libreoffice"
    assert computed == [{"S!C1": 13.0, "S!C3": 20.0}, {"S!C1": 6.0}]


def test_libreoffice_decides_on_formulas_of_rules(look, tmp_path):
    data = book(tmp_path, "=A1*2")
    dated, joined = "=SUMPRODUCT((MONTH(A1:A3)>0)*A1:A3)", '=_xlfn.TEXTJOIN(";",TRUE,A1:A3)&_xlfn.AGGREGATE(9,6,A1:A3)'
    runs = [
        {"set": {"S!A1": 10}, "type": {"S!F9": "=AND(_xlfn.AGGREGATE(9,6,A1:A3)>6,TRUE)"}, "get": ["S!F9"]},
        {"set": {}, "type": {"S!F9": "=_xlfn.AGGREGATE(15,6,A1:A3,1)", "S!F10": dated}, "get": ["S!F9", "S!F10"]},
        {"set": {"S!A2": 4}, "type": {"S!F9": joined}, "get": ["S!F9", "S!C1"]},
    ]
    computed = look(data, runs)[-1]
    assert computed == [{"S!F9": True}, {"S!F9": 1.0, "S!F10": 6.0}, {"S!F9": "3;4;29", "S!C1": 6.0}]


def test_libreoffice_decides_on_the_columns_of_native_tables(look, tmp_path):
    import openpyxl
    from openpyxl.worksheet.table import Table

    made = openpyxl.Workbook()
    made.active.title = "L"
    for row in (["Region", "Amount"], ["N", 1], ["S", 2], ["N", 4]):
        made.active.append(row)
    made.active.add_table(Table(displayName="Sales", ref="A1:B4"))
    made.active["D1"] = '=SUMIFS(Sales[Amount],Sales[Region],"N")'
    made.active["D2"] = "=INDEX(Sales[Amount],2)"
    made.save(tmp_path / "book.xlsx")
    runs = [{"set": {"L!B2": 10}, "get": ["L!D1", "L!D2"]}]
    cells, _, unsure, _, computed = look((tmp_path / "book.xlsx").read_bytes(), runs)
    assert ([value for _, value in cells.values()], unsure) == ([5.0, 2.0], [])
    assert computed == [{"L!D1": 14.0, "L!D2": 2.0}]


def test_what_nobody_knows_is_an_error_and_what_libreoffice_lacks_is_unsure(look, tmp_path):
    cells, _, unsure, _, _ = look(
        book(tmp_path, "=NOSUCH(A1)", "=_xlfn.REDUCE(0,A1:A3,_xlfn.LAMBDA(_xlpm.a,_xlpm.b,_xlpm.a+_xlpm.b))")
    )
    assert (cells["S!C1"], unsure) == (["error", "#NAME?"], ["S!C2"])


def test_a_file_of_1904_is_computed_with_its_dates(look):
    cells, engine, unsure, _, _ = look((CORPUS / "libreoffice_converted_1904.xlsx").read_bytes())
    assert cells["Plan 1904!D3"] == ["date", 45658.0]
    assert cells["Plan 1904!F3"] == ["text", "2024-02-28"]
    assert (engine.endswith("libreoffice"), unsure) == (True, [])


def test_forged_cells_of_an_array_formula_are_computed_anew(look, tmp_path):
    import io
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(CORPUS / "libreoffice_arrays.xlsx") as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name == "xl/worksheets/sheet1.xml":
                text, count = re.subn(rb'(<c r="C[0-9]+" s="0" t="n"><v>)[0-9]+', rb"\g<1>999", text)
                assert count == 19
            new.writestr(name, text)
    cells, _, unsure, _, _ = look(out.getvalue())
    assert ([cells[f"Zahlen!C{row}"][1] for row in (1, 2, 20)], unsure) == ([1.0, 4.0, 400.0], [])
