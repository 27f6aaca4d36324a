"""A comparison in memory: matched targets, what is repaired, what is counted, and that it goes on where it was."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from compare_fakes import Author, answer
from flywheel_fakes import MakeParts
from rich.console import Console

from envwheel.agent import AgentSettings
from envwheel.compare import html
from envwheel.compare.comparison import Comparison, Source
from envwheel.compare.figures import Figures, figures
from envwheel.compare.methods import methods
from envwheel.compare.report import show
from envwheel.domains import Domains
from envwheel.errors import ModelUnavailable
from envwheel.gate.options import GateOptions
from envwheel.ledger import Attempt, Plan, ProposalNote
from envwheel.propose.base import Proposer
from envwheel.propose.procedural import Procedural
from envwheel.propose.prompt_only import PromptOnly
from envwheel.rollout import read_summary

GATE = GateOptions(only=("schema", "lint", "build", "empty", "reference"), repeat=1, jobs=1, back_off_s=(0.0,))
Says = Callable[[str, int], str | Exception]
Compared = Callable[..., Comparison]


@pytest.fixture
def right(tmp_path: Path) -> str:
    return answer(tmp_path / "right")


@pytest.fixture
def wrong(tmp_path: Path) -> str:
    return answer(tmp_path / "wrong", right=False)


@pytest.fixture
def compared(make_parts: MakeParts, toy: Domains) -> Compared:
    """`compared(says, "prompt_only", "procedural", n=2)`: a comparison, opened anew at each call."""

    def make(says: Says, *names: str, n: int = 3, source: Source = Source(), **more: object) -> Comparison:  # noqa: B008
        parts = make_parts(run__candidates=n, run__jobs=1, **more)
        author = Author(says)
        proposers: list[Proposer] = []
        for name in names:
            repairs = int(name.endswith("repair"))
            made = PromptOnly(toy, author, AgentSettings(), repairs=repairs)  # type: ignore[arg-type]
            proposers.append(Procedural(toy, ["sum"]) if name == "procedural" else made)
        parts = replace(parts, solver=None, gate=GATE, admits=False, digest=source.digest())
        return Comparison(parts, methods(names), proposers, source)

    return make


def found(comparison: Comparison) -> Figures:
    return figures(comparison.store.records, [proposer.method for proposer in comparison.proposers])


def test_every_method_gets_the_same_targets(compared: Compared, right: str) -> None:
    comparison = compared(lambda target, turn: right, "prompt_only", "prompt_only+repair")
    assert comparison.run()
    first, second = (plan.targets for plan in comparison.store.of(Plan))
    for one, other in zip(first, second, strict=True):
        assert (one.domain, one.family, one.level, one.seed) == (other.domain, other.family, other.level, other.seed)
        assert (one.candidate[:3], other.candidate[:3]) == ("r01", "r02")
        assert (one.candidate in one.name, other.candidate in other.name) == (True, True)


def test_a_repair_shows_in_the_figures(compared: Compared, right: str, wrong: str) -> None:
    def says(target: str, turn: int) -> str:
        return wrong if target != "c001" and turn == 0 else right

    comparison = compared(says, "prompt_only", "prompt_only+repair")
    assert comparison.run()
    plain, repaired = found(comparison).methods
    assert (plain.valid.count, plain.judged, plain.completions) == (1, 3, 3)
    assert plain.rejected == {"reference_fails": 2}
    assert (repaired.valid.count, repaired.completions, repaired.validations) == (3, 5, 5 - 2)
    assert (plain.tokens.input, plain.tokens.dollars) == (3000, pytest.approx(0.03))
    assert repaired.tokens.output == 500
    assert found(comparison).ratios[0].valid_rate.value == pytest.approx(1 / 3)


def test_images_of_a_draft_that_held_are_given_back_once(compared: Compared, right: str) -> None:
    comparison = compared(lambda target, turn: right, "prompt_only+repair")
    assert comparison.run()
    held = comparison.parts.engine.held  # type: ignore[attr-defined]
    assert set(held.values()) == {0}


def test_what_lint_rejects_is_still_tried_by_the_plain_standard(compared: Compared, tmp_path: Path) -> None:
    leaky = answer(tmp_path / "leaky", leaks=True)
    comparison = compared(lambda target, turn: leaky, "prompt_only", n=1)
    assert comparison.run()
    one = found(comparison).methods[0]
    assert (one.valid.count, one.rejected) == (0, {"leak_tests": 1})
    assert (one.valid_plain.count, one.valid_plain.of) == (1, 1)


def test_nothing_is_calibrated_and_no_environment_is_admitted(compared: Compared, right: str) -> None:
    comparison = compared(lambda target, turn: right, "prompt_only", n=2)
    assert comparison.run()
    attempts = comparison.store.of(Attempt)
    assert {(one.verdict, one.stage, one.solver) for one in attempts} == {("ok", "reference", "")}
    assert list(comparison.store.environments.iterdir()) == []
    [summary] = [read_summary(comparison.store.path / "rollouts/1/r01-c001-p1.json")]
    assert (summary.role, summary.passed, summary.reward) == ("proposer", True, 1.0)


def test_generators_serve_the_targets_that_they_can(compared: Compared, right: str) -> None:
    comparison = compared(lambda target, turn: right, "prompt_only", "procedural", n=6)
    assert comparison.run()
    model, generator = (plan.targets for plan in comparison.store.of(Plan))
    able = [(one.candidate[4:], one.level) for one in model if "sums" in one.skills and one.level <= 2]
    assert [(one.candidate[4:], one.level) for one in generator] == able
    assert 0 < len(able) < len(model)
    one = found(comparison).methods[1]
    assert (one.model, one.targets, one.tokens.dollars, one.dollars_per_valid.value) == (None, len(able), 0.0, 0.0)


class Killed(BaseException):
    """The process ends here."""


def test_after_a_kill_nothing_is_made_or_counted_twice(compared: Compared, right: str, wrong: str) -> None:
    def says(target: str, turn: int) -> str:
        return right if turn or target == "c002" else wrong

    calls = itertools.count(1)

    def dies(target: str, turn: int) -> str:
        if next(calls) == 6:
            raise Killed
        return says(target, turn)

    names = ("prompt_only", "prompt_only+repair")
    with pytest.raises(Killed):
        compared(dies, *names).run()
    again = compared(says, *names)
    before = len(again.store.of(Attempt))
    assert 0 < before < 6
    assert again.run()
    attempts = again.store.of(Attempt)
    assert len({one.candidate for one in attempts}) == len(attempts) == 6
    told = found(again)
    assert told.complete
    assert [one.valid.count for one in told.methods] == [1, 3]
    assert [one.tokens.input for one in told.methods] == [3000, 5000]
    assert sum(one.spent.input for one in told.methods) >= 8000
    assert len(again.store.of(Plan)) == 2


def test_what_our_side_failed_is_made_again_when_it_goes_on(compared: Compared, right: str) -> None:
    def gone(target: str, turn: int) -> str | Exception:
        return ModelUnavailable("gone") if target == "c002" else right

    comparison = compared(gone, "prompt_only")
    assert not comparison.run()
    one = found(comparison).methods[0]
    assert (one.judged, one.infra, one.valid.of) == (2, 1, 2)
    again = compared(lambda target, turn: right, "prompt_only")
    assert again.run()
    assert again.proposers[0].llm.asked == [("c002", 0)]  # type: ignore[attr-defined]
    one = found(again).methods[0]
    assert (one.judged, one.infra, one.valid.count) == (3, 0, 3)


def test_the_proposers_read_about_another_runs_rollouts(
    compared: Compared, make_parts: MakeParts, tmp_path: Path, right: str
) -> None:
    from envwheel.flywheel import Flywheel

    other = make_parts(run__out=str(tmp_path / "other"), run__candidates=2, run__rounds=1)
    assert Flywheel(other).run()
    source = Source.of(tmp_path / "other")
    comparison = compared(lambda target, turn: right, "prompt_only", n=1, source=source)
    assert comparison.run()
    told = comparison.proposers[0].llm.systems[0]  # type: ignore[attr-defined]
    assert "How the solver fared so far" in told
    assert comparison.store.of(Plan)[0].rollouts_read > 0
    assert "sum-l" in (comparison.store.path / "digest/1/environments.md").read_text()


def test_no_method_reads_what_another_one_made(compared: Compared, right: str) -> None:
    comparison = compared(lambda target, turn: right, "prompt_only", "prompt_only+repair", n=1)
    assert comparison.run()
    told = comparison.proposers[1].llm.systems  # type: ignore[attr-defined]
    assert "How the solver fared" not in told[0]
    first, second = (comparison.store.path / "digest" / number for number in "12")
    for page in first.rglob("*.*"):
        assert (second / page.relative_to(first)).read_text() == page.read_text()
    assert "r01" not in (second / "environments.md").read_text()


def test_a_budget_ends_it_gently(compared: Compared, right: str) -> None:
    comparison = compared(lambda target, turn: right, "prompt_only", n=5, run__max_tokens=1500)
    assert not comparison.run()
    assert "run.max_tokens" in comparison.control.reason
    assert len(comparison.store.of(ProposalNote)) == 2
    assert len(comparison.store.of(Attempt)) <= 2


def test_proposals_of_an_earlier_time_count_for_the_budget(compared: Compared, right: str) -> None:
    compared(lambda target, turn: right, "prompt_only", n=3).run()
    again = compared(lambda target, turn: right, "prompt_only", "prompt_only+repair", n=3, run__max_tokens=2000)
    assert not again.run()
    assert len(again.store.of(ProposalNote)) == 3


def test_the_table_says_what_was_found(
    compared: Compared, right: str, wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    comparison = compared(lambda target, turn: right if turn else wrong, "prompt_only+repair", "prompt_only")
    comparison.run()
    show(found(comparison), Console(highlight=False, width=160))
    said = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in said.splitlines()]
    assert lines[1].startswith("prompt_only+repair 3 3 100% (44-100) 3 of 3 2,200 0.02 (0.02-0.02)")
    assert lines[2].startswith("prompt_only 3 0 0% (0-56) 0 of 3 none valid none valid")
    assert lines[4].startswith("prompt_only+repair against pairs valid rate")
    assert lines[5].startswith("prompt_only 3 none valid (at least ")
    assert lines[-1] == "prompt_only: rejected: 3 reference_fails"


def test_the_page_is_one_file_that_escapes_what_environments_say(compared: Compared, tmp_path: Path) -> None:
    hostile = "=== FILE: instruction.md ===\n<script>alert(1)</script>\n=== END ===\n"
    comparison = compared(lambda target, turn: hostile, "prompt_only", n=1)
    comparison.run()
    html.write(tmp_path / "c.html", found(comparison), Path("<b>"), comparison.store.records)
    page = (tmp_path / "c.html").read_text()
    assert "envwheel compare &lt;b&gt;" in page
    assert "Content-Security-Policy" in page
    assert "price" not in page
    for words in ("Methods", "Reasons of rejection", "How far candidates got", "schema"):
        assert words in page


def test_the_figures_are_plain_json(compared: Compared, right: str) -> None:
    comparison = compared(lambda target, turn: right, "prompt_only", "prompt_only+repair", n=1)
    comparison.run()
    told = json.loads(json.dumps(found(comparison).model_dump(mode="json"), allow_nan=False))
    assert told["complete"] is True
    assert {"method", "valid", "valid_plain", "tokens", "dollars_per_valid", "rejected", "stages"} <= set(
        told["methods"][0]
    )
