"""Error classes of a trial: rules over what its commands printed and how it went. No model is asked.

    commands = ran(steps)                                          # every command of a rollout, with what came of it
    classes(commands, reason="done", passed=False, unused=0.8)     # ("no_such_file", "gave_up_early", ...)

`PRINTED` holds the rules over outputs, `WENT` those over the whole trial; docs/digest.md shows both as one table. A
rule that holds says what was printed, not why the trial failed: compare how often failed and passed trials have it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from envwheel.agent import DONE

LOOKED_AT = 20_000
"""Characters of one output that the rules see: its head and its tail."""
EARLY = 0.5
"""Whoever gives up with so much of the time left, gave up early."""
OFTEN = 3
"""The same command so many times in a row is going round in circles."""


@dataclass(frozen=True, slots=True)
class Ran:
    """One command of a rollout. `exit_code` is None where nobody wrote it down, or the command was killed."""

    command: str
    output: str = ""
    exit_code: int | None = None
    timed_out: bool = False
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A class and when a command has it: one of `words` in its output (and there `pattern`, if any), or an exit code.

    Both are in lower case, as the output is made. Outputs are long, and looking for words is quick.
    """

    name: str
    words: tuple[str, ...]
    meaning: str
    exit_codes: tuple[int, ...] = ()
    pattern: str = ""

    def holds(self, one: Ran, text: str) -> bool:
        """The command has this class; `text` is the part of its output that is looked at, in lower case."""
        if one.exit_code in self.exit_codes:
            return True
        return any(word in text for word in self.words) and re.search(self.pattern, text, re.M) is not None


PRINTED = (
    Rule("command_not_found", ("not found",), "a program that is not there", (127,), r": (command )?not found$"),
    Rule("permission_denied", ("permission denied", "operation not permitted"), "rights were missing"),
    Rule("no_such_file", ("no such file or directory", "filenotfounderror"), "a path that is not there"),
    Rule(
        "syntax_error",
        ("syntax error", "syntaxerror:", "indentationerror:", "unexpected token", "unexpected eof", "unterminated"),
        "code or command that does not parse",
    ),
    Rule(
        "wrong_usage",
        ("usage:", " option", " argument"),
        "a wrong option",
        pattern=r"^usage:|(unrecognized|invalid|unknown) (option|argument)",
    ),
    Rule(
        "missing_module",
        ("no module named", "cannot find module", "unable to locate package", "no matching distribution"),
        "a library or package that is not there",
    ),
    Rule(
        "network",
        (
            "could not resolve",
            "name resolution",
            "network is unreachable",
            "connection refused",
            "connection timed out",
            "connection reset",
            "failed to establish a new connection",
        ),
        "a network or server that does not answer",
    ),
    Rule("disk_full", ("no space left on device", "disk quota exceeded"), "no room on the disk"),
    Rule(
        "out_of_memory",
        ("killed", "memoryerror", "out of memory", "cannot allocate memory"),
        "memory used up",
        (137,),
        r"^killed$|memoryerror|out of memory|cannot allocate",
    ),
    Rule("crashed", ("segmentation fault", "core dumped", "bus error"), "a program that crashed", (134, 139)),
    Rule(
        "git_refused",
        ("fatal: ", "error: pathspec", "conflict ("),
        "git refused, or a merge conflict",
        pattern=r"^fatal: |^error: pathspec|conflict \(",
    ),
)
TRACE = re.compile(r"^Traceback \(most recent call last\)", re.M)
RAISED = re.compile(r"^(?:E\s+)?(?:\w+\.){0,6}([A-Z]\w{2,39})(?::|$)", re.M)
STATUS = re.compile(r"exit[_ ]?code\W{1,3}(-?\d{1,3})\b|<returncode>(-?\d{1,3})<|return code:? (-?\d{1,3})\b", re.I)
WRITES = re.compile(
    r"(?<![0-9&<=-])>{1,2}(?!\s*(?:/dev/null|&))|\b(tee|cp|mv|patch|truncate|install|ln|chmod)\b|\bsed -i|git commit"
)
LOOKS = re.compile(
    r"\W*(?:(?:cat|head|tail|less|ls|stat|grep|rg|diff|cmp|wc|file|jq|curl|test|python\d?|pytest|bash|sh|make|node|find|nl"
    r"|md5sum|sha256sum|sqlite3|git (?:status|diff|log|show))\b|\[|\./)"
)


@dataclass(frozen=True, slots=True)
class Way:
    """How a trial went, for the rules over the whole of it."""

    commands: Sequence[Ran]
    reason: str
    passed: bool
    unused: float | None

    @property
    def gave_up(self) -> bool:
        """It said that it is done, and it is not right."""
        return self.reason == "done" and not self.passed


def _circles(way: Way) -> bool:
    said = [one.command.strip() for one in way.commands]
    return any(said[at] and len(set(said[at : at + OFTEN])) == 1 for at in range(len(said) - OFTEN + 1))


def _wrong_output(way: Way) -> bool:
    last = _last(way)
    return way.gave_up and last is not None and last.exit_code in (0, None) and not last.timed_out


def _unseen(way: Way) -> bool:
    return way.gave_up and bool(way.commands) and never_looked([one.command for one in way.commands])


def _ended_on_error(way: Way) -> bool:
    last = _last(way)
    return not way.passed and last is not None and (last.timed_out or last.exit_code not in (0, None))


def _last(way: Way) -> Ran | None:
    """The last command but for the one that says that the work is done."""
    real = [one for one in way.commands if one.command.strip() != f"echo {DONE}"]
    return real[-1] if real else None


WENT: tuple[tuple[str, Callable[[Way], bool], str], ...] = (
    ("no_command", lambda way: way.reason == "no_command", "answers without a command, twice in a row"),
    ("did_nothing", lambda way: not way.passed and not way.commands, "no command was run at all"),
    ("ran_out", lambda way: way.reason in ("turns", "tokens", "dollars", "time", "context"), "a budget was used up"),
    ("command_timeout", lambda way: any(one.timed_out for one in way.commands), "a command was killed for its time"),
    ("output_cut", lambda way: any(one.truncated for one in way.commands), "an output too long to be shown whole"),
    ("same_again", _circles, f"one command {OFTEN} times in a row"),
    ("ended_on_error", _ended_on_error, "the last command failed, and that was the end"),
    ("wrong_output", _wrong_output, "it said done, nothing went wrong at the end, and the result is wrong"),
    ("never_looked_at_result", _unseen, "it said done and never looked at what it wrote last"),
    (
        "gave_up_early",
        lambda way: way.gave_up and way.unused is not None and way.unused >= EARLY,
        f"it said done with {EARLY:.0%} or more of its time left, and the result is wrong",
    ),
)


def classes(commands: Sequence[Ran], *, reason: str, passed: bool, unused: float | None) -> tuple[str, ...]:
    """The classes of a trial, each once: those of its commands as they came, then those of the whole.

    `reason` says why it ended (`AgentReport.reason`), `unused` is the share of its time that was left, None if unknown.
    """
    found: dict[str, None] = {}
    for one in commands:
        text = _seen(one.output)
        lowered = text.lower()
        found |= {rule.name: None for rule in PRINTED if rule.holds(one, lowered)}
        found |= dict.fromkeys(_raised(text))
    way = Way(commands, reason, passed, unused)
    return (*found, *(name for name, holds, _ in WENT if holds(way)))


def _seen(output: str) -> str:
    return output if len(output) <= LOOKED_AT else output[: LOOKED_AT // 2] + "\n" + output[-LOOKED_AT // 2 :]


def _raised(text: str) -> list[str]:
    """`traceback:TypeName` of the error that each traceback in `text` ends with."""
    marks = [*(match.end() for match in TRACE.finditer(text)), len(text)]
    raised = (RAISED.search(text, start, end) for start, end in pairwise(marks))
    return [f"traceback:{match.group(1)}" for match in raised if match]


def never_looked(commands: Iterable[str]) -> bool:
    """Something was written, and nothing after it looked at anything. By the words of the commands, not by what ran."""
    written = looked = False
    for command in _simple("\n".join(commands)):
        if WRITES.search(command):
            written, looked = True, False
        elif LOOKS.match(command):
            looked = True
    return written and not looked


def _simple(script: str) -> list[str]:
    """The simple commands of a script, without the bodies of here-documents."""
    lines, end = [], ""
    for line in script.splitlines():
        if end:
            end = "" if line.strip() == end else end
            continue
        if here := re.search(r"<<-?\s*['\"]?(\w+)", line):
            end = here.group(1)
        lines.append(line)
    return [part.strip() for line in lines for part in re.split(r"&&|\|\||;", line) if part.strip()]


def ran(steps: Iterable[Mapping[str, Any]]) -> list[Ran]:
    """The commands in the steps of a rollout, in order; calls of other tools as they were written."""
    found = []
    for step in steps:
        if step.get("example"):
            continue
        calls, shown = step.get("tool_calls") or [], step.get("observations") or []
        by_id = {one.get("call_id"): one for one in shown}
        for at, call in enumerate(calls):
            seen = by_id.get(call.get("id")) or (shown[at] if at < len(shown) else {})
            output, code = str(seen.get("content") or ""), seen.get("exit_code")
            if code is None and not seen.get("timed_out"):
                code = told_status(output)
            timed_out, cut = bool(seen.get("timed_out")), bool(seen.get("truncated"))
            found.append(Ran(command_of(call), output, code, timed_out, cut))
    return found


def command_of(call: Mapping[str, Any]) -> str:
    """What a tool call asks for, as one text."""
    arguments = call.get("arguments") or {}
    for key in ("command", "cmd", "keystrokes", "script", "code"):
        if isinstance(arguments.get(key), str):
            return str(arguments[key])
    return " ".join([str(call.get("name", "")), *(f"{key}={value}" for key, value in arguments.items())]).strip()


def told_status(output: str) -> int | None:
    """The exit code that an agent wrote under an output, where its own record has none."""
    found = STATUS.findall(output[-300:]) or STATUS.findall(output[:100])
    return int(next(filter(None, found[-1]))) if found else None
