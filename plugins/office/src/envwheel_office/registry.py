"""The families of this domain, imported when they are first asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from envwheel_office.family import OfficeFamily

MODULES: tuple[str, ...] = (
    "invoice_ageing",
    "data_cleaning",
    "budget_variance",
    "loan_schedule",
    "workbook_repair",
    "timesheets",
    "inventory",
    "reconciliation",
    "minutes",
    "report_toc",
    "mail_merge",
    "redline",
    "sales_deck",
    "pdf_form",
    "survey",
    "roster",
)


@cache
def families() -> tuple[OfficeFamily, ...]:
    """All families, in the order of `MODULES`."""
    return tuple(import_module(f"envwheel_office.families.{name}").FAMILY for name in MODULES)
