"""Hidden runs for the checker kit/checks/program.py."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any


def encoded(data: str | bytes) -> str:
    """Base64 of text (as UTF-8) or bytes, for JSON."""
    return base64.b64encode(data.encode() if isinstance(data, str) else data).decode("ascii")


def case(
    id: str,
    args: Sequence[str] = (),
    *,
    stdin: str | bytes = "",
    files: Mapping[str, str | bytes] | None = None,
    after: Mapping[str, str | bytes | None] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """One run: `files` lie in its folder, `after` must lie there when it is over (None: must be gone).

    `more`: out (exact standard output), code (0), modes and after_modes (path -> octal), only (no other files).
    """
    return {
        "id": id,
        "args": list(args),
        "stdin": encoded(stdin),
        "files": {name: encoded(data) for name, data in (files or {}).items()},
        "after": {name: None if data is None else encoded(data) for name, data in (after or {}).items()},
        **more,
    }


def program(artifact: str, cases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What expect.json holds for a program in Python (.py) or bash."""
    interpreter = "/usr/bin/python3" if artifact.endswith(".py") else "/bin/bash"
    return {"artifact": artifact, "argv": [interpreter, artifact], "cases": list(cases)}
