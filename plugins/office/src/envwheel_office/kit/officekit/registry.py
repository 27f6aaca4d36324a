"""Which function judges which kind of check; a module is imported when a check of its kinds is judged."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from .bench import Bench, Score

JUDGES = {
    "judge_values": ("cell_value", "range_table", "csv_table", "text", "files"),
    "judge_formulas": ("formula", "metamorphic"),
    "judge_looks": ("style", "cond_format", "data_validation"),
    "judge_sheets": ("sheet", "chart", "pivot"),
    "judge_preserve": ("preserve",),
    "judge_docx": ("docx_outline", "docx_text", "docx_table", "docx_field", "page_setup"),
    "judge_markup": ("docx_revision", "docx_comment", "docx_style"),
    "judge_pptx": ("pptx_slides", "pptx_text", "pptx_chart", "pptx_table", "pptx_notes", "pptx_overflow"),
    "judge_pdf": ("pdf_text", "pdf_table", "pdf_form", "pdf_pages"),
    "judge_program": ("program",),
}
"""Module -> its functions, each called as the kind that it judges."""


def judge(kind: str) -> Callable[[Any, Bench], Score]:
    """The function that judges checks of `kind`."""
    module = next(name for name, kinds in JUDGES.items() if kind in kinds)
    return getattr(import_module(f".{module}", __package__), kind)
