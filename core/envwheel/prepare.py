"""Base images and the embedded model's weights, made before they are used. What is there already costs a look.

Commands call `base_images` with the domains that they are about; `envwheel doctor --prepare` makes all ahead.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Collection, Iterator

from envwheel.child import load_state
from envwheel.console import console
from envwheel.domains import Domains
from envwheel.listing import installed
from envwheel.sandbox.base import Engine
from envwheel.sandbox.images import BASE


def base_images(engine: Engine, domains: Domains, *, authors: bool = False) -> None:
    """Make what environments of `domains` start from, and with `authors` the images in which they are written.

    Raises SetupError, InfraError, BuildFailed.
    """
    for id in domains.ids:
        for base in domains.base_images(id):
            if authors or base.role != "author":
                with console().status(f"base image {base.tag}"):
                    engine.ensure(base)


def prepare(open_engine: Callable[[], Engine], domains: Collection[str] | None = None) -> Iterator[str]:
    """Make each thing and say its name before; base images of `domains` only, None: of all that are installed.

    A domain that does not load is left to `envwheel doctor`.

    Raises SetupError, InfraError, BuildFailed.
    """
    engine = open_engine()
    try:
        yield f"base image {BASE}"
        engine.image(BASE)
        for one in installed():
            if (domains is not None and one.id not in domains) or load_state(one.id).state == "broken":
                continue
            for image in Domains.load([one.id]).base_images(one.id):
                yield f"image {image.tag} of domain {one.id}"
                engine.ensure(image)
    finally:
        engine.close()
    if importlib.util.find_spec("xllamacpp") is not None:
        from envwheel.model.weights import weights

        yield "weights of the embedded model"
        weights()
