"""The values of formulas, from engines and never from caches: which engines, and when their answer counts.

IronCalc and formualizer each compute the workbook in a child of their own. Where they agree, that is the value. Where
they do not, or one does not know a function, LibreOffice decides: with the one that it agrees with, and alone where at
most one of them knew the function. What three engines see in three ways is unsure, and so is what LibreOffice cannot
decide; unsure is wrong. Both Rust engines take dates as days since 1899-12-30 whatever the file says, so the dates of a
file of 1904 are set anew before they compute; LibreOffice knows the system, and its dates are moved after it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from . import child
from .bench import Computation, Unreadable
from .model_cells import Cell, Scalar, Workbook
from .reference import parts

EPOCH_1904 = 1462
UNKNOWN = ("#NAME?", "#N/IMPL!", "#ERROR!")
"""Errors that may say that an engine lacks a function or cannot read a formula."""
RELATIVE, ABSOLUTE = 1e-6, 1e-7
"""When two engines agree. Iterating functions (IRR, RATE) differ in the 8th digit; sums that cancel leave 1e-8."""
UNO_SECONDS = 120

Values = list[dict[str, Scalar]]


class Err(str):
    """An error as a value, "#N/A": a text for those who read it, but no text of a cell."""


class EngineFailed(Exception):
    """An engine gave nothing for this workbook, with the reason."""


class RecalcEngine(Protocol):
    """What computes a workbook anew for each run. A cell that it does not have is missing in its answer."""

    name: str

    def compute(self, data: bytes, runs: Sequence[Computation]) -> Values:
        """The cells of each run's `get`, after its `set`. Raises EngineFailed."""


@dataclass(frozen=True)
class ChildEngine:
    """An engine in a limited child (recompute.py). `options` go to its module: LibreOffice's listener."""

    name: str
    options: tuple[str, ...] = ()
    seconds: float = child.SECONDS

    def compute(self, data: bytes, runs: Sequence[Computation]) -> Values:
        """As the protocol says."""
        order = json.dumps([{"set": run.set, "get": run.get} for run in runs]).encode()
        ran = child.run("recompute", [self.name, *self.options], "xlsx", data, stdin=order, seconds=self.seconds)
        if ran.code != 0:
            raise EngineFailed(child.failure(ran))
        try:
            answers = json.loads(ran.out)
            return [_values(run.get, answer) for run, answer in zip(runs, answers, strict=True)]
        except (ValueError, TypeError, RecursionError) as error:
            raise EngineFailed(f"no answer: {error}"[:200]) from None


def _values(get: Sequence[str], answer: list[object]) -> dict[str, Scalar]:
    """A child's answer as values: {"error": "#N/A"} is an error, {} a cell that it does not have."""
    found: dict[str, Scalar] = {}
    for name, value in zip(get, answer, strict=True):
        if isinstance(value, dict):
            if value:
                found[name] = Err(str(value["error"])[:20])
        elif value is None or isinstance(value, (bool, int, float, str)):
            found[name] = float(value) if isinstance(value, int) and not isinstance(value, bool) else value
        else:
            raise ValueError("no value")
    return found


FIRST: tuple[RecalcEngine, ...] = (ChildEngine("ironcalc"), ChildEngine("formualizer"))


def authority(listener: str = "") -> RecalcEngine | None:
    """LibreOffice, by the pipe of a running listener or started anew; None where it is not installed."""
    if not shutil.which("soffice"):
        return None
    return ChildEngine("uno", (listener,) if listener else (), UNO_SECONDS)


@dataclass
class Computed:
    """The values of each run. `unsure`: cells that are missing for want of agreement; `alone`: one engine's word."""

    values: Values
    unsure: set[str] = field(default_factory=set)
    alone: set[str] = field(default_factory=set)
    engine: str = ""


def compute(
    data: bytes,
    workbook: Workbook,
    runs: Sequence[Computation],
    *,
    first: Sequence[RecalcEngine] = FIRST,
    last: RecalcEngine | None = None,
) -> Computed:
    """The values of every run by the policy above; `last` is LibreOffice when None. Raises Unreadable."""
    moved = [replace(run, set={**_dates(workbook), **run.set}) for run in runs] if workbook.date1904 else runs
    answers: list[Values | None] = []
    reasons = []
    for engine in first:
        try:
            answers.append(engine.compute(data, moved))
        except EngineFailed as error:
            answers.append(None)
            reasons.append(f"{engine.name}: {error}")
    done = Computed([{} for _ in runs], engine="+".join(e.name for e, a in zip(first, answers, strict=True) if a))
    pairs = [tuple(None if answer is None else answer[at] for answer in answers) for at in range(len(runs))]
    left = [_agreed(run, pair, values) for run, pair, values in zip(runs, pairs, done.values, strict=True)]
    if not any(left):
        return done
    last = last or authority()
    if last is not None:
        try:
            said = _decided(data, workbook, runs, left, last)
        except EngineFailed as error:
            reasons.append(f"{last.name}: {error}")
        else:
            done.engine += f"+{last.name}"
            for open_, pair, verdict, values in zip(left, pairs, said, done.values, strict=True):
                _settle(open_, pair, verdict, values, done)
            return done
    if not done.engine:
        raise Unreadable("; ".join(reasons)[:400])
    done.unsure.update(name for names in left for name in names)
    return done


def _agreed(run: Computation, pair: Sequence[dict[str, Scalar] | None], values: dict[str, Scalar]) -> list[str]:
    """Put what both engines agree on into `values`; returns the cells that are left."""
    left = []
    for name in run.get:
        one, two = (None if answer is None else answer.get(name, Err("#ERROR!")) for answer in pair)
        if None in pair or known(one) is False or not agree(one, two):
            left.append(name)
        else:
            values[name] = one
    return left


def _decided(data: bytes, workbook: Workbook, runs: Sequence[Computation], left: Sequence[list[str]],
             last: RecalcEngine) -> Values:  # fmt: skip
    """What LibreOffice says about the cells that are left, dates moved from and to the file's own system."""
    shift = EPOCH_1904 if workbook.date1904 else 0
    asked = [
        Computation({name: _moved(workbook, name, value, -shift) for name, value in run.set.items()}, tuple(names))
        for run, names in zip(runs, left, strict=True)
    ]
    return [
        {name: _moved(workbook, name, value, shift) for name, value in values.items()}
        for values in last.compute(data, asked)
    ]


def _settle(names: Sequence[str], pair: Sequence[dict[str, Scalar] | None], verdict: dict[str, Scalar],
            values: dict[str, Scalar], done: Computed) -> None:  # fmt: skip
    """LibreOffice's verdict on the cells that are left."""
    for name in names:
        others = [answer[name] for answer in pair if answer is not None and name in answer]
        known_others = [value for value in others if known(value)]
        if name not in verdict:
            done.unsure.add(name)
            continue
        said = verdict[name]
        if known(said) and len(known_others) < 2 and not any(agree(said, value) for value in known_others):
            values[name] = said
            done.alone.add(name)
        elif any(agree(said, value) for value in (known_others if known(said) else others)):
            values[name] = said
        else:
            done.unsure.add(name)


def known(value: Scalar) -> bool:
    """Whether a value is an answer, not an engine's excuse."""
    return not (isinstance(value, Err) and value in UNKNOWN)


def agree(one: Scalar, two: Scalar) -> bool:
    """Whether two engines say the same; a number is no text, an error no text that looks like it."""
    if type(one) is not type(two):
        return False
    if isinstance(one, float) and isinstance(two, float):
        return abs(one - two) <= max(ABSOLUTE, RELATIVE * max(abs(one), abs(two)))
    return one == two


def fill(
    workbook: Workbook, data: bytes, *, first: Sequence[RecalcEngine] = FIRST, last: RecalcEngine | None = None
) -> None:
    """Give every formula cell of `workbook` its value. Where no engine can, all of them are unsure."""
    cells = {f"{sheet.name}!{name}": cell for sheet in workbook.sheets for name, cell in sheet.cells.items()
             if cell.formula is not None}  # fmt: skip
    if not cells:
        return
    try:
        done = compute(data, workbook, [Computation(get=tuple(cells))], first=first, last=last)
    except Unreadable:
        done = Computed([{}], unsure=set(cells))
    for name, value in done.values[0].items():
        cell = cells[name]
        cell.kind, cell.value = _kind(workbook, cell, value), value
    workbook.engine, workbook.unsure, workbook.alone = done.engine, sorted(done.unsure), sorted(done.alone)


def _kind(workbook: Workbook, cell: Cell, value: Scalar) -> str:
    if isinstance(value, Err):
        return "error"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, str):
        return "text"
    if value is None:
        return "empty"
    return "date" if workbook.styles[cell.style].number_class == "date" else "number"


def _dates(workbook: Workbook) -> dict[str, Scalar]:
    """The typed dates of a workbook, as days since 1899-12-30."""
    return {
        f"{sheet.name}!{name}": cell.value
        for sheet in workbook.sheets
        for name, cell in sheet.cells.items()
        if cell.kind == "date" and cell.formula is None
    }


def _moved(workbook: Workbook, name: str, value: Scalar, shift: int) -> Scalar:
    """A date's number moved by `shift` days; anything else as it is."""
    if not shift or not isinstance(value, (int, float)) or isinstance(value, bool):
        return value
    where, cell = parts(name)
    sheet = workbook.sheet(where)
    known_cell = sheet.cells.get(cell) if sheet else None
    dated = known_cell is not None and workbook.styles[known_cell.style].number_class == "date"
    return value + shift if dated else value
