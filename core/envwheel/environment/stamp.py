"""What the host adds to a folder that a model wrote: the kit, and who made it for what.

    stamp(folder, domain="swe", skills=("git",), level=2, proposer="terminal", kit=domains.kit("swe"), extra={...})

The folder is data: nothing of it is run, and no link in it is followed.
"""

from __future__ import annotations

import os
import shutil
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from envwheel import api
from envwheel.environment import toml
from envwheel.version import __version__

GENERATORS = ("family", "seed", "params")
"""What only a generator may say of its environments; a model may have copied it from an example."""
FILE_LIMIT = 1 << 20
"""Bytes of a task.toml that is worth reading."""


def stamp(
    folder: Path,
    *,
    domain: str,
    skills: Sequence[str],
    level: int,
    proposer: str,
    kit: Sequence[api.KitFile],
    extra: Mapping[str, Any] = api.EMPTY,
) -> None:
    """Put the kit into tests/kit/ and write [metadata.envwheel] of task.toml, over whatever is there.

    `extra` goes into that table too. A task.toml that is no TOML stays as it is: the gate says so. Raises OSError.
    """
    for name, data in kit_files(kit):
        _write(folder, f"tests/kit/{name}", data)
    own = {"schema": 1, "version": __version__, "domains": [domain], "proposer": proposer, "level": level}
    text = _stamped(folder / "task.toml", {**own, "skills": list(skills), **extra})
    if text is not None:
        _write(folder, "task.toml", text.encode())


def kit_files(kit: Sequence[api.KitFile]) -> Iterator[tuple[str, bytes]]:
    """What lies in tests/kit/: the core's own files and those of the domain, as (relative path, content)."""
    for item in kit:
        yield item.target, item.source.read_bytes()
    for source in (resources.files("envwheel.environment") / "kit").iterdir():
        if source.name.endswith(".py"):
            yield source.name, source.read_bytes()


def _stamped(path: Path, own: Mapping[str, Any]) -> str | None:
    """The text of task.toml with `own`; None when it is no task.toml that could be changed."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size > FILE_LIMIT:
        return None
    try:
        table = tomllib.loads(path.read_text("utf-8"))
        metadata = table.setdefault("metadata", {})
        if not isinstance(metadata, dict):
            return None
        said = metadata.get("envwheel")
        kept = {key: value for key, value in said.items() if key not in GENERATORS} if isinstance(said, dict) else {}
        metadata["envwheel"] = {**kept, **own}
        return toml.dumps(table)
    except (ValueError, RecursionError):  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        return None


def _write(folder: Path, name: str, data: bytes) -> None:
    """Write `name` below `folder`; what stands in the way (a link, a file in place of a folder) is removed."""
    path = folder
    for part in name.split("/")[:-1]:
        path /= part
        if path.is_symlink() or (path.exists() and not path.is_dir()):
            path.unlink()
        path.mkdir(exist_ok=True)
    path = folder / name
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        path.unlink()
    path.write_bytes(data)
    path.chmod(0o755 if data.startswith(b"#!") else 0o644)
