"""The images in a Docker daemon's store, for `images.py`. A base of ours carries its recipe's hash as a label."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from envwheel.errors import InfraError
from envwheel.sandbox import recipe
from envwheel.sandbox.base import Image
from envwheel.sandbox.builds import Request
from envwheel.sandbox.docker.build import Builder
from envwheel.sandbox.docker.daemon import Daemon, Refused
from envwheel.sandbox.images import BUILD_S, LABEL


class DockerShelf:
    """Implements `Shelf`."""

    def __init__(self, daemon: Daemon, builder: Builder) -> None:
        self._daemon, self._builder = daemon, builder

    def local(self, reference: str, key: str | None = None) -> Image | None:
        """See `Shelf.local`."""
        seen = self._daemon.call("inspect an image", lambda api: api.inspect_image(reference), ignore=(404,))
        config: Mapping[str, Any] = (seen or {}).get("Config") or {}
        if seen is None or (key is not None and (config.get("Labels") or {}).get(LABEL) != key):
            return None
        return Image(seen["Id"], user=config.get("User") or "", workdir=config.get("WorkingDir") or "")

    def request(self, context: Path | None, dockerfile: str, resolve: Callable[[str], str]) -> Request:
        """See `Shelf.request`."""
        return self._builder.request(context, dockerfile, resolve, network=True, key_label=LABEL)

    def make(self, tag: str, request: Request) -> None:
        """See `Shelf.make`."""
        image_id = self._builder.make(request, timeout_s=BUILD_S, network=True)
        repository, _, version = tag.rpartition(":")
        self._daemon.call("tag an image", lambda api: api.tag(image_id, repository, version))
        self._builder.clear(request.key)

    def take(self, tag: str, tar: Path, key: str) -> None:
        """See `Shelf.take`."""
        repository, _, version = tag.rpartition(":")
        changes = [*recipe.CHANGES, f'LABEL {LABEL}="{key}"']
        said = self._daemon.call(
            "import a base image",
            lambda api: api.import_image_from_file(str(tar), repository=repository, tag=version, changes=changes),
        )
        if '"error"' in str(said):
            raise InfraError("daemon", f"The base image could not be imported: {said}")

    def pull(self, source: str) -> str:
        """See `Shelf.pull`."""
        try:
            with self._daemon.errors(f"pull {source}") as api:
                for line in api.pull(source, stream=True, decode=True):
                    if "error" in line:
                        return str(line["error"])
        except Refused as refused:
            return refused.explanation
        return ""
