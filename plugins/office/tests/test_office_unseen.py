"""What of a workbook nobody sees: rows and columns without room, number formats that show nothing, inkless texts."""

from __future__ import annotations

from pathlib import Path

import pytest
from office_fakes import book
from xlsx_books import by_hand, zipped

from officekit import find, model, reader
from officekit.model import Style, Workbook

CELLS = '<c r="A1"><v>1</v></c><c r="B1"><v>2</v></c>'


def read(tmp_path: Path, row: str = "", columns: str = "", rest: str = "") -> Workbook:
    """A workbook of one row with the attributes `row`, and what stands in front of and behind its cells."""
    parts = by_hand(f'<row r="1" {row}>{CELLS}</row><row r="2"><c r="A2"><v>3</v></c></row>', around=rest)
    name = "xl/worksheets/sheet1.xml"
    parts[name] = str(parts[name]).replace("<sheetData>", columns + "<sheetData>")
    path = tmp_path / "book.xlsx"
    path.write_bytes(zipped(parts))
    document = reader.read_file(str(path))
    assert isinstance(document, model.Workbook), document
    return document


@pytest.mark.parametrize(
    ("row", "columns", "hidden"),
    [
        ('hidden="1"', "", ([1], [])),
        ('ht="0" customHeight="1"', "", ([1], [])),
        ('ht="0.75" customHeight="1"', "", ([1], [])),
        ('ht="4.5" customHeight="1"', "", ([], [])),
        ("", '<cols><col min="2" max="2" width="0.08" customWidth="1"/></cols>', ([], [2])),
        ("", '<cols><col min="2" max="2" width="1.3" customWidth="1"/></cols>', ([], [])),
        ("", '<sheetFormatPr defaultRowHeight="0.5" customHeight="1"/>', ([1, 2], [])),
        ('ht="15"', '<sheetFormatPr defaultRowHeight="0.5" customHeight="1"/>', ([2], [])),
        ("", '<sheetFormatPr defaultColWidth="0" defaultRowHeight="15"/>', ([], [1, 2])),
        (
            "",
            '<sheetFormatPr defaultColWidth="0.1" defaultRowHeight="15"/><cols><col min="1" max="1" width="9"/></cols>',
            ([], [2]),
        ),
    ],
)
def test_a_row_or_column_without_room_is_hidden(
    tmp_path: Path, row: str, columns: str, hidden: tuple[list[int], list[int]]
) -> None:
    found = read(tmp_path, row, columns).sheets[0]
    assert (sorted(found.hidden_rows), sorted(found.hidden_columns)) == hidden


def unseen(number_format: str, value: object = 42, fill: str | None = None) -> str:
    made = book({"S": {"A1": value}}, styles=[Style(number_format=number_format, fill=fill)])
    return find.View(made, made.sheets[0]).unseen(1, 1)


@pytest.mark.parametrize(
    ("number_format", "value"),
    [
        ('[<-1000000]#,##0.00;""', 42),
        ('[<0]#,##0.00;"paid"', 42),
        ('[>=100]0.00;[<=-100]0.00;""', 42),
        ("[White]#,##0.00", 42),
        ("[color 2]General", 42),
        ("0;[WHITE]-0", -42),
        ("0;0;0;[White]@", "word"),
    ],
)
def test_a_number_format_that_hides_the_value(number_format: str, value: object) -> None:
    assert unseen(number_format, value)


@pytest.mark.parametrize(
    ("number_format", "value", "fill"),
    [
        ("[>=1000]#,##0;[<0](0);0.00", 42, None),
        ("[>=1000]#,##0;[<0](0);0.00", -42, None),
        ("[Red][<0]-0.00;[Blue]0.00", 42, None),
        ("[=0]0;[>1]0.0", 42, None),
        ("[White]#,##0.00", 42, "1f4e78"),
        ("0;[White]-0", 42, None),
        ('[=1]0" day";0" days"', 42, None),
        ("[h]:mm", 1.5, None),
    ],
)
def test_a_number_format_that_shows_the_value(number_format: str, value: object, fill: str | None) -> None:
    assert not unseen(number_format, value, fill)
