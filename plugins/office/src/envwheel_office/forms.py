"""Writes the PDF forms that environments are given, byte-equal: a page of labels with AcroForm fields beside them.

form("Travel expenses", [Entry("name", "Name"), Entry("paid", "Advance paid", "box")], {"name": "Ann Lee"})

Viewers show what a field's own drawing holds: the form does not ask them to draw its values anew.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

LEFT, FIELD, WIDE, STEP = 56, 210, 300, 34
INK, PALE, LINE = HexColor("#1f2a44"), HexColor("#f4f6fa"), HexColor("#9aa5b8")


@dataclass(frozen=True, slots=True)
class Entry:
    """A field with its label. `fixed`: read-only. Of a radio group, `options` are the names of its states."""

    name: str
    label: str
    kind: Literal["text", "box", "choice", "radio"] = "text"
    options: tuple[str, ...] = ()
    fixed: bool = False


def form(title: str, entries: Sequence[Entry], values: Mapping[str, str], *, foot: str = "") -> bytes:
    """A form on one A4 page; a box is ticked where its value is "Yes"."""
    out = io.BytesIO()
    paper = canvas.Canvas(out, pagesize=A4, invariant=1, pageCompression=0)
    paper.setTitle(title)
    draw_form(paper, title, entries, values, foot=foot)
    paper.showPage()
    paper.save()
    # As long as "true", so that nothing moves: as if nothing were said of it.
    return out.getvalue().replace(b"/NeedAppearances true", b"/NeedAppearances null")


def draw_form(paper: Any, title: str, entries: Sequence[Entry], values: Mapping[str, str], *, foot: str = "") -> None:
    """The form on the page that `paper`, a reportlab canvas, is at."""
    down = A4[1] - 76
    paper.setFillColor(INK)
    paper.rect(0, A4[1] - 26, A4[0], 26, stroke=0, fill=1)
    paper.setFont("Helvetica-Bold", 18)
    paper.drawString(LEFT, down, title)
    paper.setStrokeColor(LINE)
    paper.line(LEFT, down - 10, A4[0] - LEFT, down - 10)
    for entry in entries:
        down -= STEP
        paper.setFillColor(INK)
        paper.setFont("Helvetica", 11)
        paper.drawString(LEFT, down - 4, entry.label)
        _draw_field(paper, entry, values.get(entry.name, ""), down - 10)
    if foot:
        paper.setFillColor(INK)
        paper.setFont("Helvetica-Oblique", 9)
        paper.drawString(LEFT, 48, foot)


def _draw_field(paper: Any, entry: Entry, value: str, y: float) -> None:
    fields, flags = paper.acroForm, "readOnly" if entry.fixed else ""
    look = {
        "borderColor": LINE, "fillColor": PALE, "textColor": INK, "borderWidth": 0.5, "forceBorder": True,
    }  # fmt: skip
    common = {"name": entry.name, "tooltip": entry.label, "x": FIELD, "y": y, **look}
    if entry.kind == "box":
        fields.checkbox(**common, checked=value == "Yes", size=16, buttonStyle="check", fieldFlags=flags)
    elif entry.kind == "radio":
        for at, option in enumerate(entry.options):
            left = FIELD + at * 90
            fields.radio(**{**common, "x": left}, value=option, selected=value == option, size=16, fieldFlags="radio")
            paper.setFillColor(INK)
            paper.drawString(left + 22, y + 5, option)
    elif entry.kind == "choice":
        flags = " ".join(filter(None, ("combo", flags)))
        options = list(entry.options)
        fields.choice(**common, width=WIDE, height=20, fontSize=11, value=value, options=options, fieldFlags=flags)
    else:
        fields.textfield(**common, width=WIDE, height=20, fontSize=11, value=value, fieldFlags=flags)
