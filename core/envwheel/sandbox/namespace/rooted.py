"""Files of a box seen from the host, below one open folder that nothing can lead out of.

Paths are resolved by the kernel inside that folder (`openat2`), so that a link or a race of the box ends where it would
end inside. Only regular files are ever opened; what could act elsewhere is left out, with the same words as for a
daemon's archive (`transfer.py`).
"""

from __future__ import annotations

import contextlib
import errno
import os
import posixpath
import shutil
import stat

from envwheel.sandbox.base import ArchiveCaps, ArtifactLimit, Entry, Tree
from envwheel.sandbox.kernel import BENEATH, NO_LINKS, open_in
from envwheel.sandbox.transfer import cleared, kept_inside, special_file

FOLDER = os.O_PATH | os.O_DIRECTORY
ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG)


def put(root: int, tree: Tree, owner: tuple[int, int]) -> None:
    """Write `tree` below `root`. A link or file in the place of a folder of `tree` is replaced, not followed."""
    for path, entry in tree.entries.items():
        name = posixpath.normpath(path).lstrip("/")
        if not path.startswith("/") or not name or ".." in path.split("/"):
            raise ValueError(f"a tree holds absolute paths without `..`, got {path!r}")
        folder, base = posixpath.split(name)
        parent = _made(root, folder)
        try:
            _write(parent, base, entry, owner)
        finally:
            os.close(parent)


def _made(root: int, path: str, owner: tuple[int, int] = (0, 0)) -> int:
    """The folder `path`, made with its parents where it is missing."""
    try:
        return open_in(root, path, FOLDER)
    except FileNotFoundError:
        folder, base = posixpath.split(path)
        parent = _made(root, folder, owner)
        try:
            with contextlib.suppress(FileExistsError):
                os.mkdir(base, 0o755, dir_fd=parent)
                os.chown(base, *owner, dir_fd=parent, follow_symlinks=False)
        finally:
            os.close(parent)
        return open_in(root, path, FOLDER)


def make_folder(root: int, path: str, owner: tuple[int, int] = (0, 0)) -> None:
    """Make the folder `path` with its parents where it is missing. What is in its way stays."""
    with contextlib.suppress(OSError):
        os.close(_made(root, posixpath.normpath("/" + path).lstrip("/"), owner))


def _write(parent: int, name: str, entry: Entry, owner: tuple[int, int]) -> None:
    _clear(parent, name, keep_folder=entry.kind == "dir")
    if entry.kind == "link":
        os.symlink(os.fsencode(entry.target), os.fsencode(name), dir_fd=parent)
        os.chown(os.fsencode(name), *owner, dir_fd=parent, follow_symlinks=False)
        return
    if entry.kind == "dir":
        with contextlib.suppress(FileExistsError):
            os.mkdir(os.fsencode(name), 0o700, dir_fd=parent)
        made = open_in(parent, name, os.O_RDONLY | os.O_DIRECTORY, resolve=BENEATH | NO_LINKS)
    else:
        made = open_in(parent, name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, resolve=BENEATH | NO_LINKS)
    try:
        if entry.kind == "file":
            _fill(made, entry.data)
        os.fchown(made, *owner)
        os.fchmod(made, entry.mode & 0o777)
        os.utime(made, (0, 0))
    finally:
        os.close(made)


def _fill(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _clear(parent: int, name: str, *, keep_folder: bool) -> None:
    try:
        seen = os.lstat(os.fsencode(name), dir_fd=parent)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(seen.st_mode):
        os.unlink(os.fsencode(name), dir_fd=parent)
    elif not keep_folder:
        shutil.rmtree(os.fsencode(name), dir_fd=parent)


def get(root: int, path: str, caps: ArchiveCaps) -> Tree | None:
    """The file or folder at `path`, links on the way followed inside `root`; None when it is not there.

    Raises ArtifactLimit over `caps` (apparent size, hard links counted like copies).
    """
    top = posixpath.normpath("/" + path.lstrip("/"))
    folder, name = posixpath.split(top)
    try:
        parent = open_in(root, folder.lstrip("/"), FOLDER)
    except OSError as error:
        if error.errno in ABSENT:
            return None
        raise
    try:
        walk = _Walk(parent, name or ".", top, caps)
        return walk.tree() if walk.there else None
    finally:
        os.close(parent)


class _Walk:
    """Copies one tree. Every file is opened from the top folder anew, along no link, so that depth costs nothing."""

    def __init__(self, parent: int, name: str, top: str, caps: ArchiveCaps) -> None:
        self._parent, self._name, self._top, self._caps = parent, name, top, caps
        self._entries: dict[str, Entry] = {}
        self._dropped: list[str] = []
        self._left = caps.size_mb << 20
        self.there = self._add("")

    def tree(self) -> Tree:
        """Everything below the top."""
        todo = [""] if self._entry("") == "dir" else []
        while todo:
            below = todo.pop()
            for name in self._names(below):
                inside = posixpath.join(below, name)
                if self._add(inside) and self._entry(inside) == "dir":
                    todo.append(inside)
        return kept_inside(self._entries, self._dropped, self._top)

    def _entry(self, inside: str) -> str:
        entry = self._entries.get(self._place(inside))
        return entry.kind if entry else ""

    def _place(self, inside: str) -> str:
        return posixpath.join(self._top, inside) if inside else self._top

    def _open(self, inside: str, flags: int) -> int:
        path = posixpath.join(self._name, inside) if inside else self._name
        return open_in(self._parent, path, flags, resolve=BENEATH | NO_LINKS)

    def _names(self, inside: str) -> list[str]:
        try:
            folder = self._open(inside, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            return []
        names: list[str] = []
        try:
            with os.scandir(folder) as found:
                for one in found:
                    names.append(one.name)
                    if len(names) + len(self._entries) > self._caps.members:
                        raise ArtifactLimit(f"{self._top}: more than {self._caps.members} files and folders")
        finally:
            os.close(folder)
        return sorted(names)

    def _add(self, inside: str) -> bool:
        """Take in what is at `inside`; False when it is not there (any more)."""
        where = self._place(inside)
        if len(self._entries) >= self._caps.members:
            raise ArtifactLimit(f"{self._top}: more than {self._caps.members} files and folders")
        try:
            seen = self._open(inside, os.O_PATH | os.O_NOFOLLOW)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                self._dropped.append(f"{where[:200]}...: a path too long to name")
                return False
            if error.errno in (*ABSENT, errno.EXDEV):
                return False
            raise
        try:
            self._take(seen, os.fstat(seen), where)
        finally:
            os.close(seen)
        return True

    def _take(self, descriptor: int, seen: os.stat_result, where: str) -> None:
        mode = seen.st_mode & 0o777
        if stat.S_ISDIR(seen.st_mode):
            self._entries[where] = Entry("dir", mode)
        elif stat.S_ISLNK(seen.st_mode):
            self._entries[where] = Entry("link", 0o777, target=os.fsdecode(os.readlink(b"", dir_fd=descriptor)))
        elif stat.S_ISREG(seen.st_mode):
            if seen.st_mode & 0o7000:
                self._dropped.append(cleared(where))
            self._entries[where] = Entry("file", mode, self._read(descriptor, seen.st_size))
        else:
            self._dropped.append(special_file(where))

    def _read(self, descriptor: int, size: int) -> bytes:
        if size > self._left:
            raise ArtifactLimit(f"{self._top}: more than {self._caps.size_mb} MiB")
        # The same file again, whatever its name means by now.
        with open(f"/proc/self/fd/{descriptor}", "rb") as file:
            data = file.read(self._left + 1)
        self._left -= len(data)
        if self._left < 0:
            raise ArtifactLimit(f"{self._top}: more than {self._caps.size_mb} MiB")
        return data


def text(root: int, path: str, limit: int = 1 << 20) -> str:
    """The start of the regular file at `path`, links followed inside `root`; empty when there is none."""
    try:
        seen = open_in(root, path.lstrip("/"), os.O_PATH)
    except OSError:
        return ""
    try:
        if not stat.S_ISREG(os.fstat(seen).st_mode):
            return ""
        with open(f"/proc/self/fd/{seen}", "rb") as file:
            return file.read(limit).decode("utf-8", "replace")
    finally:
        os.close(seen)
