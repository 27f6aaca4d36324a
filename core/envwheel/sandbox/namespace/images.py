"""The base images of the namespace engine, for `images.py`: each in a folder of its own, with its recipe's hash."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from envwheel.errors import BuildFailed
from envwheel.sandbox import recipe
from envwheel.sandbox.base import Image
from envwheel.sandbox.builds import Request
from envwheel.sandbox.context import packed
from envwheel.sandbox.images import BUILD_S, LABEL
from envwheel.sandbox.namespace import network
from envwheel.sandbox.namespace.build import NamespaceBuilder, excused
from envwheel.sandbox.namespace.image_store import ImageStore

PULLED = "pulled"
"""In the place of a recipe's hash."""


class NamespaceShelf:
    """Implements `Shelf`."""

    def __init__(self, store: ImageStore, builder: NamespaceBuilder) -> None:
        self._store, self._builder = store, builder

    def local(self, reference: str, key: str | None = None) -> Image | None:
        """See `Shelf.local`."""
        found = self._store.base(reference, key) or (self._store.find(reference) if key is None else None)
        return found.image if found else None

    def request(self, context: Path | None, dockerfile: str, resolve: Callable[[str], str]) -> Request:
        """See `Shelf.request`."""
        return self._builder.request(context, dockerfile, resolve, network=True, key_label=LABEL)

    def make(self, tag: str, request: Request) -> None:
        """See `Shelf.make`."""
        with excused(not network.possible()):
            self._make(tag, request, online=network.possible())

    def take(self, tag: str, tar: Path, key: str) -> None:
        """See `Shelf.take`. An empty /etc/hosts is added, for buildah would make one in the next layer."""
        lines = ["FROM scratch", f"ADD {tar.name} /", "COPY hosts /etc/hosts", *recipe.CHANGES]
        request = Request(packed({"Dockerfile": "\n".join(lines) + "\n", "hosts": "127.0.0.1 localhost\n"}), key, ("",))
        self._make(tag, request, big=(tar,))

    def _make(self, tag: str, request: Request, big: tuple[Path, ...] = (), *, online: bool = False) -> None:
        folder = self._store.folder_of(tag)
        with self._store.locked(folder.name):
            if self._store.base(tag, request.key) is None:
                self._builder.make(folder / request.key, request, timeout_s=BUILD_S, network=online, big=big)
            self._store.set_base(tag, request.key)

    def pull(self, source: str) -> str:
        """See `Shelf.pull`."""
        if not network.possible():
            return f"network is unreachable: {network.LACK}"
        folder = self._store.folder_of(source)
        with self._store.locked(folder.name):
            try:
                self._builder.pull(folder / PULLED, source, timeout_s=BUILD_S)
            except BuildFailed as failed:
                shutil.rmtree(folder, ignore_errors=True)
                return failed.log_tail or str(failed)
            self._store.set_base(source, PULLED)
        return ""
