"""The Docker engine: `open_engine()` gives an `Engine` over the daemon's low-level API.

The daemon's calls are the whole cost of a box (about 0.2 s), so there are few of them: create, start, one exec for a
shell, one call per copy, remove. What this process holds is labelled with its name; see `sweep.py` and `reaper.py`.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from envwheel.api import BaseImage
from envwheel.errors import BoxGone, InfraError, SetupError
from envwheel.sandbox import owner
from envwheel.sandbox.aliases import Alias
from envwheel.sandbox.base import BoxSpec, Image, LayerFile, Swept, Usage
from envwheel.sandbox.builds import BuildLimits
from envwheel.sandbox.docker import cgroups, sweep
from envwheel.sandbox.docker.box import DockerBox, creation
from envwheel.sandbox.docker.build import Builder
from envwheel.sandbox.docker.cgroups import Confinement
from envwheel.sandbox.docker.daemon import Daemon, Refused
from envwheel.sandbox.docker.disk import DockerDisk
from envwheel.sandbox.docker.images import DockerShelf
from envwheel.sandbox.docker.layers import layer_files
from envwheel.sandbox.faketime import FakeTime
from envwheel.sandbox.images import Images
from envwheel.sandbox.reaper import Reaper
from envwheel.sandbox.room import Room
from envwheel.sandbox.watchdog import Watchdog

CANDIDATES_FAULT = ("executable file not found", "no such file or directory", "not a directory", "permission denied")
"""In the daemon's refusal to start a container: the image lacks what every box needs."""


def open_engine(settings: Mapping[str, object] | None = None) -> DockerEngine:
    """The Docker engine of this machine (or of `DOCKER_HOST`); `settings` are fields of `BuildLimits`.

    Raises SetupError when no daemon answers.
    """
    return DockerEngine(Daemon(), BuildLimits(**(settings or {})))  # type: ignore[arg-type]


class DockerEngine:
    """Implements `Engine`."""

    name = "docker"

    def __init__(self, daemon: Daemon, limits: BuildLimits) -> None:
        self.daemon = daemon
        self._owner, self._id = owner.current(), secrets.token_hex(8)
        info = daemon.info()
        self._info = info
        if info.get("OSType", "linux") != "linux":
            raise SetupError("The Docker daemon runs Windows containers; envwheel needs Linux ones.")
        self._confinement = Confinement(info.get("CgroupDriver", ""), int(info.get("CgroupVersion") or 1))
        self._faketime = FakeTime.find_or_fetch()
        self.room = Room.of_machine(int(info.get("MemTotal") or 0) / (1 << 20))
        self.disk = DockerDisk(daemon, Path(info.get("DockerRootDir", "/var/lib/docker")))
        self._watchdog = Watchdog(self.disk.root)
        self._reaper = Reaper(self._owner, self.name)
        self._builder = Builder(daemon, self._owner, self._confinement, self._watchdog, self.disk, limits)
        self._images = Images(DockerShelf(daemon, self._builder))
        self._boxes: dict[str, DockerBox] = {}
        self._users: dict[str, str] = {}
        self._lock = threading.Lock()
        self._closed = self._begun = False
        absent = {"clock": self._faketime is None, "confined_builds": not self._confinement.possible}
        self.lacks: frozenset[str] = frozenset(word for word, missing in absent.items() if missing)

    def build(self, context: Path, *, timeout_s: float = 600.0, network: bool = True) -> Image:
        """See `Engine.build`."""
        self._begin()
        return self._images.built(
            lambda resolve: self._builder.build(context, resolve, timeout_s=timeout_s, network=network)
        )

    def image(self, reference: str) -> Image:
        """See `Engine.image`."""
        return self._images.image(reference)

    def alias(self, alias: Alias) -> None:
        """See `Engine.alias`."""
        self._begin()
        self._images.alias(alias)

    def ensure(self, base: BaseImage) -> Image:
        """See `Engine.ensure`."""
        self._begin()
        return self._images.ensure(base)

    def image_files(self, image: Image) -> Iterator[LayerFile]:
        """See `Engine.image_files`."""
        return layer_files(self.daemon, image)

    def start(self, spec: BoxSpec) -> DockerBox:
        """See `Engine.start`. Raises BoxGone too, when the image lacks what a box needs (a shell)."""
        self._begin()
        self._watchdog.check_free()
        mounts, env = self._clock(spec)
        user = spec.user or self._user_of(spec.image)
        labels = sweep.labels(self._owner, self._id, time.time() + spec.lifetime_s)
        arguments = creation(self.daemon, spec, labels, mounts, env)
        try:
            made = self.daemon.call("create a box", lambda api: api.create_container(**arguments))
        except Refused as refused:
            if refused.status == 404:
                raise InfraError("daemon", f"The image {spec.image} is not there: {refused.explanation}.") from refused
            raise
        assert made is not None
        box = DockerBox(self, made["Id"], spec, user)
        with self._lock:
            self._boxes[box.id] = box
        try:
            self.daemon.call("start a box", lambda api: api.start(box.id))
        except Refused as refused:
            box.close()
            if any(words in refused.explanation for words in CANDIDATES_FAULT):
                raise BoxGone("died", f"A box of {spec.image} cannot start: {refused.explanation}.") from refused
            raise
        except BaseException:
            box.close()
            raise
        self._watchdog.add(box)
        return box

    def _begin(self) -> None:
        """Before the first box or build: clear what others left, and make sure that we leave nothing."""
        if self._closed:
            raise InfraError("daemon", "The engine was closed.")
        with self._lock:
            if not self._begun:
                self._reaper.start()
                self.sweep()
                self._begun = True

    def _user_of(self, image: str) -> str:
        if image not in self._users:
            self._users[image] = self._images.image(image).user
        return self._users[image]

    def _clock(self, spec: BoxSpec) -> tuple[Mapping[str, str], Mapping[str, str]]:
        if not spec.clock_days:
            return {}, spec.env
        if self._faketime is None:
            raise InfraError("host", "This host has no libfaketime, so a box's clock cannot be shifted.")
        return self._faketime.mounts(spec.clock_days), spec.env

    def usage(self, box_id: str) -> Usage | None:
        """What a running box has used, None when it cannot be told."""
        near = cgroups.usage(box_id)
        if near is not None:
            return near
        seen = self.daemon.call(
            "count what a box uses", lambda api: api.stats(box_id, stream=False, one_shot=True), ignore=(404, 409)
        )
        memory = (seen or {}).get("memory_stats") or {}
        if not seen or "usage" not in memory:
            return None
        peak = memory.get("max_usage", memory["usage"])
        return Usage(peak_mb=peak / (1 << 20), cpu_s=seen["cpu_stats"]["cpu_usage"]["total_usage"] / 1e9)

    def forget(self, box: DockerBox) -> None:
        """Remove a box; used by `DockerBox.close`. What cannot be removed now is left to `close` and the reaper."""
        self._watchdog.drop(box)
        self.disk.forget(box.id)
        with contextlib.suppress(InfraError):
            self.daemon.call(
                "remove a box", lambda api: api.remove_container(box.id, force=True, v=True), ignore=(404, 409)
            )
            with self._lock:
                self._boxes.pop(box.id, None)

    def remove(self, image: Image) -> None:
        """See `Engine.remove`."""
        self._builder.remove(image)

    def describe(self) -> Mapping[str, str]:
        """See `Engine.describe`."""
        info = self._info
        return {
            "engine": f"docker {info.get('ServerVersion', '?')}",
            "storage": str(info.get("Driver", "?")),
            "root": str(info.get("DockerRootDir", "?")),
            "cgroups": f"v{self._confinement.version}, {self._confinement.driver}",
            "runtime": str(info.get("DefaultRuntime", "?")),
            "kernel": str(info.get("KernelVersion", "?")),
            "lacks": ", ".join(sorted(self.lacks)) or "nothing",
        }

    def sweep(self, *, everything: bool = False) -> Swept:
        """See `Engine.sweep`."""
        swept = sweep.sweep(self.daemon, everything=everything)
        cgroups.remove_stale()
        return swept

    def close(self) -> None:
        """See `Engine.close`."""
        if self._closed:
            return
        self._closed = True
        self._watchdog.close()
        with contextlib.suppress(InfraError):
            sweep.remove_boxes(self.daemon, f"{sweep.ENGINE}={self._id}")
            self._builder.close()
        self._reaper.close()
        self.daemon.close()
