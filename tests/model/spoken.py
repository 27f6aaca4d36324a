"""One vocabulary for what an endpoint may do, spoken to each kind of model in its own format.

`Said` is one answer: a text with a command, or some trouble. `speak(kind, said)` makes it an HTTP answer for `openai`
and `anthropic`; `program(folder, said)` is a program for `command` that plays the answers in order, the last one again.
`try_once` lets a solver of that kind work on a tiny environment of the fake engine, as a run would.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from envwheel.agent import DONE
from envwheel.attempt import Attempted, Subject, attempt
from envwheel.domains import Domains
from envwheel.environment.folder import read
from envwheel.sandbox.fake import FakeEngine, Run
from envwheel.solver import open_solver
from envwheel.trial import build_images

KINDS = ("openai", "anthropic", "command")
WORK, FINISH = "work > /app/out", f"echo {DONE}"
TASK = {
    "task.toml": 'schema_version = "1.4"\nartifacts = ["/app/out"]\n[agent]\ntimeout_sec = {seconds}\n'
    '[verifier]\nenvironment_mode = "separate"\n',
    "instruction.md": "Write something to /app/out.\n",
    "environment/Dockerfile": "FROM envwheel/base:bookworm\nWORKDIR /app\n",
    "tests/Dockerfile": "FROM envwheel/base:bookworm\nCOPY . /tests/\n",
    "tests/test.sh": "GRADE\n",
}


@dataclass(frozen=True)
class Said:
    """One answer; `how` is one of the words below."""

    how: str = "call"
    """call, text, cut, malformed, refuse, overflow, status, die, hang or garbage."""
    text: str = ""
    command: str = ""
    status: int = 0
    wait_s: float | None = None


def call(command: str, text: str = "so") -> Said:
    """A command."""
    return Said("call", text, command)


def trouble(status: int, wait_s: float | None = 0.0, text: str = "busy") -> Said:
    """An HTTP status; a program says `unavailable` instead."""
    return Said("status", text, status=status, wait_s=wait_s)


def speak(kind: str, said: Said, stopped: Any) -> Any:
    """`said` as something that answers an HTTP request."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        if said.how == "hang":
            stopped.wait(20)
            return
        data = said.text.encode() if said.how == "garbage" else json.dumps(_body(kind, said)).encode()
        status = {"status": said.status, "overflow": 400}.get(said.how, 200)
        request.send_response(status)
        request.send_header("Content-Type", "application/json")
        if said.wait_s is not None:
            request.send_header("Retry-After", str(said.wait_s))
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        request.wfile.write(data[: len(data) // 2] if said.how == "die" else data)

    return answer


def _body(kind: str, said: Said) -> dict[str, Any]:
    if said.how in ("status", "overflow"):
        text = "prompt is too long: the maximum context length is 9" if said.how == "overflow" else said.text
        return {"type": "error", "error": {"type": "some_error", "message": text}}
    return _message(said) if kind == "anthropic" else _chat(said)


def _message(said: Said) -> dict[str, Any]:
    tool = {"type": "tool_use", "id": "toolu_1", "name": "bash", "input": {"command": said.command}}
    if said.how == "malformed":
        tool["input"] = {"cmd": "ls"}
    content: list[Any] = [{"type": "text", "text": said.text}] if said.text else []
    reason = {"refuse": "refusal", "cut": "max_tokens", "text": "end_turn"}.get(said.how, "tool_use")
    content += [] if said.how in ("text", "refuse") else [tool]
    usage = {"input_tokens": 30, "cache_read_input_tokens": 50, "cache_creation_input_tokens": 20, "output_tokens": 5}
    return {"type": "message", "model": "served", "content": content, "stop_reason": reason, "usage": usage}


def _chat(said: Said) -> dict[str, Any]:
    arguments = '{"command": ' if said.how == "malformed" else json.dumps({"command": said.command})
    calls = [{"id": "call_1", "type": "function", "function": {"name": "bash", "arguments": arguments}}]
    message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
    if said.how not in ("text", "refuse"):
        message["tool_calls"] = calls
    finish = {"refuse": "content_filter", "cut": "length", "text": "stop"}.get(said.how, "tool_calls")
    usage = {"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 50}}
    return {
        "model": "served",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": usage,
    }


PROGRAM = """
import json, os, sys, time
json.load(sys.stdin)
said, count = json.load(open({said!r})), {count!r}
number = int(open(count).read()) if os.path.exists(count) else 0
open(count, "w").write(str(number + 1))
one = said[min(number, len(said) - 1)]
how, text = one["how"], one["text"]
if how == "hang":
    time.sleep(60)
if how == "garbage":
    sys.exit(print(text))
if how in ("status", "refuse", "overflow"):
    word = {{"status": "unavailable", "refuse": "refused", "overflow": "overflow"}}[how]
    sys.exit(print(json.dumps({{"error": word, "message": text, "retry_after_s": one["wait_s"]}})))
if how == "die":
    sys.stdout.write('{{"text": "ha')
    sys.stdout.flush()
    sys.stderr.write(text)
    sys.stderr.flush()
    os.kill(os.getpid(), 9)
arguments = '{{"command": ' if how == "malformed" else {{"command": one["command"]}}
calls = [] if how == "text" else [{{"name": "bash", "arguments": arguments}}]
finish = "length" if how == "cut" else "stop"
usage = {{"input_tokens": 100, "output_tokens": 5, "cached_tokens": 50}}
print(json.dumps({{"text": text, "tool_calls": calls, "finish_reason": finish, "usage": usage}}))
"""


def program(folder: Path, said: Sequence[Said]) -> list[str]:
    """The words of a program that plays `said`."""
    script, plan = folder / "program.py", folder / "said.json"
    plan.write_text(json.dumps([asdict(one) for one in said]))
    script.write_text(PROGRAM.format(said=str(plan), count=str(folder / "count")))
    return [sys.executable, "-I", "-S", str(script)]


def settings(kind: str, said: Sequence[Said], endpoint: Any, folder: Path) -> dict[str, Any]:
    """Settings of a model of `kind` that is told `said`; no key is asked for."""
    if kind == "command":
        return {"command": program(folder, said)}
    endpoint.answers[:] = [speak(kind, one, endpoint.stopped) for one in said]
    url = endpoint.url if kind == "openai" else endpoint.url.removesuffix("/v1")
    return {"model": "m", "base_url": url, "api_key_env": ""}


def engine() -> FakeEngine:
    """Plays WORK, which prints much, FINISH and the tests of TASK."""
    made = FakeEngine()

    def work(run: Run) -> str:
        run.write("/app/out", "done")
        return "a long line of output\n" * 20

    made.program(WORK, work)
    made.program(FINISH, lambda run: f"{DONE}\n")
    made.program("pwd", lambda run: "/app\n")
    made.program("GRADE", lambda run: run.write("/logs/verifier/reward.txt", "1" if run.read("/app/out") else "0"))
    return made


def try_once(
    kind: str,
    table: dict[str, Any],
    folder: Path,
    *,
    seconds: float = 60.0,
    boxes: FakeEngine | None = None,
    **agent: Any,
) -> Attempted:
    """One trial of a solver of `kind` with the settings `table`."""
    for name, text in TASK.items():
        (folder / "task" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "task" / name).write_text(text.replace("{seconds}", str(seconds)))
    task, boxes = read(folder / "task", need_solution=False), boxes or engine()
    subject = Subject(task, build_images(boxes, task))
    solver = open_solver(kind, {"model": table, "agent": agent})
    try:
        return attempt(boxes, subject, solver, Domains.none(), id="t1", folder=folder / "rollouts", seed=1)
    finally:
        solver.close()
        assert boxes.live == {}
