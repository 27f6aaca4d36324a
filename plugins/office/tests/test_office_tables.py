"""Tables: F1 over the expected filled cells, rows matched by key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from officekit.language_base import Column
from officekit.tables import score_rows

HEADERS = ["Invoice", "Due", "Total"]
COLUMNS = [Column(header="Invoice", type="text"), Column(header="Due", type="date"), Column(header="Total")]
WANTED = [["A-1", "2024-03-01", 10], ["A-2", "2024-03-02", 20], ["A-3", None, 30]]
FOUND = [["A-1", 45352.0, 10.0], ["A-2", 45353.0, 20.0], ["A-3", None, 30.0]]


def test_the_right_table_is_full_in_any_order_of_rows_and_columns() -> None:
    turned = [list(reversed(row)) for row in reversed(FOUND)]
    assert score_rows(["Total", "due ", "INVOICE"], turned, COLUMNS, ["Invoice"], WANTED).value == 1


def test_a_wrong_cell_costs_its_share_and_is_named() -> None:
    score = score_rows(HEADERS, [[*FOUND[0][:2], 11.0], *FOUND[1:]], COLUMNS, ["Invoice"], WANTED)
    assert score.value == pytest.approx(4 / 5)
    assert "row 'A-1', column Total: 11, not 10" in score.reason


def test_a_missing_row_costs_its_cells() -> None:
    score = score_rows(HEADERS, FOUND[:2], COLUMNS, ["Invoice"], WANTED)
    assert score.value == pytest.approx(2 * 4 / (5 + 4))
    assert "1 of 3 rows are missing, first 'A-3'" in score.reason


def test_an_extra_row_counts_against_or_fails() -> None:
    more = [*FOUND, ["A-9", None, 5.0]]
    score = score_rows(HEADERS, more, COLUMNS, ["Invoice"], WANTED)
    assert 0.5 < score.value < 1
    assert "1 rows are too many, first 'A-9'" in score.reason
    assert score_rows(HEADERS, more, COLUMNS, ["Invoice"], WANTED, extra_rows="fail").value == 0


def test_a_filled_cell_that_is_to_be_blank_counts_against() -> None:
    score = score_rows(HEADERS, [*FOUND[:2], ["A-3", 45352.0, 30.0]], COLUMNS, ["Invoice"], WANTED)
    assert score.value == pytest.approx(2 * 5 / (5 + 6))


def test_the_keys_alone_are_no_answer() -> None:
    assert score_rows(HEADERS, [[row[0]] for row in FOUND], COLUMNS, ["Invoice"], WANTED).value == 0


def test_a_table_of_keys_only_counts_them() -> None:
    score = score_rows(["Name"], [["a"], ["x"]], [Column(header="Name")], ["Name"], [["a"], ["b"]])
    assert score.value == pytest.approx(0.5)


def test_rows_of_one_key_are_paired_by_what_agrees() -> None:
    columns = [Column(header="K"), Column(header="V")]
    wanted = [["x", 1], ["x", 2], ["x", 3]]
    assert score_rows(["K", "V"], [["x", 3.0], ["x", 1.0], ["x", 2.0]], columns, ["K"], wanted).value == 1
    assert score_rows(["K", "V"], [["x", 1.0]] * 3, columns, ["K"], wanted).value == pytest.approx(1 / 3)


def test_the_same_row_many_times_wins_nothing() -> None:
    assert score_rows(HEADERS, FOUND * 10, COLUMNS, ["Invoice"], WANTED).value < 0.2


def test_order_is_judged_when_asked() -> None:
    columns = [Column(header="K"), Column(header="V")]
    wanted = [["a", 1], ["b", 2], ["c", 3], ["d", 4]]
    found = [["b", 2.0], ["a", 1.0], ["c", 3.0], ["d", 4.0]]
    assert score_rows(["K", "V"], found, columns, ["K"], wanted).value == 1
    score = score_rows(["K", "V"], found, columns, ["K"], wanted, "exact")
    assert score.value == pytest.approx(0.75)
    assert "3 of 4 rows stand in the order" in score.reason


def test_a_missing_column_is_named_and_costs_its_cells() -> None:
    score = score_rows(["Invoice", "Total"], [[row[0], row[2]] for row in FOUND], COLUMNS, ["Invoice"], WANTED)
    assert score.value == pytest.approx(2 * 3 / (5 + 3))
    assert "no column has the header 'Due'" in score.reason


def test_two_columns_of_one_header_are_none() -> None:
    score = score_rows([*HEADERS, "Total"], [[*row, 0.0] for row in FOUND], COLUMNS, ["Invoice"], WANTED)
    assert "two columns have the header 'Total'" in score.reason


def test_without_its_key_column_a_table_has_nothing() -> None:
    assert score_rows(["Due", "Total"], [row[1:] for row in FOUND], COLUMNS, ["Invoice"], WANTED).value == 0


def test_a_key_of_the_check_that_is_no_column_is_the_checks_fault() -> None:
    with pytest.raises(ValueError, match="not among the columns"):
        score_rows(HEADERS, FOUND, COLUMNS, ["Number"], WANTED)


def test_texts_of_documents_are_read_as_values() -> None:
    rows = [["A-1", "1 March 2024", "$10.00"], ["A-2", "2024-03-02", "20"], ["A-3", "", "30"]]
    assert score_rows(HEADERS, rows, COLUMNS, ["Invoice"], WANTED, written="human").value == 1
    assert score_rows(HEADERS, rows, COLUMNS, ["Invoice"], WANTED, written="plain").value < 1


def test_numeric_keys_match_within_their_tolerance() -> None:
    columns = [Column(header="K", type="number"), Column(header="V")]
    assert score_rows(["K", "V"], [[1.004, "v"]], columns, ["K"], [[1, "v"]]).value == 1


def test_short_rows_are_blank_at_their_end() -> None:
    assert score_rows(HEADERS, [["A-1"], []], COLUMNS, ["Invoice"], WANTED).value == 0


cells = st.one_of(st.none(), st.floats(-5, 5), st.sampled_from(["a", "b"]))


@given(st.lists(st.tuples(cells, cells), max_size=6), st.lists(st.tuples(cells, cells), max_size=6))
def test_a_score_is_a_share(found: list[tuple[object, object]], wanted: list[tuple[object, object]]) -> None:
    columns = [Column(header="K"), Column(header="V")]
    score = score_rows(["K", "V"], found, columns, ["K"], wanted, "exact")  # type: ignore[arg-type]
    assert 0 <= score.value <= 1
    assert score.value == 1 or score.reason


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), min_size=1, max_size=6), st.randoms())
def test_a_shuffled_table_is_the_same(rows: list[tuple[str, int]], random: object) -> None:
    columns = [Column(header="K"), Column(header="V")]
    turned = list(rows)
    random.shuffle(turned)  # type: ignore[attr-defined]
    assert score_rows(["K", "V"], turned, columns, ["K"], rows).value == 1
