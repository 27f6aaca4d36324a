"""The files of the proposer's harness: its own notes and scripts, in numbered revisions that the host keeps.

    files, left_out = texts(tree, "/workspace/harness")
    keep(run / "harness" / "001", files)         # a revision as a whole or not at all

A revision is a folder run/harness/NUMBER of plain text files under caps. Which one counts is in revisions.py.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from envwheel.sandbox.base import Tree

MOST_BYTES = 64 << 10
MOST_FILES = 50


def texts(tree: Tree, at: str) -> tuple[dict[str, bytes], list[str]]:
    """The plain text files below the box path `at`, and a line for each thing that is left out."""
    files: dict[str, bytes] = {}
    dropped = [line.replace(f"{at}/", "", 1) for line in tree.dropped]
    for path, entry in sorted(tree.entries.items()):
        name = path.removeprefix(at).lstrip("/")
        if entry.kind == "dir":
            continue
        if entry.kind == "link" or not name.isprintable() or not _is_text(entry.data):
            dropped.append(f"{name}: no plain text file")
        elif len(files) == MOST_FILES or sum(map(len, files.values())) + len(entry.data) > MOST_BYTES:
            dropped.append(f"{name}: over {MOST_FILES} files or {MOST_BYTES >> 10} KiB in all")
        else:
            files[name] = entry.data
    return files, [line.encode("utf-8", "replace").decode() for line in dropped]


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode("utf-8")
    except UnicodeDecodeError:
        return False


def read(folder: Path) -> dict[str, bytes]:
    """The files of a revision; none when it is not there."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def keep(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make `folder` of `files`, in place of what a killed process left there. Raises OSError."""
    beside = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(beside, ignore_errors=True)
    for name, data in files.items():
        path = beside / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o755 if data.startswith(b"#!") else 0o644)
    beside.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    os.rename(beside, folder)


def following(number: str) -> str:
    """The number after `number`."""
    return f"{int(number) + 1:03d}"
