"""Files between the host and a box, as tar streams that are never unpacked on the host's disk.

`pack` turns a `Tree` into the tar that goes in; `unpack` reads the tar that comes out, member by member, under caps,
and leaves out whatever could act outside the copied files: devices, FIFOs, links that leave, setuid bits.
"""

from __future__ import annotations

import io
import posixpath
import tarfile
from collections.abc import Iterable, Mapping

from envwheel.errors import InfraError
from envwheel.sandbox.base import ArchiveCaps, ArtifactLimit, Entry, Tree

MEMBER_OVERHEAD = 4096
"""Bytes of headers and padding that a member may cost in the stream on top of its content."""
MAX_LINK_HOPS = 40


def pack(tree: Tree, owner: tuple[int, int] = (0, 0)) -> bytes:
    """`tree` as a tar relative to `/`, everything owned by `owner`, times at zero."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, entry in tree.entries.items():
            name = posixpath.normpath(path).lstrip("/")
            if not path.startswith("/") or not name or ".." in path.split("/"):
                raise ValueError(f"a tree holds absolute paths without `..`, got {path!r}")
            archive.addfile(_header(name, entry, owner), io.BytesIO(entry.data))
    return buffer.getvalue()


def _header(name: str, entry: Entry, owner: tuple[int, int]) -> tarfile.TarInfo:
    header = tarfile.TarInfo(name)
    header.uid, header.gid = owner
    header.mode = entry.mode & 0o777
    if entry.kind == "dir":
        header.type = tarfile.DIRTYPE
    elif entry.kind == "link":
        header.type, header.linkname = tarfile.SYMTYPE, entry.target
    else:
        header.size = len(entry.data)
    return header


class _Capped(io.RawIOBase):
    """A readable over byte chunks that ends with ArtifactLimit once more than `limit` bytes came."""

    def __init__(self, chunks: Iterable[bytes], limit: int, path: str) -> None:
        self._chunks, self._rest, self._left, self._path = iter(chunks), b"", limit, path

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        parts, wanted = [], size if size >= 0 else self._left + 1
        while wanted > 0:
            if not self._rest:
                self._rest = next(self._chunks, b"")
                if not self._rest:
                    break
                self._left -= len(self._rest)
                if self._left < 0:
                    raise ArtifactLimit(f"{self._path}: the archive is over the size cap")
            parts.append(self._rest[:wanted])
            self._rest = self._rest[wanted:]
            wanted -= len(parts[-1])
        return b"".join(parts)


def unpack(chunks: Iterable[bytes], path: str, caps: ArchiveCaps) -> Tree:
    """The tree at absolute `path` of a box from the daemon's tar stream.

    Raises ArtifactLimit over `caps` (apparent size, hard links counted like copies), InfraError for a broken stream.
    """
    limit = caps.size_mb << 20
    stream = _Capped(chunks, limit + caps.members * MEMBER_OVERHEAD + (1 << 20), path)
    entries: dict[str, Entry] = {}
    dropped: list[str] = []
    size = 0
    try:
        with tarfile.open(fileobj=stream, mode="r|", errors="surrogateescape", encoding="utf-8") as archive:
            for count, member in enumerate(archive, 1):
                if count > caps.members:
                    raise ArtifactLimit(f"{path}: more than {caps.members} files and folders")
                where = _place(member.name, path)
                size += member.size if member.isreg() else 0
                if size > limit or member.size < 0:
                    raise ArtifactLimit(f"{path}: more than {caps.size_mb} MiB")
                entry, complaint = _entry(archive, member, where, entries, path)
                if complaint:
                    dropped.append(complaint)
                if entry is not None and where is not None:
                    entries[where] = entry
                    size += len(entry.data) if member.islnk() else 0
                if size > limit:
                    raise ArtifactLimit(f"{path}: more than {caps.size_mb} MiB")
    except (tarfile.TarError, ValueError, EOFError) as error:
        raise InfraError("daemon", f"The archive of {path} broke off or is malformed: {error}.") from error
    return kept_inside(_connected(entries, path), dropped, path)


def _place(name: str, path: str) -> str | None:
    """Where a member called `name` lies in the box; the first component is the last one of `path`. None: nowhere."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts or "\0" in name:
        return None
    root = posixpath.normpath("/" + path.lstrip("/"))
    if root != "/":
        parts = parts[1:]
    return posixpath.join(root, *parts)


def _entry(
    archive: tarfile.TarFile, member: tarfile.TarInfo, where: str | None, seen: Mapping[str, Entry], path: str
) -> tuple[Entry | None, str]:
    """The entry for a member (None: left out) and a line for `Tree.dropped` ("": nothing to say)."""
    if where is None:
        return None, f"{member.name!r}: a name that leaves the archive"
    special = cleared(where) if member.mode & 0o7000 and (member.isreg() or member.islnk()) else ""
    mode = member.mode & 0o777
    if member.isdir():
        return Entry("dir", mode), ""
    if member.issym():
        return Entry("link", 0o777, target=member.linkname), ""
    if member.islnk():
        original = seen.get(_place(member.linkname, path) or "")
        if original is None or original.kind != "file":
            return None, f"{where}: hard link to something that is not here"
        return Entry("file", mode, original.data), special
    if member.isreg():
        source = archive.extractfile(member)
        data = source.read() if source is not None else b""
        if len(data) != member.size:
            raise tarfile.ReadError(f"{where} is cut short")
        return Entry("file", mode, data), special
    return None, special_file(where)


def cleared(where: str) -> str:
    """The line for a file whose special bits were dropped."""
    return f"{where}: setuid, setgid or sticky bit cleared"


def special_file(where: str) -> str:
    """The line for what is no file, folder or link."""
    return f"{where}: device, FIFO or socket"


def _connected(entries: dict[str, Entry], path: str) -> dict[str, Entry]:
    """Only entries whose parents up to `path` are folders of the tree."""
    root = posixpath.normpath("/" + path.lstrip("/"))
    kept: dict[str, Entry] = {}
    for where, entry in sorted(entries.items()):
        parent = kept.get(posixpath.dirname(where))
        if where == root or (parent is not None and parent.kind == "dir") or root == "/" == posixpath.dirname(where):
            kept[where] = entry
    return kept


def kept_inside(entries: Mapping[str, Entry], dropped: list[str], path: str) -> Tree:
    """The tree of `entries` without the links that leave `path`; those are added to `dropped`."""
    root = posixpath.normpath("/" + path.lstrip("/"))
    kept: dict[str, Entry] = {}
    for where, entry in entries.items():
        if entry.kind == "link" and not stays_inside(where, entries, root):
            dropped.append(f"{where}: link to {entry.target!r}, which leaves the artifact")
        else:
            kept[where] = entry
    return Tree(kept, tuple(dropped))


def stays_inside(link: str, entries: Mapping[str, Entry], root: str) -> bool:
    """Whether following `link` through `entries`, step by step as the kernel does, never leaves `root`."""
    here = posixpath.dirname(link)
    todo = list(reversed(_steps(entries[link].target)))
    if entries[link].target.startswith("/"):
        here = "/"
    hops = 1
    while todo:
        step = todo.pop()
        here = posixpath.dirname(here) if step == ".." else posixpath.join(here, step)
        # On the way down from `/` an absolute target passes through the parents of `root`; it may not stop there.
        on_the_way = bool(todo) and step != ".." and (root + "/").startswith(here.rstrip("/") + "/")
        if not _within(here, root) and not on_the_way:
            return False
        entry = entries.get(here)
        if entry is not None and entry.kind == "link":
            hops += 1
            if hops > MAX_LINK_HOPS:
                return False
            todo.extend(reversed(_steps(entry.target)))
            here = "/" if entry.target.startswith("/") else posixpath.dirname(here)
    return _within(here, root)


def _within(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


def _steps(target: str) -> list[str]:
    return [step for step in target.split("/") if step not in ("", ".")]
