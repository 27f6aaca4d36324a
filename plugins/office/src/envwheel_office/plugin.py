"""The `office` domain: workbooks, documents, slides and PDF. What is heavy is imported when a hook is called."""

from __future__ import annotations

from envwheel.api import API, BaseImage, Domain, hookimpl

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


@hookimpl
def base_images() -> list[BaseImage]:
    """The solver's box, the verifier's with LibreOffice, and one for who writes environments."""
    from envwheel_office.boxes import base_images

    return base_images()
