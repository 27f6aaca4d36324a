"""`pip install '.[swe]'`, `'.[office]'` from a checkout into a fresh venv, with plain pip and its default isolation."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]

pytestmark = [pytest.mark.e2e, pytest.mark.slow]


@pytest.mark.parametrize("domain", ["swe", "office"])
def test_plain_pip_installs_core_and_domain(tmp_path, domain):
    venv.create(tmp_path, with_pip=True, symlinks=True)
    python = str(tmp_path / "bin" / "python")
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", f"{REPO}[{domain}]"]
    subprocess.run(pip, check=True, cwd=tmp_path, timeout=900)
    envwheel = str(tmp_path / "bin" / "envwheel")
    listed = subprocess.run([envwheel, "domains", "--check", "--json"], capture_output=True, cwd=tmp_path, check=True)
    rows = [json.loads(line) for line in listed.stdout.splitlines()]
    assert [row["name"] for row in rows if row["state"] == "ready"] == [domain]
    frozen = subprocess.run([python, "-m", "pip", "list", "--format", "json"], capture_output=True, check=True)
    names = {one["name"].lower() for one in json.loads(frozen.stdout)}
    assert not names & {"torch", "playwright", "numpy", "pandas"}
    ran = subprocess.run([envwheel, "plugin", "check", domain], capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout
    assert (
        sys.prefix
        not in subprocess.run(
            [python, "-c", "import envwheel.api; print(envwheel.api.__file__)"],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        ).stdout
    )
