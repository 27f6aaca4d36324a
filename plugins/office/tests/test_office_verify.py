"""The verifier as it runs in its box: real files in, checks.json and a reward out, or no reward at all."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter
from office_box import Box, write

from officekit.bench import Score
from officekit.language import Plan, load
from officekit.model import Refused, Workbook
from officekit.verify import Files, Reading, reward, spelled

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


PROGRAM = {
    "kind": "program",
    "file": "tools/total.py",
    "command": [sys.executable if os.geteuid() else "/usr/bin/python3", "-I", "{file}", "in.csv", "out.csv"],
    "timeout_s": 20,
    "runs": [
        {
            "inputs": {"in.csv": f"hidden{at}.csv"},
            "checks": [
                {
                    "kind": "csv_table",
                    "id": "sum",
                    "why": "a reason",
                    "file": "out.csv",
                    "columns": [{"header": "Item"}, {"header": "Total", "type": "number"}],
                    "key": ["Item"],
                    "rows": [["a", total]],
                }
            ],
        }
        for at, total in ((1, 3), (2, 7))
    ],
}
RIGHT = """
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
with open(sys.argv[2], "w") as out:
    out.write("Item,Total\\na,%d\\n" % sum(int(row["Amount"]) for row in rows))
"""


@pytest.mark.parametrize(
    ("text", "reward", "message"),
    [
        (RIGHT, 1.0, ""),
        ("open('out.csv', 'w').write('Item,Total\\na,3\\n')", 0.5, "run 2: sum 0: 1 of 1 cells differ"),
        ("raise KeyError('x')", 0.0, "run 1: total.py gave 1: KeyError: 'x'"),
        ("while True: pass", 0.0, "took more than 1 s"),
        ("import os; os.symlink('/etc/passwd', 'out.csv')", 0.0, "no plain text file"),
        ("", 0.0, "no plain text file"),
        ("import shutil; shutil.copy('{tests}/checks.json', 'out.csv')", 0.0, "PermissionError"),
    ],
    ids=["right", "typed", "raises", "runs on", "links", "writes nothing", "reads the answers"],
)
def test_a_program_runs_on_hidden_inputs(box: Box, text: str, reward: float, message: str) -> None:
    (box.app / "tools").mkdir()
    (box.app / "tools" / "total.py").write_text(text.replace("{tests}", str(box.tests)))
    (box.tests / "hidden1.csv").write_text("Item,Amount\na,1\na,2\n")
    (box.tests / "hidden2.csv").write_text("Item,Amount\na,3\na,4\n")
    box.tests.chmod(0o700)
    box.plan({**PROGRAM, "timeout_s": 1 if "while" in text else 20})
    ran = box.run()
    assert (ran.returncode, box.reward) == (0, pytest.approx(reward)), ran.stderr
    assert message in box.messages["c0"]


def test_files_of_a_folder_are_plain_files(box: Box) -> None:
    (box.app / "out" / "sub").mkdir(parents=True)
    (box.app / "out" / "a.txt").write_text("a")
    (box.app / "out" / "sub" / "b.txt").write_text("b")
    (box.app / "out" / "c.txt").symlink_to("a.txt")
    folder = {"kind": "files", "file": "out", "gate": False}
    box.plan({**folder, "required": ["a.txt", "sub/b.txt"]}, {**folder, "required": ["c.txt"]})
    box.run()
    assert box.reward == 0.5
    assert "first 'c.txt'" in box.messages["c1"]


def test_names_of_files_alone_earn_nothing(box: Box) -> None:
    write(box.app / "out.xlsx")
    box.plan({"kind": "files", "file": ".", "required": ["out.xlsx"]}, {**VALUE, "expect": 41})
    box.run()
    assert box.reward == 0
    box.plan({"kind": "files", "file": ".", "required": ["report.xlsx"]}, VALUE)
    box.run()
    assert box.reward == 0


def test_a_check_of_a_path_outside_is_the_environments_fault(box: Box) -> None:
    write(box.app / "out.xlsx")
    box.plan({**VALUE, "file": "../tests/ref.xlsx"})
    ran = box.run()
    assert (ran.returncode, box.reward) == (1, None)
    assert "leaves its folder" in ran.stderr


@pytest.mark.parametrize(
    ("plan", "wrong"),
    [
        ("no JSON", "Expecting value"),
        ("[]", "should be an object"),
        ('{"checks": []}', "at least 1 item"),
        ('{"checks": [{"kind": "guess"}]}', "'guess' found using 'kind' does not match"),
        ('{"checks": [{"kind": "text", "id": "a", "file": "a.txt"}]}', "why\n  Field required"),
        ('{"checks": [{"kind": "text", "id": "a", "why": "because", "file": "a.txt"}], "rest": 1}', "rest\n  Extra"),
        ('{"checks": [{"kind": "text", "id": "a", "why": "because", "file": "a.txt", "gate": true}]}', "only gates"),
    ],
)
def test_a_plan_that_is_none_says_what_is_wrong(plan: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        load(plan)


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


def rich(path: Path) -> None:
    """A workbook with one of all that a judge looks at."""
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("Data")
        head = book.add_format({"bold": True, "bg_color": "#1F4E78", "font_color": "#FFFFFF"})
        money = book.add_format({"num_format": "#,##0.00 €"})
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        sheet.write_row(0, 0, ["Item", "Amount", "Day", "Double"], head)
        for row, (item, amount) in enumerate([("a", 50), ("b", 150), ("c", 250)], 1):
            sheet.write(row, 0, item)
            sheet.write(row, 1, amount, money)
            sheet.write_datetime(row, 2, datetime(2024, 3, row), day)
            sheet.write_formula(row, 3, f"=B{row + 1}*2")
        red = book.add_format({"bg_color": "#FFC7CE"})
        sheet.conditional_format("B2:B4", {"type": "cell", "criteria": ">", "value": 100, "format": red})
        sheet.data_validation("A2:A9", {"validate": "list", "source": ["a", "b", "c"]})
        sheet.freeze_panes(1, 0)
        sheet.merge_range("F1:G1", "merged")
        sheet.write_comment("A1", "a comment")
        book.define_name("Rate", "=Data!$B$2")
        chart = book.add_chart({"type": "column"})
        chart.add_series({"values": "=Data!$D$2:$D$4", "categories": "=Data!$A$2:$A$4"})
        chart.set_title({"name": "Double by item"})
        sheet.insert_chart("I2", chart)


RICH: list[dict[str, Any]] = [
    {
        "kind": "range_table",
        "anchor": {"headers": ["Item", "Double"]},
        "columns": [{"header": "Item"}, {"header": "Day", "type": "date"}, {"header": "Double", "type": "number"}],
        "key": ["Item"],
        "rows": [["a", "2024-03-01", 100], ["b", "2024-03-02", 300], ["c", "2024-03-03", 500]],
        "order": "exact",
    },
    {"kind": "formula", "anchor": {"headers": ["Item", "Double"]}, "column": "Double", "depends_on": ["Data!B2:B4"]},
    {"kind": "style", "anchor": {"headers": ["Item", "Amount"]}, "look": {"bold": True, "fill": "1f4e78"}},
    {
        "kind": "style",
        "anchor": {"headers": ["Item", "Amount"]},
        "column": "Amount",
        "look": {"number": "currency", "decimals": 2, "thousands": True},
    },
    {"kind": "cond_format", "range": "Data!B2:B4", "marked": "above", "values": [100], "probes": [99, 101]},
    {"kind": "data_validation", "range": "Data!A2:A9", "accepts": ["a", "c"], "refuses": ["d"]},
    {"kind": "chart", "type": "column", "title": "double", "series": [[100, 300, 500]], "categories": ["a", "b", "c"]},
    {"kind": "sheet", "sheet": "Data", "freeze": "A2", "merged": ["F1:G1"], "names": {"Rate": "Data!B2"}},
    {"kind": "preserve", "original": "given.xlsx", "looks": True},
]


def test_a_workbook_with_all_that_is_asked_for_is_full(box: Box) -> None:
    rich(box.app / "out.xlsx")
    rich(box.tests / "given.xlsx")
    box.plan(*RICH)
    ran = box.run()
    assert (box.reward, set(box.messages.values())) == (1.0, {""}), ran.stderr


def test_a_workbook_that_openpyxl_saved_again_is_full(box: Box) -> None:
    rich(box.app / "first.xlsx")
    rich(box.tests / "given.xlsx")
    openpyxl.load_workbook(box.app / "first.xlsx").save(box.app / "out.xlsx")
    box.plan(*RICH)
    ran = box.run()
    assert (box.reward, set(box.messages.values())) == (1.0, {""}), ran.stderr


def test_all_documents_together_may_take_a_limited_time(tmp_path: Path) -> None:
    """Each may take a minute, but a grading that runs out of time gives no reward at all."""
    write(tmp_path / "a.xlsx")
    write(tmp_path / "b.xlsx")
    bench = Files(str(tmp_path), str(tmp_path), Reading(60.0))
    assert isinstance(bench.document("a.xlsx"), Workbook)
    assert bench.reading.left < 60
    bench.reading.left = 1.0
    assert isinstance(bench.document("a.xlsx"), Workbook)
    refused = bench.document("b.xlsx")
    assert isinstance(refused, Refused)
    assert refused.reason == "the documents before it took too long to read"
