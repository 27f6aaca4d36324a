"""The program in docs/proposers.md is a model: it is taken from the page and run against a server."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from envwheel.model.base import Message, Sampling
from envwheel.model.registry import open_model

PAGE = Path(__file__).parents[2] / "docs" / "proposers.md"


class _Server(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = {"role": "assistant", "content": f"```bash\necho {asked['messages'][-1]['content']}\n```"}
        data = json.dumps({"message": said, "prompt_eval_count": 7, "eval_count": 3}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    made = ThreadingHTTPServer(("127.0.0.1", 0), _Server)
    Thread(target=made.serve_forever, daemon=True).start()
    monkeypatch.setenv("MY_SERVER", f"http://127.0.0.1:{made.server_address[1]}")
    yield
    made.shutdown()
    made.server_close()


def test_the_program_of_the_page_answers(tmp_path: Path, server: None) -> None:
    found = re.search(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    assert found
    program = tmp_path / "my-model.py"
    program.write_text(found[1])
    model = open_model("command", {"command": [sys.executable, str(program)], "tools": False})
    answer = model.complete([Message("user", "hello")], [], Sampling())
    assert answer.text == "```bash\necho hello\n```"
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (7, 3)
