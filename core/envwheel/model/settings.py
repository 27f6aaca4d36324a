"""Reading settings of models and agents, with a message that names the key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envwheel.errors import ConfigError


def known(settings: Mapping[str, Any], names: str, where: str = "model") -> None:
    """Raise ConfigError when `settings` holds a key that is not in `names` (separated by blanks)."""
    if unknown := sorted(set(settings) - set(names.split())):
        allowed = ", ".join(sorted(set(names.split()) - {"argument"}))
        raise ConfigError(f"{where}: unknown setting {', '.join(unknown)}. Known: {allowed}.")


def number(settings: Mapping[str, Any], name: str, default: float, where: str = "model") -> float:
    """The number `name` of at least 0, or its default. Raises ConfigError."""
    value = settings.get(name, default)
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not value >= 0:
        raise ConfigError(f"{where}: {name}: expected a number of at least 0, got {value!r}.")
    return float(value)
