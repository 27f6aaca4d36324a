"""Lists as people write them on the command line."""

from __future__ import annotations

from argparse import ArgumentTypeError

import pytest

from envwheel.cli import main
from envwheel.lists import commas, levels


@pytest.mark.parametrize(
    ("text", "found"), [("", []), ("0-4", [0, 1, 2, 3, 4]), ("2", [2]), ("3, 0-1", [0, 1, 3]), ("1,1", [1])]
)
def test_levels_are_ranges_and_lists(text: str, found: list[int]) -> None:
    assert levels(text) == found


@pytest.mark.parametrize("text", ["x", "1-", "-3", "0..4", "10"])
def test_what_is_no_level_is_refused(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="is no level"):
        levels(text)


def test_words_have_commas_between() -> None:
    assert commas(" swe, office,,") == ["swe", "office"]


@pytest.mark.parametrize("command", ["generate", "compare"])
def test_a_wrong_level_is_one_line_and_exit_code_2(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([command, "--levels", "high"])
    assert "--levels: 'high' is no level" in capsys.readouterr().err
