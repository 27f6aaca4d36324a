"""Judges of values: cells, tables, CSV files, texts, folders; what weak checkers let pass has nothing here."""

from __future__ import annotations

from typing import Any

import pytest
from office_fakes import Date, FakeBench, book, rows

from officekit.bench import Fault, Score
from officekit.language import Plan
from officekit.model import Cell, Pdf, Refused, Style, Workbook
from officekit.verify import judged


def check(kind: str, **fields: Any) -> Any:
    body = {"id": "it", "why": "a reason", "file": "out.xlsx", "kind": kind, **fields}
    return Plan.model_validate({"checks": [body]}).checks[0]


def value(made: Any, expect: Any, at: Any = None, **fields: Any) -> Score:
    one = check("cell_value", at=at or {"label": "Total"}, expect=expect, **fields)
    return judged(one, FakeBench({"out.xlsx": made}))


def total(content: Any, **more: Any) -> Workbook:
    return book({"S": {"A1": "Total", "B1": content}}, **more)


def test_a_right_value_is_full_typed_or_computed() -> None:
    assert value(total(12.5), 12.5) == Score(1.0)
    assert value(total(("=25/2", 12.5)), 12.5) == Score(1.0)
    assert value(total(Date(45352)), "2024-03-01", type="date") == Score(1.0)
    assert value(total("#N/A"), "#N/A", type="error") == Score(1.0)


@pytest.mark.parametrize(
    ("content", "expect", "type", "reason"),
    [
        (12.0, 13, "any", "S!B1 is 12, not 13"),
        ("12", 12, "number", "S!B1 is '12', not 12"),
        (True, 1, "any", "S!B1 is TRUE, not 1"),
        (0.0049, -0.0049, "number", "is 0.0049, not -0.0049"),
        (Date(45352.5), "2024-03-01", "date", "is 2024-03-01T12:00:00, not '2024-03-01'"),
        (45352.0, "2024-03-01", "date", "45352 without a date's format"),
        ("2024-03-01", "2024-03-01", "date", "is '2024-03-01', not"),
        (Date(146), 146, "number", "146 with a date's format"),
        (Cell("text", "#N/A"), "#N/A", "error", "as a text"),
        (("=NA()", "#N/A"), "#N/A", "text", "the error #N/A"),
        (None, 0, "number", "is blank, not 0"),
        ("100 or 1000", 1000, "any", "not 1000"),
    ],
)
def test_a_wrong_value_has_nothing_and_its_reason(content: Any, expect: Any, type: str, reason: str) -> None:
    score = value(total(content), expect, type=type)
    assert score.value == 0
    assert reason in score.reason


def test_a_value_that_the_engines_do_not_agree_on_is_wrong() -> None:
    score = value(total(("=X(1)", 5), unsure=["S!B1"]), 5)
    assert (score.value, "engines do not agree" in score.reason) == (0, True)


@pytest.mark.parametrize("style", [Style(color="ffffff"), Style(number_format=";;;"), Style(number_format='"OK"')])
def test_a_right_value_that_nobody_sees_has_nothing(style: Style) -> None:
    made = total(12, styles=[Style(), style])
    made.sheets[0].cells["B1"].style = 1
    assert value(made, 12, at={"cell": "S!B1"}).value == 0


def test_an_answer_on_a_hidden_sheet_row_or_column_has_nothing() -> None:
    made = book({"S": {"A1": 1}, "H": {"B1": 12}})
    made.sheets[1].state = "veryHidden"
    assert "sheet 'H' is hidden" in value(made, 12, at={"cell": "H!B1"}).reason
    made = total(12)
    made.sheets[0].hidden_columns = [2]
    assert "column is hidden" in value(made, 12, at={"cell": "S!B1"}).reason
    made = total(12)
    made.sheets[0].hidden_rows = [1]
    assert value(made, 12).value == 0


def test_two_candidates_for_one_answer_have_nothing() -> None:
    made = book({"S": rows(["Total", 12], ["Total", 13])})
    assert "stands 2 times" in value(made, 12).reason


@pytest.mark.parametrize("document", [Refused("it is encrypted"), Pdf(), None])
def test_what_is_no_workbook_has_nothing(document: Any) -> None:
    bench = FakeBench({"out.xlsx": document} if document else {})
    score = judged(check("cell_value", at={"cell": "S!A1"}, expect=1), bench)
    assert score.value == 0
    assert score.reason


WANTED = [["A-1", "Ada", 10.5], ["A-2", "Bo", 20]]
TABLE = {
    "anchor": {"headers": ["Invoice", "Amount"]},
    "columns": [{"header": "Invoice"}, {"header": "Customer"}, {"header": "Amount", "type": "number"}],
    "key": ["Invoice"],
    "rows": WANTED,
}


def table(*lines: list[Any], at: str = "B3", **fields: Any) -> Score:
    made = book({"S": rows(["Customer", "Amount", "Invoice"], *lines, at=at)})
    return judged(check("range_table", **{**TABLE, **fields}), FakeBench({"out.xlsx": made}))


def test_a_right_table_is_full_wherever_it_stands() -> None:
    assert table(["Bo", 20, "A-2"], ["Ada", 10.5, "A-1"]) == Score(1.0)


def test_a_table_with_a_wrong_cell_has_a_part() -> None:
    score = table(["Bo", "20", "A-2"], ["Ada", 10.5, "A-1"])
    assert score.value == pytest.approx(0.75)
    assert "row 'A-2', column Amount: '20', not 20" in score.reason


def test_a_table_without_its_headers_has_nothing() -> None:
    score = table(["Bo", 20, "A-2"], anchor={"headers": ["Number", "Amount"]})
    assert score.value == 0
    assert "stand together in no row" in score.reason


def test_hidden_rows_of_a_table_are_no_answer() -> None:
    made = book({"S": rows(["Invoice", "Customer", "Amount"], *WANTED)})
    made.sheets[0].hidden_rows = [3]
    score = judged(check("range_table", **TABLE), FakeBench({"out.xlsx": made}))
    assert score.value == pytest.approx(2 / 3)
    assert "1 of 2 rows are missing" in score.reason


def test_too_many_rows_fail_when_they_must() -> None:
    lines = ["Bo", 20, "A-2"], ["Ada", 10.5, "A-1"], ["Cy", 1, "A-3"]
    assert 0 < table(*lines).value < 1
    assert table(*lines, extra_rows="fail").value == 0


def test_a_key_that_is_no_column_is_the_environments_fault() -> None:
    with pytest.raises(Fault, match="not among the columns"):
        table(["Bo", 20, "A-2"], key=["Invoice", "Number"])


def csv(text: Any, **fields: Any) -> Score:
    one = check("csv_table", **{**{k: v for k, v in TABLE.items() if k != "anchor"}, **fields, "file": "out.csv"})
    return judged(one, FakeBench({"out.csv": text}))


def test_a_right_csv_file_is_full() -> None:
    assert csv('\ufeffInvoice,Customer,Amount\r\nA-2,Bo,20.00\r\nA-1,"Ada",10.5\r\n') == Score(1.0)
    assert csv("Invoice;Customer;Amount\nA-2;Bo;20\nA-1;Ada;10.5", delimiter=";") == Score(1.0)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "no plain text file"),
        ("", "is empty"),
        ('Invoice,Customer,Amount\n"A-1', "no CSV file"),
        ("Number,Customer,Amount\nA-1,Ada,10.5\n", "no column has the header 'Invoice'"),
    ],
)
def test_a_broken_csv_file_has_nothing(text: Any, reason: str) -> None:
    score = csv(text)
    assert score.value == 0
    assert reason in score.reason


def test_a_csv_file_with_numbers_for_the_eye_has_a_part() -> None:
    assert csv('Invoice,Customer,Amount\nA-1,Ada,"$10.50"\nA-2,Bo,20\n').value == pytest.approx(0.75)


def text(found: str, **fields: Any) -> Score:
    return judged(check("text", **{"file": "a.txt", **fields}), FakeBench({"a.txt": found}))


def test_a_text_is_judged_by_its_words() -> None:
    assert text("The total is 1,000.", contains=["total is 1,000"]) == Score(1.0)
    score = text("The total is 1000.", contains=["the TOTAL", "100"])
    assert score.value == pytest.approx(0.5)
    assert score.reason == "'100' does not stand there"
    assert text("Dear {name}", contains=["dear"], absent=["{name}"]).value == 0


def test_a_whole_text_is_exact_but_for_its_last_line_end() -> None:
    assert text("a\nb\n", equals="a\nb") == Score(1.0)
    score = text("a\nB\n", equals="a\nb")
    assert (score.value, score.reason) == (0, "line 2 is 'B', not 'b'")
    assert text("a\n", equals="a\nb").reason == "it has 1 lines, not 2"


def files(found: list[str] | None, **fields: Any) -> Score:
    folders = {} if found is None else {"out": found}
    return judged(check("files", **{"file": "out", "gate": False, **fields}), FakeBench({}, folders=folders))


def test_files_of_a_folder() -> None:
    assert files(["a.docx", "b/c.docx"], required=["a.docx", "b/c.docx"], only=True) == Score(1.0)
    assert files(["a.docx", "x.log"], required=["a.docx"]) == Score(1.0)
    score = files(["a.docx", "x.log"], required=["a.docx", "b.docx"], only=True)
    assert score.value == pytest.approx(0.5)
    assert "1 of 2 files are missing, first 'b.docx'; 1 files are too many, first 'x.log'" in score.reason


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (None, "no folder"),
        (["a.docx", "sub/~lock.tmp"], "'sub/~lock.tmp' must not be there"),
        (["a.docx (no plain file)"], "1 of 1 files are missing"),
    ],
)
def test_a_wrong_folder_has_nothing(found: list[str] | None, reason: str) -> None:
    score = files(found, required=["a.docx"], forbid=["*.tmp"])
    assert score.value == 0
    assert reason in score.reason
