"""Questions to a SQLite database: a count, queries that are run on hidden databases, a slow query made fast."""

from __future__ import annotations

import random

from envwheel.api import Alternative, Mutant
from envwheel_swe.family import Recipe, SweFamily, swap, write_file
from envwheel_swe.naming import CITIES, person, rng
from envwheel_swe.repair import instruction, program, reword

ID = "sqlite_query"
THEMES = (
    {"zzclient": "customer", "zzdeal": "purchase", "zzback": "refund", "zzstore": "shop"},
    {"zzclient": "member", "zzdeal": "loan", "zzback": "payment", "zzstore": "library"},
    {"zzclient": "patient", "zzdeal": "visit", "zzback": "reimbursement", "zzstore": "clinic"},
    {"zzclient": "sponsor", "zzdeal": "pledge", "zzback": "withdrawal", "zzstore": "fund"},
)
STATUSES = ("paid", "open", "closed", "cancelled")

WRONG: dict[int, tuple[tuple[str, str, str], ...]] = {
    1: (
        ("year_too_long", "AND day < '2023-01-01'", ""),
        ("first_day_lost", "day >= '2022-01-01'", "day > '2022-01-01'"),
        ("no_tie_break", "ORDER BY total DESC, status", "ORDER BY total DESC, status DESC"),
        ("counts_kinds", "count(*) AS number", "count(DISTINCT cents) AS number"),
    ),
    2: (
        ("inner_join", "LEFT JOIN", "JOIN"),
        ("where_after_join", "AND d.status = 'paid'\n", "\nWHERE d.status = 'paid'\n"),
        ("null_totals", "coalesce(sum(d.cents), 0)", "sum(d.cents)"),
        ("by_name", "GROUP BY c.id", "GROUP BY c.name"),
        ("counts_absent", "count(d.id)", "count(*)"),
    ),
    3: (
        ("fan_out", "LEFT JOIN back AS b ON b.zzdeal_id = d.id", "LEFT JOIN zzbacks AS b ON b.zzdeal_id = d.id"),
        ("only_with_backs", "LEFT JOIN back", "JOIN back"),
        ("floating", "* 1000 /", "* 1000.0 /"),
        ("one_status", "IN ('paid', 'closed')", "= 'paid'"),
        ("empty_town", "coalesce(nullif(c.town, ''), 'unknown')", "coalesce(c.town, 'unknown')"),
    ),
    4: (
        ("peak_is_sum", "max(running) AS peak", "sum(cents) AS peak"),
        ("ties_ignored", "PARTITION BY zzclient_id ORDER BY day, id", "PARTITION BY zzclient_id ORDER BY day"),
        ("single_rows", "HAVING count(*) > 1\n", ""),
        ("last_by_id", "ORDER BY day DESC, id DESC) AS back", "ORDER BY id DESC) AS back"),
    ),
}
OTHER: dict[int, tuple[str, str]] = {
    1: ("day >= '2022-01-01' AND day < '2023-01-01'", "substr(day, 1, 4) = '2022'"),
    2: ("coalesce(sum(d.cents), 0)", "CAST(total(d.cents) AS INTEGER)"),
    3: (
        "LEFT JOIN back AS b ON b.zzdeal_id = d.id",
        "LEFT JOIN (SELECT d2.id AS zzdeal_id, sum(x.cents) AS cents FROM zzdeals AS d2 JOIN zzbacks AS x ON "
        "x.zzdeal_id = d2.id GROUP BY d2.id) AS b ON b.zzdeal_id = d.id",
    ),
    4: ("max(CASE WHEN back = 1 THEN status END)", "group_concat(CASE WHEN back = 1 THEN status END)"),
}


def rows(draw: random.Random, clients: int, deals: int) -> tuple[list[tuple], list[tuple], list[tuple]]:
    """The rows of the three tables."""
    people = [(n, person(draw)[0], draw.choice([*CITIES[:4], None, ""])) for n in range(1, clients + 1)]
    sales = [
        (n, draw.randint(1, clients), f"{draw.randint(2021, 2023)}-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}",
         draw.randrange(100, 9000), draw.choice(STATUSES))
        for n in range(1, deals + 1)
    ]  # fmt: skip
    backs = [(n, draw.randint(1, deals), draw.randrange(1, 500)) for n in range(1, deals // 2)]
    return people, sales, backs


def dump(tables: tuple[list[tuple], ...], names: tuple[str, ...]) -> str:
    """INSERT statements."""
    lines = []
    for name, table in zip(names, tables, strict=True):
        for row in table:
            values = ", ".join("NULL" if v is None else str(v) if isinstance(v, int) else f"'{v}'" for v in row)
            lines.append(f"INSERT INTO {name} VALUES ({values});\n")
    return "".join(lines)


def make(level: int, seed: int) -> Recipe:
    """Level 0: one count; 1: a group; 2: an outer join; 3: a fan-out; 4: a query that is right but slow."""
    draw = rng(ID, level, seed)
    theme = dict(draw.choice(THEMES))
    texts = program(ID, theme)
    tables = rows(draw, 20, 120)
    names = tuple(theme[key] + "s" for key in ("zzclient", "zzdeal", "zzback"))
    database = f"/app/{theme['zzstore']}.db"
    filling = f"BEGIN;\n{texts['schema.sql']}{dump(tables, names)}COMMIT;"
    setup = f"sqlite3 {database} <<'END_OF_SQL'\n{filling}\nEND_OF_SQL\n"
    status = draw.choice(STATUSES)
    told = instruction(ID, str(level), {**theme, "zzstatus": status})
    expect = {"level": level, "seed": f"{level}/{seed}", "tables": names, "theme": theme, "schema": texts["schema.sql"]}
    if level == 0:
        asked = f'sqlite3 {database} "SELECT count(*) FROM {names[1]} WHERE status'
        return Recipe(
            instruction=told,
            artifacts=("/app/count.txt",),
            solve=f"{asked} = '{status}'\" > /app/count.txt\n",
            check="sqlite_query",
            expect={**expect, "statuses": [row[4] for row in tables[1]], "status": status},
            setup=setup,
            mutants=(
                Mutant("the_others", "counts the other rows", f"{asked} <> '{status}'\" > /app/count.txt"),
                Mutant("all_rows", "counts every row", f"{asked} > ''\" > /app/count.txt"),
                Mutant("kinds", "counts clients", f"{asked} = '{status}'\" | sed 's/$/ rows/' > /app/count.txt"),
            ),
            alternatives=(
                Alternative("python", "asks with Python", python_count(database, names[1], status)),
                Alternative(
                    "no_newline", "writes no newline", f'printf %s "$({asked} = \'{status}\'")" > /app/count.txt'
                ),
            )[:1],
        )
    query = texts[f"{level}.sql"]
    right, other = (reword(text, theme) for text in OTHER[level])
    indexes = f"CREATE INDEX by_{theme['zzclient']} ON {names[1]} ({theme['zzclient']}_id, day, id);\n"
    wrong = [(id, swap(query, reword(old, theme), reword(new, theme))) for id, old, new in WRONG[level]]
    mutants = [Mutant(id, f"the query has the fault {id}", write_file("/app/report.sql", text)) for id, text in wrong]
    if level == 4:
        slow = write_file("/app/report.sql", texts["slow.sql"]) + write_file("/app/indexes.sql", indexes)
        mutants.insert(0, Mutant("index_only", "an index alone, the sums are still quadratic", slow))
    solve = write_file("/app/report.sql", query)
    return Recipe(
        instruction=told,
        artifacts=("/app/report.sql", "/app/indexes.sql") if level == 4 else ("/app/report.sql",),
        solve=solve + (write_file("/app/indexes.sql", indexes) if level == 4 else ""),
        check="sqlite_query",
        expect=expect,
        files={"schema.sql": texts["schema.sql"]} | ({"report.sql": texts["slow.sql"]} if level == 4 else {}),
        setup=setup,
        mutants=tuple(mutants[:4]),
        alternatives=(
            Alternative("other_query", "another query", write_file("/app/report.sql", swap(query, right, other))),
        ),
        skills=("data", "performance") if level == 4 else (),
    )


def python_count(database: str, table: str, status: str) -> str:
    """Bash that counts with Python's sqlite3."""
    ask = f"SELECT count(*) FROM {table} WHERE status = ?"
    return (
        "/usr/bin/python3 -c 'import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); "
        f'print(db.execute(sys.argv[2], (sys.argv[3],)).fetchone()[0])\' {database} "{ask}" {status} > /app/count.txt\n'
    )


FAMILY = SweFamily.of(ID, "Query a SQLite database", ("data",), make)
