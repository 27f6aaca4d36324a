"""Judges a folder in this process: no box, no children, no LibreOffice. The two Rust engines must agree.

    reward, scores = judge_folder(app, tests)      # scores: check -> (score, reason)

For trying families out, where every file is our own; a candidate's is judged in a box by officekit.verify.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

REPO = Path(__file__).parents[3]
sys.path[:0] = [str(REPO / "plugins/office/src/envwheel_office/kit"), str(REPO / "core/envwheel/environment/kit")]

from officekit import fill, intake, reader, recalc, resolve, verify  # noqa: E402
from officekit.bench import Computation, Unreadable  # noqa: E402
from officekit.language import Plan  # noqa: E402
from officekit.model import Document, Refused, Scalar, Workbook  # noqa: E402


class Engine:
    """A Rust engine, called in this process."""

    def __init__(self, name: str) -> None:
        self.name = name

    def compute(self, data: bytes, runs: Sequence[Computation]) -> list[dict[str, Scalar]]:
        """As recalc.RecalcEngine says."""
        with tempfile.NamedTemporaryFile(suffix=".xlsx") as file:
            file.write(data)
            file.flush()
            try:
                orders = json.loads(json.dumps([{"set": run.set, "get": run.get, "type": run.type} for run in runs]))
                answers = import_module(f"officekit.recalc_{self.name}").compute(file.name, orders)
            except BaseException as error:
                raise recalc.EngineFailed(f"{type(error).__name__}: {error}"[:300]) from None
        return [recalc._values(run.get, answer) for run, answer in zip(runs, answers, strict=True)]


FIRST = (Engine("ironcalc"), Engine("formualizer"))


class Desk(verify.Files):
    """The bench of a folder that is trusted."""

    def _document(self, path: str) -> Document:
        if path not in self._read:
            self._read[path] = self._open(path)
        return self._read[path]

    def _as_typed(self, path: str) -> Document:
        return reader.read_file(path)

    def _open(self, path: str) -> Document:
        try:
            data = intake.inspect(path)
        except intake.Refusal as reason:
            return Refused(str(reason))
        document = reader.read_file(path)
        if isinstance(document, Workbook):
            fill.fill(document, data, first=FIRST)
            resolve.resolve(document)
        return document

    def compute(self, file: str, runs: Sequence[Computation], *, ours: bool = False) -> list[dict[str, Scalar]]:
        """As Bench says."""
        document = self.original(file) if ours else self.document(file)
        if not isinstance(document, Workbook):
            raise Unreadable(document.reason if isinstance(document, Refused) else "it is no workbook")
        path = os.path.join(self.tests if ours else self.app, file)
        return recalc.compute(Path(path).read_bytes(), document, runs, first=FIRST).values


def judge_folder(app: Path, tests: Path) -> tuple[float, dict[str, tuple[float, str]]]:
    """The reward, and by check its score and reason."""
    plan = Plan.model_validate_json((tests / "checks.json").read_text("utf-8"))
    desk = Desk(str(app), str(tests))
    graded = [(check, verify.judged(check, desk)) for check in plan.checks]
    return verify.reward(graded), {check.id: (score.value, score.reason) for check, score in graded}
