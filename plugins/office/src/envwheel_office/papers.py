"""Writes the text documents and PDF that environments are given, byte-equal.

memo("Credit policy", ["Invoices are ...", ...])                a docx with a title and paragraphs
sheet_pdf([("Invoice", 16), ("Total due: 12.00", 10)])          a one-page PDF of lines
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from docx import Document
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

from envwheel_office.package import fixed


def memo(title: str, paragraphs: Sequence[str]) -> bytes:
    """A docx: the title as a heading, paragraphs as they are; one that begins with "- " is a bullet."""
    doc = Document()
    doc.add_heading(title, 1)
    for text in paragraphs:
        if text.startswith("- "):
            doc.add_paragraph(text[2:], style="List Bullet")
        else:
            doc.add_paragraph(text)
    return packed(doc)


def packed(document: Any) -> bytes:
    """The bytes of a python-docx or python-pptx document."""
    out = io.BytesIO()
    document.save(out)
    return fixed(out.getvalue())


def sheet_pdf(pages: Sequence[Sequence[tuple[float, float, str, float]]]) -> bytes:
    """A PDF on A4: each page is texts as (left, down, text, size), in points from the upper left corner."""
    out = io.BytesIO()
    paper = canvas.Canvas(out, pagesize=A4, invariant=1, pageCompression=0)
    for texts in pages:
        for left, down, text, size in texts:
            paper.setFont("Helvetica-Bold" if size > 12 else "Helvetica", size)
            paper.drawString(left, A4[1] - down, text)
        paper.showPage()
    paper.save()
    return out.getvalue()
