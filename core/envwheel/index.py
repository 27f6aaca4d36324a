"""run.sqlite: the records of a run as tables, for questions in SQL. Made from records.jsonl, never the other way.

    refresh(path)        # adds what is new since the last time; makes it anew when it is missing or does not fit

Tables `attempt`, `trial` and `target` have a column for each plain field; lists and maps are JSON text.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from envwheel.ledger import AnyRecord, Attempt, Plan, Record, Target, TrialNote
from envwheel.store import RunDirectory

FILE = "run.sqlite"
TABLES: dict[str, type[Attempt] | type[TrialNote] | type[Target]] = {
    "attempt": Attempt,
    "trial": TrialNote,
    "target": Target,
}
_KEY = {"attempt": "candidate", "trial": "id", "target": "candidate"}


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
        for table, model in TABLES.items():
            columns = ", ".join(f'"{name}"' for name in model.model_fields)
            database.execute(f'CREATE TABLE IF NOT EXISTS "{table}" ({columns}, PRIMARY KEY ("{_KEY[table]}"))')
        for table, record in _rows(records[done:]):
            values = [_plain(value) for value in record.model_dump(mode="json").values()]
            database.execute(f'INSERT OR REPLACE INTO "{table}" VALUES ({", ".join("?" * len(values))})', values)
        database.execute(f"PRAGMA user_version = {len(records)}")


def _rows(records: Iterable[AnyRecord]) -> Iterable[tuple[str, Record | Target]]:
    for record in records:
        if isinstance(record, Attempt):
            yield "attempt", record
        elif isinstance(record, TrialNote):
            yield "trial", record
        elif isinstance(record, Plan):
            yield from (("target", target) for target in record.targets)


def _plain(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, (list, dict)) else value
