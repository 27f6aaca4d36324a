"""What happens to a host while `envwheel check` works: its daemon ends or hangs, its disk fills, its clock jumps.

Every verdict is right or `infra`, never a wrong code; `--resume` gets what is missing; nothing is left behind. The
daemon is one of our own beside the machine's, with its own folders, so that nobody's boxes are touched. `make chaos`.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import docker
import pytest

from envwheel.sandbox.namespace.engine import missing, not_here
from envwheel.sandbox.namespace.leftovers import home

pytestmark = pytest.mark.chaos

ENVWHEEL = str(Path(sys.executable).parent / "envwheel")
BASE = "envwheel/base:bookworm"
BRIDGE = "envchaos0"
TASK = '[task]\nname = "chaos/{name}"\n[agent]\ntimeout_sec = 60.0\n[verifier]\ntimeout_sec = 60.0\n'
TESTS = """#!/bin/bash
mkdir -p /logs/verifier
if [ "$(cat /app/out.txt 2>/dev/null)" = "{wanted}" ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
"""
EXPECTED = {
    "passes": ("rejected", "empty_passes"),
    "fails": ("rejected", "reference_fails"),
    **{f"good{number}": ("ok", "") for number in range(6)},
}
LONGEST_S = 900.0


def write(folder: Path) -> None:
    """The environments of `EXPECTED`."""
    for name in EXPECTED:
        files = {
            "task.toml": TASK.format(name=name),
            "instruction.md": f"Write `{name}` into /app/out.txt.\n",
            "environment/Dockerfile": f"FROM {BASE}\nRUN echo {name} > /app/seed\nWORKDIR /app\n",
            "solution/solve.sh": f"#!/bin/bash\necho {name if name != 'fails' else 'nothing'} > /app/out.txt\n",
            "tests/test.sh": TESTS.format(wanted=name if name != "passes" else ""),
        }
        for path, text in files.items():
            (folder / name / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / name / path).write_text(text)


class Check:
    """`envwheel check` over the environments, as one process after the other."""

    def __init__(self, folder: Path, engine: str, env: Mapping[str, str]) -> None:
        self.folder, self.engine = folder, engine
        self.env = {**os.environ, "XDG_STATE_HOME": str(folder / "state"), **env}
        self.found: dict[str, tuple[str, str]] = {}
        write(folder / "pool")

    def run(self, disturb: Callable[[int], None] = lambda done: None) -> set[str]:
        """One process to its end; `disturb` is called with the number of verdicts so far. The verdicts that it gave."""
        command = [ENVWHEEL, "check", str(self.folder / "pool"), "--engine", self.engine, "--json", "--resume"]
        command += ["--only", "schema,build,empty,reference"]
        verdicts: list[dict] = []
        with (
            open(self.folder / "log", "ab") as log,
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, env=self.env, text=True) as process,
        ):
            assert process.stdout is not None
            watch = threading.Timer(LONGEST_S, process.kill)
            watch.start()
            try:
                for line in process.stdout:
                    verdicts.append(json.loads(line))
                    disturb(len(verdicts))
                code = process.wait()
            finally:
                process.kill()
                watch.cancel()
        assert code in (0, 1, 2), (self.folder / "log").read_text()
        names = [verdict["name"] for verdict in verdicts]
        assert len(names) == len(set(names))
        for verdict in verdicts:
            word = (verdict["verdict"], verdict["code"])
            assert word == EXPECTED[verdict["name"]] or word[0] == "infra", verdict
            self.found[verdict["name"]] = word
        return {name for name in names if self.found[name][0] == "infra"}

    def finish(self) -> None:
        """What is missing is judged by another process, as expected."""
        self.run()
        assert self.found == EXPECTED


@pytest.fixture
def namespace() -> None:
    if missing() or not_here():
        pytest.skip(missing() or not_here())


@pytest.fixture(scope="module")
def own_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnDaemon]:
    daemon = OwnDaemon(tmp_path_factory.mktemp("daemon"))
    try:
        daemon.start()
        daemon.take(BASE)
        yield daemon
    finally:
        daemon.end()


class OwnDaemon:
    """A second Docker daemon of this machine."""

    def __init__(self, folder: Path) -> None:
        if os.geteuid() != 0 or shutil.which("dockerd") is None:
            pytest.skip("a daemon of its own needs root and dockerd")
        self.folder, self.socket = folder, f"{folder}/docker.sock"
        self.network = docker.from_env().api.create_network(
            BRIDGE, driver="bridge", options={"com.docker.network.bridge.name": BRIDGE}
        )["Id"]
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def env(self) -> dict[str, str]:
        """For a client of it."""
        return {"DOCKER_HOST": f"unix://{self.socket}"}

    @property
    def api(self) -> docker.APIClient:
        return docker.APIClient(base_url=f"unix://{self.socket}")

    def start(self) -> None:
        words = ["dockerd", "-H", f"unix://{self.socket}", "--bridge", BRIDGE, "--iptables=false", "--ip-masq=false"]
        for option, name in (("--data-root", "data"), ("--exec-root", "exec"), ("--pidfile", "pid")):
            words += [option, f"{self.folder}/{name}"]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(words, stdout=log, stderr=log, start_new_session=True)
        until(lambda: os.path.exists(self.socket) and self.api.ping())

    def stop(self) -> None:
        assert self.process is not None
        self.process.terminate()
        self.process.wait(60)

    def take(self, image: str) -> None:
        """Copy an image of the machine's daemon."""
        self.api.load_image(docker.from_env().images.get(image).save(named=True))

    def holds(self) -> list[str]:
        """Boxes and built images."""
        boxes = [box["Id"] for box in self.api.containers(all=True)]
        return boxes + [str(image["RepoTags"]) for image in self.api.images() if image["RepoTags"] != [BASE]]

    def end(self) -> None:
        if self.process is not None:
            with contextlib.suppress(docker.errors.APIError):
                for box in self.api.containers(all=True):
                    self.api.remove_container(box["Id"], force=True)
            self.stop()
        docker.from_env().api.remove_network(self.network)
        # A box that lost its daemon leaves its file system mounted, and the test's folder could not be removed.
        mounts = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
        for mount in reversed([mount for mount in mounts if mount.startswith(f"{self.folder}/")]):
            subprocess.run(["umount", "-l", mount], check=False)


def until(done: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while True:
        with contextlib.suppress(OSError, docker.errors.DockerException):
            if done():
                return
        assert time.monotonic() < end
        time.sleep(0.2)


@pytest.mark.parametrize("away_s", [1.0, 12.0])
def test_a_daemon_that_stops_and_starts(own_daemon: OwnDaemon, tmp_path: Path, away_s: float) -> None:
    check = Check(tmp_path, "docker", own_daemon.env)

    def disturb(done: int) -> None:
        if done == 2:
            own_daemon.stop()
            time.sleep(away_s)
            own_daemon.start()

    check.run(disturb)
    check.finish()
    subprocess.run([ENVWHEEL, "gc"], env=check.env, check=True, capture_output=True)
    until(lambda: not own_daemon.holds())


def test_a_daemon_call_that_hangs(own_daemon: OwnDaemon, tmp_path: Path) -> None:
    with Hanging(own_daemon.socket, f"{tmp_path}/proxy.sock") as proxy:
        check = Check(tmp_path, "docker", {"DOCKER_HOST": f"unix://{proxy.path}", "DOCKER_CLIENT_TIMEOUT": "5"})
        check.run()
        assert set(proxy.left.values()) == {0}
    check.env |= own_daemon.env
    check.finish()
    until(lambda: not own_daemon.holds())


class Hanging:
    """A socket before a daemon's that swallows some requests for good."""

    def __init__(self, daemon: str, path: str) -> None:
        self.daemon, self.path = daemon, path
        self.left = {b"POST /v1.41/containers/create": 2, b"PUT ": 2, b"GET /v1.41/containers": 2, b"DELETE ": 2}
        """How a request begins -> how many of them are swallowed yet."""
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(path)
        self._server.listen(64)
        self._open: list[socket.socket] = []

    def __enter__(self) -> Hanging:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        for one in [self._server, *self._open]:
            with contextlib.suppress(OSError):
                one.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client = self._server.accept()[0]
                self._open.append(client)
                threading.Thread(target=self._pass, args=(client,), daemon=True).start()

    def _pass(self, client: socket.socket) -> None:
        upstream = socket.socket(socket.AF_UNIX)
        upstream.connect(self.daemon)
        self._open.append(upstream)
        with contextlib.suppress(OSError):
            while True:
                for one in select.select([client, upstream], [], [])[0]:
                    data = one.recv(1 << 16)
                    word = next((word for word, left in self.left.items() if left and data.startswith(word)), None)
                    if one is client and word:
                        self.left[word] -= 1
                        return
                    if not data:
                        client.close()
                        return
                    (upstream if one is client else client).sendall(data)


def test_a_disk_that_fills(namespace: None, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with open(tmp_path / "image", "wb") as image:
        image.truncate(6 << 30)
    subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", "-m", "0", image.name], check=True)
    subprocess.run(["mount", "-o", "loop", image.name, str(disk)], check=True)
    try:
        place = disk / "envwheel" / "namespace"
        place.mkdir(parents=True)
        # An image is known by its record; its layers stay where they are.
        shutil.copytree(home() / "bases", place / "bases", ignore=shutil.ignore_patterns("store"))
        check = Check(tmp_path, "namespace", {"XDG_CACHE_HOME": str(disk)})
        ballast = disk / "ballast"

        def disturb(done: int) -> None:
            if done == 2:
                with open(ballast, "wb") as file:
                    os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(disk).free - (1 << 20))

        missed = check.run(disturb)
        assert missed
        ballast.unlink()
        check.finish()
        assert list((place / "built").iterdir()) == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)


CLOCK = """
import time
_clock = time.time
def _shifted():
    with open({file!r}) as file:
        return _clock() + float(file.read())
time.time = _shifted
"""


@pytest.mark.parametrize("days", [400, -400])
def test_a_clock_that_jumps(namespace: None, tmp_path: Path, days: int) -> None:
    clock = tmp_path / "clock"
    clock.write_text("0")
    (tmp_path / "sitecustomize.py").write_text(CLOCK.format(file=str(clock)))
    check = Check(tmp_path, "namespace", {"PYTHONPATH": str(tmp_path)})

    def disturb(done: int) -> None:
        if done == 2:
            clock.write_text(str(days * 86400))
            # Another process of ours, which sweeps when it starts.
            subprocess.run([ENVWHEEL, "gc"], env=check.env, check=True, capture_output=True)

    assert check.run(disturb) == set()
    assert check.found == EXPECTED
