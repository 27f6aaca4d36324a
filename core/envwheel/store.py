"""The run directory: append-only records, the pool, candidates and rollouts, safe against `kill -9` at any moment.

    with RunDirectory.open(path) as store:   # makes it when it is not there; locked against other processes
        store.append(record)                 # on disk when it returns
        store.admit(folder, name)            # atomic: an environment is in the pool as a whole or not at all
    records = RunDirectory.read(path)        # without the lock; also while the run goes on

records.jsonl is the truth. A last line that a crash cut short is dropped when the run is opened again. run.sqlite is an
index (index.py) that can be deleted at any time.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import threading
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from envwheel.environment.hash import tree_sha256
from envwheel.errors import InfraError, UsageError
from envwheel.ledger import (
    AnyRecord,
    Attempt,
    ForeignNote,
    GateNote,
    HarnessNote,
    OtherSchema,
    Plan,
    ProposalNote,
    Recheck,
    Record,
    RoundEnd,
    RunStart,
    TrialNote,
    parse,
)
from envwheel.standing import standings

RECORDS = "records.jsonl"

R = TypeVar(
    "R", RunStart, Plan, ProposalNote, HarnessNote, GateNote, TrialNote, ForeignNote, Attempt, Recheck, RoundEnd
)


class RunDirectory:
    """One run on disk, held by this process. Thread-safe."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self.environments = path / "environments"
        self.candidates = path / "candidates"
        self.rollouts = path / "rollouts"
        self._lock_file = lock
        self._guard = threading.Lock()
        _drop_torn_line(path / RECORDS)
        self.records: list[AnyRecord] = self.read(path)
        self._file = os.open(path / RECORDS, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    @classmethod
    def open(cls, path: Path) -> RunDirectory:
        """The run at `path`, made when it is not there. Raises UsageError when another process holds it."""
        for folder in ("environments", "candidates", "rollouts"):
            (path / folder).mkdir(parents=True, exist_ok=True)
        lock = _lock(path / "lock")
        _remove_parts(path)
        return cls(path, lock)

    @staticmethod
    def exists(path: Path) -> bool:
        """A run was begun at `path`."""
        return (path / RECORDS).exists()

    @staticmethod
    def read(path: Path) -> list[AnyRecord]:
        """All whole records. Raises UsageError when they are of another version or spoilt."""
        try:
            lines = (path / RECORDS).read_bytes().split(b"\n")
        except FileNotFoundError:
            return []
        records = []
        for number, line in enumerate(lines[:-1], 1):  # what follows the last newline is a line cut short, or nothing
            try:
                records.append(parse(line))
            except OtherSchema as error:
                raise UsageError(
                    f"{path}: this run was written by another version of envwheel ({error}). "
                    "Read it with the version that wrote it, or start a new run with --out."
                ) from None
            except ValueError as error:
                raise UsageError(
                    f"{path / RECORDS}: line {number} is no record: {error}. Remove that line to go on without it."
                ) from None
        return records

    def append(self, record: Record) -> None:
        """Write one record; it is on disk when this returns. Raises InfraError, with nothing written."""
        with self._guard:
            end = os.fstat(self._file).st_size
            try:
                _write_all(self._file, record.line().encode() + b"\n")
                os.fsync(self._file)
            except OSError as error:
                os.ftruncate(self._file, end)
                raise InfraError(
                    "disk", f"{self.path / RECORDS} cannot be written: {error.strerror}. Make room, then --resume."
                ) from error
            self.records.append(record)  # type: ignore[arg-type]

    def of(self, kind: type[R], *, round: int | None = None, candidate: str | None = None) -> list[R]:
        """The records of one kind so far, in order."""
        with self._guard:
            return [
                record
                for record in self.records
                if isinstance(record, kind)
                and (round is None or getattr(record, "round", None) == round)
                and (candidate is None or getattr(record, "candidate", None) == candidate)
            ]

    def last(self, kind: type[R], *, round: int | None = None, candidate: str | None = None) -> R | None:
        """The latest of `of`, or None."""
        found = self.of(kind, round=round, candidate=candidate)
        return found[-1] if found else None

    def admit(self, folder: Path, sha256: str) -> Path:
        """Move the candidate `folder` into the pool, unless its content is there already; the place in the pool.

        Raises UsageError when the pool holds another environment of that name.
        """
        place = self.environments / folder.name
        if folder == place:
            return place
        if place.exists():
            if tree_sha256(place) != sha256:
                raise UsageError(f"{place} was changed since it was admitted. Move it away and resume.")
            shutil.rmtree(folder, ignore_errors=True)
            return place
        os.rename(folder, place)
        _sync_folder(self.environments)
        return place

    def close(self) -> None:
        """Let others write this run."""
        os.close(self._file)
        os.close(self._lock_file)

    def __enter__(self) -> RunDirectory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def write_file(path: Path, text: str, *, part: Path | None = None) -> None:
    """Write `text` to `path`, whole or not at all, by way of `part` (on the same file system; default: beside it)."""
    part = part or path.with_name(f".{path.name}.part")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    _sync_folder(path.parent)


def pool(path: Path, records: Iterable[AnyRecord]) -> list[str]:
    """Names of the environments in the pool of the run at `path`: admitted, and not retired or shelved since."""
    names = {one.attempt.environment for one in standings(records).values() if one.state == "pool"}
    return sorted(name for name in names if (path / "environments" / name / "task.toml").is_file())


def run_of(environment: Path) -> Path | None:
    """The run that `environment`, a folder of its pool or of its candidates, belongs to."""
    for folder in environment.resolve().parents[:2]:
        if folder.name in ("environments", "candidates") and RunDirectory.exists(folder.parent):
            return folder.parent
    return None


def _write_all(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


def _lock(path: Path) -> int:
    """An exclusive lock that ends with the process, however it ends."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.read(file, 32).decode("ascii", "replace").strip() or "unknown"
        os.close(file)
        raise UsageError(
            f"{path.parent}: another process (pid {holder}) is writing this run. Wait for it, or choose another --out."
        ) from None
    os.ftruncate(file, 0)
    os.pwrite(file, str(os.getpid()).encode(), 0)
    return file


def _remove_parts(path: Path) -> None:
    """What a killed process had half written."""
    for part in path.glob(".*.part"):
        part.unlink()
    for folder in (path / "candidates").glob("*/.*"):
        shutil.rmtree(folder, ignore_errors=True)


def _drop_torn_line(path: Path) -> None:
    if not path.exists():
        return
    with path.open("rb+") as file:
        data = file.read()
        file.truncate(data.rfind(b"\n") + 1)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
