"""What the domain's checkers use of the core's kit is there: a name that is missing fails a grading, not an import."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest

CHECKS = sorted(Path(str(resources.files("envwheel_swe") / "kit" / "checks")).glob("*.py"))
KIT = Path(str(resources.files("envwheel.environment") / "kit" / "grade.py")).read_text("utf-8")


@pytest.mark.parametrize("path", CHECKS, ids=lambda path: path.stem)
def test_a_checker_uses_what_the_kit_promises(path: Path) -> None:
    listed = re.search(r"__all__ = \[(.*?)\]", KIT, re.DOTALL)
    assert listed is not None
    promised = set(re.findall(r'"(\w+)"', listed[1]))
    used = set(re.findall(r"\bgrade\.([A-Za-z_]\w*)", path.read_text("utf-8"))) - {"py"}
    assert used <= promised
