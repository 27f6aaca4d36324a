"""Wrong records: a table or map of the reference with one entry left out, or with two values exchanged.

    dropped("/app/totals.json", data)       # without its last entry
    exchanged("/app/totals.json", data)     # two keys with each other's values

A verifier that adds up the values, or that looks only at the entries that are there, takes these for the work. Only
what is a collection of like things is touched: a JSON object whose values are of one simple kind, a JSON list of like
items, the rows of a table. Both give None where the data is none.
"""

from __future__ import annotations

import json
from typing import Any

TABLES = (".csv", ".tsv")


def dropped(path: str, data: bytes) -> bytes | None:
    """`data` without its last entry, where it has three and more."""
    if path.endswith(TABLES):
        lines = data.splitlines(keepends=True)
        return b"".join(lines[:-1]) if len(lines) > 3 else None
    value = _collection(path, data)
    if isinstance(value, dict):
        return _written(dict(list(value.items())[:-1]))
    return _written(value[:-1]) if isinstance(value, list) else None


def exchanged(path: str, data: bytes) -> bytes | None:
    """`data` with two different values in each other's place: of a JSON object, or in the last column of a table."""
    if path.endswith(TABLES):
        return _exchanged_cells(data, b"\t" if path.endswith(".tsv") else b",")
    value = _collection(path, data)
    if not isinstance(value, dict):
        return None
    first, second = _two(list(value.values()))
    if first is None or second is None:
        return None
    keys = list(value)
    value[keys[first]], value[keys[second]] = value[keys[second]], value[keys[first]]
    return _written(value)


def _exchanged_cells(data: bytes, comma: bytes) -> bytes | None:
    lines = data.splitlines()
    if len(lines) < 3 or b'"' in data or len({line.count(comma) for line in lines}) != 1 or comma not in lines[0]:
        return None
    heads, cells = zip(*(line.rsplit(comma, 1) for line in lines[1:]), strict=True)
    first, second = _two(list(cells))
    if first is None or second is None or heads[first] == heads[second]:
        return None
    swapped = list(cells)
    swapped[first], swapped[second] = cells[second], cells[first]
    rows = [comma.join(pair) for pair in zip(heads, swapped, strict=True)]
    return b"\n".join([lines[0], *rows]) + b"\n"


def _two(values: list[Any]) -> tuple[int | None, int | None]:
    """Places of the first value and of the first that differs from it."""
    other = next((number for number, value in enumerate(values) if value != values[0]), None)
    return (0, other) if values else (None, None)


def _collection(path: str, data: bytes) -> dict[str, Any] | list[Any] | None:
    """The JSON object or list of three and more like things in `data`."""
    try:
        value = json.loads(data) if path.endswith(".json") else None
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict) and len(value) > 2 and len({type(item) for item in value.values()}) == 1:
        return value if isinstance(next(iter(value.values())), int | float | str) else None
    if isinstance(value, list) and len(value) > 2 and len({_shape(item) for item in value}) == 1:
        return value
    return None


def _shape(item: Any) -> Any:
    return tuple(item) if isinstance(item, dict) else type(item)


def _written(value: Any) -> bytes:
    return json.dumps(value, indent=1).encode() + b"\n"
