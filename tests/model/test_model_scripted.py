"""Recorded answers, by themselves and over the real client and a real socket."""

from __future__ import annotations

import json
from pathlib import Path

import openai
import pytest

from envwheel.errors import ConfigError, ContextOverflow, ModelRefused, ModelUnavailable, UsageError
from envwheel.model.base import Completion, Message, ModelUsage, Sampling, ToolCall
from envwheel.model.openai import OpenAIModel
from envwheel.model.registry import open_model
from envwheel.model.scripted import ScriptedModel, serve
from envwheel.rollout import RolloutWriter


def turn(number: int) -> list[Message]:
    return [Message("user", "task"), *[Message("assistant", "a"), Message("user", "out")] * number]


def test_the_nth_turn_gets_the_nth_answer(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('"one"\n{"text": "two", "usage": {"input_tokens": 5}}\n{"error": "refused"}\n')
    model = open_model(f"scripted:{path}")
    assert model.complete(turn(1), [], Sampling()).text == "two"
    assert model.complete(turn(0), [], Sampling()).text == "one"
    with pytest.raises(ModelRefused):
        model.complete(turn(2), [], Sampling())
    assert model.complete(turn(3), [], Sampling()).text == "one"


def test_without_cycling_the_end_is_an_end(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text('["one"]')
    model = open_model("scripted", {"path": str(path), "cycle": False})
    with pytest.raises(ModelUnavailable, match="only 1 recorded"):
        model.complete(turn(1), [], Sampling())


def test_a_rollout_replays_itself(tmp_path: Path) -> None:
    writer = RolloutWriter(tmp_path / "r.jsonl")
    writer.step({"source": "agent", "message": "a worked example", "example": True})
    writer.step({"source": "user", "message": "task"})
    call = {"id": "a", "name": "bash", "arguments": {"command": "ls"}}
    usage = {"input_tokens": 4, "output_tokens": 2, "cached_tokens": 0, "dollars": 0.25}
    writer.step({"source": "agent", "message": "m", "tool_calls": [call], "usage": usage, "logprobs": [-1.0]})
    done = open_model(f"scripted:{writer.path}").complete(turn(0), [], Sampling())
    assert (done.text, done.usage, done.logprobs) == ("m", ModelUsage(4, 2, 0, 0.25), (-1.0,))
    assert done.tool_calls == (ToolCall("a", "bash", {"command": "ls"}),)


@pytest.mark.parametrize(
    "text", ["", "[]", "7", "[7]", "{", '[{"error": "what"}]', '[{"text": "x", "usage": {"a": 1}}]']
)
def test_files_that_hold_no_answers(tmp_path: Path, text: str) -> None:
    path = tmp_path / "answers.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match="no list of answers"):
        open_model(f"scripted:{path}")


def test_a_missing_file_and_an_unknown_model_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="absent"):
        open_model(f"scripted:{tmp_path}/absent.json")
    with pytest.raises(UsageError, match=r"no model 'oracle'.*openai"):
        open_model("oracle:x")


def test_served_over_http_the_client_sees_the_same_answers() -> None:
    first = Completion(
        "t",
        (ToolCall("a", "bash", {"command": "ls"}),),
        ModelUsage(9, 3, 2),
        "tool_calls",
        "m",
        (1, 2),
        (3, 4),
        (-1.0, -2.0),
    )
    answers = [first, ContextOverflow("full"), ModelRefused("no"), ModelUnavailable("down")]
    with serve(ScriptedModel(answers, tools=True)) as url:
        client = openai.OpenAI(api_key="none", base_url=url, max_retries=0)
        model = OpenAIModel("m", client, {"retries": 1}, sleep=lambda seconds: None)
        assert model.complete(turn(0), [], Sampling()) == first
        for number, error in enumerate((ContextOverflow, ModelRefused, ModelUnavailable), 1):
            with pytest.raises(error):
                model.complete(turn(number), [], Sampling())
        model.close()


def test_answers_file_of_plain_json_types(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    path.write_text(json.dumps([{"message": "as a rollout says it", "finish_reason": "length"}]))
    done = open_model(f"scripted:{path}").complete(turn(0), [], Sampling())
    assert (done.text, done.finish_reason) == ("as a rollout says it", "length")
