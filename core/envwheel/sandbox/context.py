"""The build context: a folder of the host as a tar with normalised owners and times, so that equal content is equal.

Links that leave the folder, devices and FIFOs are refused. `.dockerignore` is heeded, as Docker's own client does.
"""

from __future__ import annotations

import contextlib
import io
import lzma
import os
import stat
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from envwheel.errors import BuildFailed, UsageError

MAX_BYTES = 512 << 20
MAX_FILES = 20_000
DOCKERFILE = "Dockerfile"


def files(context: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Relative path and status of every folder, file and link below `context`. Raises BuildFailed for others."""
    kept = _not_ignored(context)
    for folder, folders, names in os.walk(context, followlinks=False):
        folders.sort()
        for name in sorted([*folders, *names]):
            path = os.path.join(folder, name)
            relative = os.path.relpath(path, context)
            if kept is not None and relative not in kept:
                continue
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode):
                _check_link(relative, os.readlink(path))
            elif not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
                raise BuildFailed(f"{relative}: neither a file, a folder nor a link.")
            yield relative, status


def _not_ignored(context: Path) -> set[str] | None:
    ignore = context / ".dockerignore"
    if ignore.is_symlink() or not ignore.is_file():
        return None
    from docker.utils import exclude_paths

    lines = ignore.read_text(encoding="utf-8", errors="replace").splitlines()
    patterns = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return set(exclude_paths(str(context), patterns, dockerfile=DOCKERFILE))


def _check_link(relative: str, target: str) -> None:
    lands = os.path.normpath(os.path.join(os.path.dirname(relative), target))
    if target.startswith("/") or lands == ".." or lands.startswith("../"):
        raise BuildFailed(f"{relative}: a symbolic link that leaves the build context.")


def refuse_bombs(context: Path, limit: int) -> None:
    """Raise BuildFailed when the archives in `context`, which ADD makes the daemon unpack, hold over `limit` bytes."""
    total = 0
    for relative, status in files(context):
        if not stat.S_ISREG(status.st_mode):
            continue
        # What cannot be read as an archive is copied as it is, or fails in the builder.
        with contextlib.suppress(tarfile.TarError, OSError, EOFError, zlib.error, lzma.LZMAError, ValueError):
            for size in _member_sizes(context / relative):
                total += size
                if total > limit:
                    raise BuildFailed(f"{relative}: ADD would unpack more than {limit >> 20} MiB.")


def _member_sizes(path: Path) -> Iterator[int]:
    with tarfile.open(path, mode="r|*") as archive:
        for member in archive:
            yield member.size


def dockerfile_text(context: Path) -> str:
    """The Dockerfile of `context`. Raises BuildFailed when it is missing or not text."""
    path = context / DOCKERFILE
    if not context.is_dir():
        raise UsageError(f"{context}: there is no such folder to build an image from.")
    if path.is_symlink() or not path.is_file():
        raise BuildFailed(f"{DOCKERFILE}: missing in {context}.")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BuildFailed(f"{DOCKERFILE}: not UTF-8 text ({error}).") from error


def pack_context(context: Path | None, dockerfile: str) -> bytes:
    """The tar for the builder: everything in `context` with `dockerfile` in the place of its Dockerfile."""
    buffer = io.BytesIO()
    total = 0
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        _add(archive, DOCKERFILE, 0o644, dockerfile.encode())
        for count, (relative, status) in enumerate(files(context) if context else (), 1):
            total += status.st_size
            if count > MAX_FILES or total > MAX_BYTES:
                raise BuildFailed(f"The build context is over {MAX_FILES} files or {MAX_BYTES >> 20} MiB.")
            if relative != DOCKERFILE and context is not None:
                _add_from(archive, context, relative, status)
    return buffer.getvalue()


def packed(files: Mapping[str, str]) -> bytes:
    """The tar for the builder of a context that is no folder."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, text in files.items():
            _add(archive, name, 0o644, text.encode())
    return buffer.getvalue()


def with_folder(tar: bytes, folder: Path, name: str) -> bytes:
    """The tar of a context with what lies in `folder` added under `name`. Raises BuildFailed for what is refused."""
    buffer = io.BytesIO(tar)
    with tarfile.open(fileobj=buffer, mode="a", format=tarfile.PAX_FORMAT) as archive:
        for relative, status in files(folder):
            _add_from(archive, folder, relative, status, f"{name}/")
    return buffer.getvalue()


def _add_from(archive: tarfile.TarFile, context: Path, relative: str, status: os.stat_result, under: str = "") -> None:
    name = under + relative
    if stat.S_ISLNK(status.st_mode):
        header = tarfile.TarInfo(name)
        header.type, header.linkname = tarfile.SYMTYPE, os.readlink(context / relative)
        archive.addfile(header)
    elif stat.S_ISDIR(status.st_mode):
        header = tarfile.TarInfo(name)
        header.type, header.mode = tarfile.DIRTYPE, 0o755
        archive.addfile(header)
    else:
        _add(archive, name, 0o755 if status.st_mode & 0o100 else 0o644, (context / relative).read_bytes())


def _add(archive: tarfile.TarFile, name: str, mode: int, data: bytes) -> None:
    header = tarfile.TarInfo(name)
    header.mode, header.size = mode, len(data)
    archive.addfile(header, io.BytesIO(data))
