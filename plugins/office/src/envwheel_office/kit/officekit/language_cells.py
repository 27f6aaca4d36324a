"""The checks on workbooks."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from .language_base import Anchor, Check, Column, Look, Scalar, Strict, Type, Where


class CellValue(Check):
    """A cell's computed value, of a visible cell."""

    kind: Literal["cell_value"] = "cell_value"
    at: Where
    expect: Scalar
    type: Type = "any"
    tol: float = 0.005


class RangeTable(Check):
    """A table's rows: F1 over the expected filled cells, rows matched by key; extra rows and cells count against it."""

    kind: Literal["range_table"] = "range_table"
    anchor: Anchor
    columns: list[Column] = Field(min_length=1)
    key: list[str] = Field(min_length=1, description="headers of the columns that tell rows apart")
    rows: list[list[Scalar]] = Field(description="expected values in the order of `columns`")
    order: Literal["any", "exact"] = "any"
    extra_rows: Literal["fail", "penalise"] = "penalise"


class Formula(Check):
    """That cells are computed. At one place, or in every row of a table's column; judged by precedents, not by text."""

    kind: Literal["formula"] = "formula"
    at: Where | None = None
    anchor: Anchor | None = None
    column: str | None = None
    depends_on: list[str] = Field(
        default_factory=list,
        description="ranges such as 'Ledger!B2:B201' whose filled cells must all be read, through any cells between, "
        "and must move the value",
    )
    forbid: list[str] = Field(default_factory=list, description="functions that may not occur, besides volatile ones")
    max_digits: int = Field(4, description="a literal number with more digits than this is a typed result")

    @model_validator(mode="after")
    def _place(self) -> Formula:
        if (self.at is None) == (self.anchor is None) or (self.anchor is None) != (self.column is None):
            raise ValueError("either at, or anchor with column")
        return self


class Change(Strict):
    """One change of the inputs for a metamorphic run."""

    how: Literal["scale", "set", "swap", "blank", "zero", "shift_days", "copy_key", "choose"] = Field(
        description="scale: numbers by 0.5 to 3; set: to one of `values`; choose: another value of the same column; "
        "swap: two rows' values; copy_key: one row's value onto another; shift_days: dates by up to `days`"
    )
    range: str = Field(description="cells of one sheet, as 'Ledger!D2:D201'")
    count: int = Field(5, ge=1, description="cells changed at once")
    values: list[Scalar] = Field(default_factory=list)
    days: int = 40


class Metamorphic(Check):
    """Inputs are changed in the candidate's workbook and in the reference's; computed anew, outputs must agree.

    The score is the share of seeds on which every output agrees: mostly used with gate or floor 1. Only changes that
    move an output of the reference count; one that no seed moves is a fault of the environment.
    """

    kind: Literal["metamorphic"] = "metamorphic"
    reference: str = Field(description="a workbook in tests/ that computes the right answer from the same input cells")
    changes: list[Change] = Field(min_length=1)
    outputs: list[Where] = Field(default_factory=list)
    anchor: Anchor | None = None
    columns: list[Column] = Field(default_factory=list, description="a table's computed columns, rows matched by `key`")
    key: list[str] = Field(default_factory=list)
    seeds: int = Field(5, ge=1, le=20)
    tol: float = 0.005

    @model_validator(mode="after")
    def _something(self) -> Metamorphic:
        if not self.outputs and not (self.anchor and self.columns and self.key):
            raise ValueError("outputs, or anchor with columns and key")
        return self


class CellLook(Check):
    """How cells look: a range, the header row of a table, or a table's column. The score is the share that does."""

    kind: Literal["style"] = "style"
    range: str | None = None
    anchor: Anchor | None = None
    column: str | None = Field(None, description="with anchor: this column's data; None: the header row")
    look: Look

    @model_validator(mode="after")
    def _place(self) -> CellLook:
        if (self.range is None) == (self.anchor is None):
            raise ValueError("either range or anchor")
        return self


class CondFormat(Check):
    """Which cells a conditional format marks, by evaluating its rules: F1 of the marked cells; no typed fills."""

    kind: Literal["cond_format"] = "cond_format"
    range: str | None = None
    anchor: Anchor | None = None
    column: str | None = None
    marked: Literal["above", "below", "equal", "between", "cells"] = Field(
        description="the rule's meaning: values above / below / equal / between `values`; 'cells': the cells in `cells`"
    )
    values: list[Scalar] = Field(default_factory=list)
    cells: list[str] = Field(default_factory=list)
    probes: list[Scalar] = Field(
        default_factory=list, description="further values put into the first cell to see whether it becomes marked"
    )
    fill: str | None = Field(
        None, description="the mark's fill or font colour; 'any' for any fill but white; None: any mark"
    )


class DataValidation(Check):
    """What a cell accepts: by behaviour, whatever kind of rule does it."""

    kind: Literal["data_validation"] = "data_validation"
    range: str
    accepts: list[Scalar] = Field(min_length=1)
    refuses: list[Scalar] = Field(min_length=1)


class ChartCheck(Check):
    """A native chart whose series show the expected numbers."""

    kind: Literal["chart"] = "chart"
    sheet: str | None = None
    type: Literal["bar", "column", "line", "pie", "doughnut", "area", "scatter", "any"] = "any"
    title: str | None = Field(None, description="words that its title holds")
    series: list[list[float]] = Field(
        min_length=1, description="the values of each wanted series, by resolved references"
    )
    categories: list[str] | None = None
    linked: bool = Field(True, description="the values must be references to cells, not typed")


class PivotCheck(Check):
    """A native pivot table."""

    kind: Literal["pivot"] = "pivot"
    source: str | None = None
    rows: list[str] = Field(default_factory=list)
    columns: list[str] = Field(default_factory=list)
    values: list[tuple[str, str]] = Field(
        default_factory=list, description="(field, sum | count | average | max | min)"
    )


class SheetCheck(Check):
    """The sheets, their order and state, freeze, filter, widths, protection, merges, names."""

    kind: Literal["sheet"] = "sheet"
    sheet: str
    state: Literal["visible", "hidden", "veryHidden", "absent"] = "visible"
    position: int | None = Field(None, description="1 for the first tab")
    freeze: str | None = Field(None, description="the first cell that scrolls, as 'A2'")
    autofilter: bool | None = None
    protected: bool | None = None
    merged: list[str] | None = None
    table: list[str] | None = Field(None, description="headers of a native table on it")
    names: dict[str, str] = Field(default_factory=dict, description="defined name -> the cells it means")


class Preserve(Check):
    """What was given is still there: compared with a pristine copy, cell by cell, block by block, slide by slide."""

    kind: Literal["preserve"] = "preserve"
    original: str = Field(description="the pristine file in tests/")
    sheets: list[str] = Field(default_factory=list, description="these sheets only; empty: all of the original's")
    allow: list[str] = Field(
        default_factory=list,
        description="what may differ: 'Summary!B2:B9', 'Summary!*', 'heading:Budget' (a section), 'slide:3', "
        "'field:Name' (the value of a PDF's field), 'new' (additions)",
    )
    formulas: bool = True
    looks: bool = Field(False, description="styles, too")
