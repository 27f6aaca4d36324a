"""Recalculation: whose word counts when engines differ, and the two engines in their children."""

from __future__ import annotations

import datetime
import io
from collections.abc import Sequence
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter
from openpyxl.worksheet.formula import ArrayFormula
from xlsx_books import NS, by_hand, changed, related, rels, zipped

from officekit import child, recalc
from officekit.bench import Computation, Unreadable
from officekit.fill import fill
from officekit.model import Cell, Refused, Sheet, Style, Workbook
from officekit.read import compute, read, read_bytes
from officekit.recalc import FIRST, EngineFailed, Err

KIT = Path(child.__file__).parent


class Says:
    """An engine that gives the same answer to every run; None: it fails."""

    def __init__(self, answer: dict | None, name: str = "fake") -> None:
        self.answer, self.name, self.asked = answer, name, []

    def compute(self, data: bytes, runs: Sequence[Computation]) -> list[dict]:
        if self.answer is None:
            raise EngineFailed("it fell over")
        self.asked += runs
        return [{name: self.answer[name] for name in run.get if name in self.answer} for run in runs]


def settled(one, two, last=None, book: Workbook | None = None) -> recalc.Computed:
    engines = (Says(None if one is None else {"S!A1": one}, "one"), Says(None if two is None else {"S!A1": two}, "two"))
    third = Says(None if last is None else {"S!A1": last}, "last")
    return recalc.compute(b"", book or Workbook(), [Computation(get=("S!A1",))], first=engines, last=third)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (5.0, 5.0),
        (1e9, 1e9 + 1),
        (0.1 + 0.2 - 0.3, 0.0),
        ("a", "a"),
        (True, True),
        (Err("#N/A"), Err("#N/A")),
        ("", ""),
    ],
)
def test_two_engines_that_agree_are_right(one, two):
    assert settled(one, two).values == [{"S!A1": one}]


@pytest.mark.parametrize(
    ("one", "two"),
    [(5.0, 5.1), (0.001, 0.0011), ("5", 5.0), (True, 1.0), ("#N/A", Err("#N/A")), (None, 0.0), ("a", "A"), ("", None)],
)
def test_two_engines_that_differ_are_unsure_without_a_third(one, two):
    found = settled(one, two)
    assert (found.values, found.unsure) == ([{}], {"S!A1"})


def test_the_third_decides_between_two():
    found = settled(5.0, 6.0, 6.0)
    assert (found.values, found.alone, found.engine) == ([{"S!A1": 6.0}], set(), "one+two+last")


def test_three_ways_are_unsure():
    assert settled(5.0, 6.0, 7.0).unsure == {"S!A1"}


@pytest.mark.parametrize("excuse", ["#NAME?", "#N/IMPL!", "#ERROR!", "#VALUE!"])
def test_where_one_lacks_the_function_the_third_has_the_word(excuse):
    found = settled(Err(excuse), 6.0, 7.0)
    assert (found.values, found.alone) == ([{"S!A1": 7.0}], {"S!A1"})


def test_where_one_lacks_the_function_the_other_and_the_third_are_two():
    assert settled(Err("#NAME?"), 6.0, 6.0).alone == set()


@pytest.mark.parametrize("excuse", ["#NAME?", "#ERROR!"])
def test_where_the_third_lacks_it_too_it_is_unsure(excuse):
    assert settled(Err("#NAME?"), 6.0, Err(excuse)).unsure == {"S!A1"}


def test_a_name_that_nobody_knows_is_an_error_of_the_workbook():
    assert settled(Err("#NAME?"), Err("#NAME?"), Err("#NAME?")).values == [{"S!A1": "#NAME?"}]


def test_what_neither_can_do_the_third_does():
    """MONTH of a range within SUMPRODUCT is #VALUE! for both Rust engines."""
    found = settled(Err("#VALUE!"), Err("#VALUE!"), 7.0)
    assert (found.values, found.alone) == ([{"S!A1": 7.0}], {"S!A1"})
    assert settled(Err("#VALUE!"), Err("#VALUE!"), Err("#VALUE!")).values == [{"S!A1": "#VALUE!"}]


def test_an_engine_that_fails_is_replaced_by_the_third():
    found = settled(None, 6.0, 6.0)
    assert (found.values, found.alone, found.engine) == ([{"S!A1": 6.0}], set(), "two+last")


def test_when_no_engine_computes_it_the_reasons_are_told():
    with pytest.raises(Unreadable, match="one: it fell over; two: it fell over; last"):
        settled(None, None)


def old_book() -> Workbook:
    dated = Cell("date", 45352.0, None, 1)
    sheet = Sheet("S", cells={"A1": Cell("empty", None, "=B1", 1), "B1": dated, "C1": Cell("empty", None, "=B1", 0)})
    return Workbook([sheet], [Style(), Style(number_class="date")], date1904=True)


def test_dates_of_1904_are_moved_for_the_engines_that_do_not_know_them():
    engine = Says({"S!A1": 45352.0})
    recalc.compute(b"", old_book(), [Computation({"S!C1": 5.0}, ("S!A1",))], first=(engine, engine), last=Says(None))
    assert engine.asked[0].set == {"S!B1": 45352.0, "S!C1": 5.0}


def test_libreoffice_has_the_last_word_on_a_file_of_1904():
    engine, last = Says({"S!A1": 45352.0, "S!C1": 45352.0}), Says({"S!A1": 43890.0, "S!C1": 43890.0})
    runs = [Computation({"S!B1": 45352.0}, ("S!A1", "S!C1"))]
    found = recalc.compute(b"", old_book(), runs, first=(engine, engine), last=last)
    assert (found.values, found.alone) == ([{"S!A1": 45352.0, "S!C1": 43890.0}], {"S!C1"})
    assert last.asked[0].set == {"S!B1": 43890.0}


def test_two_engines_without_a_function_do_not_outvote_the_third():
    book = Workbook([Sheet("S", cells={"A1": Cell("empty", None, '=IFERROR(GETPIVOTDATA("v",Z1),0)')})])
    found = settled(0.0, 0.0, 12.0, book)
    assert (found.values, found.alone) == ([{"S!A1": 12.0}], {"S!A1"})


def saved(book: openpyxl.Workbook) -> bytes:
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


@pytest.fixture(scope="module")
def ledger() -> bytes:
    """A book of few formulas of each kind of value."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "It's Übung"
    for row in ([2, "=A1*A2", '="x"&A1'], [3, "=A1>1", "=1/0"], [datetime.date(2024, 2, 28), "=A3+2", "=NA()"], [None]):
        sheet.append(row)
    sheet["B3"].number_format = "yyyy-mm-dd"
    sheet["D1"] = ArrayFormula("D1:D2", "=A1:A2*2")
    book.create_sheet("Sum")["A1"] = "=SUM('It''s Übung'!A1:A2)"
    return saved(book)


GET = ("It's Übung!B1", "it's übung!B2", "It's Übung!B3", "It's Übung!C1", "It's Übung!C2", "Sum!A1", "Nowhere!A1")


@pytest.mark.parametrize("engine", FIRST, ids=lambda engine: engine.name)
def test_an_engine_computes_each_run_from_the_file_as_it_is(engine, ledger):
    changes = {"It's Übung!A1": 10, "It's Übung!A2": None, "It's Übung!A3": 45350.0}
    first, second, third = engine.compute(
        ledger, [Computation(get=GET), Computation(changes, GET), Computation(get=GET)]
    )
    assert list(first.values()) == [6.0, True, 45352.0, "x2", "#DIV/0!", 5.0]
    assert list(second.values()) == [0.0, True, 45352.0, "x10", "#DIV/0!", 10.0]
    assert (first, isinstance(first["It's Übung!C2"], Err)) == (third, True)


@pytest.mark.parametrize("engine", FIRST, ids=lambda engine: engine.name)
def test_an_engine_takes_texts_and_truth_as_what_they_are(engine, ledger):
    changes = {"It's Übung!A1": "5", "It's Übung!A2": True}
    (found,) = engine.compute(ledger, [Computation(changes, ("It's Übung!C1", "Sum!A1"))])
    assert found == {"It's Übung!C1": "x5", "Sum!A1": 0.0}


@pytest.mark.parametrize("engine", FIRST, ids=lambda engine: engine.name)
def test_an_engine_that_cannot_read_the_file_fails_with_a_reason(engine):
    with pytest.raises(EngineFailed, match=r"\w"):
        engine.compute(b"PK nonsense", [Computation(get=("S!A1",))])


def filled(data: bytes) -> Workbook:
    document = read_bytes(data, "xlsx")
    assert isinstance(document, Workbook), document
    fill(document, data)
    return document


def test_every_formula_gets_its_value_and_kind(ledger):
    document = filled(ledger)
    found = document.sheets[0].cells
    assert {name: (found[name].kind, found[name].value) for name in ("B1", "B2", "B3", "C1", "C2", "C3", "D2")} == {
        "B1": ("number", 6.0),
        "B2": ("bool", True),
        "B3": ("date", 45352.0),
        "C1": ("text", "x2"),
        "C2": ("error", "#DIV/0!"),
        "C3": ("error", "#N/A"),
        "D2": ("number", 6.0),
    }
    assert (document.engine, document.unsure, document.alone) == ("ironcalc+formualizer", [], [])


def test_a_forged_cache_is_not_read():
    rows = '<row r="1"><c r="A1"><v>2</v></c><c r="B1"><f>A1*3</f><v>999</v></c></row>'
    assert filled(zipped(by_hand(rows))).sheets[0].cells["B1"].value == 6.0


def test_a_forged_cell_of_an_array_is_not_believed():
    rows = (
        '<row r="1"><c r="A1"><v>2</v></c><c r="B1"><f t="array" ref="B1:B2">A1:A2*2</f><v>4</v></c></row>'
        '<row r="2"><c r="A2"><v>3</v></c><c r="B2"><v>999</v></c></row>'
    )
    assert filled(zipped(by_hand(rows))).sheets[0].cells["B2"].value == 6.0


def spilling(area: str = "") -> bytes:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out)
    sheet = book.add_worksheet("S")
    sheet.write_column("A1", [3, 1, 2])
    sheet.write_dynamic_array_formula("C1", "=_xlfn._xlws.SORT(A1:A3)")
    sheet.write_formula("E1", "=SUM(C1:C9)")
    book.close()
    return out.getvalue()


def test_a_dynamic_array_fills_the_cells_that_the_file_does_not_have():
    found = filled(spilling()).sheets[0].cells
    assert [found[name].value for name in ("C1", "C2", "C3", "E1")] == [1.0, 2.0, 3.0, 6.0]
    assert (found["C3"].formula, "C4" in found) == ("=SORT(A1:A3)", False)


def test_cells_that_a_dynamic_array_does_not_reach_are_empty():
    wider = changed(spilling(), "xl/worksheets/sheet1.xml", lambda text: text.replace('ref="C1"', 'ref="C1:C5"'))
    assert "C5" not in filled(wider).sheets[0].cells


def test_what_an_engine_prints_is_no_answer_of_its():
    printed = zipped(by_hand('<row r="1"><c r="A1"><f>1+1</f></c></row>'))  # ironcalc: Unexpected type (empty) in S!A1
    assert FIRST[0].compute(printed, [Computation(get=("S!A1",))]) == [{"S!A1": 2.0}]


def test_a_circle_is_an_error_and_no_hang():
    document = filled(zipped(by_hand('<row r="1"><c r="A1"><f>A1+1</f></c></row>')))
    assert (document.sheets[0].cells["A1"].kind, document.unsure) == ("error", [])


def test_a_file_is_read_and_computed_from_its_path(tmp_path, ledger):
    path = tmp_path / "book.xlsx"
    path.write_bytes(ledger)
    document = read(str(path))
    assert isinstance(document, Workbook)
    assert compute(str(path), document, [Computation({"It's Übung!A1": 4}, ("Sum!A1",))]) == [{"Sum!A1": 7.0}]


def test_a_file_that_the_guard_refuses_is_refused(tmp_path):
    path = tmp_path / "book.xlsx"
    path.write_bytes(b"hello")
    assert read(str(path)) == Refused("no xlsx file: it does not start as a zip")
    with pytest.raises(Unreadable, match="does not start as a zip"):
        compute(str(path), Workbook(), [])


def test_a_list_of_a_table_whose_place_makes_no_sense_is_refused(tmp_path):
    table = f'<table xmlns="{NS}" name="T" displayName="T" ref="nowhere"><tableColumns><tableColumn name="c"/>'
    around = (
        '<dataValidations><dataValidation type="list" sqref="A1"><formula1>T[c]</formula1></dataValidation>'
        "</dataValidations>"
    )
    extra = {
        "xl/worksheets/_rels/sheet1.xml.rels": rels(related(1, "table", "../tables/table1.xml")),
        "xl/tables/table1.xml": f"{table}</tableColumns></table>",
    }
    (tmp_path / "book.xlsx").write_bytes(zipped(by_hand(around=around, extra=extra)))
    assert "no cell: 'nowhere" in read(str(tmp_path / "book.xlsx")).reason  # type: ignore[union-attr]
