"""`kill -9` in the middle of a run, again and again: nothing admitted is lost or doubled, and nothing is left behind.

A run is killed as soon as its records.jsonl has so many lines, plus a moment; then it is resumed and killed at the next
place. The places are drawn from a seed. The normal suite takes three of them, `make chaos` ten on Docker and fifty on
the quicker engine.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import docker
import pytest

from envwheel.environment.hash import tree_sha256
from envwheel.sandbox.namespace import groups
from envwheel.sandbox.namespace.engine import missing, not_here
from envwheel.sandbox.namespace.image_store import ImageStore
from envwheel.sandbox.namespace.leftovers import home
from envwheel.sandbox.owner import parse

pytestmark = pytest.mark.e2e

CONFIG = """
[run]
domains = ["swe"]
rounds = {rounds}
candidates = {candidates}
seed = {seed}
out = "{out}"
[proposer]
levels = [0, 1]
[solver]
name = "simulated"
[solver.simulated]
start = 0.6
slope = 0.1
"""
ENVWHEEL = Path(sys.executable).parent / "envwheel"
LONGEST_S = 1800
"""A process that does not get to its place in this time hangs."""


class Chaos:
    """One run directory, written by one process after the other."""

    def __init__(self, folder: Path, engine: str = "docker", rounds: int = 2, candidates: int = 2) -> None:
        self.run, self.config, self.log = folder / "run", folder / "envwheel.toml", folder / "log"
        self.engine, self.rounds = engine, rounds
        self.config.write_text(CONFIG.format(seed=11, out=self.run, rounds=rounds, candidates=candidates))
        self.pids: list[int] = []

    def start(self) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            command = [ENVWHEEL, "run", self.config, "--engine", self.engine, "--resume", "--json"]
            process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        self.pids.append(process.pid)
        return process

    def records(self) -> list[dict]:
        path = self.run / "records.jsonl"
        lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
        return [json.loads(line) for line in lines]

    def kill_at(self, lines: int, moment: float) -> bool:
        """Kill a fresh process `moment` seconds after there are `lines` records; False when it ended by itself."""
        process, end = self.start(), time.monotonic() + LONGEST_S
        while len(self.records()) < lines and process.poll() is None:
            assert time.monotonic() < end, self.log.read_text()
            time.sleep(0.02)
        time.sleep(moment)
        ended = process.poll() is not None
        process.send_signal(signal.SIGKILL)
        process.wait()
        return not ended

    def finish(self) -> None:
        process = self.start()
        assert process.wait(LONGEST_S) in (0, 1), self.log.read_text()

    def left_over(self) -> list[str]:
        """Boxes and images that belong to one of this run's processes."""
        if self.engine == "namespace":
            store = ImageStore(home())
            images = [tag for folder in store.built.glob("*") for tag in store.holders(folder.name)]
            names = [*images, *(name.partition("+")[0] for name in groups.names())]
            return [name for name in names if (holder := parse(name)) and holder.pid in self.pids]
        client = docker.from_env()
        boxes = client.api.containers(all=True, filters={"label": "envwheel.owner"})
        held = [(box["Labels"]["envwheel.owner"].split(":"), box["Id"]) for box in boxes]
        tags = [tag for image in client.api.images(name="envwheel/built") for tag in image["RepoTags"] or ()]
        owners = [(tag.rsplit("-", 2), tag) for tag in tags]
        return [what for (_, pid, _), what in [*held, *owners] if int(pid) in self.pids]


def check(chaos: Chaos) -> None:
    records = chaos.records()
    by_kind = Counter(record["kind"] for record in records)
    assert (by_kind["plan"], by_kind["round"], by_kind["run"]) == (chaos.rounds, chaos.rounds, 1)
    attempts = [record for record in records if record["kind"] == "attempt"]
    assert [one for one in attempts if one["verdict"] == "infra"] == []
    planned = [target["candidate"] for record in records if record["kind"] == "plan" for target in record["targets"]]
    assert sorted(one["candidate"] for one in attempts) == sorted(planned)
    trials = [record["id"] for record in records if record["kind"] == "trial"]
    assert len(trials) == len(set(trials))
    admitted = {one["environment"]: one["tree_sha256"] for one in attempts if one["verdict"] == "admitted"}
    assert admitted
    pool = {folder.name: tree_sha256(folder) for folder in (chaos.run / "environments").iterdir()}
    rechecks = [record for record in records if record["kind"] == "recheck"]
    back = {one["candidate"] for one in rechecks if (one["was"], one["verdict"]) == ("shelf", "kept")}
    admitted |= {one["environment"]: one["tree_sha256"] for one in attempts if one["candidate"] in back}
    assert pool == admitted
    assert all((chaos.run / "environments" / name / "evidence.json").is_file() for name in pool)


def go(chaos: Chaos, places: int) -> None:
    draw, admitted, killed = random.Random(places), {}, 0
    lines = 0
    for _ in range(places):
        lines = max(lines, len(chaos.records())) + draw.randint(0, 2 if places > 3 else 5)
        killed += chaos.kill_at(lines, draw.choice([0.0, 0.3, 1.5, 4.0]))
        for record in chaos.records():
            if record["kind"] == "attempt" and record["verdict"] == "admitted":
                admitted[record["environment"]] = record["tree_sha256"]
        for name, sha256 in admitted.items():
            assert tree_sha256(chaos.run / "environments" / name) == sha256
    chaos.finish()
    assert killed >= places - 1
    check(chaos)
    assert chaos.left_over() == []
    for name, sha256 in admitted.items():
        assert tree_sha256(chaos.run / "environments" / name) == sha256


def test_three_kills(tmp_path: Path) -> None:
    go(Chaos(tmp_path), 3)


@pytest.mark.chaos
def test_ten_kills(tmp_path: Path) -> None:
    go(Chaos(tmp_path), 10)


@pytest.mark.chaos
def test_fifty_kills(tmp_path: Path) -> None:
    if missing() or not_here():
        pytest.skip(missing() or not_here())
    go(Chaos(tmp_path, "namespace", rounds=5, candidates=8), 50)
