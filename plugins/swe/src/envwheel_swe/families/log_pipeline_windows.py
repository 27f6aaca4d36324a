"""Level 4 of the log family: latency windows out of rotated logs of several hosts."""

from __future__ import annotations

import gzip
import json
import random
from typing import Any

from envwheel_swe import cases, naming
from envwheel_swe.family import Recipe, mutated, write_file

PATH = "/app/windows.py"

WINDOWS = r"""
import gzip
import json
import os
import re
import sys

folder, minutes = sys.argv[1], int(sys.argv[2])
NAME = re.compile(r"([a-z]+-\d+)\.log(?:\.(\d+))?(\.gz)?")
LINE = re.compile(r"(\d\d):(\d\d):(\d\d)\.(\d{3}) (start|end) ([0-9a-f]{8}) (\S+)")
rotated = {}
for name in os.listdir(folder):
    match = NAME.fullmatch(name)
    if match:
        rotated.setdefault(match[1], []).append((-int(match[2] or 0), name))
windows, open_calls, strange = {}, 0, 0
for host in sorted(rotated):
    day, last, running = 0, None, {}
    for _, name in sorted(rotated[host]):
        path = os.path.join(folder, name)
        opener = gzip.open if name.endswith(".gz") else open
        with opener(path, "rt", encoding="utf-8") as file:
            for line in file:
                match = LINE.fullmatch(line.rstrip("\n"))
                if not match:
                    strange += 1
                    continue
                hour, minute, second, milli = map(int, match.groups()[:4])
                at = ((hour * 60 + minute) * 60 + second) * 1000 + milli
                if last is not None and at < last - 12 * 3600 * 1000:
                    day += 1
                last = at
                at += day * 24 * 3600 * 1000
                kind, call, route = match.groups()[4:]
                if kind == "start":
                    running[call] = (at, route)
                elif call in running:
                    begun, route = running.pop(call)
                    windows.setdefault((begun // (minutes * 60000), route), []).append(at - begun)
                else:
                    strange += 1
    open_calls += len(running)
report = []
for (number, route), times in sorted(windows.items()):
    times.sort()
    rank = lambda share: times[max(0, -(-len(times) * share // 100) - 1)]
    row = {"window": number, "route": route, "count": len(times), "max": times[-1]}
    report.append(row | {"p50": rank(50), "p95": rank(95)})
json.dump({"windows": report, "open": open_calls, "strange": strange}, sys.stdout, sort_keys=True)
print()
"""

FAULTS = (
    ("plain_order", "rotated files in order of names", "(-int(match[2] or 0), name)", "(0, name)"),
    ("no_midnight", "calls over midnight", "day += 1", "pass"),
    ("window_of_end", "the window of the end counts", "begun // (minutes * 60000)", "at // (minutes * 60000)"),
    ("floor_rank", "the rank is rounded down", "-(-len(times) * share // 100) - 1", "len(times) * share // 100 - 1"),
)


def windows(draw: random.Random) -> Recipe:
    """Start and end lines are matched over rotated, compressed files and over midnight."""
    hidden = [windows_case(draw, f"folder {number}", minutes) for number, minutes in enumerate((5, 10, 60))]
    return Recipe(
        instruction=f"""
Write {PATH} (Python 3, standard library only). `python3 {PATH} FOLDER MINUTES` reads the logs in FOLDER and prints a
report.

- Logs are the files directly in FOLDER called `HOST.log` (the newest part), `HOST.log.1`, `HOST.log.2`, ... (older and
  older parts; not all numbers need to be there), each perhaps with `.gz` at the end and then compressed with gzip. A
  HOST is small letters, a dash and digits. Other files are ignored. A part is never there twice.
- A host's parts, from the oldest to the newest, are one log. Its lines are `HH:MM:SS.mmm start ID ROUTE` and
  `HH:MM:SS.mmm end ID ROUTE`, with an ID of eight digits from 0-9a-f and a ROUTE without blanks. Lines of any other
  shape are strange.
- Lines have no date. A log starts on day 0; when a line's time is more than 12 hours less than that of the line before
  (of those that are not strange in their shape), a new day has begun.
- A call is a `start` and the next `end` with the same ID in the same host's log. Its route is that of the `start`, its
  time is the difference in milliseconds. A `start` with an ID that is running already replaces the running one, which
  is forgotten. An `end` without a running call is strange. Calls still running at the end of a host's log are open.
- Calls of all hosts are put into windows of MINUTES minutes by their start: window 0 begins at midnight of day 0.

Print one JSON object, on one line, with sorted keys as `json.dumps(..., sort_keys=True)` writes it:
`open` (the number of open calls), `strange` (the number of strange lines), and `windows`: a list of objects with the
keys `window` (its number), `route`, `count`, `max`, `p50` and `p95`, for each window and route with at least one
finished call, sorted by window and then by route in order of code points. The percentile pQ of n times is the one at
place ceil(n * Q / 100) of the sorted times, counted from 1. Only {PATH} is graded, on other folders.
""",
        artifacts=(PATH,),
        files={"logs/web-1.log": "09:00:00.100 start 0000aaaa /cart\n09:00:00.350 end 0000aaaa /cart\n"},
        solve=write_file(PATH, WINDOWS),
        check="program",
        expect=cases.program(PATH, hidden),
        mutants=mutated(WINDOWS, lambda text: write_file(PATH, text), FAULTS),
        skills=("text", "data"),
    )


def windows_case(draw: random.Random, id: str, minutes: int) -> dict[str, Any]:
    """A hidden folder and its report."""
    files: dict[str, bytes] = {"logs/notes.txt": b"not a log\n", "logs/web-1.log.old": b"00:00:00.000 start 0 /x\n"}
    found: dict[tuple[int, str], list[int]] = {}
    open_calls = strange = 0
    routes = [f"/{name}" for name in draw.sample(naming.NOUNS, 3)]
    for host in ("web-1", "web-02", "db-10"):
        events: list[tuple[int, str]] = []
        begin = draw.randint(20 * 3600, 23 * 3600) * 1000
        for _ in range(40):
            start, took = begin + draw.randint(0, 6 * 3600 * 1000), draw.choice((5, 40, draw.randint(1, 400_000)))
            call, route = f"{draw.getrandbits(32):08x}", draw.choice(routes)
            events.append((start, f"start {call} {route}"))
            fate = draw.randrange(12)
            if fate == 0:
                open_calls += 1
                continue
            if fate == 1:
                events.append((start - draw.randint(1, 900), f"end {draw.getrandbits(32):08x} {route}"))
                strange += 1
            if fate == 2:
                start += took // 2
                events.append((start, f"start {call} {route}"))
                took = took - took // 2 + 1
            events.append((start + took, f"end {call} {'/other' if fate == 3 else route}"))
            found.setdefault((start // (minutes * 60_000), route), []).append(took)
        events.sort(key=lambda event: event[0])
        lines = [f"{clock(at)} {text}" for at, text in events]
        for text in ("-- rotated --", "23:59:59.9 start 0123abcd /x", "10:00:00.000 pause 0123abcd /x"):
            lines.insert(draw.randrange(len(lines)), text)
            strange += 1
        cuts = sorted(draw.sample(range(5, len(lines) - 5), 3))
        numbers = [12, 3, 2, 0]
        for number, first, end in zip(numbers, [0, *cuts], [*cuts, len(lines)], strict=True):
            data = "".join(line + "\n" for line in lines[first:end]).encode()
            name = f"logs/{host}.log" + (f".{number}" if number else "")
            files |= {f"{name}.gz": gzip.compress(data, mtime=0)} if number > 2 else {name: data}
    report = []
    for (number, route), times in sorted(found.items()):
        times.sort()
        places = {share: (len(times) * share + 99) // 100 for share in (50, 95)}
        report.append({"window": number, "route": route, "count": len(times), "p50": times[places[50] - 1],
                       "p95": times[places[95] - 1], "max": times[-1]})  # fmt: skip
    out = json.dumps({"windows": report, "open": open_calls, "strange": strange}, sort_keys=True)
    return cases.case(id, ("logs", str(minutes)), files=files, out=out + "\n")


def clock(at: int) -> str:
    """The time of day of `at` milliseconds."""
    seconds, milli = divmod(at, 1000)
    return f"{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{milli:03d}"
