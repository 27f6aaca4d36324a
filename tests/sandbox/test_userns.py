"""A user namespace for an ordinary user: ranges of numbers, and what a process inside is."""

from __future__ import annotations

import subprocess
import sys

import pytest

from envwheel.sandbox import userns

REFUSED = userns.impossible()


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("ann:100000:65536\n", "100000"),
        ("bob:1:65536\nann:165536:65536\n", "165536"),
        ("1001:200000:65536\n", "200000"),
        ("ann:100000:1000\n", ""),
        ("ann:100000:1000\nann:300000:70000\n", "300000"),
        ("ann\n\nann:x\nann:1:y\n", ""),
        ("", ""),
    ],
)
def test_the_range_of_a_user_is_one_that_is_large_enough(tmp_path, text, start):
    file = tmp_path / "subuid"
    file.write_text(text)
    assert userns.range_of(file, "ann", 1001) == start


def test_without_the_file_there_is_no_range(tmp_path):
    assert userns.range_of(tmp_path / "nothing", "ann", 1001) == ""


@pytest.mark.skipif(bool(REFUSED), reason=REFUSED)
def test_a_program_becomes_root_of_a_namespace_and_keeps_its_output_and_code():
    program = "import os, sys; from envwheel.sandbox import userns; print(os.geteuid(), userns.inside()); sys.exit(7)"
    command = [sys.executable, "-P", "-m", "envwheel.sandbox.userns", sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("0 True\n", 7), done.stderr


@pytest.mark.skipif(bool(REFUSED), reason=REFUSED)
def test_a_program_that_is_not_there_is_one_line():
    command = [sys.executable, "-P", "-m", "envwheel.sandbox.userns", "/nothing"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(bool(REFUSED), reason=REFUSED)
def test_where_root_is_the_only_user_giving_a_file_away_pretends(tmp_path):
    file = tmp_path / "file"
    file.touch()
    program = f"import os; os.chown({str(file)!r}, 12, 34); print(os.stat({str(file)!r}).st_uid)"
    command = [sys.executable, "-P", "-m", "envwheel.sandbox.seccomp", sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == f"{file.stat().st_uid}\n", done.stderr
