"""What gives the answer or the repair away in other words: encoded, in a page, in a remark; compiled modules."""

from __future__ import annotations

import base64
import codecs
import json
import py_compile
import subprocess
from pathlib import Path
from typing import Any

import pytest

from envwheel.domains import Domains
from envwheel.gate.answers import gives_away, numbers
from envwheel.gate.chance import suspicion
from envwheel.gate.ladder import judge
from envwheel.gate.options import GateOptions
from envwheel.gate.remarks import changed_part, comments, repaired_by
from envwheel.gate.secret_files import members

TOTALS = {"birch": 25138, "cedar": 5355, "elm": 1200}
ANSWER = json.dumps(TOTALS, indent=1).encode() + b"\n"


@pytest.mark.parametrize(
    "text",
    [
        f"# Notes\n\nLast run: {json.dumps(TOTALS)}, as before.\n",
        base64.b64encode(ANSWER).decode(),
        base64.encodebytes(ANSWER * 1).decode(),
        ANSWER.hex(),
        codecs.encode(ANSWER.decode(), "rot13"),
        "It gives 25,138 for birch, 5355 for cedar and 1200 for elm.",
    ],
)
def test_other_spellings_of_the_answer(text: str) -> None:
    assert gives_away(text, ANSWER)


@pytest.mark.parametrize(
    "text",
    [
        'The form is {"birch": 1, "elm": 2}.',
        "birch has 25138 items and cedar 5355.",
        "25138 and 5355 here.\n\nAnd 1200 in another paragraph.",
        "",
    ],
)
def test_what_says_less_than_the_answer(text: str) -> None:
    assert not gives_away(text, ANSWER)


def test_one_number_and_numbers_that_are_known() -> None:
    assert gives_away("The sum: 31,693 cents", b"31693\n")
    assert not gives_away("about 316930 cents", b"31693\n")
    assert not gives_away("The port is 8085.", b"8085\n", numbers("port 8085"))
    assert not gives_away("There are 42 of them", b"42\n")


def test_an_encoded_file_is_opened_like_an_archive() -> None:
    assert ("decoded", ANSWER) in members(base64.encodebytes(ANSWER), 1 << 20)
    assert ("decoded", ANSWER) in members(ANSWER.hex().encode(), 1 << 20)
    assert members(b"plain words that are no code at all, with blanks", 1 << 20) == []


LINE = "    if letter == last and count <= 9:\n"
FIXED = LINE.replace("<=", "<")


def test_the_part_of_a_line_that_is_new() -> None:
    assert changed_part(LINE, FIXED) == ("count < = 9", "count < 9")
    assert changed_part("return n / 2", "return n // 2") == ("return n / 2", "return n / / 2")
    assert changed_part("return number", "return number + 1") == ("number", "number + 1")
    assert changed_part("return number + 1", "return number") == ("return number + 1", "return number")
    assert changed_part("same", "same") == ("", "")


@pytest.mark.parametrize(
    ("remark", "hint", "stated"),
    [
        ("# FIXME: count < 9", "", True),
        ("# the bug is here, it has to read\n    # if letter == last and count < 9:", "", True),
        ("", "`count <= 9` must become `count < 9`.", True),
        ("", "A run has count < 9.", False),
        ("# a bug hides in runs of 9", "", False),
        ("# count < 9 holds here", "", False),
        ("# should be count < 90", "", False),
    ],
)
def test_a_remark_that_states_the_repair(remark: str, hint: str, stated: bool) -> None:
    before, after = f"    {remark}\n{LINE}", f"    {remark}\n{FIXED}"
    repaired, _ = repaired_by(list(comments(before)), before, after, hint)
    assert (repaired == after) is stated


GOOD = "def small(number):\n    return number < 9\n"


@pytest.mark.parametrize(("compiled", "code"), [(GOOD, "leak_tests"), (GOOD.replace("<", "<="), "")])
def test_a_compiled_module_is_run_in_its_place(
    write_task: Any, play: Any, tmp_path: Path, compiled: str, code: str
) -> None:
    source = tmp_path / "small.py"
    source.write_text(compiled)
    cache = Path(py_compile.compile(str(source), doraise=True) or "").read_bytes()
    source.write_text(GOOD)
    right = base64.b64encode(Path(py_compile.compile(str(source), doraise=True) or "").read_bytes()[16:]).decode()
    files = {
        "instruction.md": "Repair `/app/small.py`.\n",
        "environment/app/small.py": GOOD.replace("<", "<="),
        "environment/app/.cache/blob": cache,
    }
    path = write_task(files)
    (path / "task.toml").write_text('artifacts = ["/app/small.py"]\n[verifier]\nenvironment_mode = "separate"\n')

    def grade(run: Any) -> bool:
        text = run.read("/app/small.py") or ""
        return text == GOOD or (right in text and "marshal.loads" in text)

    engine = play(lambda run: run.write("/app/small.py", GOOD), grade).engine
    assert judge(path, engine, Domains.none(), options=GateOptions(back_off_s=(0.0,))).code == code


def test_a_variable_of_the_image_that_tells(write_task: Any, play: Any) -> None:
    game = play(lambda run: run.write("/app/out.txt", "31693\n"), lambda run: run.read("/app/out.txt") == "31693\n")
    docker = "FROM envwheel/base:bookworm\nWORKDIR /app\nCOPY app/ /app/\nENV SEEN={}\n"
    for value, code in (("31693", "leak_answer"), ("31694", "")):
        path = write_task({"environment/Dockerfile": docker.format(value)}, name=f"task{value}")
        assert judge(path, game.engine, Domains.none(), options=GateOptions(back_off_s=(0.0,))).code == code


@pytest.mark.parametrize(
    ("line", "sign"),
    [
        ("if [ $((RANDOM % 2)) = 0 ]; then exit 1; fi", "randomness"),
        ("import socket; name = socket.gethostname()", "the host"),
        ("if os.stat(path).st_mtime_ns % 2:", "file times"),
        ("echo $$(( 2 * 3 ))", ""),
    ],
)
def test_signs_of_chance(write_task: Any, line: str, sign: str) -> None:
    assert suspicion(write_task({"tests/test.sh": line + "\n"})) == (f"tests/test.sh: {sign}" if sign else "")


@pytest.mark.parametrize(("line", "code"), [("    return number < 9", "leak_answer"), ("    return number <= 9", "")])
def test_what_an_editor_left_has_the_new_lines(write_task: Any, play: Any, line: str, code: str) -> None:
    swap = b"b0VIM 9.0" + bytes(20) + line.encode() + b"\0def small(number):\0"
    files = {
        "instruction.md": "Repair `/app/small.py`.\n",
        "environment/app/small.py": GOOD.replace("<", "<="),
        "environment/app/.small.py.swp": swap,
    }
    path = write_task(files)
    (path / "task.toml").write_text('artifacts = ["/app/small.py"]\n[verifier]\nenvironment_mode = "separate"\n')
    engine = play(lambda run: run.write("/app/small.py", GOOD), lambda run: run.read("/app/small.py") == GOOD).engine
    assert judge(path, engine, Domains.none(), options=GateOptions(back_off_s=(0.0,))).code == code


def test_a_git_bundle_is_opened(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=n", "-c", "user.email=n@example.org")
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "small.py").write_text(GOOD)
    git("init", "-q")
    git("add", "small.py")
    git("commit", "-q", "-m", "one")
    git("bundle", "create", "-q", "all.bundle", "--all")
    data = (tmp_path / "all.bundle").read_bytes()
    assert ("a git object", GOOD.encode()) in members(data, 1 << 20)
    assert members(data[:-60], 10) == []


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"environment/app/README.md": f"Last run: {json.dumps(TOTALS)}.\n"}, "leak_answer"),
        ({"environment/app/data/all.log": f"one\n{json.dumps(TOTALS)}\n"}, ""),
        ({"environment/app/numbers.txt": "1\n# 25138 and 5355 and 1200\n"}, ""),
    ],
)
def test_an_input_that_has_the_values_is_no_leak(write_task: Any, play: Any, files: dict[str, str], code: str) -> None:
    text = ANSWER.decode()
    game = play(lambda run: run.write("/app/out.txt", text), lambda run: run.read("/app/out.txt") == text)
    path = write_task(files)
    assert judge(path, game.engine, Domains.none(), options=GateOptions(back_off_s=(0.0,))).code == code
