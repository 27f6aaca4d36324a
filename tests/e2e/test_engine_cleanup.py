"""Nothing stays behind: orderly ends, `kill -9` of the orchestrator, expired and foreign boxes, shared images."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from envwheel.errors import BoxGone
from envwheel.sandbox import owner
from envwheel.sandbox.base import BoxSpec
from envwheel.sandbox.engines import open_engine
from envwheel.sandbox.namespace import groups

pytestmark = pytest.mark.e2e

HOLDER = """
import sys, time
from pathlib import Path
from envwheel.sandbox import owner
from envwheel.sandbox.base import BoxSpec
from envwheel.sandbox.engines import open_engine
engine = open_engine(sys.argv[2])
image = engine.build(Path(sys.argv[1]))
boxes = [engine.start(BoxSpec(image.id, "work")) for _ in range(2)]
boxes[0].shell().run("sleep 1000 &")
print(owner.current(), image.id, flush=True)
time.sleep(1000)
"""


STRANGER = owner.Owner("0123456789abn1", 1, 1)
"""A process of another host."""


@pytest.fixture
def client(engine):
    """The daemon's client, for what only a daemon has."""
    if engine.name != "docker":
        pytest.skip("this engine has no daemon")
    import docker

    return docker.APIClient()


def until(done, seconds: float = 60.0) -> bool:
    deadline = time.monotonic() + seconds
    while not done() and time.monotonic() < deadline:
        time.sleep(0.3)
    return done()


def context(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "Dockerfile").write_text(f"FROM envwheel/base:bookworm\nRUN echo {text} >/app/text\n")
    return folder


def hold(engine: str, folder: Path) -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(folder), engine], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline().split()[0]


def reapers(holder: str) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"envwheel.sandbox.reaper" in words and holder.encode() in words:
                found.append(int(entry.name))
    return found


def test_kill_9_leaves_nothing(engine, held, tmp_path):
    process, holder = hold(engine.name, context(tmp_path / "c", "lifeline"))
    assert len(held(holder)) == 3
    process.kill()
    process.wait()
    assert until(lambda: not held(holder))


def test_a_sweep_finds_what_even_the_reaper_missed(engine, held, tmp_path):
    process, holder = hold(engine.name, context(tmp_path / "c", "sweep"))
    for pid in reapers(holder):
        os.kill(pid, signal.SIGKILL)
    process.kill()
    process.wait()
    assert len(held(holder)) == 3
    told = subprocess.run(
        [sys.executable, "-m", "envwheel.cli", "gc", "--json", "--engine", engine.name],
        capture_output=True,
        text=True,
        check=True,
    )
    assert not held(holder)
    swept = json.loads(told.stdout)
    assert swept["boxes"] >= 2
    assert swept["images"] >= 1


def test_what_living_processes_hold_is_left_alone(engine, held, tmp_path):
    process, holder = hold(engine.name, context(tmp_path / "c", "living"))
    engine.sweep()
    assert len(held(holder)) == 3
    process.kill()
    process.wait()
    assert until(lambda: not held(holder))


def test_close_removes_boxes_and_images(engine, held, tmp_path):
    opened = open_engine(engine.name)
    image = opened.build(context(tmp_path / "c", "close"))
    box = opened.start(BoxSpec(image.id, "work"))
    opened.remove(image)
    opened.close()
    assert not [one for one in held(str(owner.current())) if box.id in one]
    assert not held.has_image(image.id)


def test_two_processes_share_an_image_and_the_last_removes_it(engine, held, tmp_path):
    folder = context(tmp_path / "c", "shared")
    process, holder = hold(engine.name, folder)
    image = engine.build(folder)
    process.kill()
    process.wait()
    assert until(lambda: not held(holder))
    with engine.start(BoxSpec(image.id, "work")) as box:
        assert box.shell().run("cat text").output == "shared\n"
    engine.remove(image)
    assert not held.has_image(image.id)


def test_equal_builds_at_once_are_one_build(engine, held, tmp_path):
    folder = context(tmp_path / "c", "$(date +%N)")
    images = []
    threads = [threading.Thread(target=lambda: images.append(engine.build(folder))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({image.id for image in images}) == 1
    for image in images[1:]:
        engine.remove(image)
    assert held.has_image(images[0].id)
    engine.remove(images[0])
    assert not held.has_image(images[0].id)


def test_expired_boxes_and_only_ours_are_swept(client, engine):
    labels = {"envwheel.owner": str(STRANGER), "envwheel.expires": "1000"}
    expired = client.create_container("envwheel/base:bookworm", ["true"], labels=labels)["Id"]
    foreign = client.create_container("envwheel/base:bookworm", ["true"])["Id"]
    try:
        engine.sweep()
        there = {one["Id"] for one in client.containers(all=True)}
        assert expired not in there
        assert foreign in there
    finally:
        client.remove_container(foreign)


def test_expired_groups_and_only_ours_are_swept(engine):
    if engine.name != "namespace":
        pytest.skip("a daemon's boxes carry labels")
    bounds = groups.Bounds(memory_mb=64, processes=8)
    expired = groups.make(STRANGER, "box", "test", 1000.0, bounds)
    living = groups.make(owner.current(), "box", "test", time.time() + 300, bounds)
    foreign = groups.Group("not-ours", {name: folder.parent / "not-ours" for name, folder in living.folders.items()})
    try:
        for folder in set(foreign.folders.values()):
            folder.mkdir(exist_ok=True)
        assert engine.sweep().boxes == 1
        there = groups.held(owner.current())
        assert expired.name not in there
        assert living.name in there
        assert all(folder.is_dir() for folder in foreign.folders.values())
    finally:
        living.end()
        foreign.end()


def test_an_engine_outlives_the_process_that_makes_its_boxes(engine, start):
    if engine.name != "namespace":
        pytest.skip("a daemon makes this engine's boxes")
    box = start()
    shell = box.shell()
    engine.wards.kill()
    with pytest.raises(BoxGone):
        shell.run("sleep 100")
    assert box.gone() is not None
    assert start().shell().run("echo on").output == "on\n"


def test_volumes_of_an_image_go_with_the_box(client, build, start):
    image = build("FROM envwheel/base:bookworm\nVOLUME /data\n")
    box = start(image=image.id)
    box.shell(user="root").run("echo x >/data/x")
    names = [mount["Name"] for mount in client.inspect_container(box.id)["Mounts"]]
    assert len(names) == 1
    box.close()
    assert names[0] not in [volume["Name"] for volume in client.volumes()["Volumes"] or []]
