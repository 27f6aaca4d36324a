"""The proposer that writes all files in one answer: what it is told, what becomes of answers, what it may spend."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from propose_fakes import ANSWER, FILES, TARGET, desk_of, unread

from envwheel.agent import AgentSettings
from envwheel.config import Config, override
from envwheel.domains import Domains
from envwheel.environment.folder import read
from envwheel.errors import (
    ConfigError,
    ContextOverflow,
    InfraError,
    ModelError,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    SetupError,
)
from envwheel.model.base import Completion, ModelUsage
from envwheel.model.scripted import ScriptedModel
from envwheel.propose.answer_format import format_text
from envwheel.propose.base import Judged, Proposal
from envwheel.propose.files_in_text import write
from envwheel.propose.prompt_only import PromptOnly
from envwheel.proposing import spent
from envwheel.rollout import read_steps
from envwheel.start import proposing_model

USAGE = ModelUsage(1000, 200, 300, 0.5)


@dataclass
class Gate:
    """Says no as often as `no` says; remembers the instruction of each draft."""

    no: int = 0
    infra: bool = False
    seen: list[str] = field(default_factory=list)

    def __call__(self, folder: Path) -> Judged:
        self.seen.append((folder / "instruction.md").read_text())
        if self.infra:
            return Judged(False, "daemon", "The gate itself failed.", 1.0, infra=True)
        if len(self.seen) <= self.no:
            return Judged(False, "flaky", "NOT VALID: flaky at step reference.", 1.0)
        return Judged(True, "", "OK", 1.0)


def proposed(
    tmp_path: Path, domains: Domains, *answers: str | ModelError | Completion, gate: Gate | None = None, **more: object
) -> Proposal:
    settings = more.pop("settings", AgentSettings())
    proposer = PromptOnly(domains, ScriptedModel(answers, cycle=False), settings, **more)  # type: ignore[arg-type]
    return proposer.propose(TARGET, desk_of(tmp_path, gate or unread))


def rollout(tmp_path: Path) -> list[dict[str, object]]:
    return read_steps(tmp_path / "rollout.jsonl")


def test_one_answer_becomes_a_folder_that_says_where_it_comes_from(tmp_path: Path, swe: Domains) -> None:
    made = proposed(tmp_path, swe, Completion(f"Here it is.\n\n{ANSWER}", usage=USAGE))
    assert (made.folder, made.reason, made.message) == (tmp_path / "here" / TARGET.name, "complete", "")
    task = read(tmp_path / "here" / TARGET.name)
    assert task.config.artifacts[0].source == "/app/result.txt"
    own = tomllib.loads((task.path / "task.toml").read_text())["metadata"]["envwheel"]
    assert (own["proposer"], own["level"], own["skills"]) == ("prompt_only", TARGET.level, list(TARGET.skills))
    assert (task.path / "tests/kit/grade.py").is_file()
    assert (task.path / "solution/solve.sh").stat().st_mode & 0o100


def test_the_rollout_holds_what_was_said_and_what_it_cost(tmp_path: Path, swe: Domains) -> None:
    proposed(tmp_path, swe, Completion(ANSWER, usage=USAGE))
    steps = rollout(tmp_path)
    assert [step["source"] for step in steps] == ["system", "user", "agent"]
    assert "=== FILE: path ===" in str(steps[1]["message"])
    assert spent(steps) == (1, USAGE)


def test_without_repairs_nothing_is_judged(tmp_path: Path, swe: Domains) -> None:
    gate = Gate(no=9)
    assert proposed(tmp_path, swe, ANSWER, gate=gate).validations == 0
    assert gate.seen == []


def test_a_repair_writes_over_the_files_that_it_names(tmp_path: Path, swe: Domains) -> None:
    gate = Gate(no=1)
    mended = write({"instruction.md": "Better."})
    made = proposed(tmp_path, swe, ANSWER, mended, gate=gate, repairs=2)
    assert (made.validations, made.reason) == (2, "complete")
    assert gate.seen == ["Write ok to /app/result.txt.\n", "Better.\n"]
    assert read(tmp_path / "here" / TARGET.name).environment.instruction == "Better.\n"
    asked = str(rollout(tmp_path)[3]["message"])
    assert "NOT VALID: flaky" in asked
    assert "write again" in asked


def test_a_draft_that_holds_is_not_repaired(tmp_path: Path, swe: Domains) -> None:
    made = proposed(tmp_path, swe, ANSWER, gate=Gate(), repairs=3)
    assert (made.validations, len(rollout(tmp_path))) == (1, 3)


def test_the_last_repair_is_left_to_the_gate(tmp_path: Path, swe: Domains) -> None:
    gate = Gate(no=9)
    made = proposed(tmp_path, swe, ANSWER, ANSWER, gate=gate, repairs=1)
    assert (made.validations, made.folder is not None) == (1, True)


def test_an_answer_with_files_missing_is_written_and_told(tmp_path: Path, swe: Domains) -> None:
    some = {name: text for name, text in FILES.items() if not name.startswith("tests/")}
    made = proposed(tmp_path, swe, write(some))
    assert made.folder is not None
    assert made.message == "tests/Dockerfile is missing; tests/test.sh is missing; tests/check.py is missing"


def test_an_answer_that_was_cut_off_loses_its_last_file(tmp_path: Path, swe: Domains) -> None:
    cut = ANSWER.rpartition("=== END")[0]
    made = proposed(tmp_path, swe, Completion(cut, finish_reason="length"))
    assert "cut off in tests/check.py" in made.message
    assert made.folder is not None
    assert not (made.folder / "tests/check.py").exists()


def test_an_answer_without_files_proposes_nothing(tmp_path: Path, swe: Domains) -> None:
    made = proposed(tmp_path, swe, "I would rather not.")
    assert (made.folder, made.code) == (None, "schema")
    assert "no file in the answer" in made.message


def test_an_answer_without_files_can_be_repaired(tmp_path: Path, swe: Domains) -> None:
    made = proposed(tmp_path, swe, "Shall I begin?", ANSWER, repairs=1)
    assert made.folder is not None
    assert "no file in the answer" in str(rollout(tmp_path)[3]["message"])


@pytest.mark.parametrize(
    ("error", "reason", "words"),
    [(ModelRefused("no"), "refused", "the model refused"), (ContextOverflow("long"), "context", "does not fit")],
)
def test_what_the_model_will_not_answer_proposes_nothing(
    tmp_path: Path, swe: Domains, error: ModelError, reason: str, words: str
) -> None:
    made = proposed(tmp_path, swe, error)
    assert (made.folder, made.reason, made.code) == (None, reason, "schema")
    assert words in made.message


def test_a_refusal_to_repair_leaves_the_draft(tmp_path: Path, swe: Domains) -> None:
    made = proposed(tmp_path, swe, ANSWER, ModelRefused("no"), gate=Gate(no=9), repairs=2)
    assert (made.folder is not None, made.reason, made.validations) == (True, "refused", 1)


@pytest.mark.parametrize("error", [ModelUnavailable("gone"), ModelTimeout("slow")])
def test_a_model_that_cannot_be_reached_is_our_side(tmp_path: Path, swe: Domains, error: ModelError) -> None:
    with pytest.raises(InfraError) as raised:
        proposed(tmp_path, swe, error)
    assert raised.value.cause == "model"


def test_a_slow_repair_ends_with_the_draft(tmp_path: Path, swe: Domains) -> None:
    made = proposed(tmp_path, swe, ANSWER, ModelTimeout("slow"), gate=Gate(no=9), repairs=1)
    assert (made.folder is not None, made.reason) == (True, "time")


def test_a_gate_that_fails_itself_is_our_side(tmp_path: Path, swe: Domains) -> None:
    with pytest.raises(InfraError):
        proposed(tmp_path, swe, ANSWER, ANSWER, gate=Gate(infra=True), repairs=1)


@pytest.mark.parametrize(("budget", "reason"), [({"tokens": 1000}, "tokens"), ({"dollars": 0.4}, "dollars")])
def test_a_budget_that_is_used_up_ends_the_repairs(
    tmp_path: Path, swe: Domains, budget: dict[str, float], reason: str
) -> None:
    answer = Completion(ANSWER, usage=USAGE)
    made = proposed(tmp_path, swe, answer, answer, gate=Gate(no=9), repairs=1, settings=AgentSettings(**budget))
    assert (made.reason, len(rollout(tmp_path))) == (reason, 3)


def test_a_budget_in_dollars_needs_a_price(tmp_path: Path, swe: Domains) -> None:
    answer = Completion(ANSWER, usage=ModelUsage(1, 1))
    with pytest.raises(SetupError, match="price"):
        proposed(tmp_path, swe, answer, gate=Gate(no=9), repairs=1, settings=AgentSettings(dollars=1.0))


def test_what_an_interrupted_time_left_is_written_anew(tmp_path: Path, swe: Domains) -> None:
    left = tmp_path / "here" / TARGET.name / "old.txt"
    left.parent.mkdir(parents=True)
    left.write_text("x")
    proposed(tmp_path, swe, ANSWER)
    assert not left.exists()


def test_a_repair_may_put_a_folder_where_a_file_was(tmp_path: Path, swe: Domains) -> None:
    first, second = write({**FILES, "tests/data": "x"}), write({"tests/data/a.txt": "y"})
    made = proposed(tmp_path, swe, first, second, gate=Gate(no=9), repairs=1)
    assert made.folder is not None
    assert (made.folder / "tests/data/a.txt").read_text() == "y\n"


def test_the_method_says_whether_there_are_repairs(swe: Domains) -> None:
    proposers = [PromptOnly(swe, ScriptedModel(["x"]), AgentSettings(), repairs=n) for n in (0, 1)]
    assert [proposer.method for proposer in proposers] == ["prompt_only", "prompt_only+repair"]


def test_a_model_of_its_own_else_the_solvers(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('["a"]')
    (tmp_path / "b.json").write_text('["b"]')
    one, other = f"scripted:{tmp_path}/a.json", f"scripted:{tmp_path}/b.json"
    assert proposing_model(override(Config(), {"solver.name": one})).name == "a.json"
    assert proposing_model(override(Config(), {"solver.name": one, "proposer.name": other})).name == "b.json"
    with pytest.raises(ConfigError, match="simulated"):
        proposing_model(override(Config(), {"solver.name": "simulated"}))


def test_an_answer_is_told_the_image_of_each_box() -> None:
    text = format_text("sums", "own/work:1", "own/verifier:1", [])
    assert "=== FILE: environment/Dockerfile ===\nFROM own/work:1\n" in text
    assert "=== FILE: tests/Dockerfile ===\nFROM own/verifier:1\n" in text
