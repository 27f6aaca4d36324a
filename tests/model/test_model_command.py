"""A program as a model: what it is given, and every way in which it can go wrong."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from envwheel.errors import ConfigError, ContextOverflow, ModelRefused, ModelTimeout, ModelUnavailable, SetupError
from envwheel.model.base import Message, Sampling, Tool
from envwheel.model.command import OUTPUT_LIMIT, CommandModel, open_model

BASH = Tool("bash", "run", {"type": "object"})


def program(tmp_path: Path, code: str, **settings: Any) -> CommandModel:
    script = tmp_path / "model.py"
    script.write_text("import json, sys, time, os, subprocess\n" + code)
    return open_model({"command": [sys.executable, "-I", "-S", str(script)], "retries": 0, "timeout_s": 20, **settings})


def ask(model: CommandModel, sampling: Sampling | None = None, text: str = "hi") -> Any:
    return model.complete([Message("user", text)], [BASH], sampling or Sampling())


def test_request_and_answer(tmp_path: Path) -> None:
    code = """
request = json.load(sys.stdin)
json.dump({"text": json.dumps(request), "tool_calls": [{"name": "bash", "arguments": {"command": "ls"}}],
           "usage": {"input_tokens": 3, "output_tokens": 2},
           "completion_token_ids": [5, 6], "logprobs": [-1, -2]}, sys.stdout)
"""
    done = ask(program(tmp_path, code, prices={"input": 1, "output": 1}), Sampling(0.5, max_tokens=9, seed=4))
    request = json.loads(done.text)
    assert request["schema"] == 1
    assert request["messages"] == [{"role": "user", "content": "hi"}]
    assert request["tools"][0]["function"]["name"] == "bash"
    assert request["sampling"] == {"temperature": 0.5, "max_tokens": 9, "seed": 4}
    assert done.tool_calls[0].arguments == {"command": "ls"}
    assert (done.completion_token_ids, done.logprobs) == ((5, 6), (-1, -2))
    assert done.usage.dollars == pytest.approx(5e-6)


def test_a_bare_text_costs_an_unknown_price(tmp_path: Path) -> None:
    done = ask(program(tmp_path, 'print(json.dumps({"text": "x"}))'))
    assert (done.text, done.usage.dollars, done.model) == ("x", None, f"command:{Path(sys.executable).name}")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print('x', file=sys.stderr); sys.exit(3)", "exit code 3: x"),
        ("os.kill(os.getpid(), 9)", "exit code -9"),
        ("print('hello')", "no JSON answer"),
        ("print('[1]')", "no JSON answer"),
        ("print('{}')", "`text`"),
        ("print('[' * 200000)", "no JSON answer"),
        ("""print('{"text": "a", "usage": {"tokens": 1}}')""", "no JSON answer"),
        ("""print('{"text": "a", "usage": {"input_tokens": "many"}}')""", "no JSON answer"),
        ("""print('{"text": "a", "completion_token_ids": ["a"]}')""", "no JSON answer"),
        ("""print('{"error": "unavailable", "retry_after_s": "soon"}')""", "no JSON answer"),
        ("pass", "no JSON answer"),
        ("sys.stderr.write('e' * 3_000_000); sys.exit(1)", "exit code 1"),
        ("""print('{"error": "unavailable", "message": "later"}')""", "later"),
        ("""print('{"error": "nonsense"}')""", "no JSON answer"),
    ],
)
def test_failures_are_unavailable(tmp_path: Path, code: str, said: str) -> None:
    with pytest.raises(ModelUnavailable, match=said):
        ask(program(tmp_path, code), text="long " * 100_000)


def test_a_huge_answer_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="larger than 16 MiB"):
        ask(program(tmp_path, "while True: sys.stdout.write('x' * 1_000_000)"))
    assert OUTPUT_LIMIT == 16 << 20


def test_time_limits_kill_the_program_and_its_children(tmp_path: Path) -> None:
    mark = tmp_path / "alive"
    code = f"subprocess.Popen(['sh', '-c', 'sleep 2; touch {mark}'])\ntime.sleep(60)"
    with pytest.raises(ModelTimeout):
        ask(program(tmp_path, code), Sampling(timeout_s=0.5))
    with pytest.raises(ModelUnavailable, match=r"no answer within 0\.3 s"):
        ask(program(tmp_path, "time.sleep(60)", timeout_s=0.3))
    ask(program(tmp_path, 'time.sleep(2.5); print(json.dumps({"text": ""}))'))
    assert not mark.exists()


def test_errors_of_the_format(tmp_path: Path) -> None:
    with pytest.raises(ModelRefused):
        ask(program(tmp_path, """print('{"error": "refused"}')"""))
    with pytest.raises(ContextOverflow):
        ask(program(tmp_path, """print('{"error": "overflow"}')"""))


def test_a_pause_that_the_program_asks_for_is_kept(tmp_path: Path) -> None:
    script, pauses = tmp_path / "model.py", []
    script.write_text("""print('{"error": "unavailable", "message": "busy", "retry_after_s": 7}')""")
    model = CommandModel([sys.executable, "-I", "-S", str(script)], {"retries": 2}, sleep=pauses.append)
    with pytest.raises(ModelUnavailable, match="after 3 tries: busy"):
        ask(model)
    assert pauses == [7.0, 7.0]


def test_the_programs_own_dollars_count_where_no_table_stands_above_them(tmp_path: Path) -> None:
    code = """print('{"text": null, "usage": {"input_tokens": 1000000, "dollars": 0.5}}')"""
    done = ask(program(tmp_path, code))
    assert (done.text, done.usage.dollars) == ("", 0.5)
    assert ask(program(tmp_path, code, prices={"input": 2.0, "output": 0})).usage.dollars == 2.0


def test_a_failure_is_tried_again(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    code = f"""
if not os.path.exists({str(mark)!r}):
    open({str(mark)!r}, "w"); sys.exit(1)
print('{{"text": "second"}}')"""
    assert ask(program(tmp_path, code, retries=1)).text == "second"


def test_opening_names_what_is_wrong() -> None:
    with pytest.raises(SetupError, match="no-such-program"):
        open_model({"argument": "no-such-program --x"})
    for wrong in ({}, {"command": "'"}, {"command": ""}, {"command": "cat", "speed": 1}, {"command": 7}):
        with pytest.raises(ConfigError):
            open_model(wrong)
