"""Every code of the gate has its page: what it means, an example, the mend."""

from __future__ import annotations

import ast
import typing
from pathlib import Path
from typing import Any

import pytest

from envwheel.calibrate import BandDecision
from envwheel.cli import main
from envwheel.environment.invalid import Code
from envwheel.gate import codes

GATE = Path(codes.__file__).parent
ALL = [code for of_step in codes.CODES.values() for code in of_step]


def raised() -> set[str]:
    """Every code that stands in a `Fault(...)` of the gate, or is the Literal of an invalid folder."""
    found = set(typing.get_args(Code))
    for path in GATE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Fault":
                found |= {node.args[0].value} if isinstance(node.args[0], ast.Constant) else set()
    return found


def test_the_list_holds_what_the_gate_says() -> None:
    assert raised() <= set(ALL)
    of_the_gate = {code for step, of_step in codes.CODES.items() if step != "band" for code in of_step}
    assert of_the_gate - raised() <= {"duplicate", "contaminated"}
    band = set(typing.get_args(typing.get_type_hints(BandDecision)["code"]))
    assert set(codes.CODES["band"]) <= band <= {*ALL, "in_band", "infra"}


@pytest.mark.parametrize("code", [*ALL, "infra"])
def test_each_has_meaning_example_and_mend(code: str) -> None:
    page = codes.explain(code)
    assert page.startswith(f"#### `{code}`\n\n")
    meaning, _, rest = page.partition("\nExample: ")
    assert len(meaning) > len(f"#### `{code}`") + 20
    assert "\nMend: " in rest


def test_the_page_explains_no_other_code() -> None:
    headings = {line.strip("# `") for line in codes.page().splitlines() if line.startswith("#### `")}
    assert headings == {*ALL, "infra"}


def test_explain_prints_the_page_and_judges_nothing(capsys: Any) -> None:
    assert main(["check", "--explain", "flaky"]) == 0
    assert "coin" in capsys.readouterr().out
    assert main(["check", "--explain", "daemon"]) == 0
    assert "envwheel doctor" in capsys.readouterr().out


def test_an_unknown_code_lists_them(capsys: Any) -> None:
    assert main(["check", "--explain", "flakey"]) == 2
    error = capsys.readouterr().err
    assert "Did you mean 'flaky'?" in error
    assert all(code in error for code in ALL)
    assert error.count("\n") == 1
    assert main(["check"]) == 2
    assert "name an environment" in capsys.readouterr().err
