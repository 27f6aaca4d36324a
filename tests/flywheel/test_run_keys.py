"""A whole run with an endpoint that repeats the key: nothing of it in the run directory, nor in what is printed."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from flywheel_fakes import MakeParts

from envwheel.flywheel import Flywheel
from envwheel.ledger import TrialNote
from envwheel.solver import open_solver

KEY = "sk-very-secret-0123456789"


class Repeating(BaseHTTPRequestHandler):
    """Every third request fails for good, the others get an answer; all say what the client sent as its key."""

    asked = 0

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        Repeating.asked += 1
        sent = self.headers["Authorization"]
        text = f"Your header was {sent}.\n```\nANSWER-IT {sent}\n```"
        answer = {"choices": [{"message": {"content": text}}], "usage": {"prompt_tokens": 5, "completion_tokens": 1}}
        failed = Repeating.asked % 3 == 0
        data = json.dumps({"error": {"message": f"bad {sent}"}} if failed else answer).encode()
        self.send_response(422 if failed else 200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Repeating)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_run_keeps_no_key(
    address: str,
    make_parts: MakeParts,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("SOME_API_KEY", KEY)
    model = {"base_url": address, "api_key_env": "SOME_API_KEY", "tools": False, "retries": 0}
    solver = open_solver("openai:m", {"model": model, "agent": {"turns": 2}})
    parts = make_parts(solver, run__rounds=1, run__candidates=1, solver__name="openai:m", solver__model=model)
    assert Flywheel(parts).run()
    solver.close()
    outcomes = {note.outcome for note in parts.store.of(TrialNote)}
    assert outcomes == {"scored", "infra"}
    kept = {path: path.read_bytes() for path in parts.store.path.rglob("*") if path.is_file()}
    assert [path for path, data in kept.items() if KEY.encode() in data] == []
    assert any(b"Your header was Bearer ***." in data for data in kept.values())
    assert [path for path in kept if KEY in str(path)] == []
    assert KEY not in caplog.text
    assert KEY not in "".join(capfd.readouterr())
    assert all(KEY not in repr(box.spec) + repr(box.commands) for box in parts.engine.boxes)
    assert any("***" in command for box in parts.engine.boxes for command in box.commands)
    assert {path.name for path in kept} >= {"envwheel.toml", "records.jsonl"}
    assert Path(parts.store.path / "envwheel.toml").read_text().count("SOME_API_KEY") == 1
