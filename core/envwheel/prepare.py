"""Make ahead what would else be made when it is first used: base images, and the embedded model's weights.

`envwheel doctor --prepare` runs it. What is there already costs a look.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Collection, Iterator

from envwheel.child import load_state
from envwheel.domains import Domains
from envwheel.listing import installed
from envwheel.sandbox.base import Engine
from envwheel.sandbox.images import BASE


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
