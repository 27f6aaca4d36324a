"""Pools of other people: many folders, foreign images, no solutions; nothing is left behind."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from envwheel.commands.check import Check, configure
from envwheel.domains import Domains
from envwheel.errors import InfraError
from envwheel.gate.finished import Finished
from envwheel.gate.ladder import judge
from envwheel.gate.options import GateOptions
from envwheel.sandbox.aliases import Alias, use
from envwheel.sandbox.fake import BASE

FOREIGN = {"environment/Dockerfile": "FROM ubuntu:24.04\nWORKDIR /app\nCOPY app/ /app/\n"}
FAST = (0.0, 0.0, 0.0)


def options(**more: Any) -> GateOptions:
    return GateOptions(jobs=2, back_off_s=FAST, **more)


def check(game: Any, paths: list[Path], state: Path, asked: GateOptions, *flags: str) -> int:
    parser = argparse.ArgumentParser()
    configure(parser)
    args = parser.parse_args([*map(str, paths), *flags])
    finished = Finished(asked, "fake", {}, state)
    return Check(paths, asked, game.engine, Domains.none(), finished, args).run()


def test_evidence_tells_of_a_stand_in(write_task: Any, play: Any) -> None:
    task = write_task(FOREIGN)
    game = play()
    assert judge(task, game.engine, Domains.none(), options=options()).code == "build"
    use(game.engine, [Alias("ubuntu:24.04", BASE)])
    verdict = judge(task, game.engine, Domains.none(), options=options())
    assert verdict.verdict == "ok"
    assert verdict.evidence()["aliases"] == {"ubuntu:24.04": BASE}
    own = judge(write_task(name="own"), game.engine, Domains.none(), options=options())
    assert own.evidence()["aliases"] == {}


def test_a_ready_image_has_its_stand_in_too(write_task: Any, play: Any) -> None:
    game = play()
    use(game.engine, [Alias("ubuntu:24.04", BASE)])
    task = write_task({"environment/Dockerfile": None}, more='docker_image = "ubuntu:24.04"')
    verdict = judge(task, game.engine, Domains.none(), options=options())
    assert verdict.evidence()["aliases"] == {"ubuntu:24.04": BASE}


def test_a_stand_in_is_part_of_what_is_resumed(write_task: Any) -> None:
    task = write_task(FOREIGN)
    plain, aliased = options(), options(aliases=(Alias("ubuntu:24.04", BASE),))
    assert Finished(plain, "fake", {}).key(task) != Finished(aliased, "fake", {}).key(task)


def pool(write_task: Any, count: int) -> list[Path]:
    """Every third is fine, every third has a broken verifier image, every third fails in between."""
    kinds = (
        {},
        {"tests/Dockerfile": "FROM no/such:1\n"},
        {"environment/Dockerfile": "FROM envwheel/base:bookworm\nCOPY none /x\n"},
    )
    tasks = []
    for number in range(count):
        own = {"instruction.md": f"{number}: sum `/app/numbers.txt` into `/app/out.txt`.\n"}
        files = {**own, "environment/app/number": f"{number}", "tests/number": f"{number}", **kinds[number % 3]}
        tasks.append(write_task(files, name=f"pool/t{number:03d}"))
    return tasks


def test_no_path_keeps_images(write_task: Any, play: Any, tmp_path: Path, capsys: Any) -> None:
    game = play()
    assert check(game, pool(write_task, 30), tmp_path / "state", options(), "--json") == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sorted({(line["verdict"], line["code"]) for line in lines}) == [("ok", ""), ("rejected", "build")]
    assert +game.engine.held == {}
    assert game.engine.most_held <= 4 * 2, "twice as many environments as trials, with two images each"


def test_our_own_failure_keeps_no_image(write_task: Any, play: Any, tmp_path: Path) -> None:
    game = play()
    for number in range(1, 400):
        game.engine.fail_start(number, InfraError("daemon", "gone"))
    assert check(game, pool(write_task, 6), tmp_path / "state", options()) == 2
    assert +game.engine.held == {}


def test_equal_images_are_given_back_as_often_as_they_were_asked_for(write_task: Any, play: Any) -> None:
    same = {
        "environment/Dockerfile": "FROM envwheel/base:bookworm\nCOPY . /tests/\nWORKDIR /app\n",
        "environment/app/numbers.txt": None,
        "environment/test.sh": "#!/bin/bash\n# GRADE\n",
    }
    game = play()
    judge(write_task(same), game.engine, Domains.none(), options=options())
    assert +game.engine.held == {}


@pytest.mark.parametrize("mode", ["shared", "separate"])
def test_both_kinds_of_verifier_keep_nothing(write_task: Any, play: Any, mode: str) -> None:
    game = play()
    judge(write_task(mode=mode), game.engine, Domains.none(), options=options())
    assert +game.engine.held == {}
    assert game.engine.live == {}


def test_equal_names_of_two_pools_do_not_meet(write_task: Any, play: Any, tmp_path: Path) -> None:
    tasks = [write_task(name="one/task"), write_task({"instruction.md": ""}, name="two/task")]
    check(play(), tasks, tmp_path / "state", options(), "--out", str(tmp_path / "out"))
    one, two = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert one.endswith("-one-task.evidence.json")
    assert two.endswith("-two-task.evidence.json")


def test_an_interrupted_pool_goes_on(write_task: Any, play: Any, tmp_path: Path, capsys: Any) -> None:
    tasks = pool(write_task, 12)
    check(play(), tasks[:7], tmp_path / "state", options(), "--json")
    capsys.readouterr()
    game = play()
    check(game, tasks, tmp_path / "state", options(), "--json", "--resume", "--html", str(tmp_path / "all.html"))
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len({line["path"] for line in lines}) == 12
    assert game.engine.builds < 12, "what was finished is not built again"
    assert (tmp_path / "all.html").read_text().count("data-verdict") == 12


@pytest.mark.parametrize("mode", ["separate", "shared"])
def test_a_folder_without_solution_can_be_judged(write_task: Any, play: Any, mode: str) -> None:
    task = write_task({"solution/solve.sh": None}, mode=mode)
    verdict = judge(task, play().engine, Domains.none(), options=options(need_solution=False))
    assert verdict.verdict == "ok"
    said = {step.step: step.outcome for step in verdict.steps}
    assert (said["empty"], said["reference"], said["attack"], said["mutants"]) == ("ok", "skipped", "ok", "skipped")


def test_without_solution_what_needs_none_is_still_attacked(write_task: Any, play: Any) -> None:
    game = play(grade=lambda run: run.read("/app/conftest.py") is not None)
    game.engine.program('pass_all "$folder/conftest.py"; done', lambda run: run.write("/app/conftest.py", "x"))
    task = write_task({"solution/solve.sh": None}, mode="shared")
    verdict = judge(task, game.engine, Domains.none(), options=options(need_solution=False))
    assert verdict.code == "forgeable"
    assert "03-conftest" in verdict.message
    assert not [trial for step in verdict.steps for trial in step.trials if trial.kind == "reference"]
