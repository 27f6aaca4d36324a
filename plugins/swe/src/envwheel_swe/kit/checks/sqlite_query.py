"""Runs the candidate's SQL as nobody on fresh databases; the wanted rows are computed here from the same numbers."""

import json
import re
import sys
from datetime import date
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, "/tests/kit")
import grade

EXPECT = json.loads(Path("/tests/expect.json").read_text())
COLUMNS = {
    1: ["status", "number", "total"],
    2: ["name", "town", "number", "total"],
    3: ["month", "town", "number", "gross", "given_back", "permille"],
    4: [EXPECT["theme"]["zzclient"], "number", "longest_gap", "peak", "last_status", "same_day"],
}
STEPS = 10_000_000
# Only SQL comes from the candidate; a process of nobody's runs it, so that it can spend no memory of the checker's.
DRIVER = """
import json, sqlite3, sys
job = json.load(sys.stdin)
db = sqlite3.connect(":memory:")
db.executescript(job["schema"])
for name, rows in job["rows"].items():
    if rows:
        db.executemany("INSERT INTO %s VALUES (%s)" % (name, ", ".join("?" * len(rows[0]))), rows)
db.commit()
for line in job["indexes"]:
    db.execute(line)
allowed = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
db.set_authorizer(lambda action, *rest: sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY)
steps = 0
def count():
    global steps
    steps += 1000
    return steps > job["steps"]
db.set_progress_handler(count, 1000)
try:
    cursor = db.execute(job["query"])
    found = {"columns": [item[0] for item in cursor.description or ()], "rows": cursor.fetchmany(5000)}
except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
    found = {"error": "too many steps" if steps > job["steps"] else str(error)}
print(json.dumps(found, default=str))
"""


def draw_rows(rng, clients, deals):
    towns = rng.choice([["north", "South", "south", None, ""], ["x", "unknown", None, ""], ["", None]])
    people = [
        [n, rng.choice(["Ann", "Bo", "Cy", "Di", "Ed"]) + str(n % 7), rng.choice(towns)] for n in range(1, clients + 1)
    ]
    ids = rng.sample(range(1, 3 * deals + 1), deals)
    busy = [min(clients, 1 + int(rng.expovariate(0.15))) for _ in range(deals)]
    days = [
        f"{rng.choice([2021, 2022, 2022, 2023])}-{rng.randint(1, 12):02d}-{rng.choice([1, 2, 15, 28])}" for _ in ids
    ]
    days = [re.sub(r"-(\d)$", r"-0\1", day) for day in days]
    days[: deals // 20] = [
        rng.choice(["2022-01-01", "2022-12-31", "2021-12-31", "2023-01-01"]) for _ in days[: deals // 20]
    ]
    spread = deals > 5000
    owners = [rng.randint(1, clients) if spread and rng.random() < 0.85 else owner for owner in busy]
    owners = [1 if spread and rng.random() < 0.12 else owner for owner in owners]
    statuses = ["paid", "open", "closed", "cancelled", "PAID", ""]
    sales = [
        [n, c, d, rng.choice([0, 1, 999, -50, rng.randrange(10**5)]), rng.choice(statuses)]
        for n, c, d in zip(ids, owners, days, strict=True)
    ]
    backs = (
        [[n, rng.choice(ids), rng.choice([0, 1, rng.randrange(10**4)])] for n in range(1, deals + 1)]
        if deals < 5000
        else []
    )
    if EXPECT["level"] == 3:
        sales = [[n, c, d, abs(cents), s] for n, c, d, cents, s in sales]
    return people, sales, backs


def want_1(people, sales, backs):
    sums = {}
    for _, _, day, cents, status in sales:
        if day[:4] == "2022":
            number, total = sums.get(status, (0, 0))
            sums[status] = (number + 1, total + cents)
    return sorted(([status, *pair] for status, pair in sums.items()), key=lambda row: (-row[2], row[0]))


def want_2(people, sales, backs):
    rows = []
    for id, name, town in people:
        paid = [sale[3] for sale in sales if sale[1] == id and sale[4] == "paid"]
        rows.append((-sum(paid), id, [name, town or "unknown", len(paid), sum(paid)]))
    return [row for _, _, row in sorted(rows)]


def want_3(people, sales, backs):
    towns = {id: town or "unknown" for id, _, town in people}
    given, groups = {}, {}
    for _, deal, cents in backs:
        given[deal] = given.get(deal, 0) + cents
    for id, client, day, cents, status in sales:
        if status in ("paid", "closed"):
            group = groups.setdefault((day[:7], towns[client]), [0, 0, 0])
            for at, value in enumerate((1, cents, given.get(id, 0))):
                group[at] += value
    rows = [[*key, n, gross, back, back * 1000 // gross if gross else 0] for key, (n, gross, back) in groups.items()]
    return sorted(rows, key=lambda row: (row[0], -row[4], row[1]))


def want_4(people, sales, backs):
    by_client = {}
    for id, client, day, cents, status in sales:
        by_client.setdefault(client, []).append((day, id, cents, status))
    rows = []
    for client, deals in by_client.items():
        deals.sort()
        if len(deals) > 1:
            days = [date.fromisoformat(deal[0]) for deal in deals]
            gaps = [(b - a).days for a, b in pairwise(days)]
            running = [sum(deal[2] for deal in deals[: at + 1]) for at in range(len(deals))]
            rows.append([client, len(deals), max(gaps), max(running), deals[-1][3], gaps.count(0)])
    return sorted(rows, key=lambda row: (-row[2], row[0]))


def index_statements():
    if not Path("/app/indexes.sql").is_symlink() and not Path("/app/indexes.sql").exists():
        return []
    text = grade.read_text("/app/indexes.sql", 5000)
    grade.need(text is not None, "/app/indexes.sql is no plain text file")
    text = re.sub(r"--[^\n]*", "", text)
    lines = [part.strip() for part in text.split(";") if part.strip()]
    tables = "|".join(EXPECT["tables"])
    one = rf"CREATE\s+(UNIQUE\s+)?INDEX\s+(IF\s+NOT\s+EXISTS\s+)?\w+\s+ON\s+({tables})\s*\([\w\s,]*\)"
    fine = len(lines) <= 3 and all(re.fullmatch(one, line, re.IGNORECASE) for line in lines)
    grade.need(fine, "/app/indexes.sql holds something else than at most three plain CREATE INDEX statements")
    return lines


def ask(query, indexes, tables, steps):
    job = {"schema": EXPECT["schema"], "rows": dict(zip(EXPECT["tables"], tables, strict=True)), "query": query}
    job |= {"indexes": indexes, "steps": steps}
    ran = grade.run(
        ["/usr/bin/python3", "-I", "-c", DRIVER], stdin=json.dumps(job).encode(), timeout=60, output_limit=4_000_000
    )
    grade.need(ran.code == 0, f"the query could not be run: {ran.err[-150:]!r}")
    found = json.loads(ran.out)
    grade.need("error" not in found, f"the query failed: {str(found.get('error'))[:150]}")
    return found


def queries(g, level):
    rng = grade.rng(EXPECT["seed"])
    query = grade.read_text("/app/report.sql", 20_000)
    g.check("is a plain text", query is not None, "/app/report.sql is no plain text file")
    sizes = [(1, 1), (3, 12), (30, 200), (60, 600)] + ([(400, 20_000)] if level == 4 else [])
    databases = [([], [], []), *(draw_rows(rng, *size) for size in sizes)]
    if level in (2, 3):
        databases.append(([[1, "Ann", None]], [[1, 1, "2022-05-01", 0, "paid"]], [[1, 1, 7]]))
    if level == 1:
        tie = [
            [n, 1, "2022-05-01", cents, status]
            for n, cents, status in ((1, 5, "b"), (2, 5, "a"), (3, 3, "B"), (4, 2, "B"))
        ]
        databases.append(([], tie, []))
    for number, tables in enumerate(databases if query is not None else []):
        with g.case(f"database {number}"):
            found = ask(query, index_statements() if level == 4 else [], tables, STEPS if level == 4 else 50_000_000)
            grade.need(found["columns"] == COLUMNS[level], f"the columns are {found['columns'][:10]}")
            wanted = (want_1, want_2, want_3, want_4)[level - 1](*tables)
            got = found["rows"]
            odd = next((pair for pair in zip(got, wanted, strict=False) if pair[0] != pair[1]), (len(got), len(wanted)))
            same_kinds = [[type(value) for value in row] for row in got] == [[type(v) for v in row] for row in wanted]
            grade.need(
                got == wanted and same_kinds,
                f"wrong rows with {len(tables[1])} rows to look at: got, wanted {str(odd)[:200]}",
            )


def main():
    g = grade.Grade()
    if EXPECT["level"] > 0:
        queries(g, EXPECT["level"])
    else:
        text = grade.read_text("/app/count.txt", 1000)
        wanted = str(EXPECT["statuses"].count(EXPECT["status"]))
        g.check("count", text is not None and text.strip() == wanted, "/app/count.txt does not hold the number")
    g.finish()


main()
