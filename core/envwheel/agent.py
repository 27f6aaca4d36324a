"""The terminal loop that proposer and solver share: ask the model, run what it says in the shell, show it the output.

`run_agent(model, shell, task, ...)` returns an `AgentReport`; every step is handed to `on_step` before the next one
begins. Models with tool calling get a `bash` tool (and the tools that are passed in); the others write one fenced block
a turn, whose info string names the tool. An episode ends when a tool says so, when a command prints `DONE` as its last
line, when the model gives no command twice in a row, or when a budget is used up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from string import Template
from typing import Any, Literal

from envwheel.errors import ContextOverflow, ModelRefused, ModelTimeout, ModelUnavailable, SetupError
from envwheel.model.base import NO_USAGE, Completion, Message, Model, ModelUsage, Sampling, Tool, ToolCall
from envwheel.model.calls import parse_fenced
from envwheel.sandbox.base import CommandResult, Shell

DONE = "ENVWHEEL_DONE"
SILENT_S, SILENT_TIMES = 60.0, 10.0
"""A model that gives no answer for so many seconds, and so many times as long as its slowest one, is gone, not slow."""
LOST_SHARE = 0.1
"""Of the agent's time; when an endpoint's trouble took more, an attempt that ran out of time is not graded."""

BASH = Tool(
    "bash",
    "Run a command in the terminal. Variables and the working directory stay from call to call.",
    {
        "type": "object",
        "properties": {"command": {"type": "string", "description": "bash, as typed at a prompt"}},
        "required": ["command"],
    },
)

SYSTEM = """You work alone in a Linux terminal and carry out the task that the user gives you.
Your working directory is $workdir. $network You have $seconds seconds and $turns turns in all.
Nobody answers questions: decide for yourself, look at what you did, and mend it.
When the task is done, run: echo $done"""
"""`$workdir`, `$network`, `$seconds`, `$turns` and `$done` are filled in, in other system prompts too."""

FENCED = """
Answer with exactly one fenced block a turn; it is run and you are shown its output:
```bash
command
```"""


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """How an agent is led and what it may spend. None means no limit of that kind."""

    system: str = SYSTEM
    few_shot: tuple[tuple[str, str], ...] = ()
    """Pairs of user and assistant messages that come before the task."""
    sampling: Sampling = field(default_factory=Sampling)
    turns: int = 40
    tokens: int | None = None
    """Input and output tokens of all turns together."""
    dollars: float | None = None
    command_s: float = 120.0
    """Time limit of one command, seconds."""
    output_chars: int = 10_000
    """How much of a command's output the model is shown; head and tail are kept."""
    fenced: bool = False
    """Use fenced blocks even with a model that has tool calling."""

    def used_up(self, usage: ModelUsage, model: str) -> str:
        """The budget ("tokens" or "dollars") that `usage` has used up, or nothing.

        Raises SetupError when a budget in dollars cannot be kept because the price of `model` is not known.
        """
        if self.tokens is not None and usage.input_tokens + usage.output_tokens >= self.tokens:
            return "tokens"
        if self.dollars is not None and usage.dollars is None:
            raise SetupError(
                f"A budget in dollars is set, but the price of {model} is not known. "
                "Name it under `prices` in the model's settings, or remove the budget."
            )
        return "dollars" if self.dollars is not None and (usage.dollars or 0.0) >= self.dollars else ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answers; `done` ends the episode."""

    text: str
    done: bool = False


@dataclass(frozen=True, slots=True)
class AgentTool:
    """A tool besides bash: what the model is told, and what is called with the arguments it wrote."""

    tool: Tool
    call: Callable[[Mapping[str, Any]], ToolResult]


@dataclass(frozen=True, slots=True)
class AgentReport:
    """How an episode ended.

    `reason`: done (the model said so), no_command, turns, tokens, dollars, time, context (the conversation does not fit
    even without old outputs) or refused. `exit_code` and `output` belong to the last command.
    """

    reason: str
    turns: int
    usage: ModelUsage
    seconds: float
    exit_code: int | None = None
    output: str = ""


def run_agent(
    model: Model,
    shell: Shell,
    task: str,
    *,
    settings: AgentSettings,
    timeout_s: float,
    on_step: Callable[[Mapping[str, Any]], None],
    tools: Sequence[AgentTool] = (),
    network: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> AgentReport:
    """Let `model` work on `task` in `shell` for at most `timeout_s` seconds.

    Raises BoxGone and InfraError of the shell, ModelUnavailable, and SetupError when a dollar budget cannot be kept
    because the model's price is unknown. The steps until then have been handed to `on_step`.
    """
    episode = _Episode(model, shell, settings, tools, timeout_s, on_step, clock)
    return episode.run(task, network)


@dataclass
class _Episode:
    model: Model
    shell: Shell
    settings: AgentSettings
    tools: Sequence[AgentTool]
    timeout_s: float
    on_step: Callable[[Mapping[str, Any]], None]
    clock: Callable[[], float]
    messages: list[Message] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    """Where in `messages` the outputs of commands are that were not cut yet."""
    usage: ModelUsage = NO_USAGE
    turns: int = 0
    silent: int = 0
    slowest: float = 0.0
    """Seconds of the longest answer."""
    lost_s: float = 0.0
    """Seconds that went by in tries of the model that failed."""
    last: CommandResult | None = None

    def __post_init__(self) -> None:
        self.started = self.clock()
        self.fenced = self.settings.fenced or not self.model.supports_tools
        self.named = {tool.tool.name: tool for tool in self.tools}

    def run(self, task: str, network: bool) -> AgentReport:
        self._open(task, network)
        while not (reason := self._spent() or self._turn()):
            pass
        last = self.last
        return AgentReport(
            reason,
            self.turns,
            self.usage,
            self.clock() - self.started,
            last.exit_code if last else None,
            last.output[-2000:] if last else "",
        )

    def _open(self, task: str, network: bool) -> None:
        system = Template(self.settings.system).safe_substitute(
            workdir=self.shell.run("pwd", timeout_s=30.0).output.strip(),
            network="There is a network." if network else "There is no network.",
            seconds=int(self.timeout_s),
            turns=self.settings.turns,
            done=DONE,
        )
        # A system prompt of the user's own says itself how commands are written.
        if self.fenced and self.settings.system == SYSTEM:
            system += in_blocks(self.tools)
        if system:
            self._say("system", system)
        for user, assistant in self.settings.few_shot:
            self._say("user", user, example=True)
            self._say("assistant", assistant, example=True)
        self._say("user", task)

    def _say(self, role: Literal["system", "user", "assistant"], text: str, **more: bool) -> None:
        """Add a message that the model did not write, and record it."""
        self.messages.append(Message(role, text))
        self.on_step(message_step("agent" if role == "assistant" else role, text, **more))

    def _left(self) -> float:
        return self.timeout_s - (self.clock() - self.started)

    def _spent(self) -> str:
        """The budget that is used up, or nothing."""
        settings = self.settings
        if self._left() <= 0:
            return self._out_of_time()
        if self.turns >= settings.turns:
            return "turns"
        return settings.used_up(self.usage, self.model.name)

    def _out_of_time(self) -> str:
        """The reason "time", unless it was the endpoint that used the time up. Raises ModelUnavailable."""
        if self.lost_s > LOST_SHARE * self.timeout_s:
            raise ModelUnavailable(
                f"{self.model.name}: its endpoint's trouble took {self.lost_s:.0f} s of {self.timeout_s:.0f}"
            )
        return "time"

    def _turn(self) -> str:
        """One answer and what it asks for; the reason when this ends the episode."""
        asked = self.clock()
        try:
            completion = self._ask()
        except ContextOverflow:
            return "context"
        except ModelRefused:
            return "refused"
        except ModelTimeout as error:
            # An endpoint that never answered, or fell silent, is broken; otherwise it is slow, and slowness is graded.
            if self.turns == 0 or self.clock() - asked > max(SILENT_S, SILENT_TIMES * self.slowest):
                raise ModelUnavailable(str(error)) from error
            return self._out_of_time()
        self.slowest = max(self.slowest, self.clock() - asked - completion.lost_s)
        self.lost_s += completion.lost_s
        self.turns += 1
        self.usage += completion.usage
        calls = parse_fenced(completion, self.named) if self.fenced else completion.tool_calls
        self.messages.append(Message("assistant", completion.text, () if self.fenced else calls))
        shown: list[dict[str, Any]] = []
        try:
            return self._answer(completion, calls, shown)
        finally:
            self.on_step(completion_step(completion, calls, shown))

    def _answer(self, completion: Completion, calls: Sequence[ToolCall], shown: list[dict[str, Any]]) -> str:
        if not calls:
            self.silent += 1
            if self.silent > 1:
                return "no_command"
            self.messages.append(Message("user", self._reminder(completion)))
            return ""
        self.silent, done = 0, False
        for call in calls:
            text, ended, facts = self._call(call)
            shown.append({"call_id": call.id, "content": text, **facts})
            self.outputs.append(len(self.messages))
            role: Any = "user" if self.fenced else "tool"
            self.messages.append(Message(role, text, tool_call_id="" if self.fenced else call.id))
            done = done or ended
        return "done" if done else ""

    def _reminder(self, completion: Completion) -> str:
        if completion.finish_reason == "length":
            return "Your answer was cut off because it was too long. Give one shorter command."
        how = "one fenced ```bash block" if self.fenced else "a call of the tool `bash`"
        return f"There was no command in your answer. Answer with {how}; when the task is done, run: echo {DONE}"

    def _ask(self) -> Completion:
        tools = [] if self.fenced else [BASH, *(tool.tool for tool in self.tools)]
        while True:
            sampling = replace(self.settings.sampling, timeout_s=max(1.0, self._left()))
            try:
                return self.model.complete(self.messages, tools, sampling)
            except ContextOverflow:
                if not (self._compact(keep=2) or self._compact(keep=0)):
                    raise

    def _compact(self, keep: int) -> bool:
        """Cut what commands printed down to a line, but for the last `keep` outputs; was there anything to cut?

        All at once and each only once: endpoints keep the beginning of a conversation, as long as it stays the same.
        """
        count, cut = max(0, len(self.outputs) - keep), False
        for index in self.outputs[:count]:
            left_out = f"[output of {len(self.messages[index].content)} characters left out to save room]"
            if len(left_out) < len(self.messages[index].content):
                self.messages[index], cut = replace(self.messages[index], content=left_out), True
        self.outputs = self.outputs[count:]
        return cut

    def _call(self, call: ToolCall) -> tuple[str, bool, dict[str, Any]]:
        """What the model is shown, whether the episode ends, and facts for the record."""
        if call.malformed:
            return f"Nothing was run: {call.malformed}", False, {}
        if call.name in self.named:
            result = self.named[call.name].call(call.arguments)
            return clip(result.text, self.settings.output_chars), result.done, {}
        command = call.arguments.get("command")
        if call.name != "bash" or not isinstance(command, str):
            names = ", ".join(["bash(command: string)", *self.named])
            return f"Nothing was run: there is no such call. Tools: {names}.", False, {}
        return self._bash(command)

    def _bash(self, command: str) -> tuple[str, bool, dict[str, Any]]:
        left = self._left()
        if left <= 0:
            return "Nothing was run: your time is over.", False, {}
        result = self.last = self.shell.run(command, timeout_s=min(self.settings.command_s, left))
        lines = result.output.strip().splitlines()
        done = result.exit_code == 0 and bool(lines) and lines[-1].strip() == DONE
        facts = {
            "exit_code": result.exit_code,
            "seconds": round(result.seconds, 3),
            "timed_out": result.timed_out,
            "truncated": result.truncated or len(result.output) > self.settings.output_chars,
        }
        return self._shown(result), done, facts

    def _shown(self, result: CommandResult) -> str:
        if result.timed_out:
            status = f"killed after {result.seconds:.0f} s"
        elif result.exit_code is None:
            status = "killed"
        else:
            status = f"exit code {result.exit_code}"
        lost = " The shell was started anew: variables and working directory are gone." if result.shell_lost else ""
        output = clip(result.output, self.settings.output_chars)
        return f"{output.rstrip()}\n[{status}; {max(0, int(self._left()))} s left]{lost}".lstrip("\n")


def in_blocks(tools: Sequence[AgentTool]) -> str:
    """How a model without tool calling writes commands and calls `tools`; the end of a system prompt."""
    return FENCED + "".join(f"\nA block marked `{one.tool.name}`: {one.tool.description}" for one in tools)


def clip(text: str, limit: int) -> str:
    """At most about `limit` characters of `text`: its head and its tail."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"


def message_step(source: str, text: str, **more: bool) -> dict[str, Any]:
    """A rollout's step for a message that no model wrote; `source` is system, user or agent (a worked example)."""
    return {"timestamp": _now(), "source": source, "message": text, **more}


def completion_step(
    completion: Completion, calls: Sequence[ToolCall] = (), observations: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """A rollout's step for an answer of a model, with what was called and what it was shown."""
    return {
        "timestamp": _now(),
        "source": "agent",
        "message": completion.text,
        "tool_calls": [{"id": call.id, "name": call.name, "arguments": dict(call.arguments)} for call in calls],
        "observations": list(observations),
        "model": completion.model,
        "finish_reason": completion.finish_reason,
        "usage": asdict(completion.usage),
        "prompt_token_ids": completion.prompt_token_ids,
        "completion_token_ids": completion.completion_token_ids,
        "logprobs": completion.logprobs,
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
