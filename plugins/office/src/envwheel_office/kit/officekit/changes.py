"""Seeded changes of a workbook's input cells, for metamorphic checks."""

from __future__ import annotations

import random

from . import find, refs
from .bench import Fault
from .language_base import Scalar
from .language_cells import Change, Metamorphic
from .model import Cell, Sheet, Workbook

Set = dict[str, Scalar]


def draw(check: Metamorphic, book: Workbook, seed: str) -> Set:
    """The cells ("Ledger!D7") that this seed changes in the reference workbook `book`, with their new values.

    Fault when a change finds nothing to change.
    """
    rng = random.Random(seed)
    made: Set = {}
    for change in check.changes:
        try:
            sheet, area = find.area(book, change.range)
        except find.NotFound as error:
            raise Fault(f"{check.id}: {error}") from None
        one = HOW[change.how](change, _Inputs(sheet, area), rng)
        if not one:
            raise Fault(f"{check.id}: nothing in {change.range} to {change.how}")
        made.update({f"{sheet.name}!{ref}": value for ref, value in one.items()})
    return made


class _Inputs:
    """The filled cells of an area that hold no formula."""

    def __init__(self, sheet: Sheet, area: refs.Area) -> None:
        self.cells: dict[tuple[int, int], Cell] = {}
        for ref, cell in sheet.cells.items():
            row, column = refs.place(ref)
            if area.has(row, column) and cell.kind != "empty" and not cell.formula:
                self.cells[row, column] = cell
        self.rows = sorted({row for row, _ in self.cells})

    def some(self, rng: random.Random, count: int, *kinds: str) -> list[tuple[int, int]]:
        """So many cells of these kinds, of any when none is named."""
        known = sorted(place for place, cell in self.cells.items() if not kinds or cell.kind in kinds)
        return rng.sample(known, min(count, len(known)))

    def value(self, row: int, column: int) -> Scalar:
        """A cell's value, None for a blank one."""
        cell = self.cells.get((row, column))
        return cell.value if cell else None

    @property
    def columns(self) -> list[int]:
        """The columns that are filled in any row, for changes of whole rows."""
        return sorted({column for _, column in self.cells})


def _scale(change: Change, inputs: _Inputs, rng: random.Random) -> Set:
    made: Set = {}
    for place in inputs.some(rng, change.count, "number"):
        old = float(inputs.value(*place) or 0)
        new = old * rng.choice([rng.uniform(0.5, 0.9), rng.uniform(1.1, 3.0)])
        new = round(new) if old.is_integer() else round(new, 2 if abs(old) >= 1 else 4)
        made[refs.name(*place)] = float(new if new != old else old + 1)
    return made


def _set(change: Change, inputs: _Inputs, rng: random.Random) -> Set:
    if not change.values:
        return {}
    return {refs.name(*place): rng.choice(change.values) for place in inputs.some(rng, change.count)}


def _choose(change: Change, inputs: _Inputs, rng: random.Random) -> Set:
    made: Set = {}
    for row, column in inputs.some(rng, change.count):
        known = {inputs.value(at, column) for at in inputs.rows} - {inputs.value(row, column), None}
        if known:
            made[refs.name(row, column)] = rng.choice(sorted(known, key=repr))
    return made


def _blank(change: Change, inputs: _Inputs, rng: random.Random) -> Set:
    return {refs.name(*place): None for place in inputs.some(rng, change.count)}


def _zero(change: Change, inputs: _Inputs, rng: random.Random) -> Set:
    return {refs.name(*place): 0.0 for place in inputs.some(rng, change.count, "number")}


def _shift_days(change: Change, inputs: _Inputs, rng: random.Random) -> Set:
    made: Set = {}
    for place in inputs.some(rng, change.count, "date"):
        days = rng.choice([-1, 1]) * rng.randint(1, max(1, change.days))
        made[refs.name(*place)] = float(inputs.value(*place) or 0) + days
    return made


def _swap(change: Change, inputs: _Inputs, rng: random.Random) -> Set:
    made: Set = {}
    rows = rng.sample(inputs.rows, min(2 * change.count, len(inputs.rows) // 2 * 2))
    for one, other in zip(rows[::2], rows[1::2], strict=True):
        for column in inputs.columns:
            made[refs.name(one, column)] = inputs.value(other, column)
            made[refs.name(other, column)] = inputs.value(one, column)
    return made


def _copy_key(change: Change, inputs: _Inputs, rng: random.Random) -> Set:
    made: Set = {}
    rows = rng.sample(inputs.rows, min(2 * change.count, len(inputs.rows) // 2 * 2))
    for source, target in zip(rows[::2], rows[1::2], strict=True):
        for column in inputs.columns:
            made[refs.name(target, column)] = inputs.value(source, column)
    return made


HOW = {
    "scale": _scale,
    "set": _set,
    "choose": _choose,
    "blank": _blank,
    "zero": _zero,
    "shift_days": _shift_days,
    "swap": _swap,
    "copy_key": _copy_key,
}
