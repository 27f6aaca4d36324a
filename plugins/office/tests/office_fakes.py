"""Workbooks as records, and a bench that holds records instead of files.

made = book({"Summary": {"A1": "Total", "B1": ("=SUM(Data!A1:A3)", 6)}})
bench = FakeBench({"out.xlsx": made})
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from officekit.bench import Computation
from officekit.model import Cell, Document, Refused, Scalar, Sheet, Style, Workbook

Compute = Callable[[str, Computation, bool], Mapping[str, Scalar]]


class Date(float):
    """A serial that stands in a cell with a date format."""


def cell(value: Any, style: int = 0) -> Cell:
    """A cell of a value, of (formula, value), or of a formula that the engine has to compute."""
    formula = None
    if isinstance(value, str) and value.startswith("="):
        value = (value, None)
    if isinstance(value, tuple):
        formula, value = value
    if isinstance(value, Cell):
        return value
    if value is None:
        return Cell("empty", None, formula, style)
    if isinstance(value, bool):
        return Cell("bool", value, formula, style)
    if isinstance(value, Date):
        return Cell("date", float(value), formula, style)
    if isinstance(value, int | float):
        return Cell("number", float(value), formula, style)
    error = value.startswith("#") and value.endswith(("!", "?", "A"))
    return Cell("error" if error else "text", value, formula, style)


def sheet(name: str, cells: Mapping[str, Any], **more: Any) -> Sheet:
    """A sheet of cells."""
    return Sheet(name, cells={ref: cell(value) for ref, value in cells.items()}, **more)


def book(sheets: Mapping[str, Mapping[str, Any]], **more: Any) -> Workbook:
    """A workbook of sheets of cells; style 0 is the plain one."""
    more.setdefault("styles", [Style()])
    return Workbook([sheet(name, cells) for name, cells in sheets.items()], **more)


def rows(*lines: Sequence[Any], at: str = "A1") -> dict[str, Any]:
    """Cells of lines from `at` on; None leaves a cell out."""
    from officekit import refs

    top, left = refs.place(at)
    return {
        refs.name(top + down, left + across): value
        for down, line in enumerate(lines)
        for across, value in enumerate(line)
        if value is not None
    }


class FakeBench:
    """Documents by name, the candidate's and the environment's own; `compute` answers one computation."""

    def __init__(
        self,
        files: Mapping[str, Document | str],
        ours: Mapping[str, Document] | None = None,
        compute: Compute | None = None,
        folders: Mapping[str, list[str]] | None = None,
    ) -> None:
        self.files, self.ours, self._compute, self.folders = files, ours or {}, compute, folders or {}

    def document(self, file: str) -> Document:
        found = self.files.get(file)
        return found if found is not None and not isinstance(found, str) else Refused(f"{file} is not there")

    def original(self, file: str, *, computed: bool = True) -> Document:
        return self.ours[file]

    def compute(self, file: str, runs: Sequence[Computation], *, ours: bool = False) -> list[dict[str, Scalar]]:
        assert self._compute, "this test computes nothing"
        return [dict(self._compute(file, run, ours)) for run in runs]

    def text(self, file: str) -> str | None:
        found = self.files.get(file)
        return found if isinstance(found, str) else None

    def listing(self, folder: str) -> list[str] | None:
        return self.folders.get(folder)

    def launch(self, file: str, command: Sequence[str], inputs: dict[str, str], timeout_s: float) -> FakeBench:
        raise AssertionError("this test runs nothing")


class Engine:
    """A workbook of records in ironcalc: what a recalculation of its file gives."""

    def __init__(self, made: Workbook) -> None:
        import ironcalc

        self.sheets = {each.name: at for at, each in enumerate(made.sheets)}
        self.model = ironcalc.create("fake", "en", "UTC", "en")
        for at, each in enumerate(made.sheets):
            if at:
                self.model.add_sheet(f"new{at}")
            self.model.rename_sheet(at, each.name)
        for name, target in made.names.items():
            self.model.new_defined_name(name, None, target)
        for each in made.sheets:
            for ref, one in each.cells.items():
                self.put(f"{each.name}!{ref}", one.formula or one.value)
        self.model.evaluate()

    def place(self, address: str) -> tuple[int, int, int]:
        from officekit import refs

        name, ref = refs.split(address)
        return (self.sheets[name], *refs.place(ref))

    def put(self, address: str, value: Scalar) -> None:
        place = self.place(address)
        if isinstance(value, bool):
            self.model.update_cell_with_bool(*place, value)
        elif isinstance(value, int | float):
            self.model.update_cell_with_number(*place, float(value))
        elif isinstance(value, str) and value.startswith("="):
            self.model.set_user_input(*place, value)
        elif isinstance(value, str):
            self.model.update_cell_with_text(*place, value)
        else:
            self.model.clear_cell_contents(*place)

    def get(self, address: str) -> Scalar:
        value: Scalar = self.model.get_cell_value(*self.place(address))
        return value


def solved(made: Workbook) -> Workbook:
    """The workbook with its formulas' values put in by the engine."""
    engine = Engine(made)
    for each in made.sheets:
        for ref, one in each.cells.items():
            if one.formula:
                fresh = cell((one.formula, engine.get(f"{each.name}!{ref}")), one.style)
                one.kind, one.value = fresh.kind, fresh.value
    return made


class EngineBench(FakeBench):
    """A bench of workbooks that computes with ironcalc."""

    def compute(self, file: str, runs: Sequence[Computation], *, ours: bool = False) -> list[dict[str, Scalar]]:
        made = self.ours[file] if ours else self.files[file]
        assert isinstance(made, Workbook)
        answers = []
        for run in runs:
            engine = Engine(made)
            for address, value in [*run.set.items(), *run.type.items()]:
                engine.put(address, value)
            engine.model.evaluate()
            answers.append({address: engine.get(address) for address in run.get})
        return answers
