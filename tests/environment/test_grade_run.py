"""Candidates' programs under the kit: who they run as, what they get, and that nothing of them outlives `run`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from checker import ROOT, grade

needs_root = pytest.mark.skipif(not ROOT, reason="only root can run a program as another user")


def values(folder: Path, body: str) -> list[str]:
    done = grade(folder, body)
    assert done.exit_code == 0, done.err
    return done.out.splitlines()


def test_a_program_gets_its_input_and_files_and_gives_its_output(open_folder: Path) -> None:
    assert values(
        open_folder,
        """
        script = "cat; cat data; echo oops >&2; exit 3"
        print(*grade.run(["/bin/sh", "-c", script], stdin=b"in ", files={"data": b"file"}))
        """,
    ) == ["3 b'in file' b'oops\\n'"]


def test_the_environment_is_clean_and_the_input_closed(open_folder: Path) -> None:
    out = values(
        open_folder,
        """
        os.environ["SECRET"] = "x"
        ran = grade.run(["/usr/bin/env"], env={"PORT": "80"})
        print(sorted(line.split(b"=")[0].decode() for line in ran.out.splitlines()))
        print(grade.run(["/bin/cat"]).out)
        """,
    )
    assert out == ["['HOME', 'LC_ALL', 'PATH', 'PORT', 'USER']", "b''"]


@needs_root
def test_a_program_is_nobody_and_cannot_come_back(open_folder: Path) -> None:
    out = values(
        open_folder,
        """
        code = "import os; print(os.getresuid() == (U,) * 3, os.getgroups()); os.setuid(0)".replace("U", "%d")
        ran = grade.run([*PYTHON, code % grade_reap.NOBODY])
        print(ran.out, b"PermissionError" in ran.err)
        """,
    )
    assert out == ["b'True []\\n' True"]


@needs_root
def test_a_program_cannot_read_what_is_closed_to_others(open_folder: Path) -> None:
    secret = open_folder / "tests"
    secret.mkdir(mode=0o700)
    (secret / "expected").write_text("42")
    assert values(open_folder, 'print(grade.run(["/bin/cat", "{folder}/tests/expected"]).code)') == ["1"]


def test_codes_of_what_cannot_be_started(open_folder: Path) -> None:
    out = values(
        open_folder,
        """
        print(grade.run(["/no/such"]).code, grade.run(["/etc"]).code, grade.run(["/bin/true"], cwd="/no/such").code)
        folder = grade.scratch({"junk": bytes(range(256))})
        os.chmod(folder + "/junk", 0o755)
        print(grade.run([folder + "/junk"]).code)
        """,
    )
    assert out == ["127 126 127", "126"]


def test_time_output_and_file_size_are_limited(open_folder: Path) -> None:
    out = values(
        open_folder,
        """
        print(grade.run(["/bin/sleep", "50"], timeout=0.2).code)
        ran = grade.run([*PYTHON, "print('x' * 5000)"], output_limit=1000)
        print(ran.code, len(ran.out))
        grade_run.FILE_LIMIT = 100_000
        ran = grade.run([*PYTHON, "open('big', 'wb').write(bytes(200_000))"])
        print(ran.code != 0, b"Errno 27" in ran.err or ran.code == -25)
        """,
    )
    assert out == ["None", "None 1000", "True True"]


def test_files_and_cwd_exclude_each_other(open_folder: Path) -> None:
    done = grade(open_folder, 'grade.run(["/bin/true"], cwd="/", files={"a": b""})')
    assert "files go into a fresh folder" in done.err


LEFTOVER = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open("pid", "w").write(str(os.getpid()))
        while True:
            time.sleep(0.01)
    os._exit(0)
while not os.path.exists("pid") or not open("pid").read():
    time.sleep(0.01)
"""


def test_a_process_that_forked_twice_is_dead_when_run_returns(open_folder: Path) -> None:
    out = values(
        open_folder,
        f"""
        folder = grade.scratch()
        ran = grade.run([*PYTHON, {LEFTOVER!r}], cwd=folder)
        print(ran.code, os.path.exists("/proc/" + open(folder + "/pid").read()))
        """,
    )
    assert out == ["0 False"]


@needs_root
@pytest.mark.parametrize(
    "program",
    [
        "import os\nwhile True:\n    if os.fork(): os._exit(0)",
        "import os, signal\nsignal.signal(17, signal.SIG_IGN)\nfor _ in range(6): os.fork()\nsignal.pause()",
    ],
    ids=["a chain that forks and exits", "a crowd"],
)
def test_no_forking_outruns_the_kill(open_folder: Path, program: str) -> None:
    out = values(
        open_folder,
        f"""
        grade.run([*PYTHON, {program!r}], timeout=1)
        mine = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                mine += [pid] if os.stat("/proc/" + pid).st_uid == grade_reap.NOBODY else []
            except OSError:
                pass
        print(mine, grade_reap.descendants())
        """,
    )
    assert out == ["[] []"]


SERVER = """
import http.server, os
if os.fork():
    os.wait()
else:
    http.server.HTTPServer(("127.0.0.1", {port}), http.server.SimpleHTTPRequestHandler).serve_forever()
"""


def test_a_service_survives_a_run_beside_it_and_not_its_context(open_folder: Path) -> None:
    port = 20_000 + os.getpid() % 20_000
    out = values(
        open_folder,
        f"""
        with grade.start([*PYTHON, {SERVER.format(port=port)!r}], port={port}) as service:
            print(service.wait_port(timeout=30), grade.run(["/bin/echo", "hi"]).out, service.wait_port())
        print(service.wait_port(timeout=0.2), grade_reap.descendants())
        with grade.start(["/no/such/program"], port={port}) as service:
            print(service.wait_port(timeout=5))
        """,
    )
    assert out == ["True b'hi\\n' True", "False []", "False"]


def test_copy_tree_keeps_modes_and_refuses_what_is_not_plain(open_folder: Path) -> None:
    source = open_folder / "app"
    (source / "sub").mkdir(parents=True)
    (source / "sub" / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (source / "sub" / "run.sh").chmod(0o700)
    (source / "odd").mkdir()
    os.mkfifo(source / "odd" / "fifo")
    out = values(
        open_folder,
        """
        folder = grade.copy_tree("{folder}/app/sub")
        print(oct(grade.mode(folder + "/run.sh")), grade.run(["./run.sh"], cwd=folder).out)
        try:
            grade.copy_tree("{folder}/app")
        except grade.Failed as error:
            print("no plain folder" in str(error))
        """,
    )
    assert out == ["0o744 b'ran\\n'", "True"]
