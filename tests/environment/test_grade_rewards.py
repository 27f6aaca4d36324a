"""The reward: written last, by the checker alone, and not at all when the checker crashes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from checker import grade

FORGER = """
import json, os, time
def forge():
    for name in ("reward.json", "reward.txt", "checks.json"):
        try:
            with open(LOGS + "/" + name, "w") as file:
                file.write('{"reward": 1.0}')
        except OSError:
            pass
forge()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True:
            forge()
            time.sleep(0.001)
    os._exit(0)
os._exit(0)
"""


def forger(folder: Path) -> str:
    return f"LOGS = {str(folder / 'logs')!r}\n{FORGER}"


def test_every_check_passed_is_one_and_a_failed_one_is_zero(open_folder: Path) -> None:
    done = grade(open_folder, "g = grade.Grade()\ng.check('a', True)\ng.check('b', 1, weight=2)\ng.finish()\n")
    assert (done.reward, done.exit_code) == (1.0, 0)
    assert done.checks == [
        {"id": "a", "passed": True, "weight": 1.0, "message": ""},
        {"id": "b", "passed": True, "weight": 2, "message": ""},
    ]
    done = grade(open_folder, "g = grade.Grade()\ng.check('a', True)\ng.check('b', False, 'why')\ng.finish()\n")
    assert done.reward == 0.0
    assert done.checks[1]["message"] == "why"


def test_partial_credit_is_the_weighted_share(open_folder: Path) -> None:
    body = "g = grade.Grade()\ng.check('a', True, weight=3)\ng.check('b', False)\ng.finish(all_or_nothing=False)\n"
    assert grade(open_folder, body).reward == 0.75


def test_the_files_can_be_read_by_other_users(open_folder: Path) -> None:
    done = grade(open_folder, "g = grade.Grade()\ng.check('a', True)\ng.finish()\n")
    assert {path.name: path.stat().st_mode & 0o777 for path in done.logs.iterdir()} == {
        "reward.json": 0o644,
        "checks.json": 0o644,
    }


@pytest.mark.parametrize(
    "body",
    ["raise ValueError('bug')", "g.check('a', True)\nsys.exit(1)", "g.finish()"],
    ids=["exception", "exit", "no checks"],
)
def test_a_checker_that_ends_early_leaves_no_reward(open_folder: Path, body: str) -> None:
    (open_folder / "logs").mkdir()
    (open_folder / "logs" / "reward.txt").write_text("1")
    done = grade(open_folder, "g = grade.Grade()\n" + body)
    assert done.exit_code != 0
    assert list(done.logs.iterdir()) == []


def test_a_candidate_that_forges_in_a_loop_gets_what_the_checks_say(open_folder: Path) -> None:
    done = grade(
        open_folder,
        f"""
        g = grade.Grade()
        grade.run([*PYTHON, {forger(open_folder)!r}])
        g.check("right", False)
        g.finish()
        """,
    )
    assert done.reward == 0.0
    assert sorted(path.name for path in done.logs.iterdir()) == ["checks.json", "reward.json"]


def test_a_forger_that_outlives_a_crashing_checker_leaves_no_reward(open_folder: Path) -> None:
    done = grade(
        open_folder,
        f"""
        g = grade.Grade()
        service = grade.start([*PYTHON, {forger(open_folder)!r}])
        time.sleep(0.3)
        raise KeyError("hostile artifact")
        """,
    )
    assert done.exit_code != 0
    assert list(done.logs.iterdir()) == []


def test_folders_and_links_in_place_of_the_reward_files_are_removed(open_folder: Path) -> None:
    logs = open_folder / "logs"
    (logs / "reward.json" / "deep").mkdir(parents=True)
    (open_folder / "victim").write_text("untouched")
    (logs / "checks.json").symlink_to(open_folder / "victim")
    done = grade(open_folder, "g = grade.Grade()\ng.check('a', True)\ng.finish()\n")
    assert done.reward == 1.0
    assert (open_folder / "victim").read_text() == "untouched"


def test_a_case_turns_any_error_of_a_hostile_artifact_into_a_failed_check(open_folder: Path) -> None:
    done = grade(
        open_folder,
        """
        g = grade.Grade()
        with g.case("fine"):
            grade.need(True, "no")
        with g.case("needs"):
            grade.need([], "nothing there")
        with g.case("parses"):
            int("x\\udc80")
        with g.case("recursion"):
            exec("def f(): f()\\nf()")
        g.finish()
        """,
    )
    assert done.reward == 0.0
    assert {check["id"]: check["passed"] for check in done.checks} == {
        "fine": True,
        "needs": False,
        "parses": False,
        "recursion": False,
    }
    assert done.checks[1]["message"] == "nothing there"


def test_messages_are_capped_and_printed_without_control_characters(open_folder: Path) -> None:
    done = grade(open_folder, "g = grade.Grade()\ng.check('a', False, 'é\\udc80\\x1b[2J' + 'x' * 9999)\ng.finish()\n")
    assert len(done.checks[0]["message"]) == 500
    assert json.dumps(done.out).isascii()


def test_a_given_reward_is_written(open_folder: Path) -> None:
    body = "g = grade.Grade()\ng.check('a', True)\ng.check('b', False, '0.5: half')\ng.finish(reward=0.63)\n"
    assert grade(open_folder, body).reward == 0.63
    assert grade(open_folder, "g = grade.Grade()\ng.check('a', True)\ng.finish(reward=1.0)\n").reward == 1.0


def test_a_given_reward_just_below_one_is_not_one(open_folder: Path) -> None:
    body = "g = grade.Grade()\ng.check('a', False, 'nearly')\ng.finish(reward=0.9999999)\n"
    assert grade(open_folder, body).reward == 0.999999


@pytest.mark.parametrize("reward", ["1.0", "1.5", "-0.1", "float('nan')"])
def test_a_reward_that_cannot_follow_from_the_checks_is_none(open_folder: Path, reward: str) -> None:
    done = grade(open_folder, f"g = grade.Grade()\ng.check('a', False, 'why')\ng.finish(reward={reward})\n")
    assert done.exit_code != 0
    assert done.reward is None
