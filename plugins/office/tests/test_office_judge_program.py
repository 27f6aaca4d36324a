"""A candidate's program on hidden inputs: what it writes is judged, whatever else it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from office_fakes import FakeBench, book

from officekit.bench import Fault, Score, Unreadable
from officekit.language import Plan
from officekit.verify import judged


class Program(FakeBench):
    """A bench whose program writes, for the input of each run, a total, or fails."""

    def __init__(self, totals: dict[str, Any]) -> None:
        super().__init__({})
        self.totals = totals

    def launch(self, file: str, command: Sequence[str], inputs: dict[str, str], timeout_s: float) -> FakeBench:
        total = self.totals[inputs["in.csv"]]
        if isinstance(total, Exception):
            raise total
        return FakeBench({"out.xlsx": book({"S": {"A1": "Total", "B1": total}})})


def run(totals: dict[str, Any], **more: Any) -> Score:
    nested = {"kind": "cell_value", "id": "t", "why": "a reason", "file": "out.xlsx", "at": {"label": "Total"}}
    runs = [
        {"inputs": {"in.csv": name}, "checks": [{**nested, "expect": wanted, **more}]}
        for name, wanted in {"one.csv": 1, "two.csv": 2}.items()
    ]
    command = ["/usr/bin/python3", "{file}"]
    body = {"id": "it", "why": "a reason", "file": "p.py", "kind": "program", "command": command, "runs": runs}
    return judged(Plan.model_validate({"checks": [body]}).checks[0], Program(totals))


def test_a_program_that_is_right_on_every_input_is_full() -> None:
    assert run({"one.csv": 1, "two.csv": 2}) == Score(1.0)


def test_an_answer_on_the_known_input_alone_has_a_part() -> None:
    score = run({"one.csv": 1, "two.csv": 1})
    assert score.value == pytest.approx(0.5)
    assert score.reason == "1 of 2 hidden runs are not right; run 2: t 0: S!B1 is 1, not 2"


def test_a_program_that_fails_has_nothing_and_its_words() -> None:
    score = run(dict.fromkeys(("one.csv", "two.csv"), Unreadable("p.py gave 1: KeyError: 'x'")))
    assert score.value == 0
    assert "run 1: p.py gave 1: KeyError" in score.reason


def test_a_gate_on_what_it_writes_takes_the_run() -> None:
    assert run({"one.csv": 1, "two.csv": 1}, gate=True).value == pytest.approx(0.5)


def test_a_missing_hidden_input_is_the_environments_fault() -> None:
    with pytest.raises(Fault):
        run({"one.csv": Fault("tests/one.csv is no plain file"), "two.csv": 2})
