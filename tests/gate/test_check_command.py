"""`envwheel check`: arguments, output, exit codes, resume, comparison, bad input."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from envwheel.cli import main
from envwheel.commands.check import Check, configure, make_images, title
from envwheel.domains import Domains
from envwheel.errors import BuildFailed, InfraError
from envwheel.gate.finished import Finished
from envwheel.gate.options import GateOptions

KEYS = ["path", "name", "verdict", "code", "message", "seconds", "engine", "skipped", "steps"]


@pytest.fixture
def check(tmp_path: Path) -> Any:
    """Run the command on a fake engine, with its state in a file of the test's."""

    def run(game: Any, paths: list[Path], *flags: str, against: Any = None) -> int:
        parser = argparse.ArgumentParser()
        configure(parser)
        args = parser.parse_args([*map(str, paths), *flags])
        options = GateOptions(jobs=2, back_off_s=(0.0, 0.0, 0.0))
        finished = Finished(options, "fake", {}, tmp_path / "state" / "check.jsonl")
        command = Check(paths, options, game.engine, Domains.none(), finished, args)
        return command.run() if against is None else command.compare(against)

    return run


def test_json_has_exactly_the_promised_keys(check: Any, write_task: Any, play: Any, capsys: Any) -> None:
    good = write_task(name="good")
    bad = write_task({"solution/solve.sh": None}, name="bad")
    assert check(play(), [good, bad], "--json") == 1
    lines = {line["name"]: line for line in map(json.loads, capsys.readouterr().out.splitlines())}
    assert list(lines["good"]) == KEYS
    assert [step["step"] for step in lines["good"]["steps"]] == [
        "schema",
        "lint",
        "build",
        "empty",
        "reference",
        "attack",
        "mutants",
    ]
    assert set(lines["good"]["steps"][0]) == {"step", "outcome", "code", "seconds", "rewards"}
    assert lines["good"]["steps"][3]["rewards"] == [0.0]
    assert (lines["bad"]["verdict"], lines["bad"]["code"]) == ("rejected", "schema")
    assert lines["bad"]["steps"][4]["outcome"] == "skipped"


def test_unknown_fields_are_warned_of_once(check: Any, write_task: Any, play: Any, capsys: Any) -> None:
    check(play(), [write_task(more="shoe_size = 43")], "--json")
    captured = capsys.readouterr()
    assert captured.err.count("shoe_size") == 1
    assert "shoe_size" not in captured.out


def test_exit_codes(check: Any, write_task: Any, play: Any) -> None:
    good = write_task(name="good")
    assert check(play(), [good]) == 0
    game = play()
    for number in range(1, 100):
        game.engine.fail_start(number, InfraError("daemon", "gone"))
    game.engine.build = lambda *args, **named: (_ for _ in ()).throw(InfraError("daemon", "gone"))
    assert check(game, [good]) == 2


def test_the_table_names_the_reason(check: Any, write_task: Any, play: Any, capsys: Any) -> None:
    bad = write_task({"instruction.md": ""}, name="bad")
    assert check(play(), [bad]) == 1
    out = capsys.readouterr().out
    assert "rejected" in out
    assert "instruction.md is empty" in out
    assert "1 judged: 1 rejected" in out


def test_resume_skips_what_is_finished_and_unchanged(check: Any, write_task: Any, play: Any, capsys: Any) -> None:
    tasks = [write_task(name="one"), write_task({"instruction.md": "Other `/app/out.txt`.\n"}, name="two")]
    check(play(), tasks[:1], "--json")
    capsys.readouterr()
    game = play()
    assert check(game, tasks, "--json", "--resume") == 0
    names = [json.loads(line)["name"] for line in capsys.readouterr().out.splitlines()]
    assert sorted(names) == ["one", "two"]
    assert game.engine.builds == 2  # the work and the verifier image of "two"
    (tasks[0] / "instruction.md").write_text("Changed `/app/out.txt`.\n")
    game = play()
    check(game, tasks, "--json", "--resume")
    assert game.engine.boxes
    game = play()
    check(game, tasks, "--json")
    assert game.engine.builds


def test_infra_is_not_finished(tmp_path: Path, write_task: Any) -> None:
    finished = Finished(GateOptions(), "fake", {}, tmp_path / "state.jsonl")
    key = finished.key(write_task())
    finished.add(key, {"verdict": "infra"})
    assert finished.load() == {}
    finished.add(key, {"verdict": "ok"})
    (tmp_path / "state.jsonl").open("a").write('{"key": "half a li')
    assert finished.load() == {key: {"verdict": "ok"}}
    assert Finished(GateOptions(repeat=3), "fake", {}).key(write_task()) != key
    assert Finished(GateOptions(jobs=7), "fake", {}).key(write_task()) == key


def test_a_fifo_is_not_opened(tmp_path: Path, write_task: Any, play: Any, check: Any) -> None:
    import os

    task = write_task()
    os.mkfifo(task / "environment/pipe")
    assert Finished(GateOptions(), "fake", {}).key(task) is None
    assert check(play(), [task], "--json") == 1


def test_out_writes_evidence_and_against_compares(
    check: Any, write_task: Any, play: Any, tmp_path: Path, capsys: Any
) -> None:
    task = write_task(name="one")
    check(play(), [task], "--out", str(tmp_path / "ev"))
    evidence = json.loads((tmp_path / "ev/one.evidence.json").read_text())
    assert check(play(), [task], against=evidence) == 0
    assert "all is as the evidence says" in capsys.readouterr().err
    worse = play(solve=lambda run: run.write("/app/out.txt", "7\n"))
    assert check(worse, [task], against=evidence) == 1
    assert "reference: outcome was 'ok' and is 'failed'" in capsys.readouterr().err


@pytest.mark.parametrize("stale", [None, '{"schema": 1, "steps": [], "tree_sha256": "of another content"}', "{"])
def test_resume_judges_again_what_has_no_evidence_of_its_own(
    check: Any, write_task: Any, play: Any, tmp_path: Path, stale: str | None
) -> None:
    task, out, again = write_task(name="one"), tmp_path / "ev", play()
    check(play(), [task], "--out", str(out))
    file = out / "one.evidence.json"
    first = file.read_text()
    if stale is None:
        file.unlink()
    else:
        file.write_text(stale)
    check(again, [task], "--resume", "--out", str(out))
    assert again.engine.builds
    assert json.loads(file.read_text())["tree_sha256"] == json.loads(first)["tree_sha256"]


def test_resume_leaves_what_has_its_evidence(check: Any, write_task: Any, play: Any, tmp_path: Path) -> None:
    task, again = write_task(name="one"), play()
    check(play(), [task], "--out", str(tmp_path / "ev"))
    check(again, [task], "--resume", "--out", str(tmp_path / "ev"))
    assert not again.engine.builds


def test_text_from_a_box_cannot_act_on_the_terminal(check: Any, write_task: Any, play: Any, capsys: Any) -> None:
    def solve(run: Any) -> None:
        run.write("/app/out.txt", "\x1b[2J\x1b]0;title\x07[bold red]x[/]\n")

    def grade(run: Any) -> Any:
        from envwheel.sandbox.base import CommandResult

        run.write("/logs/verifier/reward.txt", "0")
        return CommandResult(1, "FAIL " + (run.read("/app/out.txt") or ""), 0.1)

    check(play(solve, grade), [write_task()])
    captured = capsys.readouterr()
    assert "\x1b]0" not in captured.out + captured.err
    assert "[bold red]x[/]" in captured.out


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--only", "nonsense"], "there is no step 'nonsense'"),
        (["--only", ""], "Steps: schema"),
        (["--repeat", "0"], "--repeat must be at least 1"),
        (["--jobs", "-3"], "--jobs must be at least 1"),
        (["--against", "/nowhere/evidence.json"], "cannot be read"),
        (["--domain", "no_such_domain"], "no_such_domain"),
        (["--image", "ubuntu"], "is not NAME=REFERENCE"),
        (["--images", "/nowhere/images.toml"], "cannot be read"),
    ],
)
def test_wrong_requests_are_one_sentence(write_task: Any, capsys: Any, flags: list[str], said: str) -> None:
    assert main(["check", str(write_task()), *flags]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert "Traceback" not in err


def test_a_folder_without_environments(tmp_path: Path, capsys: Any) -> None:
    assert main(["check", str(tmp_path)]) == 2
    assert "task.toml" in capsys.readouterr().err
    assert main(["check", str(tmp_path / "missing")]) == 2


def test_schema_and_lint_need_no_engine(write_task: Any, capsys: Any) -> None:
    assert main(["check", str(write_task()), "--only", "schema,lint", "--engine", "none-such", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["engine"] == ""


def test_the_title_of_a_report_is_a_line_however_many_paths_there_are():
    few, many = [Path("a"), Path("b")], [Path(f"e{number}") for number in range(2000)]
    assert title(few) == "envwheel check a b"
    assert title(many) == "envwheel check e0 e1 e2 and 1997 more"


def test_images_of_the_domains_that_environments_name_are_made(write_task: Any, play: Any) -> None:
    own = '[metadata.envwheel]\nschema = 1\ndomains = ["office", "nobody_has_it"]'
    paths = [write_task(more=own, name="one"), write_task({"task.toml": "= no TOML"}, name="two"), Path("/nowhere")]
    engine = play().engine
    make_images(engine, Domains.none(), paths)
    engine.image("envwheel/office:full")
    for tag in ("envwheel/office:author", "envwheel/swe:bookworm"):
        with pytest.raises(BuildFailed):
            engine.image(tag)


def test_images_of_the_domains_that_judge_are_made(write_task: Any, play: Any) -> None:
    engine = play().engine
    make_images(engine, Domains.load(["swe"]), [write_task()])
    engine.image("envwheel/swe:bookworm")
