"""A small valid environment folder, for tests to damage."""

from __future__ import annotations

from pathlib import Path

TASK = """\
schema_version = "1.4"
artifacts = ["/app/out.txt"]

[verifier]
environment_mode = "separate"
"""

FILES = {
    "task.toml": TASK,
    "instruction.md": "Write the answer to /app/out.txt.\n",
    "environment/Dockerfile": "FROM envwheel/base:bookworm\nWORKDIR /app\nCOPY input.txt /app/input.txt\n",
    "environment/input.txt": "one\ntwo\n",
    "solution/solve.sh": "#!/bin/bash\nsort -r /app/input.txt > /app/out.txt\n",
    "tests/Dockerfile": "FROM envwheel/base:bookworm\nCOPY . /tests/\n",
    "tests/test.sh": "#!/bin/bash\necho 0 > /logs/verifier/reward.txt\n",
}


def make(folder: Path, changes: dict[str, str | None] | None = None) -> Path:
    """Write FILES with `changes` (path -> text, None: left out) below `folder`."""
    for name, text in {**FILES, **(changes or {})}.items():
        if text is not None:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return folder
