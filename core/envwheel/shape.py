"""Does a value hold what a type annotation says? Dataclasses do not check; what a plugin hands over must be checked.

`fault(value, hint, where)` is None when it does, else one line with the path of the first difference:
"families[2].levels: expected tuple, got list".
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any


def fault(value: Any, hint: Any, where: str) -> str | None:
    """The first place where `value` is not a `hint`, or None. Understands what `envwheel.api` is written with."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any or (hint is None and value is None):
        return None
    if origin in (types.UnionType, typing.Union):
        return None if any(fault(value, arg, where) is None for arg in args) else _expected(value, hint, where)
    if origin is typing.Literal:
        return None if value in args else f"{where}: expected one of {', '.join(map(repr, args))}, got {value!r:.60}"
    if hint is float:
        return None if isinstance(value, int | float) and not isinstance(value, bool) else _expected(value, hint, where)
    if (hint is int and isinstance(value, bool)) or not isinstance(value, origin or hint):
        return _expected(value, hint, where)
    if origin in (list, tuple, frozenset):
        return _in_items(value, args, where)
    if origin is Mapping:
        return _in_mapping(value, args, where)
    if origin is not Callable and is_dataclass(value):
        return _in_fields(value, where)
    return None


def _in_items(value: Any, args: tuple[Any, ...], where: str) -> str | None:
    hints = args if args[-1] is not Ellipsis and len(args) > 1 else (args[0],) * len(value)
    if len(hints) != len(value):
        return f"{where}: expected {len(hints)} items, got {len(value)}"
    faults = (fault(item, hint, f"{where}[{i}]") for i, (item, hint) in enumerate(zip(value, hints, strict=True)))
    return next((text for text in faults if text), None)


def _in_mapping(value: Mapping[Any, Any], args: tuple[Any, ...], where: str) -> str | None:
    for key, item in value.items():
        found = fault(key, args[0], f"{where} key {key!r:.40}") or fault(item, args[1], f"{where}[{key!r:.40}]")
        if found:
            return found
    return None


def _in_fields(value: Any, where: str) -> str | None:
    kind: type = type(value)
    hints = _hints(kind)
    faults = (fault(getattr(value, one.name), hints[one.name], f"{where}.{one.name}") for one in fields(value))
    return next((text for text in faults if text), None)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _expected(value: Any, hint: Any, where: str) -> str:
    return f"{where}: expected {_name(hint)}, got {type(value).__name__}"


def _name(hint: Any) -> str:
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        return str(hint)
    return getattr(typing.get_origin(hint) or hint, "__name__", str(hint))
