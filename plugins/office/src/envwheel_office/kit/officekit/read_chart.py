"""A native chart (DrawingML) as a record; workbooks, slides and text documents all have the same kind.

What a chart holds itself of referenced cells is a cache. In a workbook resolve.py fills the values from the cells; in
slides and text documents the cache is what is shown, and `cached=True` reads it.
"""

from __future__ import annotations

from typing import Any

from .model_cells import Chart, Series
from .package import child, children, local, truth
from .reference import plain

KINDS = {"lineChart": "line", "line3DChart": "line", "pieChart": "pie", "pie3DChart": "pie", "ofPieChart": "pie",
         "doughnutChart": "doughnut", "areaChart": "area", "area3DChart": "area", "scatterChart": "scatter",
         "bubbleChart": "bubble", "radarChart": "radar"}  # fmt: skip
MAX_POINTS = 100_000


def read_chart(root: Any, *, cached: bool = False) -> Chart:
    """The chart of a chartSpace element."""
    chart = child(root, "chart")
    area = child(chart, "plotArea")
    plots = [] if area is None else [item for item in area if local(item).endswith("Chart")]
    kinds = [_kind(plot) for plot in plots]
    grouping = [child(plot, "grouping") for plot in plots]
    horizontal, vertical = _axis_titles(area)
    return Chart(
        kind=kinds[0] if kinds else "other",
        title=_title(child(chart, "title")),
        series=[_series(item, cached) for plot in plots for item in children(plot, "ser")],
        x_title=horizontal,
        y_title=vertical,
        stacked=any(item is not None and "tacked" in item.get("val", "") for item in grouping),
    )


def _kind(plot: Any) -> str:
    name = local(plot)
    if name in ("barChart", "bar3DChart"):
        direction = child(plot, "barDir")
        return "bar" if direction is not None and direction.get("val") == "bar" else "column"
    return KINDS.get(name, "other")


def _title(element: Any) -> str:
    """A title's text; where it points at a cell "=Sheet!$A$1", until resolve.py looks there."""
    if element is None:
        return ""
    pointer = child(element, "tx", "strRef", "f")
    if pointer is not None:
        return "=" + plain(pointer.text or "")
    rich = child(element, "tx", "rich")
    lines = ["".join(item.text or "" for item in line.iter() if local(item) == "t") for line in children(rich, "p")]
    return "\n".join(lines).strip()


def _axis_titles(area: Any) -> tuple[str, str]:
    """The titles of the horizontal and the vertical axis: the category axis first, then by where values stand."""
    axes = [item for item in area if local(item) in ("catAx", "dateAx", "valAx", "serAx")] if area is not None else []
    shown = [axis for axis in axes if not _deleted(axis)]
    category = [axis for axis in shown if local(axis) in ("catAx", "dateAx")]
    values = [axis for axis in shown if local(axis) == "valAx"]
    if not category and len(values) > 1:
        category, values = values[:1], values[1:]
    titles = [_title(child(group[0], "title")) if group else "" for group in (category, values)]
    return titles[0], titles[1]


def _deleted(axis: Any) -> bool:
    element = child(axis, "delete")
    return element is not None and truth(element.get("val"), True)


def _series(element: Any, cached: bool) -> Series:
    name, pointer = child(element, "tx", "v"), child(element, "tx", "strRef", "f")
    series = Series(name="" if name is None else name.text or "")
    if pointer is not None:
        series.name_ref = plain(pointer.text or "")
        if cached:
            series.name = " ".join(_points(child(element, "tx", "strRef", "strCache")))
    for item in element:
        if local(item) in ("cat", "xVal"):
            series.categories_ref, series.categories = _data(item, cached)
        elif local(item) in ("val", "yVal"):
            series.values_ref, texts = _data(item, cached)
            series.values = [_number(text) for text in texts]
    return series


def _data(element: Any, cached: bool) -> tuple[str, list[str]]:
    """(reference, texts) of a cat, val, xVal or yVal element: typed points always, cached ones when asked."""
    for holder in element:
        pointer = child(holder, "f")
        if pointer is None:
            return "", _points(holder)
        caches = [item for item in holder if local(item).endswith("Cache")]
        return plain(pointer.text or ""), _points(caches[0]) if cached and caches else []
    return "", []


def _points(cache: Any) -> list[str]:
    """The points of a cache or literal in their places; what lacks is "". Several levels: the innermost."""
    levels = children(cache, "lvl")
    holder = levels[0] if levels else cache
    count = child(cache, "ptCount")
    found = {int(item.get("idx") or 0): child(item, "v").text or "" for item in children(holder, "pt")}
    size = max([*found, -1]) + 1 if count is None else int(count.get("val") or 0)
    return [found.get(at, "") for at in range(min(size, MAX_POINTS))]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
