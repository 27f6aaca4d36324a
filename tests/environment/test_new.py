"""`envwheel new`: a skeleton that is clean, never overwrites, and whose checker tells right from wrong."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from checker import KIT, grade

from envwheel.cli import main
from envwheel.environment import skeleton
from envwheel.environment.folder import read


def test_the_skeleton_is_a_clean_environment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", str(tmp_path / "mine")]) == 0
    assert "envwheel check" in capsys.readouterr().out
    task = read(tmp_path / "mine")
    assert task.warnings == ()
    assert task.config.task is not None
    assert task.config.task.name == "envwheel/mine"


def test_json_and_a_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", str(tmp_path / "mine"), "--name", "other", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["path"] == str(tmp_path / "mine")
    assert (told["name"], told["domains"]) == ("other", [])
    assert told["tree_sha256"] == read(tmp_path / "mine").tree_sha256


@pytest.mark.parametrize("kind", ["file", "folder", "dangling link"])
def test_nothing_is_overwritten(tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "mine"
    {
        "file": lambda: target.write_text("x"),
        "folder": target.mkdir,
        "dangling link": lambda: target.symlink_to("nowhere"),
    }[kind]()
    assert main(["new", str(target)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_name_that_cannot_be_one_and_an_unknown_domain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", str(tmp_path / "a b")]) == 2
    assert "Give --name" in capsys.readouterr().err
    assert main(["new", str(tmp_path / "c"), "--domain", "no_such"]) == 2
    assert "not installed" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


REFERENCE = skeleton.PROGRAM


@pytest.mark.parametrize(
    ("program", "reward"),
    [
        (REFERENCE, 1.0),
        (None, 0.0),
        ("", 0.0),
        ("print('ida 1')\n", 0.0),
        (REFERENCE.replace("-totals", "totals"), 0.0),
        (REFERENCE.replace(", name))", ", 0))"), 0.0),
        (REFERENCE.replace("get(customer, 0)", "get(customer, 1)"), 0.0),
        (REFERENCE.replace("if line.strip()", "if line"), 0.0),
        ("\0" * 100, 0.0),
        ("raise SystemExit(0)\n", 0.0),
    ],
)
def test_its_checker_tells_right_from_wrong(open_folder: Path, program: str | None, reward: float) -> None:
    if program is not None:
        (open_folder / "totals.py").write_text(program)
    body = skeleton.CHECK.replace("/app/totals.py", str(open_folder / "totals.py")).replace("/tests/kit", str(KIT))
    done = grade(open_folder, body)
    assert (done.reward, done.exit_code) == (reward, 0), done.err


def test_its_reference_writes_that_program(tmp_path: Path) -> None:
    script = skeleton.SOLVE.replace("/app/", f"{tmp_path}/")
    subprocess.run(["bash", "-c", script], check=True)
    assert (tmp_path / "totals.py").read_text() == REFERENCE
