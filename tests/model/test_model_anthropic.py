"""The client of Anthropic's Messages API, against a real server: format, caching, what it costs, what goes wrong."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from envwheel.errors import ConfigError, ContextOverflow, ModelRefused, ModelUnavailable, SetupError
from envwheel.model.anthropic import SAMPLED, AnthropicModel, open_model
from envwheel.model.base import Message, Sampling, Tool, ToolCall

KEY = "sk-ant-very-secret-0123456789"
BASH = Tool("bash", "run", {"type": "object", "properties": {}})
TALK = [
    Message("system", "Be brief."),
    Message("user", "hi"),
    Message("assistant", "", (ToolCall("a", "bash", {"command": "ls"}), ToolCall("b.1", "my tool", {}, "bad"))),
    Message("tool", "lone \udcff surrogate", tool_call_id="a"),
    Message("tool", " ", tool_call_id="b.1"),
    Message("assistant", ""),
    Message("user", "There was no command."),
]
USAGE = {"input_tokens": 30, "cache_read_input_tokens": 50, "cache_creation_input_tokens": 20, "output_tokens": 5}


def message(*content: dict[str, Any], reason: str = "end_turn", **more: Any) -> dict[str, Any]:
    return {
        "type": "message",
        "model": "served",
        "content": list(content),
        "stop_reason": reason,
        "usage": USAGE,
    } | more


def said(text: str = "hello") -> dict[str, Any]:
    return {"type": "text", "text": text}


@pytest.fixture
def opened(endpoint: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Opens the model with the endpoint's address and the key in the environment."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    models: list[AnthropicModel] = []

    def make(**settings: Any) -> AnthropicModel:
        models.append(
            open_model({"argument": "m", "base_url": endpoint.url.removesuffix("/v1"), "retries": 0, **settings})
        )
        return models[-1]

    yield make
    for model in models:
        model.close()


def ask(model: AnthropicModel, messages: Any = TALK, sampling: Sampling | None = None) -> Any:
    return model.complete(messages, [BASH], sampling or Sampling())


def test_system_apart_results_in_one_message_and_no_empty_texts(endpoint: Any, opened: Any) -> None:
    endpoint.then(200, message(said()))
    ask(opened(cache=False), sampling=Sampling(max_tokens=77, stop=("END",), seed=5))
    sent = endpoint.asked[0]
    assert endpoint.paths == ["/v1/messages"]
    assert endpoint.headers[0]["authorization"] == f"Bearer {KEY}"
    assert sent["system"] == [{"type": "text", "text": "Be brief."}]
    assert sent["tools"] == [{"name": "bash", "description": "run", "input_schema": BASH.parameters}]
    assert (sent["model"], sent["max_tokens"], sent["stop_sequences"]) == ("m", 77, ["END"])
    assert {"temperature", "top_p", "seed", "stream"}.isdisjoint(sent)
    user, assistant, results, nothing, reminder = sent["messages"]
    assert user == {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    assert assistant["content"] == [
        {"type": "tool_use", "id": "a", "name": "bash", "input": {"command": "ls"}},
        {"type": "tool_use", "id": "b_1", "name": "my_tool", "input": {}},
    ]
    assert results["content"] == [
        {"type": "tool_result", "tool_use_id": "a", "content": "lone ? surrogate"},
        {"type": "tool_result", "tool_use_id": "b_1"},
    ]
    assert nothing == {"role": "assistant", "content": [{"type": "text", "text": "(nothing)"}]}
    assert reminder["role"] == "user"


def test_an_answer_with_its_calls_usage_and_dollars(endpoint: Any, opened: Any) -> None:
    calls = {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}}
    endpoint.then(200, message(said("a"), {"type": "thinking", "thinking": "?"}, said("b"), calls, reason="tool_use"))
    done = ask(opened(prices={"input": 1.0, "output": 10.0, "cached": 0.1, "cache_write": 1.25}))
    assert (done.text, done.finish_reason, done.model) == ("ab", "tool_calls", "served")
    assert done.tool_calls == (ToolCall("t1", "bash", {"command": "ls"}),)
    usage = done.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens) == (100, 5, 50)
    assert usage.dollars == pytest.approx((30 * 1.0 + 50 * 0.1 + 20 * 1.25 + 5 * 10.0) / 1e6)


def marks(body: dict[str, Any]) -> list[str]:
    """Where the marks are, in the order in which the API reads a prompt."""
    found = [f"tool {tool['name']}" for tool in body.get("tools", ()) if "cache_control" in tool]
    found += [block["text"] for block in body.get("system", ()) if "cache_control" in block]
    for number, turn in enumerate(body["messages"]):
        found += [f"message {number}" for block in turn["content"] if "cache_control" in block]
    return found


def without_marks(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_marks(one) for key, one in value.items() if key != "cache_control"}
    return [without_marks(one) for one in value] if isinstance(value, list) else value


def test_marks_stand_behind_system_and_the_last_two_user_messages(endpoint: Any, opened: Any) -> None:
    endpoint.then(200, message(said()))
    model = opened()
    for messages in (TALK[:2], TALK[:5], TALK, TALK[1:2]):
        ask(model, messages)
    assert [marks(body) for body in endpoint.asked] == [
        ["Be brief.", "message 0"],
        ["Be brief.", "message 0", "message 2"],
        ["Be brief.", "message 2", "message 4"],
        ["tool bash", "message 0"],
    ]


def test_a_turn_reads_what_the_turn_before_it_wrote(endpoint: Any, opened: Any) -> None:
    endpoint.then(200, message(said()))
    model = opened()
    ask(model, TALK[:2])
    ask(model, TALK[:5])
    first, second = endpoint.asked
    assert marks(first)[-1] in marks(second)
    for part in ("tools", "system"):
        assert without_marks(second[part]) == without_marks(first[part])
    assert without_marks(second["messages"])[: len(first["messages"])] == without_marks(first["messages"])


def test_sampling_settings_go_to_the_version_that_takes_them_only(endpoint: Any, opened: Any) -> None:
    endpoint.then(200, message(said()))
    ask(opened(version=SAMPLED), sampling=Sampling(0.5, 0.9))
    assert (endpoint.asked[0]["temperature"], endpoint.asked[0]["top_p"]) == (0.5, 0.9)
    assert endpoint.headers[0]["anthropic-version"] == SAMPLED
    for sampling in (Sampling(0.5), Sampling(top_p=0.9)):
        with pytest.raises(ConfigError, match="version"):
            ask(opened(), sampling=sampling)
    assert len(endpoint.asked) == 1


def test_extra_fields_and_left_out_ones(endpoint: Any, opened: Any) -> None:
    endpoint.then(200, message(said()))
    ask(opened(extra_body={"service_tier": "standard_only"}, omit=["stop_sequences"], tools=False))
    assert endpoint.asked[0]["service_tier"] == "standard_only"
    assert {"stop_sequences", "tools"}.isdisjoint(endpoint.asked[0])


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (200, message(reason="refusal"), ModelRefused),
        (200, message(said("half"), reason="model_context_window_exceeded"), ContextOverflow),
        (400, {"message": "prompt is too long: 205000 tokens > 200000 maximum"}, ContextOverflow),
        (400, {"message": "input length and `max_tokens` exceed context limit: 199 + 9 > 200"}, ContextOverflow),
        (413, {"type": "request_too_large", "message": "Request exceeds the maximum size"}, ContextOverflow),
        (400, {"message": "Your credit balance is too low to access the API."}, SetupError),
        (401, {"type": "authentication_error", "message": f"invalid bearer {KEY}"}, SetupError),
        (529, {"type": "overloaded_error", "message": "Overloaded"}, ModelUnavailable),
        (400, {"message": "thinking: Extra inputs are not permitted"}, ModelUnavailable),
        (200, {"content": []}, ModelUnavailable),
        (200, message({"type": "tool_use", "id": "t", "name": "bash", "input": 5}), ModelUnavailable),
        (200, message(said(), usage={"input_tokens": "many"}), ModelUnavailable),
        (200, {"type": "error", "error": {"type": "overloaded_error"}}, ModelUnavailable),
    ],
)
def test_what_goes_wrong_is_told_apart(
    endpoint: Any, opened: Any, status: int, body: Any, error: type[Exception], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    endpoint.then(status, body if status == 200 else {"type": "error", "error": body})
    with pytest.raises(error) as caught:
        ask(opened())
    assert type(caught.value) is error
    assert KEY not in str(caught.value) + caplog.text
    assert len(endpoint.asked) == 1


def test_opening_names_what_is_missing_or_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(SetupError, match="export ANTHROPIC_API_KEY="):
        open_model({"argument": "m"})
    for wrong in ({"api_key": KEY}, {"max_tokens_field": "x"}, {"base_url": f"https://me:{KEY}@host"}, {}):
        with pytest.raises(ConfigError) as caught:
            open_model({"api_key_env": "", **({"model": "m"} if wrong else {}), **wrong})
        assert KEY not in str(caught.value)
    model = open_model({"argument": "m", "api_key_env": ""})
    assert repr(model) == "AnthropicModel('m')"
    model.close()
