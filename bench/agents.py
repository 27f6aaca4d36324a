"""What the orchestrator itself costs when many solvers work at once: CPU a turn, memory, threads, descriptors.

    python bench/agents.py [--trials 100] [--turns 20] [--latency-ms 200] [--kind process] [--kind openai] ...

Whole trials of the agent loop on the fake engine, so that no box's cost is counted: rollouts are written and graded as
in a run. The model answers after `--latency-ms`: in this process (`process`), or over HTTP from another process, by way
of the clients `openai` and `anthropic`. Goals: 5 ms of CPU a turn in process, 15 ms over HTTP, less than 1 GB, and as
many threads and descriptors afterwards as before.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from envwheel.agent import DONE, AgentSettings
from envwheel.attempt import Subject, attempt
from envwheel.domains import Domains
from envwheel.environment.folder import read
from envwheel.model.base import Completion, Message, Model, Sampling, Tool, ToolCall
from envwheel.model.registry import open_model
from envwheel.rollout import RolloutSummary
from envwheel.sandbox.fake import FakeEngine, Run
from envwheel.solver import ModelSolver
from envwheel.trial import build_images

KINDS = {"process": 5.0, "openai": 15.0, "anthropic": 15.0}
"""Who answers -> the goal, milliseconds of CPU a turn."""
PEAK_MB = 1000
OUTPUT = "a line of output as a command prints it\n" * 100
TASK = {
    "task.toml": 'schema_version = "1.4"\nartifacts = ["/app/out"]\n[environment]\nmemory_mb = 8\n'
    '[verifier]\nenvironment_mode = "separate"\n[verifier.environment]\nmemory_mb = 8\n',
    "instruction.md": "Write something to /app/out.\n",
    "environment/Dockerfile": "FROM envwheel/base:bookworm\nWORKDIR /app\n",
    "tests/Dockerfile": "FROM envwheel/base:bookworm\nCOPY . /tests/\n",
    "tests/test.sh": "GRADE\n",
}


@dataclass(frozen=True, slots=True)
class Measured:
    """What a number of trials cost this process."""

    outcomes: Sequence[RolloutSummary]
    cpu_s: float
    wall_s: float
    threads: int
    descriptors: int
    """More than before, after everything was closed."""

    @property
    def turns(self) -> int:
        """Of all trials."""
        return sum(one.turns for one in self.outcomes)


class Latent:
    """A model that answers in this process after `latency_s`: `turns - 1` commands, then that it is done."""

    name, supports_tools = "latent", True

    def __init__(self, turns: int, latency_s: float) -> None:
        self.turns, self.latency_s = turns, latency_s

    def complete(self, messages: Sequence[Message], tools: Sequence[Tool], sampling: Sampling) -> Completion:
        """The next command."""
        time.sleep(self.latency_s)
        turn = sum(message.role == "assistant" for message in messages)
        return Completion("next", (ToolCall(f"call_{turn}", "bash", {"command": command(turn, self.turns)}),))

    def close(self) -> None:
        """Nothing is held."""


def command(turn: int, turns: int) -> str:
    """What the model says in its `turn`-th turn."""
    return f"echo {DONE}" if turn + 1 >= turns else "work > /app/out"


def engine() -> FakeEngine:
    """Plays the commands and the tests of TASK."""
    made = FakeEngine()

    def work(run: Run) -> str:
        run.write("/app/out", "done")
        return OUTPUT

    made.program("work > /app/out", work)
    made.program(f"echo {DONE}", lambda run: f"{DONE}\n")
    made.program("GRADE", lambda run: run.write("/logs/verifier/reward.txt", "1" if run.read("/app/out") else "0"))
    return made


def measure(model: Model, trials: int, turns: int, folder: Path) -> Measured:
    """Let `trials` solvers with `model` work side by side on TASK below `folder`; closes the model."""
    for name, text in TASK.items():
        (folder / "task" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "task" / name).write_text(text)
    task, boxes, domains = read(folder / "task", need_solution=False), engine(), Domains.none()
    subject = Subject(task, build_images(boxes, task))
    solver = ModelSolver(model, replace(AgentSettings(), turns=turns))

    def one(number: int) -> RolloutSummary:
        name = f"t{number:03d}"
        return attempt(boxes, subject, solver, domains, id=name, folder=folder / "rollouts", seed=number).summary

    threads, descriptors = threading.active_count(), held()
    wall, cpu = time.monotonic(), time.process_time()
    with ThreadPoolExecutor(trials) as pool:
        outcomes = list(pool.map(one, range(trials)))
    cpu, wall = time.process_time() - cpu, time.monotonic() - wall
    solver.close()
    return Measured(outcomes, cpu, wall, threading.active_count() - threads, held() - descriptors)


def held() -> int:
    """File descriptors of this process."""
    return len(os.listdir("/proc/self/fd"))


def answer(path: str, body: Mapping[str, Any], turns: int) -> dict[str, Any]:
    """What an endpoint says, in the format that the path names."""
    turn = sum(message["role"] == "assistant" for message in body["messages"])
    arguments = {"command": command(turn, turns)}
    if path.endswith("/messages"):
        call = {"type": "tool_use", "id": f"call_{turn}", "name": "bash", "input": arguments}
        usage = {"input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 10}
        content = [{"type": "text", "text": "next"}, call]
        return {"type": "message", "model": "m", "content": content, "stop_reason": "tool_use", "usage": usage}
    function = {"name": "bash", "arguments": json.dumps(arguments)}
    message = {"content": "next", "tool_calls": [{"id": f"call_{turn}", "type": "function", "function": function}]}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    return {"model": "m", "choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}


def serve(turns: int, latency_s: float) -> None:
    """An endpoint of both formats on a free port, which is printed; ends with standard input."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            time.sleep(latency_s)
            data = json.dumps(answer(self.path, body, turns)).encode()
            head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
            self.wfile.write(head.encode() + data)

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads, request_queue_size = True, 1024

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


@contextmanager
def served(turns: int, latency_s: float) -> Iterator[str]:
    """The address of `serve` in a process of its own."""
    words = [sys.executable, __file__, "--serve", "--turns", str(turns), "--latency-ms", str(1000 * latency_s)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.stdin.close()


def opened(kind: str, url: str, turns: int, latency_s: float) -> Model:
    """A model of `kind`; over HTTP its endpoint is `url`."""
    if kind == "process":
        return Latent(turns, latency_s)
    address = f"{url}/v1" if kind == "openai" else url
    return open_model(f"{kind}:m", {"base_url": address, "api_key_env": ""})


def main() -> None:
    """Parse the command line, measure, print; exit 1 when a trial failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--latency-ms", type=float, default=200.0)
    parser.add_argument("--kind", action="append", choices=list(KINDS))
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    turns, latency_s = args.turns, args.latency_ms / 1000
    if args.serve:
        serve(turns, latency_s)
        return
    wrong = 0
    print(f"{args.trials} trials of {turns} turns, {args.latency_ms:g} ms latency, load {os.getloadavg()[0]:.1f}")
    for kind in args.kind or list(KINDS):
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            url = stack.enter_context(served(turns, latency_s)) if kind != "process" else ""
            found = measure(opened(kind, url, turns, latency_s), args.trials, turns, folder)
        wrong += sum(one.reward != 1.0 or one.turns != turns for one in found.outcomes)
        report(kind, found)
    if wrong:
        raise SystemExit(f"bench/agents.py: {wrong} trials did not go as they must")


def report(kind: str, found: Measured) -> None:
    """One row of the table."""
    per_turn = 1000 * found.cpu_s / max(1, found.turns)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    met = per_turn <= KINDS[kind] and peak_mb < PEAK_MB and found.threads <= 0 and found.descriptors <= 0
    print(
        f"{kind:<10} {per_turn:5.2f} ms CPU a turn (goal {KINDS[kind]:g}), peak {peak_mb:.0f} MB (goal {PEAK_MB}), "
        f"{found.threads:+d} threads, {found.descriptors:+d} descriptors, {found.turns} turns in {found.wall_s:.1f} s "
        f"{'met' if met else 'MISSED'}",
        flush=True,
    )


if __name__ == "__main__":
    main()
