"""What the host adds to a folder that a model wrote, and that hostile folders cannot lead it astray."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from envwheel.api import KitFile
from envwheel.environment.stamp import stamp

TOML = 'schema_version = "1.4"\n[task]\nname = "x/y"\n[metadata]\nauthor = "m"\n'


def put(folder: Path, toml: str = TOML, kit: tuple[KitFile, ...] = ()) -> Path:
    if toml:
        (folder / "task.toml").write_text(toml)
    stamp(folder, domain="toy", skills=("sums",), level=2, proposer="terminal", kit=kit, extra={"model": "m1"})
    return folder


def own(folder: Path) -> dict[str, object]:
    return tomllib.loads((folder / "task.toml").read_text())["metadata"]["envwheel"]


def test_it_says_who_made_the_environment_for_what(tmp_path: Path) -> None:
    said = own(put(tmp_path))
    assert said.pop("version")
    assert said == {
        "schema": 1,
        "domains": ["toy"],
        "proposer": "terminal",
        "level": 2,
        "skills": ["sums"],
        "model": "m1",
    }
    assert tomllib.loads((tmp_path / "task.toml").read_text())["metadata"]["author"] == "m"


def test_the_models_own_claims_are_overwritten_and_its_wishes_kept(tmp_path: Path) -> None:
    claims = '[metadata.envwheel]\nproposer = "human"\nlevel = 9\nfamily = "git"\nseed = 3\nprocesses = 64\n'
    said = own(put(tmp_path, claims + "[metadata.envwheel.params]\nfamily = 'git'\n"))
    assert (said["proposer"], said["level"], said["processes"]) == ("terminal", 2, 64)
    assert said.keys().isdisjoint({"family", "seed", "params"})


def test_the_kit_takes_the_place_of_what_the_model_wrote(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("KIT = 1\n")
    folder = tmp_path / "draft"
    (folder / "tests" / "kit" / "mine.py").mkdir(parents=True)
    (folder / "tests" / "kit" / "grade.py").write_text("reward = 1\n")
    put(folder, kit=(KitFile(tmp_path / "mine.py", "mine.py"),))
    assert (folder / "tests" / "kit" / "mine.py").read_text() == "KIT = 1\n"
    assert "def finish" in (folder / "tests" / "kit" / "grade.py").read_text()


@pytest.mark.parametrize("at", ["tests", "tests/kit", "tests/kit/grade.py"])
def test_no_link_is_written_through(tmp_path: Path, at: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kit").mkdir()
    (outside / "grade.py").write_text("mine\n")
    folder = tmp_path / "draft"
    (folder / at).parent.mkdir(parents=True)
    (folder / at).symlink_to(outside / "grade.py" if at.endswith(".py") else outside)
    put(folder)
    assert (outside / "grade.py").read_text() == "mine\n"
    assert list((outside / "kit").iterdir()) == []
    assert not (folder / at).is_symlink()


@pytest.mark.parametrize("toml", ["name = ", "metadata = 3\n", "a = " + "[" * 9000])
def test_a_task_toml_that_cannot_be_changed_is_left_to_the_gate(tmp_path: Path, toml: str) -> None:
    assert (put(tmp_path, toml) / "task.toml").read_text() == toml


def test_without_a_task_toml_none_is_made(tmp_path: Path) -> None:
    assert not (put(tmp_path, "") / "task.toml").exists()
