"""A static pool from the command line: written, gone on with after a kill, and run through the flywheel."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from envwheel.cli import main
from envwheel.store import RECORDS

pytestmark = pytest.mark.e2e

ENVWHEEL = str(Path(sys.executable).parent / "envwheel")


def test_a_pool_that_was_killed_is_completed_and_then_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pool = tmp_path / "pool"
    command = ["generate", "--domains", "swe", "-n", "3", "--levels", "0", "--families", "file_links,file_modes"]
    command += ["--seed", "7", "--out", str(pool), "--json"]
    process = subprocess.Popen([ENVWHEEL, *command], stdout=subprocess.DEVNULL)
    while process.poll() is None and '"attempt"' not in (
        (pool / RECORDS).read_text() if (pool / RECORDS).exists() else ""
    ):
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert main([*command, "--resume"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["pool"], made["rounds"][0]["proposed"], made["rounds"][0]["complete"]) == (3, 3, True)
    out = str(tmp_path / "run")
    run = ["run", "--pool", str(pool), "--domains", "swe", "--rounds", "1", "--candidates", "2", "--out", out]
    assert main([*run, "--solver", "simulated", "--json"]) in (0, 1)
    ran = json.loads(capsys.readouterr().out)
    names = {path.name for path in (pool / "environments").iterdir()}
    targets = [json.loads(line) for line in (tmp_path / "run" / RECORDS).read_text().splitlines()]
    plan = next(record for record in targets if record["kind"] == "plan")
    assert {target["name"] for target in plan["targets"]} < names
    assert (ran["rounds"][0]["proposed"], ran["rounds"][0]["valid"]) == (2, 2)
