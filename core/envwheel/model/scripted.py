"""Answers that were written or recorded beforehand, for tests and demonstrations.

    scripted:answers.jsonl       a line an answer; or answers.json, a list of them

An answer is a text, or an object with the fields of `Completion` that matter: `text`, `tool_calls` ([{name,
arguments}]), `finish_reason`, `usage` ({input_tokens, output_tokens, cached_tokens}), `prompt_token_ids`,
`completion_token_ids`, `logprobs`; or an object `error` ("refused", "unavailable" or "overflow") and `message`. The
n-th turn of a conversation gets the n-th answer, so conversations may run at the same time; after the last answer it
begins again (`cycle = false`: the model is unavailable then). A rollout's `ID.jsonl` can be replayed as it is: its
agent steps are the answers.

`serve(model)` puts any model behind a real HTTP endpoint on 127.0.0.1 that speaks OpenAI's chat completions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from envwheel.errors import ConfigError, ContextOverflow, ModelError, ModelRefused, ModelUnavailable
from envwheel.model import wire
from envwheel.model.base import Completion, Message, Model, ModelUsage, Sampling, Tool, ToolCall
from envwheel.model.calls import parse_call
from envwheel.model.settings import known

ERRORS = {"refused": ModelRefused, "unavailable": ModelUnavailable, "overflow": ContextOverflow}


STATUSES: Mapping[type[ModelError], tuple[int, str]] = {
    ModelUnavailable: (503, "unavailable"),
    ContextOverflow: (400, "context_length_exceeded"),
    ModelRefused: (400, "content_filter"),
}
"""How `serve` says what went wrong."""


def open_model(settings: Mapping[str, Any]) -> ScriptedModel:
    """The model that replays the file `path`. Raises ConfigError when it cannot be read."""
    known(settings, "argument path tools cycle")
    path = Path(str(settings.get("argument") or settings.get("path") or ""))
    try:
        answers = read_answers(path)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"scripted: {path}: no list of answers ({type(error).__name__}: {error}). "
            'It holds a JSON list, or a line an answer: a text, or {"text": ..., "tool_calls": [...]}.'
        ) from None
    return ScriptedModel(
        answers, tools=bool(settings.get("tools", False)), cycle=bool(settings.get("cycle", True)), name=path.name
    )


def read_answers(path: Path) -> list[Completion | ModelError]:
    """The answers in a file. Raises OSError, ValueError, KeyError, TypeError or AttributeError when it holds none."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        data = [json.loads(line) for line in text.splitlines() if line.strip()]
    else:
        data = json.loads(text)
    # A rollout also records what it was asked; only the agent's own steps are answers.
    data = [item for item in data if isinstance(item, str) or _is_answer(item)]
    if not data:
        raise ValueError("it is empty")
    return [recorded(item) for item in data]


def _is_answer(item: Mapping[str, Any]) -> bool:
    return item.get("source", "agent") == "agent" and not item.get("example")


class ScriptedModel:
    """Replays `answers`. Thread-safe: which answer is next follows from the conversation alone."""

    def __init__(
        self,
        answers: Sequence[Completion | ModelError | str],
        *,
        tools: bool = False,
        cycle: bool = True,
        name: str = "scripted",
    ) -> None:
        self.name = name
        self.supports_tools = tools
        self._answers, self._cycle = [recorded(answer) for answer in answers], cycle

    def complete(self, messages: Sequence[Message], tools: Sequence[Tool], sampling: Sampling) -> Completion:
        """The answer that comes after as many assistant messages as there are in `messages`."""
        turn = sum(message.role == "assistant" for message in messages)
        if turn >= len(self._answers) and not self._cycle:
            raise ModelUnavailable(f"{self.name}: there are only {len(self._answers)} recorded answers")
        answer = self._answers[turn % len(self._answers)]
        if isinstance(answer, ModelError):
            raise type(answer)(str(answer))
        return answer

    def close(self) -> None:
        """Nothing to free."""


def recorded(item: Any) -> Completion | ModelError:
    """An answer from plain data, as the module says.

    Raises KeyError, ValueError, TypeError or AttributeError when it is none.
    """
    if isinstance(item, (Completion, ModelError)):
        return item
    if isinstance(item, str):
        return Completion(item)
    if "error" in item:
        return ERRORS[item["error"]](str(item.get("message", "recorded")))
    ids, prompt_ids, logprobs = (item.get(k) for k in ("completion_token_ids", "prompt_token_ids", "logprobs"))
    text = item.get("text", item.get("message"))
    return Completion(
        text="" if text is None else str(text),
        tool_calls=tuple(_call(number, call) for number, call in enumerate(item.get("tool_calls") or ())),
        usage=_usage(**(item.get("usage") or {})),
        finish_reason=str(item.get("finish_reason") or "stop"),
        model=str(item.get("model") or "scripted"),
        prompt_token_ids=tuple(map(int, prompt_ids)) if prompt_ids else None,
        completion_token_ids=tuple(map(int, ids)) if ids else None,
        logprobs=tuple(map(float, logprobs)) if logprobs else None,
    )


def _usage(
    input_tokens: int = 0, output_tokens: int = 0, cached_tokens: int = 0, dollars: float | None = 0.0
) -> ModelUsage:
    paid = None if dollars is None else float(dollars)
    return ModelUsage(int(input_tokens), int(output_tokens), int(cached_tokens), paid)


def _call(number: int, call: Mapping[str, Any]) -> ToolCall:
    arguments = call.get("arguments") or {}
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return parse_call(str(call.get("id") or f"call_{number}"), call["name"], text)


@contextmanager
def serve(model: Model) -> Iterator[str]:
    """An HTTP endpoint in front of `model` on a free port of 127.0.0.1; gives its base URL."""

    class Handler(_Handler):
        served = model

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    served: Model

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        messages = [_read_message(message) for message in body["messages"]]
        try:
            status, answer = 200, wire.answer(self.served.complete(messages, (), Sampling()))
        except ModelError as error:
            status, code = STATUSES.get(type(error), (500, "error"))
            answer = {"error": {"code": code, "message": str(error)}}
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def _read_message(message: Mapping[str, Any]) -> Message:
    return Message(message["role"], message.get("content") or "", tool_call_id=message.get("tool_call_id") or "")
