"""A real HTTP endpoint on 127.0.0.1 whose answers a test writes; `spoken.py` is made importable."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

JSON = {"Content-Type": "application/json"}
Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Endpoint:
    """Plays `answers` in order, the last one again and again; keeps what it was asked."""

    answers: list[Answer] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    url: str = ""
    stopped: threading.Event = field(default_factory=threading.Event)

    def handle(self, request: BaseHTTPRequestHandler) -> None:
        self.raw.append(request.rfile.read(int(request.headers["Content-Length"])))
        self.asked.append(json.loads(self.raw[-1]))
        self.headers.append({key.lower(): value for key, value in request.headers.items()})
        self.paths.append(request.path)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        answer(request)

    def then(self, status: int, body: Any, headers: dict[str, str] | None = None) -> Endpoint:
        """Add a whole answer: JSON, or bytes as they are."""
        self.answers.append(send(status, body, headers))
        return self

    def chat(self, text: str | None = "hello", **fields: Any) -> Endpoint:
        """Add a chat completion; see `chat`."""
        return self.then(200, chat(text, **fields))


def send(status: int, body: Any, headers: dict[str, str] | None = None) -> Answer:
    """A whole answer: JSON, or bytes as they are."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for key, value in {**JSON, "Content-Length": str(len(data)), **(headers or {})}.items():
            request.send_header(key, value)
        request.end_headers()
        request.wfile.write(data)

    return answer


def chat(text: str | None = "hello", **fields: Any) -> dict[str, Any]:
    """A chat completion; `fields` starting with `top_` go to its top level, `message_` into the message."""
    message = {"role": "assistant", "content": text}
    message |= {key.removeprefix("message_"): value for key, value in fields.items() if key.startswith("message_")}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    choice |= {key: value for key, value in fields.items() if not key.startswith(("message_", "top_"))}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 40}}
    body = {"id": "x", "object": "chat.completion", "model": "served", "choices": [choice], "usage": usage}
    return body | {key.removeprefix("top_"): value for key, value in fields.items() if key.startswith("top_")}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    served = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            served.handle(self)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    yield served
    served.stopped.set()
    server.shutdown()
    server.server_close()
    thread.join()
