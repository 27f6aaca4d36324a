"""Programs that repeat their first answer: in all languages that are known, and what tests make of them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from envwheel.domains import Domains
from envwheel.gate.fixed_answer import KEPT, could_know, fixed, wrapped
from envwheel.gate.ladder import judge
from envwheel.gate.options import GateOptions

PYTHON = b'import sys\n\nprint("in", sys.stdin.read().strip(), *sys.argv[1:])\nsys.exit(3)\n'
SHELL = b'#!/bin/bash\nread -r line\necho "in $line $*"\nexit 3\n'
C = b'#include <stdio.h>\n\nint main(int count, char **words)\n{\n    char line[9];\n    scanf("%8s", line);\n'
C += b'    printf("in %s", line);\n    if (count > 1) printf(" %s", words[1]);\n    puts("");\n    return 3;\n}\n'
MODULE = b"def double(number):\n    return 2 * half(number) * 2\n\n\ndef half(number):\n    return number / 2\n\n\n"
MODULE += b"def version():\n    return 7\n"


class Shop:
    """A folder in which programs are written and run; what they keep lies in it too."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.at = folder, str(folder / "kept")

    def write(self, name: str, program: bytes | None) -> list[str]:
        path = self.folder / name
        path.write_bytes((program or b"").replace(KEPT.encode(), self.at.encode()))
        if name.endswith(".c"):
            subprocess.run(["gcc", "-w", "-o", path.with_suffix(""), path], check=True)
            return [str(path.with_suffix(""))]
        return [sys.executable if name.endswith(".py") else "bash", str(path)]

    def run(self, command: list[str], given: str, *words: str) -> tuple[str, int]:
        done = subprocess.run([*command, *words], input=given, capture_output=True, text=True, check=False)
        return done.stdout.strip(), done.returncode

    def kept(self) -> dict[str, bytes]:
        return {f"{KEPT}/{path.name}": path.read_bytes() for path in Path(self.at).iterdir()}


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


@pytest.mark.parametrize(("name", "program"), [("p.py", PYTHON), ("p.sh", SHELL), ("p.c", C)])
def test_a_program_that_repeats_its_first_answer(shop: Shop, name: str, program: bytes) -> None:
    if name.endswith(".c") and not shutil.which("gcc"):
        pytest.skip("no C compiler")
    command = shop.write(name, wrapped(f"/app/{name}", program))
    assert shop.run(command, "one\n", "a") == ("in one a", 3)
    assert shop.run(command, "two\n", "b") == ("in one a", 3)
    kept = shop.kept()
    again = shop.write(name, fixed(f"/app/{name}", program, kept))
    shutil.rmtree(shop.at)
    assert shop.run(again, "three\n") == ("in one a", 3)


def test_a_module_is_wrapped_function_by_function(shop: Shop) -> None:
    shop.write("m.py", wrapped("/app/m.py", MODULE))
    ask = [sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1]); import m; print(eval(sys.argv[2]))"]
    asked = "m.double(1), m.double(5), m.half(8), m.version()"
    assert shop.run(ask, "", str(shop.folder), asked) == ("(2.0, 2.0, 4.0, 7)", 0)
    kept = shop.kept()
    assert sorted(name.rpartition("@")[2] for name in kept) == ["double", "half"]
    shop.write("m.py", fixed("/app/m.py", MODULE, kept))
    assert shop.run(ask, "", str(shop.folder), "m.double(9), m.half(1), m.version()") == ("(2.0, 4.0, 7)", 0)


def test_without_an_answer_there_is_no_fixed_program() -> None:
    assert fixed("/app/p.py", PYTHON, {}) is None
    assert fixed("/app/p.sh", SHELL, {}) is None
    assert wrapped("/app/table.csv", b"a,b\n") is None


def test_a_long_answer_is_known_to_who_sees_the_question() -> None:
    answer, question = b"line of the answer\n" * 20, b"line of the question\n"
    digest = "9e1d5a2f"
    kept = {f"{KEPT}/x.out": answer, f"{KEPT}/x.asked": digest.encode()}
    assert not could_know(kept, {"/app/data": question}, "Write a program.")
    assert could_know(kept, {}, "It prints\n" + answer.decode())
    assert could_know({f"{KEPT}/x.out": b"XIV\n"}, {}, "Write a program.")
    import hashlib

    kept[f"{KEPT}/x.asked"] = hashlib.sha256(question).hexdigest().encode()
    assert could_know(kept, {"/app/data": question}, "Write a program.")


@pytest.mark.parametrize(("examples", "code"), [(1, "weak_verifier"), (2, "")])
def test_tests_with_one_example(write_task: Any, play: Any, examples: int, code: str) -> None:
    program = "print(sum(map(int, open(0).read().split())))\n"

    def grade(run: Any) -> bool:
        """Answers as such a program would in a box: a wrapped one is right once and leaves its answer."""
        text = run.read("/app/sum.py") or ""
        if "_wrapped" in text:
            at = text.split("_AT = '")[1].split("'")[0]
            run.write(f"{at}.out", "6\n")
            run.write(f"{at}.code", "0")
            return examples == 1
        return text == program or ("_code = 0" in text and "b'6\\n'" in text and examples == 1)

    files = {"instruction.md": "Write the program `/app/sum.py`.\n"}
    path = write_task(files)
    (path / "task.toml").write_text('artifacts = ["/app/sum.py"]\n[verifier]\nenvironment_mode = "separate"\n')
    engine = play(lambda run: run.write("/app/sum.py", program), grade).engine
    found = judge(path, engine, Domains.none(), options=GateOptions(back_off_s=(0.0,)))
    assert found.code == code
    assert bool(code) is ("fixed_answer" in found.message)
