"""Text into files: from writing one word to incidents out of a log with stack traces."""

from __future__ import annotations

import csv
import io
import random
from typing import Any

from envwheel.api import Alternative, Mutant
from envwheel_swe import naming
from envwheel_swe.families.text_extract_traces import incidents
from envwheel_swe.family import Recipe, SweFamily, mutated, python, swap

ID = "text_extract"


def make(level: int, seed: int) -> Recipe:
    """One environment of this family."""
    draw = naming.rng(ID, level, seed)
    if level == 0:
        return write_word(draw) if seed % 2 == 0 else draw.choice((sort_lines, count_lines, first_lines))(draw)
    return (failing_hosts, services, join_orders, incidents)[level - 1](draw)


def text_output(path: str, value: str) -> dict[str, Any]:
    """expect.json for one text file."""
    return {"outputs": {path: {"as": "text", "value": value}}}


def write_word(draw: random.Random) -> Recipe:
    """Level 0: write a word to a file."""
    name, word, other = draw.choice(naming.NOUNS), *draw.sample(naming.FRUITS, 2)
    phrase = draw.choice(("Write the word {word} to the file /app/{name}.txt.", "Write the word {word} to {name}.txt."))
    path = f"/app/{name}.txt"
    return Recipe(
        instruction=phrase.format(word=word, name=name),
        artifacts=(path,),
        files={"readme.txt": "Words are kept here.\n"},
        solve=f"echo {word} > {path}",
        check="outputs",
        expect=text_output(path, word),
        mutants=(
            Mutant("other", "another word", f"echo {other} > {path}"),
            Mutant("twice", "the word is there twice", f"echo {word} >> {path}"),
            Mutant("command", "the command was written too", f"echo 'echo {word}' > {path}"),
        ),
        alternatives=(Alternative("no_newline", "without a last newline", f"printf %s {word} > {path}"),),
        knobs={"variant": "word"},
    )


def sort_lines(draw: random.Random) -> Recipe:
    """Level 0: sort a file's lines."""
    name = draw.choice(naming.NOUNS)
    lines = draw.sample(naming.FRUITS, 9)
    while lines == sorted(lines) or lines == sorted(lines, reverse=True):
        draw.shuffle(lines)
    return Recipe(
        instruction=f"Sort the lines of /app/{name}.txt and write them to /app/sorted.txt.",
        artifacts=("/app/sorted.txt",),
        files={f"{name}.txt": "\n".join(lines) + "\n"},
        solve=f"LC_ALL=C sort /app/{name}.txt > /app/sorted.txt",
        check="outputs",
        expect=text_output("/app/sorted.txt", "\n".join(sorted(lines))),
        mutants=(
            Mutant("reversed", "the wrong way round", f"LC_ALL=C sort -r /app/{name}.txt > /app/sorted.txt"),
            Mutant("copied", "not sorted", f"cp /app/{name}.txt /app/sorted.txt"),
            Mutant("short", "the last line is missing", "sed -i '$d' /app/sorted.txt"),
        ),
        alternatives=(
            Alternative("python", "in Python", python(
                f"open('/app/sorted.txt', 'w').writelines(sorted(open('/app/{name}.txt')))")),
        ),
        knobs={"variant": "sort"},
    )  # fmt: skip


def count_lines(draw: random.Random) -> Recipe:
    """Level 0: count a file's lines."""
    name, count = draw.choice(naming.NOUNS), draw.randint(11, 60)
    text = "".join(f"{naming.words(draw, 3)}\n" for _ in range(count))
    source = f"/app/{name}.txt"
    return Recipe(
        instruction=f"Count the lines of {source} and write the number to /app/count.txt.",
        artifacts=("/app/count.txt",),
        files={f"{name}.txt": text},
        solve=f"wc -l < {source} > /app/count.txt",
        check="outputs",
        expect={"outputs": {"/app/count.txt": {"as": "number", "value": count, "names": [source, f"{name}.txt"]}}},
        mutants=(
            Mutant("one_off", "one too many", f"echo {count + 1} > /app/count.txt"),
            Mutant("words", "words, not lines", f"wc -w < {source} > /app/count.txt"),
            Mutant("bytes", "all three counts", f"wc {source} | tr -s ' ' > /app/count.txt"),
        ),
        alternatives=(Alternative("with_name", "as wc prints it", f"wc -l {source} > /app/count.txt"),),
        knobs={"variant": "count"},
    )


def first_lines(draw: random.Random) -> Recipe:
    """Level 0: the first lines of a file."""
    name, count = draw.choice(naming.NOUNS), draw.randint(2, 5)
    lines = [naming.words(draw, 3) for _ in range(12)]
    return Recipe(
        instruction=f"Write the first {count} lines of /app/{name}.txt to /app/first.txt.",
        artifacts=("/app/first.txt",),
        files={f"{name}.txt": "\n".join(lines) + "\n"},
        solve=f"head -n {count} /app/{name}.txt > /app/first.txt",
        check="outputs",
        expect=text_output("/app/first.txt", "\n".join(lines[:count])),
        mutants=(
            Mutant("last", "the last lines", f"tail -n {count} /app/{name}.txt > /app/first.txt"),
            Mutant("one_more", "one line too many", f"head -n {count + 1} /app/{name}.txt > /app/first.txt"),
        ),
        alternatives=(Alternative("sed", "with sed", f"sed {count}q /app/{name}.txt > /app/first.txt"),),
        knobs={"variant": "head"},
    )


def failing_hosts(draw: random.Random) -> Recipe:
    """Level 1: failures for each host, most first."""
    hosts = sorted({naming.host(draw) for _ in range(9)})
    counts: dict[str, int] = {}
    lines = []
    for _ in range(140):
        host, status = draw.choice(hosts), draw.choice((200, 200, 204, 301, 404, 500, 502, 503))
        size = draw.choice((500, 512, draw.randint(1, 9000)))
        lines.append(f"{host} GET /{draw.choice(naming.NOUNS)}/{draw.randint(500, 599)} {status} {size}")
        if status >= 500:
            counts[host] = counts.get(host, 0) + 1
    want = "".join(f"{host} {n}\n" for host, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    solve = """awk '$4 >= 500 && $4 <= 599 { n[$1]++ } END { for (h in n) print h, n[h] }' /app/access.log \\
  | LC_ALL=C sort -k2,2nr -k1,1 > /app/failing.txt"""
    return Recipe(
        instruction=(
            "Each line of /app/access.log is `HOST METHOD PATH STATUS BYTES`, separated by single blanks. Write to "
            "/app/failing.txt how many requests of each host failed with a status from 500 to 599: a line `HOST COUNT` "
            "for each host with at least one, the highest count first, hosts with equal counts in byte order."
        ),
        artifacts=("/app/failing.txt",),
        files={"access.log": "\n".join(lines) + "\n"},
        solve=solve,
        check="outputs",
        expect=text_output("/app/failing.txt", want),
        mutants=(
            Mutant("any_five", "5xx anywhere in the line counts",
                   swap(solve, "$4 >= 500 && $4 <= 599", "/ 5[0-9][0-9]/")),
            Mutant("ties", "hosts with equal counts the wrong way round", swap(solve, "-k1,1", "-k1,1r")),
            Mutant("from_400", "client errors count too", swap(solve, "$4 >= 500", "$4 >= 400")),
        ),
        alternatives=(
            Alternative("uniq", "with uniq", "awk '$4 ~ /^5/ { print $1 }' /app/access.log | LC_ALL=C sort | uniq -c "
                        "| awk '{ print $2, $1 }' | LC_ALL=C sort -k2,2nr -k1,1 > /app/failing.txt"),
        ),
    )  # fmt: skip


SERVICES = """
import re

rows = {}
for line in open("/app/events.log", encoding="utf-8"):
    fields = {}
    for match in re.finditer(r'(\\w+)=("((?:[^"\\\\]|\\\\.)*)"|\\S*)', line):
        value = match[3] if match[2].startswith('"') else match[2]
        fields[match[1]] = re.sub(r"\\\\(.)", r"\\1", value)
    if fields.get("level") not in ("warn", "error") or "service" not in fields:
        continue
    row = rows.setdefault(fields["service"], [0, 0, 0, ""])
    row[0] += 1
    row[1] += fields["level"] == "error"
    if "ms" in fields:
        row[2] = max(row[2], int(fields["ms"]))
    row[3] = fields.get("msg", row[3])
with open("/app/services.tsv", "w", encoding="utf-8") as out:
    for service, row in sorted(rows.items()):
        print(service, *row, sep="\\t", file=out)
"""


def services(draw: random.Random) -> Recipe:
    """Level 2: key=value logs with quoted values, summed up for each service."""
    names = draw.sample(naming.PRODUCTS, 5)
    messages = ["timeout", "disk is full", 'bad "quote" in input', "level=error ms=99999 service=fake", "retry\\later"]
    rows: dict[str, list[Any]] = {}
    lines = []
    for number in range(90):
        level, service = draw.choice(("info", "warn", "error", "debug")), draw.choice(names)
        msg, ms = draw.choice(messages), draw.choice((None, draw.randint(1, 4000)))
        if number >= 84:
            level, msg = "error", messages[2 + number % 3]
        quoted = msg.replace("\\", "\\\\").replace('"', '\\"')
        pairs = [f"level={level}", f'msg="{quoted}"' if msg != "timeout" else "msg=timeout"]
        if number % 11 != 5:
            pairs.append(f"service={service}")
        if ms is not None:
            pairs.append(f"ms={ms}")
        draw.shuffle(pairs)
        minute = number * 7
        lines.append(f"2021-03-0{1 + number // 40}T{minute // 60 % 24:02d}:{minute % 60:02d}:00Z " + " ".join(pairs))
        if level in ("warn", "error") and number % 11 != 5:
            row = rows.setdefault(service, [0, 0, 0, ""])
            row[0], row[1], row[3] = row[0] + 1, row[1] + (level == "error"), msg
            row[2] = max(row[2], ms or 0)
    want = "".join("\t".join(map(str, (name, *row))) + "\n" for name, row in sorted(rows.items()))
    return Recipe(
        instruction="""
Each line of /app/events.log is a timestamp followed by pairs `key=value`, separated by single blanks, in any order. A
value is plain (no blanks or quotes) or in double quotes; within quotes `\\"` stands for a quote and `\\\\` for a
backslash, and what looks like a pair within quotes is none.

Write /app/services.tsv from the lines whose `level` is `warn` or `error` and that have a `service`: for each service
one line, sorted by service in byte order, with these five columns separated by tabs: the service, the number of such
lines, how many of them are `error`, the highest `ms` among them (0 when none has one), and the `msg` of the last of
them, without quotes and escapes.
""",
        artifacts=("/app/services.tsv",),
        files={"events.log": "\n".join(lines) + "\n"},
        solve=python(SERVICES),
        check="outputs",
        expect=text_output("/app/services.tsv", want),
        mutants=mutated(SERVICES, python, (
            ("quotes_ignored", "pairs within quotes count",
             """=("((?:[^"\\\\]|\\\\.)*)"|\\S*)'""", """=("?([^" ]*)"?)'"""),
            ("escapes_kept", "backslashes stay", 're.sub(r"\\\\(.)", r"\\1", value)', "value"),
            ("warnings_only", "errors are left out", '("warn", "error")', '("warn",)'),
            ("first_msg", "the first message",
             'row[3] = fields.get("msg", row[3])', 'row[3] = row[3] or fields.get("msg")'),
        )),
    )  # fmt: skip


JOIN = """
import csv

with open("/app/customers.csv", newline="", encoding="utf-8") as file:
    customers = {row["id"].strip(): row for row in csv.DictReader(file)}
totals, unknown = {}, []
with open("/app/orders.csv", newline="", encoding="utf-8") as file:
    for row in csv.DictReader(file):
        if row["status"] == "cancelled":
            continue
        key = row["customer"].strip()
        if key not in customers:
            unknown.append(row["order"])
            continue
        euros, _, cents = row["amount"].partition(".")
        amount = int(euros) * 100 + int(cents.ljust(2, "0") or 0)
        count, total = totals.get(key, (0, 0))
        totals[key] = (count + 1, total + (amount if row["status"] != "refunded" else -amount))
rows = []
for key, (count, total) in totals.items():
    sign = "-" if total < 0 else ""
    rows.append((-total, customers[key]["name"], [key, customers[key]["name"], count,
                 f"{sign}{abs(total) // 100}.{abs(total) % 100:02d}"]))
with open("/app/totals.csv", "w", newline="", encoding="utf-8") as file:
    writer = csv.writer(file, lineterminator="\\n")
    writer.writerow(["id", "name", "orders", "total"])
    writer.writerows(row for _, _, row in sorted(rows))
with open("/app/unknown.txt", "w", encoding="utf-8") as file:
    file.writelines(order + "\\n" for order in sorted(unknown, key=int))
"""


def join_orders(draw: random.Random) -> Recipe:
    """Level 3: two CSV files are joined, with quoting, refunds, unknown keys and exact sums."""
    ids = [f"{n:04d}" for n in draw.sample(range(1, 9999), 9)]
    people = [naming.person(draw)[0] for _ in ids]
    names = [
        f'{who}, "{draw.choice(naming.CITIES)}"' if i % 3 == 0 else who + " é" * (i % 2) for i, who in enumerate(people)
    ]
    customers = [[key, name, draw.choice(naming.CITIES)] for key, name in zip(ids, names, strict=True)]
    orders, unknown = [], []
    totals: dict[str, list[int]] = {}
    for number in draw.sample(range(1, 2000), 70):
        index, cents = draw.randrange(8), draw.randint(1, 30000)
        status = draw.choice(("paid", "paid", "open", "refunded", "cancelled"))
        key = ids[index] if number % 9 else f"{draw.randint(10000, 20000)}"
        written = f"{cents // 100}.{cents % 100:02d}"
        written = written[:-3] if cents % 100 == 0 else written[:-1] if cents % 10 == 0 else written
        note = draw.choice(("", "left at the door", 'call, then "ring"', "two\nlines"))
        orders.append([number, f" {key}" if number % 5 == 0 else key, written, status, note])
        if status != "cancelled" and number % 9 == 0:
            unknown.append(number)
        elif status != "cancelled":
            row = totals.setdefault(key, [0, 0])
            row[0], row[1] = row[0] + 1, row[1] + (-cents if status == "refunded" else cents)
    ranked = sorted(totals, key=lambda key: (-totals[key][1], names[ids.index(key)]))
    want = [["id", "name", "orders", "total"]]
    for key in ranked:
        count, cents = totals[key]
        sign = "-" * (cents < 0)
        want.append([key, names[ids.index(key)], str(count), f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"])
    return Recipe(
        instruction="""
Join /app/customers.csv (columns id, name, city) and /app/orders.csv (columns order, customer, amount, status, note).
Both are UTF-8 CSV with a header line; fields may be quoted, and quoted fields may hold commas, doubled quotes and line
breaks. `customer` is an id of a customer, perhaps with blanks around it. `amount` is a number of euros with no, one or
two decimals.

1. /app/totals.csv: a CSV file with the header `id,name,orders,total` and a row for each customer with at least one
   order that is not `cancelled`: the id, the name, the number of these orders, and the sum of their amounts, where
   those of `refunded` orders are subtracted. The sum is exact, with two decimals (`-3.50`, `0.00`). Rows are sorted by
   the sum, highest first, then by name in order of code points. Fields are quoted only where they must be, quotes are
   doubled, lines end with a newline alone.
2. /app/unknown.txt: the order numbers, one a line in rising order, of orders that are not `cancelled` and whose
   customer is not in customers.csv.
""",
        artifacts=("/app/totals.csv", "/app/unknown.txt"),
        files={"customers.csv": table([["id", "name", "city"], *customers]),
               "orders.csv": table([["order", "customer", "amount", "status", "note"], *orders])},
        solve=python(JOIN),
        check="outputs",
        expect={"outputs": {
            "/app/totals.csv": {"as": "text", "value": table(want)},
            "/app/unknown.txt": {"as": "text", "value": "".join(f"{number}\n" for number in sorted(unknown))},
        }},
        mutants=mutated(JOIN, python, (
            ("refunds_added", "refunds are added", "else -amount", "else amount"),
            ("decimals", "one decimal is taken for cents", 'cents.ljust(2, "0")', "cents"),
            ("blanks", "ids with blanks are unknown", 'key = row["customer"].strip()', 'key = row["customer"]'),
            ("text_order", "numbers sorted as text", "sorted(unknown, key=int)", "sorted(unknown)"),
        )),
        skills=("text", "data"),
    )  # fmt: skip


def table(rows: list[list[Any]]) -> str:
    """`rows` as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


FAMILY = SweFamily.of(ID, "Text extraction", ("text",), make)
