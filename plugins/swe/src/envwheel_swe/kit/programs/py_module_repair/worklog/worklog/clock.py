"""Moments, zones and days."""

from datetime import datetime, timedelta, timezone

SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)


def parse_moment(text):
    """A moment with its offset; ValueError when there is none."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"no offset in {text!r}")
    return moment


def parse_zone(text):
    """The zone of an offset such as +05:30."""
    sign = -1 if text[0] == "-" else 1
    hours, minutes = text[1:].split(":")
    return timezone(sign * timedelta(hours=int(hours), minutes=int(minutes)))


def seconds_between(start, end):
    return (end - start) // SECOND


def split_by_day(start, end, zone):
    """Pairs (day, seconds) of a stretch of time, as the days are in `zone`."""
    at = start.astimezone(zone)
    end = end.astimezone(zone)
    while at < end:
        midnight = datetime.combine(at.date() + DAY, datetime.min.time(), zone)
        stop = min(midnight, end)
        yield at.date().isoformat(), seconds_between(at, stop)
        at = stop
