"""The namespace engine: `open_engine()` gives an `Engine` without a daemon, by Debian's buildah and bubblewrap.

A box costs a few milliseconds. All that lives hangs on one process, the warden (`warden.py`); what could be left behind
are control groups and built images, which carry their owner's name (`leftovers.py`).
"""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import re
import resource
import secrets
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from envwheel.api import BaseImage
from envwheel.errors import InfraError, OrdinaryUser, SetupError
from envwheel.sandbox import owner, userns
from envwheel.sandbox.aliases import Alias
from envwheel.sandbox.base import BoxSpec, Image, LayerFile, Swept
from envwheel.sandbox.builds import BuildLimits
from envwheel.sandbox.faketime import FakeTime
from envwheel.sandbox.images import Images
from envwheel.sandbox.layers import folder_files
from envwheel.sandbox.namespace import groups, leftovers, network
from envwheel.sandbox.namespace.box import NamespaceBox
from envwheel.sandbox.namespace.build import NamespaceBuilder
from envwheel.sandbox.namespace.image_store import ImageStore, Stored
from envwheel.sandbox.namespace.images import NamespaceShelf
from envwheel.sandbox.namespace.places import Place, Places
from envwheel.sandbox.namespace.scratch import Scratch
from envwheel.sandbox.namespace.spares import Spares
from envwheel.sandbox.namespace.wards import Wards
from envwheel.sandbox.reaper import Reaper
from envwheel.sandbox.room import Room
from envwheel.sandbox.watchdog import Watchdog

PROGRAMS = ("bwrap", "buildah", "slirp4netns")
INSTALL = "`apt-get install buildah bubblewrap slirp4netns`"
_ID = re.compile(r"(sha256:)?[0-9a-f]{64}")


def open_engine(settings: Mapping[str, object] | None = None) -> NamespaceEngine:
    """The namespace engine of this machine; `settings` are fields of `BuildLimits`.

    Raises SetupError when its programs are not there, OrdinaryUser when this process must become another first.
    """
    absent = missing()
    if absent:
        raise SetupError(absent)
    if not_here():
        raise OrdinaryUser(not_here())
    return NamespaceEngine(BuildLimits(**(settings or {})))  # type: ignore[arg-type]


def missing() -> str:
    """What this machine lacks for the engine, as a sentence with the mend; empty when nothing."""
    absent = [name for name in PROGRAMS if shutil.which(name) is None]
    if absent:
        return f"The namespace engine lacks {', '.join(absent)}: {INSTALL}."
    refused = userns.impossible() if os.geteuid() != 0 else ""
    if refused:
        return f"The namespace engine needs root, or user namespaces, and {refused}."
    return ""


def not_here() -> str:
    """Why this very process cannot open the engine, though another may; empty when it can or `missing` says more."""
    if os.geteuid() == 0:
        return ""
    again = f"`{os.path.basename(sys.executable)} -m envwheel.sandbox.userns PROGRAM...`"
    return f"An ordinary user's boxes need a user namespace around this process: start it as {again}."


class NamespaceEngine:
    """Implements `Engine`."""

    name = "namespace"

    def __init__(self, limits: BuildLimits) -> None:
        self._owner, self._id = owner.current(), secrets.token_hex(4)
        self._home = leftovers.home()
        self._place = self._home / "places" / f"{self._owner.tag}+{self._id}"
        self._home.mkdir(parents=True, exist_ok=True)
        _allow_many_files()
        self._spares = Spares(Scratch.best(self._home / "empty"))
        self.room = Room.of_machine()
        self._store = ImageStore(self._home)
        self._faketime = FakeTime.find_or_fetch()
        self._watchdog = Watchdog(self._home)
        self._reaper = Reaper(self._owner, self.name)
        self._group_lack = groups.lacking()
        self._places = Places(
            lambda: self.wards, self._spares, self._faketime, self._owner, self._place, grouped=not self._group_lack
        )
        self._builder = NamespaceBuilder(self._places, self._store, self._owner, self._watchdog, limits)
        self._images = Images(NamespaceShelf(self._store, self._builder))
        self._boxes: dict[str, NamespaceBox] = {}
        self._waiting: list[Image] = []
        self._lock = threading.RLock()
        self._wards: Wards | None = None
        self._release = ThreadPoolExecutor(2, thread_name_prefix="envwheel-release")
        self._closed = False
        absent = {"clock": self._faketime is None, "limits": bool(self._group_lack), "users": userns.one_user()}
        absent |= {"confined_builds": bool(self._group_lack), "network": not network.possible()}
        self.lacks: frozenset[str] = frozenset(word for word, missing in absent.items() if missing)

    @property
    def wards(self) -> Wards:
        """What makes boxes and runs builds; started when it is first needed, after clearing what others left."""
        with self._lock:
            if self._closed:
                raise InfraError("host", "The engine was closed.")
            if self._wards is not None and self._wards.ended:
                self._wards.close()
                self._wards = None
            if self._wards is None:
                self._reaper.start()
                self.sweep()
                self._place.mkdir(parents=True, exist_ok=True)
                self._wards = Wards([str(shutil.which(name)) for name in ("bwrap", "buildah")])
            return self._wards

    def build(self, context: Path, *, timeout_s: float = 600.0, network: bool = True) -> Image:
        """See `Engine.build`."""
        _ = self.wards  # its sweep must be over before a build is locked
        return self._images.built(
            lambda resolve: self._builder.build(context, resolve, timeout_s=timeout_s, network=network)
        )

    def image(self, reference: str) -> Image:
        """See `Engine.image`."""
        found = self._store.find(reference) if _ID.fullmatch(reference) else None
        return found.image if found else self._images.image(reference)

    def alias(self, alias: Alias) -> None:
        """See `Engine.alias`."""
        _ = self.wards
        self._images.alias(alias)

    def ensure(self, base: BaseImage) -> Image:
        """See `Engine.ensure`."""
        _ = self.wards
        return self._images.ensure(base)

    def image_files(self, image: Image) -> Iterator[LayerFile]:
        """See `Engine.image_files`."""
        found = self._stored(image.id)
        base = self._store.find(image.base_id) if image.base_id else None
        count = len(found.layers) - (len(base.layers) if base else 0)
        return folder_files(found.layers[: max(count, 0)])

    def start(self, spec: BoxSpec) -> NamespaceBox:
        """See `Engine.start`. Raises BoxGone too, when the image lacks what a box needs (a shell)."""
        _ = self.wards  # it clears what others left, before there is anything of ours
        self._watchdog.check_free()
        image = self._stored(spec.image)
        box_id = secrets.token_hex(6)
        box = NamespaceBox(self, box_id, spec, self._places.make(spec, image, box_id), image)
        with self._lock:
            self._boxes[box.id] = box
        self._watchdog.add(box)
        if spec.network:
            box.join_network()
        return box

    def _stored(self, image_id: str) -> Stored:
        wanted = image_id if _ID.fullmatch(image_id) else self._images.image(image_id).id
        found = self._store.find(wanted.removeprefix("sha256:"))
        if found is None:
            raise InfraError("disk", f"The image {image_id} is not there.")
        return found

    def forget(self, box: NamespaceBox, place: Place) -> None:
        """A box's processes have ended; used by `NamespaceBox.close`. What is left of it goes in the background."""
        self._watchdog.drop(box)
        self._release.submit(place.close)
        with self._lock:
            self._boxes.pop(box.id, None)
            free = [image for image in self._waiting if not self._used(image)]
            self._waiting = [image for image in self._waiting if self._used(image)]
        for image in free:
            self._builder.remove(image)

    def remove(self, image: Image) -> None:
        """See `Engine.remove`. A box's files are those of its image, so that goes with the last box."""
        with self._lock:
            if self._used(image):
                self._waiting.append(image)
                return
        self._builder.remove(image)

    def _used(self, image: Image) -> bool:
        return any(box.image.id == image.id for box in self._boxes.values())

    def describe(self) -> Mapping[str, str]:
        """See `Engine.describe`."""
        return {
            "engine": f"namespace ({_version('buildah')}, {_version('bwrap')})",
            "storage": f"overlay on {self._spares.scratch.kind}",
            "root": str(self._home),
            "cgroups": self._group_lack or ("v2" if (groups.ROOT / "cgroup.controllers").exists() else "v1"),
            "kernel": platform.release(),
            "lacks": ", ".join(sorted(self.lacks)) or "nothing",
        }

    def sweep(self, *, everything: bool = False) -> Swept:
        """See `Engine.sweep`."""
        return leftovers.sweep_leftovers(everything=everything)

    def close(self) -> None:
        """See `Engine.close`."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._watchdog.close()
        for box in list(self._boxes.values()):
            box.close()
        if self._wards is not None:
            self._wards.close()
        self._release.shutdown(wait=True)
        self._spares.close()
        with contextlib.suppress(InfraError):
            self._builder.close()
        shutil.rmtree(self._place, ignore_errors=True)
        self._reaper.close()


def _allow_many_files() -> None:
    """A live box with a shell takes ten descriptors here."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


@functools.cache
def _version(program: str) -> str:
    try:
        ran = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return program
    return " ".join(ran.stdout.split()[:3]).replace("version ", "")
