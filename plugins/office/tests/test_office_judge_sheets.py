"""Sheets, native charts and native pivot tables."""

from __future__ import annotations

from typing import Any

import pytest
from office_fakes import FakeBench, book, rows

from officekit.bench import Score
from officekit.language import Plan
from officekit.model import Chart, Pivot, Series, TableObject, Workbook
from officekit.verify import judged


def judge(made: Workbook, kind: str, **fields: Any) -> Score:
    body = {"id": "it", "why": "a reason", "file": "out.xlsx", "kind": kind, **fields}
    return judged(Plan.model_validate({"checks": [body]}).checks[0], FakeBench({"out.xlsx": made}))


def made() -> Workbook:
    found = book({"Cover": {}, "Data": rows(["Item", "Amount"], ["a", 1]), "Notes": {}}, names={"Rate": "Data!$B$2"})
    data = found.sheets[1]
    data.freeze, data.autofilter, data.merges = "A2", "A1:B2", ["D1:E1"]
    data.tables = [TableObject("Sales", "A1:B2", ["Item", "Amount"])]
    found.sheets[2].state = "hidden"
    return found


ALL = {
    "sheet": "data",
    "position": 2,
    "freeze": "A2",
    "autofilter": True,
    "protected": False,
    "merged": ["D1:E1"],
    "table": ["item"],
    "names": {"rate": "Data!B2"},
}


def test_a_sheet_with_all_that_is_asked_for_is_full() -> None:
    assert judge(made(), "sheet", **ALL) == Score(1.0)
    assert judge(made(), "sheet", sheet="Notes", state="hidden") == Score(1.0)
    assert judge(made(), "sheet", sheet="Old", state="absent") == Score(1.0)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"sheet": "Old"}, "no sheet 'Old'"),
        ({"sheet": "Data", "state": "absent"}, "'Data' is still there"),
        ({"sheet": "Notes"}, "is hidden, not visible"),
        ({"sheet": "Notes", "state": "veryHidden"}, "is hidden, not veryHidden"),
        ({"sheet": "Data", "position": 1}, "it is tab 2, not 1"),
        ({"sheet": "Data", "freeze": "B2"}, "scrolls is A2, not B2"),
        ({"sheet": "Cover", "autofilter": True}, "it has no filter"),
        ({"sheet": "Cover", "protected": True}, "it has no protection"),
        ({"sheet": "Data", "merged": []}, "merged are D1:E1"),
        ({"sheet": "Data", "table": ["Price"]}, "no native table"),
        ({"sheet": "Data", "names": {"Rate": "Data!B3"}}, "means Data!$B$2, not Data!B3"),
        ({"sheet": "Data", "names": {"Tax": "Data!B3"}}, "is not defined"),
    ],
)
def test_a_sheet_that_lacks_it_has_nothing(fields: dict[str, Any], reason: str) -> None:
    score = judge(made(), "sheet", **fields)
    assert score.value == 0
    assert reason in score.reason


def test_a_sheet_has_the_share_of_what_is_asked_for() -> None:
    assert judge(made(), "sheet", **{**ALL, "freeze": "B2"}).value == pytest.approx(6 / 7)


def charted(**fields: Any) -> Workbook:
    found = made()
    series = Series("Amount", values_ref="Data!$B$2:$B$4", categories=["a", "b", "c"], values=[1.0, 2.0, 3.0])
    chart = Chart("column", "Sales by item", [series], anchor="D2")
    for name, value in fields.items():
        setattr(chart if hasattr(chart, name) else series, name, value)
    found.sheets[1].charts = [chart]
    return found


WANTED = {"type": "column", "title": "by item", "series": [[1, 2, 3]], "categories": ["A", "b", "c"]}


def test_a_chart_that_shows_the_numbers_is_full() -> None:
    assert judge(charted(), "chart", **WANTED) == Score(1.0)


@pytest.mark.parametrize(
    ("fields", "value", "reason"),
    [
        ({"values": [1.0, 2.0]}, 0, "no series with the values 1, 2, 3"),
        ({"values": [1.0, None, 3.0]}, 0, "no series with the values 1, 2, 3"),
        ({"values_ref": ""}, 0, "typed numbers"),
        ({"kind": "line"}, 0.75, "is a line chart, not column"),
        ({"title": ""}, 0.75, "has the title ''"),
        ({"categories": ["x", "y", "z"]}, 0.75, "other categories: x, y, z"),
    ],
)
def test_a_chart_that_lacks_something(fields: dict[str, Any], value: float, reason: str) -> None:
    score = judge(charted(**fields), "chart", **WANTED)
    assert score.value == pytest.approx(value)
    assert reason in score.reason


def test_a_chart_of_other_series_too_has_a_part() -> None:
    found = charted()
    found.sheets[1].charts[0].series.append(Series(values=[9.0], values_ref="Data!B9"))
    assert judge(found, "chart", series=[[1, 2, 3]]).value == pytest.approx(2 / 3)
    assert judge(charted(), "chart", series=[[1, 2, 3], [4, 5, 6]]).value == pytest.approx(2 / 3)


def test_a_picture_is_no_chart() -> None:
    found = made()
    found.sheets[1].pictures = 1
    assert judge(found, "chart", **WANTED).reason == "there is no native chart"


def test_a_chart_of_hidden_rows_shows_nothing() -> None:
    found = charted()
    found.sheets[1].hidden_rows = [3]
    score = judge(found, "chart", **WANTED)
    assert (score.value, "points at hidden cells" in score.reason) == (0, True)


def test_a_chart_on_a_hidden_sheet_is_none() -> None:
    found = charted()
    found.sheets[1].state = "hidden"
    assert judge(found, "chart", **WANTED).value == 0


def pivoted(**fields: Any) -> Workbook:
    found = made()
    pivot = Pivot("P", "A3:C9", "Data!A1:B2", ["Region"], ["Year"], [("Amount", "sum")])
    for name, value in fields.items():
        setattr(pivot, name, value)
    found.sheets[0].pivots = [pivot]
    return found


PIVOT = {"source": "Data!A1:B2", "rows": ["region"], "columns": ["year"], "values": [["Amount", "sum"]]}


@pytest.mark.parametrize("source", ["Data!A1:B2", "Data!$A$1:$B$2", "Sales", "Data!A:B"])
def test_a_pivot_table_with_its_fields_is_full(source: str) -> None:
    assert judge(pivoted(source=source), "pivot", **PIVOT) == Score(1.0)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"source": "Data!A1:A2"}, "reads Data!A1:A2"),
        ({"rows": ["Year"]}, "has the rows Year"),
        ({"columns": []}, "has the columns of no field"),
        ({"values": [("Amount", "count")]}, "shows count of Amount"),
    ],
)
def test_a_pivot_table_that_lacks_something_has_a_part(fields: dict[str, Any], reason: str) -> None:
    score = judge(pivoted(**fields), "pivot", **PIVOT)
    assert score.value == pytest.approx(0.75)
    assert reason in score.reason


def test_typed_cells_are_no_pivot_table() -> None:
    assert judge(made(), "pivot", **PIVOT) == Score(0.0, "there is no native pivot table that can be seen")
