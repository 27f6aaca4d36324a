"""Error classes: each rule has something that it holds for, and something near to it that it does not hold for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from envwheel.propose.classes import PRINTED, WENT, Ran, classes, never_looked, ran, told_status

PRINTS = {
    "command_not_found": ("bash: line 1: jq: command not found", "the command was found"),
    "permission_denied": ("cat: /etc/shadow: Permission denied", "permission granted"),
    "no_such_file": ("cat: x: No such file or directory", "such a file or directory"),
    "syntax_error": ('  File "a.py", line 1\nSyntaxError: invalid syntax', "the syntax is fine"),
    "wrong_usage": ("sort: invalid option -- 'q'", "a valid option"),
    "missing_module": ("ModuleNotFoundError: No module named 'pandas'", "module pandas found"),
    "network": ("curl: (6) Could not resolve host: example.org", "resolved host"),
    "disk_full": ("write error: No space left on device", "space left on device"),
    "out_of_memory": ("MemoryError", "memory is fine"),
    "crashed": ("Segmentation fault", "segmentation of words"),
    "git_refused": ("fatal: not a git repository", "not fatal"),
}


def test_docs_list_every_class() -> None:
    page = (Path(__file__).parents[2] / "docs" / "digest.md").read_text("utf-8")
    listed = set(re.findall(r"^\| `([a-z_]+)` \|", page, re.M))
    assert listed == {rule.name for rule in PRINTED} | {name for name, _, _ in WENT}


def found(*commands: Ran, reason: str = "turns", passed: bool = False, unused: float | None = None) -> set[str]:
    return set(classes(commands, reason=reason, passed=passed, unused=unused))


def test_every_rule_over_outputs_is_tested_here() -> None:
    assert {rule.name for rule in PRINTED} == set(PRINTS)


@pytest.mark.parametrize("name", PRINTS)
def test_an_output_has_its_class_and_a_harmless_one_has_not(name: str) -> None:
    bad, good = PRINTS[name]
    assert name in found(Ran("x", f"before\n{bad}\nafter", 1))
    assert found(Ran("x", good, 0)) == {"ran_out"}


@pytest.mark.parametrize(
    ("code", "name"), [(127, "command_not_found"), (137, "out_of_memory"), (139, "crashed"), (134, "crashed")]
)
def test_an_exit_code_says_it_too(code: int, name: str) -> None:
    assert name in found(Ran("x", "", code))


def test_a_traceback_is_named_by_the_error_at_its_end() -> None:
    frames = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    f()\n'
    assert "traceback:KeyError" in found(Ran("x", f"{frames}KeyError: 'a'", 1))
    assert "traceback:JSONDecodeError" in found(Ran("x", f"{frames}json.decoder.JSONDecodeError: Expecting value", 1))
    both = f"{frames}KeyError: 'a'\n\nDuring handling:\n\n{frames}ValueError: b"
    assert {"traceback:KeyError", "traceback:ValueError"} <= found(Ran("x", both, 1))
    assert not any(name.startswith("traceback") for name in found(Ran("x", "KeyError: no traceback before it", 1)))


def test_a_class_is_named_once_in_the_order_of_the_commands() -> None:
    missing, denied = Ran("x", "x: No such file or directory", 1), Ran("y", "y: Permission denied", 1)
    assert classes([missing, denied, missing], reason="turns", passed=True, unused=None) == (
        "no_such_file",
        "permission_denied",
        "ran_out",
    )


def test_only_head_and_tail_of_a_flood_are_looked_at() -> None:
    flood = "a" * 15_000 + "\nx: No such file or directory\n" + "b" * 15_000
    assert "no_such_file" not in found(Ran("x", flood, 0))
    assert "no_such_file" in found(Ran("x", flood[:15_500], 0))


OK, WRONG = Ran("python3 a.py > out.txt", "", 0), Ran("cat out.txt", "cat: failed", 1)
WAYS = {
    "no_command": ({"reason": "no_command"}, [OK], {"reason": "turns"}, [OK]),
    "did_nothing": ({"reason": "no_command"}, [], {"reason": "no_command"}, [OK]),
    "ran_out": ({"reason": "time"}, [OK], {"reason": "done"}, [OK]),
    "command_timeout": ({}, [Ran("sleep 999", timed_out=True)], {}, [OK]),
    "output_cut": ({}, [Ran("yes", "y", 0, truncated=True)], {}, [OK]),
    "same_again": ({}, [OK, OK, OK], {}, [OK, OK, WRONG, OK]),
    "ended_on_error": ({}, [OK, WRONG], {}, [WRONG, OK]),
    "wrong_output": ({"reason": "done"}, [OK, Ran("cat out.txt", "1", 0)], {"reason": "done"}, [OK, WRONG]),
    "never_looked_at_result": ({"reason": "done"}, [OK], {"reason": "done"}, [OK, Ran("cat out.txt", "1", 0)]),
    "gave_up_early": ({"reason": "done", "unused": 0.7}, [OK], {"reason": "done", "unused": 0.3}, [OK]),
}


def test_every_rule_over_a_whole_trial_is_tested_here() -> None:
    assert {name for name, _, _ in WENT} == set(WAYS)


@pytest.mark.parametrize("name", WAYS)
def test_a_trial_has_its_class_and_another_way_of_going_has_not(name: str) -> None:
    facts, commands, other_facts, other_commands = WAYS[name]
    assert name in found(*commands, **facts)  # type: ignore[arg-type]
    assert name not in found(*other_commands, **other_facts)  # type: ignore[arg-type]


def test_who_passed_gave_up_nothing() -> None:
    assert found(OK, reason="done", passed=True, unused=0.9) == set()


def test_the_command_that_says_done_is_not_the_last_one() -> None:
    done = Ran("echo ENVWHEEL_DONE", "ENVWHEEL_DONE", 0)
    assert "ended_on_error" in found(WRONG, done, reason="done")


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        (["echo 1 > a"], True),
        (["echo 1 > a && cat a"], False),
        (["cat a", "sed -i s/1/2/ a"], True),
        (["cat > a <<'EOF'\ncat me\nls\nEOF"], True),
        (["cat > a <<'EOF'\nx\nEOF\npython3 a"], False),
        (["ls 2>/dev/null", "echo done"], False),
        (["echo 1 > a", "category a"], True),
        (["echo 1 > a", "[ -s a ]"], False),
        (["make > log 2>&1", "git diff"], False),
        ([], False),
    ],
)
def test_whether_the_result_was_looked_at(commands: list[str], expected: bool) -> None:
    assert never_looked(commands) is expected


def test_commands_and_what_came_of_them_are_read_from_steps() -> None:
    steps = [
        {"source": "agent", "example": True, "tool_calls": [{"id": "0", "arguments": {"command": "shown"}}]},
        {
            "source": "agent",
            "tool_calls": [{"id": "1", "name": "bash", "arguments": {"command": "ls"}}, {"id": "2", "name": "submit"}],
            "observations": [{"call_id": "1", "content": "a", "exit_code": 2, "truncated": True}],
        },
        {"source": "agent", "tool_calls": [{"name": "bash_command", "arguments": {"keystrokes": "pwd\n"}}]},
    ]
    assert ran(steps) == [Ran("ls", "a", 2, truncated=True), Ran("submit"), Ran("pwd\n")]


@pytest.mark.parametrize(
    ("output", "code"),
    [
        ("a\n(exit_code=1)", 1),
        ("a\n[exit code 2; 30 s left]", 2),
        ("<returncode>127</returncode>\n<output>", 127),
        ("nothing of the kind", None),
        ("exit code of the day", None),
    ],
)
def test_exit_codes_that_agents_write_below_an_output(output: str, code: int | None) -> None:
    assert told_status(output) == code
