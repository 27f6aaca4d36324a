"""Finds an engine by name among the installed ones (entry point group `envwheel.engines`)."""

from __future__ import annotations

from envwheel.errors import OrdinaryUser, SetupError, UsageError
from envwheel.sandbox.base import Engine

GROUP = "envwheel.engines"
PREFERRED = ("docker", "namespace")
"""The order in which `auto` tries; others follow by name."""


def names() -> list[str]:
    """The installed engines, preferred ones first."""
    from importlib.metadata import entry_points

    found = {point.name for point in entry_points(group=GROUP)}
    return [name for name in PREFERRED if name in found] + sorted(found - set(PREFERRED))


def open_engine(name: str = "auto") -> Engine:
    """The engine called `name`; `auto` takes the first that works. Raises UsageError, SetupError, OrdinaryUser."""
    if name != "auto":
        return _open(name)
    failures: list[str] = []
    for candidate in names():
        try:
            return _open(candidate)
        except OrdinaryUser:  # it works, in a process that is started again
            raise
        except SetupError as error:
            failures.append(str(error))
    if not failures:
        raise SetupError("No engine is installed. `pip install envwheel` brings the docker engine: install it again.")
    raise SetupError("No engine works here. " + " ".join(failures))


def _open(name: str) -> Engine:
    from importlib.metadata import entry_points

    points = [point for point in entry_points(group=GROUP) if point.name == name]
    if not points:
        raise UsageError(f"There is no engine '{name}'. Installed: {', '.join(names()) or 'none'}, or `auto`.")
    try:
        opener = points[0].load()
    except Exception as error:
        raise SetupError(
            f"Engine '{name}' cannot be loaded: {error}. Install the package that brings it again."
        ) from error
    return opener()
