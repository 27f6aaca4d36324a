"""Images of the namespace engine: one folder each, read here without asking buildah.

    bases/NAME/current     the key of the recipe that a base image was last made from; NAME in letters of folders
    bases/NAME/KEY/        that image; older ones stay for what was built on them, until everything is swept
    built/KEY/             what a build made; `holds/OWNER` for each process that uses it, the last one removes it
        store/             buildah's own layout: overlay/LAYER/diff, overlay-layers/, overlay-images/; or
        steps/N/upper      the layers of a build without buildah
        image.json         id, user, workdir, env, base, the folders of its layers from the top down

An image that is built FROM another names its layers where they lie.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from envwheel.errors import InfraError
from envwheel.sandbox import owner as owners
from envwheel.sandbox.base import Image
from envwheel.sandbox.owner import Owner


@dataclass(frozen=True, slots=True)
class Stored:
    """An image on this disk. `layers`: its folders, the top one first; `stores`: where they lie, its own first."""

    id: str
    user: str = ""
    workdir: str = ""
    env: dict[str, str] = field(default_factory=dict)
    base_id: str = ""
    key: str = ""
    layers: list[str] = field(default_factory=list)
    stores: list[str] = field(default_factory=list)

    @property
    def image(self) -> Image:
        """As `Engine` speaks of it."""
        return Image(self.id, user=self.user, workdir=self.workdir, base_id=self.base_id)


class ImageStore:
    """The folders below `root`. Safe between threads and processes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.bases, self.built = root / "bases", root / "built"
        self._known: dict[str, Path] = {}

    def folder_of(self, reference: str) -> Path:
        """Where the base images called `reference` lie."""
        return self.bases / re.sub(r"[^a-zA-Z0-9._-]", "+", reference)

    def base(self, reference: str, key: str | None = None) -> Stored | None:
        """The base image of that name, if it was made from recipe `key` (None: the last one)."""
        folder = self.folder_of(reference)
        try:
            return self.find_in(folder / (key or (folder / "current").read_text()))
        except OSError:
            return None

    def set_base(self, reference: str, key: str) -> None:
        """From now on the base image of that name is the one of `key`."""
        part = self.folder_of(reference) / f"current.{os.getpid()}"
        part.write_text(key)
        os.replace(part, self.folder_of(reference) / "current")

    def names(self) -> list[str]:
        """The folders of all base images that are there."""
        return sorted(path.parent.name for path in self.bases.glob("*/current"))

    def find(self, image_id: str) -> Stored | None:
        """The image with that id."""
        folder = self._known.get(image_id)
        found = load(folder) if folder else None
        if found is not None and found.id == image_id:
            return found
        for path in [*self.bases.glob("*/*/image.json"), *self.built.glob("*/image.json")]:
            found = self.find_in(path.parent)
            if found is not None and found.id == image_id:
                return found
        return None

    def find_in(self, folder: Path) -> Stored | None:
        """The image in `folder`, None when there is none."""
        found = load(folder)
        if found is not None:
            self._known[found.id] = folder
        return found

    @contextmanager
    def locked(self, name: str, *, wait: bool = True) -> Iterator[bool]:
        """One process and thread at a time for what is called `name`; False without `wait` when another is at it."""
        folder = self.root / "locks"
        folder.mkdir(parents=True, exist_ok=True)
        while True:
            path = folder / name
            with open(path, "w") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    yield False
                    return
                # Whoever held it before may have removed it.
                if path.exists() and os.path.samestat(os.fstat(lock.fileno()), path.stat()):
                    try:
                        yield True
                    finally:
                        path.unlink(missing_ok=True)
                    return

    def hold(self, key: str, owner: Owner) -> None:
        """Keep a built image for `owner`."""
        holds = self.built / key / "holds"
        holds.mkdir(parents=True, exist_ok=True)
        (holds / owner.tag).touch()

    def release(self, key: str, owner: Owner) -> bool:
        """Let go; True when nobody else held it and it was removed. Call it `locked`."""
        (self.built / key / "holds" / owner.tag).unlink(missing_ok=True)
        if any(self.holders(key)):
            return False
        remove(self.built / key)
        return True

    def holders(self, key: str) -> list[str]:
        """The tags of the processes that use a built image."""
        holds = self.built / key / "holds"
        return sorted(os.listdir(holds)) if holds.is_dir() else []

    def sweep(self, *, everything: bool = False, only: Owner | None = None) -> int:
        """Remove built images that no living process holds; `everything`, or what `only` held."""
        removed = 0
        for folder in sorted(self.built.iterdir()) if self.built.is_dir() else []:
            with self.locked(folder.name, wait=False) as free:
                if not free:
                    continue
                for tag in self.holders(folder.name):
                    holder = owners.parse(tag)
                    gone = holder == only if only is not None else holder is None or not holder.alive()
                    if everything or gone:
                        (folder / "holds" / tag).unlink(missing_ok=True)
                if folder.is_dir() and not self.holders(folder.name):
                    removed += load(folder) is not None
                    remove(folder)
        return removed


def load(folder: Path) -> Stored | None:
    """The image in `folder`, None when there is none (yet)."""
    try:
        return Stored(**json.loads((folder / "image.json").read_text()))
    except (OSError, ValueError, TypeError):
        return None


def seal(folder: Path, image_id: str, base: Stored | None, key: str) -> Stored:
    """Write what is known of the image that buildah made in `folder`. Raises InfraError."""
    store = folder / "store"
    stores = [str(store), *(base.stores if base else [])]
    try:
        image = next(one for one in _json(store / "overlay-images" / "images.json") if one["id"] == image_id)
        name = base64.b64encode(f"sha256:{image_id}".encode()).decode()
        config: dict[str, Any] = _json(store / "overlay-images" / image_id / f"={name}").get("config") or {}
        layers = _chain(image.get("layer", ""), stores)
    except (OSError, ValueError, StopIteration, KeyError) as error:
        raise InfraError("disk", f"What buildah made in {store} cannot be read: {error!r}.") from error
    variables = dict(word.partition("=")[::2] for word in config.get("Env") or [])
    stored = Stored(
        id=image_id,
        user=config.get("User") or "",
        workdir=config.get("WorkingDir") or "",
        env=variables,
        base_id=base.id if base else "",
        key=key,
        layers=layers,
        stores=stores,
    )
    return record(folder, stored)


def record(folder: Path, stored: Stored) -> Stored:
    """From now on there is an image in `folder`."""
    part = folder / "image.json.part"
    part.write_text(json.dumps(asdict(stored)))
    os.replace(part, folder / "image.json")
    return stored


def _chain(layer: str, stores: list[str]) -> list[str]:
    """The folders of a layer and of all below it."""
    known: dict[str, tuple[str, str]] = {}
    for store in reversed(stores):
        for one in _json(Path(store) / "overlay-layers" / "layers.json"):
            known[one["id"]] = (f"{store}/overlay/{one['id']}/diff", one.get("parent", ""))
    found = []
    while layer:
        folder, layer = known[layer]
        found.append(folder)
    return found


def _json(path: Path) -> Any:
    return json.loads(path.read_text()) if path.exists() else []


def remove(folder: Path) -> None:
    """Remove a folder with all that is in it, as far as it goes."""
    with contextlib.suppress(OSError):
        os.replace(folder / "image.json", folder / "image.gone")
    shutil.rmtree(folder, ignore_errors=True)
