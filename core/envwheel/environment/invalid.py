"""`InvalidTask`, and pydantic's errors as one sentence with a path: `task.toml: $.environment.cpus: expected ...`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from envwheel.errors import EnvwheelError

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

Code = Literal["schema", "unsafe_path"]

_EXPECTED = {
    "int": "int",
    "float": "number",
    "string": "text",
    "bool": "true or false",
    "list": "array",
    "dict": "table",
    "model": "table",
}


class InvalidTask(EnvwheelError):
    """A folder that is no environment which we can run; `code` is the gate's."""

    def __init__(self, code: Code, message: str) -> None:
        self.code: Code = code
        super().__init__(message)


def explain(file: str, error: ValidationError) -> str:
    """Up to three faults of `error` as `FILE: $.path: what was expected, what was found`."""
    seen: dict[str, str] = {}
    for detail in error.errors(include_url=False):
        seen.setdefault(_path(detail), _fault(detail))
    lines = [f"{path}: {fault}" for path, fault in seen.items()]
    more = f"; and {len(lines) - 3} more" if len(lines) > 3 else ""
    return f"{file}: " + "; ".join(lines[:3]) + more


def _path(detail: ErrorDetails) -> str:
    path = "$"
    for part in detail["loc"]:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part not in ("str", "int", "float") and not part.startswith("function-"):  # pydantic's branch of a union
            path += f".{part}"
    return path


def _fault(detail: ErrorDetails) -> str:
    kind, value = detail["type"], _shown(detail["input"])
    context = detail.get("ctx") or {}
    if kind == "missing":
        return "is missing"
    if kind == "literal_error":
        return f"expected {context.get('expected')}, got {value}"
    if kind == "value_error":
        return str(context.get("error", detail["msg"]))
    if kind in ("greater_than", "greater_than_equal"):
        bound = f"more than {context['gt']:g}" if kind == "greater_than" else f"at least {context['ge']:g}"
        return f"expected {bound}, got {value}"
    expected = _EXPECTED.get(kind.split("_")[0])
    if expected and kind.endswith(("_type", "_parsing", "_from_float")):
        return f"expected {expected}, got {value}"
    return f"{detail['msg'][0].lower()}{detail['msg'][1:]}, got {value}"


def _shown(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return text if len(text) <= 60 else text[:57] + "..."
