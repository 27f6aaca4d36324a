"""Value equality: what weak checkers let pass differs here, and what they fail is the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from officekit.equal import from_text, same, serial, spell, text_key

NOON = 45352.5


@pytest.mark.parametrize(
    ("found", "expected", "type"),
    [
        (3.999, 4, "number"),
        (2.675, 2.68, "number"),
        (-0.0, 0, "number"),
        (1_234_567.894, 1_234_567.89, "any"),
        ("12", 12, "any"),
        (12.0, "12", "any"),
        ("abc ", "abc", "text"),
        ("a\u00a0 b\n", "A B", "text"),
        ("e\u0301", "é", "text"),
        (45352.0, "2024-03-01", "date"),
        (45352.0, "2024-03-01", "any"),
        (NOON, "2024-03-01T12:00:00", "date"),
        (True, True, "bool"),
        ("TRUE", True, "any"),
        ("#n/a", "#N/A", "error"),
        (None, None, "number"),
        ("  ", None, "text"),
        (None, "", "any"),
    ],
)
def test_the_same(found: object, expected: object, type: str) -> None:
    assert same(found, expected, type)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "expected", "type"),
    [
        (True, 1, "any"),
        (1.0, True, "any"),
        (True, 1, "number"),
        (0.0049, -0.0049, "number"),
        (0.004, 0.0049, "any"),
        (0.0, 0.0049, "number"),
        ("12", 12, "number"),
        (12.0, "12", "text"),
        ("12.0 units", 12, "any"),
        ("543 million", 543, "any"),
        (NOON, "2024-03-01", "date"),
        (45352.0 + 1 / 86400, "2024-03-01", "date"),
        ("2024-03-01", "2024-03-01", "date"),
        (45352.0, "2024-03-02", "any"),
        ("no date", "2024-03-01", "any"),
        (None, 0, "any"),
        ("", 0, "number"),
        (0.0, None, "any"),
        ("", False, "any"),
        ("N/A", "#N/A", "error"),
        ("1000", 100, "any"),
        ("#UNSURE!", "#UNSURE!", "any"),
        (float("nan"), 1, "number"),
        (float("inf"), 1e300, "number"),
        (1_234_567_890.0, 1_234_567_891, "any"),
    ],
)
def test_not_the_same(found: object, expected: object, type: str) -> None:
    assert not same(found, expected, type)  # type: ignore[arg-type]


def test_case_matters_only_when_asked() -> None:
    assert same("Paid", "paid", "text")
    assert not same("Paid", "paid", "text", case=True)


def test_a_wide_tolerance_of_amounts_holds() -> None:
    assert same(104.0, 100, "number", tol=5)
    assert not same(106.0, 100, "number", tol=5)


def test_no_tolerance_still_bears_the_last_bit() -> None:
    assert same(0.1 + 0.2, 0.3, "number", tol=0)
    assert not same(0.3001, 0.3, "number", tol=0)


@given(st.floats(0.0001, 0.99), st.sampled_from([-1.0, 1.0]))
def test_below_one_a_tolerance_reaches_one_percent(size: float, sign: float) -> None:
    assert same(sign * size * 1.009, sign * size, "number", tol=0.5)
    assert not same(sign * size * 1.02, sign * size, "number", tol=0.5)


@given(st.one_of(st.none(), st.booleans(), st.integers(-(10**9), 10**9), st.text(max_size=20)))
def test_any_value_is_itself(value: object) -> None:
    assert same(value, value)  # type: ignore[arg-type]


@given(st.text(max_size=40))
def test_a_text_key_is_its_own_key(text: str) -> None:
    assert text_key(text_key(text)) == text_key(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234.50", 1234.5),
        ("$1,234.50", 1234.5),
        ("(12.00)", -12.0),
        ("−3", -3.0),
        ("-€5", -5.0),
        ("12.5 %", 0.125),
        ("EUR 7", 7.0),
        ("1e3", 1000.0),
        ("12,34", "12,34"),
        ("543 million", "543 million"),
        ("1-2", "1-2"),
        ("A-17", "A-17"),
    ],
)
def test_numbers_as_people_write_them(text: str, value: object) -> None:
    assert from_text(text, "number") == value


def test_a_csv_number_is_plain() -> None:
    assert from_text("1234.5", "number", plain=True) == 1234.5
    assert from_text("1,234.5", "number", plain=True) == "1,234.5"


@pytest.mark.parametrize("text", ["2024-03-01", "1 March 2024", "Mar 1, 2024"])
def test_dates_as_people_write_them(text: str) -> None:
    assert from_text(text, "date") == 45352.0


def test_a_date_that_two_readers_read_differently_stays_text() -> None:
    assert from_text("03/01/2024", "date") == "03/01/2024"


def test_serials() -> None:
    assert serial("2024-03-01T06:00:00") == 45352.25
    assert serial("2024-02-30") is None


def test_values_are_spelled_for_reasons() -> None:
    assert [spell(None), spell(True), spell(4.0), spell(45352.25, True)] == [
        "blank", "TRUE", "4", "2024-03-01T06:00:00",
    ]  # fmt: skip
