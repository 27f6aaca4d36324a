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

import docker
import pytest

from envwheel.sandbox import owner
from envwheel.sandbox.base import BoxSpec
from envwheel.sandbox.docker import open_engine

pytestmark = pytest.mark.e2e

HOLDER = """
import sys, time
from pathlib import Path
from envwheel.sandbox import owner
from envwheel.sandbox.base import BoxSpec
from envwheel.sandbox.docker import open_engine
engine = open_engine()
image = engine.build(Path(sys.argv[1]))
boxes = [engine.start(BoxSpec(image.id, "work")) for _ in range(2)]
boxes[0].shell().run("sleep 1000 &")
print(owner.current(), image.id, flush=True)
time.sleep(1000)
"""


@pytest.fixture
def client():
    return docker.APIClient()


def held(client, holder: str) -> list[str]:
    """Containers and images that carry `holder`'s name."""
    boxes = client.containers(all=True, filters={"label": f"envwheel.owner={holder}"})
    tags = [tag for image in client.images(name="envwheel/built") for tag in image["RepoTags"] or []]
    mine = holder.replace(":", "-")
    dangling = client.images(filters={"label": f"envwheel.owner={holder}", "dangling": True})
    return [box["Id"] for box in boxes] + [tag for tag in tags if tag.endswith(mine)] + [one["Id"] for one in dangling]


def until(done, seconds: float = 60.0) -> bool:
    deadline = time.monotonic() + seconds
    while not done() and time.monotonic() < deadline:
        time.sleep(0.3)
    return done()


def context(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "Dockerfile").write_text(f"FROM envwheel/base:bookworm\nRUN echo {text} >/app/text\n")
    return folder


def hold(folder: Path) -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True)
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


def test_kill_9_leaves_nothing(client, tmp_path):
    process, holder = hold(context(tmp_path / "c", "lifeline"))
    assert len(held(client, holder)) == 3
    process.kill()
    process.wait()
    assert until(lambda: not held(client, holder))


def test_a_sweep_finds_what_even_the_reaper_missed(client, tmp_path):
    process, holder = hold(context(tmp_path / "c", "sweep"))
    for pid in reapers(holder):
        os.kill(pid, signal.SIGKILL)
    process.kill()
    process.wait()
    assert len(held(client, holder)) == 3
    told = subprocess.run(
        [sys.executable, "-m", "envwheel.cli", "gc", "--json"], capture_output=True, text=True, check=True
    )
    assert not held(client, holder)
    swept = json.loads(told.stdout)
    assert swept["boxes"] >= 2
    assert swept["images"] >= 1


def test_what_living_processes_hold_is_left_alone(client, engine, tmp_path):
    process, holder = hold(context(tmp_path / "c", "living"))
    engine.sweep()
    assert len(held(client, holder)) == 3
    process.kill()
    process.wait()
    assert until(lambda: not held(client, holder))


def test_close_removes_boxes_and_images(client, tmp_path):
    opened = open_engine()
    image = opened.build(context(tmp_path / "c", "close"))
    box = opened.start(BoxSpec(image.id, "work"))
    opened.remove(image)
    opened.close()
    assert not [one for one in client.containers(all=True) if one["Id"] == box.id]
    with pytest.raises(docker.errors.ImageNotFound):
        client.inspect_image(image.id)


def test_two_processes_share_an_image_and_the_last_removes_it(client, engine, tmp_path):
    folder = context(tmp_path / "c", "shared")
    process, holder = hold(folder)
    image = engine.build(folder)
    process.kill()
    process.wait()
    assert until(lambda: not held(client, holder))
    with engine.start(BoxSpec(image.id, "work")) as box:
        assert box.shell().run("cat text").output == "shared\n"
    engine.remove(image)
    with pytest.raises(docker.errors.ImageNotFound):
        client.inspect_image(image.id)


def test_equal_builds_at_once_are_one_build(client, engine, tmp_path):
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
    assert client.inspect_image(images[0].id)
    engine.remove(images[0])
    with pytest.raises(docker.errors.ImageNotFound):
        client.inspect_image(images[0].id)


def test_expired_boxes_and_only_ours_are_swept(client, engine):
    labels = {"envwheel.owner": str(owner.current()), "envwheel.expires": "1000"}
    expired = client.create_container("envwheel/base:bookworm", ["true"], labels=labels)["Id"]
    foreign = client.create_container("envwheel/base:bookworm", ["true"])["Id"]
    try:
        engine.sweep()
        there = {one["Id"] for one in client.containers(all=True)}
        assert expired not in there
        assert foreign in there
    finally:
        client.remove_container(foreign)


def test_volumes_of_an_image_go_with_the_box(client, build, start):
    image = build("FROM envwheel/base:bookworm\nVOLUME /data\n")
    box = start(image=image.id)
    box.shell(user="root").run("echo x >/data/x")
    names = [mount["Name"] for mount in client.inspect_container(box.id)["Mounts"]]
    assert len(names) == 1
    box.close()
    assert names[0] not in [volume["Name"] for volume in client.volumes()["Volumes"] or []]
