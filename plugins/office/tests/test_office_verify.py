"""The verifier as it runs in its box: real files in, checks.json and a reward out, or no reward at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from officekit.bench import Score
from officekit.language import Plan
from officekit.verify import reward, spelled

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


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path)


def write(path: Path, total: Any = "=SUM(Data!B2:B4)", numbers: tuple[int, ...] = (10, 20, 30)) -> None:
    with xlsxwriter.Workbook(path) as book:
        data, summary = book.add_worksheet("Data"), book.add_worksheet("Summary")
        for row, line in enumerate([("Item", "Amount"), *zip("abc", numbers, strict=True)]):
            data.write_row(row, 0, line)
        summary.write_row(0, 0, ["Total", total])


VALUE = {"kind": "cell_value", "at": {"label": "Total"}, "expect": 60, "type": "number"}
FORMULA = {"kind": "formula", "at": {"label": "Total"}, "depends_on": ["Data!B2:B4"]}
METAMORPHIC = {
    "kind": "metamorphic",
    "reference": "ref.xlsx",
    "changes": [{"how": "scale", "range": "Data!B2:B4", "count": 2}],
    "outputs": [{"label": "Total"}],
}


def test_the_right_workbook_has_a_full_reward(box: Box) -> None:
    write(box.app / "out.xlsx")
    write(box.tests / "ref.xlsx", "=Data!B2+Data!B3+Data!B4")
    box.plan(VALUE, FORMULA, METAMORPHIC)
    ran = box.run()
    assert (ran.returncode, box.reward) == (0, 1.0), ran.stderr
    assert box.messages == {"c0": "", "c1": "", "c2": ""}


def test_a_typed_total_has_the_part_of_its_value(box: Box) -> None:
    write(box.app / "out.xlsx", 60)
    write(box.tests / "ref.xlsx")
    box.plan({**VALUE, "weight": 3}, FORMULA, METAMORPHIC)
    box.run()
    assert box.reward == pytest.approx(0.6)
    assert box.messages["c1"] == "0: Summary!B1 holds 60, no formula"
    assert box.messages["c2"].startswith("0: on 5 of 5 changed inputs")


def test_a_gate_that_falls_takes_the_whole_reward(box: Box) -> None:
    write(box.app / "out.xlsx", 60)
    box.plan(VALUE, {**FORMULA, "gate": True})
    box.run()
    assert box.reward == 0


def test_a_forged_cache_is_never_read(box: Box) -> None:
    with xlsxwriter.Workbook(box.app / "out.xlsx") as book:
        sheet = book.add_worksheet("Summary")
        sheet.write(0, 0, "Total")
        sheet.write_formula(0, 1, "=1+1", None, 60)
    box.plan(VALUE)
    box.run()
    assert (box.reward, box.messages["c0"]) == (0, "0: Summary!B1 is 2, not 60")


@pytest.mark.parametrize("make", ["nothing", "garbage", "link", "folder"])
def test_what_is_no_workbook_scores_nothing_with_a_reason(box: Box, make: str) -> None:
    path = box.app / "out.xlsx"
    if make == "garbage":
        path.write_bytes(b"PK\x03\x04 and no more")
    elif make == "link":
        write(box.root / "real.xlsx")
        path.symlink_to(box.root / "real.xlsx")
    elif make == "folder":
        path.mkdir()
    box.plan(VALUE)
    ran = box.run()
    assert (ran.returncode, box.reward) == (0, 0), ran.stderr
    assert len(box.messages["c0"]) > 5


@pytest.mark.parametrize(
    "break_it",
    [
        lambda box: (box.tests / "checks.json").write_text('{"checks": [{"kind": "nonsense"}]}'),
        lambda box: (box.tests / "checks.json").unlink(),
        lambda box: (box.tests / "ref.xlsx").write_bytes(b"no workbook"),
        lambda box: write(box.tests / "ref.xlsx", 60),
    ],
    ids=["unknown kind", "no checks", "refused reference", "a reference that computes nothing"],
)
def test_a_fault_of_the_environment_leaves_no_reward(box: Box, break_it: Any) -> None:
    write(box.app / "out.xlsx")
    write(box.tests / "ref.xlsx")
    box.plan(VALUE, METAMORPHIC)
    break_it(box)
    ran = box.run()
    assert ran.returncode == 1
    assert "the environment is at fault" in ran.stderr
    assert (box.reward, list(box.logs.iterdir())) == (None, [])


def test_a_rule_with_a_formula_is_evaluated_by_the_engines(box: Box) -> None:
    with xlsxwriter.Workbook(box.app / "out.xlsx") as book:
        sheet = book.add_worksheet("S")
        sheet.write_column(0, 0, [1, 2, 3, 4])
        red = book.add_format({"bg_color": "#ffc7ce"})
        sheet.conditional_format("A1:A4", {"type": "formula", "criteria": "=A1>AVERAGE($A$1:$A$4)", "format": red})
        sheet.data_validation("B1:B4", {"validate": "custom", "value": "=MOD(B1,2)=0"})
    box.plan(
        {"kind": "cond_format", "range": "S!A1:A4", "marked": "cells", "cells": ["A3", "A4"]},
        {"kind": "data_validation", "range": "S!B1:B4", "accepts": [2, 4], "refuses": [3]},
    )
    ran = box.run()
    assert (box.reward, box.messages) == (1.0, {"c0": "", "c1": ""}), ran.stderr


def graded(*values: float, **fields: Any) -> list[Any]:
    checks = [{**VALUE, "id": f"c{at}", "why": "a reason", "file": "out.xlsx"} for at in range(len(values))]
    checks[0].update(fields)
    plan = Plan.model_validate({"checks": checks})
    return [(check, Score(value, "lost")) for check, value in zip(plan.checks, values, strict=True)]


def test_the_reward_is_the_mean_by_weight() -> None:
    assert reward(graded(1, 0.5, weight=3)) == pytest.approx(0.875)
    assert reward(graded(1 - 1e-12, 1)) == 1.0


def test_below_its_floor_a_check_takes_all() -> None:
    assert reward(graded(0.49, 1, floor=0.5)) == 0
    assert reward(graded(0.5, 1, floor=0.5)) == 0.75
    assert reward(graded(0.99, 1, gate=True)) == 0
    assert reward(graded(1, 0.25, gate=True)) == 0.25


def test_a_score_is_spelled_with_its_reason() -> None:
    assert [spelled(Score(value, "why")) for value in (1, 0.75, 0.999, 0)] == ["", "0.75: why", "0.99: why", "0: why"]
