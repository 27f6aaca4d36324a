"""`envwheel check` gives every label of the corpus of good and bad environments, on each engine."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from envwheel.sandbox.base import Engine

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not (CASES / "labels.csv").is_file(), reason="the corpus is not beside this checkout"),
]


def labels() -> dict[str, tuple[str, str]]:
    """Name -> (verdict, code)."""
    with (CASES / "labels.csv").open(newline="", encoding="utf-8") as file:
        return {row["name"]: (row["expected"], row["code"]) for row in csv.DictReader(file)}


@pytest.mark.slow
def test_every_label(engine: Engine) -> None:
    wanted = labels()
    command = [sys.executable, "-m", "envwheel.cli", "check", "--json", "--engine", engine.name]
    command += [str(CASES / name) for name in wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3000)
    verdicts = {line["name"]: line for line in map(json.loads, done.stdout.splitlines())}
    found = {name: (verdict["verdict"], verdict["code"]) for name, verdict in verdicts.items()}
    wrong = {
        name: (found.get(name), label, verdicts.get(name, {}).get("message"))
        for name, label in wanted.items()
        if found.get(name) != label
    }
    assert wrong == {}, done.stderr[-2000:]
    assert done.returncode == 1
