"""An ordinary user for tests: made by root, with or without ranges of numbers, in a mount namespace that says so.

The machine's own /etc/subuid, /etc/subgid and device for networks stay as they are: others are mounted over them.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from envwheel.sandbox import userns

NAME = "envwheel-test"
HOME = Path("/home") / NAME
"""Stays, because a base image takes minutes."""
REPO = Path(__file__).resolve().parents[2]
TUN = "/dev/net/tun"


@dataclass(frozen=True)
class Ordinary:
    """Runs programs as the user; `ranges`: other users can be in its boxes, and it may make networks."""

    ranges: bool
    python: str
    folder: Path
    """For the small files that are mounted."""

    def command(self, *words: str) -> list[str]:
        """`words` as the user, in an environment of its own. Docker does not answer there."""
        line = f"{NAME}:2000000000:65536\n" if self.ranges else ""
        (self.folder / "ranges").write_text(line)
        mounts = [f"mount --bind {self.folder}/ranges /etc/sub{kind}id" for kind in "ug"]
        if os.path.exists(TUN):
            place = shlex.quote(str(self.folder / "devices"))
            mode = "666" if self.ranges else "600"
            mounts += [f"mkdir -p {place}", f"mount -t tmpfs devices {place}", f"mknod -m {mode} {place}/tun c 10 200"]
            mounts += [f"mount --bind {place}/tun {TUN}"]
        variables = {
            "HOME": str(HOME),
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path and not path.endswith(".zip")),
            "PYTHONDONTWRITEBYTECODE": "1",
            "DOCKER_HOST": f"unix://{HOME}/nothing.sock",
        }
        become = ["setpriv", f"--reuid={NAME}", f"--regid={NAME}", "--init-groups", "env", "-i"]
        become += [f"{name}={value}" for name, value in variables.items()]
        return ["unshare", "--mount", "sh", "-c", " && ".join([*mounts, 'exec "$@"']), "sh", *become, *words]

    def run(self, *words: str, timeout_s: float = 900.0) -> subprocess.CompletedProcess[str]:
        """Run a program to its end."""
        return subprocess.run(
            self.command(*words), capture_output=True, text=True, check=False, timeout=timeout_s, cwd="/"
        )

    def envwheel(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the command line."""
        return self.run(self.python, "-m", "envwheel.cli", *words)


def ordinary(folder: Path, *, ranges: bool) -> Ordinary | str:
    """The user, made when it is not there; a reason why there is none."""
    if os.geteuid() != 0 or userns.inside():
        return "only root can become another user"
    wanted = ["useradd", "setpriv", "unshare", *(["newuidmap", "newgidmap"] if ranges else [])]
    absent = [name for name in wanted if shutil.which(name) is None]
    if absent:
        return f"this machine lacks {', '.join(absent)}"
    if subprocess.run(["id", NAME], capture_output=True).returncode != 0:
        made = subprocess.run(["useradd", "--create-home", NAME], capture_output=True, text=True)
        if made.returncode != 0:
            return f"no user can be made: {made.stderr.strip()}"
    for python in (sys.executable, f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"):
        found = Ordinary(ranges, python, folder)
        script = "from envwheel.sandbox.namespace import engine; print(engine.missing())"
        said = found.run(python, "-c", script)
        if said.returncode == 0:
            return said.stdout.strip() or found
    return f"an ordinary user cannot read this checkout or its Python: {said.stderr.strip()[-300:]}"
