"""The run directory: nothing whole is lost, nothing torn is read, one writer at a time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from flywheel_records import attempt, gate_note, plan, round_end, run_start, target, trial

from envwheel.environment.hash import tree_sha256
from envwheel.errors import UsageError
from envwheel.index import refresh
from envwheel.ledger import Attempt, GateNote, HarnessNote, TrialNote, parse
from envwheel.store import RECORDS, RunDirectory, pool, run_of

ALL = [run_start(), plan(target()), gate_note(), trial(), trial(number=2, passed=False), attempt(), round_end()]


def written(path: Path) -> RunDirectory:
    store = RunDirectory.open(path)
    for record in ALL:
        store.append(record)
    return store


def test_records_come_back_as_they_were(tmp_path: Path) -> None:
    with written(tmp_path):
        pass
    assert RunDirectory.read(tmp_path) == ALL
    with RunDirectory.open(tmp_path) as again:
        assert again.records == ALL
        assert again.last(TrialNote, candidate="r01-c001") == ALL[4]
        assert again.of(GateNote, round=2) == []
        assert len(again.of(Attempt)) == 1


def test_every_line_says_its_schema(tmp_path: Path) -> None:
    with written(tmp_path):
        pass
    lines = [json.loads(line) for line in (tmp_path / RECORDS).read_text().splitlines()]
    assert {line["schema"] for line in lines} == {1}
    assert [line["kind"] for line in lines] == ["run", "plan", "gate", "trial", "trial", "attempt", "round"]


def test_cut_at_any_byte_the_whole_records_stay_and_work_goes_on(tmp_path: Path) -> None:
    records = [round_end(1), round_end(2), round_end(3)]
    data = "".join(record.line() + "\n" for record in records).encode()
    for length in range(len(data) + 1):
        (tmp_path / RECORDS).write_bytes(data[:length])
        whole = data[:length].count(b"\n")
        assert RunDirectory.read(tmp_path) == records[:whole]
        with RunDirectory.open(tmp_path) as store:
            for record in records[whole:]:
                store.append(record)
        assert (tmp_path / RECORDS).read_bytes() == data


def test_unknown_keys_are_dropped_and_other_schemas_refused(tmp_path: Path) -> None:
    line = json.loads(round_end().line())
    assert parse(json.dumps({**line, "later": 1})) == round_end()
    with RunDirectory.open(tmp_path):
        pass
    (tmp_path / RECORDS).write_text(json.dumps({**line, "schema": 2}) + "\n")
    with pytest.raises(UsageError, match=r"another version of envwheel \(record schema 2.*start a new run with --out"):
        RunDirectory.read(tmp_path)


def test_a_spoilt_line_in_the_middle_is_named(tmp_path: Path) -> None:
    with written(tmp_path):
        pass
    path = tmp_path / RECORDS
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], '{"schema": 1, "kind": "nonsense"}', *lines[2:]]) + "\n")
    with pytest.raises(UsageError, match=r"records\.jsonl: line 2 is no record"):
        RunDirectory.read(tmp_path)


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    code = "import sys; from envwheel.store import RunDirectory; from pathlib import Path; "
    code += "RunDirectory.open(Path(sys.argv[1]))"
    with RunDirectory.open(tmp_path):
        other = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
        assert "is writing this run" in other.stderr
        assert RunDirectory.read(tmp_path) == []
    again = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    assert again.returncode == 0


def candidate_folder(store: RunDirectory, name: str = "links-1", text: str = "x") -> Path:
    folder = store.candidates / "r01-c001" / name
    folder.mkdir(parents=True)
    (folder / "task.toml").write_text(text)
    return folder


def test_admission_is_done_once(tmp_path: Path) -> None:
    with RunDirectory.open(tmp_path) as store:
        folder = candidate_folder(store)
        sha = tree_sha256(folder)
        place = store.admit(folder, sha)
        assert not folder.exists()
        assert store.admit(folder, sha) == place  # as after a kill between the move and the record
        assert tree_sha256(place) == sha
        store.append(attempt(environment="links-1"))
        assert pool(tmp_path, store.records) == ["links-1"]


def test_an_admitted_environment_is_never_replaced(tmp_path: Path) -> None:
    with RunDirectory.open(tmp_path) as store:
        place = store.admit(candidate_folder(store), tree_sha256(store.candidates / "r01-c001" / "links-1"))
        other = candidate_folder(store, text="y")
        with pytest.raises(UsageError, match="was changed since it was admitted"):
            store.admit(other, tree_sha256(other))
        assert (place / "task.toml").read_text() == "x"


def test_what_a_killed_process_had_half_written_goes(tmp_path: Path) -> None:
    with RunDirectory.open(tmp_path) as store:
        kept = candidate_folder(store)
    half = kept.with_name(".links-1-abc")
    (half / "new").mkdir(parents=True)
    (tmp_path / ".r01-c001.part").write_text("{")
    with RunDirectory.open(tmp_path):
        assert kept.exists()
        assert not half.exists()
        assert list(tmp_path.glob(".*")) == []


def rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(path)) as database:
        return database.execute(sql).fetchall()


def test_the_index_can_be_deleted_spoilt_and_caught_up(tmp_path: Path) -> None:
    store = RunDirectory.open(tmp_path)
    for record in ALL[:4]:
        store.append(record)
    path = refresh(tmp_path)
    assert rows(path, "SELECT id, passed FROM trial") == [("r01-c001-t01", 1)]
    for record in ALL[4:]:
        store.append(record)
    store.close()
    sql = "SELECT candidate, verdict, skills FROM attempt"
    expected = [("r01-c001", "admitted", '["files"]')]
    assert rows(refresh(tmp_path), sql) == expected
    assert rows(path, "SELECT count(*) FROM trial") == [(2,)]
    path.write_bytes(b"no database" * 100)
    assert rows(refresh(tmp_path), sql) == expected
    path.unlink()
    assert rows(refresh(tmp_path), sql) == expected
    assert rows(path, "SELECT reason FROM target") == [("because",)]


def test_the_index_of_an_older_version_gets_its_missing_tables_filled(tmp_path: Path) -> None:
    import sqlite3
    from contextlib import closing

    note = HarnessNote(round=2, id="h", revision="001", parent="000", action="revised", reason="it ran nothing")
    with RunDirectory.open(tmp_path) as store:
        for record in (*ALL, note):
            store.append(record)
    path = refresh(tmp_path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DROP TABLE harness")
    assert rows(refresh(tmp_path), "SELECT action, revision FROM harness") == [("revised", "001")]
    assert rows(path, "SELECT count(*) FROM recheck") == [(0,)]


def test_the_run_of_an_environment_is_found_from_its_pool_and_its_candidates(tmp_path: Path) -> None:
    with written(tmp_path / "run"):
        pass
    assert run_of(tmp_path / "run/environments/a") == tmp_path / "run"
    assert run_of(tmp_path / "run/candidates/r01-c001/a") == tmp_path / "run"
    assert run_of(tmp_path / "run/other/a") is None
    assert run_of(tmp_path / "environments/a") is None
