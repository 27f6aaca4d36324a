"""A verifier's box in a folder of this host: real files in, checks.json and a reward out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import xlsxwriter

KIT = Path(str(resources.files("envwheel.environment") / "kit"))
OFFICE = Path(str(resources.files("envwheel_office") / "kit"))
SCRIPT = """
import sys
sys.path[:0] = [{office!r}, {kit!r}]
import grade, grade_reap, grade_run
grade_reap.NOBODY = grade_run.NOBODY = {uid}
grade.LOGS = {logs!r}
from officekit import verify
verify.main({app!r}, {tests!r})
"""


class Box:
    """A verifier's box in a folder of this host."""

    def __init__(self, root: Path) -> None:
        self.root, self.app, self.tests, self.logs = root, root / "app", root / "tests", root / "logs"
        for folder in (self.app, self.tests, self.logs):
            folder.mkdir()

    def plan(self, *checks: dict[str, Any]) -> None:
        whole = [{"why": "a reason", "file": "out.xlsx", "id": f"c{at}", **check} for at, check in enumerate(checks)]
        (self.tests / "checks.json").write_text(json.dumps({"checks": whole}))

    def run(self) -> subprocess.CompletedProcess[str]:
        places = {"app": str(self.app), "tests": str(self.tests), "logs": str(self.logs)}
        script = SCRIPT.format(office=str(OFFICE), kit=str(KIT), uid=200_000 + os.getpid(), **places)
        return subprocess.run([sys.executable, "-I", "-B", "-c", script], capture_output=True, text=True, timeout=120)

    @property
    def reward(self) -> Any:
        path = self.logs / "reward.json"
        return json.loads(path.read_text())["reward"] if path.exists() else None

    @property
    def messages(self) -> dict[str, str]:
        return {one["id"]: one["message"] for one in json.loads((self.logs / "checks.json").read_text())}


def write(path: Path, total: Any = "=SUM(Data!B2:B4)", numbers: tuple[int, ...] = (10, 20, 30)) -> None:
    with xlsxwriter.Workbook(path) as book:
        data, summary = book.add_worksheet("Data"), book.add_worksheet("Summary")
        for row, line in enumerate([("Item", "Amount"), *zip("abc", numbers, strict=True)]):
            data.write_row(row, 0, line)
        summary.write_row(0, 0, ["Total", total])
