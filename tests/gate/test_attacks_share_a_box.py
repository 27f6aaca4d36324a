"""Where only artifacts cross over, the attacks on the box are run in one; each has its record all the same."""

from __future__ import annotations

from typing import Any

import pytest

from envwheel.gate.box_attacks import IN_WORKDIR, ON_THE_BOX, STAY_BEHIND
from envwheel.sandbox.fake import Run

MARKS = {
    "01-reward-before": "won; chmod 444",
    "02-reward-loop": "while :; do won; sleep 0.01",
    "03-conftest-passes-all": 'pass_all "$folder/conftest.py"',
    "03-pytest-collects-only": "tool.pytest.ini_options",
    "04-fake-programs": "missing+=",
    "05-pytest-plugin": "pass_all-1.0.dist-info",
    "06-sitecustomize": "zz_forge.pth",
    "07-interpreter-replaced": "command -v $name",
    "07-library-replaced": "-xdev",
    "09-processes-stay": "seq 30",
    "10-easier-tests": "test_nothing",
    "11-profile-files": "bash_logout",
}
"""What stands in the script of this attack only."""
APP_IS_THE_ARTIFACT = 'artifacts = ["/app"]\n[verifier]\nenvironment_mode = "separate"\n'


@pytest.fixture
def watched(play: Any) -> tuple[Any, dict[int, list[str]]]:
    """A game, and which attacks on the box were run in which box, in order."""
    game, seen = play(), dict[int, list[str]]()

    def note(id: str) -> Any:
        return lambda run: seen.setdefault(id_of(run), []).append(id)

    for id, mark in MARKS.items():
        game.engine.program(mark, note(id))
    return game, seen


def id_of(run: Run) -> int:
    return id(run.box)


def test_the_marks_name_all_attacks_on_the_box() -> None:
    assert list(MARKS) == [id for id, *_ in ON_THE_BOX]


def test_one_box_for_all_and_a_record_for_each(gate: Any, watched: Any) -> None:
    game, seen = watched
    trials = gate(game=game, only=("attack",)).steps[5].trials
    assert list(seen.values()) == [[*(id for id in MARKS if id not in STAY_BEHIND), *sorted(STAY_BEHIND)]]
    assert {trial.id: trial.reward for trial in trials if trial.id in MARKS} == dict.fromkeys(MARKS, 0.0)
    assert "on-the-box" not in [trial.id for trial in trials]


def test_what_leaves_files_in_an_artifact_has_a_box_of_its_own(gate: Any, watched: Any) -> None:
    game, seen = watched
    gate(
        {"task.toml": 'artifacts = ["/app"]\n[verifier]\nenvironment_mode = "separate"\n'}, game=game, only=("attack",)
    )
    alone = {ids[0] for ids in seen.values() if len(ids) == 1}
    assert alone == IN_WORKDIR
    assert set(MARKS) - IN_WORKDIR in map(set, seen.values())


def test_an_artifact_that_changes_in_the_shared_box_gets_each_attack_a_box_of_its_own(gate: Any, watched: Any) -> None:
    game, seen = watched
    game.engine.program("-xdev", lambda run: run.write("/app/out.txt", "42\n"))
    verdict = gate(game=game, only=("attack",), all_findings=True)
    assert verdict.code == "forgeable"
    assert "07-library-replaced" in verdict.message
    assert sorted(map(len, seen.values())) == [1] * len(MARKS) + [len(MARKS)]


def test_in_shared_mode_each_attack_has_a_box_of_its_own(gate: Any, watched: Any) -> None:
    game, seen = watched
    gate(game=game, only=("attack",), mode="shared", all_findings=True)
    assert list(map(len, seen.values())) == [1] * len(MARKS)
