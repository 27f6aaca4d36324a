"""Reading a candidate's document from the judging process: guard, child, recalculation. Nothing is parsed here.

document = read("/app/out/report.xlsx")                    # a record of model.py; Refused with its reason
values = compute("/app/out/report.xlsx", document, runs)   # what cells show when others are set
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from . import child, reader, recalc
from .bench import Computation, Unreadable
from .fill import fill
from .intake import Refusal, inspect
from .model import Document, Refused, Scalar, Workbook, from_json
from .resolve import resolve


def read(path: str, *, computed: bool = True, seconds: int = child.SECONDS) -> Document:
    """The document at `path`; a workbook with the values that the engines computed, unless `computed` is False.

    `seconds` is the CPU time that its reader may take.
    """
    try:
        data = inspect(path)
    except Refusal as reason:
        return Refused(str(reason))
    document = read_bytes(data, os.path.splitext(path)[1].lower().lstrip("."), seconds)
    if isinstance(document, Workbook) and computed:
        try:
            fill(document, data)
            resolve(document)
        except (ValueError, LookupError, TypeError) as error:  # references of the candidate's that make no sense
            return Refused(f"it cannot be computed: {error}"[:300])
    return document


def read_bytes(data: bytes, extension: str, seconds: int = child.SECONDS) -> Document:
    """The record of a document that the guard let pass, read in a child; formulas have no values yet."""
    (said,) = child.ask([reader.work(extension)], extension, data, seconds=seconds)
    if said.failure:
        return Refused(f"it cannot be read: {said.failure}")
    try:
        return from_json(said.value)
    except (ValueError, RecursionError):
        return Refused("it cannot be read: no record came out of it")


def compute(path: str, workbook: Workbook, runs: Sequence[Computation]) -> list[dict[str, Scalar]]:
    """What the workbook at `path` (already read as `workbook`) shows in each run's cells; unsure ones are missing.

    Raises Unreadable.
    """
    return computed(path, workbook, runs).values


def computed(path: str, workbook: Workbook, runs: Sequence[Computation]) -> recalc.Computed:
    """As `compute`, with the cells that are in doubt."""
    try:
        data = inspect(path)
    except Refusal as reason:
        raise Unreadable(str(reason)) from None
    return recalc.compute(data, workbook, runs)
