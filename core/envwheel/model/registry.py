"""Models by name: `open_model("openai:MODEL", settings)`, found through the entry point group `envwheel.models`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Any

from envwheel.errors import SetupError, UsageError
from envwheel.model.base import Model

GROUP = "envwheel.models"


def open_model(spec: str, settings: Mapping[str, Any] | None = None) -> Model:
    """The model `KIND` or `KIND:ARGUMENT`; what follows the colon reaches its `open_model(settings)` as "argument".

    Raises UsageError when there is no such kind, SetupError when its module cannot be imported, and what the module
    raises itself.
    """
    kind, _, argument = spec.partition(":")
    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    if kind not in found:
        raise UsageError(f"There is no model '{kind}'. Installed: {', '.join(sorted(found)) or 'none'}.")
    try:
        opener = found[kind].load()
    except Exception as error:
        raise SetupError(
            f"The model '{kind}' ({found[kind].value}) cannot be imported ({type(error).__name__}: {error}). "
            "Install its distribution again."
        ) from error
    model: Model = opener({**(settings or {}), **({"argument": argument} if argument else {})})
    return model
