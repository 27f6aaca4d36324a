"""The environment's own documents, read and computed in this process: they are no candidate's, and no child is started.

What an environment computes by must be beyond doubt: two engines have to agree on it.

document = own.read("/tests/ref.xlsx", computed=False)
values = own.compute("/tests/ref.xlsx", document, runs)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

from . import reader, recalc
from .bench import Computation, Unreadable
from .fill import fill
from .intake import Refusal, inspect
from .model import Document, Refused, Scalar, Workbook
from .resolve import resolve

_DOUBT = "no two engines agree on {}"


@dataclass(frozen=True)
class Here:
    """An engine that computes the workbook at `path` in this process."""

    name: str
    path: str

    def compute(self, data: bytes, runs: Sequence[Computation]) -> recalc.Values:
        """As recalc.RecalcEngine says."""
        orders = [{"set": run.set, "type": run.type, "get": list(run.get)} for run in runs]
        try:
            answers = import_module(f".recalc_{self.name}", __package__).compute(self.path, orders)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of Rust is no Exception
            raise recalc.EngineFailed(f"{type(error).__name__}: {error}"[:200]) from None
        return [recalc._values(run.get, answer) for run, answer in zip(runs, answers, strict=True)]


def _engines(path: str) -> list[recalc.RecalcEngine]:
    return [Here(engine.name, path) for engine in recalc.FIRST]


def read(path: str, *, computed: bool = True) -> Document:
    """As read.read."""
    try:
        data = inspect(path)
    except Refusal as reason:
        return Refused(str(reason))
    document = reader.read_file(path)
    if isinstance(document, Workbook) and computed:
        fill(document, data, first=_engines(path))
        resolve(document)
        if doubt := [*document.unsure, *document.alone]:
            return Refused(_DOUBT.format(doubt[0]))
    return document


def compute(path: str, workbook: Workbook, runs: Sequence[Computation]) -> list[dict[str, Scalar]]:
    """As read.compute."""
    try:
        data = inspect(path)
    except Refusal as reason:
        raise Unreadable(str(reason)) from None
    done = recalc.compute(data, workbook, runs, first=_engines(path))
    if doubt := sorted(done.unsure | done.alone):
        raise Unreadable(_DOUBT.format(doubt[0]))
    return done.values
