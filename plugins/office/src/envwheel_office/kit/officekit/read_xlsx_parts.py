"""What hangs on a sheet: tables, comments, drawings with charts and pictures, pivot tables. Part of read_xlsx.py."""

from __future__ import annotations

from typing import Any

from . import reference
from .model_cells import Pivot, Sheet, TableObject
from .package import R_ID, Package, child, children, local
from .read_chart import read_chart

VALUES_FIELD = -2
"""Where "the values" stand among a pivot's rows or columns, instead of a field."""


def attach(package: Package, part: str, sheet: Sheet) -> None:
    """Read what belongs to the sheet part `part` into `sheet`."""
    for table in package.related(part, "table"):
        _table(package.xml(table), sheet)
    for comments in package.related(part, "comments"):
        _comments(package.xml(comments), sheet)
    for comments in package.related(part, "threadedComment"):
        _threads(package.xml(comments), sheet)
    for drawing in package.related(part, "drawing"):
        _drawing(package, drawing, sheet)
    for pivot in package.related(part, "pivotTable"):
        caches = package.related(pivot, "pivotCacheDefinition")
        if caches:
            sheet.pivots.append(_pivot(package.xml(pivot), package.xml(caches[0])))


def _table(root: Any, sheet: Sheet) -> None:
    headers = [item.get("name", "") for item in children(child(root, "tableColumns"), "tableColumn")]
    name = root.get("displayName") or root.get("name") or ""
    look = child(root, "tableStyleInfo")
    look_name = look.get("name", "") if look is not None and root.get("headerRowCount") != "0" else ""
    sheet.tables.append(TableObject(name, root.get("ref", ""), headers, look_name))
    own = child(root, "autoFilter")
    if sheet.autofilter is None and own is not None:
        sheet.autofilter = own.get("ref")


def _comments(root: Any, sheet: Sheet) -> None:
    for item in children(child(root, "commentList"), "comment"):
        sheet.comments.setdefault(item.get("ref", ""), "".join(_texts(child(item, "text"))))


def _threads(root: Any, sheet: Sheet) -> None:
    """Threaded comments: what the older part repeats of them is a notice to upgrade."""
    threads: dict[str, list[str]] = {}
    for item in children(root, "threadedComment"):
        text = child(item, "text")
        threads.setdefault(item.get("ref", ""), []).append("" if text is None else text.text or "")
    sheet.comments.update({ref: "\n".join(texts) for ref, texts in threads.items()})


def _texts(element: Any) -> list[str]:
    return [item.text or "" for item in (element.iter() if element is not None else ()) if local(item) == "t"]


def _drawing(package: Package, part: str, sheet: Sheet) -> None:
    targets = package.relations(part)
    for anchor in package.xml(part):
        cell = ""
        start = child(anchor, "from")
        if start is not None:
            row, column = child(start, "row"), child(start, "col")
            cell = reference.name(int(row.text) + 1, int(column.text) + 1)
        for item in anchor.iter():
            name = local(item)
            if name == "pic":
                sheet.pictures += 1
            elif name == "chart" and item.get(R_ID) in targets and targets[item.get(R_ID)].target in package:
                chart = read_chart(package.xml(targets[item.get(R_ID)].target))
                chart.anchor = cell
                sheet.charts.append(chart)


def _pivot(root: Any, cache: Any) -> Pivot:
    fields = [item.get("name", "") for item in children(child(cache, "cacheFields"), "cacheField")]
    source = child(cache, "cacheSource", "worksheetSource")
    where = ""
    if source is not None:
        sheet, area = source.get("sheet"), source.get("ref") or source.get("name", "")
        where = f"{sheet}!{area}" if sheet else area
    location = child(root, "location")

    def named(parent: str, item: str, attribute: str) -> list[str]:
        found = [int(entry.get(attribute) or 0) for entry in children(child(root, parent), item)]
        return [fields[at] for at in found if at != VALUES_FIELD and 0 <= at < len(fields)]

    data = children(child(root, "dataFields"), "dataField")
    return Pivot(
        name=root.get("name", ""),
        location="" if location is None else location.get("ref", ""),
        source=where,
        rows=named("rowFields", "field", "x"),
        columns=named("colFields", "field", "x"),
        values=[
            (fields[int(item.get("fld"))], item.get("subtotal", "sum"))
            for item in data
            if int(item.get("fld") or 0) < len(fields)
        ],
        filters=named("pageFields", "pageField", "fld"),
    )
