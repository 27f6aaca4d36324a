"""What this machine has and lacks: engine, base images, clock, models, domains, disk, GPU. `envwheel doctor` prints it.

Each function gives `Condition`s: `ok`, `warn` (something will be slower, weaker or left out) or `missing` (nothing runs
without it), with the line that mends it. Nothing is installed, built or started here, and nothing raises.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from envwheel.child import load_state
from envwheel.errors import EnvwheelError, OrdinaryUser, UsageError
from envwheel.listing import Listing, installed, pip_line
from envwheel.sandbox.base import Engine
from envwheel.sandbox.namespace.network import LACK
from envwheel.sandbox.userns import MEND

GIB = 1 << 30
DISK_WARN_GIB, DISK_MISSING_GIB = 10, 1

LACKS = {
    "users": ("root is the only user in a box; tasks that need others are refused", MEND),
    "limits": (
        "limits on memory, processes and CPU do not hold; the trial with half of them is left out",
        "run as root where control groups can be made",
    ),
    "network": ("boxes and builds have no network; tasks that need it are refused", LACK),
    "clock": ("the shifted clock of the gate is left out", "apt-get install libfaketime"),
    "confined_builds": (
        "builds run without memory and process limits",
        "use Docker with the cgroupfs or systemd driver, or run as root",
    ),
}
"""What an engine may say it lacks -> what that means, and the fix."""


@dataclass(frozen=True, slots=True)
class Condition:
    """The state of one thing. `fix` is empty when there is nothing to mend."""

    what: str
    state: Literal["ok", "warn", "missing"]
    detail: str
    fix: str = ""


def examine(engine: str = "auto") -> Iterator[Condition]:
    """Every condition of this machine, in the order in which one would mend them. UsageError: no such engine."""
    from envwheel.model.weights import cache_folder
    from envwheel.sandbox.engines import open_engine

    yield from engine_and_images(lambda: open_engine(engine))
    yield second_engine()
    yield from clock()
    yield from models(os.environ)
    yield from domains(installed())
    yield disk("cache", cache_folder())
    yield gpu()


def engine_and_images(open_engine: Callable[[], Engine]) -> Iterator[Condition]:
    """Does an engine answer, what does it lack, has it room, and are its base images made?"""
    try:
        engine = open_engine()
    except (OrdinaryUser, UsageError):
        raise
    except EnvwheelError as error:
        yield Condition(
            "engine",
            "missing",
            str(error),
            "scripts/setup.sh, or: apt-get install docker.io (or buildah bubblewrap slirp4netns mmdebstrap uidmap)",
        )
        return
    try:
        facts = dict(engine.describe())
        root = facts.pop("root", "")
        facts.pop("lacks", None)
        version = facts.pop("engine", engine.name)
        yield Condition("engine", "ok", ", ".join([version, *(f"{name} {value}" for name, value in facts.items())]))
        for lack in sorted(engine.lacks):
            meaning, fix = LACKS.get(lack, (f"it lacks {lack}", "take another engine"))
            yield Condition("engine", "warn", meaning, fix)
        if root:
            yield disk("engine", Path(root))
        if engine.name in IMAGES_OF:
            wanted = wanted_images()
            yield from base_images(IMAGES_OF[engine.name](wanted), wanted, engine.name)
    except EnvwheelError as error:
        yield Condition("engine", "missing", str(error), "start it again")
    finally:
        engine.close()


def base_images(tags: frozenset[str], wanted: tuple[str, ...], engine: str) -> Iterator[Condition]:
    """Which of the `wanted` images are in the store of `engine`, which has `tags`."""
    fix = f"envwheel doctor --prepare --engine {engine}"
    for tag in wanted:
        if tag in tags:
            yield Condition(f"image {tag}", "ok", "in the local store")
        else:
            yield Condition(f"image {tag}", "warn", "not made yet; made when first used", fix)


def docker_tags(wanted: tuple[str, ...]) -> frozenset[str]:
    """Names of the images in the Docker daemon's store; empty when it does not answer."""
    import docker
    from docker.errors import DockerException

    try:
        api = docker.APIClient(version="auto", timeout=20, **docker.utils.kwargs_from_env())
        return frozenset(tag for image in api.images() for tag in image.get("RepoTags") or ())
    except (DockerException, OSError):
        return frozenset()


def namespace_tags(wanted: tuple[str, ...]) -> frozenset[str]:
    """Which of the `wanted` images lie in the folder of the namespace engine."""
    from envwheel.sandbox.namespace.image_store import ImageStore
    from envwheel.sandbox.namespace.leftovers import home

    store = ImageStore(home())
    return frozenset(tag for tag in wanted if store.base(tag))


IMAGES_OF: Mapping[str, Callable[[tuple[str, ...]], frozenset[str]]] = {
    "docker": docker_tags,
    "namespace": namespace_tags,
}
"""Engine -> which images its store holds."""


def second_engine() -> Condition:
    """Could the engine without a daemon be used, `--engine namespace`?"""
    from envwheel.sandbox.namespace.engine import missing

    absent = missing()
    if absent:
        return Condition("engine namespace", "ok", f"{absent} Only a machine without Docker needs it.")
    return Condition("engine namespace", "ok", "its programs are there: --engine namespace")


def wanted_images() -> tuple[str, ...]:
    """The core's base image and those of every installed domain that loads."""
    from envwheel.domains import Domains
    from envwheel.sandbox.images import BASE

    tags = [BASE]
    for one in installed():
        if load_state(one.id).state != "broken":
            tags += [image.tag for image in Domains.load([one.id]).base_images(one.id)]
    return tuple(dict.fromkeys(tags))


def clock() -> Iterator[Condition]:
    """Is libfaketime there, with which the gate shifts the clock of a trial?"""
    from envwheel.sandbox.faketime import FakeTime

    found = FakeTime.find()
    if found is None:
        yield Condition("clock", "warn", "no libfaketime: fetched when first used, if it can be", LACKS["clock"][1])
    else:
        yield Condition("clock", "ok", str(found.library))


def models(environ: Mapping[str, str]) -> Iterator[Condition]:
    """Which solvers and proposers can be used: an endpoint with a key, or the embedded model?"""
    yield from _endpoint("openai", environ)
    # The second vendor is a matter of those who have its key.
    if environ.get("ANTHROPIC_API_KEY") or importlib.util.find_spec("anthropic"):
        yield from _endpoint("anthropic", environ)
    yield _local_model()


def _endpoint(kind: str, environ: Mapping[str, str]) -> Iterator[Condition]:
    """Are the SDK and the key of a vendor there?"""
    what, vendor = f"model {kind}", kind.upper()
    if importlib.util.find_spec(kind) is None:
        yield Condition(what, "warn", f"the package {kind} is not installed", f"pip install 'envwheel[{kind}]'")
    key = bool(environ.get(f"{vendor}_API_KEY"))
    url = urlsplit(environ.get(f"{vendor}_BASE_URL", ""))
    # Without a user and a password, should the address hold one.
    where = f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}" if url.netloc else "the default"
    detail = f"{vendor}_API_KEY is {'set' if key else 'not set'}, endpoint {where}"
    yield Condition(what, "ok" if key else "warn", detail, "" if key else f"export {vendor}_API_KEY=...")


def _local_model() -> Condition:
    if importlib.util.find_spec("xllamacpp") is None:
        return Condition("model local", "warn", "xllamacpp is not installed", "pip install 'envwheel[local]'")
    from envwheel.model.weights import MEMBER, cache_folder

    kept = cache_folder() / Path(MEMBER).name
    if not kept.is_file():
        return Condition("model local", "warn", "not fetched yet; fetched when first used", "envwheel doctor --prepare")
    return Condition("model local", "ok", str(kept))


def domains(listings: list[Listing]) -> Iterator[Condition]:
    """Does each installed domain load, and what does it miss? Each is tried in a process of its own."""
    if not listings:
        yield Condition("domain", "warn", "none is installed", pip_line("swe"))
    for one in listings:
        what, name = f"domain {one.id}", f"{one.distribution} {one.version}"
        if one.problem:
            yield Condition(what, "warn", one.problem)
            continue
        found = load_state(one.id)
        if found.state == "ready":
            yield Condition(what, "ok", name)
        else:
            fix = found.fix or f"pip install --force-reinstall {one.distribution}"
            yield Condition(what, "warn", f"{found.state}: {found.detail}", fix)


def disk(what: str, folder: Path) -> Condition:
    """Free space of the file system that holds `folder` (or its nearest parent that is there)."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    free = shutil.disk_usage(folder).free / GIB
    state: Literal["ok", "warn", "missing"] = "ok"
    if free < DISK_WARN_GIB:
        state = "missing" if free < DISK_MISSING_GIB else "warn"
    fix = "" if state == "ok" else "envwheel gc, or make room by hand"
    return Condition(f"disk for {what}", state, f"{free:.1f} GiB free at {folder}", fix)


def gpu() -> Condition:
    """The GPUs that NVIDIA's driver reports; only domains that need one miss it."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return Condition("gpu", "ok", "none; only domains that need one would miss it")
    try:
        ran = subprocess.run([program, "-L"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Condition("gpu", "warn", f"nvidia-smi does not answer: {error}", "look at the driver")
    names = [line.partition(" (UUID")[0] for line in ran.stdout.splitlines()]
    if ran.returncode or not names:
        return Condition("gpu", "warn", "nvidia-smi reports an error or no device", "look at the driver")
    return Condition("gpu", "ok", "; ".join(names))
