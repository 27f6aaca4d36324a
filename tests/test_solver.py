"""Solvers in boxes of the fake engine: what they leave behind, what they cost, and who they say they are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from envwheel.agent import DONE, AgentSettings
from envwheel.api import Environment, Mutant
from envwheel.errors import BoxGone, ConfigError, InfraError, ModelUnavailable, UsageError
from envwheel.model.base import Completion, ModelUsage
from envwheel.model.scripted import ScriptedModel
from envwheel.presets import TINY, agent_settings
from envwheel.rollout import RolloutWriter, read_steps
from envwheel.sandbox.base import BoxSpec
from envwheel.sandbox.fake import BASE, FakeEngine, Run
from envwheel.simulated import SimulatedSolver
from envwheel.solver import ModelSolver, open_solver


@dataclass(frozen=True)
class Config:
    solution_env: dict[str, str]


@dataclass(frozen=True)
class Task:
    """What a solver looks at in a task folder."""

    path: Path
    environment: Environment
    config: Config
    solution: Path | None
    tree_sha256: str


def task(path: Path, level: int | None = 0, *, solution: bool = True, sha: str = "s") -> Any:
    if solution:
        (path / "solution").mkdir(exist_ok=True)
        (path / "solution" / "solve.sh").write_text("SOLVE-IT\n")
    environment = Environment(path, "Do it.", {}, level=level)
    return Task(path, environment, Config({}), path / "solution" / "solve.sh" if solution else None, sha)


class Mutants:
    """Domains with one mutant."""

    def __init__(self, *mutants: Mutant) -> None:
        self.mutants = list(mutants)

    def for_all(self, hook: str, environment: Environment) -> list[Mutant]:
        assert hook == "mutants"
        return self.mutants


@pytest.fixture
def engine() -> FakeEngine:
    engine = FakeEngine()
    engine.program("pwd", lambda run: "/app\n")
    engine.program("touch out", lambda run: run.write("/app/out", "made"))
    engine.program(f"echo {DONE}", lambda run: f"{DONE}\n")
    engine.program("SOLVE-IT", lambda run: run.write("/app/out", "solved"))
    engine.program("BREAK-IT", lambda run: run.write("/app/out", "broken"))
    return engine


def play(engine: FakeEngine, work: Any) -> tuple[Any, Any]:
    with engine.start(BoxSpec(BASE, "work", user="agent")) as box:
        report = work(box, 60.0)
    return box, report


def test_a_model_works_in_the_box_and_its_steps_are_kept(engine: FakeEngine, tmp_path: Path) -> None:
    usage = ModelUsage(10, 5, 0, 0.5)
    answers = [Completion("```bash\ntouch out\n```", usage=usage), Completion(f"```\necho {DONE}\n```", usage=usage)]
    solver = ModelSolver(ScriptedModel(answers), AgentSettings())
    work = solver.work(task(tmp_path), 3, RolloutWriter(tmp_path / "r.jsonl"))
    box, report = play(engine, work)
    assert (work.kind, work.id, work.reason, work.turns) == ("solver", "scripted", "done", 2)
    assert work.usage == ModelUsage(20, 10, 0, 1.0)
    assert (report.exit_code, report.timed_out) == (0, False)
    assert box.files["/app/out"].data == b"made"
    assert "/solution/solve.sh" not in box.files
    steps = read_steps(tmp_path / "r.jsonl")
    assert [step["source"] for step in steps] == ["system", "user", "agent", "agent"]
    assert steps[1]["message"] == "Do it."


def test_the_seed_reaches_the_model(engine: FakeEngine, tmp_path: Path) -> None:
    seeds = []

    class Asked(ScriptedModel):
        def complete(self, messages: Any, tools: Any, sampling: Any) -> Completion:
            seeds.append(sampling.seed)
            return super().complete(messages, tools, sampling)

    solver = ModelSolver(Asked(["```\nls\n```"]), AgentSettings(turns=1))
    for seed in (3, 4):
        play(engine, solver.work(task(tmp_path), seed, RolloutWriter(tmp_path / "r.jsonl")))
    assert seeds == [3, 4]


def test_an_unreachable_model_is_our_failure_and_keeps_what_it_cost(engine: FakeEngine, tmp_path: Path) -> None:
    first = Completion("```\nls\n```", usage=ModelUsage(10, 5, 0, 0.5))
    solver = ModelSolver(ScriptedModel([first, ModelUnavailable("HTTP 503")]), AgentSettings())
    work = solver.work(task(tmp_path), 0, RolloutWriter(tmp_path / "r.jsonl"))
    with pytest.raises(InfraError, match="503") as caught:
        play(engine, work)
    assert caught.value.cause == "model"
    assert (work.turns, work.usage.dollars) == (1, 0.5)
    assert len(read_steps(tmp_path / "r.jsonl")) == 3


def test_a_box_that_dies_escapes(engine: FakeEngine, tmp_path: Path) -> None:
    def die(run: Run) -> None:
        run.box.kill("memory")

    engine.program("bomb", die)
    solver = ModelSolver(ScriptedModel(["```\nbomb\n```"]), AgentSettings())
    with pytest.raises(BoxGone):
        play(engine, solver.work(task(tmp_path), 0, RolloutWriter(tmp_path / "r.jsonl")))


def test_simulated_chances_fall_with_the_level() -> None:
    solver = SimulatedSolver()
    assert [round(solver.chance(level), 2) for level in (0, 1, 2, 3, 4, 9, None)] == [
        0.9,
        0.7,
        0.5,
        0.3,
        0.1,
        0.05,
        0.5,
    ]
    assert SimulatedSolver({"start": 1.0, "slope": 0.0}).chance(4) == 0.95


def test_simulated_plays_reference_and_mutants_in_proportion_and_again_the_same(tmp_path: Path) -> None:
    solver = SimulatedSolver(domains=Mutants(Mutant("m", "w", "x")))  # type: ignore[arg-type]

    def reasons(level: int) -> list[str]:
        writer = RolloutWriter(tmp_path / "r.jsonl")
        return [solver.work(task(tmp_path, level), seed, writer).reason for seed in range(200)]

    easy, hard = reasons(0), reasons(4)
    assert easy == reasons(0)
    assert 160 < easy.count("the reference") < 195
    assert 8 < hard.count("the reference") < 40
    assert set(easy + hard) == {"the reference", "mutant m"}


def test_simulated_runs_what_it_plays_and_says_so(engine: FakeEngine, tmp_path: Path) -> None:
    mutants = Mutants(Mutant("m", "w", "BREAK-IT"))
    for start, left in ((9.0, b"solved"), (0.0, b"broken")):
        for seed in range(40):
            solver = SimulatedSolver({"start": start}, mutants)  # type: ignore[arg-type]
            work = solver.work(task(tmp_path), seed, RolloutWriter(tmp_path / "r.jsonl"))
            if (work.reason == "the reference") == (left == b"solved"):
                break
        box, report = play(engine, work)
        assert box.files["/app/out"].data == left
        assert (work.turns, work.usage.dollars, report.exit_code) == (1, 0.0, 0)
        (step,) = read_steps(tmp_path / "r.jsonl")
        assert step["message"].startswith("simulated: plays")
        assert step["model"] == "simulated"


def test_simulated_without_mutants_or_solution_does_nothing(engine: FakeEngine, tmp_path: Path) -> None:
    solver = SimulatedSolver({"start": 9.0})
    work = solver.work(task(tmp_path, solution=False), 0, RolloutWriter(tmp_path / "r.jsonl"))
    box, _ = play(engine, work)
    assert (work.reason, box.commands, work.turns) == ("nothing", [], 0)
    assert "/solution/solve.sh" not in box.files


def test_opening_solvers(tmp_path: Path) -> None:
    answers = tmp_path / "a.json"
    answers.write_text('["x"]')
    solver = open_solver(f"scripted:{answers}", {"agent": {"turns": 3}})
    assert (solver.name, solver.simulated) == ("a.json", False)
    simulated = open_solver("simulated", {"start": 0.5})
    assert (simulated.name, simulated.simulated) == ("simulated", True)
    for spec, settings, error in (
        ("simulated", {"speed": 1}, ConfigError),
        ("nobody", {}, UsageError),
        (f"scripted:{answers}", {"agents": {}}, ConfigError),
        (f"scripted:{answers}", {"agent": {"turn": 1}}, ConfigError),
    ):
        with pytest.raises(error):
            open_solver(spec, settings)


def test_agent_settings_stand_on_a_preset() -> None:
    assert agent_settings({}) == AgentSettings()
    assert agent_settings({}, preset="tiny") == TINY
    mine = agent_settings({"turns": 5, "few_shot": [["q", "a"]], "temperature": 0.2, "tokens": 100}, preset="tiny")
    assert (mine.turns, mine.few_shot, mine.sampling.temperature, mine.tokens) == (5, (("q", "a"),), 0.2, 100)
    assert mine.sampling.max_tokens == TINY.sampling.max_tokens
    assert agent_settings({"preset": ""}, preset="tiny") == AgentSettings()
    for wrong in (
        {"preset": "big"},
        {"few_shot": ["q"]},
        {"few_shot": [[1, 2]]},
        {"turns": "x"},
        {"stop": "END"},
        {"a": 1},
    ):
        with pytest.raises(ConfigError):
            agent_settings(wrong)
