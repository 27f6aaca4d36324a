"""Tool calls out of text: JSON arguments of a tool call, and the fenced blocks of models without tool calling."""

from __future__ import annotations

import json
import re
from collections.abc import Container

from envwheel.model.base import Completion, ToolCall

_BLOCK = re.compile(r"^[ \t]*```[ \t]*([\w-]*)[^\n]*\n(.*?)(^[ \t]*```|\Z)", re.S | re.M)
_SHELLS = frozenset({"", "bash", "sh", "shell", "console"})


def parse_fenced(completion: Completion, tools: Container[str] = ()) -> tuple[ToolCall, ...]:
    """The first fenced block of an answer as a call, or nothing.

    A block without the closing fence counts unless the answer was cut off. For a tool besides bash the block holds its
    arguments as a JSON object, or nothing.
    """
    for match in _BLOCK.finditer(completion.text):
        name, body = match[1].lower(), match[2].strip("\n")
        if not match[3] and completion.finish_reason == "length":
            continue
        if name in tools:
            return (parse_call("call_0", name, body.strip() or "{}"),)
        if name in _SHELLS and body.strip():
            return (ToolCall("call_0", "bash", {"command": body}),)
    return ()


def parse_call(call_id: str, name: str, arguments: str) -> ToolCall:
    """A call whose arguments are a JSON text; what does not parse is kept as `malformed`."""
    try:
        parsed = json.loads(arguments or "{}")
    except ValueError as error:
        return ToolCall(call_id, name, {}, f"the arguments of `{name}` are no JSON ({error}).")
    if not isinstance(parsed, dict):
        return ToolCall(call_id, name, {}, f"the arguments of `{name}` are no JSON object.")
    return ToolCall(call_id, name, parsed)


def without_cut_call(calls: tuple[ToolCall, ...], finish_reason: str) -> tuple[ToolCall, ...]:
    """`calls`, of which the last is not to be run when the answer ended at `max_tokens`.

    Endpoints close what was left open, so that half a command may be well-formed.
    """
    if finish_reason != "length" or not calls:
        return calls
    last = calls[-1]
    return (*calls[:-1], ToolCall(last.id, last.name, {}, "your answer was too long and was cut off in this call."))
