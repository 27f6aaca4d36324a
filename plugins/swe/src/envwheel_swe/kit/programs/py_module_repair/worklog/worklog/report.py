"""The reports: each returns its rows in order."""

from worklog.clock import split_by_day
from worklog.money import TENTH, cost, divide


class Tally:
    """Sums by key."""

    def __init__(self):
        self.sums = {}

    def add(self, key, amount):
        self.sums[key] = self.sums.get(key, 0) + amount

    def rows(self):
        return sorted(self.sums.items())


def by_project(entries):
    tally = Tally()
    for entry in entries:
        tally.add(entry.project, entry.seconds)
    return tally


def totals(entries):
    return [(project, seconds // 60) for project, seconds in by_project(entries).rows()]


def days(entries, zone):
    tally = Tally()
    for entry in entries:
        for day, seconds in split_by_day(entry.start, entry.end, zone):
            tally.add((day, entry.project), seconds)
    return [(day, project, seconds // 60) for (day, project), seconds in tally.rows()]


def tags(entries):
    tally = Tally()
    for entry in entries:
        for tag in entry.tags:
            tally.add(tag, 1)
    return tally.rows()


def share(entries):
    whole = sum(entry.seconds for entry in entries)
    rows = by_project(entries).rows()
    return [(project, divide(100 * seconds, whole, TENTH) if whole else "0.0") for project, seconds in rows]


def bill(entries, rates):
    tally = by_project(entries)
    return [(project, cost(seconds, rates.get(project, "0"))) for project, seconds in tally.rows()]
