"""git_recover: the ids that are known beforehand are git's, and the culprit of level 4 is one that bisection finds."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from envwheel_swe.families import git_bisect, git_recover
from envwheel_swe.families.git_story import Story, object_id, tree_id
from envwheel_swe.naming import rng
from envwheel_swe.repair import program

pytestmark = pytest.mark.slow  # hundreds of git processes

ENV = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "LC_ALL": "C"}


def test_known_ids() -> None:
    assert object_id("blob", b"hello\n") == "ce013625030ba8dba906f756967f9e9ca394464a"
    assert object_id("tree", b"") == tree_id({})


@pytest.mark.parametrize(("level", "seed"), [(0, 2), (1, 0), (2, 0), (3, 1)])
def test_setup_makes_the_commits_that_are_expected(tmp_path: Path, level: int, seed: int) -> None:
    made = git_recover.make(level, seed)
    root = tmp_path / Path(made.artifacts[0]).name
    setup = made.setup.replace("/app/", f"{tmp_path}/")
    subprocess.run(["bash", "-c", setup], check=True, env=ENV, cwd=tmp_path)

    def git(*args: str) -> str:
        return subprocess.run(["git", *args], check=True, env=ENV, cwd=root, capture_output=True, text=True).stdout

    tip = git("rev-parse", "main").strip()
    wanted = made.expect["refs"]["refs/heads/main"]
    assert tip == wanted.get("id", wanted.get("parents", [""])[0])
    for ref, commit in made.expect["refs"].items():
        known = commit.get("id") or commit["parents"][0]
        assert git("cat-file", "-t", known).strip() == "commit", ref
    assert git("status", "--porcelain") == ("" if level else f"?? {wanted['message'][4:]}\n")


@pytest.mark.parametrize("seed", range(6))
def test_every_order_of_the_steps_hides_one_culprit(seed: int, tmp_path: Path) -> None:
    culprit = git_bisect.CULPRITS[seed % 3]
    order, place, right = git_bisect.story_of(rng("git_recover", 4, seed), culprit)
    first = program("git_recover")["parcel.py"]
    check = culprit.check + '[ "$fine" = yes ]\n'
    seen = []
    for count in (place, place + 1):
        (tmp_path / "parcel.py").write_text(git_bisect.grown(first, order[:count]))
        seen.append(subprocess.run(["bash", "-c", check], cwd=tmp_path, stderr=subprocess.DEVNULL).returncode)
    assert seen == [0, 1]
    (tmp_path / "parcel.py").write_text(git_bisect.grown(first, right))
    assert subprocess.run(["bash", "-c", check], cwd=tmp_path).returncode == 0


def test_reverting_the_culprit_conflicts(tmp_path: Path) -> None:
    for seed in range(3):
        made = git_recover.make(4, seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        script = made.setup.replace("/app/", f"{folder}/") + "git bisect start main $(git rev-list main | tail -n 1)\n"
        (folder / "check.sh").write_text(str(made.files["check.sh"]))
        script += f"git bisect run bash {folder}/check.sh\nbad=$(git rev-parse refs/bisect/bad)\ngit bisect reset\n"
        script += 'git revert --no-edit "$bad" && exit 1\necho "$bad" > ../bad\n'
        subprocess.run(["bash", "-c", script], check=True, env=ENV, cwd=folder, capture_output=True)
        assert (folder / "bad").read_text().strip() in made.expect["refs"]["refs/heads/main"]["line"]


def test_stories_are_pure() -> None:
    one, two = (Story("x", rng("git_recover", 1, 5)) for _ in range(2))
    assert one.people == two.people
    assert git_recover.make(3, 1) == git_recover.make(3, 1)
