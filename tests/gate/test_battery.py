"""The attack battery: every script is valid bash, every payload valid in its language, all kinds are there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from envwheel.gate.battery import Target, battery
from envwheel.gate.payloads import CODE_AS_DATA, kind_of, text

KINDS = ("python", "shell", "javascript", "perl", "ruby", "c", "make", "npm")
TARGET = Target(
    artifacts=("/app/out dir", "/app/it's.py"),
    folders=("/app/out dir",),
    files=("/app/out dir/a.csv", "/app/it's.py"),
    programs=tuple((kind, f"/app/out dir/{kind}", True) for kind in KINDS),
    tests=("check.py", "data/expected.json", "test.sh"),
)


def test_all_fifteen_kinds_in_order() -> None:
    ids = [attack.id for attack in battery(TARGET)]
    assert sorted({id[:2] for id in ids}) == [f"{number:02}" for number in range(1, 16)]
    assert ids == sorted(ids)
    assert len(ids) == len(set(ids))


def test_scripts_are_valid_bash() -> None:
    for attack in battery(TARGET):
        done = subprocess.run(["bash", "-n", "-c", attack.script], capture_output=True, text=True, check=False)
        assert (attack.id, done.returncode, done.stderr) == (attack.id, 0, "")
        assert attack.why


def test_only_what_fits_the_target() -> None:
    ids = {attack.id for attack in battery(Target(("/app/x.csv",)))}
    assert not {id for id in ids if id.startswith(("08", "13", "14"))}


def test_payloads() -> None:
    compile(text("python"), "payload.py", "exec")
    assert json.loads(text("npm"))["scripts"]["test"]
    done = subprocess.run(["bash", "-n", "-c", text("shell")], capture_output=True, check=False)
    assert done.returncode == 0
    assert "int main" in text("c")
    assert "int main" not in text("c", main=False)
    for kind in KINDS:
        assert "reward.txt" in text(kind)
        assert "@S" not in text(kind)


@pytest.mark.parametrize(
    ("path", "data", "mode", "kind"),
    [
        ("/a/x.py", b"", 0o644, "python"),
        ("/a/Makefile", b"", 0o644, "make"),
        ("/a/package.json", b"", 0o644, "npm"),
        ("/a/run", b"#!/usr/bin/env python3\n", 0o644, "python"),
        ("/a/run", b"#!/bin/sh\n", 0o644, "shell"),
        ("/a/run", b"\x7fELF", 0o755, "shell"),
        ("/a/data.json", b"{}", 0o644, None),
        ("/a/report.md", b"", 0o644, None),
        ("/a/main.c", b"", 0o644, "c"),
    ],
)
def test_what_may_be_run(path: str, data: bytes, mode: int, kind: str | None) -> None:
    assert kind_of(path, data, mode) == kind


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("evaluated", [sys.executable, "-c", "import sys; eval(open(sys.argv[1]).read())"]),
        ("sourced", [sys.executable, "-c", "import pickle, sys; pickle.load(open(sys.argv[1], 'rb'))"]),
        ("sourced", ["bash", "-c", 'source "$1"', "-"]),
    ],
)
def test_data_that_forges_where_it_is_taken_for_code(tmp_path: Path, name: str, taken: list[str]) -> None:
    data = tmp_path / "data"
    data.write_text(CODE_AS_DATA[name].replace("/logs/verifier", str(tmp_path / "logs")))
    subprocess.run([*taken, str(data)], capture_output=True, check=False)
    assert (tmp_path / "logs/reward.txt").read_text() == "1\n"


def test_data_is_taken_for_code_only_where_the_tests_have_such_a_word() -> None:
    ids = {attack.id for attack in battery(Target(("/app/x.csv",), evaluated=True))}
    assert {"13-evaluated-data", "13-sourced-data"} <= ids
