"""The `office` domain: workbooks, documents, slides and PDF. What is heavy is imported when a hook is called."""

from __future__ import annotations

from envwheel.api import API, Domain, hookimpl

DOMAIN = Domain(
    id="office",
    title="Office work",
    summary="Spreadsheets, text documents, slides and PDF: from one cell to reports that have to add up.",
    api=API,
    skills={"spreadsheet": "Work on workbooks"},
)


@hookimpl
def describe() -> Domain:
    """Name, skills and needs."""
    return DOMAIN
