"""The values of formulas, from engines and never from caches: which engines, and when their answer counts.

IronCalc and formualizer each compute the workbook in a process of their own, at the same time. Where they agree, that
is the value. Where they do not, or one does not know a function, LibreOffice decides: with the one that it agrees with,
and alone where at most one of them knew the function. What three engines see in three ways is unsure, and so is what
LibreOffice cannot decide; unsure is wrong. Both Rust engines take dates as days since 1899-12-30 whatever the file
says, so the dates of a file of 1904 are set anew before they compute. LibreOffice knows that system: it has the last
word on such a file.
"""

from __future__ import annotations

import atexit
import functools
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import chain
from typing import Any, Protocol

from . import child
from .bench import Computation, Unreadable
from .listener import PROFILE, Listener
from .model_cells import Scalar, Workbook
from .reference import parts

EPOCH_1904 = 1462
UNKNOWN = ("#NAME?", "#N/IMPL!", "#ERROR!", "#VALUE!")
"""Errors that may say that an engine cannot do a formula; both give #VALUE! for MONTH of a range in SUMPRODUCT."""
BEYOND = re.compile(
    r"\b(?:BAHTTEXT|CUBE[A-Z]+|DBCS|FORECAST\.ETS[A-Z.]*|GETPIVOTDATA|JIS|PHONETIC|RTD)\(", re.IGNORECASE
)
"""Functions that neither Rust engine has (measured on 506): an IFERROR around one makes both agree on a wrong value."""
RELATIVE, ABSOLUTE = 1e-6, 1e-7
"""When two engines agree. Iterating functions (IRR, RATE) differ in the 8th digit; sums that cancel leave 1e-8."""

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
    """An engine in a limited child of its own: `compute(path, orders)` of module recalc_NAME.py.

    It gives for each order a value for each of its cells: an error as {"error": "#N/A"}, {} for a cell that the
    workbook does not have.
    """

    name: str

    def compute(self, data: bytes, runs: Sequence[Computation]) -> Values:
        """As the protocol says."""
        return at_once([self], data, runs)[0].compute(data, runs)


@dataclass(frozen=True)
class Said:
    """What an engine has said, or why it said nothing."""

    name: str
    values: Values
    failure: str = ""

    def compute(self, data: bytes, runs: Sequence[Computation]) -> Values:
        """What it has said."""
        if self.failure:
            raise EngineFailed(self.failure)
        return self.values


def at_once(engines: Sequence[RecalcEngine], data: bytes, runs: Sequence[Computation]) -> Sequence[RecalcEngine]:
    """The engines when they have computed, side by side in children; others as they are."""
    if not all(isinstance(engine, ChildEngine) for engine in engines):
        return engines
    orders = [{"set": run.set, "type": run.type, "get": run.get} for run in runs]
    works = [_work(engine.name, orders) for engine in engines]
    answers = child.ask(works, "xlsx", data)
    return [_said(engine.name, answer, runs) for engine, answer in zip(engines, answers, strict=True)]


def _work(name: str, orders: list[dict[str, Any]]) -> child.Work:
    """A child's work: what engine `name` computes."""
    module = import_module(f".recalc_{name}", __package__)
    return lambda path: module.compute(path, orders)


def _said(name: str, answer: child.Answer, runs: Sequence[Computation]) -> Said:
    if answer.failure:
        return Said(name, [], answer.failure)
    try:
        return Said(name, [_values(run.get, values) for run, values in zip(runs, answer.value, strict=True)])
    except (ValueError, TypeError, KeyError) as error:
        return Said(name, [], f"no answer: {error}"[:200])


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


class LibreOffice:
    """The authority, by one listener for the whole grading (listener.py); it starts when it is first asked."""

    name = "libreoffice"

    def __init__(self) -> None:
        self._listener = Listener(error=Err)
        atexit.register(self._listener.stop)

    def compute(self, data: bytes, runs: Sequence[Computation]) -> Values:
        """As the protocol says. RuntimeError when LibreOffice does not start: no fault of the workbook's."""
        try:
            return self._listener.compute(data, runs)
        except Unreadable as error:
            raise EngineFailed(str(error)) from None


@functools.cache
def authority() -> RecalcEngine | None:
    """LibreOffice, the same for all of this process; None where the box has none."""
    return LibreOffice() if os.path.isdir(PROFILE) else None


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
    done, reasons = Computed([{} for _ in runs]), []
    answers = [_answers(engine, data, moved, done, reasons) for engine in at_once(first, data, moved)]
    pairs = [tuple(None if answer is None else answer[at] for answer in answers) for at in range(len(runs))]
    left = [_agreed(run, pair, values) for run, pair, values in zip(runs, pairs, done.values, strict=True)]
    doubted = _doubted(workbook, runs)
    last = last or (authority() if any(left) or doubted else None)
    asked = [list(run.get) for run in runs] if doubted else left
    said = None
    if last is not None and any(asked):
        back = [Computation(run.set, tuple(names), run.type) for run, names in zip(runs, asked, strict=True)]
        said = _answers(last, data, [_from_1900(workbook, run) for run in back], done, reasons)
    if not done.engine:
        raise Unreadable("; ".join(reasons)[:400])
    if said is None:
        done.unsure.update(name for names in left for name in names)
        return done
    for names, pair, verdict, values in zip(asked, pairs, said, done.values, strict=True):
        _settle(workbook, names, pair, verdict, values, done, doubted)
    return done


def _doubted(workbook: Workbook, runs: Sequence[Computation]) -> bool:
    """Whether both Rust engines may agree on what is wrong."""
    written = (cell.formula for sheet in workbook.sheets for cell in sheet.cells.values() if cell.formula)
    typed = (formula for run in runs for formula in run.type.values())
    return workbook.date1904 or any(map(BEYOND.search, chain(written, typed)))


def _answers(
    engine: RecalcEngine, data: bytes, runs: Sequence[Computation], done: Computed, reasons: list[str]
) -> Values | None:
    """What an engine says, which is noted; None when it fails."""
    try:
        said = engine.compute(data, runs)
    except EngineFailed as error:
        reasons.append(f"{engine.name}: {error}")
        return None
    done.engine += f"+{engine.name}" if done.engine else engine.name
    return said


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


def _settle(
    workbook: Workbook,
    names: Sequence[str],
    pair: Sequence[dict[str, Scalar] | None],
    verdict: dict[str, Scalar],
    values: dict[str, Scalar],
    done: Computed,
    doubted: bool,
) -> None:
    """LibreOffice's verdict on the cells of one run; `doubted`: it has the last word even against two that agree."""
    for name in names:
        values.pop(name, None)
        if name not in verdict:
            done.unsure.add(name)
            continue
        said = _moved(workbook, name, verdict[name], EPOCH_1904)
        others = [answer[name] for answer in pair if answer is not None and name in answer]
        knowing = [value for value in others if known(value)]
        if any(agree(said, value) for value in knowing or others) and (known(said) or not knowing):
            values[name] = said
        elif known(said) and (len(knowing) < 2 or doubted):
            values[name] = said
            done.alone.add(name)
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


def _dates(workbook: Workbook) -> dict[str, Scalar]:
    """The typed dates of a workbook, as days since 1899-12-30."""
    return {
        f"{sheet.name}!{name}": cell.value
        for sheet in workbook.sheets
        for name, cell in sheet.cells.items()
        if cell.kind == "date" and cell.formula is None
    }


def _from_1900(workbook: Workbook, run: Computation) -> Computation:
    """The run with its dates in the workbook's own system."""
    return replace(run, set={name: _moved(workbook, name, value, -EPOCH_1904) for name, value in run.set.items()})


def _moved(workbook: Workbook, name: str, value: Scalar, shift: int) -> Scalar:
    """In a workbook of 1904 a date's number moved by `shift` days; anything else as it is."""
    if not workbook.date1904 or not isinstance(value, (int, float)) or isinstance(value, bool):
        return value
    where, cell = parts(name)
    sheet = workbook.sheet(where)
    known_cell = sheet.cells.get(cell) if sheet else None
    dated = known_cell is not None and workbook.styles[known_cell.style].number_class == "date"
    return value + shift if dated else value
