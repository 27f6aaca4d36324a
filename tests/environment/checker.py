"""Run a piece of a checker on this host as a box would: `python3 -I -B`, the kit on its path, logs in our folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

KIT = Path(str(resources.files("envwheel.environment") / "kit"))
ROOT = os.geteuid() == 0
PYTHON = "/usr/bin/python3" if ROOT else sys.executable  # root's own interpreter may be closed to other users

PRELUDE = """
import os, sys, time
sys.path.insert(0, {kit!r})
import grade, grade_reap, grade_run
grade_reap.NOBODY = grade_run.NOBODY = {uid}  # a user of this test alone, not the host's nobody
grade.LOGS = {logs!r}
PYTHON = [{python!r}, "-I", "-c"]
"""


@dataclass(frozen=True)
class Graded:
    """What a checker left behind."""

    exit_code: int
    out: str
    err: str
    logs: Path

    @property
    def reward(self) -> float | None:
        path = self.logs / "reward.json"
        return json.loads(path.read_text())["reward"] if path.is_file() else None

    @property
    def checks(self) -> list[dict[str, Any]]:
        return json.loads((self.logs / "checks.json").read_text())


def grade(folder: Path, body: str, timeout: float = 60) -> Graded:
    """Run `body` as check.py with the logs in `folder`/logs; paths under `folder` can be named in it as {folder}."""
    logs = folder / "logs"
    logs.mkdir(exist_ok=True)
    logs.chmod(0o777)
    prelude = PRELUDE.format(kit=str(KIT), logs=str(logs), python=PYTHON, uid=200_000 + os.getpid())
    script = folder / "check.py"
    script.write_text(prelude + textwrap.dedent(body).replace("{folder}", str(folder)))
    done = subprocess.run([sys.executable, "-I", "-B", str(script)], capture_output=True, text=True, timeout=timeout)
    return Graded(done.returncode, done.stdout, done.stderr, logs)
