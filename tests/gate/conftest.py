"""A small environment on disk, and a fake engine that can play it.

`make_task(...)` writes the folder; the scripts in it are empty; `Play(solve, grade)` gives an engine that answers
them. As it comes, the reference writes `42` to /app/out.txt, and the tests give 1 for exactly that and 0 otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from envwheel.domains import Domains
from envwheel.environment.folder import TaskFolder, read
from envwheel.gate.ladder import GateOptions, Verdict, judge
from envwheel.sandbox.base import CommandResult
from envwheel.sandbox.fake import FakeEngine, Run

TOML = """schema_version = "1.4"
artifacts = ["/app/out.txt"]

[agent]
timeout_sec = 100.0

[verifier]
timeout_sec = 50.0
environment_mode = "{mode}"

[environment]
memory_mb = 512
{more}
"""
FILES = {
    "instruction.md": "Write the sum of `/app/numbers.txt` to `/app/out.txt`.\n",
    "environment/Dockerfile": "FROM envwheel/base:bookworm\nWORKDIR /app\nCOPY app/ /app/\n",
    "environment/app/numbers.txt": "40\n2\n",
    "solution/solve.sh": "#!/bin/bash\n# SOLVE\n",
    "tests/Dockerfile": "FROM envwheel/base:bookworm\nCOPY . /tests/\nWORKDIR /app\n",
    "tests/test.sh": "#!/bin/bash\n# GRADE\n",
}

Write = Callable[..., Path]


@pytest.fixture
def write_task(tmp_path: Path) -> Write:
    """Write an environment folder: `mode`, `toml` (appended), and files to change (None removes one)."""

    def write(
        files: dict[str, str | bytes | None] | None = None,
        *,
        mode: str = "separate",
        more: str = "",
        name: str = "task",
    ) -> Path:
        folder = tmp_path / name
        for path, content in {**FILES, "task.toml": TOML.format(mode=mode, more=more), **(files or {})}.items():
            target = folder / path
            if content is None:
                target.unlink(missing_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)
        return folder

    return write


@pytest.fixture
def make_task(write_task: Write) -> Callable[..., TaskFolder]:
    """The same, read."""
    return lambda *args, **named: read(write_task(*args, **named))


@dataclass
class Play:
    """An engine in which `solve` is the reference and `grade` says the reward (None: no reward file)."""

    solve: Callable[[Run], object] = lambda run: run.write("/app/out.txt", "42\n")
    grade: Callable[[Run], object] = lambda run: run.read("/app/out.txt") == "42\n"
    lacks: frozenset[str] = frozenset()
    gradings: int = 0
    solutions: int = 0
    engine: FakeEngine = field(init=False)

    def __post_init__(self) -> None:
        self.engine = FakeEngine(lacks=self.lacks)
        self.engine.program("bash /solution/solve.sh", self._solve)
        self.engine.program("/tests/test.sh", self._grade)

    def _solve(self, run: Run) -> CommandResult | None:
        self.solutions += 1
        answer = self.solve(run)
        return answer if isinstance(answer, CommandResult) else None

    def _grade(self, run: Run) -> CommandResult | None:
        self.gradings += 1
        value = self.grade(run)
        if isinstance(value, CommandResult):
            return value
        if value is not None:
            text = value if isinstance(value, str) else f"{float(value):g}\n"
            run.write("/logs/verifier/reward.txt", text)
        return None


@pytest.fixture
def play() -> type[Play]:
    """Make an engine that plays a reference and tests."""
    return Play


@pytest.fixture
def gate(write_task: Any, play: Any) -> Callable[..., Verdict]:
    """Judge a task: `files`, `mode` and `more` make it, `solve` and `grade` play it."""

    def run(files: Any = None, solve: Any = None, grade: Any = None, mode: str = "separate", **more: Any) -> Verdict:
        named = {name: more.pop(name) for name in ("more", "name") if name in more}
        game = more.pop("game", None) or play(**{k: v for k, v in {"solve": solve, "grade": grade}.items() if v})
        more.setdefault("back_off_s", (0.0, 0.0, 0.0))
        options = GateOptions(**{key: more.pop(key) for key in list(more) if key in GateOptions.__slots__})
        path = write_task(files, mode=mode, **named)
        verdict = judge(path, game.engine, Domains.none(), options=options, **more)
        assert not game.engine.live
        return verdict

    return run
