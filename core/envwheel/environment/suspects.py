"""Places where the instruction or a file of the environment may give the solution away.

A suspect is not judged here: the gate tries it in a box, as a command of the solver's or as the artifact's content.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from envwheel.environment.dockerfile import copies
from envwheel.environment.leaks import files, heredocs

MOST = 6
"""At most so many suspects of one environment are tried."""
LINE = 12
"""A line of the solution shorter than this says nothing."""

_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[ \t]*([\w+-]*)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)
_SPAN = re.compile(r"`([^`\n]+)`")
_MARK = re.compile(r"^\s*(?:#+|//+|--|;+|/?\*+|<!--)\s*(.*?)\s*(?:\*/|-->)?\s*$")
_SHELLS = ("bash", "sh", "shell", "console")


@dataclass(frozen=True, slots=True)
class Suspect:
    """`command`: `text` is bash that may solve the task. `answer`: `text` may be the content of the artifact.

    `path` is the file in which it stands.
    """

    kind: Literal["command", "answer"]
    text: str
    path: str
    why: str


def suspects(task: Path, instruction: str) -> tuple[Suspect, ...]:
    """What is worth a try, the likeliest first, at most MOST."""
    solution = {name: data.decode(errors="replace") for name, data in files(task / "solution")}
    lines = {line for text in solution.values() for line in _telling(text)}
    found = [
        *_blocks(instruction, lines),
        *_answers(task, instruction, solution),
        *_comments(task, lines),
        *_scripts(task, solution.get("solve.sh", "")),
    ]
    return tuple({(item.kind, item.text): item for item in reversed(found)}.values())[::-1][:MOST]


def _telling(text: str) -> Iterator[str]:
    """Lines that say something: no shebang, no comment, no `set -e`, no `cd`."""
    for raw in text.splitlines():
        line = raw.strip()
        if len(line) >= LINE and not re.match(r"#|set -|cd |import |from \w+ import |export PATH", line):
            yield line


def _bare(line: str) -> str:
    return re.sub(r"^\s*(?:\$|>)\s+", "", line).strip()


def _blocks(instruction: str, lines: set[str]) -> Iterator[Suspect]:
    rest = instruction
    for match in _FENCE.finditer(instruction):
        rest = rest.replace(match[0], "")
        block = "\n".join(re.sub(r"^\s*\$\s+", "", line) for line in match[3].splitlines()) + "\n"
        if match[2].lower() in _SHELLS or any(_bare(line) in lines for line in match[3].splitlines()):
            yield Suspect("command", block, "instruction.md", "a block of the instruction looks like the solution")
    told = [index for index, line in enumerate(rest.splitlines()) if _bare(line) in lines]
    if told:
        text = "\n".join(_bare(line) for line in rest.splitlines()[told[0] : told[-1] + 1]) + "\n"
        yield Suspect("command", text, "instruction.md", f"{len(told)} lines of the solution are in the instruction")
    quoted = [_bare(span) for span in _SPAN.findall(rest) if _bare(span) in lines]
    if 3 * len(quoted) >= len(lines) > 0:  # fewer cannot be the work
        yield Suspect("command", "\n".join(quoted) + "\n", "instruction.md", "lines of the solution are quoted")


def _answers(task: Path, instruction: str, solution: dict[str, str]) -> Iterator[Suspect]:
    squeezed = _squeeze(instruction)
    texts = [text for script in solution.values() for text in heredocs(script)]
    texts += [data.decode(errors="replace") for name, data in files(task / "tests") if "expect" in name.lower()]
    for text in texts:
        if len(text.strip()) >= LINE and _squeeze(text) in squeezed:
            yield Suspect("answer", text, "instruction.md", "the instruction holds the expected content")


def _squeeze(text: str) -> str:
    return "\n".join(line.strip() for line in text.strip().splitlines() if line.strip())


def _comments(task: Path, lines: set[str]) -> Iterator[Suspect]:
    """A comment that states a line of the solution: tried in the place of the code line after it, and before it."""
    dockerfile = task / "environment" / "Dockerfile"
    brought = copies(dockerfile.read_text(errors="replace")) if dockerfile.is_file() else []
    for name, data in files(task / "environment"):
        place = next((place for copy in brought if (place := copy.place(name))), None)
        text = data.decode(errors="replace")
        if place is None or "\ufffd" in text or len(data) > 200_000:
            continue
        code = text.splitlines()
        stated = {line.strip() for line in code}
        for index, line in enumerate(code):
            fix = _stated_fix(line, lines - stated)
            for at in (index + 1, index - 1) if fix else ():
                if 0 <= at < len(code) and code[at].strip():
                    indent = code[at][: len(code[at]) - len(code[at].lstrip())]
                    edit = f"sed -i {shlex.quote(_replace_line(at + 1, indent + fix))} {shlex.quote(place)}\n"
                    why = f"line {index + 1} states a line of the solution"
                    yield Suspect("command", edit, f"environment/{name}", why)


def _stated_fix(line: str, lines: set[str]) -> str:
    match = _MARK.match(line) or re.match(r".*?\s(?:#|//)\s*(.*)$", line)
    words = match[1] if match else ""
    after = words.split(": ", 1)[-1].strip().strip("`")
    return next((text for text in (words.strip("`"), after) if text in lines), "")


def _replace_line(number: int, text: str) -> str:
    return f"{number}c\\" + text.replace("\\", "\\\\")


def _scripts(task: Path, solve: str) -> Iterator[Suspect]:
    """A file of the environment that holds most commands of the solution (texts that the solution writes aside)."""
    commands = solve
    for text in heredocs(solve):
        commands = commands.replace(text, "")
    telling = set(_telling(commands))
    if not telling:
        return
    for name, data in files(task / "environment"):
        text = data.decode(errors="replace")
        found = {line for line in map(_bare, text.splitlines()) if line in telling}
        if len(data) <= 200_000 and 2 * len(found) > len(telling) and name != "Dockerfile":
            told = [line for line in map(_bare, text.splitlines()) if line in telling]
            script = text if name.endswith(".sh") or text.startswith("#!") else "\n".join(told) + "\n"
            why = f"{len(found)} of {len(telling)} commands of the solution stand in it"
            yield Suspect("command", script, f"environment/{name}", why)
