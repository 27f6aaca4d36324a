"""The checks of an office environment as data: tests/checks.json is one `Plan`, its JSON Schema stands in the brief.

    {"checks": [{"kind": "cell_value", "id": "total", "why": "the total of all invoices", "file": "report.xlsx",
                 "at": {"label": "Total due"}, "expect": 1234.5}]}

Every check gives a score in [0, 1]. The reward is 0 when any check falls below its `floor`, else the mean of the scores
by weight. A `gate` is a check with floor 1 that counts nothing itself: what the untouched state fulfils already, what
forbids, what unmasks. So an untouched state has 0, and no forger gets a part.

pydantic only: the host imports this file, the rest of the library lives in boxes.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, model_validator

from .language_base import Check, Column, Scalar, Strict
from .language_cells import (
    CellLook,
    CellValue,
    ChartCheck,
    CondFormat,
    DataValidation,
    Formula,
    Metamorphic,
    PivotCheck,
    Preserve,
    RangeTable,
    SheetCheck,
)
from .language_pages import (
    Comments,
    DocField,
    DocTable,
    DocText,
    Notes,
    Outline,
    Overflow,
    PageSetup,
    PdfForm,
    PdfPages,
    PdfTable,
    PdfText,
    Revisions,
    SlideChart,
    Slides,
    SlideTable,
    SlideText,
    TextLook,
)


class Files(Check):
    """Which files lie in a folder (`file` names it): exactly these, or at least these. Names alone are no work."""

    kind: Literal["files"] = "files"
    gate: bool = Field(True, description="must hold, counts nothing")
    required: list[str] = Field(default_factory=list)
    forbid: list[str] = Field(default_factory=list, description="names or patterns as '*.tmp'")
    only: bool = False


class PlainTable(Check):
    """A CSV or TSV file's rows, compared as for `range_table`."""

    kind: Literal["csv_table"] = "csv_table"
    columns: list[Column] = Field(min_length=1)
    key: list[str] = Field(min_length=1)
    rows: list[list[Scalar]]
    order: Literal["any", "exact"] = "any"
    delimiter: str = ","


class PlainText(Check):
    """A text file: words in it, or the whole of it."""

    kind: Literal["text"] = "text"
    contains: list[str] = Field(default_factory=list)
    absent: list[str] = Field(default_factory=list)
    equals: str | None = Field(None, description="the whole text, last line end aside")


class HiddenRun(Strict):
    """One run of a candidate's program on hidden inputs."""

    inputs: dict[str, str] = Field(description="name beside the program -> file in tests/")
    checks: list[AnyCheck] = Field(min_length=1, description="on what it wrote, files relative to where it ran")


class Program(Check):
    """A script of the candidate's (`file`) is run on hidden inputs, as nobody, and what it writes is checked."""

    kind: Literal["program"] = "program"
    command: list[str] = Field(description="as ['/usr/bin/python3', '{file}', 'in.xlsx', 'out.xlsx']")
    runs: list[HiddenRun] = Field(min_length=1)
    timeout_s: float = 30.0


AnyCheck = Annotated[
    CellValue | RangeTable | Formula | Metamorphic | CellLook | CondFormat | DataValidation | ChartCheck | PivotCheck
    | SheetCheck | Preserve | Outline | DocText | DocTable | DocField | Revisions | Comments | TextLook | PageSetup
    | Slides | SlideText | SlideChart | SlideTable | Notes | Overflow | PdfText | PdfTable | PdfForm | PdfPages | Files
    | PlainTable | PlainText | Program,
    Field(discriminator="kind"),
]  # fmt: skip


class Plan(Strict):
    """tests/checks.json."""

    schema_: int = Field(1, alias="schema")
    checks: list[AnyCheck] = Field(min_length=1)

    @model_validator(mode="after")
    def _sound(self) -> Plan:
        ids = [check.id for check in self.checks]
        twice = {id for id in ids if ids.count(id) > 1}
        if twice:
            raise ValueError(f"ids that stand twice: {', '.join(sorted(twice))}")
        if all(check.gate for check in self.checks):
            raise ValueError("only gates: nothing gives a score")
        return self


KINDS: dict[str, type[Check]] = {kind.model_fields["kind"].default: kind for kind in get_args(get_args(AnyCheck)[0])}


def load(text: str | bytes) -> Plan:
    """The plan in `text`, as `Plan.model_validate_json` gives it. Raises ValueError.

    A grading meets few kinds of checks: the validators of all of them take longer to build than many a grading.
    """
    whole = json.loads(text)
    plain = isinstance(whole, dict) and whole.keys() <= {"schema", "checks"} and whole.get("schema", 1) == 1
    checks = whole.get("checks") if plain else None
    known = isinstance(checks, list) and all(isinstance(one, dict) and one.get("kind") in KINDS for one in checks)
    if not checks or not known:
        return Plan.model_validate_json(text)
    read = [KINDS[one["kind"]].model_validate_json(json.dumps(one)) for one in checks]
    return Plan.model_construct(checks=read)._sound()


def schema() -> dict[str, Any]:
    """The JSON Schema of tests/checks.json, as it stands in the brief."""
    return Plan.model_json_schema()
