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
    "encoding_fix",
    "config_migrate",
    "csv_report",
    "sqlite_query",
    "shell_script_fix",
    "git_recover",
    "make_build",
    "py_bug_repair",
    "py_module_repair",
    "test_writing",
    "perf_rewrite",
    "service_config",
    "service_lifecycle",
    "secret_cleanup",
)


@cache
def families() -> tuple[SweFamily, ...]:
    """All families, in the order of `MODULES`."""
    return tuple(import_module(f"envwheel_swe.families.{name}").FAMILY for name in MODULES)
