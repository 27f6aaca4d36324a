"""Looking at artifacts: part of `grade`. No function here follows a link or trusts a size, a type or an encoding."""

from __future__ import annotations

import json
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def read_bytes(path: str, limit: int = 1_000_000) -> bytes | None:
    """The content of a regular file of at most `limit` bytes with no link on the way to it, else None."""
    try:
        fd = _open(path)
    except (OSError, ValueError):
        return None
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode) or info.st_size > limit:
            return None
        with open(fd, "rb", closefd=False) as file:
            return file.read(limit)
    finally:
        os.close(fd)


def _open(path: str) -> int:
    """A descriptor of what lies at `path`; OSError when any part of the path is a link."""
    at = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    for part in filter(None, os.path.abspath(path).split("/")):
        try:
            below = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)
        finally:
            os.close(at)
        at = below
    return at


def read_text(path: str, limit: int = 1_000_000) -> str | None:
    """The text of a plain, valid UTF-8 file without NULs, else None."""
    data = read_bytes(path, limit)
    try:
        return None if data is None or b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return None


def load_json(path: str, limit: int = 1_000_000, depth: int = 60) -> Any:
    """The value in a plain JSON file (no NaN or Infinity, nested at most `depth` deep), else None."""

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        value = json.loads(read_text(path, limit) or "", parse_constant=refuse)
    except (ValueError, RecursionError):
        return None
    level = [value]
    for _ in range(depth):
        nested = [v.values() if isinstance(v, dict) else v for v in level if isinstance(v, (dict, list))]
        level = [item for items in nested for item in items]
        if not level:
            return value
    return None


def plain_file(path: str, limit: int = 1_000_000) -> bool:
    """True for a regular file (it may be empty) of at most `limit` bytes with no link on the way to it."""
    return read_bytes(path, limit) is not None


def plain_tree(path: str, limit: int = 5_000_000, links: bool = False, members: int = 20_000) -> bool:
    """True for a real folder of at most `limit` bytes with nothing but folders, regular files and, if wanted, links."""
    try:
        os.close(_open(path))
        for root, folders, files in os.walk(os.path.join(path, ""), onerror=_raise):
            for name in folders + files:
                info = os.lstat(os.path.join(root, name))
                members -= 1
                limit -= info.st_size if stat.S_ISREG(info.st_mode) else 0
                kinds = (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK) if links else (stat.S_IFREG, stat.S_IFDIR)
                if stat.S_IFMT(info.st_mode) not in kinds or limit < 0 or members < 0:
                    return False
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except (OSError, ValueError, RecursionError):
        return False


def _raise(error: OSError) -> None:
    raise error


def mode(path: str) -> int | None:
    """Permission bits of what lies at `path` itself (a link is not followed); None when nothing does."""
    try:
        return stat.S_IMODE(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return None


def owner(path: str) -> tuple[int, int] | None:
    """User and group id of what lies at `path` itself. Artifacts are root's, files of a run nobody's."""
    try:
        info = os.lstat(path)
        return info.st_uid, info.st_gid
    except (OSError, ValueError):
        return None


def link_target(path: str) -> str | None:
    """Where the symbolic link at `path` points, as written; None when it is no link."""
    try:
        return os.readlink(path)
    except (OSError, ValueError):
        return None
