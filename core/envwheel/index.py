"""run.sqlite: the records of a run as tables, for questions in SQL. Made from records.jsonl, never the other way.

    refresh(path)        # adds what is new since the last time; makes it anew when it is missing or does not fit

The tables (`TABLES`) have a column for each field; lists and maps are JSON text.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from envwheel.ledger import AnyRecord, Attempt, HarnessNote, Plan, ProposalNote, Recheck, Target, TrialNote
from envwheel.store import RunDirectory

FILE = "run.sqlite"
Row = Attempt | TrialNote | Target | Recheck | ProposalNote | HarnessNote
TABLES: dict[str, tuple[type[Row], str]] = {
    "attempt": (Attempt, "candidate"),
    "trial": (TrialNote, "id"),
    "target": (Target, "candidate"),
    "recheck": (Recheck, "round, candidate"),
    "proposal": (ProposalNote, "id"),
    "harness": (HarnessNote, "round, id, action"),
}
"""Name -> the records that are its rows, and what tells them apart."""


def refresh(run: Path) -> Path:
    """Bring run.sqlite up to date with the records of `run` and return its path."""
    path, records = run / FILE, RunDirectory.read(run)
    try:
        _fill(path, records)
    except sqlite3.DatabaseError:
        path.unlink(missing_ok=True)
        _fill(path, records)
    return path


def _fill(path: Path, records: list[AnyRecord]) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        done = database.execute("PRAGMA user_version").fetchone()[0]
        if done > len(records):
            raise sqlite3.DatabaseError("holds more than the records do")
        there = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if done and there != set(TABLES):
            raise sqlite3.DatabaseError("was made with other tables")
        for table, (model, key) in TABLES.items():
            columns = ", ".join(f'"{name}"' for name in model.model_fields)
            database.execute(f'CREATE TABLE IF NOT EXISTS "{table}" ({columns}, PRIMARY KEY ({key}))')
        for table, record in _rows(records[done:]):
            values = [_plain(value) for value in record.model_dump(mode="json").values()]
            database.execute(f'INSERT OR REPLACE INTO "{table}" VALUES ({", ".join("?" * len(values))})', values)
        database.execute(f"PRAGMA user_version = {len(records)}")


def _rows(records: Iterable[AnyRecord]) -> Iterator[tuple[str, Row]]:
    tables = {model: table for table, (model, _) in TABLES.items()}
    for record in records:
        if isinstance(record, Plan):
            yield from (("target", target) for target in record.targets)
        elif isinstance(record, Row):
            yield tables[type(record)], record


def _plain(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, (list, dict)) else value
