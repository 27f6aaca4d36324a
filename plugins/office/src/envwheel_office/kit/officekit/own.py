"""The environment's own documents: read and computed as a candidate's, but they must be beyond doubt.

What an environment computes by counts only where two engines agree on it.

document = own.read("/tests/ref.xlsx", computed=False)
values = own.compute("/tests/ref.xlsx", document, runs)
"""

from __future__ import annotations

from collections.abc import Sequence

from . import read as candidates
from .bench import Computation, Unreadable
from .model import Document, Refused, Scalar, Workbook

_DOUBT = "no two engines agree on {}"


def read(path: str, *, computed: bool = True) -> Document:
    """As read.read."""
    document = candidates.read(path, computed=computed)
    if isinstance(document, Workbook) and (doubt := [*document.unsure, *document.alone]):
        return Refused(_DOUBT.format(doubt[0]))
    return document


def compute(path: str, workbook: Workbook, runs: Sequence[Computation]) -> list[dict[str, Scalar]]:
    """As read.compute."""
    done = candidates.computed(path, workbook, runs)
    if doubt := sorted(done.unsure | done.alone):
        raise Unreadable(_DOUBT.format(doubt[0]))
    return done.values
