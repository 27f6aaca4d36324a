"""A host folder as the `Tree` that is put into a box: solution/ -> /solution, tests/ -> /tests."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from envwheel.sandbox.base import Entry, Tree


def tree_from_folder(folder: Path, at: str) -> Tree:
    """Everything below `folder`, rooted at the absolute box path `at`; modes 755 and 644, links as they are."""
    at = "/" + at.strip("/")
    entries = {at: Entry("dir", 0o755)}
    for root, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(folders) + sorted(files):
            full = os.path.join(root, name)
            entries[f"{at}/{Path(full).relative_to(folder).as_posix()}"] = _entry(full)
    return Tree(entries)


def _entry(path: str) -> Entry:
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode):
        return Entry("link", 0o777, target=os.readlink(path))
    if stat.S_ISDIR(mode):
        return Entry("dir", 0o755)
    return Entry("file", 0o755 if mode & 0o111 else 0o644, Path(path).read_bytes())
