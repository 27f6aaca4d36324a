"""Seeded, realistic, invented data: people and firms from Faker, everything else from a `random.Random`.

draw = rng("invoice_ageing", level, seed)
names = Names(draw)
names.companies(8)
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache

from faker import Faker

DEPARTMENTS = (
    "Sales", "Marketing", "Finance", "Logistics", "Production", "Quality", "Purchasing", "Service",
    "Research", "Legal", "Facilities", "Training",
)  # fmt: skip
REGIONS = ("North", "South", "East", "West", "Central", "Coast", "Highlands", "Islands")
PRODUCTS = (
    "Desk lamp", "Office chair", "Filing cabinet", "Whiteboard", "Paper shredder", "Label printer", "Footrest",
    "Monitor arm", "Cable tray", "Desk pad", "Wall clock", "Key safe", "Hand truck", "Coat stand", "Letter tray",
    "Book rack",
)  # fmt: skip
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def rng(family: str, level: int, seed: int, salt: str = "") -> random.Random:
    """The source of everything that an environment draws: equal arguments, equal numbers, on every machine."""
    return random.Random(f"{family}/{level}/{seed}/{salt}")


@cache
def _faker() -> Faker:
    return Faker("en_US")


class Names:
    """Invented names, each given once."""

    def __init__(self, draw: random.Random) -> None:
        self._seed = draw.getrandbits(60)
        self._given: set[str] = set()

    def _take(self, make: Callable[[Faker], str], count: int) -> list[str]:
        fake = _faker()
        self._seed += 1
        fake.seed_instance(self._seed)
        taken: list[str] = []
        while len(taken) < count:
            text = make(fake)
            if text.casefold() not in self._given:
                self._given.add(text.casefold())
                taken.append(text)
        return taken

    def people(self, count: int) -> list[str]:
        """Given and last names, without titles."""
        return self._take(lambda fake: f"{fake.first_name()} {fake.last_name()}", count)

    def companies(self, count: int) -> list[str]:
        """Firms, without commas in their names."""
        return self._take(lambda fake: fake.company().replace(", ", " ").replace(" and ", " & "), count)

    def streets(self, count: int) -> list[str]:
        """Street addresses."""
        return self._take(lambda fake: fake.street_address().replace("\n", " "), count)

    def cities(self, count: int) -> list[str]:
        """Towns."""
        return self._take(lambda fake: fake.city(), count)


def mail(name: str) -> str:
    """An address for a person, at a domain that nobody has."""
    return ".".join(name.lower().replace("'", "").split()) + "@example.com"


def codes(draw: random.Random, prefix: str, count: int, digits: int = 4) -> list[str]:
    """Distinct codes as INV-0421, rising."""
    low = 10 ** (digits - 1)
    return [f"{prefix}{number}" for number in sorted(draw.sample(range(low, 10 * low), count))]


def money(draw: random.Random, low: float, high: float) -> float:
    """An amount with two decimals, never a half cent."""
    return round(draw.uniform(low, high), 2)


def day(draw: random.Random, first: date, last: date) -> date:
    """A day of an interval, both ends included."""
    return first + timedelta(days=draw.randint(0, (last - first).days))


def cents(value: float) -> float:
    """`value` rounded to two decimals, halves away from zero, as a spreadsheet's ROUND does."""
    scaled = abs(value) * 100
    return (int(scaled + 0.5 + 1e-7) / 100) * (1 if value >= 0 else -1)
