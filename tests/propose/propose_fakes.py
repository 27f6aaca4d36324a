"""What a proposer works with in tests: a target, a desk, and an answer that holds a small environment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from envwheel.api import Digest
from envwheel.environment.draft import verifier_dockerfile
from envwheel.ledger import Target
from envwheel.propose.answer_format import TASK_TOML, WORK
from envwheel.propose.base import Desk, Judged
from envwheel.propose.files_in_text import write
from envwheel.rollout import RolloutWriter

IMAGE = "envwheel/base:bookworm"

TARGET = Target(
    candidate="r01-c001",
    name="files-l1-r01-c001",
    domain="swe",
    family="files",
    level=1,
    skills=("files",),
    seed=3,
    expected=0.5,
    reason="because",
)

CHECK = """\
import sys
sys.path.insert(0, "/tests/kit")
import grade
g = grade.Grade()
g.check("says ok", (grade.read_text("/app/result.txt") or "").strip() == "ok", "result.txt does not say ok")
g.finish()
"""

FILES = {
    "task.toml": TASK_TOML,
    "instruction.md": "Write ok to /app/result.txt.\n",
    "environment/Dockerfile": WORK.replace("IMAGE", IMAGE),
    "environment/app/notes.txt": "nothing\n",
    "solution/solve.sh": "#!/bin/bash\necho ok > /app/result.txt\n",
    "tests/Dockerfile": verifier_dockerfile(IMAGE, []),
    "tests/test.sh": "#!/bin/bash\n/usr/bin/python3 -I -B /tests/check.py\n",
    "tests/check.py": CHECK,
}
"""An environment as a model writes it."""

ANSWER = write(FILES)


def unread(folder: Path) -> Judged:
    """Nobody asks the gate."""
    raise AssertionError(f"{folder} was judged")


def desk_of(tmp_path: Path, judge: Callable[[Path], Judged]) -> Desk:
    """A desk in `tmp_path`: the folder goes into here/, the rollout is rollout.jsonl."""
    return Desk(
        id="r01-c001-p1",
        where=tmp_path / "here",
        rollout=RolloutWriter(tmp_path / "rollout.jsonl"),
        digest=Digest({}),
        judge=judge,
        say=lambda text: None,
    )
