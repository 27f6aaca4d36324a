"""Scripts that turn logs into reports, run on hidden logs: from a line count to latency windows over rotated files."""

from __future__ import annotations

import gzip
import json
import random
from typing import Any

from envwheel.api import Alternative, Mutant
from envwheel_swe import cases, naming
from envwheel_swe.families.log_pipeline_windows import windows
from envwheel_swe.family import Recipe, SweFamily, mutated, write_file

ID = "log_pipeline"


def make(level: int, seed: int) -> Recipe:
    """One environment of this family."""
    return (counter, errors, top_clients, sessions, windows)[level](naming.rng(ID, level, seed))


def counter(draw: random.Random) -> Recipe:
    """Level 0: a script that counts."""
    name = draw.choice(naming.SCRIPTS)
    word = draw.choice(("ERROR", "WARN", "DEBUG", "FATAL"))
    path = f"/app/{name}.sh"
    body = f'#!/bin/bash\ngrep -c {word} "$1" || true\n'
    hidden = []
    for number in range(4):
        lines = [
            f"{draw.choice(('ERROR', 'WARN', 'DEBUG', 'FATAL', 'INFO'))} {naming.words(draw, 3)}" for _ in range(9)
        ]
        lines = [line for line in lines if word not in line] if number == 3 else [*lines, f"x {word} {word}"]
        count = sum(word in line for line in lines)
        hidden.append(cases.case(f"log {number}", ("a log.txt",), files={"a log.txt": "\n".join(lines) + "\n"},
                                 out=f"{count}\n"))  # fmt: skip
    return Recipe(
        instruction=(
            f"Write the script {path}. Run as `bash {path} FILE` it prints how many lines of FILE contain the word "
            f"{word}: only the number, 0 when there is none. FILE may have blanks in its name."
        ),
        artifacts=(path,),
        files={"sample.log": f"INFO start\n{word} one\n{word} two {word}\n"},
        solve=write_file(path, body),
        check="program",
        expect=cases.program(path, hidden),
        mutants=(
            Mutant("words", "counts words, not lines", write_file(path, f'grep -o {word} "$1" | wc -l')),
            Mutant("sample", "always the sample's number", write_file(path, "echo 2")),
            Mutant("unquoted", "names with blanks fail", write_file(path, f"grep -c {word} $1 || true")),
        ),
        alternatives=(
            Alternative("awk", "with awk", write_file(path, f"awk '/{word}/ {{ n++ }} END {{ print n+0 }}' \"$1\"")),
        ),
    )  # fmt: skip


ERRORS = """#!/bin/bash
sed -nE 's/^[^ ]+ ERROR ([a-z]+): (.*)$/\\1: \\2/p' \\
  | sed -E 's/[0-9]+/N/g' | LC_ALL=C sort | uniq -c | LC_ALL=C sort -k1,1nr -k2 | sed -E 's/^ *([0-9]+) /\\1\\t/'
"""


def errors(draw: random.Random) -> Recipe:
    """Level 1: a filter that groups error messages, numbers masked."""
    path = f"/app/{draw.choice(naming.NOUNS)}.sh"
    hidden = [errors_case(draw, f"log {number}", size) for number, size in enumerate((60, 120, 1, 0))]
    return Recipe(
        instruction=f"""
Write {path}, a filter that is run as `bash {path} < LOG`. Lines of the log are `TIME LEVEL SERVICE: MESSAGE`, where
TIME and LEVEL hold no blanks and SERVICE is made of small letters. From the lines with the level `ERROR` it groups
`SERVICE: MESSAGE`, with every run of digits in it replaced by one `N`, and prints for each group its count, a tab and
the group, the highest count first, equal counts in byte order of the groups. Lines of another shape, and lines that
only mention ERROR elsewhere, do not count; an empty log gives no output. Only {path} is graded, on other logs.
""",
        artifacts=(path,),
        files={"sample.log": "08:00:01 ERROR db: query 17 took 2400 ms\n08:00:09 INFO web: ERROR page shown\n"},
        solve=write_file(path, ERRORS),
        check="program",
        expect=cases.program(path, hidden),
        mutants=mutated(ERRORS, lambda text: write_file(path, text), (
            ("digits_kept", "numbers are not masked", "s/[0-9]+/N/g", "s/$//"),
            ("digit_by_digit", "each digit becomes an N", "s/[0-9]+/N/g", "s/[0-9]/N/g"),
            ("anywhere", "ERROR anywhere in the line", "^[^ ]+ ERROR", "^.*ERROR"),
            ("rising", "the lowest count first", "-k1,1nr", "-k1,1n"),
        )),
        alternatives=(Alternative("python", "in Python behind bash", write_file(path, ERRORS_PYTHON)),),
        skills=("text", "shell"),
    )  # fmt: skip


ERRORS_PYTHON = """#!/bin/bash
exec /usr/bin/python3 -c '
import collections, re, sys
groups = collections.Counter()
for line in sys.stdin:
    match = re.fullmatch("[^ ]+ ERROR ([a-z]+: .*)", line.rstrip("\\n"))
    if match:
        groups[re.sub("[0-9]+", "N", match[1])] += 1
for group, count in sorted(groups.items(), key=lambda item: (-item[1], item[0].encode())):
    print(f"{count}\\t{group}")
'
"""


def errors_case(draw: random.Random, id: str, size: int) -> dict[str, Any]:
    """A log of `size` lines for errors."""
    shapes = [f"{service}: {naming.words(draw, 2)} {{}}" for service in draw.sample(naming.HOSTS, 4)]
    groups: dict[str, int] = {}
    lines = []
    for _ in range(size):
        text = draw.choice(shapes).format(
            draw.choice(("", "{} of {}".format(*draw.sample(range(900), 2)), f"id-{draw.randint(1, 99)}"))
        )
        kind = draw.randrange(6)
        if kind < 3:
            lines.append(f"{draw.randint(10, 23)}:00:00 ERROR {text}")
            group = "".join("N" if part.isdigit() else part for part in split_digits(text))
            groups[group] = groups.get(group, 0) + 1
        else:
            lines.append((f"09:00:00 INFO {text} ERROR db: 7", f"ERROR {text}", f"09:00:01 ERRORS {text}")[kind - 3])
    out = sorted(groups.items(), key=lambda item: (-item[1], item[0].encode()))
    return cases.case(id, stdin="".join(line + "\n" for line in lines), out="".join(f"{n}\t{g}\n" for g, n in out))


def split_digits(text: str) -> list[str]:
    """`text` in runs of digits and of other characters."""
    parts = [""]
    for letter in text:
        if parts[-1] and parts[-1][-1].isdigit() != letter.isdigit():
            parts.append("")
        parts[-1] += letter
    return parts


TOP = r"""
import re
import sys
from collections import Counter, defaultdict
from urllib.parse import unquote

TEXT = r'"((?:[^"\\]|\\.)*)"'
LINE = re.compile(
    r'(\S+) \S+ \S+ \[([^\]]+)\] "([A-Z]+) (\S+) HTTP/[\d.]+" (\d{3}) (\d+|-)(?: ' + TEXT + " " + TEXT + ")?$"
)
limit = int(sys.argv[1]) if len(sys.argv) > 1 else 5
hits, size, paths, bad = Counter(), Counter(), defaultdict(set), 0
for line in sys.stdin:
    match = LINE.match(line.rstrip("\n"))
    if not match:
        bad += 1
        continue
    client, _, method, target, status, length, _, agent = match.groups()
    if "bot" in (agent or "").lower() or status.startswith("3"):
        continue
    hits[client] += 1
    size[client] += 0 if length == "-" else int(length)
    paths[client].add(unquote(target.split("?")[0]))
ranked = sorted(hits, key=lambda client: (-hits[client], -size[client], client))
for client in ranked[:limit]:
    print(client, hits[client], size[client], len(paths[client]), sep="\t")
print(f"rejected\t{bad}")
"""


def top_clients(draw: random.Random) -> Recipe:
    """Level 2: the busiest clients of a web server's log in the combined format."""
    path = f"/app/{draw.choice(naming.SCRIPTS)}_clients.py"
    hidden = [web_case(draw, f"log {number}", size, limit) for number, (size, limit) in
              enumerate(((150, None), (220, 3), (40, 50), (0, None)))]  # fmt: skip
    return Recipe(
        instruction=f"""
Write {path} (Python 3, standard library only). `python3 {path} [N] < LOG` reads a web server's log and prints its N
busiest clients (default 5).

A line of the log is in the common format, `CLIENT IDENT USER [TIME] "METHOD TARGET HTTP/x.y" STATUS BYTES`, or in the
combined format, which adds ` "REFERER" "AGENT"`; within the last two, `\\"` is a quote and `\\\\` a backslash. METHOD
is made of capital letters, STATUS of three digits, BYTES is a number or `-`, which means 0. Lines of any other shape
are rejected. Of the others, lines whose status is 3xx and lines whose AGENT contains `bot` in any case are left out.

For each client: the number of its lines, the sum of BYTES, and the number of different paths; a path is the TARGET up
to the first `?`, with percent-escapes decoded. Print a line `CLIENT HITS BYTES PATHS`, separated by tabs, for the N
clients with the most hits (equal hits: more bytes first; then by CLIENT in order of code points), and at the end a line
`rejected`, a tab and the number of rejected lines. Only {path} is graded, on other logs.
""",
        artifacts=(path,),
        files={"sample.log": web_log(draw, 12)[0]},
        solve=write_file(path, TOP),
        check="program",
        expect=cases.program(path, hidden),
        mutants=mutated(TOP, lambda text: write_file(path, text), (
            ("query_kept", "queries make paths differ", 'unquote(target.split("?")[0])', "unquote(target)"),
            ("escapes_kept", "escapes make paths differ", 'unquote(target.split("?")[0])', 'target.split("?")[0]'),
            ("bots", "bots are only found in small letters", '(agent or "").lower()', '(agent or "")'),
            ("ties", "ties by name only", "-size[client], client", "client"),
        )),
        skills=("text", "shell"),
    )  # fmt: skip


def web_log(draw: random.Random, size: int) -> tuple[str, dict[str, list[Any]], int]:
    """A log, client -> [hits, bytes, paths], and the number of lines that are to be rejected."""
    clients = [naming.address(draw) for _ in range(9)] + ["2001:db8::7"]
    agents = ("Mozilla/5.0 (X11)", "ExampleBot/2.1", "curl/7.88", 'odd \\"bot\\" agent', 'says \\"hi\\"')
    rows: dict[str, list[Any]] = {}
    lines, rejected = [], 0
    for number in range(size):
        client, status = draw.choice(clients), draw.choice((200, 200, 200, 304, 301, 404, 500))
        page = draw.choice(naming.NOUNS[:6])
        written = draw.choice(
            (f"/{page}", f"/{page}?q={number}", f"/%{ord(page[0]):02X}{page[1:]}", f"/a%20b/{page}?x=1?y")
        )
        length, agent = draw.choice(("-", "512", str(draw.randint(1, 90000)))), draw.choice((None, *agents))
        head = f"{client} - {draw.choice(('-', 'ana'))} [04/Mar/2021:10:{number % 60:02d}:00 +0000]"
        tail = "" if agent is None else f' "https://example.org/?a=1" "{agent}"'
        if number % 13 == 6:
            lines.append(draw.choice((f'{head} "GET /{page}" 200 12', f'{head} "get /{page} HTTP/1.1" 200 1{tail}',
                                      f'{head} "GET /{page} HTTP/1.1" 20 1', "", f"{client} broken")))  # fmt: skip
            rejected += 1
            continue
        lines.append(f'{head} "{draw.choice(("GET", "POST"))} {written} HTTP/1.1" {status} {length}{tail}')
        if status // 100 != 3 and "bot" not in (agent or "").lower():
            row = rows.setdefault(client, [0, 0, set()])
            row[0], row[1] = row[0] + 1, row[1] + (0 if length == "-" else int(length))
            row[2].add(("/a b/" if "%20" in written else "/") + page)
    return "".join(line + "\n" for line in lines), rows, rejected


def web_case(draw: random.Random, id: str, size: int, limit: int | None) -> dict[str, Any]:
    """A hidden run of top_clients."""
    log, rows, rejected = web_log(draw, size)
    ranked = sorted(rows.items(), key=lambda item: (-item[1][0], -item[1][1], item[0]))[: limit or 5]
    out = "".join(f"{client}\t{hits}\t{total}\t{len(paths)}\n" for client, (hits, total, paths) in ranked)
    return cases.case(id, [] if limit is None else [str(limit)], stdin=log, out=f"{out}rejected\t{rejected}\n")


SESSIONS = """
import gzip
import json
import sys

gap, events = int(sys.argv[1]), {}
for name in sys.argv[2:]:
    opener = gzip.open if name.endswith(".gz") else open
    with opener(name, "rt", encoding="utf-8") as file:
        for line in file:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict) and {"user", "at", "id"} <= event.keys() and type(event["at"]) is int:
                events.setdefault(event["id"], event)
by_user = {}
for event in events.values():
    by_user.setdefault(event["user"], []).append(event)
for user in sorted(by_user):
    found = sorted(by_user[user], key=lambda event: event["at"])
    start = end = found[0]["at"]
    count = 0
    for event in found:
        if event["at"] - end > gap:
            print(user, start, end, count, sep="\\t")
            start, count = event["at"], 0
        end = event["at"]
        count += 1
    print(user, start, end, count, sep="\\t")
"""


def sessions(draw: random.Random) -> Recipe:
    """Level 3: sessions out of JSON lines in several files, some compressed, overlapping."""
    path = "/app/sessions.py"
    hidden = [sessions_case(draw, f"run {number}", size) for number, size in enumerate((80, 140, 5))]
    return Recipe(
        instruction=f"""
Write {path} (Python 3, standard library only). `python3 {path} GAP FILE...` reads event logs and prints the sessions of
each user.

- The files hold one JSON value a line, in UTF-8; a FILE whose name ends in `.gz` is compressed with gzip.
- An event is a JSON object with at least the keys `id`, `user` (both texts) and `at` (a whole number of seconds, no
  other JSON type). All other lines are ignored.
- The files overlap: of events with the same `id` the first one counts, in the order of the arguments and lines.
- Events come in any order. A user's events, ordered by `at`, belong to the same session as the one before when at most
  GAP seconds lie between the two.
- Print a line `USER START END COUNT` for each session, separated by tabs: the `at` of its first and last event, and the
  number of events; users in order of code points, a user's sessions in order of time.

The exit status is 0. Only {path} is graded, on other files.
""",
        artifacts=(path,),
        files={"sample.jsonl": '{"id": "a1", "user": "ana", "at": 100}\n{"id": "a2", "user": "ana", "at": 160}\n'},
        solve=write_file(path, SESSIONS),
        check="program",
        expect=cases.program(path, hidden),
        mutants=mutated(SESSIONS, lambda text: write_file(path, text), (
            ("last_counts", "the last of equal ids",
             'events.setdefault(event["id"], event)', 'events[event["id"]] = event'),
            ("gap_from_start", "the gap is counted from the start", "- end > gap", "- start > gap"),
            ("closed", "a pause of exactly GAP ends a session", "- end > gap", "- end >= gap"),
            ("true_is_1", "true counts as a number", "type(event[\"at\"]) is int", "isinstance(event[\"at\"], int)"),
        )),
        skills=("text", "data"),
    )  # fmt: skip


def sessions_case(draw: random.Random, id: str, size: int) -> dict[str, Any]:
    """A hidden run of sessions."""
    gap = draw.choice((30, 60, 300))
    people = [naming.person(draw)[0].partition(" ")[0] for _ in range(4)] + ["Zoë"]
    times: dict[str, list[int]] = {}
    lines: list[list[str]] = [[], [], []]
    for number in range(size):
        who, at = draw.choice(people), draw.randrange(0, 20 * gap, gap // 2)
        event: dict[str, Any] = {"id": f"e{number}", "user": who, "at": at, "page": "/\u00e9"}
        times.setdefault(who, []).append(at)
        place = draw.randrange(3)
        lines[place].append(json.dumps(event, ensure_ascii=number % 2 == 0))
        if place < 2 and number % 4 == 0:
            lines[place + 1].insert(0, json.dumps(event | {"at": at + 7 * gap, "user": "nobody"}))
        if number % 9 == 0:
            broken: list[Any] = [[1, 2], event | {"id": f"x{number}", "at": True}, {"id": f"z{number}", "at": 1}]
            broken.append(event | {"id": f"y{number}", "at": "12"})
            lines[draw.randrange(3)] += ["{not json", "", *map(json.dumps, broken)]
    out = []
    for who in sorted(times):
        runs: list[list[int]] = []
        for at in sorted(times[who]):
            if not runs or at - runs[-1][-1] > gap:
                runs.append([])
            runs[-1].append(at)
        out += [f"{who}\t{run[0]}\t{run[-1]}\t{len(run)}\n" for run in runs]
    names = ("old.jsonl.gz", "middle.jsonl", "new log.jsonl.gz")
    data = [("\n".join(part) + "\n").encode() for part in lines]
    packed = {
        name: gzip.compress(d, mtime=0) if name.endswith("gz") else d for name, d in zip(names, data, strict=True)
    }
    return cases.case(id, (str(gap), *names), files=packed, out="".join(out))


FAMILY = SweFamily.of(ID, "Log pipelines", ("text", "shell"), make)
