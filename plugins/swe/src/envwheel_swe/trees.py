"""Expectations for the checker kit/checks/tree.py, and bash that lays out links and modes in a fixture."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

Entry = dict[str, Any]


def file(content: str | bytes, **more: Any) -> Entry:
    """A file with exactly this content; `more` may hold mode, allow, deny."""
    data = content.encode() if isinstance(content, str) else content
    return {"sha256": hashlib.sha256(data).hexdigest(), **more}


def link(to: str, relative: bool = False) -> Entry:
    """A symbolic link to the path `to` below the root, written absolutely or relatively, or only relatively."""
    return {"link": to, "relative": relative}


def folder(**more: Any) -> Entry:
    """A folder."""
    return {"folder": True, **more}


def tree(root: str, entries: Mapping[str, Entry], **more: Any) -> dict[str, Any]:
    """What expect.json holds; `more`: exact, folders_exact, absent."""
    return {"root": root, "entries": dict(entries), **more}


def make_links(links: Mapping[str, str] | Iterable[tuple[str, str]]) -> str:
    """Bash that makes symbolic links: path in /app -> what is written into it."""
    pairs = links.items() if isinstance(links, Mapping) else links
    return "".join(f"ln -s {shlex.quote(target)} {shlex.quote(path)}\n" for path, target in pairs)


def make_modes(modes: Mapping[str, str]) -> str:
    """Bash that sets modes: path in /app -> octal mode, the deepest paths first."""
    ordered = sorted(modes.items(), key=lambda item: -item[0].count("/"))
    return "".join(f"chmod {mode} {shlex.quote(path)}\n" for path, mode in ordered)
