"""What a plan expects, as a forger would know it at best: values, texts and names, file by file.

The attacks put them where no person would see them, or into a file that must be refused. So a check that is satisfied
by hidden text, a cached value or a broken package is found out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from envwheel_office.kit.officekit.language import AnyCheck, Plan
from envwheel_office.kit.officekit.language_base import Scalar, Where

Table = tuple[str, list[str], list[list[Scalar]]]
"""Sheet, heading or slide ("" for any), headers, rows."""


@dataclass
class Answers:
    """What is expected of one file."""

    file: str
    cells: list[tuple[str, str, Scalar]] = field(default_factory=list)
    """(sheet, cell, value)."""
    labels: list[tuple[str, str, str, Scalar]] = field(default_factory=list)
    """(sheet, label, side, value)."""
    tables: list[Table] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)
    """(heading or slide, text)."""
    headings: list[tuple[int, str]] = field(default_factory=list)
    slides: list[str] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)


def answers(plan: Plan) -> list[dict[str, Any]]:
    """Plain data for the attacks' program, in the order of the files' names."""
    found: dict[str, Answers] = {}
    for check in plan.checks:
        if check.kind not in ("files", "program"):
            _take(check, found.setdefault(check.file, Answers(check.file)))
    return [asdict(found[name]) for name in sorted(found)]


def _take(check: AnyCheck, into: Answers) -> None:
    if check.kind == "cell_value":
        _place(check.at, check.expect, into)
    elif check.kind == "range_table":
        into.tables.append((check.anchor.sheet or "", [column.header for column in check.columns], check.rows))
    elif check.kind in ("csv_table", "docx_table", "pdf_table", "pptx_table"):
        where = getattr(check, "under", None) or getattr(check, "slide", None) or ""
        into.tables.append((where, [column.header for column in check.columns], check.rows))
    elif check.kind == "docx_outline":
        into.headings += [(heading.level, heading.text) for heading in check.headings]
    elif check.kind == "docx_text":
        _texts(check.under, [*check.contains, *(check.paragraphs or ())], into)
    elif check.kind == "docx_revision":
        _texts(None, check.final, into)
    elif check.kind == "docx_comment":
        _texts(None, check.contains, into)
    elif check.kind == "pptx_slides":
        into.slides += check.titles
    elif check.kind in ("pptx_text", "pptx_notes"):
        _texts(check.slide, [*check.contains, *(getattr(check, "bullets", None) or ())], into)
    elif check.kind == "pdf_form":
        into.fields |= check.fields
    elif check.kind in ("pdf_text", "text"):
        whole = getattr(check, "equals", None)
        _texts(None, [*check.contains, *([whole] if whole else [])], into)


def _place(at: Where, value: Scalar, into: Answers) -> None:
    if at.cell:
        sheet, _, cell = at.cell.rpartition("!")
        into.cells.append((sheet.strip("'"), cell.replace("$", ""), value))
    else:
        into.labels.append((at.sheet or "", at.label or at.name or "", at.side, value))


def _texts(where: str | None, texts: Iterable[str], into: Answers) -> None:
    into.texts += [(where or "", text) for text in texts]
