"""Every method by its name, and the terminal beside one answer."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from compare_fakes import Author, answer
from flywheel_fakes import MakeParts
from terminal_fakes import Planned, engine, with_terminal

from envwheel.agent import AgentSettings
from envwheel.compare.comparison import Comparison, Source
from envwheel.compare.figures import figures
from envwheel.compare.methods import NAMES, Method, methods
from envwheel.config import Config, override
from envwheel.domains import Domains
from envwheel.ledger import HarnessNote
from envwheel.propose.prompt_only import PromptOnly
from envwheel.start import proposer_of


@pytest.mark.parametrize("name", NAMES)
def test_each_name_opens_the_proposer_of_that_name(name: str, toy: Domains, tmp_path: Path) -> None:
    (tmp_path / "answers.json").write_text(json.dumps(["x"]))
    config = override(Config(), {"proposer.name": f"scripted:{tmp_path}/answers.json"})
    proposer = proposer_of(Method(name).config(config), toy, engine())
    assert proposer.method == name
    assert (proposer.model is not None) == Method(name).is_model


def test_a_repair_is_one_unless_the_configuration_says_more() -> None:
    repaired = Method("prompt_only+repair")
    assert repaired.config(Config()).proposer.repairs == 1
    assert repaired.config(override(Config(), {"proposer.repairs": 3})).proposer.repairs == 3
    assert Method("prompt_only").config(override(Config(), {"proposer.repairs": 3})).proposer.repairs == 0


def test_a_terminal_that_mends_beside_one_answer(make_parts: MakeParts, toy: Domains, tmp_path: Path) -> None:
    plan = ["WRITE-FAULTY", "validate", "WRITE-GOOD", "validate", "submit"]
    parts = make_parts(run__candidates=2, run__jobs=1)
    parts = replace(with_terminal(parts, Planned([plan])), solver=None, admits=False)
    wrong = answer(tmp_path / "wrong", right=False)
    one_answer = PromptOnly(toy, Author(lambda target, turn: wrong), AgentSettings())
    chosen = methods(["terminal", "prompt_only"])
    assert Comparison(parts, chosen, [parts.proposer, one_answer], Source()).run()
    terminal, prompt_only = figures(parts.store.records, [one.name for one in chosen]).methods
    assert (terminal.valid.count, terminal.completions, terminal.validations) == (2, 10, 4)
    assert (prompt_only.valid.count, prompt_only.rejected) == (0, {"reference_fails": 2})
    assert terminal.dollars_per_valid.value == pytest.approx(0.005)
    assert parts.store.of(HarnessNote) == []
