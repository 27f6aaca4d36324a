"""A whole `envwheel run` with models in both roles over real HTTP: a proposer that errs, reads, mends and submits."""

from __future__ import annotations

import json
import shlex
import threading
from collections.abc import Iterator, Sequence

import pytest

from envwheel.cli import main
from envwheel.config import load
from envwheel.environment import skeleton
from envwheel.ledger import Attempt, HarnessNote, ProposalNote
from envwheel.model.base import Completion, Message, ModelUsage, Sampling, Tool, ToolCall
from envwheel.model.scripted import serve
from envwheel.rollout import read_steps, read_summary
from envwheel.sandbox.namespace.engine import missing
from envwheel.store import RunDirectory

pytestmark = pytest.mark.e2e

CONFIG = """
[run]
domains = ["swe"]
rounds = 2
candidates = 1
out = "{out}"
[proposer]
levels = [2]
[proposer.model]
base_url = "{url}"
api_key_env = ""
prices = {{ input = 1.0, output = 10.0 }}
[solver]
name = "openai:both-roles"
[solver.model]
base_url = "{url}"
api_key_env = ""
prices = {{ input = 1.0, output = 10.0 }}
[engine]
name = "{engine}"
"""
FLAGS = "--proposer terminal --model openai:both-roles --proposer-network none --max-cost 9 --max-tokens 900000 --json"
DRAFT = skeleton.draft("orders")
FILES = {
    "instruction.md": DRAFT.instruction,
    "environment/app/orders.csv": DRAFT.files["orders.csv"],
    "solution/solve.sh": DRAFT.solution["solve.sh"],
    "tests/check.py": DRAFT.tests["check.py"],
}
FAULTY = {**FILES, "solution/solve.sh": "#!/bin/bash\necho 'print(1)' > /app/totals.py\n"}


def writing(files: dict[str, str | bytes]) -> str:
    """The command that writes `files` into the draft."""
    lines = ["cd /workspace/draft", "sed -i 's|^artifacts = .*|artifacts = [\"/app/totals.py\"]|' task.toml"]
    for name, text in files.items():
        assert isinstance(text, str)
        lines.append(f"mkdir -p $(dirname {name}); printf %s {shlex.quote(text)} > {name}")
    return "\n".join(lines)


class BothRoles:
    """Proposes when it is shown a draft, revises its notes after a round, else solves every second time."""

    name = "both-roles"
    supports_tools = True

    def __init__(self) -> None:
        self.seen: list[str] = []
        """The first message of every proposer."""
        self._solved = 0
        self._guard = threading.Lock()

    def complete(self, messages: Sequence[Message], tools: Sequence[Tool], sampling: Sampling) -> Completion:
        turn = sum(message.role == "assistant" for message in messages)
        if "/workspace/draft" in messages[0].content:
            name, arguments = self._proposal(turn, messages)
        elif "/workspace/harness" in messages[0].content:
            name, arguments = self._revision(turn)
        else:
            name, arguments = "bash", {"command": self._solution()}
        return Completion("", (ToolCall(f"call_{turn}", name, arguments),), ModelUsage(1000, 50, 0, 0.0))

    def _proposal(self, turn: int, messages: Sequence[Message]) -> tuple[str, dict[str, str]]:
        with self._guard:
            if turn == 0:
                self.seen.append(messages[1].content)
            number = len(self.seen)
        try_it = "/workspace/reference/try"
        if number == 1:
            plan = [f"{writing(FAULTY)}\n{try_it}", "validate", f"{writing(FILES)}\n{try_it}", "validate", "submit"]
        else:
            plan = [writing(FILES), "ls /workspace/*", "validate", "submit"]
        step = plan[turn]
        return (step, {}) if step in ("validate", "submit") else ("bash", {"command": step})

    def _revision(self, turn: int) -> tuple[str, dict[str, str]]:
        if turn == 0:
            return "bash", {
                "command": "cat /workspace/results.md; echo 'Run the reference before validating.' > notes.md"
            }
        return "submit", {"reason": "the reference was never run"}

    def _solution(self) -> str:
        with self._guard:
            self._solved += 1
            right = self._solved % 2
        return (str(DRAFT.solution["solve.sh"]) if right else "true") + "\necho ENVWHEEL_DONE"

    def close(self) -> None:
        """Nothing to free."""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunDirectory, BothRoles]]:
    """The run, once it is over."""
    folder, model = tmp_path_factory.mktemp("terminal"), BothRoles()
    config = folder / "envwheel.toml"
    with serve(model) as url:
        config.write_text(
            CONFIG.format(out=folder / "run", url=url, engine="docker" if missing() else "namespace"), "utf-8"
        )
        assert main(["run", str(config), *FLAGS.split()]) == 0
    with RunDirectory.open(folder / "run") as store:
        yield store, model


def test_the_proposer_mends_what_the_gate_found_and_both_are_admitted(
    finished: tuple[RunDirectory, BothRoles],
) -> None:
    store, _ = finished
    attempts = store.of(Attempt)
    assert [(one.verdict, one.method, one.model) for one in attempts] == [("admitted", "terminal", "both-roles")] * 2
    assert [one.validations for one in attempts] == [2, 1]
    first = store.of(ProposalNote)[0]
    assert (first.reason, first.outcome, first.turns) == ("submitted", "made", 5)
    assert (first.tokens.input, first.tokens.dollars) == (5000, pytest.approx(0.0075))
    told = [step for step in read_steps(store.path / first.rollout) if step["source"] == "agent"]
    answers = [step["observations"][0]["content"] for step in told]
    assert "The rehearsal did NOT hold." in answers[0]
    assert "failed check refunds" in answers[0]
    assert "NOT VALID: reference_fails" in answers[1]
    assert "the verifier printed" in answers[1] or "checks that failed" in answers[1]
    assert "The rehearsal held." in answers[2]
    assert answers[3].startswith("OK: every step of the gate held")
    summary = read_summary((store.path / first.rollout).with_suffix(".json"))
    assert (summary.role, summary.passed) == ("proposer", True)


def test_the_second_brief_holds_the_first_rounds_digest(finished: tuple[RunDirectory, BothRoles]) -> None:
    store, model = finished
    first, second = model.seen
    assert "How the solver fared so far" not in first
    assert "How the solver fared so far" in second
    skill = store.of(Attempt)[0].family
    assert f"- {skill}, level 2: 1 of 2 (" in second


def test_the_harness_was_revised_in_between(finished: tuple[RunDirectory, BothRoles]) -> None:
    store, model = finished
    note = store.of(HarnessNote)[0]
    assert (note.round, note.action, note.revision, note.reason) == (2, "revised", "001", "the reference was never run")
    shown = next(step for step in read_steps(store.path / note.rollout) if step.get("observations"))
    assert "1 of 1 candidates valid" in shown["observations"][0]["content"]
    assert "Run the reference before validating." in model.seen[1]
    assert [one.harness for one in store.of(Attempt)] == ["000", "001"]


def test_the_flags_of_the_command_line_are_kept(finished: tuple[RunDirectory, BothRoles]) -> None:
    config = load(finished[0].path / "envwheel.toml")
    assert (config.proposer.kind, config.proposer.name, config.proposer.network) == (
        "terminal",
        "openai:both-roles",
        False,
    )
    assert (config.run.max_dollars, config.run.max_tokens) == (9.0, 900_000)


def test_the_second_box_shows_what_was_admitted(finished: tuple[RunDirectory, BothRoles]) -> None:
    store, _ = finished
    first, note = store.of(Attempt)[0], store.of(ProposalNote)[1]
    listed = next(
        step["observations"][0]["content"]
        for step in read_steps(store.path / note.rollout)
        if step.get("tool_calls") and "ls /workspace" in json.dumps(step["tool_calls"])
    )
    assert first.environment in listed
    assert "format.md" in listed


def test_an_admitted_environment_says_who_made_it(finished: tuple[RunDirectory, BothRoles]) -> None:
    store, _ = finished
    folder = store.environments / store.of(Attempt)[0].environment
    text = (folder / "task.toml").read_text()
    assert 'proposer = "terminal"' in text
    assert 'model = "both-roles"' in text
    assert (folder / "tests" / "kit" / "grade.py").is_file()
