"""The model of a workbook."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Scalar = float | str | bool | None
Kind = Literal["number", "date", "text", "bool", "error", "empty"]


@dataclass(slots=True)
class Style:
    """A cell's or a run's effective look: inherited and theme values resolved. Colours are "rrggbb", sizes points."""

    number_format: str = "General"
    number_class: Literal[
        "general", "number", "percent", "currency", "date", "time", "text", "fraction", "scientific"
    ] = "general"
    decimals: int | None = None
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False
    hidden: bool = False
    font: str = ""
    size: float = 11.0
    color: str = "000000"
    fill: str | None = None
    align: str = "general"
    vertical: str = "bottom"
    wrap: bool = False
    locked: bool = True
    borders: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Cell:
    """One cell. `value` of a formula is what the engine computed, never the cache; a date is its serial since
    1899-12-30, of kind "date", whatever date system the file has. An error's value is its text, "#N/A"."""

    kind: Kind = "empty"
    value: Scalar = None
    formula: str | None = None
    style: int = 0


@dataclass(slots=True)
class TableObject:
    """A native table of a sheet; `look` is the name of its style, as "TableStyleMedium9"."""

    name: str
    ref: str
    headers: list[str]
    look: str = ""


@dataclass(slots=True)
class Conditional:
    """One rule of conditional formatting. `fill`, `color`, `bold` are its format's, None where it says nothing."""

    ranges: list[str]
    kind: str
    operator: str | None = None
    formulas: list[str] = field(default_factory=list)
    text: str | None = None
    rank: int | None = None
    percent: bool = False
    bottom: bool = False
    priority: int = 1
    stop: bool = False
    fill: str | None = None
    color: str | None = None
    bold: bool | None = None


@dataclass(slots=True)
class Validation:
    """One data validation. `choices` are a list's entries, resolved where it names a range. `style` is stop, warning,
    information, or none: it shows no error, so everything is accepted."""

    ranges: list[str]
    kind: str
    operator: str = "between"
    formulas: list[str] = field(default_factory=list)
    choices: list[str] | None = None
    allow_blank: bool = True
    prompt: str = ""
    error: str = ""
    style: str = "stop"


@dataclass(slots=True)
class Series:
    """A chart's series: references as "Sheet!$A$1:$A$9" ("" for none) and the values that it holds or points at."""

    name: str = ""
    name_ref: str = ""
    categories_ref: str = ""
    values_ref: str = ""
    categories: list[str] = field(default_factory=list)
    values: list[float | None] = field(default_factory=list)


@dataclass(slots=True)
class Chart:
    """A native chart. `kind`: bar (horizontal), column, line, pie, doughnut, area, scatter, bubble, radar, other."""

    kind: str
    title: str = ""
    series: list[Series] = field(default_factory=list)
    x_title: str = ""
    y_title: str = ""
    anchor: str = ""
    stacked: bool = False


@dataclass(slots=True)
class Pivot:
    """A native pivot table: `source` as "Sheet!A1:D9" or a table's name; fields by their names."""

    name: str
    location: str
    source: str
    rows: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    values: list[tuple[str, str]] = field(default_factory=list)
    """(field, function: sum, count, average, ...)"""
    filters: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Sheet:
    """A worksheet. `cells` by "B7", only those that hold something or have a style of their own; `spills` are the cells
    whose formulas fill further cells (dynamic arrays)."""

    name: str
    state: Literal["visible", "hidden", "veryHidden"] = "visible"
    cells: dict[str, Cell] = field(default_factory=dict)
    spills: list[str] = field(default_factory=list)
    merges: list[str] = field(default_factory=list)
    freeze: str | None = None
    tables: list[TableObject] = field(default_factory=list)
    conditionals: list[Conditional] = field(default_factory=list)
    validations: list[Validation] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    pivots: list[Pivot] = field(default_factory=list)
    comments: dict[str, str] = field(default_factory=dict)
    hidden_rows: list[int] = field(default_factory=list)
    hidden_columns: list[int] = field(default_factory=list)
    widths: dict[str, float] = field(default_factory=dict)
    autofilter: str | None = None
    protected: bool = False
    pictures: int = 0


@dataclass(slots=True)
class Workbook:
    """An xlsx file. `engine` names who computed the formulas' values; `unsure` the formula cells ("Sheet!B7") whose
    value no two engines agree on, `alone` those that only one engine could compute."""

    sheets: list[Sheet] = field(default_factory=list)
    styles: list[Style] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    date1904: bool = False
    engine: str = ""
    unsure: list[str] = field(default_factory=list)
    alone: list[str] = field(default_factory=list)
    kind: Literal["xlsx"] = "xlsx"

    def sheet(self, name: str) -> Sheet | None:
        """The sheet of that name, case and outer blanks aside."""
        wanted = name.strip().casefold()
        return next((sheet for sheet in self.sheets if sheet.name.strip().casefold() == wanted), None)
