"""Fixtures of the engine suites: one engine a session, short ways to a box and to a built image."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from envwheel.sandbox.base import Box, BoxLimits, BoxSpec, Engine, Image, Shell
from envwheel.sandbox.engines import open_engine

ENGINES = ("docker", "namespace")
"""Each stands behind the whole suite."""
BASE = "envwheel/base:bookworm"
SMALL = BoxLimits(cpus=1.0, memory_mb=256, disk_mb=256, processes=64)

StartBox = Callable[..., Box]
BuildImage = Callable[..., Image]


@pytest.fixture(scope="session", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """The engine under test."""
    opened = open_engine(request.param)
    yield opened
    opened.close()


@pytest.fixture
def start(engine: Engine) -> Iterator[StartBox]:
    """`start(image=..., user=..., limits=..., ...)`: a box that ends with the test."""
    boxes: list[Box] = []

    def one(**spec: object) -> Box:
        fields = {"image": BASE, "role": "work", "user": "agent", "limits": SMALL, "lifetime_s": 300.0, **spec}
        box = engine.start(BoxSpec(**fields))  # type: ignore[arg-type]
        boxes.append(box)
        return box

    yield one
    for box in boxes:
        box.close()


@pytest.fixture(scope="module")
def shared_shell(engine: Engine) -> Iterator[Shell]:
    """One shell for tests that only run commands."""
    with engine.start(BoxSpec(BASE, "work", user="agent", limits=SMALL)) as box:
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
