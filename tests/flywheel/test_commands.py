"""run, status, show and solve as a person meets them: results on standard output, one clear message for bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flywheel_records import attempt, gate_note, plan, round_end, run_start, target, trial

from envwheel import run_page
from envwheel.api import Check
from envwheel.cli import main
from envwheel.environment.folder import read
from envwheel.ledger import HarnessNote
from envwheel.model.base import ModelUsage
from envwheel.rollout import RolloutSummary, RolloutWriter
from envwheel.store import RECORDS, RunDirectory

HOSTILE = "\x1b]0;owned\x07\x1b[31mred[bold]\u202eabc"


def make_run(path: Path) -> None:
    with RunDirectory.open(path) as store:
        for record in (run_start(), plan(target(reason=HOSTILE)), gate_note(), trial(), attempt(), round_end()):
            store.append(record)
        folder = store.environments / "links-r01-c001"
        folder.mkdir()
        (folder / "task.toml").write_text("")


def make_rollout(folder: Path) -> Path:
    writer = RolloutWriter(folder / "t01.jsonl")
    call = {"id": "1", "name": "bash", "arguments": {"command": f"echo {HOSTILE}"}}
    writer.step({"source": "user", "message": "Do it."})
    writer.step({"source": "agent", "message": "I do.", "tool_calls": [call], "observations": [{"content": HOSTILE}]})
    summary = RolloutSummary(
        id="t01",
        environment="links",
        tree_sha256="a" * 64,
        solver="m",
        outcome="scored",
        reward=0.0,
        value=0.0,
        passed=False,
        usage=ModelUsage(3, 4, 0, None),
        checks=(Check("made", False, message=HOSTILE),),
    )
    return writer.finish(summary)


def clean(text: str) -> bool:
    return "\x1b" not in text and "\u202e" not in text


def test_status_prints_the_fixed_shape(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(tmp_path)
    assert main(["status", str(tmp_path), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["pool"] == 1
    assert said["rounds"][0]["round"] == 1
    assert said["rounds"][0]["pass_rate"] == 1.0


def test_status_for_people_shows_the_aims_without_their_control_characters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run(tmp_path)
    assert main(["status", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "aimed at" in said
    assert "red[bold]abc" in said
    assert "The solver is simulated" in said
    assert clean(said)


def test_status_writes_a_report_for_a_browser(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(tmp_path / "run")
    evidence = {"steps": [{"step": "empty", "outcome": "ok", "trials": [{"seconds": 1.0, "reward": 0.0}]}]}
    (tmp_path / "run/environments/links-r01-c001/evidence.json").write_text(json.dumps(evidence))
    assert main(["status", str(tmp_path / "run"), "--html", str(tmp_path / "report.html")]) == 0
    page = (tmp_path / "report.html").read_text()
    assert "links-r01-c001" in page
    assert ">empty<b>0</b>" in page
    assert "admitted, 100%" in page
    assert main(["status", str(tmp_path / "run"), "--html", str(tmp_path / "no/report.html")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_the_page_of_a_run_points_at_pictures_from_wherever_it_lies(tmp_path: Path) -> None:
    make_run(tmp_path / "run")
    run_page.renew(tmp_path / "run")
    assert not (tmp_path / "run/report.html").exists()
    assert main(["status", str(tmp_path / "run"), "--html", str(tmp_path / "run/report.html")]) == 0
    assert "pages/" not in (tmp_path / "run/report.html").read_text()
    pictures = tmp_path / "run/pages/links-r01-c001"
    pictures.mkdir(parents=True)
    (pictures / "index.html").touch()
    run_page.renew(tmp_path / "run")
    assert 'href="pages/links-r01-c001/index.html"' in (tmp_path / "run/report.html").read_text()
    assert main(["status", str(tmp_path / "run"), "--html", str(tmp_path / "report.html")]) == 0
    assert 'href="run/pages/links-r01-c001/index.html"' in (tmp_path / "report.html").read_text()


def test_the_page_of_a_run_shows_its_rounds_its_aims_and_the_revisions_of_the_harness(tmp_path: Path) -> None:
    make_run(tmp_path / "run")
    with RunDirectory.open(tmp_path / "run") as store:
        store.append(
            HarnessNote(round=2, id="h", revision="001", parent="000", action="revised", reason="it <ran> nothing")
        )
    assert main(["status", str(tmp_path / "run"), "--html", str(tmp_path / "report.html")]) == 0
    page = (tmp_path / "report.html").read_text()
    assert "<h2>Rounds</h2>" in page
    assert "<h2>Aimed at</h2>" in page
    assert "<h2>Revisions of the proposer's harness</h2>" in page
    assert "before round 2: revised, 000 -&gt; 001: it &lt;ran&gt; nothing" in page


def test_the_page_of_a_run_shows_the_last_record_of_a_candidate_that_was_made_again(tmp_path: Path) -> None:
    make_run(tmp_path / "run")
    with RunDirectory.open(tmp_path / "run") as store:
        store.append(attempt().model_copy(update={"verdict": "rejected", "code": "flaky"}))
    assert main(["status", str(tmp_path / "run"), "--html", str(tmp_path / "report.html")]) == 0
    page = (tmp_path / "report.html").read_text()
    assert page.count('data-verdict="') == 1
    assert 'data-code="flaky"' in page


def test_status_of_what_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", str(tmp_path / "nowhere")]) == 2
    assert "is no run directory" in capsys.readouterr().err


def test_show_a_rollout_step_by_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = make_rollout(tmp_path)
    assert main(["show", str(path)]) == 0
    said = capsys.readouterr().out
    for part in (
        "Do it.",
        "I do.",
        "$ echo red[bold]abc",
        "scored reward 0.0, passed False",
        "fails made",
        "3 + 4 tokens",
    ):
        assert part in said
    assert clean(said)


def test_show_a_rollout_that_was_cut_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_rollout(tmp_path).unlink()
    with (tmp_path / "t01.jsonl").open("a") as file:
        file.write('{"schema": 1, "source": "ag')
    assert main(["show", str(tmp_path / "t01.jsonl")]) == 0
    said = capsys.readouterr().out
    assert "I do." in said
    assert "has not ended" in said


def test_show_an_environment_with_evidence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "first"
    assert main(["new", str(folder)]) == 0
    sha256 = read(folder).tree_sha256
    trials = [{"id": "reference", "outcome": "scored", "reward": 1.0}, {"id": "x", "outcome": "infra", "reward": None}]
    calibration = {
        "solver": HOSTILE,
        "simulated": True,
        "passes": 1,
        "scored": 2,
        "interval": [0.1, 0.9],
        "rollouts": [],
    }
    evidence = {
        "tree_sha256": sha256,
        "steps": [{"step": "reference", "outcome": "ok", "code": None, "trials": trials}],
        "calibration": {**calibration, "interval": [0.1, 0.9]},
    }
    (folder / "evidence.json").write_text(json.dumps(evidence))
    capsys.readouterr()
    assert main(["show", str(folder)]) == 0
    said = capsys.readouterr().out
    for part in ("reference 1, x infra", "(simulated) passed 1 of 2 trials", sha256):
        assert part in said
    assert "changed afterwards" not in said
    assert clean(said)
    (folder / "instruction.md").write_text("Something else.\n")
    assert main(["show", str(folder)]) == 0
    assert "the folder was changed afterwards" in capsys.readouterr().out


def test_show_an_environment_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", str(tmp_path / "first")]) == 0
    capsys.readouterr()
    assert main(["show", "--json", str(tmp_path / "first")]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["name"], said["evidence"]) == ("first", {})


def test_pictures_of_another_environments_or_a_simulated_rollout_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = make_rollout(tmp_path)
    assert main(["new", str(tmp_path / "first")]) == 0
    assert main(["show", str(tmp_path / "first"), str(path), "--render"]) == 2
    assert "this is a rollout of links, not of first" in capsys.readouterr().err
    assert main(["show", str(tmp_path / "first"), str(tmp_path / "none.json"), "--render"]) == 2
    assert "there is none" in capsys.readouterr().err
    path.write_text(path.read_text().replace('"links"', '"first"').replace('"simulated": false', '"simulated": true'))
    assert main(["show", str(tmp_path / "first"), str(path), "--render"]) == 2
    assert "its solver is simulated" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["show", "nothing.json"], "There is nothing at nothing.json"),
        (["show", "."], "task.toml"),
        (["solve", "nothing"], "nothing"),
        (["solve", ".", "-k", "0"], "-k and --jobs"),
        (["run", "none.toml"], "There is no configuration at none.toml"),
        (["run", "--domains", "nope", "--out", "r"], "nope"),
        (["run", "--rounds", "0"], "$.run.rounds"),
        (["run", "--proposer", "magic"], "$.proposer.kind"),
        (["run", "--solver", "magic", "--out", "r"], "magic"),
        (["run", "--proposer", "terminal", "--solver", "simulated", "--out", "r"], "--model openai:MODEL"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    part: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert part in said.err
    assert "Traceback" not in said.err


def test_a_run_that_is_there_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_run(tmp_path)
    before = (tmp_path / RECORDS).read_bytes()
    assert main(["run", "--solver", "simulated", "--out", str(tmp_path)]) == 2
    assert "already holds a run" in capsys.readouterr().err
    assert (tmp_path / RECORDS).read_bytes() == before


def test_a_run_is_not_resumed_with_other_domains_or_seed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from envwheel.config import Config, override, to_toml

    make_run(tmp_path)
    saved = override(Config(), {"run.out": str(tmp_path), "solver.name": "simulated"})
    (tmp_path / "envwheel.toml").write_text(to_toml(saved))
    assert main(["run", "--out", str(tmp_path), "--resume", "--seed", "7"]) == 2
    assert "begun with another run.seed" in capsys.readouterr().err
