"""The environment's own workbooks: as a candidate's, but beyond doubt."""

from __future__ import annotations

from pathlib import Path

import pytest
from office_box import write

from officekit import own, read
from officekit.bench import Computation, Unreadable
from officekit.model import Refused, Workbook

RUNS = [Computation({}, ("Summary!B1",)), Computation({"Data!B2": 40.0}, ("Summary!B1", "Data!B2"))]


@pytest.fixture
def path(tmp_path: Path) -> str:
    write(tmp_path / "ref.xlsx")
    return str(tmp_path / "ref.xlsx")


def test_a_workbook_is_read_as_a_candidates(path: str) -> None:
    assert own.read(path) == read.read(path)


def test_a_workbook_is_computed_as_a_candidates(path: str) -> None:
    document = own.read(path, computed=False)
    assert isinstance(document, Workbook)
    assert own.compute(path, document, RUNS) == [{"Summary!B1": 60.0}, {"Summary!B1": 90.0, "Data!B2": 40.0}]
    assert own.compute(path, document, RUNS) == read.compute(path, document, RUNS)


def test_uncomputed_formulas_have_no_value(path: str) -> None:
    document = own.read(path, computed=False)
    assert isinstance(document, Workbook)
    assert (document.sheets[1].cells["B1"].value, document.sheets[1].cells["A1"].value) == (None, "Total")


def test_what_is_no_workbook_is_refused_here_too(tmp_path: Path) -> None:
    (tmp_path / "ref.xlsx").write_bytes(b"no workbook")
    assert isinstance(own.read(str(tmp_path / "ref.xlsx")), Refused)
    with pytest.raises(Unreadable):
        own.compute(str(tmp_path / "ref.xlsx"), Workbook(), RUNS)


def test_a_workbook_that_no_two_engines_agree_on_is_refused(tmp_path: Path) -> None:
    """IronCalc says FALSE, formualizer TRUE."""
    write(tmp_path / "ref.xlsx", total='=(Data!B2>0)=(Data!A2="a")')
    path = str(tmp_path / "ref.xlsx")
    refused = own.read(path)
    assert isinstance(refused, Refused)
    assert refused.reason == "no two engines agree on Summary!B1"
    document = own.read(path, computed=False)
    assert isinstance(document, Workbook)
    with pytest.raises(Unreadable, match="no two engines agree on Summary!B1"):
        own.compute(path, document, RUNS)
