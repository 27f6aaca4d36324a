"""The labelled environments that lie beside a checkout: each reads as its label says."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from envwheel.environment.folder import InvalidTask, read

CASES = Path(__file__).parents[3] / "shared" / "cases"
LABELS = list(csv.DictReader((CASES / "labels.csv").open())) if (CASES / "labels.csv").is_file() else []

pytestmark = pytest.mark.skipif(not LABELS, reason="there are no labelled environments beside this checkout")


@pytest.mark.parametrize("label", LABELS, ids=lambda label: label["name"])
def test_a_case_reads_as_labelled(label: dict[str, str]) -> None:
    code = ""
    try:
        read(CASES / label["name"])
    except InvalidTask as error:
        code = error.code
    assert code == (label["code"] if label["code"] in ("schema", "unsafe_path") else "")
