"""Reading the log."""

from dataclasses import dataclass
from datetime import datetime

from worklog.clock import parse_moment, seconds_between


class LogError(Exception):
    """A line that cannot be read; the message names it."""


@dataclass(frozen=True)
class Entry:
    start: datetime
    end: datetime
    project: str
    tags: tuple

    @property
    def seconds(self):
        return seconds_between(self.start, self.end)


def parse_tags(text, seen=None):
    """The tags of one entry, each once, in their order."""
    seen = [] if seen is None else seen
    for part in text.split(","):
        tag = part.strip()
        if tag and tag not in seen:
            seen.append(tag)
    return tuple(seen)


def parse_entry(line):
    columns = line.split("\t")
    if len(columns) != 4:
        raise ValueError(f"{len(columns)} columns")
    start, end = parse_moment(columns[0]), parse_moment(columns[1])
    if end < start:
        raise ValueError("ends before it starts")
    return Entry(start, end, columns[2], parse_tags(columns[3]))


def read_entries(path):
    """The entries of a log, one after the other."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if not line.strip() or line.startswith("#"):
                continue
            try:
                yield parse_entry(line)
            except ValueError as error:
                raise LogError(f"line {number}: {error}") from None
