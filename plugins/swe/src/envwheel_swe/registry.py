"""The families of this domain, imported when they are first asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from envwheel_swe.family import SweFamily

MODULES: tuple[str, ...] = (
    "file_links",
    "file_modes",
    "file_tidy",
    "text_extract",
    "log_pipeline",
    "config_migrate",
    "encoding_fix",
    "secret_cleanup",
    "service_lifecycle",
)


@cache
def families() -> tuple[SweFamily, ...]:
    """All families, in the order of `MODULES`."""
    return tuple(import_module(f"envwheel_swe.families.{name}").FAMILY for name in MODULES)


def family(id: str) -> SweFamily | None:
    """The family called `id`, or None."""
    return next((item for item in families() if item.id == id), None)
