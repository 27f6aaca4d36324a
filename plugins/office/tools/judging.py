"""Judges a folder of this host: no box, no LibreOffice. So the two Rust engines must agree.

    reward, scores = judge_folder(app, tests)      # scores: check -> (score, reason)

For trying families out, where every file is our own; a candidate's is judged in a box.
"""

from __future__ import annotations

import sys
from pathlib import Path

REPO = Path(__file__).parents[3]
sys.path[:0] = [str(REPO / "plugins/office/src/envwheel_office/kit"), str(REPO / "core/envwheel/environment/kit")]

from officekit import language, verify  # noqa: E402


def judge_folder(app: Path, tests: Path) -> tuple[float, dict[str, tuple[float, str]]]:
    """The reward, and by check its score and reason."""
    plan = language.load((tests / "checks.json").read_text("utf-8"))
    bench = verify.Files(str(app), str(tests))
    graded = [(check, verify.judged(check, bench)) for check in plan.checks]
    return verify.reward(graded), {check.id: (score.value, score.reason) for check, score in graded}
