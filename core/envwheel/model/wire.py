"""The chat-completions format, both ways: our messages as JSON, and a JSON answer as a `Completion`.

`openai.py`, `command.py` and `local.py` speak it. Everything that comes in was written by somebody else: whatever is
missing or of a wrong type becomes a `ModelUnavailable` that names it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from envwheel.errors import ModelRefused, ModelUnavailable
from envwheel.model.base import Completion, Message, ModelUsage, Sampling, Tool, ToolCall
from envwheel.model.calls import parse_call, without_cut_call
from envwheel.model.prices import Price, priced


def request(
    model: str, messages: Sequence[Message], tools: Sequence[Tool], sampling: Sampling, max_tokens_field: str
) -> dict[str, Any]:
    """The body of a request; settings that are None are left out."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [_message(message) for message in messages],
        "temperature": sampling.temperature,
        max_tokens_field: sampling.max_tokens,
        "top_p": sampling.top_p,
        "seed": sampling.seed,
        "stop": list(sampling.stop) or None,
        "tools": [_tool(tool) for tool in tools] or None,
    }
    return {key: value for key, value in body.items() if value is not None}


def completion(data: Any, price: Price | None = None) -> Completion:
    """The answer in `data`. Raises ModelUnavailable when it is no chat completion, ModelRefused."""
    try:
        choice = data["choices"][0]
        message = choice["message"]
        finish = choice.get("finish_reason") or "stop"
        refusal = message.get("refusal")
        text = _text(message.get("content"))
        calls = tuple(_call(number, call) for number, call in enumerate(message.get("tool_calls") or ()))
        usage = priced(_usage(data.get("usage") or {}), price)
        ids, logprobs = _tokens(choice)
        prompt_ids = _ints(data.get("prompt_token_ids") or choice.get("prompt_token_ids"))
        name = str(data.get("model") or "")
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ModelUnavailable(f"the answer is no chat completion ({type(error).__name__}: {error})") from None
    if refusal or finish == "content_filter":
        raise ModelRefused(f"the provider refused to answer: {str(refusal or 'content filter')[:300]}")
    calls = without_cut_call(calls, str(finish))
    return Completion(text, calls, usage, str(finish), name, prompt_ids, ids, logprobs)


def answer(made: Completion) -> dict[str, Any]:
    """The other direction: `made` as an endpoint that speaks the format would send it."""
    logprobs, ids = made.logprobs or (), made.completion_token_ids or ()
    choice = {
        "index": 0,
        "finish_reason": made.finish_reason,
        "message": {**_message(Message("assistant", made.text, made.tool_calls)), "refusal": None},
        "logprobs": {"content": [{"token": "", "logprob": logprob} for logprob in logprobs]} if logprobs else None,
        "token_ids": list(ids) or None,
    }
    usage = {
        "prompt_tokens": made.usage.input_tokens,
        "completion_tokens": made.usage.output_tokens,
        "total_tokens": made.usage.input_tokens + made.usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": made.usage.cached_tokens},
    }
    return {
        "object": "chat.completion",
        "model": made.model,
        "choices": [choice],
        "usage": usage,
        "prompt_token_ids": list(made.prompt_token_ids or ()) or None,
    }


def _message(message: Message) -> dict[str, Any]:
    content = encodable(message.content)
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": content}
    if not message.tool_calls:
        return {"role": message.role, "content": content}
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": callable_name(call.name), "arguments": json.dumps(dict(call.arguments))},
        }
        for call in message.tool_calls
    ]
    return {"role": message.role, "content": content or None, "tool_calls": calls}


def encodable(text: str) -> str:
    """`text` as UTF-8 can carry it: what a box printed may hold lone surrogates."""
    return text.encode("utf-8", "replace").decode("utf-8")


def callable_name(name: str) -> str:
    """`name` as endpoints let a tool be called: models make up others, and a conversation with those is refused."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64] or "unknown"


def _tool(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content)
    if content is not None and not isinstance(content, str):
        raise TypeError("content is no text")
    return content or ""


def _call(number: int, call: Mapping[str, Any]) -> ToolCall:
    function = call["function"]
    arguments = function.get("arguments")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    return parse_call(str(call.get("id") or f"call_{number}"), str(function.get("name") or ""), text)


def _usage(usage: Mapping[str, Any]) -> ModelUsage:
    details = usage.get("prompt_tokens_details") or {}
    cached = int(details.get("cached_tokens") or 0)
    return ModelUsage(int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0), cached)


def _tokens(choice: Mapping[str, Any]) -> tuple[tuple[int, ...] | None, tuple[float, ...] | None]:
    """Completion token ids and log-probabilities; probabilities that don't match the ids one to one are left out."""
    content = (choice.get("logprobs") or {}).get("content") or []
    logprobs = tuple(float(token["logprob"]) for token in content) or None
    ids = _ints(choice.get("token_ids") or choice.get("completion_token_ids"))
    if ids is None and content and all("id" in token for token in content):
        ids = _ints([token["id"] for token in content])
    if ids is not None and logprobs is not None and len(ids) != len(logprobs):
        logprobs = None
    return ids, logprobs


def _ints(values: Any) -> tuple[int, ...] | None:
    return tuple(int(value) for value in values) if values else None
