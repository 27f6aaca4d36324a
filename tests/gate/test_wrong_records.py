"""Entries left out and values exchanged: in collections of like things, and nowhere else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envwheel.gate.wrong_artifacts import Result, wrong_artifacts
from envwheel.gate.wrong_records import dropped, exchanged
from envwheel.sandbox.base import Entry, Tree

TOTALS = json.dumps({"ada": 3, "bo": 3, "cy": 5}).encode()
ROWS = b"name,units\nbolt,12\ncog,12\nnut,30\n"


def test_the_last_entry_is_left_out() -> None:
    assert json.loads(dropped("/app/t.json", TOTALS) or b"") == {"ada": 3, "bo": 3}
    assert json.loads(dropped("/app/t.json", b"[1, 2, 3]") or b"") == [1, 2]
    assert dropped("/app/t.csv", ROWS) == b"name,units\nbolt,12\ncog,12\n"


def test_two_different_values_are_exchanged() -> None:
    assert json.loads(exchanged("/app/t.json", TOTALS) or b"") == {"ada": 5, "bo": 3, "cy": 3}
    assert exchanged("/app/t.csv", ROWS) == b"name,units\nbolt,30\ncog,12\nnut,12\n"


@pytest.mark.parametrize(
    "value", [{"host": "a", "port": 1, "on": True}, {"a": 1, "b": 2}, [1, "a", None], {"a": [1], "b": [2], "c": [3]}, 7]
)
def test_what_is_no_collection_of_like_things_is_left_alone(value: object) -> None:
    data = json.dumps(value).encode()
    assert dropped("/app/t.json", data) is None
    assert exchanged("/app/t.json", data) is None


@pytest.mark.parametrize(
    "data",
    [b"", b"a,b\n1,2\n", b'a,b\n"x,y",1\nz,2\nw,3\n', b"a\n1\n2\n3\n", b"a,b\n1,7\n2,7\n3,7\n", b"a,b\nx,1\nx,2\n"],
)
def test_a_table_without_two_rows_that_can_be_told_apart_is_left_alone(data: bytes) -> None:
    assert exchanged("/app/t.csv", data) is None


@given(st.binary(max_size=80))
def test_no_bytes_make_it_fail(data: bytes) -> None:
    for path in ("/app/t.json", "/app/t.csv", "/app/t.tsv", "/app/t.txt"):
        for made in (dropped(path, data), exchanged(path, data)):
            assert made is None or made != data


def test_a_file_that_was_there_before_keeps_its_entries() -> None:
    def ids(before: bytes | None) -> set[str]:
        reference = Tree({"/app/t.json": Entry("file", 0o644, TOTALS)})
        untouched = Tree({"/app/t.json": Entry("file", 0o644, before)} if before else {})
        return {wrong.id for wrong in wrong_artifacts(Result(reference, untouched, "", {}, None))}

    assert {"entry_missing", "values_exchanged"} <= ids(None)
    assert not {"entry_missing", "values_exchanged"} & ids(b'{"ada": 1}')
