"""The static checks: what rejects an environment from its files alone."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from envwheel.api import Environment
from envwheel_office import lint
from envwheel_office.properties import Named, plain, stands

TOLD = (
    'Read ledger.xlsx. Write out.xlsx: sheet "Summary" with the columns Region and Total, and `Grand  total` beside it.'
)


def check(kind: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, "id": f"{kind}-{len(fields)}", "why": "it is asked for", "file": "out.xlsx", **fields}


TABLE = check(
    "range_table",
    anchor={"headers": ["Region", "Total"], "sheet": "Summary"},
    columns=[{"header": "Region"}, {"header": "Total"}],
    key=["Region"],
    rows=[["North", 1.0]],
)


def environment(
    path: Path, *checks: dict[str, Any], told: str = TOLD, domains: tuple[str, ...] = ("office",)
) -> Environment:
    for name in ("environment/app", "tests", "solution"):
        (path / name).mkdir(parents=True, exist_ok=True)
    (path / "tests/checks.json").write_text(json.dumps({"schema": 1, "checks": list(checks)}))
    return Environment(path, told, {"artifacts": ["/app/out.xlsx"]}, domains=domains)


def rules(found: Environment) -> list[tuple[str, str]]:
    return [(finding.rule, finding.severity) for finding in lint.inspect_environment(found)]


def test_a_plan_whose_names_are_told_has_no_finding(tmp_path: Path) -> None:
    total = check("cell_value", at={"label": "Grand total", "sheet": "Summary"}, expect=4.0)
    assert rules(environment(tmp_path, TABLE, total)) == []


def test_another_domain_is_not_looked_at(tmp_path: Path) -> None:
    assert rules(environment(tmp_path, domains=("swe",))) == []


@pytest.mark.parametrize(
    ("text", "rule"),
    [(None, "no_plan"), ("{", "bad_plan"), ('{"checks": []}', "bad_plan"), ('{"checks": [{"kind": "x"}]}', "bad_plan")],
)
def test_what_is_no_plan_is_found(tmp_path: Path, text: str | None, rule: str) -> None:
    found = environment(tmp_path)
    (tmp_path / "tests/checks.json").unlink()
    if text is not None:
        (tmp_path / "tests/checks.json").write_text(text)
    assert rules(found) == [(rule, "error")]


@pytest.mark.parametrize(
    "relying",
    [
        check("cell_value", at={"cell": "Hidden!B7"}, expect=1),
        check("cell_value", at={"label": "Secret sum"}, expect=1),
        check("cell_value", at={"name": "GrandTotal"}, expect=1),
        check("sheet", sheet="Summary", freeze="C9"),
        check("sheet", sheet="Archive", state="hidden"),
        check("chart", sheet="Summary", title="Sales by month", series=[[1.0]]),
        check("style", range="Summary!D2:D9", look={"number": "percent"}),
        check("pivot", rows=["Customer"], values=[("Total", "sum")]),
    ],
    ids=lambda one: one["id"],
)
def test_a_name_that_only_the_check_knows_is_an_error(tmp_path: Path, relying: dict[str, Any]) -> None:
    assert set(rules(environment(tmp_path, TABLE, relying))) == {("unnamed_property", "error")}


def test_a_name_in_a_given_document_is_told(tmp_path: Path) -> None:
    found = environment(tmp_path, TABLE, check("cell_value", at={"label": "Net pay", "sheet": "Payroll"}, expect=1))
    assert rules(found) == [("unnamed_property", "error")] * 2
    book = openpyxl.Workbook()
    book.active.title = "Payroll"
    book.active["A1"] = "Net pay"
    book.save(tmp_path / "environment/app/ledger.xlsx")
    assert rules(found) == []


def test_a_filled_cell_of_a_workbook_that_is_mended_in_its_place_needs_no_name(tmp_path: Path) -> None:
    found = environment(tmp_path, TABLE, check("cell_value", at={"cell": "Summary!B7"}, expect=1))
    assert rules(found) == [("unnamed_property", "error")]
    book = openpyxl.Workbook()
    book.active["B7"] = "=1+1"
    book.save(tmp_path / "environment/app/out.xlsx")
    assert rules(found) == []
    book.active["B7"] = None
    book.save(tmp_path / "environment/app/out.xlsx")
    assert rules(found) == [("unnamed_property", "error")]


def test_a_filled_cell_of_what_is_preserved_needs_no_name(tmp_path: Path) -> None:
    kept = check("preserve", gate=True, original="ledger.xlsx", allow=["Summary!B7"])
    found = environment(tmp_path, TABLE, kept, check("cell_value", at={"cell": "Summary!B7"}, expect=1))
    book = openpyxl.Workbook()
    book.active["B7"] = "=1+1"
    book.save(tmp_path / "tests/ledger.xlsx")
    assert rules(found) == []


def test_a_given_package_that_is_broken_is_passed_over(tmp_path: Path) -> None:
    found = environment(tmp_path, TABLE)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("xl/workbook.xml", "<sheet name='x'/>" * 10)
    (tmp_path / "environment/app/bad.xlsx").write_bytes(out.getvalue().replace(b"<sheet", b"\0\0\0\0\0\0", 1))
    assert lint.given_text(found.path / "environment").startswith("app/bad.xlsx")


@pytest.mark.parametrize(
    ("cells", "told", "there"),
    [
        ("B7", "put it into B7.", True),
        ("B7", "fill b2:c9", True),
        ("B7", "fill B2 to B6", False),
        ("B7", "write column B", True),
        ("B7", "AB7 and B77", False),
        ("C2:C9", "the cells C2:C9 hold", True),
        ("C2:C9", "only C2", False),
    ],
)
def test_cells_are_named_by_themselves_by_a_range_or_by_their_column(cells: str, told: str, there: bool) -> None:
    assert stands(Named("cells", cells), plain(told)) is there


@pytest.mark.parametrize(
    ("told", "there"),
    [
        ("write forms/EC-1.pdf", True),
        ("the form form.pdf ... Claim: EC-1", True),
        ("the claims EC-1 and EC-2", False),
        ("the form form.pdf", False),
    ],
)
def test_a_file_is_named_by_its_name_with_an_ending_that_stands_somewhere(told: str, there: bool) -> None:
    assert stands(Named("file", "EC-1.pdf"), plain(told)) is there


def test_a_look_of_which_nothing_is_said_is_a_warning(tmp_path: Path) -> None:
    bold = check("style", anchor={"headers": ["Region"], "sheet": "Summary"}, look={"bold": True})
    assert rules(environment(tmp_path, TABLE, bold)) == [("unnamed_property", "warning")]
    assert rules(environment(tmp_path, TABLE, bold, told=TOLD + " The header is bold.")) == []


def test_an_artifact_that_is_not_named_and_a_file_that_none_brings_are_found(tmp_path: Path) -> None:
    other = {**TABLE, "id": "other", "file": "side/notes.xlsx"}
    assert rules(environment(tmp_path, TABLE, other)) == [("unreached_file", "error")]
    found = environment(tmp_path, TABLE, told=TOLD.replace("out.xlsx", "the result"))
    assert rules(found) == [("unnamed_artifact", "error")]


LIVE = check(
    "metamorphic",
    gate=True,
    reference="reference.xlsx",
    changes=[{"how": "scale", "range": "Ledger!B2:B9"}],
    outputs=[{"label": "Grand total"}],
)


def test_files_of_the_tests_are_there_and_no_reference_is_given(tmp_path: Path) -> None:
    found = environment(tmp_path, TABLE, LIVE)
    assert rules(found) == [("missing_test_file", "error")]
    (tmp_path / "tests/reference.xlsx").write_bytes(b"the answer")
    assert rules(found) == []
    (tmp_path / "environment/app/hint.xlsx").write_bytes(b"the answer")
    assert rules(found) == [("reference_given", "error")]


def test_a_heavy_check_is_a_warning_unless_it_has_a_floor(tmp_path: Path) -> None:
    light = [{**TABLE, "id": id} for id in ("one", "two")]
    assert rules(environment(tmp_path, {**TABLE, "weight": 3}, *light)) == [("heavy_check", "warning")]
    assert rules(environment(tmp_path, {**TABLE, "weight": 3, "floor": 0.5}, *light)) == []
    assert rules(environment(tmp_path, TABLE, *light)) == []
