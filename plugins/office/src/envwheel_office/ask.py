"""Short ways to write the checks that many families ask for; each gives one record of the language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from envwheel_office.kit.officekit.language import CellLook, CellValue, Formula, Metamorphic, Preserve, RangeTable
from envwheel_office.kit.officekit.language_base import Anchor, Column, Look, Scalar, Type, Where
from envwheel_office.kit.officekit.language_cells import Change

TYPES: dict[str, Type] = {"t": "text", "x": "text", "n": "number", "d": "date", "b": "bool", "a": "any"}
"""x: a text in which blanks count."""


def typed(names: Sequence[str], types: str = "", tol: float = 0.005) -> list[Column]:
    """Columns by header; `types` is a letter of `TYPES` for each."""
    kinds = types or "a" * len(names)
    return [
        Column(header=name, type=TYPES[kind], tol=tol, blanks=kind == "x")
        for name, kind in zip(names, kinds, strict=True)
    ]


def table(
    id: str,
    why: str,
    file: str,
    sheet: str,
    names: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    key: Sequence[str] = (),
    types: str = "",
    ordered: bool = True,
    weight: float = 1.0,
    floor: float = 0.0,
    tol: float = 0.005,
) -> RangeTable:
    """A table of a workbook, keyed by its first column unless `key` says otherwise. `types`: letters of `TYPES`."""
    return RangeTable(
        id=id,
        why=why,
        file=file,
        weight=weight,
        floor=floor,
        anchor=Anchor(headers=list(names), sheet=sheet),
        columns=typed(names, types, tol),
        key=list(key) or [names[0]],
        rows=[[plain(value) for value in row] for row in rows],
        order="exact" if ordered else "any",
    )


def value(
    id: str,
    why: str,
    file: str,
    at: Where,
    expect: Any,
    *,
    type: Type = "number",
    tol: float = 0.005,
    weight: float = 1.0,
) -> CellValue:
    """A cell's value."""
    return CellValue(id=id, why=why, file=file, at=at, expect=plain(expect), type=type, tol=tol, weight=weight)


def beside(label: str, sheet: str) -> Where:
    """The cell right of a label."""
    return Where(label=label, sheet=sheet)


def cell(ref: str) -> Where:
    """The cell "Sheet!B7"."""
    return Where(cell=ref)


def kept(file: str, original: str, *allow: str, sheets: Sequence[str] = ()) -> Preserve:
    """A gate: what was given is unchanged but for `allow` ("new": additions)."""
    return Preserve(
        id="kept",
        why=f"what {original} holds stays as it is",
        file=file,
        gate=True,
        original=original,
        allow=list(allow),
        sheets=list(sheets),
    )


def live(
    id: str,
    why: str,
    file: str,
    reference: str,
    changes: Sequence[Change],
    *,
    outputs: Sequence[Where] = (),
    anchor: Anchor | None = None,
    names: Sequence[str] = (),
    key: Sequence[str] = (),
    seeds: int = 4,
    gate: bool = True,
    tol: float = 0.005,
) -> Metamorphic:
    """A gate: the outputs follow the inputs as the reference workbook's do."""
    return Metamorphic(
        id=id,
        why=why,
        file=file,
        gate=gate,
        reference=reference,
        changes=list(changes),
        outputs=list(outputs),
        anchor=anchor,
        columns=[Column(header=name, tol=tol) for name in names],
        key=list(key),
        seeds=seeds,
        tol=tol,
    )


def formulas(id: str, why: str, file: str, anchor: Anchor, column: str, depends: Sequence[str] = ()) -> Formula:
    """A table's column holds formulas."""
    return Formula(id=id, why=why, file=file, anchor=anchor, column=column, depends_on=list(depends))


def look(id: str, why: str, file: str, anchor: Anchor, column: str | None, **properties: Any) -> CellLook:
    """How a table's column (None: its header row) looks."""
    return CellLook(id=id, why=why, file=file, anchor=anchor, column=column, look=Look(**properties))


def plain(value: Any) -> Scalar:
    """A date as the language writes it, everything else as it is."""
    return value.isoformat() if hasattr(value, "isoformat") else value
