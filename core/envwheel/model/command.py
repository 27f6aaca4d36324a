"""Any program as a model: one JSON request on its standard input, one JSON answer on its standard output.

    command:./my-model --fast          (split as a shell would; no shell is started)

The request is `{"schema": 1, "messages": [...], "tools": [...], "sampling": {...}}`, messages and tools as in OpenAI's
chat completions. The answer is `{"text": ..., "tool_calls": [{"name", "arguments"}], "finish_reason", "usage":
{"input_tokens", "output_tokens", "cached_tokens"}, ...}`, or `{"error": "refused" | "overflow" | "unavailable",
"message": ..., "retry_after_s": ...}`; docs/models.md has every field. The program runs once a call, many at a time.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import IO, Any

from envwheel.errors import ConfigError, ModelError, ModelUnavailable, SetupError
from envwheel.model import wire
from envwheel.model.base import Completion, Message, Sampling, Tool
from envwheel.model.calls import without_cut_call
from envwheel.model.prices import priced, read_price
from envwheel.model.scripted import recorded
from envwheel.model.secret import in_environment
from envwheel.model.settings import known, number
from envwheel.model.tries import Again, Deadline, answered

OUTPUT_LIMIT = 16 << 20
"""Bytes of an answer; a program that writes more is killed."""


def open_model(settings: Mapping[str, Any]) -> CommandModel:
    """The program that `command` names. Raises ConfigError, and SetupError when there is no such program."""
    known(settings, "argument command tools timeout_s retries prices name")
    command = settings.get("argument") or settings.get("command")
    try:
        argv = shlex.split(command) if isinstance(command, str) else [str(part) for part in command or ()]
    except (ValueError, TypeError) as error:
        raise ConfigError(f"command: {command!r} cannot be split into words ({error}).") from None
    if not argv:
        raise ConfigError("command: which program? Write command:PROGRAM, or set `command`.")
    if shutil.which(argv[0]) is None:
        raise SetupError(f"command: there is no program '{argv[0]}'. Give its path, or put it on PATH.")
    return CommandModel(argv, settings)


class CommandModel:
    """A program that answers. Thread-safe."""

    def __init__(
        self, argv: Sequence[str], settings: Mapping[str, Any], *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.name = str(settings.get("name") or f"command:{os.path.basename(argv[0])}")
        self.supports_tools = bool(settings.get("tools", True))
        self._argv = list(argv)
        self._timeout_s = number(settings, "timeout_s", 600)
        self._retries = int(number(settings, "retries", 1))
        self._price = read_price(settings)
        self._secrets = in_environment(os.environ)
        self._sleep = sleep

    def complete(self, messages: Sequence[Message], tools: Sequence[Tool], sampling: Sampling) -> Completion:
        """Run the program once, and again when it fails, as often as `retries` says."""
        request = wire.request(self.name, messages, tools if self.supports_tools else (), sampling, "max_tokens")
        own = {"temperature", "top_p", "max_tokens", "seed", "stop"}
        body = {
            "schema": 1,
            "messages": request["messages"],
            "tools": request.get("tools", []),
            "sampling": {key: value for key, value in request.items() if key in own},
        }
        text = json.dumps(body).encode()
        deadline = Deadline(self._timeout_s, sampling.timeout_s)
        return answered(
            lambda deadline: self._once(text, deadline),
            deadline,
            name=self.name,
            retries=self._retries,
            sleep=self._sleep,
        )

    def close(self) -> None:
        """Nothing runs between calls."""

    def _once(self, request: bytes, deadline: Deadline) -> Completion:
        code, output, said = _run(self._argv, request, deadline.try_s())
        if code is None:
            raise deadline.late()
        if len(output) > OUTPUT_LIMIT:
            raise Again(f"its answer is larger than {OUTPUT_LIMIT >> 20} MiB")
        if code:
            raise Again(f"it ended with exit code {code}: {self._secrets.hide(said) or 'no message'}")
        return self._parse(output)

    def _parse(self, output: bytes) -> Completion:
        try:
            data = json.loads(output)
            if not isinstance(data, dict) or not ("text" in data or "tool_calls" in data or "error" in data):
                raise ValueError("an object with `text`, `tool_calls` or `error` was expected")
            answer = recorded(data)
            wait_s = None if data.get("retry_after_s") is None else float(data["retry_after_s"])
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            start = self._secrets.hide(output.decode("utf-8", "replace"))[:120]
            raise Again(f"no JSON answer ({error}); it began with {start!r}") from None
        if isinstance(answer, ModelUnavailable):
            raise Again(self._secrets.hide(str(answer)), wait_s)
        if isinstance(answer, ModelError):
            raise type(answer)(self._secrets.hide(f"{self.name}: {answer}"))
        calls = without_cut_call(answer.tool_calls, answer.finish_reason)
        name = data.get("model") or self.name
        usage = answer.usage
        if self._price or "dollars" not in (data.get("usage") or {}):
            usage = priced(usage, self._price)
        return self._secrets.hidden(replace(answer, usage=usage, model=str(name), tool_calls=calls))


def _run(argv: Sequence[str], request: bytes, limit_s: float) -> tuple[int | None, bytes, str]:
    """Exit code (None: killed for time), standard output and the tail of standard error of one run of the program.

    The program leads a process group of its own, which is gone afterwards.
    """
    try:
        process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
    except OSError as error:
        raise ModelUnavailable(f"command: {argv[0]} cannot be started ({error})") from None

    def kill() -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)

    output, errors = bytearray(), bytearray()
    threads = [
        threading.Thread(target=_feed, args=(process.stdin, request), daemon=True),
        threading.Thread(target=_keep_head, args=(process.stdout, output, kill), daemon=True),
        threading.Thread(target=_keep_tail, args=(process.stderr, errors), daemon=True),
    ]
    for thread in threads:
        thread.start()
    code: int | None = None
    try:
        code = process.wait(limit_s)
    except subprocess.TimeoutExpired:
        pass
    finally:
        kill()
        process.wait()
        # A grandchild in a session of its own may hold the pipes open; it must not hold us.
        for thread in threads:
            thread.join(5.0)
    return code, bytes(output), bytes(errors).decode("utf-8", "replace").strip()


def _feed(stdin: IO[bytes], request: bytes) -> None:
    # A program may answer without having read everything.
    with contextlib.suppress(OSError, ValueError):
        stdin.write(request)
        stdin.close()


def _keep_head(stdout: IO[bytes], head: bytearray, when_full: Callable[[], None]) -> None:
    with stdout:
        while len(head) <= OUTPUT_LIMIT and (chunk := stdout.read1(1 << 16)):  # type: ignore[attr-defined]
            head += chunk
    if len(head) > OUTPUT_LIMIT:
        when_full()


def _keep_tail(stderr: IO[bytes], tail: bytearray) -> None:
    with stderr:
        while chunk := stderr.read1(1 << 16):  # type: ignore[attr-defined]
            tail += chunk
            del tail[:-500]
