"""Cell references and formulas that are moved."""

from __future__ import annotations

import pytest

from officekit.reference import area, cells, move, parts, split


@pytest.mark.parametrize(
    ("formula", "moved"),
    [
        ("A1+$A1+A$1+$A$1", "B3+$A3+B$1+$A$1"),
        ("SUM(A:A)+SUM(1:1)+SUM($B:$B)", "SUM(B:B)+SUM(3:3)+SUM($B:$B)"),
        ("'It''s A1'!A1&\"A1\"", "'It''s A1'!B3&\"A1\""),
        ("Q1_total+A1.x+T[A1]+LOG10(A1)", "Q1_total+A1.x+T[A1]+LOG10(B3)"),
        ("A1:B2 C3#", "B3:C4 D5#"),
    ],
)
def test_relative_references_move(formula, moved):
    assert move(formula, 2, 1) == moved


def test_references_are_taken_apart():
    assert (split("$B$7"), area("C9:B2"), area("B:B")) == ((7, 2), (2, 2, 9, 3), (1, 2, 1_048_576, 2))
    assert (parts("'It''s!'!A1:B2"), list(cells("A1:B2"))) == (("It's!", "A1:B2"), ["A1", "B1", "A2", "B2"])
