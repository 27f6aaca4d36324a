"""Files of layers, deleted ones included, for the leak scan. Links are never followed; nothing is unpacked."""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from envwheel.sandbox.base import LayerFile

OPAQUE = ("trusted.overlay.opaque", "user.overlay.opaque")


@dataclass(slots=True)
class Layer:
    """What one layer holds: its files, every path it sets, and the paths below which it hides what was there."""

    files: dict[str, LayerFile] = field(default_factory=dict)
    paths: set[str] = field(default_factory=set)
    hides: set[str] = field(default_factory=set)


def folder_files(folders: Sequence[str]) -> Iterator[LayerFile]:
    """The files of overlay folders, the top one named first."""
    layers = [_from_folder(folder, number) for number, folder in enumerate(reversed(folders))]
    yield from with_visibility(layers)


def with_visibility(layers: list[Layer]) -> Iterator[LayerFile]:
    """The files of all `layers`, the lowest first, each with whether a later layer leaves it visible."""
    for number, layer in enumerate(layers):
        later = layers[number + 1 :]
        for path, file in sorted(layer.files.items()):
            yield replace(file, visible=not any(_hidden(path, above) for above in later))


def _hidden(path: str, above: Layer) -> bool:
    """Whether a later layer removed, replaced or covered `path`."""
    if path in above.paths or path in above.hides:
        return True
    parent = posixpath.dirname(path)
    while parent != "/":
        if parent in above.hides or parent in above.paths:
            return True
        parent = posixpath.dirname(parent)
    return False


def _from_folder(folder: str, number: int) -> Layer:
    layer = Layer()
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
