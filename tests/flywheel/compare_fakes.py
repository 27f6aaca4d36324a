"""A model that answers with environments of the toy domain, as well as it is told for each target and turn."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from envwheel.api import Draft
from envwheel.environment import draft as drafts
from envwheel.model.base import Completion, Message, ModelUsage, Sampling, Tool
from envwheel.propose.files_in_text import write

TEXT = "I have built it.\n\n"
USAGE = ModelUsage(1000, 100, 500, 0.01)


def answer(folder: Path, *, right: bool = True, leaks: bool = False) -> str:
    """A toy environment as an answer; not `right`: its reference fails; `leaks`: its image holds the reference."""
    solve = "#!/bin/bash\n# SOLVE by adding up what is there, line by line\n"
    draft = Draft(
        name="sum",
        instruction="Write the sum of the numbers in /app/in.txt to /app/out.txt.",
        files={"in.txt": "1\n2\n", **({"old.sh": solve} if leaks else {})},
        solution={"solve.sh": solve},
        tests={"check.py": "# GRADE\n", "expect.txt": ("3\n" if right else "4\n")},
        artifacts=("/app/out.txt",),
        image="envwheel/base:bookworm",
    )
    drafts.write(draft, folder, domains=["toy"], kit=[], proposer="x")
    files = {
        path.relative_to(folder).as_posix(): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()
    }
    return TEXT + write({name: text for name, text in files.items() if not name.startswith("tests/kit/")})


@dataclass
class Author:
    """A model; `says(target, turn)` is its answer for the target `c001`, an exception to raise it. Remembers turns."""

    says: Callable[[str, int], str | Exception]
    name: str = "author"
    supports_tools: bool = False
    asked: list[tuple[str, int]] = field(default_factory=list)
    systems: list[str] = field(default_factory=list)

    def complete(self, messages: Sequence[Message], tools: Sequence[Tool], sampling: Sampling) -> Completion:
        named = re.search(r"envwheel/\S+-(c\d+)", messages[1].content)
        assert named
        turn = sum(message.role == "assistant" for message in messages)
        self.asked.append((named[1], turn))
        self.systems.append(messages[1].content)
        said = self.says(named[1], turn)
        if isinstance(said, Exception):
            raise said
        return Completion(said, usage=USAGE, model=self.name)

    def close(self) -> None:
        """Nothing to free."""
