"""Fixtures of the engine suites: one engine a session, short ways to a box and to a built image."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from envwheel.sandbox.base import Box, BoxLimits, BoxSpec, Engine, Image, Shell
from envwheel.sandbox.engines import open_engine
from envwheel.sandbox.namespace import groups
from envwheel.sandbox.namespace.engine import missing, not_here
from envwheel.sandbox.namespace.image_store import ImageStore
from envwheel.sandbox.namespace.leftovers import home
from envwheel.sandbox.owner import Owner, parse

ENGINES = ("docker", "namespace")
"""Each stands behind the whole suite."""
BASE = "envwheel/base:bookworm"
SMALL = BoxLimits(cpus=1.0, memory_mb=256, disk_mb=256, processes=64)

SMALL_BUILDS = {"memory_mb": 256, "processes": 128, "file_mb": 256, "step_mb": 128}
"""Reaching these takes no time."""

StartBox = Callable[..., Box]
BuildImage = Callable[..., Image]


@pytest.fixture(scope="session", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """The engine under test. As an ordinary user, without the programs, the second one is left out with the reason."""
    if request.param == "namespace" and (missing() or not_here()):
        pytest.skip(missing() or not_here())
    opened = open_engine(request.param)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def small_builds(engine: Engine) -> Iterator[Engine]:
    """The engine under test with small limits for builds."""
    opened = importlib.import_module(f"envwheel.sandbox.{engine.name}.engine").open_engine(SMALL_BUILDS)
    yield opened
    opened.close()


class Held:
    """What a process holds on an engine, and whether an image is there, as seen from outside the engine."""

    def __init__(self, engine: str) -> None:
        self._engine = engine

    def __call__(self, holder: str) -> list[str]:
        """Names of the boxes and images that carry `holder`'s name."""
        owner = parse(holder)
        assert owner is not None
        return self._docker(holder) if self._engine == "docker" else self._namespace(owner)

    def _docker(self, holder: str) -> list[str]:
        import docker

        client = docker.APIClient()
        boxes = client.containers(all=True, filters={"label": f"envwheel.owner={holder}"})
        tags = [tag for image in client.images(name="envwheel/built") for tag in image["RepoTags"] or []]
        mine = holder.replace(":", "-")
        dangling = client.images(filters={"label": f"envwheel.owner={holder}", "dangling": True})
        held = [box["Id"] for box in boxes] + [tag for tag in tags if tag.endswith(mine)]
        return held + [one["Id"] for one in dangling]

    def _namespace(self, owner: Owner) -> list[str]:
        store = ImageStore(home())
        images = [path.name for path in store.built.glob("*") if owner.tag in store.holders(path.name)]
        unheld = [
            path.name for path in store.built.glob("*") if not store.holders(path.name) and _idle(store, path.name)
        ]
        places = [path.name for path in (home() / "places").glob(f"{owner.tag}+*")]
        groups_held = groups.held(owner)
        # The folder on which boxes are mounted is no box, but it must not stay when all else is gone.
        last = not owner.alive() and not groups_held + images
        return groups_held + images + unheld + (places if last else [])

    def has_image(self, image_id: str) -> bool:
        """Whether the engine's store has it."""
        if self._engine == "namespace":
            return ImageStore(home()).find(image_id) is not None
        import docker

        try:
            return bool(docker.APIClient().inspect_image(image_id))
        except docker.errors.ImageNotFound:
            return False


def _idle(store: ImageStore, key: str) -> bool:
    """Whether nobody, of another run perhaps, is building it now."""
    with store.locked(key, wait=False) as free:
        return free


@pytest.fixture(scope="session")
def office(engine: Engine) -> Engine:
    """The engine with the images of the office domain, which take minutes when they are not there yet."""
    from envwheel.domains import Domains
    from envwheel.prepare import base_images

    base_images(engine, Domains.load(["office"]), authors=True)
    return engine


@pytest.fixture(scope="session")
def person(engine: Engine) -> str:
    """Who works in the boxes of these tests: the user of the base image, root where there is no other."""
    return "root" if "users" in engine.lacks else "agent"


@pytest.fixture(autouse=True)
def lack(request: pytest.FixtureRequest) -> None:
    """Leaves out a test marked `needs("users")` where the engine lacks that."""
    for mark in request.node.iter_markers("needs"):
        absent = set(mark.args) & request.getfixturevalue("engine").lacks
        if absent:
            pytest.skip(f"this engine lacks {', '.join(sorted(absent))}")


@pytest.fixture
def held(engine: Engine) -> Held:
    """`held(owner)`: what that process holds; `held.has_image(id)`."""
    return Held(engine.name)


@pytest.fixture
def start(engine: Engine, person: str) -> Iterator[StartBox]:
    """`start(image=..., user=..., limits=..., ...)`: a box that ends with the test."""
    boxes: list[Box] = []

    def one(**spec: object) -> Box:
        fields = {"image": BASE, "role": "work", "user": person, "limits": SMALL, "lifetime_s": 300.0, **spec}
        box = engine.start(BoxSpec(**fields))  # type: ignore[arg-type]
        boxes.append(box)
        return box

    yield one
    for box in boxes:
        box.close()


@pytest.fixture(scope="module")
def shared_shell(engine: Engine, person: str) -> Iterator[Shell]:
    """One shell for tests that only run commands."""
    with engine.start(BoxSpec(BASE, "work", user=person, limits=SMALL)) as box:
        yield box.shell()


@pytest.fixture
def build(engine: Engine, tmp_path: Path) -> Iterator[BuildImage]:
    """`build(dockerfile, files={...}, timeout_s=...)`: an image that ends with the test."""
    images: list[Image] = []

    def one(dockerfile: str, files: dict[str, str] | None = None, timeout_s: float = 120.0, **more: object) -> Image:
        context = tmp_path / f"context-{len(images)}"
        context.mkdir(exist_ok=True)
        (context / "Dockerfile").write_text(dockerfile)
        for name, text in (files or {}).items():
            (context / name).parent.mkdir(parents=True, exist_ok=True)
            (context / name).write_text(text)
        image = engine.build(context, timeout_s=timeout_s, **more)  # type: ignore[arg-type]
        images.append(image)
        return image

    yield one
    for image in images:
        engine.remove(image)
