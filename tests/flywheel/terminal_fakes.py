"""What plays a proposer in memory: a toy task that is written into a fake box's draft, and a model that follows a plan.

A plan is a list of steps, one a turn: `validate`, `submit`, a call, something to be called, or a command, of which
`WRITE-GOOD`, `WRITE-FAULTY` and others of `engine()` are played by the fake engine. A step that is an exception is
raised.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from flywheel_fakes import engine as toy_engine

from envwheel.agent import AgentSettings
from envwheel.model.base import Completion, Message, ModelUsage, Sampling, Tool, ToolCall
from envwheel.parts import Parts
from envwheel.presets import agent_settings
from envwheel.propose.terminal import Terminal
from envwheel.sandbox.base import Entry
from envwheel.sandbox.fake import FakeEngine, Run

DRAFT = "/workspace/draft"
HARNESS = "/workspace/harness"
USAGE = ModelUsage(100, 10, 0, 0.001)
TOOLS = ("validate", "submit")

Step = str | ToolCall | BaseException | Callable[[], None]


def write_draft(run: Run, expected: int = 5) -> None:
    """The toy task: 2 + 3."""
    for name, text in {
        "instruction.md": "Write the sum of the numbers in /app/in.txt to /app/out.txt.\n",
        "environment/app/in.txt": "2\n3\n",
        "solution/solve.sh": "#!/bin/bash\n# SOLVE\n",
        "tests/check.py": "# GRADE\n",
        "tests/expect.txt": f"{expected}\n",
    }.items():
        run.write(f"{DRAFT}/{name}", text)
    toml = run.read(f"{DRAFT}/task.toml") or ""
    run.write(f"{DRAFT}/task.toml", toml.replace("artifacts = []", 'artifacts = ["/app/out.txt"]'))


def engine() -> FakeEngine:
    """The toy engine whose boxes know how drafts are written."""
    made = toy_engine()
    made.program("WRITE-GOOD", write_draft)
    made.program("WRITE-FAULTY", lambda run: write_draft(run, expected=6))
    made.program("WRITE-TOML", lambda run: run.write(f"{DRAFT}/task.toml", "no toml ["))
    made.program("EMPTY-IT", lambda run: run.remove(DRAFT))

    def odd(run: Run) -> None:
        run.box.files[f"{DRAFT}/environment/app/inside"] = Entry("link", 0o777, target="in.txt")
        run.box.files[f"{DRAFT}/environment/app/outside"] = Entry("link", 0o777, target="/etc/shadow")

    made.program("WRITE-LINKS", odd)
    made.program("WRITE-NAMES", lambda run: run.write(f"{DRAFT}/environment/app/\udcff", "x"))
    made.program("WRITE-HUGE", lambda run: run.write(f"{DRAFT}/big", b"0" * (33 << 20)))
    made.program("NOTE-IT", lambda run: run.write(f"{HARNESS}/notes.md", "Order what has no order.\n"))
    made.program("NOTE-ODD", lambda run: run.write(f"{HARNESS}/data.bin", b"\xff\0"))
    made.program("NOTE-MUCH", lambda run: run.write(f"{HARNESS}/much.txt", "x" * (65 << 10)))
    made.program("DIE", lambda run: run.box.kill("memory"))
    return made


@dataclass
class Planned:
    """A model that follows `plans`: the n-th conversation gets the n-th plan, the last one ever after."""

    plans: Sequence[Sequence[Step]]
    name: str = "planned"
    supports_tools: bool = True
    conversations: list[list[Message]] = field(default_factory=list)
    """Everything that was said in each conversation, as it was sent last."""
    before: Callable[[int], object] = lambda turn: None
    """Called with the turn before it is answered."""

    def complete(self, messages: Sequence[Message], tools: Sequence[Tool], sampling: Sampling) -> Completion:
        turn = sum(message.role == "assistant" for message in messages)
        self.before(turn)
        if turn == 0:
            self.conversations.append([])
        self.conversations[-1][:] = messages
        plan = self.plans[min(len(self.conversations), len(self.plans)) - 1]
        step = plan[turn] if turn < len(plan) else "true"
        if isinstance(step, BaseException):
            raise step
        if callable(step):
            step()
            step = "true"
        if isinstance(step, ToolCall):
            return Completion("", (step,), USAGE)
        call = ToolCall(f"c{turn}", step, {}) if step in TOOLS else ToolCall(f"c{turn}", "bash", {"command": step})
        return Completion("", (call,), USAGE)

    def told(self, conversation: int = -1) -> list[str]:
        """What tools and commands answered."""
        return [message.content for message in self.conversations[conversation] if message.role == "tool"]

    def close(self) -> None:
        """Nothing to free."""


def with_terminal(parts: Parts, model: Planned, settings: dict[str, Any] | None = None, **more: Any) -> Parts:
    """`parts` with a terminal proposer whose model is `model`; `more` are arguments of `Terminal`."""
    led: AgentSettings = agent_settings(settings or {}, preset="proposer")
    made = engine()
    return replace(parts, engine=made, proposer=Terminal(parts.domains, made, model, led, **more))
