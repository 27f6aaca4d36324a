"""Base images: from the local store, made from their recipe, or from a registry when one is configured."""

from __future__ import annotations

from envwheel.errors import BuildFailed
from envwheel.sandbox.base import Image
from envwheel.sandbox.daemon import Daemon
from envwheel.sandbox.docker_build import Builder

BASE = "envwheel/base:bookworm"


class Images:
    """Resolves image references to local images."""

    def __init__(self, daemon: Daemon, builder: Builder) -> None:
        self._daemon, self._builder = daemon, builder

    def image(self, reference: str) -> Image:
        """See `Engine.image`."""
        seen = self._daemon.call("inspect an image", lambda api: api.inspect_image(reference), ignore=(404,))
        if seen is None:
            raise BuildFailed(f"The base image {reference} is nowhere to be had.")
        config = seen.get("Config") or {}
        return Image(seen["Id"], user=config.get("User") or "", workdir=config.get("WorkingDir") or "")

    def resolve(self, reference: str) -> str:
        """The local id for a FROM line."""
        return self.image(reference).id
