"""Every file of every layer that an image adds to its base, deleted ones included, for the leak scan.

Read straight from the overlay folders where the daemon's storage is on this machine and readable, else from the
daemon's `save` stream. Links are never followed; nothing is unpacked.
"""

from __future__ import annotations

import json
import os
import posixpath
import stat
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import IO, Any

from envwheel.errors import InfraError
from envwheel.sandbox.base import Image, LayerFile
from envwheel.sandbox.daemon import Daemon

OPAQUE = ("trusted.overlay.opaque", "user.overlay.opaque")


@dataclass(slots=True)
class _Layer:
    """What one layer holds: its files, every path it sets, and the paths below which it hides what was there."""

    files: dict[str, LayerFile]
    paths: set[str]
    hides: set[str]


def layer_files(daemon: Daemon, image: Image) -> Iterator[LayerFile]:
    """The files, lowest layer first. Raises InfraError."""
    seen = _inspect(daemon, image.id)
    base = _inspect(daemon, image.base_id) if image.base_id else {}
    count = len(_ids(seen)) - len(_ids(base))
    if count <= 0:
        return
    folders = _folders(seen)[:count]
    if len(folders) == count and all(os.access(folder, os.R_OK | os.X_OK) for folder in folders):
        yield from folder_files(folders)
        return
    with tempfile.TemporaryFile() as spool:
        for chunk in daemon.call("save an image", lambda api: api.get_image(image.id, chunk_size=1 << 20)) or ():
            spool.write(chunk)
        yield from _with_visibility(_from_save(spool, count))


def folder_files(folders: Sequence[str]) -> Iterator[LayerFile]:
    """The files of overlay folders, the top one named first."""
    layers = [_from_folder(folder, number) for number, folder in enumerate(reversed(folders))]
    yield from _with_visibility(layers)


def _inspect(daemon: Daemon, image_id: str) -> dict[str, Any]:
    seen = daemon.call("inspect an image", lambda api: api.inspect_image(image_id), ignore=(404,))
    if seen is None:
        raise InfraError("daemon", f"The image {image_id} is not there any more.")
    return seen


def _ids(seen: dict[str, Any]) -> list[str]:
    return (seen.get("RootFS") or {}).get("Layers") or []


def _folders(seen: dict[str, Any]) -> list[str]:
    driver = seen.get("GraphDriver") or {}
    data = driver.get("Data") or {}
    if driver.get("Name") != "overlay2" or "UpperDir" not in data:
        return []
    return [data["UpperDir"], *(folder for folder in data.get("LowerDir", "").split(":") if folder)]


def _from_folder(folder: str, number: int) -> _Layer:
    layer = _Layer({}, set(), set())
    for parent, folders, names in os.walk(folder, followlinks=False):
        if parent != folder and _is_opaque(parent):
            layer.hides.add("/" + os.path.relpath(parent, folder))
        for name in [*folders, *names]:
            path = os.path.join(parent, name)
            status = os.lstat(path)
            inside = "/" + os.path.relpath(path, folder)
            if stat.S_ISCHR(status.st_mode) and status.st_rdev == 0:
                layer.hides.add(inside)
                continue
            if not stat.S_ISDIR(status.st_mode):
                layer.paths.add(inside)
            if stat.S_ISREG(status.st_mode):
                layer.files[inside] = LayerFile(inside, status.st_size, number, True, _reader(path))
    return layer


def _is_opaque(folder: str) -> bool:
    for name in OPAQUE:
        try:
            if os.getxattr(folder, name) == b"y":
                return True
        except OSError:
            continue
    return False


def _reader(path: str) -> Callable[[], bytes]:
    def read() -> bytes:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            return file.read()

    return read


def _from_save(spool: IO[bytes], count: int) -> list[_Layer]:
    """The last `count` layers of a saved image. Their files are read into memory: the spool ends with the scan."""
    spool.seek(0)
    with tarfile.open(fileobj=spool) as archive:
        manifest = json.load(_member(archive, "manifest.json"))
        names = manifest[0]["Layers"][-count:]
        return [_from_tar(_member(archive, name), number) for number, name in enumerate(names)]


def _member(archive: tarfile.TarFile, name: str) -> IO[bytes]:
    member = archive.extractfile(name)
    if member is None:
        raise InfraError("daemon", f"A saved image has no {name}.")
    return member


def _from_tar(stream: IO[bytes], number: int) -> _Layer:
    layer = _Layer({}, set(), set())
    with tarfile.open(fileobj=stream, mode="r|*") as archive:
        for member in archive:
            inside = posixpath.normpath("/" + member.name)
            folder, name = posixpath.split(inside)
            if name == ".wh..wh..opq":
                layer.hides.add(folder)
            elif name.startswith(".wh."):
                layer.hides.add(posixpath.join(folder, name[4:]))
            elif not member.isdir():
                layer.paths.add(inside)
                source = archive.extractfile(member) if member.isreg() else None
                if source is not None:
                    data = source.read()
                    layer.files[inside] = LayerFile(inside, member.size, number, True, lambda data=data: data)  # type: ignore[misc]
    return layer


def _with_visibility(layers: list[_Layer]) -> Iterator[LayerFile]:
    for number, layer in enumerate(layers):
        later = layers[number + 1 :]
        for path, file in sorted(layer.files.items()):
            yield replace(file, visible=not any(_hidden(path, above) for above in later))


def _hidden(path: str, above: _Layer) -> bool:
    """Whether a later layer removed, replaced or covered `path`."""
    if path in above.paths or path in above.hides:
        return True
    parent = posixpath.dirname(path)
    while parent != "/":
        if parent in above.hides or parent in above.paths:
            return True
        parent = posixpath.dirname(parent)
    return False
