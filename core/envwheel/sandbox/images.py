"""Base images: from the local store, made from their recipe, or from the daemon's registry.

A base image of ours carries the label `envwheel.base` with the hash of its recipe, so that a changed recipe makes it
anew. `envwheel/base:bookworm` is built from a registry's Debian where one answers, else made from Debian's packages
(`recipe.py`); domains' own are Dockerfiles FROM it. Where no registry answers, well-known names stand for a local base
(`ALIASES`).
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from envwheel.api import BaseImage
from envwheel.errors import BuildFailed, InfraError
from envwheel.sandbox import recipe
from envwheel.sandbox.aliases import Alias, normalised
from envwheel.sandbox.base import Image
from envwheel.sandbox.daemon import Daemon, Refused
from envwheel.sandbox.docker_build import UNREACHABLE, Builder, Request

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
"""Words of a daemon that reaches no registry at all."""
BUILD_S = 1800.0


class Images:
    """Resolves image references to local images, making or pulling what is missing; safe from many threads."""

    def __init__(self, daemon: Daemon, builder: Builder) -> None:
        self._daemon, self._builder = daemon, builder
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
            return self.ensure(self._known[name])
        found = self._local(name) or self._pulled(name)
        if found is not None:
            return found
        stand_in = well_known(name)
        if stand_in is not None:
            return replace(self._plain(stand_in), aliases=((name, stand_in),))
        raise BuildFailed(
            f"The base image {reference} is in no local store, alias table or registry. "
            f"Start FROM {BASE}, load it (`docker pull {reference}`), or name a stand-in: --image {name}={BASE}."
        )

    def resolve(self, reference: str) -> str:
        """The local id for a FROM line."""
        return self.image(reference).id

    def ensure(self, base: BaseImage) -> Image:
        """The image of `base`, built when it is missing or its recipe changed. Raises BuildFailed, InfraError."""
        with self._lock:
            self._known[base.tag] = base
            if base.tag not in self._ready:
                request = self._builder.request(
                    base.context, base.dockerfile, self.resolve, network=True, key_label=LABEL
                )
                found = self._local(base.tag, request.key)
                self._ready[base.tag] = found or self._make(base.tag, request)
            return self._ready[base.tag]

    def _make(self, tag: str, request: Request) -> Image:
        image_id = self._builder.make(request, timeout_s=BUILD_S, network=True)
        repository, _, version = tag.rpartition(":")
        self._daemon.call("tag an image", lambda api: api.tag(image_id, repository, version))
        self._builder.clear(request.key)
        made = self._local(tag)
        if made is None:
            raise InfraError("daemon", f"The image {tag} was built but is not there.")
        return made

    def _debian(self) -> Image:
        with self._lock:
            if BASE not in self._ready:
                key = recipe.key()
                found = self._local(BASE, key)
                if found is None:
                    self._make_base(key)
                    found = self._local(BASE, key)
                if found is None:
                    raise InfraError("daemon", f"The image {BASE} was imported but is not there.")
                self._ready[BASE] = found
            return self._ready[BASE]

    def _make_base(self, key: str) -> None:
        """From a registry's Debian, else from Debian's packages."""
        upstream = self._pulled(UPSTREAM)
        if upstream is not None:
            text, found = recipe.dockerfile(UPSTREAM, f'{LABEL}="{key}"'), upstream.id
            self._make(BASE, self._builder.request(None, text, lambda _: found, network=True))
            return
        with recipe.archive() as tar:
            self._import(tar, key)

    def _import(self, tar: Path, key: str) -> None:
        repository, _, version = BASE.rpartition(":")
        changes = [*recipe.CHANGES, f'LABEL {LABEL}="{key}"']
        said = self._daemon.call(
            "import a base image",
            lambda api: api.import_image_from_file(str(tar), repository=repository, tag=version, changes=changes),
        )
        if '"error"' in str(said):
            raise InfraError("daemon", f"The base image could not be imported: {said}")

    def _local(self, reference: str, key: str | None = None) -> Image | None:
        """The image called `reference` in the local store, if it was made from recipe `key` (None: any)."""
        seen = self._daemon.call("inspect an image", lambda api: api.inspect_image(reference), ignore=(404,))
        config: Mapping[str, Any] = (seen or {}).get("Config") or {}
        if seen is None or (key is not None and (config.get("Labels") or {}).get(LABEL) != key):
            return None
        return Image(seen["Id"], user=config.get("User") or "", workdir=config.get("WorkingDir") or "")

    def _pulled(self, reference: str) -> Image | None:
        """The image from the registry that the daemon, or `ENVWHEEL_REGISTRY_MIRROR`, names; None: not there."""
        with self._lock:
            if self._no_registry or reference.startswith(("sha256:", "envwheel/")):
                return None
        mirror = os.environ.get("ENVWHEEL_REGISTRY_MIRROR", "").rstrip("/")
        source = f"{mirror}/{reference}" if mirror else reference
        error = self._pull(source)
        if not error:
            return self._local(source)
        if any(word in error for word in ABSENT):
            self._no_registry = True
        elif any(word in error for word in UNREACHABLE):
            raise InfraError("network", f"The registry did not give {source}: {error}")
        return None

    def _pull(self, source: str) -> str:
        """Pull `source`; the daemon's error text, empty when it worked."""
        try:
            with self._daemon.errors(f"pull {source}") as api:
                for line in api.pull(source, stream=True, decode=True):
                    if "error" in line:
                        return str(line["error"])
        except Refused as refused:
            return refused.explanation
        return ""


def well_known(reference: str) -> str | None:
    """The local base that stands for a well-known image, None for others. A digest is not looked through."""
    for pattern, base in ALIASES:
        if re.fullmatch(pattern, reference):
            return base
    return None
