"""Places in workbooks: names, labels, header texts; what cannot be seen is not there."""

from __future__ import annotations

import pytest
from office_fakes import book, cell, rows, sheet

from officekit import find, refs
from officekit.language_base import Anchor, Where
from officekit.model import Cell, Sheet, Style, TableObject, Workbook

TABLE = rows(["Invoice", "Customer", "Amount"], ["A-1", "Ada", 3], ["A-2", "Bo", 4], [None, None, 9], at="C5")


def styled(style: Style, value: object = 42) -> Workbook:
    made = book({"S": {"A1": "Total", "B1": value}}, styles=[Style(), style])
    made.sheets[0].cells["B1"].style = 1
    return made


def unseen(made: Workbook) -> str:
    return find.View(made, made.sheets[0]).unseen(1, 2)


@pytest.mark.parametrize(
    "where",
    [
        Where(cell="S!B1"),
        Where(cell="'s'!$B$1"),
        Where(cell="B1"),
        Where(cell="B1", sheet="S"),
        Where(name="GRAND"),
        Where(label="total:"),
    ],
)
def test_a_cell_is_found(where: Where) -> None:
    made = book({"S": {"A1": " Total", "B1": 42}}, names={"Grand": "S!$B$1"})
    assert find.cell(made, where).address == "S!B1"


def test_a_value_below_its_label_behind_blanks_is_found() -> None:
    made = book({"S": {"A1": "Total", "A3": 42}})
    assert find.cell(made, Where(label="Total", side="below")).ref == "A3"


def test_beside_a_merged_label_is_behind_the_block() -> None:
    made = book({"S": {"A1": "Total", "C1": 42}})
    made.sheets[0].merges = ["A1:B2"]
    assert find.cell(made, Where(label="Total")).ref == "C1"


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        (Where(label="Sum"), "stands nowhere"),
        (Where(label="Twice"), r"stands 2 times \(S!A2, S!A3\)"),
        (Where(name="Nope"), "no defined name"),
        (Where(name="Many"), "not one cell"),
        (Where(cell="Other!B1"), "no sheet 'Other'"),
        (Where(cell="S!B0"), "no range"),
        (Where(label="Total", sheet="H"), "sheet 'H' is hidden"),
    ],
)
def test_why_a_cell_is_not_found(where: Where, reason: str) -> None:
    made = book({"S": {"A1": "Total", "A2": "Twice", "A3": "Twice"}, "H": {}}, names={"Many": "S!$A$1:$B$2"})
    made.sheets[1].state = "hidden"
    with pytest.raises(find.NotFound, match=reason):
        find.cell(made, where)


def test_labels_that_are_hidden_do_not_count() -> None:
    made = book({"S": {"A1": "Total", "B1": 1, "A2": "Total", "B2": 2}, "H": {"A1": "Total"}})
    made.sheets[0].hidden_rows = [2]
    made.sheets[1].state = "veryHidden"
    assert find.cell(made, Where(label="Total")).ref == "B1"


@pytest.mark.parametrize(
    "style",
    [
        Style(color="ffffff"),
        Style(color="ff0000", fill="fe0000"),
        Style(size=1),
        Style(number_format=";;;"),
        Style(number_format='"PAID";;;'),
        Style(number_format='"1,000";"1,000"'),
    ],
)
def test_what_a_style_hides_is_unseen(style: Style) -> None:
    assert unseen(styled(style))


@pytest.mark.parametrize(
    "style",
    [
        Style(color="ffffff", fill="1f4e78"),
        Style(number_format="#,##0.00;[Red]-#,##0.00"),
        Style(number_format='#,##0 "EUR";(#,##0);"-"'),
        Style(number_format='_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-'),
        Style(number_format="yyyy-mm-dd;@"),
    ],
)
def test_what_a_style_shows_is_seen(style: Style) -> None:
    assert not unseen(styled(style))
    assert not unseen(styled(style, "word" if "@" in style.number_format else 0))


def test_a_column_of_no_width_is_hidden() -> None:
    made = book({"S": {"B1": 42}})
    made.sheets[0].widths = {"B": 0.0}
    assert "column is hidden" in unseen(made)


def test_a_table_is_found_wherever_it_stands() -> None:
    made = book({"Cover": {"A1": "Report"}, "Data": TABLE})
    found = find.table(made, Anchor(headers=["amount", "Invoice"]), "Invoice")
    assert (found.header, found.rows) == (5, [6, 7])
    assert [found.value(row, found.column("Amount")) for row in found.rows] == [3, 4]
    assert found.ref(6, found.column("Amount")) == "Data!E6"


def test_a_closing_row_ends_a_table() -> None:
    made = book({"S": rows(["Item", "Amount"], ["a", 1], ["TOTAL", 1], ["b", 2])})
    assert find.table(made, Anchor(headers=["Item", "Amount"], end="Total")).rows == [2]


def test_hidden_rows_and_columns_are_no_data() -> None:
    made = book({"Data": TABLE})
    made.sheets[0].hidden_rows, made.sheets[0].hidden_columns = [6], [5]
    with pytest.raises(find.NotFound):
        find.table(made, Anchor(headers=["Invoice", "Amount"]))
    found = find.table(made, Anchor(headers=["Invoice", "Customer"]))
    assert found.rows == [7]


def test_merged_cells_show_in_each_of_their_rows() -> None:
    made = book({"S": rows(["Region", "Amount"], ["North", 1], [None, 2])})
    made.sheets[0].merges = ["A2:A3"]
    found = find.table(made, Anchor(headers=["Region", "Amount"]))
    assert [found.value(row, 1) for row in found.rows] == ["North", "North"]


def test_a_value_that_no_engines_agree_on_is_unsure() -> None:
    made = book({"S": rows(["Item", "Amount"], ["a", ("=X()", 1)])}, unsure=["S!B2"])
    found = find.table(made, Anchor(headers=["Item"]))
    assert found.value(2, 2) == "#UNSURE!"


@pytest.mark.parametrize(
    ("sheets", "reason"),
    [
        ({"S": rows(["Item"])}, "together in no row"),
        ({"S": rows(["Item", "Amount"]), "T": rows(["Item", "Amount"])}, "in 2 rows"),
        ({"S": rows(["Item", "Amount", "Amount"])}, "'Amount' stands 2 times"),
    ],
)
def test_why_a_table_is_not_found(sheets: dict[str, dict[str, object]], reason: str) -> None:
    with pytest.raises(find.NotFound, match=reason):
        find.table(book(sheets), Anchor(headers=["Item", "Amount"]))


def test_a_block_beside_a_table_may_repeat_a_header() -> None:
    lines = [["Item", "Amount", "Note", None, "Item", "Note"], ["a", 1, "x", None, "b", "y"]]
    found = find.table(book({"S": rows(*lines)}), Anchor(headers=["Item", "Amount"]))
    assert [found.column(name) for name in ("Item", "Amount", "Note")] == [1, 2, 3]
    turned = find.table(book({"S": rows(*[line[::-1] for line in lines])}), Anchor(headers=["Item", "Amount"]))
    assert [turned.column(name) for name in ("Item", "Amount", "Note")] == [6, 5, 4]


@pytest.mark.parametrize(
    "header",
    [
        ["Item", "Amount", None, "Item", "Amount"],
        ["Item", "Amount", "Item"],
        ["Item", None, "Amount", None, "Item"],
    ],
)
def test_a_header_that_two_blocks_could_own_is_no_anchor(header: list[str | None]) -> None:
    with pytest.raises(find.NotFound, match="'Item' stands 2 times"):
        find.table(book({"S": rows(header, [1, 2, 3, 4, 5])}), Anchor(headers=["Item", "Amount"]))


def test_units_and_a_narrow_row_may_stand_below_the_headers() -> None:
    made = book({"S": rows(["Item", "Amount"], [None, "EUR"], [], ["a", 1], ["b", 2], [], ["Note", "none"])})
    assert find.table(made, Anchor(headers=["Item", "Amount"])).rows == [4, 5]
    far = book({"S": rows(["Item", "Amount"], [], [], [], ["a", 1])})
    assert find.table(far, Anchor(headers=["Item", "Amount"])).rows == []


@pytest.mark.parametrize(
    ("look", "seen"),
    [("TableStyleMedium9", True), ("TableStyleLight9", True), ("TableStyleLight1", False), ("", False)],
)
def test_a_white_header_is_seen_on_the_ground_of_its_table(look: str, seen: bool) -> None:
    made = book({"S": rows(["Item", "Amount"], ["a", 1])}, styles=[Style(), Style(color="ffffff")])
    made.sheets[0].tables = [TableObject("T", "A1:B2", ["Item", "Amount"], look)]
    for each in made.sheets[0].cells.values():
        each.style = 1
    view = find.View(made, made.sheets[0])
    assert bool(view.unseen(1, 1)) is not seen
    assert view.unseen(2, 1)


def test_the_shape_of_a_dash_or_a_quote_makes_no_other_header() -> None:
    made = book({"S": rows(["Owner\u2019s item", "31\u201360"], ["a", 1])})
    found = find.table(made, Anchor(headers=["Owner's item", "31-60"]))
    assert found.column("31-60") == 2
    with pytest.raises(find.NotFound):
        find.table(made, Anchor(headers=["Owner's item", "3160"]))


def test_headers_may_stand_on_two_levels() -> None:
    made = book({"S": rows(["Item", "Sales", None], [None, "Units", "Amount"], ["a", 1, 2])})
    made.sheets[0].merges = ["A1:A2", "B1:C1"]
    found = find.table(made, Anchor(headers=["Item", "Units", "Amount"]))
    assert (found.header, found.rows) == (2, [3])
    assert [found.column(name) for name in ("Item", "Units", "Amount")] == [1, 2, 3]


def test_headers_that_all_span_two_rows_are_one_row() -> None:
    made = book({"S": rows(["Item", "Amount"], [], ["a", 1])})
    made.sheets[0].merges = ["A1:A2", "B1:B2"]
    assert find.table(made, Anchor(headers=["Item", "Amount"])).rows == [3]


def test_a_label_that_is_a_title_too_is_found_by_its_value() -> None:
    made = book({"S": {"A1": "Total", "A4": "Total", "B4": 7}})
    assert find.cell(made, Where(label="Total")).ref == "B4"
    made.sheets[0].cells["C1"] = cell("as of May")
    with pytest.raises(find.NotFound, match="stands 2 times"):
        find.cell(made, Where(label="Total"))


def test_a_copy_on_a_hidden_sheet_is_no_second_table() -> None:
    made = Workbook([sheet("S", TABLE), Sheet("H", "hidden", {"A1": cell("Invoice"), "B1": Cell()})], [Style()])
    assert find.table(made, Anchor(headers=["Invoice"])).view.sheet.name == "S"


def test_a_year_is_a_header() -> None:
    made = book({"S": rows(["Item", 2023, 2024], ["a", 1, 2])})
    assert find.table(made, Anchor(headers=["Item", "2024"])).column("2024") == 3


def test_areas() -> None:
    assert refs.area("'It''s'!$B$2:A9") == refs.Area("It's", 2, 1, 9, 2)
    assert refs.area("A:C").bottom == refs.ROWS
    assert refs.area("2:5").right == refs.COLUMNS
    assert refs.name(7, 28) == "AB7"
    assert refs.number("xfd") == refs.COLUMNS
    assert refs.area("A1:B2").meets(refs.area("B2:C3"))
    assert not refs.area("A1:B2").covers(refs.area("B2:C3"))
