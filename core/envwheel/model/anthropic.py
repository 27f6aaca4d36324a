"""Anthropic's Messages API, by its own SDK: `anthropic:MODEL`, extra `[anthropic]`.

Settings (docs/models.md): model, base_url, api_key_env, tools, timeout_s, retries, prices, cache, version, omit,
extra_body. Prompts are cached: marks behind the system prompt (which covers the tools) and behind the last two user
messages, so that each turn reads what the turn before it wrote.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from envwheel.errors import ConfigError, ContextOverflow, ModelRefused, ModelUnavailable, SetupError
from envwheel.model.base import Completion, Message, ModelUsage, Sampling, Tool, ToolCall
from envwheel.model.calls import without_cut_call
from envwheel.model.endpoint import Endpoint
from envwheel.model.prices import Price, price_of, priced
from envwheel.model.secret import read_key
from envwheel.model.settings import known, number
from envwheel.model.wire import callable_name, encodable

KEY_VARIABLE = "ANTHROPIC_API_KEY"
SAMPLED = "2023-06-01"
"""The version of the API that still takes `temperature` and `top_p`; later ones refuse them, defaults too."""
FINISH = {"end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool_calls", "max_tokens": "length"}
_KEYS = """model argument base_url api_key_env tools timeout_s retries prices cache version omit extra_body"""
_MARK = {"type": "ephemeral"}


def open_model(settings: Mapping[str, Any]) -> AnthropicModel:
    """The model that `settings` describe. Raises SetupError (package or key missing) and ConfigError."""
    key = read_key(settings, KEY_VARIABLE)
    known(settings, _KEYS)
    name = settings.get("argument") or settings.get("model")
    if not name:
        raise ConfigError("model: which one? Write anthropic:MODEL, or set `model`.")
    try:
        import anthropic
    except ImportError:
        raise SetupError(
            "The package `anthropic` is not installed. Install it with: pip install 'envwheel[anthropic]'"
        ) from None
    version = settings.get("version")
    client = anthropic.Anthropic(
        api_key=key or "none",
        base_url=settings.get("base_url") or None,
        max_retries=0,
        timeout=number(settings, "timeout_s", 600),
        default_headers={"anthropic-version": str(version)} if version else None,
    )
    return AnthropicModel(str(name), client, settings, key)


class AnthropicModel:
    """A model behind the Messages API. Thread-safe."""

    def __init__(
        self,
        name: str,
        client: Any,
        settings: Mapping[str, Any],
        key: str = "",
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        import anthropic

        self.name = name
        self.supports_tools = bool(settings.get("tools", True))
        self._settings = settings
        self._create = client.messages.with_streaming_response.create
        self._price = price_of(settings, name, str(client.base_url))
        self._endpoint = Endpoint(name, anthropic, client, settings, key, KEY_VARIABLE, sleep=sleep, clock=clock)

    def __repr__(self) -> str:
        return f"AnthropicModel({self.name!r})"

    def complete(self, messages: Sequence[Message], tools: Sequence[Tool], sampling: Sampling) -> Completion:
        """One answer, after as many tries as `retries` and `sampling.timeout_s` allow.

        Raises ConfigError for sampling settings that the version of the API does not take.
        """
        settings = self._settings
        body = request(self.name, messages, tools if self.supports_tools else (), sampling)
        if settings.get("version") == SAMPLED:
            body["temperature"] = sampling.temperature
            if sampling.top_p is not None:
                body["top_p"] = sampling.top_p
        elif sampling.temperature != 1.0 or sampling.top_p is not None:
            raise ConfigError(
                f"{self.name}: this version of Anthropic's API takes no temperature and no top_p. Leave `temperature` "
                f'of the agent at 1.0 and `top_p` unset, or set `version = "{SAMPLED}"` in the model\'s settings.'
            )
        if settings.get("cache", True):
            mark(body)
        body |= settings.get("extra_body") or {}
        body = {key: value for key, value in body.items() if key not in settings.get("omit", ())}
        return self._endpoint.ask(self._create, body, lambda data: completion(data, self._price), sampling.timeout_s)

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.client.close()


def request(model: str, messages: Sequence[Message], tools: Sequence[Tool], sampling: Sampling) -> dict[str, Any]:
    """The body of a request. The API has no seed."""
    system = [_text(message.content) for message in messages if message.role == "system" and message.content]
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": sampling.max_tokens,
        "system": system,
        "messages": _turns(messages),
        "stop_sequences": list(sampling.stop),
        "tools": [{"name": t.name, "description": t.description, "input_schema": dict(t.parameters)} for t in tools],
    }
    return {key: value for key, value in body.items() if value != []}


def mark(body: dict[str, Any]) -> None:
    """Put the marks behind which the API caches, at most three of the four that it allows."""
    for part in ("system", "tools"):
        if body.get(part):
            body[part][-1] = {**body[part][-1], "cache_control": _MARK}
            break
    for turn in [turn for turn in body["messages"] if turn["role"] == "user"][-2:]:
        turn["content"][-1]["cache_control"] = _MARK


def _turns(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """User and assistant in turns: the results of all calls of an answer are one user message."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        if not turns or turns[-1]["role"] != role:
            turns.append({"role": role, "content": []})
        turns[-1]["content"] += _blocks(message)
    return turns


def _blocks(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        result = {"type": "tool_result", "tool_use_id": _id(message.tool_call_id)}
        return [{**result, "content": encodable(message.content)} if message.content.strip() else result]
    said = [_text(message.content)] if message.content.strip() else []
    calls = [
        {"type": "tool_use", "id": _id(call.id), "name": callable_name(call.name), "input": dict(call.arguments)}
        for call in message.tool_calls
    ]
    # The API refuses an empty text, and a message without any block.
    return said + calls or [_text("(nothing)")]


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": encodable(text)}


def _id(text: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "_", text) or "call"


def completion(data: Any, price: Price | None = None) -> Completion:
    """The answer in `data`. Raises ModelUnavailable when it is no message, ModelRefused, ContextOverflow."""
    try:
        said = [block["text"] for block in data["content"] if block["type"] == "text"]
        calls = tuple(
            ToolCall(str(block["id"]), str(block["name"]), dict(block["input"]))
            for block in data["content"]
            if block["type"] == "tool_use"
        )
        reason = str(data["stop_reason"])
        text = "".join(said)
        usage = _usage(data["usage"], price)
        model = str(data.get("model") or "")
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ModelUnavailable(f"the answer is no message ({type(error).__name__}: {error})") from None
    if reason == "refusal":
        raise ModelRefused(f"the provider refused to answer: {text[:300] or 'no reason given'}")
    if reason == "model_context_window_exceeded":
        raise ContextOverflow("the context was full before the answer was whole")
    finish = FINISH.get(reason, "stop")
    return Completion(text, without_cut_call(calls, finish), usage, finish, model)


def _usage(usage: Mapping[str, Any], price: Price | None) -> ModelUsage:
    """The API counts fresh, read and written tokens apart; `input_tokens` of ours are all three."""
    read, written = (int(usage.get(f"cache_{way}_input_tokens") or 0) for way in ("read", "creation"))
    fresh = int(usage.get("input_tokens") or 0)
    return priced(ModelUsage(fresh + read + written, int(usage.get("output_tokens") or 0), read), price, written)
