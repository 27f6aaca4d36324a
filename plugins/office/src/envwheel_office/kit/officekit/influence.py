"""Does a cell's value hang on what its formula reads? `=SUM(A1:A9)*0+60` reads a range that moves nothing."""

from __future__ import annotations

import random
from collections.abc import Sequence

from . import refs
from .bench import Bench, Computation
from .equal import is_number, same
from .model import Cell, Scalar, Sheet

INPUTS, OUTPUTS = 5_000, 200
"""Cells that are changed and read at most, spread over all."""

Place = tuple[Sheet, refs.Area]


def idle(bench: Bench, file: str, sheet: Sheet, cells: Sequence[str], areas: Sequence[Place]) -> list[int]:
    """Which of `areas` move none of `cells`, neither when all their values become others nor when they are blanked."""
    if not areas:
        return []
    outputs = tuple(f"{sheet.name}!{ref}" for ref in _spread(list(cells), OUTPUTS))
    runs = [Computation({}, outputs)]
    for place in areas:
        inputs = _inputs(*place, {ref for ref in cells if place[0] is sheet})
        runs.append(Computation(_others(inputs), outputs))
        runs.append(Computation(dict.fromkeys(inputs), outputs))
    base, *answers = bench.compute(file, runs)
    moved = [any(_moved(base.get(at), answer[at]) for at in outputs if at in answer) for answer in answers]
    return [at for at in range(len(areas)) if not any(moved[2 * at : 2 * at + 2])]


def _moved(before: Scalar, after: Scalar) -> bool:
    return not same(after, before, "any", 0)


def _spread(items: list[str], most: int) -> list[str]:
    step = max(1, -(-len(items) // most))
    return items[::step]


def _inputs(sheet: Sheet, area: refs.Area, outputs: set[str]) -> dict[str, Cell]:
    filled = [
        ref
        for ref, cell in sheet.cells.items()
        if (cell.kind != "empty" or cell.formula) and ref not in outputs and area.has(*refs.place(ref))
    ]
    return {f"{sheet.name}!{ref}": sheet.cells[ref] for ref in _spread(filled, INPUTS)}


def _others(inputs: dict[str, Cell]) -> dict[str, Scalar]:
    """Another value for each: numbers scaled, dates moved, texts taken from the next cell that has another."""
    rng = random.Random(len(inputs))
    texts = list(dict.fromkeys(cell.value for cell in inputs.values() if isinstance(cell.value, str)))
    turned = dict(zip(texts, [*texts[1:], texts[0]] if len(texts) > 1 else ["?"], strict=True)) if texts else {}
    made: dict[str, Scalar] = {}
    for place, cell in inputs.items():
        value = cell.value
        if isinstance(value, bool):
            made[place] = not value
        elif isinstance(value, str):
            made[place] = turned[value]
        elif is_number(value):
            number = float(value or 0)
            made[place] = (
                number + rng.randint(20, 60) if cell.kind == "date" else round(number * rng.uniform(1.2, 3)) + 1
            )
    return made
