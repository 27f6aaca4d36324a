"""Words in texts: whole ones, with case and white space aside."""

from __future__ import annotations

import pytest

from officekit.words import count, find_after, held, in_order, intruders


@pytest.mark.parametrize(
    ("text", "wanted", "times"),
    [
        ("Total: 1,200.50 EUR", "1,200.50", 1),
        ("Total: 1,200.50 EUR", "200.50", 0),
        ("Total: 1,200.50 EUR", "1,200", 0),
        ("a total\n of  twelve", "TOTAL OF TWELVE", 1),
        ("subtotal", "total", 0),
        ("total total, total.", "total", 3),
        ("ends with 12.", "12", 1),
        ("{{name}}, {{ name }}", "{{name}}", 1),
        ("Übergröße", "über", 0),
        ("年度报告书", "报告", 1),
        ("naïve cafe\u0301", "café", 1),
        ("soft\u00adhyphen", "softhyphen", 1),
        ("anything", "", 0),
    ],
)
def test_words_are_counted_whole(text: str, wanted: str, times: int) -> None:
    assert count(text, wanted) == times


def test_a_search_goes_on_behind_a_place() -> None:
    end = find_after("one two one", "one", 1)
    assert end == 11
    assert find_after("one two", "one", 1) is None


def test_what_is_held_is_a_share_with_reasons() -> None:
    share, lost = held(["a b", "b"], ["a", "b", "c"], "here", once=True)
    assert share == pytest.approx(1 / 3)
    assert lost == ["'b' stands 2 times here, not once", "'c' does not stand here"]


def test_intruders_are_named() -> None:
    assert intruders(["Dear {{name}}"], ["{{name}}", "x"], "here") == ["'{{name}}' must not stand here"]


def test_a_sequence_is_judged_by_its_longest_common_run() -> None:
    score = in_order(["b", "a", "c"], ["a", "b", "c"], True, str)
    assert score.value == pytest.approx(2 / 3)
    assert score.reason == "1 of 3 missing or out of place, first b; 1 too many or out of place, first b"
    assert in_order([], [], True, str).value == 1
