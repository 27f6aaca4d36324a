"""Formulas taken apart and followed, and the check that cells are computed."""

from __future__ import annotations

from typing import Any

import pytest
from office_fakes import EngineBench, book, cell, rows, solved

from officekit import refs
from officekit.bench import Score
from officekit.formulas import Precedents, significant, take_apart
from officekit.language import Plan
from officekit.model import Style, TableObject, Workbook
from officekit.verify import judged

DATA = rows(["Item", "Price", "Count"], ["a", 1, 2], ["b", 3, 4], ["c", 5, 6])


def reached(formula: str, made: Workbook | None = None, span: str = "B2:B4") -> tuple[int, int]:
    made = made or book({"Data": DATA, "S": {}, "My sheet": DATA})
    made.sheets[1].cells["A1"] = cell((formula, 1))
    return Precedents(made).of(made.sheets[1], "A1").reached(made.sheets[0], refs.area(span))


@pytest.mark.parametrize(
    ("formula", "cells"),
    [
        ("=SUM(Data!B2:B4)", 3),
        ("=SUM(Data!$B$2:$B$3)", 2),
        ("SUM(data!B:B)", 3),
        ("=SUM('Data'!2:3)", 2),
        ("=Data!B2+Data!B4", 2),
        ("=SUM(Data:S!B2:B4)", 3),
        ("=SUM('My sheet'!B2:B4)", 0),
        ('="Data!B2:B4"', 0),
        ("=SUM(Prices)", 3),
        ("=_xlfn.XLOOKUP(1,Sales[Item],Sales[Price])", 3),
        ("=SUM(Sales[[Item]:[Count]])", 3),
        ("=SUM(Sales[#All])", 3),
        ("=SUM(Sales[Count])", 0),
        ("=SUM(B2:B4)", 0),
    ],
)
def test_what_a_formula_reads(formula: str, cells: int) -> None:
    made = book({"Data": DATA, "S": {}, "My sheet": DATA}, names={"Prices": "Data!$B$2:$B$4"})
    made.sheets[0].tables = [TableObject("Sales", "A1:C4", ["Item", "Price", "Count"])]
    assert reached(formula, made) == (cells, 3)


def test_the_row_of_a_table_is_read_alone() -> None:
    made = book({"Data": {**DATA, "D3": ("=Sales[[#This Row],[Price]]*[@Count]", 12)}})
    made.sheets[0].tables = [TableObject("Sales", "A1:D4", ["Item", "Price", "Count", "Amount"])]
    chain = Precedents(made).of(made.sheets[0], "D3")
    assert {area for _, area in chain.areas} == {refs.area("B3"), refs.area("C3")}


def test_cells_between_are_followed_and_circles_end() -> None:
    made = book({"Data": DATA, "S": {"A2": ("=A3", 1), "A3": ("=SUM(Data!B2:B4)+A1", 9)}})
    assert reached("=A2", made) == (3, 3)


def test_functions_and_literals_are_told_apart() -> None:
    parts = take_apart('=IF(LOG10(A1)>1.5E3,"a ""12345"" b",_xlfn._xlws.FILTER(B1#,TRUE))+VALUE("1,234.56")')
    assert parts.functions == {"IF", "LOG10", "FILTER", "VALUE"}
    assert parts.areas == ["A1", "B1"]
    assert parts.numbers == ["1.5E3"]
    assert parts.digits() == (6, "1,234.56")


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("1000000", 1),
        ("0.0825", 3),
        ("1234.50", 5),
        ("86400", 3),
        ("2024", 4),
        ("12E10", 2),
        ("99999", 1),
        ("9.99999E+307", 1),
        ("19999", 5),
    ],
)
def test_significant_digits(text: str, digits: int) -> None:
    assert significant(text) == digits


def formula(made: Workbook, **fields: Any) -> Score:
    body = {"id": "it", "why": "a reason", "file": "out.xlsx", "kind": "formula", **fields}
    return judged(Plan.model_validate({"checks": [body]}).checks[0], EngineBench({"out.xlsx": made}))


def one(content: Any, **fields: Any) -> Score:
    made = book({"Data": DATA, "S": {"A1": "Total", "B1": content, "J9": 7}})
    return formula(made, at={"label": "Total"}, **fields)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (9, "S!B1 holds 9, no formula"),
        (None, "S!B1 holds nothing"),
        (("=1+8", 9), "reads no cell"),
        (("=Data!B2*0+1234.56", 9), "has the typed number 1234.56"),
        (("=Data!B2/0", "#DIV/0!"), "is the error #DIV/0!"),
        (("=SUM(Data!B2:B4)+NOW()*0", 9), "uses NOW"),
        (('=WEBSERVICE("http://x")+Data!B2', 9), "uses WEBSERVICE"),
        (("=SUMPRODUCT(Data!B2:B4)", 9), "uses SUMPRODUCT"),
        (("=J9+SUM(Data!B2:B3)", 9), "Data!B2:B4 is read in 2 of 3 filled cells"),
    ],
)
def test_what_is_not_computed(content: Any, reason: str) -> None:
    score = one(content, depends_on=["Data!B2:B4"], forbid=["sumproduct"])
    assert score.value == 0
    assert reason in score.reason


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("=SUM(OFFSET(Data!B1,1,0,3))", 1),
        ('=SUM(INDIRECT("Data!B2:B4"))', 1),
        ("=COUNT(Data!B2:B4)+2*COUNTIF(Data!B2:B4,3)", 1),
        ("=SUM(Data!B2:B4)*0+9", 0),
        ("=IF(SUM(Data!B2:B4)=9,9,9)", 0),
        ("=SUM(OFFSET(Data!B1,1,0,3))*0+9", 0),
    ],
)
def test_what_is_read_must_move_the_value(content: str, value: float) -> None:
    score = one((content, 9), depends_on=["Data!B2:B4"])
    assert score.value == value
    assert value or "another Data!B2:B4 changes nothing" in score.reason


def test_each_dependency_has_its_share() -> None:
    score = one(("=SUM(Data!B2:B4)", 9), depends_on=["Data!B2:B4", "Data!C2:C4"])
    assert score.value == pytest.approx(0.5)


def test_a_computed_cell_that_cannot_be_seen_does_not_count() -> None:
    made = book({"S": {"A1": ("=B1", 1), "B1": 1}}, styles=[Style(), Style(number_format=";;;")])
    made.sheets[0].cells["A1"].style = 1
    assert "cannot be seen" in formula(made, at={"cell": "S!A1"}).reason


def column(*contents: Any, **fields: Any) -> Score:
    lines = [[name, n, n, content] for (name, n), content in zip([("a", 1), ("b", 2), ("c", 3)], contents, strict=True)]
    made = solved(book({"S": rows(["Item", "Price", "Count", "Amount"], *lines)}))
    return formula(made, anchor={"headers": ["Item", "Amount"]}, column="Amount", **fields)


def test_a_computed_column_is_full() -> None:
    score = column(*((f"=B{row}*C{row}", 1) for row in (2, 3, 4)), depends_on=["S!B2:B4", "S!C2:C4"])
    assert score == Score(1.0)


def test_a_typed_cell_of_a_column_costs_its_share() -> None:
    score = column(("=B2*C2", 1), 4, ("=B4*C4", 9))
    assert score.value == pytest.approx(2 / 3)
    assert "1 of 3 cells do not count, first S!D3 holds 4, no formula" in score.reason


def test_a_formula_of_the_inputs_is_no_part_of_the_answer() -> None:
    made = book({"Data": {**DATA, "B4": ("=12345.678/2", 6)}, "S": {"A1": ("=SUM(Data!B2:B4)", 10)}})
    assert formula(made, at={"cell": "S!A1"}, depends_on=["Data!B2:B4"]) == Score(1.0)


def test_thousands_of_rows_are_followed() -> None:
    cells: dict[str, Any] = {"A1": "Item", "B1": "Amount"}
    for row in range(2, 2_002):
        cells |= {
            f"A{row}": f"i{row}",
            f"B{row}": (f"=C{row}+SUM($C$2:C{row},B$1:B{row - 1})*0", 1),
            f"C{row}": 1,
        }
    made = book({"S": cells})
    score = formula(made, anchor={"headers": ["Item", "Amount"]}, column="Amount", depends_on=["S!C2:C2001"])
    assert score.value == 1
