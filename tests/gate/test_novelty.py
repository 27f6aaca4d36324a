"""Near copies among environments, and texts of a benchmark in them."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from envwheel.cli import main
from envwheel.errors import SetupError, UsageError
from envwheel.gate import texts
from envwheel.gate.finished import Finished
from envwheel.gate.novelty import Benchmark, Novelty
from envwheel.gate.options import Fault, GateOptions

pytest.importorskip("rensa", reason="the extra `duplicates` is not installed")
WORDS = [
    a + b + c
    for c in ("", "o", "us", "ix", "ard")
    for a in ("ka", "lo", "mi", "ru", "te", "po", "sun", "bar")
    for b in ("n", "lt", "rk", "st", "m", "ff")
]


def prose(seed: object, count: int = 120) -> str:
    return " ".join(random.Random(f"{seed}").choices(WORDS, k=count))


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def folder(name: str, instruction: str, more: dict[str, str] | None = None, toml: str = "") -> Path:
        files = {"instruction.md": instruction, "tests/check.py": prose(name, 80), "task.toml": toml, **(more or {})}
        for path, text in files.items():
            (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / path).write_text(text)
        return tmp_path / name

    return folder


def codes(*folders: Path, **how: Any) -> list[list[str]]:
    novelty = Novelty(duplicates=not how, **how)
    found = [novelty.look(folder) for folder in folders]
    assert found == [novelty.faults(folder) for folder in folders]
    return [[fault.code for fault in faults] for faults in found]


def test_a_near_copy_is_told_and_the_first_stays(write: Any) -> None:
    same = {"tests/check.py": prose("check", 300)}
    one, other = write("one", prose(1), same), write("other", prose(2))
    copy = write("copy", prose(1).replace("kan", "otherword", 1), same)
    assert codes(one, other, copy) == [[], [], ["duplicate"]]
    assert codes(copy, other, one) == [[], [], ["duplicate"]]
    novelty = Novelty(duplicates=True)
    novelty.look(one)
    assert "near copy (9" in novelty.look(copy)[0].message
    assert str(one) in novelty.faults(copy)[0].message


def test_nothing_is_a_copy_of_a_folder_without_instruction(write: Any) -> None:
    same = {"tests/check.py": prose("check", 900)}
    assert codes(write("none", "", same), write("one", prose(1, 30), same), write("two", prose(1, 30), same)) == [
        [],
        [],
        ["duplicate"],
    ]


def test_half_of_it_is_no_copy(write: Any) -> None:
    same = {"tests/check.py": prose("check", 150)}
    assert codes(write("one", prose(1, 150), same), write("other", prose(2, 150), same)) == [[], []]


def test_a_generators_work_is_compared_by_its_parameters(write: Any) -> None:
    def toml(seed: int) -> str:
        params = f"params = {{ rows = {seed} }}"
        return f'[metadata.envwheel]\nproposer = "procedural"\nfamily = "csv"\nlevel = 1\n{params}\n'

    same = {"tests/check.py": prose("check", 300)}
    one, two = write("one", prose(1), same, toml(1)), write("two", prose(1) + " two", same, toml(2))
    three = write("three", prose(3), None, toml(1))
    four = write("four", prose(1), same, toml(4))
    assert codes(one, two, three, four) == [[], [], ["duplicate"], ["duplicate"]]


def test_a_run_of_words_of_a_benchmark_contaminates(write: Any, tmp_path: Path) -> None:
    benchmark = write("bench/task-1", prose("b", 200), {"tests/check.py": prose("bt", 200)})
    quote = " ".join(prose("b", 200).split()[50:64])
    short = " ".join(prose("b", 200).split()[50:61])
    test = " ".join(prose("bt", 200).split()[20:60])
    little = " ".join(prose("bt", 200).split()[20:45])
    folders = [
        write("quotes", f"{prose(1)} {quote.upper()} {prose(2)}"),
        write("says-little", f"{prose(3)} {short} {prose(4)}"),
        write("takes-a-test", prose(5), {"tests/check.py": f"{prose(6)}\n{test}\n"}),
        write("takes-little", prose(7), {"environment/x.py": f"{prose(8)}\n{little}\n"}),
        write("fixture", prose(9), {"environment/data/x.txt": test}),
    ]
    assert codes(*folders, benchmarks=[benchmark.parent]) == [
        ["contaminated"],
        [],
        ["contaminated"],
        [],
        ["contaminated"],
    ]
    said = Benchmark([benchmark.parent]).shared(folders[0])
    assert said.startswith("instruction.md shares 14 words in a row with bench/task-1/instruction.md: ")


def test_a_reworded_instruction_contaminates(write: Any) -> None:
    benchmark = write("bench/task-1", prose("b", 400))
    tokens = prose("b", 400).split()
    for at in range(6, len(tokens), 12):  # no 13 words in a row are left
        tokens[at] = f"new{at % 5}"
    assert texts.Runs().longest(tokens)[1] == 0
    reworded = write("reworded", " ".join(tokens))
    assert codes(reworded, benchmarks=[benchmark]) == [["contaminated"]]
    assert "of its words in common with task-1/instruction.md" in Benchmark([benchmark]).shared(reworded)


def test_boilerplate_of_a_benchmark_is_no_contamination(write: Any, tmp_path: Path) -> None:
    form = prose("form", 60)
    for number in range(texts.COMMON):
        write(f"bench/t{number}", prose(f"b{number}"), {"tests/setup.py": f"{form} {prose(number)}"})
    mine = write(
        "mine", " ".join(f"word{n}" for n in range(90)), {"tests/setup.py": form, "tests/test.sh": prose("b0")}
    )
    assert codes(mine, benchmarks=[tmp_path / "bench"]) == [[]]


def test_a_benchmark_that_is_not_there_is_one_sentence(tmp_path: Path, write: Any, capsys: Any) -> None:
    with pytest.raises(UsageError, match="There is no"):
        Benchmark([tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="holds no text"):
        Benchmark([tmp_path / "empty"])
    assert main(["check", str(write("one", "x")), "--against-texts", str(tmp_path / "nowhere")]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_odd_files_are_passed_over(write: Any, tmp_path: Path) -> None:
    import os

    one = write("one", prose(1), {"tests/a.bin": "\0\1"}, toml="metadata = 3\n")
    os.mkfifo(one / "tests/pipe")
    (one / "tests/loop").symlink_to(one)
    (one / "solution").mkdir()
    (one / "solution/solve.sh").write_bytes(b"\xff\xfe" * 20)
    assert codes(one, tmp_path / "nothing") == [[], []]


def test_check_rejects_before_anything_is_built(write_task: Any, tmp_path: Path, capsys: Any) -> None:
    first, copy = write_task(name="pool/a"), write_task(name="pool/b")
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench/text.md").write_text((first / "instruction.md").read_text() + prose("x"))
    flags = ["--only", "schema,lint", "--json"]
    assert main(["check", str(tmp_path / "pool"), *flags, "--duplicates"]) == 1
    lines = {line["name"]: line for line in map(json.loads, capsys.readouterr().out.splitlines())}
    assert (lines["a"]["verdict"], lines["b"]["code"]) == ("ok", "duplicate")
    assert [step["step"] for step in lines["b"]["steps"]][-1] == "duplicate"
    assert str(first) in lines["b"]["message"]
    assert main(["check", str(copy), *flags]) == 0
    assert [step["step"] for step in json.loads(capsys.readouterr().out)["steps"]][-1] == "mutants"


def test_what_others_have_is_part_of_what_is_resumed(write: Any) -> None:
    folder, finished = write("one", "x"), Finished(GateOptions(), "fake", {})
    keys = {finished.key(folder), finished.key(folder, []), finished.key(folder, [Fault("duplicate", "of x")])}
    assert len(keys) == 3


def test_without_rensa_there_is_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rensa", None)
    with pytest.raises(SetupError, match=r"pip install 'envwheel\[duplicates\]'"):
        texts.Near(0.8)
