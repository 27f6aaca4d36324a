"""A key goes to its endpoint and nowhere else, however often the endpoint says it."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from spoken import FINISH, KINDS, WORK, Said, call, engine, settings, trouble, try_once

from envwheel.errors import ConfigError, EnvwheelError, SetupError
from envwheel.model.base import Completion, Message, Sampling, ToolCall
from envwheel.model.registry import open_model
from envwheel.model.secret import Secrets, in_environment, read_key

KEY = "sk-very-secret-0123456789"
VARIABLE = "SOME_API_KEY"


@pytest.fixture(autouse=True)
def in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


def told(kind: str, said: list[Said], endpoint: Any, folder: Path) -> dict[str, Any]:
    """Settings of a model that has the key; a program has it from its environment."""
    table = settings(kind, said, endpoint, folder)
    return table if kind == "command" else table | {"api_key_env": VARIABLE}


def written(folder: Path) -> str:
    """All that lies in `folder`, but for the answers that the test itself wrote down for its program."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "said.json"]
    return "\n".join(f"{path}\n{path.read_bytes().decode('utf-8', 'replace')}" for path in files)


ENDINGS = {"done": [call(FINISH, f"Bye {KEY}")], "dead": [Said("die", f"no, {KEY} is bad")]}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_trial_with_an_endpoint_that_repeats_the_key_leaves_none_behind(
    kind: str,
    ending: str,
    endpoint: Any,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    said = [
        trouble(429, 0.0, f"Authorization: Bearer {KEY}"),
        call(f"echo {KEY}; {WORK}", f"You sent me {KEY}."),
        Said("malformed", KEY, KEY),
        *ENDINGS[ending],
    ]
    boxes = engine()
    tried = try_once(kind, told(kind, said, endpoint, tmp_path) | {"retries": 1}, tmp_path, boxes=boxes)
    assert (tried.summary.outcome, tried.summary.turns) == (("scored", 3) if ending == "done" else ("infra", 2))
    if kind != "command":
        assert {headers["authorization"] for headers in endpoint.headers} == {f"Bearer {KEY}"}
    kept = written(tmp_path)
    assert "You sent me ***." in kept
    assert "echo ***; " in kept
    assert KEY not in kept
    assert KEY not in repr(tried)
    assert KEY not in caplog.text
    assert KEY not in "".join(capfd.readouterr())
    for box in boxes.boxes:
        assert KEY not in repr(box.spec) + repr(box.commands) + repr(box.files)


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
@pytest.mark.parametrize("status", [400, 401, 402, 404, 413, 422, 429, 500])
def test_no_error_repeats_the_key_wherever_it_is_cut(kind: str, status: int, endpoint: Any, tmp_path: Path) -> None:
    said = [trouble(status, 0.0, "x" * before + KEY) for before in range(560, 600, 3)]
    model = open_model(kind, told(kind, said, endpoint, tmp_path) | {"retries": 0})
    for _ in said:
        with pytest.raises(EnvwheelError) as caught:
            model.complete([Message("user", "hi")], [], Sampling())
        assert KEY[:6] not in str(caught.value)
    model.close()


def test_keys_in_escapes_in_names_and_in_nested_arguments_are_found() -> None:
    raw = json.loads('{"a": ["\\u0073k-very-secret-0123456789", {"sk-very-secret-0123456789": 1}], "b": 2}')
    answer = Completion(KEY, (ToolCall(KEY, KEY, raw, f"bad {KEY}"),), model=KEY, finish_reason=KEY)
    hidden = Secrets((KEY,)).hidden(answer)
    assert KEY not in repr(hidden)
    assert hidden.tool_calls[0].arguments == {"a": ["***", {"***": 1}], "b": 2}


def test_a_word_that_stands_for_no_key_is_no_secret() -> None:
    assert Secrets(("EMPTY",)).hide("echo EMPTY") == "echo EMPTY"
    assert Secrets().hidden(Completion("x")) == Completion("x")


def test_what_a_program_inherits_is_judged_by_name_and_length() -> None:
    environ = {"A_KEY": KEY, "A_TOKEN": "short", "KEYBOARD": "a" * 40, "db_password": "p" * 16, "HOME": "h" * 30}
    assert set(in_environment(environ).values) == {KEY, "p" * 16}
    assert KEY not in repr(in_environment(environ))


@pytest.mark.parametrize("value", ["schlüssel-0123456789", "two\nlines-0123456789"])
def test_a_key_that_no_header_can_carry_is_a_set_up_error(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, value)
    with pytest.raises(SetupError, match=VARIABLE) as caught:
        read_key({"api_key_env": VARIABLE}, "")
    assert "0123456789" not in str(caught.value)


@pytest.mark.parametrize("kind", ["openai:m", "anthropic:m"])
def test_settings_that_hold_a_key_are_refused_without_repeating_it(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for vendor in ("OPENAI", "ANTHROPIC"):
        monkeypatch.setenv(f"{vendor}_BASE_URL", f"https://user:{KEY}@host/v1")
    for wrong in ({"api_key": KEY}, {"base_url": f"https://user:{KEY}@host/v1"}, {}):
        with pytest.raises(ConfigError, match="environment only") as caught:
            open_model(kind, wrong)
        assert KEY not in str(caught.value)
