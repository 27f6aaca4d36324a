"""Judges of what a workbook is made of: sheets and their state, native charts, native pivot tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from . import find, refs
from .bench import FULL, Bench, Score
from .equal import fold, same
from .language_cells import ChartCheck, PivotCheck, SheetCheck
from .model import Chart, Pivot, Series, Sheet, Workbook
from .words import count, quote

Wish = tuple[float, str]
"""How far a wish is fulfilled, and what is missing."""


def _share(wishes: Sequence[Wish]) -> Score:
    lost = [reason for value, reason in wishes if value < 1]
    return Score(sum(value for value, _ in wishes) / len(wishes), "; ".join(lost)) if wishes else FULL


def sheet(check: SheetCheck, bench: Bench) -> Score:
    """A sheet's properties: the share of the wanted ones. In another state it has nothing."""
    book = find.workbook(bench, check.file)
    found = book.sheet(check.sheet)
    if check.state == "absent":
        return FULL if found is None else Score(0.0, f"the sheet {found.name!r} is still there")
    if found is None:
        return Score(0.0, f"there is no sheet {check.sheet!r}")
    if found.state != check.state:
        return Score(0.0, f"the sheet {found.name!r} is {found.state}, not {check.state}")
    return _share([*_place(check, book, found), *_settings(check, found), *_names(check, book)])


def _place(check: SheetCheck, book: Workbook, found: Sheet) -> list[Wish]:
    if check.position is None:
        return []
    tabs = find.shown(book) if found.state == "visible" else book.sheets
    at = 1 + [each is found for each in tabs].index(True)
    return [(float(at == check.position), f"it is tab {at}, not {check.position}")]


def _settings(check: SheetCheck, found: Sheet) -> list[Wish]:
    wishes: list[Wish] = []
    if check.freeze is not None:
        right = (found.freeze or "A1").upper() == (check.freeze or "A1").upper()
        wishes.append((float(right), f"its first cell that scrolls is {found.freeze or 'A1'}, not {check.freeze}"))
    for name, asked, is_ in (
        ("filter", check.autofilter, found.autofilter is not None),
        ("protection", check.protected, found.protected),
    ):
        if asked is not None:
            wishes.append((float(is_ == asked), f"it has {'no' if asked else 'a'} {name}"))
    if check.merged is not None:
        merged, wanted_merges = (
            {text.replace("$", "").upper() for text in each} for each in (found.merges, check.merged)
        )
        total = len(merged) + len(wanted_merges)
        value = 2 * len(merged & wanted_merges) / total if total else 1.0
        wishes.append((value, f"merged are {', '.join(sorted(merged)) or 'no cells'}"))
    if check.table is not None:
        wanted_headers = {fold(header) for header in check.table}
        there = any(wanted_headers <= {fold(header) for header in table.headers} for table in found.tables)
        wishes.append((float(there), f"no native table on it has the headers {', '.join(check.table)}"))
    return wishes


def _names(check: SheetCheck, book: Workbook) -> list[Wish]:
    wishes: list[Wish] = []
    for name, target in check.names.items():
        known = find.named(book, name)
        right = known is not None and _same_area(known, target, check.sheet)
        meaning = f"means {known}, not {target}" if known is not None else "is not defined"
        wishes.append((float(right), f"the name {name!r} {meaning}"))
    return wishes


def _same_area(one: str, other: str, default: str) -> bool:
    try:
        areas = [refs.area(text) for text in (one, other)]
    except ValueError:
        return fold(one) == fold(other)
    first, second = (area._replace(sheet=fold(area.sheet or default)) for area in areas)
    return first == second


def chart(check: ChartCheck, bench: Bench) -> Score:
    """The chart that comes nearest: the mean of its series' share, its type, title and categories; 0 without series."""
    book = find.workbook(bench, check.file)
    charts = [(sheet, chart) for sheet in find.shown(book, check.sheet) for chart in sheet.charts]
    if not charts:
        return Score(0.0, f"there is no native chart{f' on {check.sheet!r}' if check.sheet else ''}")
    return max((_chart(check, book, *each) for each in charts), key=lambda score: score.value)


def _chart(check: ChartCheck, book: Workbook, sheet: Sheet, found: Chart) -> Score:
    where = f"the chart at {sheet.name}!{found.anchor}"
    left = list(found.series)
    missing = []
    problem = ""
    for wanted in check.series:
        match = next((each for each in left if _shows(each, wanted)), None)
        why = _unlinked(check, book, sheet, match) if match else ""
        if match is None or why:
            missing.append(wanted)
            problem = problem or why
        else:
            left.remove(match)
    right = len(check.series) - len(missing)
    if not right:
        first = ", ".join(f"{value:g}" for value in check.series[0][:6])
        return Score(0.0, f"{where} {problem or f'has no series with the values {first}'}")
    wishes: list[Wish] = [
        (2 * right / (len(check.series) + len(found.series)), f"{where} has {len(missing)} of the series not, "
         f"and {len(left)} others" + (f" ({problem})" if problem else "")),
    ]  # fmt: skip
    if check.type != "any":
        wishes.append((float(found.kind == check.type), f"{where} is a {found.kind} chart, not {check.type}"))
    if check.title is not None:
        wishes.append((float(count(found.title, check.title) > 0), f"{where} has the title {quote(found.title)}"))
    if check.categories is not None:
        there = any(_categories(series, check.categories) for series in found.series)
        wishes.append((float(there), f"{where} has other categories: {', '.join(found.series[0].categories[:4])}"))
    return _share(wishes)


def _shows(series: Series, wanted: list[float]) -> bool:
    return len(series.values) == len(wanted) and all(
        same(value, item, "number") for value, item in zip(series.values, wanted, strict=True)
    )


def _categories(series: Series, wanted: list[str]) -> bool:
    return len(series.categories) == len(wanted) and all(
        same(value, item, "any") for value, item in zip(series.categories, wanted, strict=True)
    )


def _unlinked(check: ChartCheck, book: Workbook, sheet: Sheet, series: Series) -> str:
    """Why a series' numbers do not come from cells that are seen."""
    if not check.linked:
        return ""
    if not series.values_ref:
        return "holds typed numbers, no reference to cells"
    try:
        at, area = find.area(book, series.values_ref, sheet.name)
    except find.NotFound:
        return ""  # a name, or several areas: its values were resolved
    hidden = [row for row in at.hidden_rows if area.top <= row <= area.bottom]
    hidden += [column for column in at.hidden_columns if area.left <= column <= area.right]
    return f"points at hidden cells ({series.values_ref})" if hidden else ""


def pivot(check: PivotCheck, bench: Bench) -> Score:
    """The pivot table that comes nearest: the share of the wanted fields, values and source."""
    book = find.workbook(bench, check.file)
    pivots = [(sheet, each) for sheet in find.shown(book) for each in sheet.pivots]
    if not pivots:
        return Score(0.0, "there is no native pivot table that can be seen")
    return max((_pivot(check, book, *each) for each in pivots), key=lambda score: score.value)


def _pivot(check: PivotCheck, book: Workbook, sheet: Sheet, found: Pivot) -> Score:
    where = f"the pivot table at {sheet.name}!{found.location}"
    wishes: list[Wish] = []
    for name, wanted, there in (("rows", check.rows, found.rows), ("columns", check.columns, found.columns)):
        if wanted or there:
            right = [fold(item) for item in wanted] == [fold(item) for item in there]
            wishes.append((float(right), f"{where} has the {name} {', '.join(there) or 'of no field'}"))
    if check.values:
        values, others = (
            Counter((fold(field), fold(how)) for field, how in each) for each in (check.values, found.values)
        )
        value = 2 * (values & others).total() / (values.total() + others.total())
        shown = ", ".join(f"{how} of {name}" for name, how in found.values) or "nothing"
        wishes.append((value, f"{where} shows {shown}"))
    if check.source is not None:
        wishes.append((float(_source(check.source, book, found)), f"{where} reads {found.source}"))
    return _share(wishes)


def _source(wanted: str, book: Workbook, found: Pivot) -> bool:
    """Whether a pivot reads a range, or a table or name that covers it."""
    tables = {fold(table.name): f"{sheet.name}!{table.ref}" for sheet in book.sheets for table in sheet.tables}
    text = tables.get(fold(found.source)) or find.named(book, found.source) or found.source
    wanted = tables.get(fold(wanted)) or find.named(book, wanted) or wanted
    try:
        one, other = refs.area(text), refs.area(wanted)
    except ValueError:
        return fold(text) == fold(wanted)
    return fold(one.sheet) == fold(other.sheet) and one.covers(other)
