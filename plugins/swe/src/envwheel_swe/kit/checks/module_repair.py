"""Runs a work log package on fresh logs; every expected line is computed here from the same numbers."""

import json
import sys
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, "/tests/kit")
import grade

EXPECT = json.loads(Path("/tests/expect.json").read_text())
PACKAGE = EXPECT["package"]
NAMES = ["alder", "birch", "Cedar", "dogwood", "élan", "fir-2"]
TAGS = ["review", "meeting", "travel", "on site", "Ünder"]
ZONES = ["+00:00", "+01:00", "-03:30", "+05:45", "-08:00", "+13:00"]
TWICE = """
import sys
sys.path.insert(0, sys.argv[1])
from PKG import read_entries, report
entries = list(read_entries(sys.argv[2]))
for make in (report.totals, report.tags, report.totals, report.share, report.tags):
    for row in make(entries):
        print(*row, sep="\\t")
    print("--")
""".replace("PKG", PACKAGE)


def zone(text):
    sign = -1 if text[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(text[1:3]), minutes=int(text[4:])))


def draw_log(rng, count):
    """Entries (start, end, name, tags, tag column) and their text."""
    entries, lines = [], ["# a log", ""]
    for _ in range(count):
        at = datetime(
            2023, rng.randint(1, 4), rng.randint(1, 28), rng.randint(0, 23), rng.randint(0, 59), rng.randint(0, 59)
        )
        start = at.replace(tzinfo=zone(rng.choice(ZONES)))
        length = rng.choice([0, 1, 29, 59, 61, 90, 600, 1799, 3600, 5400, 8 * 3600 + 30, 30 * 3600, 55 * 3600 + 1])
        end = (start + timedelta(seconds=length)).astimezone(zone(rng.choice(ZONES)))
        tags = rng.sample(TAGS, rng.randint(0, 3))
        column = ", ".join(tags + tags[:1]) + rng.choice(["", ",", " ,"])
        name = rng.choice(NAMES)
        entries.append((start, end, name, tags))
        lines.append("\t".join([start.isoformat(), end.isoformat(), name, column]))
        if rng.random() < 0.2:
            lines.append(rng.choice(["", "# a remark", "   "]))
    return entries, "\n".join(lines) + "\n"


def halves():
    """A log whose shares and amounts lie half way between two roundings."""
    start = datetime(2023, 5, 1, tzinfo=UTC)
    entries = [(start, start + timedelta(seconds=n), name, []) for name, n in (("alder", 1800), ("birch", 27000))]
    return entries, "".join(f"{a.isoformat()}\t{b.isoformat()}\t{name}\t\n" for a, b, name, _ in entries)


def half_up(value, digits):
    whole = (value * 10**digits * 2 + 1) // 2
    text = str(int(whole)).rjust(digits + 1, "0")
    return text[:-digits] + "." + text[-digits:]


def seconds(entries):
    sums = {}
    for start, end, name, _ in entries:
        sums[name] = sums.get(name, 0) + (end - start) // timedelta(seconds=1)
    return sums


def totals(entries):
    return [[name, str(sum_ // 60)] for name, sum_ in sorted(seconds(entries).items())]


def tags(entries):
    counts = {}
    for entry in entries:
        for tag in entry[3]:
            counts[tag] = counts.get(tag, 0) + 1
    return [[tag, str(n)] for tag, n in sorted(counts.items())]


def share(entries):
    sums = seconds(entries)
    whole = sum(sums.values())
    return [[name, half_up(Fraction(100 * n, whole), 1) if whole else "0.0"] for name, n in sorted(sums.items())]


def bill(entries, rates):
    return [
        [name, half_up(Fraction(rates.get(name, "0")) * n / 3600, 2)] for name, n in sorted(seconds(entries).items())
    ]


def days(entries, offset):
    sums = {}
    for start, end, name, _ in entries:
        local, stop = start.astimezone(zone(offset)), end.astimezone(zone(offset))
        while local < stop:
            day = local.date()
            midnight = datetime(day.year, day.month, day.day, tzinfo=zone(offset)) + timedelta(days=1)
            until = min(midnight, stop)
            key = (day.isoformat(), name)
            sums[key] = sums.get(key, 0) + (until - local) // timedelta(seconds=1)
            local = until
    return [[day, name, str(n // 60)] for (day, name), n in sorted(sums.items())]


def text(rows):
    return "".join("\t".join(row) + "\n" for row in rows)


def ask(folder, log, *argv, rates=None):
    files = {"the.log": log} if rates is None else {"the.log": log, "rates.json": json.dumps(rates)}
    cwd = grade.scratch(files)
    env = {"PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}
    return grade.run(["/usr/bin/python3", "-m", PACKAGE, *argv], cwd=cwd, env=env, timeout=30)


def same(ran, wanted, what):
    grade.need(ran.code == 0, f"{what} ended with status {ran.code}: {ran.err[-200:]!r}")
    grade.need(ran.out.decode("utf-8", "replace") == wanted, f"{what} printed something else than README.md says")


def bad_logs(log):
    good = log.splitlines()
    at = len(good) // 2
    row = "2023-01-01T00:00:00+00:00\t2023-01-01T01:00:00+00:00\talder\t"
    for wrong in (
        row.replace("+00:00", "", 1),
        row.replace("2023-01-01T01", "2022-12-31T01"),
        row + "\tmore",
        row.replace("\t", " "),
        row.replace("T00", "Tnoon"),
    ):
        yield at + 1, "\n".join([*good[:at], wrong, *good[at:], wrong]) + "\n"


def main():
    g = grade.Grade()
    rng = grade.rng(EXPECT["seed"])
    with g.case("is a plain package"):
        grade.need(grade.plain_tree("/app/" + PACKAGE), f"/app/{PACKAGE} is no plain folder")
    folder = grade.scratch()
    with g.case("can be copied"):
        folder = grade.copy_tree("/app/" + PACKAGE)
        target = Path(folder).parent / PACKAGE
        if target != Path(folder):
            Path(folder).rename(target)
        folder = str(target.parent)
    logs = [halves(), draw_log(rng, 25), draw_log(rng, 300), ([], "# nothing\n")]
    for number, (entries, log) in enumerate(logs):
        rates = {name: rng.choice(["85.50", "100", "0.33", "33.33", "61.25"]) for name in NAMES[1:-1]} | {
            "alder": "0.37"
        }
        offset = rng.choice(ZONES[1:])
        with g.case(f"reports on log {number}"):
            same(ask(folder, log, "totals", "the.log"), text(totals(entries)), "totals")
            same(ask(folder, log, "tags", "the.log"), text(tags(entries)), "tags")
            same(ask(folder, log, "share", "the.log"), text(share(entries)), "share")
            same(
                ask(folder, log, "bill", "the.log", "--rates", "rates.json", rates=rates),
                text(bill(entries, rates)),
                "bill",
            )
            where = offset if number % 2 else "-03:30"
            same(ask(folder, log, "days", "the.log", "--zone=" + where), text(days(entries, where)), "days --zone")
    with g.case("refuses wrong lines"):
        for number, log in bad_logs(logs[1][1]):
            ran = ask(folder, log, "totals", "the.log")
            err = ran.err.decode("utf-8", "replace")
            grade.need(ran.code == 1 and not ran.out, f"a wrong line gave status {ran.code}")
            fine = err.startswith(f"line {number}:") and err.count("\n") == 1
            grade.need(fine, f"wanted one line 'line {number}: ...', got {err[-120:]!r}")
    with g.case("can be used twice in a process"):
        entries, log = logs[1]
        parts = [totals(entries), tags(entries), totals(entries), share(entries), tags(entries)]
        cwd = grade.scratch({"the.log": log})
        ran = grade.run(["/usr/bin/python3", "-B", "-c", TWICE, folder, "the.log"], cwd=cwd, timeout=30)
        same(ran, "".join(text(part) + "--\n" for part in parts), "calling the reports in one process")
    g.finish()


main()
