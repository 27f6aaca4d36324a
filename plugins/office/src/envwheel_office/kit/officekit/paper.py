"""Paper sizes, in points and by name."""

from __future__ import annotations

PAPERS = {"A3": (841.9, 1190.6), "A4": (595.3, 841.9), "A5": (419.5, 595.3), "Letter": (612.0, 792.0)}
SLACK = 3.0
"""Points by which a page may differ from its paper: producers round."""


def paper_name(width: float, height: float) -> str:
    """ "A4" for a page of that size, whichever way it is turned; "210 x 297 mm" for other sizes."""
    short, long = sorted((width, height))
    for name, (across, down) in PAPERS.items():
        if abs(short - across) <= SLACK and abs(long - down) <= SLACK:
            return name
    return f"{millimetres(width):.0f} x {millimetres(height):.0f} mm"


def millimetres(points: float) -> float:
    """Points as millimetres."""
    return points * 25.4 / 72
