"""Base images: from the engine's store, made from their recipe, or from a registry.

A base image of ours carries the label `envwheel.base` with the hash of its recipe, so that a changed recipe makes it
anew. `envwheel/base:bookworm` is built from a registry's Debian where one answers, else made from Debian's packages
(`recipe.py`); domains' own are Dockerfiles FROM it. Where no registry answers, well-known names stand for a local base
(`ALIASES`).
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from envwheel.api import BaseImage
from envwheel.errors import BuildFailed, InfraError
from envwheel.sandbox import recipe, wheels
from envwheel.sandbox.aliases import Alias, normalised
from envwheel.sandbox.base import Image
from envwheel.sandbox.builds import UNREACHABLE, Request

BASE = "envwheel/base:bookworm"
UPSTREAM = "debian:bookworm-slim"
"""What the base is built from where a registry answers."""
PYTHON = BaseImage(
    "envwheel/base:python",
    f"FROM {BASE}\n"
    "RUN apt-get update && apt-get install -y --no-install-recommends python3-pip python3-venv "
    "&& rm -rf /var/lib/apt/lists/* /usr/lib/python3*/EXTERNALLY-MANAGED && ln -s python3 /usr/bin/python\n",
)
KNOWN = {PYTHON.tag: PYTHON}
ALIASES: tuple[tuple[str, str], ...] = (
    (r"debian(:(latest|stable|bookworm|12)([.\d]*)(-slim)?)?", BASE),
    (r"buildpack-deps(:bookworm[\w-]*)?", BASE),
    (r"ubuntu(:(latest|jammy|noble|2[24]\.04))?", BASE),
    (r"python(:(latest|slim|3[.\d]*)(-slim)?(-bookworm)?)?", PYTHON.tag),
)
"""Pattern of a whole reference -> the local base that stands for it where no registry answers."""
LABEL = "envwheel.base"
ABSENT = ("no such host", "connection refused", "network is unreachable", "no route to host", "x509")
"""Words of an engine that reaches no registry at all."""
BUILD_S = 1800.0


class Shelf(Protocol):
    """An engine's own store of images, as `Images` uses it."""

    def local(self, reference: str, key: str | None = None) -> Image | None:
        """The image called `reference`, if it was made from recipe `key` (None: any). InfraError."""

    def pull(self, source: str) -> str:
        """Fetch an image from a registry; the error's text, empty when it worked. InfraError."""

    def request(self, context: Path | None, dockerfile: str, resolve: Callable[[str], str]) -> Request:
        """The build of a base image. BuildFailed."""

    def make(self, tag: str, request: Request) -> None:
        """Build it and call it `tag`. BuildFailed, InfraError."""

    def take(self, tag: str, tar: Path, key: str) -> None:
        """Make a base image of a whole file system, made from recipe `key`. InfraError."""


class Images:
    """Resolves image references to local images, making or pulling what is missing; safe from many threads."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._lock = threading.RLock()
        self._ready: dict[str, Image] = {}
        self._no_registry = False
        self._known: dict[str, BaseImage] = dict(KNOWN)
        self._aliases: dict[str, Image] = {}

    def alias(self, alias: Alias) -> None:
        """See `Engine.alias`."""
        image = self._plain(alias.image)
        if alias.packages:
            image = self.ensure(alias.base_image(image))
        self._aliases[alias.name] = replace(image, aliases=((alias.name, alias.shown),))

    def image(self, reference: str) -> Image:
        """See `Engine.image`."""
        return self._aliases.get(normalised(reference)) or self._plain(reference)

    def _plain(self, reference: str) -> Image:
        """The image of that name, whatever an alias says."""
        name = normalised(reference)
        if name == BASE:
            return self._debian()
        if name in self._known:
            return self._own(self._known[name])
        found = self._shelf.local(name) or self._pulled(name)
        if found is not None:
            return found
        stand_in = well_known(name)
        if stand_in is not None:
            return replace(self._plain(stand_in), aliases=((name, stand_in),))
        if name.startswith("envwheel/"):
            raise BuildFailed(
                f"The base image {reference} is made by a domain that is not installed, or that nothing here names: "
                f"install it and say `domains` under [metadata.envwheel] of task.toml, or start FROM {BASE}."
            )
        raise BuildFailed(
            f"The base image {reference} is in no local store, alias table or registry. "
            f"Start FROM {BASE}, load it (`docker pull {reference}`), or name a stand-in: --image {name}={BASE}."
        )

    def _own(self, base: BaseImage) -> Image:
        """`base` for a candidate that names it, whose fault it is not when it cannot be made."""
        try:
            return self.ensure(base)
        except BuildFailed as failed:
            said = "".join(failed.log_tail.strip().splitlines()[-1:])
            raise InfraError("host", f"The base image {base.tag} cannot be made: {failed} {said}".strip()) from failed

    def resolve(self, reference: str) -> str:
        """The local id for a FROM line."""
        return self.image(reference).id

    def built(self, build: Callable[[Callable[[str], str]], Image]) -> Image:
        """What `build(resolve)` makes; it names the stand-ins that were used for its FROM lines."""
        used: dict[str, str] = {}

        def resolve(reference: str) -> str:
            image = self.image(reference)
            used.update(image.aliases)
            return image.id

        return replace(build(resolve), aliases=tuple(sorted(used.items())))

    def ensure(self, base: BaseImage) -> Image:
        """The image of `base`, built when it is missing or its recipe changed. BuildFailed, InfraError, SetupError."""
        with self._lock:
            self._known[base.tag] = base
            if base.tag not in self._ready:
                with wheels.pinned(base) as context:
                    request = self._shelf.request(context, base.dockerfile, self.resolve)
                found = self._shelf.local(base.tag, request.key)
                self._ready[base.tag] = found or self._made(base.tag, wheels.filled(request, base))
            return self._ready[base.tag]

    def _made(self, tag: str, request: Request) -> Image:
        self._shelf.make(tag, request)
        made = self._shelf.local(tag)
        if made is None:
            raise InfraError("daemon", f"The image {tag} was built but is not there.")
        return made

    def _debian(self) -> Image:
        with self._lock:
            if BASE not in self._ready:
                key = recipe.key()
                self._ready[BASE] = self._shelf.local(BASE, key) or self._made_base(key)
            return self._ready[BASE]

    def _made_base(self, key: str) -> Image:
        """From a registry's Debian, else from Debian's packages."""
        upstream = self._pulled(UPSTREAM)
        if upstream is not None:
            text, found = recipe.dockerfile(UPSTREAM, f'{LABEL}="{key}"'), upstream.id
            return self._made(BASE, self._shelf.request(None, text, lambda _: found))
        with recipe.archive() as tar:
            self._shelf.take(BASE, tar, key)
        made = self._shelf.local(BASE, key)
        if made is None:
            raise InfraError("daemon", f"The image {BASE} was imported but is not there.")
        return made

    def _pulled(self, reference: str) -> Image | None:
        """The image from the registry that the engine, or `ENVWHEEL_REGISTRY_MIRROR`, names; None: not there."""
        with self._lock:
            if self._no_registry or reference.startswith(("sha256:", "envwheel/")):
                return None
        mirror = os.environ.get("ENVWHEEL_REGISTRY_MIRROR", "").rstrip("/")
        source = f"{mirror}/{reference}" if mirror else reference
        error = self._shelf.pull(source)
        if not error:
            return self._shelf.local(source)
        if any(word in error for word in ABSENT):
            self._no_registry = True
        elif any(word in error for word in UNREACHABLE):
            raise InfraError("network", f"The registry did not give {source}: {error}")
        return None


def well_known(reference: str) -> str | None:
    """The local base that stands for a well-known image, None for others. A digest is not looked through."""
    for pattern, base in ALIASES:
        if re.fullmatch(pattern, reference):
            return base
    return None
