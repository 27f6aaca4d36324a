"""Reports on a work log."""

from worklog.entries import Entry, LogError, read_entries

__all__ = ["Entry", "LogError", "read_entries"]
