"""A proposer in the authoring box of `office`: it errs, reads what the gate found, mends, submits, and is admitted."""

from __future__ import annotations

import json
import shlex
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from envwheel.cli import main
from envwheel.ledger import Attempt, ProposalNote
from envwheel.model.base import Completion, Message, ModelUsage, Sampling, Tool, ToolCall
from envwheel.model.scripted import serve
from envwheel.rollout import read_steps
from envwheel.sandbox.namespace.engine import missing
from envwheel.store import RunDirectory

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

CONFIG = """
[run]
domains = ["office"]
rounds = 1
candidates = 1
out = "{out}"
[proposer]
kind = "terminal"
name = "openai:author"
network = false
levels = [1]
[proposer.model]
base_url = "{url}"
api_key_env = ""
[solver]
name = "openai:author"
[solver.model]
base_url = "{url}"
api_key_env = ""
[engine]
name = "{engine}"
"""
INSTRUCTION = """\
/app/sales.csv has the columns region and amount. Write the workbook /app/sales.xlsx with one sheet, Summary: a table
with the headers Region and Total, one row for each region with the sum of its amounts as a number, in alphabetical
order.
"""
SALES = "region,amount\nNorth,120\nSouth,75\nNorth,30\nWest,64\nSouth,25\n"
SOLVE = """\
#!/bin/bash
set -e
/usr/bin/python3 - <<'PY'
import csv
from openpyxl import Workbook

sums = {}
for row in csv.DictReader(open("/app/sales.csv")):
    sums[row["region"]] = sums.get(row["region"], 0) + int(row["amount"])
book = Workbook()
sheet = book.active
sheet.title = "Summary"
sheet.append(["Region", "Total"])
for region in sorted(sums):
    sheet.append([region, sums[region]])
book.save("/app/sales.xlsx")
PY
"""
CHECK = """\
import sys

sys.path.insert(0, "/tests/kit")
from officekit import verify

verify.main()
"""
PLAN = {
    "schema": 1,
    "checks": [
        {
            "kind": "range_table",
            "id": "totals",
            "why": "one row for each region with the sum of its amounts, in alphabetical order",
            "file": "sales.xlsx",
            "anchor": {"headers": ["Region", "Total"], "sheet": "Summary"},
            "columns": [{"header": "Region", "type": "text"}, {"header": "Total", "type": "number"}],
            "key": ["Region"],
            "rows": [["North", 150], ["South", 100], ["West", 64]],
            "order": "exact",
            "floor": 1.0,
        }
    ],
}
FILES = {
    "instruction.md": INSTRUCTION,
    "environment/app/sales.csv": SALES,
    "solution/solve.sh": SOLVE,
    "tests/check.py": CHECK,
    "tests/checks.json": json.dumps(PLAN),
}
FAULTY = {**FILES, "solution/solve.sh": SOLVE.replace("sorted(sums)", "sums").replace("], 0) + int", "], 0) or int")}


def writing(files: dict[str, str]) -> str:
    """The command that writes `files` into the draft."""
    lines = [
        "cd /workspace/draft; rm -f environment/setup.sh; sed -i '/setup.sh/d' environment/Dockerfile",
        "sed -i 's|^artifacts = .*|artifacts = [\"/app/sales.xlsx\"]|; s|^memory_mb = .*|memory_mb = 3072|' task.toml",
    ]
    for name, text in files.items():
        lines.append(f"mkdir -p $(dirname {name}); printf %s {shlex.quote(text)} > {name}")
    return "\n".join(lines)


class Author:
    """Proposes when it is shown a draft, else solves every second time."""

    name = "author"
    supports_tools = True

    def __init__(self) -> None:
        self._solved = 0
        self._guard = threading.Lock()

    def complete(self, messages: Sequence[Message], tools: Sequence[Tool], sampling: Sampling) -> Completion:
        turn = sum(message.role == "assistant" for message in messages)
        if "/workspace/draft" in messages[0].content:
            step = [writing(FAULTY), "validate", writing(FILES), "validate", "submit"][turn]
            call = (step, {}) if step in ("validate", "submit") else ("bash", {"command": step})
        else:
            with self._guard:
                self._solved += 1
                right = self._solved % 2
            call = ("bash", {"command": (SOLVE if right else "true") + "\necho ENVWHEEL_DONE"})
        return Completion("", (ToolCall(f"call_{turn}", *call),), ModelUsage(1000, 50, 0, 0.0))

    def close(self) -> None:
        """Nothing to free."""


def test_a_faulty_draft_is_mended_after_validate_and_admitted(tmp_path: Path) -> None:
    config = tmp_path / "envwheel.toml"
    with serve(Author()) as url:
        engine = "docker" if missing() else "namespace"
        config.write_text(CONFIG.format(out=tmp_path / "run", url=url, engine=engine), "utf-8")
        assert main(["run", str(config), "--json"]) == 0
    with RunDirectory.open(tmp_path / "run") as store:
        (attempt,) = store.of(Attempt)
        (note,) = store.of(ProposalNote)
        steps = [step for step in read_steps(store.path / note.rollout) if step["source"] == "agent"]
    assert (attempt.verdict, attempt.method, attempt.validations) == ("admitted", "terminal", 2)
    answers = [step["observations"][0]["content"] for step in steps]
    assert "NOT VALID: reference_fails" in answers[1]
    assert "totals" in answers[1]
    assert answers[3].startswith("OK: every step of the gate held")
