"""The agent loop, with a scripted model and a shell that is a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from envwheel.agent import DONE, AgentReport, AgentSettings, AgentTool, ToolResult, clip, run_agent
from envwheel.errors import BoxGone, ContextOverflow, ModelRefused, ModelTimeout, ModelUnavailable, SetupError
from envwheel.model.base import Completion, Message, ModelUsage, Sampling, Tool, ToolCall
from envwheel.model.calls import parse_call, parse_fenced
from envwheel.model.scripted import ScriptedModel
from envwheel.sandbox.base import CommandResult

FINISH = f"```bash\necho {DONE}\n```"


@dataclass
class TableShell:
    """Answers a command from a table; `echo` says what follows it."""

    answers: Mapping[str, CommandResult] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    limits: list[float] = field(default_factory=list)
    dies_at: str = ""

    def run(self, command: str, *, timeout_s: float = 120.0, output_cap: int = 1 << 20) -> CommandResult:
        self.ran.append(command)
        self.limits.append(timeout_s)
        if self.dies_at and self.dies_at in command:
            raise BoxGone("died", "the box is gone")
        if command == "pwd":
            return CommandResult(0, "/app\n", 0.0)
        said = command.removeprefix("echo ") + "\n" if command.startswith("echo ") else ""
        return self.answers.get(command) or CommandResult(0, said, 0.01)

    def close(self) -> None:
        pass


class Recording:
    """A model that keeps what it was asked."""

    def __init__(self, model: Any) -> None:
        self.model, self.asked, self.tools, self.sampling = model, [], [], []
        self.name, self.supports_tools = "recording", model.supports_tools

    def complete(self, messages: list[Message], tools: list[Tool], sampling: Sampling) -> Completion:
        self.asked.append(list(messages))
        self.tools.append(list(tools))
        self.sampling.append(sampling)
        return self.model.complete(messages, tools, sampling)

    def close(self) -> None:
        pass


class Clock:
    def __init__(self, *times: float) -> None:
        self.times = list(times)

    def __call__(self) -> float:
        return self.times.pop(0) if len(self.times) > 1 else self.times[0]


def call(command: str, id: str = "a") -> Completion:
    return Completion("", (ToolCall(id, "bash", {"command": command}),))


def play(
    answers: list[Any], *, tools: bool = False, shell: TableShell | None = None, settings: Any = None, **more: Any
) -> tuple[AgentReport, TableShell, list[dict[str, Any]], Recording]:
    shell, steps = shell or TableShell(), []
    model = Recording(ScriptedModel(answers, tools=tools))
    report = run_agent(
        model,
        shell,
        "Do it.",
        settings=settings or AgentSettings(),
        timeout_s=more.pop("timeout_s", 100.0),
        on_step=lambda step: steps.append(dict(step)),
        **more,
    )
    return report, shell, steps, model


def test_fenced_blocks_run_until_the_model_says_it_is_done() -> None:
    report, shell, steps, model = play(["Look:\n```bash\nls -l\n```", FINISH])
    assert (report.reason, report.turns, report.exit_code) == ("done", 2, 0)
    assert shell.ran == ["pwd", "ls -l", f"echo {DONE}"]
    system = model.asked[0][0].content
    assert "/app" in system
    assert "no network" in system
    assert "100 seconds" in system
    assert "```bash" in system
    assert model.tools == [[], []]
    assert [step["source"] for step in steps] == ["system", "user", "agent", "agent"]
    assert steps[2]["tool_calls"][0]["arguments"] == {"command": "ls -l"}
    assert "exit code 0" in steps[2]["observations"][0]["content"]
    assert model.asked[1][-1].role == "user"


def test_tool_calls_are_answered_one_by_one() -> None:
    both = Completion(
        "two", (ToolCall("a", "bash", {"command": "echo 1"}), ToolCall("b", "bash", {"command": "echo 2"}))
    )
    report, _, _, model = play([both, call(f"echo {DONE}")], tools=True)
    assert report.reason == "done"
    answered = [(m.role, m.tool_call_id, m.content.splitlines()[0]) for m in model.asked[1][-2:]]
    assert answered == [("tool", "a", "1"), ("tool", "b", "2")]
    assert [tool.name for tool in model.tools[0]] == ["bash"]
    assert "```" not in model.asked[0][0].content


def test_a_printed_sentinel_of_a_failed_command_is_no_end() -> None:
    shell = TableShell({"cat x": CommandResult(1, DONE, 0.1)})
    report, *_ = play(["```\ncat x\n```", FINISH], shell=shell)
    assert report.turns == 2


def test_malformed_and_unknown_calls_are_told_and_not_run() -> None:
    wrong = [
        Completion("", (parse_call("a", "bash", '{"command": '),)),
        Completion("", (ToolCall("a", "bash", {"cmd": "ls"}),)),
        Completion("", (ToolCall("a", "python", {"command": "1"}),)),
    ]
    report, shell, steps, _ = play([*wrong, call(f"echo {DONE}")], tools=True)
    assert report.reason == "done"
    assert shell.ran == ["pwd", f"echo {DONE}"]
    told = [step["observations"][0]["content"] for step in steps[2:5]]
    assert all(text.startswith("Nothing was run") for text in told)
    assert "no JSON" in told[0]


@pytest.mark.parametrize("silence", ["", "I think it is done."])
def test_silence_is_reminded_once_and_then_ends(silence: str) -> None:
    report, shell, steps, model = play([silence, silence])
    assert (report.reason, report.turns, shell.ran) == ("no_command", 2, ["pwd"])
    assert DONE in model.asked[1][-1].content
    assert len(steps) == 4


def test_a_cut_answer_is_told_to_be_shorter_and_its_open_block_is_not_run() -> None:
    cut = Completion("```bash\ncat <<EOF > x\n1", finish_reason="length")
    report, shell, _, model = play([cut, FINISH])
    assert report.reason == "done"
    assert shell.ran == ["pwd", f"echo {DONE}"]
    assert "cut off" in model.asked[1][-1].content


def test_budgets_of_turns_tokens_and_dollars() -> None:
    dear = Completion("```\nls\n```", usage=ModelUsage(60, 40, 0, 0.5))
    assert play([dear], settings=AgentSettings(turns=3))[0].reason == "turns"
    report = play([dear], settings=AgentSettings(tokens=150))[0]
    assert (report.reason, report.turns, report.usage.input_tokens) == ("tokens", 2, 120)
    assert play([dear], settings=AgentSettings(dollars=0.9))[0].turns == 2


def test_a_dollar_budget_without_a_price_is_a_set_up_error() -> None:
    free = Completion("```\nls\n```", usage=ModelUsage(1, 1))
    with pytest.raises(SetupError, match="prices"):
        play([free], settings=AgentSettings(dollars=1.0))


def test_time_ends_the_episode_and_bounds_commands_and_calls() -> None:
    shell = TableShell()
    settings = AgentSettings(command_s=50.0)
    clock = Clock(0.0, 0.0, 0.0, 0.0, 80.0, 80.0, 80.0, 101.0)
    report, _, _, model = play(["```\nls\n```"], shell=shell, settings=settings, clock=clock)
    assert report.reason == "time"
    assert shell.limits[1] == pytest.approx(20.0)
    assert model.sampling[0].timeout_s == pytest.approx(100.0)


def test_a_model_that_never_answers_is_unavailable_and_one_that_is_slow_later_is_out_of_time() -> None:
    class Slow(ScriptedModel):
        def complete(self, messages: Any, tools: Any, sampling: Any) -> Completion:
            if sum(m.role == "assistant" for m in messages) >= self.answers_before:
                raise ModelTimeout("too slow")
            return super().complete(messages, tools, sampling)

        answers_before = 0

    def run(before: int) -> AgentReport:
        model = Slow(["```\nls\n```"])
        model.answers_before = before
        return run_agent(model, TableShell(), "x", settings=AgentSettings(), timeout_s=9.0, on_step=lambda step: None)

    with pytest.raises(ModelUnavailable):
        run(0)
    assert run(1).reason == "time"


@pytest.mark.parametrize(("waited", "ends"), [(59.0, "time"), (61.0, "gone")])
def test_a_model_that_falls_silent_for_long_is_gone_and_not_slow(waited: float, ends: str) -> None:
    now = [0.0]

    class Silent(ScriptedModel):
        def complete(self, messages: Any, tools: Any, sampling: Any) -> Completion:
            if any(m.role == "assistant" for m in messages):
                now[0] += waited
                raise ModelTimeout("silent")
            now[0] += 5.0
            return super().complete(messages, tools, sampling)

    def run() -> AgentReport:
        return run_agent(
            Silent(["```\nls\n```"]),
            TableShell(),
            "x",
            settings=AgentSettings(),
            timeout_s=600.0,
            on_step=lambda step: None,
            clock=lambda: now[0],
        )

    if ends == "time":
        assert run().reason == "time"
    else:
        with pytest.raises(ModelUnavailable, match="silent"):
            run()


def test_refusal_ends_and_unavailability_escapes_with_the_steps_kept() -> None:
    assert play(["```\nls\n```", ModelRefused("no")])[0].reason == "refused"
    steps: list[Any] = []
    with pytest.raises(ModelUnavailable):
        run_agent(
            ScriptedModel(["```\nls\n```", ModelUnavailable("gone")]),
            TableShell(),
            "x",
            settings=AgentSettings(),
            timeout_s=9.0,
            on_step=steps.append,
        )
    assert len(steps) == 3


def test_the_step_is_recorded_when_the_box_dies_under_it() -> None:
    steps: list[Any] = []
    answers = [
        Completion("", (ToolCall("a", "bash", {"command": "echo 1"}), ToolCall("b", "bash", {"command": "boom"})))
    ]
    with pytest.raises(BoxGone):
        run_agent(
            ScriptedModel(answers, tools=True),
            TableShell(dies_at="boom"),
            "x",
            settings=AgentSettings(),
            timeout_s=9.0,
            on_step=steps.append,
        )
    assert [o["call_id"] for o in steps[-1]["observations"]] == ["a"]
    assert len(steps[-1]["tool_calls"]) == 2


def test_overflow_drops_old_outputs_first_and_keeps_the_task() -> None:
    class Small(ScriptedModel):
        """Fits 3500 characters."""

        def complete(self, messages: Any, tools: Any, sampling: Any) -> Completion:
            if sum(len(m.content) for m in messages) > 3500:
                raise ContextOverflow("full")
            return super().complete(messages, tools, sampling)

    shell = TableShell({"big": CommandResult(0, "x" * 900, 0.1)})
    model = Recording(Small(["```\nbig\n```"] * 5 + [FINISH]))
    report = run_agent(model, shell, "Do it.", settings=AgentSettings(), timeout_s=9.0, on_step=lambda step: None)
    assert report.reason == "done"
    last = model.asked[-1]
    assert last[1].content == "Do it."
    assert "left out" in last[3].content
    assert "x" * 900 in last[-1].content


def test_what_was_cut_once_stays_as_it_is_and_nothing_is_asked_twice_in_the_same_words() -> None:
    class Tiny(ScriptedModel):
        """Fits one long output, and no more than six messages."""

        def complete(self, messages: Any, tools: Any, sampling: Any) -> Completion:
            if len(messages) > 6 or sum(len(m.content) for m in messages) > 2500:
                raise ContextOverflow("full")
            return super().complete(messages, tools, sampling)

    shell = TableShell({"big": CommandResult(0, "x" * 1500, 0.1)})
    model = Recording(Tiny(["```\nbig\n```"]))
    report = run_agent(model, shell, "x", settings=AgentSettings(), timeout_s=9.0, on_step=lambda step: None)
    assert report.reason == "context"
    asked = [tuple(messages) for messages in model.asked]
    assert len(set(asked)) == len(asked)
    cut = [messages[3].content for messages in asked if len(messages) > 3 and "left out" in messages[3].content]
    assert len(set(cut)) == 1
    assert "[output of 15" in cut[0]


def test_overflow_that_compaction_cannot_mend_ends_with_context() -> None:
    assert play([ContextOverflow("full")])[0].reason == "context"


def test_extra_tools_answer_and_end_in_both_protocols() -> None:
    seen: list[Any] = []

    def submit(arguments: Mapping[str, Any]) -> ToolResult:
        seen.append(dict(arguments))
        return ToolResult("thanks", done=True)

    tool = AgentTool(Tool("submit", "Hand in.", {"type": "object"}), submit)
    native = Completion("", (ToolCall("a", "submit", {"note": "x"}),))
    report, model = with_tool(tool, [native], True)
    assert report.reason == "done"
    assert [t.name for t in model.tools[0]] == ["bash", "submit"]
    report, model = with_tool(tool, ['```submit\n{"note": "y"}\n```'], False)
    assert report.reason == "done"
    assert "Hand in." in model.asked[0][0].content
    assert seen == [{"note": "x"}, {"note": "y"}]


def with_tool(tool: AgentTool, answers: list[Any], native: bool) -> tuple[AgentReport, Recording]:
    model = Recording(ScriptedModel(answers, tools=native))
    report = run_agent(
        model,
        TableShell(),
        "x",
        settings=AgentSettings(),
        timeout_s=9.0,
        on_step=lambda step: None,
        tools=[tool],
    )
    return report, model


def test_few_shot_and_a_system_prompt_of_ones_own() -> None:
    settings = AgentSettings(system="At $workdir.", few_shot=(("q", "a"),), turns=1, fenced=True)
    report, _, steps, model = play(["```\nls\n```"], settings=settings, tools=True)
    assert [(step["source"], step.get("example", False)) for step in steps] == [
        ("system", False),
        ("user", True),
        ("agent", True),
        ("user", False),
        ("agent", False),
    ]
    assert [(m.role, m.content) for m in model.asked[0]] == [
        ("system", "At /app."),
        ("user", "q"),
        ("assistant", "a"),
        ("user", "Do it."),
    ]
    assert report.reason == "turns"
    assert report.turns == 1


def test_output_is_clipped_and_a_killed_command_and_a_lost_shell_are_told() -> None:
    long = CommandResult(None, "h" * 600 + "t" * 600, 120.0, timed_out=True, shell_lost=True)
    _, _, steps, _ = play(
        ["```\nlong\n```", FINISH], shell=TableShell({"long": long}), settings=AgentSettings(output_chars=100)
    )
    shown = steps[2]["observations"][0]
    assert shown["truncated"]
    assert shown["timed_out"]
    assert shown["exit_code"] is None
    assert "killed after 120 s" in shown["content"]
    assert "started anew" in shown["content"]
    assert len(shown["content"]) < 400
    assert "1100 characters left out" in shown["content"]


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("```bash\nls\n```", "ls"),
        ("before\n```sh\na\nb\n```\n```bash\nsecond\n```", "a\nb"),
        ("```\nls", "ls"),
        ("```python\nprint(1)\n```\n```bash\nls\n```", "ls"),
        ("  ```bash\n  ls\n  ```", "  ls"),
        ("```bash\ncat <<'E' > a.md\n    ```x\nE\n```", "cat <<'E' > a.md"),
    ],
)
def test_the_first_shell_block_counts(text: str, command: str) -> None:
    assert parse_fenced(Completion(text))[0].arguments["command"] == command


@pytest.mark.parametrize("text", ["", "ls", "```bash\n\n```", "```python\n1\n```", "``` bash"])
def test_no_block_is_no_call(text: str) -> None:
    assert parse_fenced(Completion(text)) == ()


def test_clip_keeps_head_and_tail() -> None:
    assert clip("abc", 10) == "abc"
    assert clip("a" * 50 + "b" * 50, 10).startswith("aaaaa\n[... 90")
    assert clip("a" * 50 + "b" * 50, 10).endswith("bbbbb")
