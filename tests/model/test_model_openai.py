"""The client of chat-completions endpoints, against a real server: answers, every kind of failure, and the key."""

from __future__ import annotations

import email.utils
import logging
import time
from http.server import BaseHTTPRequestHandler
from typing import Any

import openai
import pytest

from envwheel.errors import (
    ConfigError,
    ContextOverflow,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    SetupError,
)
from envwheel.model.base import Message, Sampling, Tool, ToolCall
from envwheel.model.openai import OpenAIModel, open_model

KEY = "sk-very-secret-0123456789"
HELLO = [Message("user", "hi")]
BASH = Tool("bash", "run", {"type": "object"})
FAST = {"retries": 2}


def model(endpoint: Any, **settings: Any) -> tuple[OpenAIModel, list[float]]:
    """The model, and the pauses that it took (none is really waited for)."""
    pauses: list[float] = []
    client = openai.OpenAI(api_key=KEY, base_url=endpoint.url, max_retries=0)
    return OpenAIModel("m", client, {**FAST, **settings}, KEY, sleep=pauses.append), pauses


def ask(endpoint: Any, sampling: Sampling | None = None, **settings: Any) -> Any:
    return model(endpoint, **settings)[0].complete(HELLO, [BASH], sampling or Sampling())


def test_a_request_carries_what_was_asked_and_the_answer_its_usage(endpoint: Any) -> None:
    endpoint.chat()
    done = ask(endpoint, Sampling(0.5, 0.9, 77, 3, ("END",)), prices={"input": 1.0, "output": 10.0, "cached": 0.5})
    sent = endpoint.asked[0]
    assert endpoint.paths == ["/v1/chat/completions"]
    assert endpoint.headers[0]["authorization"] == f"Bearer {KEY}"
    assert {k: sent[k] for k in ("model", "temperature", "top_p", "max_tokens", "seed", "stop")} == {
        "model": "m",
        "temperature": 0.5,
        "top_p": 0.9,
        "max_tokens": 77,
        "seed": 3,
        "stop": ["END"],
    }
    assert sent["tools"][0]["function"]["name"] == "bash"
    assert (done.text, done.model, done.finish_reason) == ("hello", "served", "stop")
    usage = done.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens) == (100, 10, 40)
    assert usage.dollars == pytest.approx((60 * 1.0 + 40 * 0.5 + 10 * 10.0) / 1e6)


def test_without_a_price_dollars_are_unknown(endpoint: Any) -> None:
    assert ask(endpoint.chat()).usage.dollars is None


def test_settings_shape_the_request(endpoint: Any) -> None:
    endpoint.chat()
    ask(
        endpoint,
        tools=False,
        max_tokens_field="max_completion_tokens",
        omit=["temperature"],
        extra_body={"top_k": 5},
        return_token_ids=True,
        logprobs=True,
    )
    sent = endpoint.asked[0]
    assert "tools" not in sent
    assert "temperature" not in sent
    assert "max_tokens" not in sent
    assert sent["max_completion_tokens"] == 2048
    assert (sent["top_k"], sent["return_token_ids"], sent["logprobs"]) == (5, True, True)


def test_a_conversation_with_tools_goes_out_in_the_format(endpoint: Any) -> None:
    endpoint.chat()
    history = [
        Message("assistant", "", (ToolCall("a", "bash", {"command": "ls"}),)),
        Message("tool", "lone \udcff surrogate", tool_call_id="a"),
    ]
    model(endpoint)[0].complete([*HELLO, *history], [BASH], Sampling())
    _, assistant, tool = endpoint.asked[0]["messages"]
    assert assistant["content"] is None
    assert assistant["tool_calls"][0]["function"] == {"name": "bash", "arguments": '{"command": "ls"}'}
    assert tool == {"role": "tool", "tool_call_id": "a", "content": "lone ? surrogate"}


def test_tool_calls_good_and_malformed(endpoint: Any) -> None:
    calls = [
        {"id": "a", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}},
        {"id": "b", "type": "function", "function": {"name": "bash", "arguments": '{"command": "l'}},
        {"id": None, "type": "function", "function": {"name": "bash", "arguments": "[1]"}},
    ]
    done = ask(endpoint.chat(None, message_tool_calls=calls, finish_reason="tool_calls"))
    assert done.tool_calls[0] == ToolCall("a", "bash", {"command": "ls"})
    assert [bool(call.malformed) for call in done.tool_calls] == [False, True, True]
    assert done.tool_calls[2].id == "call_2"


def test_token_ids_and_logprobs_are_kept_when_they_match(endpoint: Any) -> None:
    logprobs = {"content": [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": -1.5}]}
    endpoint.chat(token_ids=[7, 8], logprobs=logprobs, top_prompt_token_ids=[1, 2, 3])
    done = ask(endpoint)
    assert (done.prompt_token_ids, done.completion_token_ids) == ((1, 2, 3), (7, 8))
    assert done.logprobs == (-0.5, -1.5)
    endpoint.answers.clear()
    endpoint.chat(token_ids=[7, 8, 9], logprobs=logprobs)
    done = ask(endpoint)
    assert (done.completion_token_ids, done.logprobs) == ((7, 8, 9), None)


@pytest.mark.parametrize("finish", ["stop", "length"])
def test_empty_and_cut_answers_come_back_as_they_are(endpoint: Any, finish: str) -> None:
    done = ask(endpoint.chat(None, finish_reason=finish))
    assert (done.text, done.tool_calls, done.finish_reason) == ("", (), finish)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_passing_trouble_is_tried_again(endpoint: Any, status: int) -> None:
    endpoint.then(status, {"error": {"message": "busy"}}).then(status, b"<html>busy</html>").chat()
    client, pauses = model(endpoint)
    assert client.complete(HELLO, [], Sampling()).text == "hello"
    assert len(pauses) == 2
    assert 0.7 < pauses[0] < 1.3 < pauses[1] < 2.6


def test_retry_after_is_honoured_as_seconds_and_as_a_date(endpoint: Any) -> None:
    date = email.utils.formatdate(time.time() + 40, usegmt=True)
    endpoint.then(429, {}, {"Retry-After": "7"}).then(503, {}, {"Retry-After": date}).chat()
    client, pauses = model(endpoint)
    client.complete(HELLO, [], Sampling())
    assert pauses[0] == 7.0
    assert 20 < pauses[1] <= 41


def test_retries_end_and_say_so(endpoint: Any) -> None:
    endpoint.then(503, {"error": {"message": "overloaded"}})
    with pytest.raises(ModelUnavailable, match=r"after 3 tries: HTTP 503: overloaded"):
        ask(endpoint)
    assert len(endpoint.asked) == 3


def test_a_wait_longer_than_the_callers_time_is_not_begun(endpoint: Any) -> None:
    endpoint.then(429, {}, {"Retry-After": "90"})
    client, pauses = model(endpoint)
    with pytest.raises(ModelUnavailable, match="after 1 tries"):
        client.complete(HELLO, [], Sampling(timeout_s=10.0))
    assert pauses == []


def test_an_endpoint_that_dies_in_the_middle_is_tried_again(endpoint: Any) -> None:
    def half(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", "5000")
        request.end_headers()
        request.wfile.write(b'{"choices": [')
        request.wfile.flush()
        request.close_connection = True

    endpoint.answers.append(half)
    assert ask(endpoint.chat()).text == "hello"
    endpoint.answers[:] = [half]
    with pytest.raises(ModelUnavailable, match="broke"):
        ask(endpoint)


def test_an_endpoint_that_is_not_there(endpoint: Any) -> None:
    client = openai.OpenAI(api_key=KEY, base_url="http://127.0.0.1:9/v1", max_retries=0)
    absent = OpenAIModel("m", client, FAST, KEY, sleep=lambda s: None)
    with pytest.raises(ModelUnavailable, match="no connection"):
        absent.complete(HELLO, [], Sampling())


def test_silence_and_trickling_end_at_the_time_limit(endpoint: Any) -> None:
    def silent(request: BaseHTTPRequestHandler) -> None:
        endpoint.stopped.wait(20)

    def trickling(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        while not endpoint.stopped.wait(0.05):
            try:
                request.wfile.write(b" ")
            except OSError:
                return

    for never in (silent, trickling):
        endpoint.answers[:] = [never]
        with pytest.raises(ModelTimeout):
            ask(endpoint, Sampling(timeout_s=0.3))
        with pytest.raises(ModelUnavailable, match=r"no answer within 0.2 s"):
            ask(endpoint, timeout_s=0.2, retries=1)


@pytest.mark.parametrize(
    "body",
    [b"<html>", b"", b"[" * 100_000, b'"text"', {}, {"choices": []}, {"choices": [{"message": None}]}, {"choices": 3},
     {"choices": [{"message": {"content": 5}}]}, {"choices": [{"message": {"tool_calls": [{}]}}]},
     {"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": "many"}}],
)  # fmt: skip
def test_garbage_is_unavailable(endpoint: Any, body: Any) -> None:
    with pytest.raises(ModelUnavailable):
        ask(endpoint.then(200, body))


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"code": "context_length_exceeded", "message": "too long"}),
        (400, {"message": "This model's maximum context length is 8192 tokens."}),
        (400, {"message": "the request exceeds the available context size", "type": "exceed_context_size_error"}),
        (413, {"message": "payload"}),
    ],
)
def test_overflow_is_recognised(endpoint: Any, status: int, error: dict[str, str]) -> None:
    with pytest.raises(ContextOverflow):
        ask(endpoint.then(status, {"error": error}))
    assert len(endpoint.asked) == 1


def test_refusals_are_recognised(endpoint: Any) -> None:
    for answer in (
        endpoint.chat("", finish_reason="content_filter"),
        endpoint.chat(None, message_refusal="I cannot help"),
        endpoint.then(400, {"error": {"code": "content_filter", "message": "policy"}}),
    ):
        endpoint.answers[:] = endpoint.answers[-1:]
        with pytest.raises(ModelRefused):
            ask(answer)


@pytest.mark.parametrize(
    ("status", "error", "said"),
    [
        (401, {"message": f"Incorrect API key provided: {KEY}"}, "Is the key in OPENAI_API_KEY valid"),
        (402, {"message": "pay"}, "no credit"),
        (429, {"code": "insufficient_quota", "message": "quota"}, "no credit"),
        (404, {"message": "no such model"}, "base_url"),
        (400, {"message": "this model does not support tools"}, "tools = false"),
    ],
)
def test_what_only_the_person_can_mend_is_a_set_up_error(endpoint: Any, status: int, error: Any, said: str) -> None:
    with pytest.raises(SetupError, match=said) as caught:
        ask(endpoint.then(status, {"error": error}))
    assert KEY not in str(caught.value)
    assert len(endpoint.asked) == 1


def test_an_unknown_parameter_names_the_way_out(endpoint: Any) -> None:
    with pytest.raises(ModelUnavailable, match="omit"):
        ask(endpoint.then(400, {"error": {"message": "Unsupported parameter: 'temperature'"}}))


def test_the_key_is_nowhere(endpoint: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    endpoint.then(500, {"error": {"message": f"bad key {KEY}"}})
    client, _ = model(endpoint)
    with pytest.raises(ModelUnavailable) as caught:
        client.complete(HELLO, [], Sampling())
    error: BaseException | None = caught.value
    while error:
        assert KEY not in repr(error) + str(error)
        error = None if error.__suppress_context__ else error.__cause__ or error.__context__
    assert KEY not in repr(client)
    assert KEY not in caplog.text
    assert KEY not in repr(client.complete)


def test_opening_names_what_is_missing_or_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    with pytest.raises(SetupError, match="export SOME_KEY="):
        open_model({"model": "m", "api_key_env": "SOME_KEY"})
    monkeypatch.setenv("SOME_KEY", KEY)
    assert open_model({"argument": "m", "api_key_env": "SOME_KEY"}).name == "m"
    assert open_model({"model": "m", "api_key_env": "", "base_url": "http://127.0.0.1:9/v1"}).supports_tools
    for wrong in ({"api_key": KEY}, {"temprature": 1}, {"timeout_s": "long"}, {"prices": {"input": 1}}, {}):
        with pytest.raises(ConfigError) as caught:
            open_model({"api_key_env": "", **({"model": "m"} if wrong else {}), **wrong})
        assert KEY not in str(caught.value)
