"""Level 4 of the text family: incidents out of an interleaved log with stack traces."""

from __future__ import annotations

import random
from typing import Any

from envwheel_swe import naming
from envwheel_swe.family import Recipe, mutated, python

INCIDENTS = """
import json
import re

HEAD = re.compile(r"(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d)([+-]\\d\\d):(\\d\\d) \\[([^\\]]+)\\] (\\w+) (.*)")
FRAME = re.compile(r"    at ([\\w.$]+)\\(.*\\)$")


def minutes(match):
    from datetime import datetime, timedelta

    offset = timedelta(hours=int(match[2][1:]), minutes=int(match[3]))
    local = datetime.fromisoformat(match[1])
    return local - offset if match[2][0] == "+" else local + offset


entries, current = [], {}
for line in open("/app/server.log", encoding="utf-8"):
    line = line.rstrip("\\n")
    match = HEAD.fullmatch(line)
    if match:
        entry = {"at": minutes(match), "level": match[5], "text": match[6], "more": []}
        current[match[4]] = entry
        entries.append(entry)
    else:
        worker, _, rest = line.partition("| ")
        if worker in current:
            current[worker]["more"].append(rest)
groups = {}
for entry in entries:
    if entry["level"] != "ERROR":
        continue
    cause, where = None, None
    for line in [entry["text"], *entry["more"]]:
        name = re.fullmatch(r"(?:Caused by: )?((?:[a-z]\\w*\\.)+[A-Z]\\w*)(?:: .*)?", line)
        if name:
            cause, where = name[1], None
        frame = FRAME.fullmatch(line)
        if frame and where is None and frame[1].startswith("com.example."):
            where = frame[1]
    if cause is None:
        continue
    group = groups.setdefault((cause, where), [])
    group.append(entry["at"])
result = []
for (cause, where), times in groups.items():
    result.append({
        "exception": cause,
        "where": where,
        "count": len(times),
        "first": min(times).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "last": max(times).strftime("%Y-%m-%dT%H:%M:%SZ"),
    })
result.sort(key=lambda row: (-row["count"], row["exception"], row["where"] or ""))
with open("/app/incidents.json", "w", encoding="utf-8") as out:
    json.dump(result, out, indent=1)
"""

FAULTS = (
    ("outer_exception", "the first exception, not the root cause", "cause, where = name[1], None",
     "cause = cause or name[1]"),
    ("local_times", "offsets are ignored", 'return local - offset if match[2][0] == "+" else local + offset',
     "return local"),
    ("last_entry", "lines go to the entry above, whoever wrote it", 'current[worker]["more"]', 'entries[-1]["more"]'),
    ("first_frame", "frames of libraries count", 'frame[1].startswith("com.example.")', "True"),
)  # fmt: skip

EXCEPTIONS = ("java.io.IOException", "java.lang.IllegalStateException", "com.example.store.StoreException",
              "java.util.concurrent.TimeoutException", "java.sql.SQLException")  # fmt: skip


def incidents(draw: random.Random) -> Recipe:
    """Traces of several workers, interleaved, are grouped by root cause and place."""
    log, want = written_log(draw)
    return Recipe(
        instruction="""
/app/server.log is written by several workers at once. Write /app/incidents.json from it.

- An entry starts with a line `TIME [WORKER] LEVEL TEXT`; TIME is like `2021-05-04T09:30:00+02:00`. Further lines of an
  entry are `WORKER| REST` and belong to the latest entry of that worker, although entries of others may lie between. A
  line of a worker without an entry before it is ignored, as are lines of any other shape.
- Only entries with the level `ERROR` count. Look at TEXT and then at the RESTs in their order. An exception line is a
  dotted name of at least two parts, the last starting with a capital and the others with small letters, perhaps with
  `Caused by: ` in front, perhaps followed by `: ` and a message, and nothing else. The *root cause* is the name in the
  last exception line. Entries without one do not count.
- A frame is a REST of the shape `    at NAME(ANYTHING)` (four blanks). The *place* is the NAME of the first frame after
  the last exception line whose NAME starts with `com.example.`, or null when there is none.
- Entries with the same root cause and place form an incident.

/app/incidents.json is a JSON list of objects with the keys `exception` (the root cause), `where` (the place), `count`
(the number of entries), `first` and `last` (the earliest and the latest time of its entries, in UTC, like
`2021-05-04T07:30:00Z`; the log is not in order of time). The list is sorted by count, highest first, then by exception,
then by place (null counts as the empty text), both in order of code points.
""",
        artifacts=("/app/incidents.json",),
        files={"server.log": log},
        solve=python(INCIDENTS),
        check="outputs",
        expect={"outputs": {"/app/incidents.json": {"as": "json", "value": want}}},
        mutants=mutated(INCIDENTS, python, FAULTS),
    )


def written_log(draw: random.Random) -> tuple[str, list[dict[str, Any]]]:
    """The log, and the incidents that are in it."""
    places = [f"com.example.{name}.{name.capitalize()}.{verb}" for name, verb in
              zip(draw.sample(naming.PRODUCTS, 4), draw.sample(naming.SCRIPTS, 4), strict=True)]  # fmt: skip
    found: dict[tuple[str, str | None], list[int]] = {}
    streams: dict[str, list[list[str]]] = {f"worker-{n}": [] for n in range(1, 5)}
    for _ in range(60):
        worker, minute = draw.choice(sorted(streams)), draw.randint(0, 1439)
        offset = draw.choice((0, 120, -330))
        level = draw.choice(("ERROR", "ERROR", "ERROR", "WARN", "INFO"))
        outer, cause = draw.choice(EXCEPTIONS), draw.choice(EXCEPTIONS)
        place = draw.choice((*places, None))
        local = minute + offset + 1440
        sign, size = "+" if offset >= 0 else "-", abs(offset)
        time = f"2021-05-{3 + local // 1440:02d}T{local % 1440 // 60:02d}:{local % 60:02d}:00"
        time += f"{sign}{size // 60:02d}:{size % 60:02d}"
        text = draw.choice((f"{outer}: {naming.words(draw, 2)}", f"request failed: {naming.words(draw, 2)}"))
        shape = draw.randrange(4)
        rest = [
            f"    at com.example.outer.Outer.call(Outer.java:{minute})",
            "    at java.lang.Thread.run(Thread.java:8)",
        ]
        if shape == 0 and not text.startswith(outer):
            rest, root = ["  see also java.io.IOException: not an exception line"], None
        else:
            rest += [f"Caused by: {outer}", "    at org.lib.Client.send(Client.java:7)"]
            rest += [f"Caused by: {cause}: {naming.words(draw, 1)}", "    at org.lib.Pool.get(Pool.java:11)"]
            if place is not None:
                rest += [f"    at {place}(Some.java:{minute})", f"    at {places[0]}(Other.java:1)"]
            rest.append("    ... 12 more")
            root = cause
        streams[worker].append([f"{time} [{worker}] {level} {text}", *(f"{worker}| {line}" for line in rest)])
        if level == "ERROR" and root is not None:
            found.setdefault((root, place), []).append(minute)
    lines = ["worker-3|     at com.example.lost.Lost.run(Lost.java:1)", "--- log opened ---"]
    queues = [[line for entry in entries for line in entry] for entries in streams.values()]
    while any(queues):
        queue = draw.choice([queue for queue in queues if queue])
        lines += [queue.pop(0) for _ in range(min(len(queue), draw.randint(1, 3)))]
    want = [
        {"exception": root, "where": place, "count": len(times), "first": utc(min(times)), "last": utc(max(times))}
        for (root, place), times in found.items()
    ]
    want.sort(key=lambda row: (-row["count"], row["exception"], row["where"] or ""))  # type: ignore[operator]
    return "\n".join(lines) + "\n", want


def utc(minute: int) -> str:
    """The time `minute` minutes into the day of the log."""
    return f"2021-05-04T{minute // 60:02d}:{minute % 60:02d}:00Z"
