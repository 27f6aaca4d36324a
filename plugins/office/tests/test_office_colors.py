"""Colours as the eye takes them, and how much room text takes."""

from __future__ import annotations

import pytest

from officekit.colors import changed, close, contrast, difference, tinted
from officekit.metrics import Piece, broken, width

SHARMA = [
    ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
    ((50, -1.3802, -84.2814), (50, 0, -82.7485), 1.0),
    ((50, -1, 2), (50, 0, 0), 2.3669),
    ((50, 2.49, -0.001), (50, -2.49, 0.0009), 7.1792),
    ((50, 2.49, -0.001), (50, -2.49, 0.0011), 7.2195),
    ((50, 2.5, 0), (73, 25, -18), 27.1492),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((6.7747, -0.2908, -2.4247), (5.8714, -0.0985, -2.2286), 0.6377),
    ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
]
"""Pairs of the paper's test data."""


@pytest.mark.parametrize(("one", "other", "wanted"), SHARMA)
def test_differences_are_those_of_the_paper(
    one: tuple[float, float, float], other: tuple[float, float, float], wanted: float
) -> None:
    assert difference(one, other) == pytest.approx(wanted, abs=5e-5)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("ff0000", "FE0505", True),
        ("FFFF0000", "ff0000", True),
        ("ffffff", "fafafa", True),
        ("ffffff", "ffff00", False),
        ("ff0000", "ffa500", False),
        ("1f3864", "c00000", False),
        ("none", "ffffff", False),
    ],
)
def test_colours_are_close_when_they_look_the_same(one: str, other: str, same: bool) -> None:
    assert close(one, other) is same


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("000000", "ffffff") == pytest.approx(21)
    assert contrast("777777", "ffffff") == pytest.approx(4.48, abs=0.01)


def test_theme_colours_change_as_office_changes_them() -> None:
    assert changed("000000", "tint", 0.75) == "898989"
    assert changed("4472c4", "lumMod", 0.5) == "203864"
    assert tinted("4472c4", -0.5) == "203864"
    assert tinted("000000", 0.5) == "808080"


def test_lines_break_between_words_and_in_words_that_are_too_wide() -> None:
    piece = Piece("aaaa bbbb cccc", "Arial", 10)  # a word of 22 points
    assert width(Piece("aaaa", "Arial", 10)) == pytest.approx(22.24)
    assert len(broken([piece], 50, 10).sizes) == 2
    assert len(broken([piece], 500, 10).sizes) == 1
    assert len(broken([Piece("m" * 100, "Arial", 10)], 100, 10).sizes) == 9
    assert len(broken([Piece("one\ntwo", "Arial", 10)], 500, 10).sizes) == 2
    assert broken([], 100, 14).sizes == [14]


def test_fonts_and_bold_have_their_own_widths() -> None:
    plain = width(Piece("Total revenue", "Arial", 10))
    assert width(Piece("Total revenue", "Calibri", 10)) < plain < width(Piece("Total revenue", "Arial", 10, bold=True))
    assert width(Piece("iii", "Courier New", 10)) == width(Piece("mmm", "Courier New", 10)) == 18
    assert width(Piece("日本", "Arial", 10)) == 20
