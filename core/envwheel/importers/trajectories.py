"""What other agents write down, as the steps of our own rollouts: ATIF documents and plain lists of chat messages.

    steps = read_trajectory(json.loads(text))          # [] for an empty one; raises ValueError when it is neither

The steps have the keys of `rollout.STEP_KEYS`. Everything read is hostile: what has a wrong type is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

MOST_STEPS = 2000
"""Steps that are read of one trajectory."""

Step = dict[str, Any]


def read_trajectory(document: Any) -> list[Step]:
    """The steps of an ATIF document, of a list of chat messages, or of an object that holds one as `messages`."""
    if isinstance(document, dict) and isinstance(document.get("steps"), list):
        return [step for item in document["steps"][:MOST_STEPS] if (step := _atif(item))]
    if isinstance(document, dict) and isinstance(document.get("messages"), list):
        document = document["messages"]
    if isinstance(document, list):
        return list(_chat(document[: 2 * MOST_STEPS]))
    raise ValueError("neither an ATIF trajectory nor a list of messages")


def _atif(item: Any) -> Step | None:
    if not isinstance(item, dict) or item.get("source") not in ("system", "user", "agent"):
        return None
    step: Step = {"source": item["source"], "message": text_of(item.get("message"))}
    if isinstance(item.get("timestamp"), str):
        step["timestamp"] = item["timestamp"]
    if item.get("is_copied_context"):
        step["example"] = True
    if item["source"] != "agent" or item.get("is_copied_context"):
        return step
    if isinstance(item.get("reasoning_content"), str) and not step["message"]:
        step["message"] = item["reasoning_content"]
    calls = [call for one in _objects(item.get("tool_calls")) if (call := _atif_call(one))]
    results = _objects(_mapping(item.get("observation")).get("results"))
    details = _objects(_mapping(_mapping(item.get("extra")).get("envwheel")).get("observations"))
    shown = [_result(one, details[at] if at < len(details) else {}) for at, one in enumerate(results)]
    return _agent(step, calls, shown, item.get("model_name"), _usage(_mapping(item.get("metrics"))))


def _atif_call(call: Mapping[str, Any]) -> Step | None:
    name = call.get("function_name")
    if not isinstance(name, str):
        return None
    return {"id": str(call.get("tool_call_id", "")), "name": name, "arguments": dict(_mapping(call.get("arguments")))}


def _result(result: Mapping[str, Any], detail: Mapping[str, Any]) -> Step:
    code = detail.get("exit_code")
    return {
        "call_id": result.get("source_call_id") if isinstance(result.get("source_call_id"), str) else None,
        "content": text_of(result.get("content")),
        "exit_code": code if isinstance(code, int) else None,
        "timed_out": detail.get("timed_out") is True,
        "truncated": detail.get("truncated") is True,
    }


def _chat(messages: Sequence[Any]) -> Iterator[Step]:
    """Chat messages; the answers of tools join the step whose calls they answer."""
    last: Step | None = None
    for item in messages:
        role, text = _mapping(item).get("role"), text_of(_mapping(item).get("content"))
        if role == "assistant":
            if last:
                yield last
            calls = [call for one in _objects(item.get("tool_calls")) if (call := _chat_call(one))]
            last = _agent({"source": "agent", "message": text}, calls, [], item.get("model"), None)
        elif role == "tool" and last is not None:
            answered = item.get("tool_call_id")
            last["observations"].append({"call_id": answered if isinstance(answered, str) else None, "content": text})
        elif role in ("system", "user", "developer"):
            if last:
                yield last
                last = None
            yield {"source": "user" if role == "user" else "system", "message": text}
    if last:
        yield last


def _chat_call(call: Mapping[str, Any]) -> Step | None:
    function = _mapping(call.get("function"))
    if not isinstance(function.get("name"), str):
        return None
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            arguments = {"command": arguments}
    return {"id": str(call.get("id", "")), "name": function["name"], "arguments": dict(_mapping(arguments))}


def _agent(step: Step, calls: list[Step], shown: list[Step], model: Any, usage: Step | None) -> Step:
    step |= {"tool_calls": calls, "observations": shown}
    if isinstance(model, str):
        step["model"] = model
    if usage:
        step["usage"] = usage
    return step


def _usage(metrics: Mapping[str, Any]) -> Step | None:
    if not metrics:
        return None
    return {
        "input_tokens": count(metrics.get("prompt_tokens")),
        "output_tokens": count(metrics.get("completion_tokens")),
        "cached_tokens": count(metrics.get("cached_tokens")),
        "dollars": dollars(metrics.get("cost_usd")),
    }


def count(value: Any) -> int:
    """A number of tokens; 0 for what is none."""
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 2**53 else 0


def dollars(value: Any) -> float | None:
    """A price; None for what is none."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 2**53
    return float(value) if known else None


def text_of(content: Any) -> str:
    """The text of a message: as it is, or of its parts. Images and sounds are named, not kept."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (one.get("text", f"[{one.get('type', 'part')}]") for one in parts if isinstance(one, dict))
    return "\n".join(text for text in texts if isinstance(text, str))


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
