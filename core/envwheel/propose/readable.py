"""A rollout as a text for people and proposers: the task, each command with what it printed, the verifier's checks.

    text = rollout_text(summary, steps, told, most=8000)     # whole where it fits; else shortened, in the middle last

What stands in a fence was printed in a box or written by a model. It is stripped of control characters and cannot end
its fence: the fence is longer than any run of backticks in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from envwheel.agent import clip
from envwheel.console import plain
from envwheel.propose.classes import command_of
from envwheel.propose.facts import Facts
from envwheel.rollout import RolloutSummary

CLIPS = ((3000, 1200), (1200, 500), (600, 200))
"""Characters of an output and of a command or message that are shown: at first, and when it gets tight."""
TASK = 2000
"""Characters of the instruction."""
CHECKS = 12
"""Checks that are shown with their messages."""


def fenced(text: str, info: str = "") -> str:
    """`text` in a fence that it cannot end."""
    body = plain(text).rstrip()
    ticks = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", body)), default=0))
    return f"{ticks}{info}\n{body}\n{ticks}"


def inline(text: str, most: int = 120) -> str:
    """`text` as code within a line or a table: one line, no backticks, no cell borders."""
    flat = " ".join(plain(text).split()).replace("`", "'").replace("|", "/")
    return f"`{flat if len(flat) <= most else flat[: most - 3] + '...'}`" if flat else ""


def rollout_text(summary: RolloutSummary, steps: Sequence[Mapping[str, Any]], told: Facts, most: int) -> str:
    """The rollout in about `most` characters. Outputs are cut shorter first; then turns of the middle are left out."""
    head, end = _head(summary, steps, told, min(TASK, most // 4)), _end(summary, most // 4)
    agent = [step for step in steps if step.get("source") == "agent" and not step.get("example")]
    if not agent:  # a log, or what a simulation says of itself
        agent = [step for step in steps if step.get("source") == "system"]
    room = max(0, most - len(head) - len(end))
    for output, words in CLIPS:
        turns = [_turn(number, step, output, words) for number, step in enumerate(agent, 1)]
        if sum(map(len, turns)) + 2 * len(turns) <= room:
            break
    else:
        turns = _middle_out(turns, room)
    return "\n\n".join([head, *turns, end]) + "\n"


def _head(summary: RolloutSummary, steps: Sequence[Mapping[str, Any]], told: Facts, most: int) -> str:
    task = next((str(s.get("message", "")) for s in steps if s.get("source") == "user" and not s.get("example")), "")
    unused = "" if told.unused is None else f", {told.unused:.0%} of its time unused"
    lines = [
        f"# {'Passed' if summary.passed else 'Failed'}: {inline(summary.environment)}",
        "",
        f"Skills {inline(', '.join(summary.skills)) or 'unknown'}, level {summary.level}. Reward {summary.reward}; "
        f"ended: {inline(summary.reason)}. {summary.turns} turns, {summary.usage.output_tokens} tokens written, "
        f"{summary.seconds:.0f} s{unused}.",
    ]
    if told.classes:
        lines.append(f"Error classes: {', '.join(told.classes)}.")
    return "\n".join([*lines, "", "## Task", "", fenced(clip(task, most)) if task else "(not recorded)"])


def _turn(number: int, step: Mapping[str, Any], output: int, words: int) -> str:
    parts = [f"## Turn {number}"]
    if message := str(step.get("message") or "").strip():
        parts.append(fenced(clip(message, words), "text"))
    shown = step.get("observations") or []
    by_id = {one.get("call_id"): one for one in shown}
    for at, call in enumerate(step.get("tool_calls") or []):
        seen = by_id.get(call.get("id")) or (shown[at] if at < len(shown) else {})
        command = clip(command_of(call), words)
        if command not in message:
            parts.append(fenced(command, "bash"))
        parts.append(fenced(clip(str(seen.get("content") or "(no output)"), output), "output"))
    return "\n\n".join(parts)


def _middle_out(turns: Sequence[str], room: int) -> list[str]:
    """As many turns from both ends as fit, the last ones first."""
    first: list[str] = []
    last: list[str] = []
    left, front = list(turns), False
    while left:
        turn = left[0] if front else left[-1]
        if len(turn) + 60 > room:
            break
        room -= len(turn) + 2
        if front:
            first.append(left.pop(0))
        else:
            last.insert(0, left.pop())
        front = not front
    gap = [f"(... {len(left)} of {len(turns)} turns are left out here ...)"] if left else []
    return [*first, *gap, *last]


def _end(summary: RolloutSummary, most: int) -> str:
    failed = [check for check in summary.checks if not check.passed]
    held = [check for check in summary.checks if check.passed]
    lines = ["## What the verifier found", ""]
    lines += [f"- FAILS {inline(check.id)} {inline(check.message, 300)}".rstrip() for check in failed[:CHECKS]]
    lines += [f"- holds {inline(check.id)}" for check in held[: max(0, CHECKS - len(failed))]]
    while len(lines) > 3 and sum(map(len, lines)) > most:
        lines.pop()
    if (more := len(summary.checks) - len(lines) + 2) > 0:
        lines.append(f"- and {more} more checks")
    return "\n".join(lines if summary.checks else [*lines, f"No checks were named; reward {summary.reward}."])


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """The lines of a table. Cells are ours, or `inline`."""
    names = list(header)
    return [
        "| " + " | ".join(names) + " |",
        "|" + "---|" * len(names),
        *("| " + " | ".join(row) + " |" for row in rows),
    ]
