"""How clean values become dirty ones: the spellings that exports are full of."""

from __future__ import annotations

import random
from datetime import date

HEAD = ["Order", "Date", "Customer", "Country", "Amount"]
COUNTRIES = {
    "Germany": ("germany", "DE", "Deutschland"),
    "France": ("FRANCE", "FR", "france"),
    "Spain": ("spain", "ES", "Espana"),
    "Netherlands": ("NL", "Holland", "The Netherlands"),
    "Czech Republic": ("CZ", "czech republic", "Czechia"),
}
"""Country -> further spellings."""
READ = """\
def text(item):
    return " ".join(item.split())

def day(item):
    for form in ("%Y-%m-%d", "%d.%m.%Y", "%d %b %Y"):
        try:
            return datetime.datetime.strptime(text(item), form).date()
        except ValueError:
            pass
"""
"""Of the references: a cell's text without its dirt, and its date."""


def dirty_text(draw: random.Random, text: str) -> str:
    """The text with blanks around it or doubled within it, sometimes."""
    if draw.random() < 0.3:
        text = draw.choice(("  ", " ", "")) + text + draw.choice(("  ", " "))
    return text.replace(" ", "  ") if draw.random() < 0.15 else text


def dirty_date(draw: random.Random, day: date) -> str:
    """ISO, with points, or with the month's name."""
    month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][day.month - 1]
    return draw.choice((day.isoformat(), f"{day:%d.%m.%Y}", f"{day.day} {month} {day.year}"))


def dirty_amount(draw: random.Random, amount: float) -> str:
    """With a currency, thousands separators, and three ways of minus."""
    text = draw.choice((f"{abs(amount):.2f}", f"{abs(amount):,.2f}"))
    if amount < 0:
        text = draw.choice((f"-{text}", f"{text}-", f"({text})"))
    elif draw.random() < 0.2:
        text = f"EUR {text}"
    return text
