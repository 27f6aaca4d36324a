"""TOML text of plain data: tables, text, numbers, booleans, dates, arrays. `tomllib.loads(dumps(x)) == x`."""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def dumps(table: Mapping[str, Any]) -> str:
    """`table` as TOML, plain values before sub-tables. Raises ValueError, with the path of what TOML cannot say."""
    return "\n".join(_lines(table, ())).strip("\n") + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    for key, value in table.items():
        if not isinstance(value, Mapping):
            yield f"{_key(key)} = {_value(value, (*path, key))}"
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield f"\n[{'.'.join(_key(part) for part in (*path, key))}]"
            yield from _lines(value, (*path, key))


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise ValueError(f"a TOML key is text, got {key!r}")
    return key if _BARE.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    text.encode()  # a lone surrogate has no TOML
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any, path: tuple[str, ...]) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise ValueError(f"{'.'.join(path)}: {value} does not fit into 64 bits")
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(k)} = {_value(v, (*path, str(k)))}" for k, v in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return "[" + ", ".join(_value(item, path) for item in value) + "]"
    raise ValueError(f"{'.'.join(path)}: TOML has no {type(value).__name__}")
