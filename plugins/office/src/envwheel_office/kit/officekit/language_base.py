"""What all checks of the language are made of: places, tables, looks."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Scalar = float | int | str | bool | None
Type = Literal["number", "text", "date", "bool", "error", "any"]
"""A date is written "2024-03-01" or "2024-03-01T14:30:00". "any" lets 12 equal "12"."""


class Strict(BaseModel):
    """Unknown fields are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Where(Strict):
    """One cell: by reference ("Summary!B7"), by defined name, or beside a label that stands once in the workbook."""

    cell: str | None = None
    name: str | None = None
    label: str | None = None
    sheet: str | None = Field(None, description="narrows a label to a sheet")
    side: Literal["right", "below"] = "right"

    @model_validator(mode="after")
    def _one(self) -> Where:
        if sum(item is not None for item in (self.cell, self.name, self.label)) != 1:
            raise ValueError("one of cell, name and label")
        return self


class Anchor(Strict):
    """A table in a workbook, found by its header texts wherever it stands; it ends at the first blank key
    below its data."""

    headers: list[str] = Field(min_length=1, description="texts that stand in one row, in any order")
    sheet: str | None = Field(None, description="None: any visible sheet")
    end: str | None = Field(None, description="text in the first column of a closing row that is no data, as 'Total'")


class Column(Strict):
    """How a table's column is compared."""

    header: str
    type: Type = "any"
    tol: float = Field(0.005, description="absolute; numbers are equal within this, below 1 within 1 % at most")
    case: bool = Field(False, description="whether upper and lower case differ")
    blanks: bool = Field(False, description="whether blanks at the ends of a text, and doubled ones, differ")


class Check(Strict):
    """What all checks have."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_.-]{0,60}$")
    why: str = Field(min_length=3, description="the wish of the instruction that this checks, as a sentence")
    weight: float = Field(1.0, gt=0)
    gate: bool = Field(False, description="must hold, counts nothing")
    floor: float = Field(0.0, ge=0, le=1, description="a score below makes the whole reward 0")
    file: str = Field(description="the artifact, relative to /app, as 'out/report.xlsx'")

    @property
    def least(self) -> float:
        """The score below which the reward is 0."""
        return 1.0 if self.gate else self.floor


class Look(Strict):
    """Effective properties; None is not asked for. Colours "rrggbb", compared by what the eye sees (CIEDE2000)."""

    bold: bool | None = None
    italic: bool | None = None
    underline: bool | None = None
    strike: bool | None = None
    font: str | None = None
    size: float | None = None
    color: str | None = None
    fill: str | None = Field(None, description="'any' for any fill but white")
    number: Literal["number", "percent", "currency", "date", "time", "text", "general"] | None = Field(
        None, description="what the number format shows; an amount with its currency is a number, too"
    )
    decimals: int | None = None
    thousands: bool | None = None
    align: Literal["left", "center", "right"] | None = None
    wrap: bool | None = None
    locked: bool | None = None
