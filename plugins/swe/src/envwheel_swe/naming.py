"""Seeded words for fixtures: names of people, products, hosts and files that look like a real project's."""

from __future__ import annotations

import random

PRODUCTS = (
    "ledger", "harbour", "quill", "beacon", "orchard", "lantern", "granary", "compass", "mosaic", "tundra",
    "pelican", "saffron", "juniper", "cobalt", "marlin", "thistle", "bramble", "osprey", "velvet", "cinder",
)  # fmt: skip
FOLDERS = (
    "data", "reports", "assets", "config", "scripts", "archive", "exports", "media", "notes", "drafts",
    "samples", "uploads", "modules", "records", "tables", "invoices",
)  # fmt: skip
NOUNS = (
    "summary", "inventory", "orders", "payments", "schedule", "contacts", "metrics", "backlog", "budget", "roster",
    "catalog", "receipts", "changes", "sessions", "tickets", "shipments", "readings", "stations", "members", "prices",
)  # fmt: skip
SCRIPTS = (
    "run", "deploy", "start", "build", "backup", "sync", "clean", "report", "update", "restore",
    "publish", "rotate", "check", "fetch", "install", "migrate",
)  # fmt: skip
FRUITS = (
    "apple", "banana", "cherry", "date", "elderberry", "fig", "grape", "kiwi", "lemon", "mango",
    "nectarine", "olive", "papaya", "quince", "raspberry", "plum", "peach", "pear", "apricot", "melon",
)  # fmt: skip
FIRST_NAMES = (
    "Amara", "Bruno", "Chidi", "Dalia", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas",
    "Keiko", "Lars", "Mina", "Noor", "Otto", "Priya", "Quentin", "Rosa", "Sven", "Tala",
)  # fmt: skip
LAST_NAMES = (
    "Abara", "Berg", "Castro", "Dietrich", "Eklund", "Fischer", "Garcia", "Haddad", "Ivanov", "Jensen",
    "Kowalski", "Lindholm", "Moreau", "Nakamura", "Okafor", "Petrov", "Quinn", "Rossi", "Silva", "Tanaka",
)  # fmt: skip
CITIES = (
    "Bergen", "Lyon", "Porto", "Graz", "Turku", "Leiden", "Malmo", "Gdansk", "Bari", "Cork",
    "Split", "Tartu", "Brno", "Ghent", "Cadiz", "Basel",
)  # fmt: skip
HOSTS = ("web", "db", "cache", "queue", "edge", "auth", "mail", "build", "proxy", "search")
DOMAINS = ("example.com", "example.org", "example.net")


def rng(family: str, level: int, seed: int, salt: str = "") -> random.Random:
    """The source of everything that an environment draws: equal arguments, equal numbers, on every machine."""
    return random.Random(f"{family}/{level}/{seed}/{salt}")


def person(draw: random.Random) -> tuple[str, str]:
    """A full name and its e-mail address."""
    first, last = draw.choice(FIRST_NAMES), draw.choice(LAST_NAMES)
    return f"{first} {last}", f"{first.lower()}.{last.lower()}@{draw.choice(DOMAINS)}"


def host(draw: random.Random) -> str:
    """A host name such as `db-07`."""
    return f"{draw.choice(HOSTS)}-{draw.randint(1, 24):02d}"


def address(draw: random.Random) -> str:
    """An IPv4 address of a documentation range."""
    return f"{draw.choice(('192.0.2', '198.51.100', '203.0.113'))}.{draw.randint(1, 254)}"


def day(draw: random.Random, first_year: int = 2019, last_year: int = 2023) -> str:
    """A date YYYY-MM-DD that lies safely in the past."""
    return f"{draw.randint(first_year, last_year)}-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}"


def words(draw: random.Random, count: int) -> str:
    """`count` lower-case words, separated by blanks."""
    return " ".join(draw.choice(NOUNS + FOLDERS + FRUITS) for _ in range(count))
