"""The content hash of an environment folder."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

EVIDENCE = "evidence.json"


def tree_sha256(path: Path) -> str:
    """Hash over relative paths, bytes, executable bits and link targets; evidence.json at the top is left out.

    Other permission bits, times, owners and empty folders do not count, so that a copy or a checkout has the same hash.
    """
    digest = hashlib.sha256()
    for name in sorted(_names(os.fsencode(path))):
        full = os.path.join(os.fsencode(path), name)
        info = os.lstat(full)
        if stat.S_ISLNK(info.st_mode):
            kind, data = b"link", os.readlink(full)
        else:
            kind = b"program" if info.st_mode & 0o100 else b"file"
            with open(full, "rb") as file:
                data = file.read()
        digest.update(b"%s\0%s\0%d\0%s" % (name, kind, len(data), data))
    return digest.hexdigest()


def _names(top: bytes) -> list[bytes]:
    names = []
    for root, folders, files in os.walk(top):
        names += [os.path.join(root, name) for name in files]
        names += [os.path.join(root, name) for name in folders if os.path.islink(os.path.join(root, name))]
    return [name for full in names if (name := os.path.relpath(full, top)) != EVIDENCE.encode()]
