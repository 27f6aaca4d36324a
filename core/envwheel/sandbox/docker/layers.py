"""Every file of every layer that a daemon's image adds to its base.

Read straight from the overlay folders where the daemon's storage is on this machine and readable, else from the
daemon's `save` stream.
"""

from __future__ import annotations

import json
import os
import posixpath
import tarfile
import tempfile
from collections.abc import Iterator
from typing import IO, Any

from envwheel.errors import InfraError
from envwheel.sandbox.base import Image, LayerFile
from envwheel.sandbox.docker.daemon import Daemon
from envwheel.sandbox.layers import Layer, folder_files, with_visibility


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
        yield from with_visibility(_from_save(spool, count))


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


def _from_save(spool: IO[bytes], count: int) -> list[Layer]:
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


def _from_tar(stream: IO[bytes], number: int) -> Layer:
    layer = Layer()
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
