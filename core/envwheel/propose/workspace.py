"""What lies in a proposer's box, and how its draft gets out of it.

box.put(workspace(...))                          # /workspace/draft, digest, harness, examples, reference
tree = box.get(DRAFT, CAPS)
dropped = lay(tree, DRAFT, folder)               # on the host, as plain files; nothing of it is run there
"""

from __future__ import annotations

import errno
import os
import posixpath
import shutil
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

from envwheel.environment.tree import tree_from_folder
from envwheel.errors import InfraError
from envwheel.sandbox.base import ArchiveCaps, Entry, Tree

WORKSPACE = "/workspace"
DRAFT = f"{WORKSPACE}/draft"
DIGEST = f"{WORKSPACE}/digest"
EXAMPLES = f"{WORKSPACE}/examples"
HARNESS = f"{WORKSPACE}/harness"
REFERENCE = f"{WORKSPACE}/reference"
CAPS = ArchiveCaps(size_mb=32, members=2000)
"""How large a draft may be."""
SHIPPED = ("format.md", "try.py")
"""Files of propose/kit that lie in the reference; `try.py` is called `try` there."""
OURS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)
"""Errors of the host's disk, which are no fault of a draft."""


def workspace(
    draft: Mapping[str, bytes],
    *,
    reference: Mapping[str, bytes],
    digest: Path | None = None,
    examples: Sequence[Path] = (),
    harness: Path | None = None,
) -> Tree:
    """Everything below /workspace; `digest`, `examples` and `harness` are folders of the host."""
    tree = Tree({WORKSPACE: Entry("dir", 0o755)})
    for at, files in ((DRAFT, draft), (REFERENCE, {**reference, **shipped()})):
        tree = tree.merged(files_tree(files, at))
    for at in (f"{DRAFT}/environment/app", DIGEST, EXAMPLES, HARNESS):
        tree = tree.merged(Tree({at: Entry("dir", 0o755)}))
    places = [(digest, DIGEST), (harness, HARNESS), *((one, f"{EXAMPLES}/{one.name}") for one in examples)]
    for folder, at in places:
        if folder is not None:
            tree = tree.merged(tree_from_folder(folder, at))
    return tree


def files_tree(files: Mapping[str, bytes], at: str) -> Tree:
    """`files`, relative path -> content, as a tree below the box path `at`, with the folders above each."""
    entries: dict[str, Entry] = {at: Entry("dir", 0o755)}
    for name, data in files.items():
        path = f"{at}/{name}"
        above = posixpath.dirname(path)
        missing = []
        while above not in entries:
            missing.append(above)
            above = posixpath.dirname(above)
        entries |= {folder: Entry("dir", 0o755) for folder in reversed(missing)}
        entries[path] = Entry("file", 0o755 if data.startswith(b"#!") else 0o644, data)
    return Tree(entries)


def shipped() -> dict[str, bytes]:
    """What core itself puts into the reference: the format and the rehearsal."""
    folder = resources.files("envwheel.propose") / "kit"
    return {name.removesuffix(".py"): (folder / name).read_bytes() for name in SHIPPED}


def lay(tree: Tree, at: str, folder: Path) -> list[str]:
    """Make `folder` of the files below the box path `at`, in place of what was there; a line for each thing left out.

    The folder appears at once. Links are left out (an environment makes its links in setup.sh), as are empty folders,
    which no copy of an environment keeps. Raises InfraError when the host's disk fails.
    """
    dropped = [line.replace(f"{at}/", "", 1) for line in tree.dropped]
    beside = folder.with_name(f".{folder.name[:100]}.part")
    try:
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(parents=True)
        for path, entry in tree.entries.items():
            name = path.removeprefix(at).lstrip("/")
            if fault := _write(beside, name, entry):
                dropped.append(f"{name}: {fault}")
        shutil.rmtree(folder, ignore_errors=True)
        os.rename(beside, folder)
    except OSError as error:
        raise InfraError("disk", f"{folder} cannot be written: {error.strerror}.") from error
    return [line.encode("utf-8", "replace").decode() for line in dropped]


def _write(top: Path, name: str, entry: Entry) -> str:
    """Write one entry; why it is left out, if it is."""
    if entry.kind == "dir":
        return ""
    if entry.kind == "link":
        return "a link; make it in environment/setup.sh"
    if not name.isprintable():  # lone surrogates are not either: they stand for bytes that are no text
        return "its name is no plain text; make it in environment/setup.sh"
    path = top / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(entry.data)
        path.chmod(0o755 if entry.mode & 0o111 else 0o644)
    except OSError as error:
        if error.errno in OURS:
            raise
        return error.strerror or "cannot be written"
    return ""
