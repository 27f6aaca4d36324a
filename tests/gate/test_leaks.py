"""Step lint: files of tests and solution in the image, and answers in instruction and fixtures."""

from __future__ import annotations

import gzip
import hashlib
import io
import py_compile
import tarfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest

from envwheel.domains import Domains
from envwheel.gate.hints import tells
from envwheel.gate.ladder import Verdict, judge
from envwheel.gate.options import GateOptions
from envwheel.gate.secret_files import Finder, Secret, here_documents, members
from envwheel.gate.shown import Shown, is_leak

EXPECTED = '{"birch": 25138, "cedar": 5355, "elm": 120}\n'
CHECKER = '''"""Compare the totals with what is wanted."""
import json

def compare_totals(path):
    "Whether the file at path holds what is expected"
    return json.load(open(path)) == {"a long enough text": 1}

def write_reward(value):
    open("/logs/verifier/reward.txt", "w").write(str(value))
'''
TESTS = {"tests/check.py": CHECKER, "tests/expected.json": EXPECTED}


def verdict(write_task: Any, play: Any, files: dict[str, Any], game: Any = None) -> Verdict:
    path = write_task({**TESTS, **files})
    return judge(path, (game or play()).engine, Domains.none(), options=GateOptions(back_off_s=(0.0,)))


def zipped(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner/file", data)
    return buffer.getvalue()


def tarred(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        header = tarfile.TarInfo("a/b")
        header.size = len(data)
        archive.addfile(header, io.BytesIO(data))
    return buffer.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        EXPECTED.encode(),
        EXPECTED.replace("\n", "\r\n").encode(),
        EXPECTED.strip().encode(),
        gzip.compress(EXPECTED.encode(), mtime=0),
        zipped(EXPECTED.encode()),
        tarred(EXPECTED.encode()),
        zipped(tarred(EXPECTED.encode())),
    ],
)
def test_an_expected_file_in_the_image_is_a_leak(write_task: Any, play: Any, data: bytes) -> None:
    found = verdict(write_task, play, {"environment/app/.cache/state.bak": data})
    assert (found.code, found.stage) == ("leak_tests", "lint")
    assert "tests/expected.json" in found.message


def test_what_a_build_step_left_is_seen_in_the_layers(write_task: Any, play: Any) -> None:
    game = play()
    game.engine.program("make-state", lambda run: run.write("/opt/state", EXPECTED))
    files = {"environment/Dockerfile": "FROM envwheel/base:bookworm\nWORKDIR /app\nCOPY app/ /app/\nRUN make-state\n"}
    found = verdict(write_task, play, files, game)
    assert (found.code, found.stage) == ("leak_tests", "lint")
    assert "/opt/state" in found.message


def test_test_code_in_the_image_is_a_leak(write_task: Any, play: Any) -> None:
    assert verdict(write_task, play, {"environment/app/selfcheck/check.py": CHECKER}).code == "leak_tests"


def test_a_part_of_the_solution_in_the_image_is_a_leak(write_task: Any, play: Any) -> None:
    fixed = "def parse(text):\n    return int(text, 10) // 60\n"
    solve = f"cat > /app/p.py <<'PY'\n{fixed}PY\n"
    found = verdict(write_task, play, {"solution/solve.sh": solve, "environment/app/.orig/p.py": fixed})
    assert found.code == "leak_tests"
    assert "a part of solution/solve.sh" in found.message


def test_an_input_that_the_tests_have_too_is_no_leak(write_task: Any, play: Any) -> None:
    rows = "".join(f"{n}\n" for n in range(40))
    files = {"environment/app/numbers.txt": rows, "tests/pristine.txt": rows}
    assert verdict(write_task, play, files).verdict == "ok"


def test_a_data_file_is_a_leak_when_the_reference_produces_it(write_task: Any, play: Any) -> None:
    result = '{"a": 1, "b": [1, 2, 3], "some": "longer text"}'
    files = {"tests/data.json": result, "environment/app/.x/blob": result}
    game = play(
        lambda run: run.write("/app/out.txt", '{"b": [1, 2, 3], "a": 1,  "some": "longer text"}'),
        lambda run: bool(run.read("/app/out.txt")),
    )
    assert verdict(write_task, play, files, game).code == "leak_tests"
    assert verdict(write_task, play, files).code != "leak_tests"


def test_tiny_files_say_nothing(write_task: Any, play: Any) -> None:
    assert verdict(write_task, play, {"tests/expected": "42\n", "environment/app/x": "42\n"}).code != "leak_tests"


def test_git_objects_packs_and_compiled_files(tmp_path: Path) -> None:
    secret = Secret("tests/check.py", CHECKER.encode())
    finder = Finder([secret])
    blob = b"blob %d\0" % len(secret.data) + secret.data
    name = hashlib.sha1(blob).hexdigest()
    loose = f"/app/.git/objects/{name[:2]}/{name[2:]}"
    assert list(finder.find(loose, zlib.compress(blob))) == [(secret, "a git object")]
    index = b"\xfftOc" + bytes(1024) + bytes.fromhex(name) + bytes(40)
    assert list(finder.find(f"/app/.git/objects/pack/pack-{'a' * 40}.idx", index)) == [(secret, "a git pack")]
    source = tmp_path / "check.py"
    source.write_text(CHECKER)
    compiled = Path(py_compile.compile(str(source), doraise=True) or "").read_bytes()
    assert list(finder.find("/app/__pycache__/check.cpython-311.pyc", compiled)) == [(secret, "compiled")]
    source.write_text("def other():\n    return 'something else'\n")
    other = Path(py_compile.compile(str(source), doraise=True) or "").read_bytes()
    assert list(finder.find("/app/__pycache__/check.cpython-311.pyc", other)) == []


def test_archives_that_are_bombs_or_broken_are_left() -> None:
    assert members(gzip.compress(bytes(50_000_000)), 1 << 20) == []
    assert members(b"PK\x03\x04broken", 1 << 20) == []
    assert members(b"\x1f\x8bbroken", 1 << 20) == []
    assert members(b"plain text", 1 << 20) == []


def test_here_documents() -> None:
    script = b"cat > a <<'E1'\none\ntwo\nE1\ncat <<-E2 > b\n\tthree\n\tE2\n"
    assert here_documents(script) == [b"one\ntwo", b"\tthree"]


SHOWN = Shown(
    "Sum `/app/invoices/*.csv` with `tool.py`; the folder `/app/layers` too. Only /app/out.json counts.", "/app"
)


@pytest.mark.parametrize(
    ("path", "names", "covers"),
    [
        ("/app/invoices/2024.csv", True, True),
        ("/app/invoices/.sync/state.bak", False, False),
        ("/app/tool.py", True, True),
        ("/app/layers/10.json", False, True),
        ("/app/layers/.old/10.json", False, False),
        ("/app/other.txt", False, False),
        ("/opt/x", False, False),
    ],
)
def test_what_an_instruction_shows(path: str, names: bool, covers: bool) -> None:
    assert (SHOWN.names(path), SHOWN.covers(path)) == (names, covers)


def test_a_project_may_have_tests_of_its_own() -> None:
    shown = Shown("Make the failing tests of the package pass.", "/app")
    own = Secret("tests/test_api.py", b"def test_api():\n    assert api() == 3\n")
    assert is_leak(own, "/app/tests/test_api.py", shown, project=True) is False
    assert is_leak(own, "/app/tests/test_api.py", shown, project=False) is True
    assert is_leak(own, "/opt/tests/test_api.py", shown, project=True) is True
    assert is_leak(Secret("tests/test.sh", b"x" * 40), "/app/tests/test.sh", shown, project=True) is True


def test_the_solving_command_in_the_instruction(write_task: Any, play: Any) -> None:
    game = play()
    game.engine.program("awk-it-all", lambda run: run.write("/app/out.txt", "42\n"))
    instruction = "Write the sum to `/app/out.txt`.\n\n```\nawk-it-all > /app/out.txt\n```\n"
    found = verdict(write_task, play, {"instruction.md": instruction}, game)
    assert (found.code, found.stage) == ("leak_answer", "lint")
    harmless = instruction.replace("awk-it-all", "cat")
    assert verdict(write_task, play, {"instruction.md": harmless}, game).verdict == "ok"


def test_the_answer_in_the_instruction(write_task: Any, play: Any) -> None:
    told = "Write the sum of `/app/numbers.txt` to `/app/out.txt`. (The answer is 42.)\n"
    assert verdict(write_task, play, {"instruction.md": told}).code == "leak_answer"
    wrong = told.replace("42", "43")
    assert verdict(write_task, play, {"instruction.md": wrong}).verdict == "ok"


@pytest.mark.parametrize(
    ("line", "answer", "told"),
    [
        ("The answer is 42.", "42", True),
        ("Hint: the total is `1234` at the end", "1234", True),
        ("Solution: blue", "blue", True),
        ("Write the answer `yes` to the file if it is there, else `no`.", "yes", False),
        ("The result is a number of two digits, such as 42.", "42", False),
        ("The answer is 421.", "42", False),
        ("The port is 8085.", "8085", False),
    ],
)
def test_a_sentence_that_tells(line: str, answer: str, told: bool) -> None:
    assert tells(line, answer) is told


def test_where_the_work_is_to_find_a_file_it_may_lie_about(write_task: Any, play: Any) -> None:
    content = "alpha=1\nbeta=22\ngamma=333\n"
    game = play(lambda run: run.write("/app/out.txt", content), lambda run: run.read("/app/out.txt") == content)
    files = {
        "instruction.md": "Find the file with three lines under /app and copy it to `/app/out.txt`.\n",
        "environment/app/d/e": content,
    }
    assert verdict(write_task, play, files, game).verdict == "ok"


def test_a_script_that_nobody_speaks_of(write_task: Any, play: Any) -> None:
    line = "awk '{ total += $1 } END { print total }' /app/numbers.txt > /app/out.txt\n"
    files = {"solution/solve.sh": "#!/bin/bash\n" + line, "environment/app/.tools/sum.sh": "set -e\n" + line}
    game = play()
    game.engine.program("total += $1", lambda run: run.write("/app/out.txt", "42\n"))
    assert verdict(write_task, play, files, game).code == "leak_answer"


def test_the_history_of_a_shell_is_done_again(write_task: Any, play: Any) -> None:
    files = {"environment/app/.bash_history": "ls\ncd /app\nsum-it-up > out.txt\nexit 1\n"}
    game = play()
    game.engine.program("sum-it-up", lambda run: run.write("/app/out.txt", "42\n"))
    found = verdict(write_task, play, files, game)
    assert (found.code, "/app/.bash_history" in found.message) == ("leak_answer", True)
    harmless = {"environment/app/.bash_history": "ls\ncat out.txt\n"}
    assert verdict(write_task, play, harmless, game).verdict == "ok"


def test_a_comment_that_states_the_fix(write_task: Any, play: Any) -> None:
    broken = "def half(n):\n    # BUG: should be return n // 2\n    return n / 2\n"
    fixed = broken.replace("return n / 2", "return n // 2")
    files = {
        "task.toml": None,
        "instruction.md": "Repair `/app/half.py`.\n",
        "environment/app/half.py": broken,
    }
    game = play(lambda run: run.write("/app/half.py", fixed), lambda run: run.read("/app/half.py") == fixed)
    path = write_task({**TESTS, **files})
    (path / "task.toml").write_text(
        'artifacts = ["/app/half.py"]\n[verifier]\nenvironment_mode = "separate"\n', encoding="utf-8"
    )
    found = judge(path, game.engine, Domains.none(), options=GateOptions(back_off_s=(0.0,)))
    assert (found.code, found.stage) == ("leak_answer", "lint")
    (path / "environment/app/half.py").write_text(broken.replace("should be return n // 2", "this is wrong somehow"))
    assert judge(path, game.engine, Domains.none(), options=GateOptions(back_off_s=(0.0,))).verdict == "ok"


def test_a_file_that_nobody_speaks_of_holds_the_answer(write_task: Any, play: Any) -> None:
    answer = "alpha=1\nbeta=22\ngamma=333\n"
    game = play(lambda run: run.write("/app/out.txt", answer), lambda run: run.read("/app/out.txt") == answer)
    files = {"environment/app/.done/out": answer, "tests/expected.json": None}
    found = verdict(write_task, play, files, game)
    assert found.code == "leak_answer"
    assert "/app/.done/out" in found.message


@pytest.mark.parametrize("ignored", [True, False])
def test_what_is_not_copied_is_no_leak(write_task: Any, play: Any, ignored: bool) -> None:
    files: dict[str, Any] = {"environment/notes/expected.json": EXPECTED}
    if not ignored:
        files["environment/Dockerfile"] = "FROM envwheel/base:bookworm\nWORKDIR /app\nCOPY app/ notes/ /app/\n"
    found = verdict(write_task, play, files)
    assert found.code == ("" if ignored else "leak_tests")


def test_stages_and_ignore_files_are_left_to_the_image_scan(make_task: Any) -> None:
    from envwheel.gate.lint import copied_files

    assert [name for name, _ in copied_files(make_task())] == ["app/numbers.txt"]
    assert list(copied_files(make_task({"environment/.dockerignore": "app\n"}, name="b"))) == []
    stages = "FROM envwheel/base:bookworm AS one\nCOPY app/ /x/\nFROM envwheel/base:bookworm\n"
    assert list(copied_files(make_task({"environment/Dockerfile": stages}, name="c"))) == []


@pytest.mark.parametrize(
    ("instruction", "code"), [("Repair `/app/half.py`.\n", "leak_tests"), ("Recover it by git.\n", "")]
)
def test_a_history_that_holds_the_fix(write_task: Any, play: Any, instruction: str, code: str) -> None:
    broken = "def half(number):\n    return number / 2\n"
    fixed = broken.replace("/ 2", "// 2")
    blob = b"blob %d\0" % len(fixed) + fixed.encode()
    name = hashlib.sha1(blob).hexdigest()
    files = {
        "instruction.md": instruction,
        "environment/app/half.py": broken,
        f"environment/app/.git/objects/{name[:2]}/{name[2:]}": zlib.compress(blob),
    }
    game = play(lambda run: run.write("/app/half.py", fixed), lambda run: run.read("/app/half.py") == fixed)
    path = write_task({**TESTS, **files})
    (path / "task.toml").write_text('artifacts = ["/app/half.py"]\n[verifier]\nenvironment_mode = "separate"\n')
    assert judge(path, game.engine, Domains.none(), options=GateOptions(back_off_s=(0.0,))).code == code
