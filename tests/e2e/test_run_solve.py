"""`envwheel solve` on real boxes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from envwheel.cli import main
from envwheel.rollout import read_steps, read_summary

pytestmark = pytest.mark.e2e


def test_solve_prints_a_line_a_trial_and_keeps_the_rollouts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "first"
    assert main(["new", str(folder)]) == 0
    config = tmp_path / "envwheel.toml"
    config.write_text('[solver]\nname = "simulated"\n[solver.simulated]\nstart = 0.6\nslope = 0.0\n')
    capsys.readouterr()
    out = str(tmp_path / "rollouts")
    assert main(["solve", str(folder), "-k", "4", "--config", str(config), "--out", out, "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == 4
    for line in lines:
        assert {"outcome", "reward", "passed", "seconds", "rollout"} <= set(line)
        assert line["outcome"] == "scored"
        assert line["passed"] == (line["reward"] == 1.0)
        summary = read_summary(Path(line["rollout"]))
        assert (summary.passed, summary.simulated) == (line["passed"], True)
        assert read_steps(Path(line["rollout"]).with_suffix(".jsonl"))
    assert {line["passed"] for line in lines} == {True, False}
