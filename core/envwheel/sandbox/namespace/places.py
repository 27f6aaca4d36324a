"""Makes what the boxes of the namespace engine are made of: mounted files, a control group, a first process.

A box writes into a layer that ends with it (`scratch.py`); a step of a build into a folder that stays.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envwheel.errors import BoxGone, InfraError
from envwheel.sandbox.base import BoxSpec
from envwheel.sandbox.faketime import FakeTime
from envwheel.sandbox.kernel import process_of
from envwheel.sandbox.namespace import groups, rooted
from envwheel.sandbox.namespace.bubblewrap import arguments, files_of
from envwheel.sandbox.namespace.groups import Bounds, Group
from envwheel.sandbox.namespace.image_store import Stored
from envwheel.sandbox.namespace.spares import Spares
from envwheel.sandbox.namespace.wards import Line, Wards
from envwheel.sandbox.owner import Owner

START_S = 60.0


@dataclass(frozen=True, slots=True)
class Place:
    """What a box is made of on the host: descriptors of its files and its writable layer, of its first process."""

    files: int
    layer: int
    first: int
    line: Line
    group: Group | None

    def close(self) -> None:
        """Let go; the kernel frees what nobody holds, which takes it as long as making it."""
        self.line.close()
        if self.group is not None:
            self.group.end()


class Places:
    """Makes places; thread-safe. `folder`: where boxes mount, each in a mount namespace of its own."""

    def __init__(
        self,
        wards: Callable[[], Wards],
        spares: Spares,
        faketime: FakeTime | None,
        owner: Owner,
        folder: Path,
        *,
        grouped: bool,
    ) -> None:
        self._wards, self._spares, self._faketime = wards, spares, faketime
        self._owner, self._folder, self._grouped = owner, folder, grouped

    @property
    def wards(self) -> Wards:
        """Whom to ask for processes."""
        return self._wards()

    def make(
        self,
        spec: BoxSpec,
        image: Stored,
        name: str,
        layer: Path | None = None,
        furnish: Callable[[int], None] = lambda files: None,
    ) -> Place:
        """A place for `spec` on the layers of `image`, up and running.

        `layer`: a folder for what it writes, which stays; `furnish` may change its files before anything runs. Raises
        InfraError, BoxGone when the fault is in the image (no shell).
        """
        live = self.wards
        group = self._group(spec, "box" if layer is None else "build", name)
        line: Line | None = None
        try:
            device = self._spares.take(spec.limits.disk_mb) if layer is None else []
            try:
                line = live.ask(self._request(spec, image, name, layer), device)
            finally:
                for descriptor in device:
                    os.close(descriptor)
            return self._up(line, group, spec, image, name, furnish)
        except BaseException:
            if line is not None:
                line.close()
            if group is not None:
                group.end()
            raise

    @contextmanager
    def opened(self, layers: Sequence[str], layer: Path) -> Iterator[int]:
        """The files of `layers`, as a descriptor; what is changed in them goes into the folder `layer`."""
        request = {"do": "start", "place": str(layer), "layers": [*layers], "layer": True, "file_bytes": -1, "argv": []}
        line = self.wards.ask(request)
        try:
            if not line.wait(["files", "failed"], START_S) or "files" not in line.said:
                raise InfraError("host", f"Layers could not be mounted: {line.said.get('failed', 'no answer')}.")
            yield line.descriptors["files"][0]
        finally:
            line.send(b"end")
            line.wait(["ended"], START_S)
            line.close()

    def _group(self, spec: BoxSpec, kind: str, name: str) -> Group | None:
        if not self._grouped:
            return None
        # One more for bubblewrap, which waits outside.
        bounds = Bounds(spec.limits.memory_mb, spec.limits.processes + 1, spec.limits.cpus)
        return groups.make(self._owner, kind, name, time.time() + spec.lifetime_s + 60, bounds)

    def _request(self, spec: BoxSpec, image: Stored, name: str, layer: Path | None) -> dict[str, Any]:
        mounts: Mapping[str, str] = {}
        if spec.clock_days:
            if self._faketime is None:
                raise InfraError("host", "This host has no libfaketime, so a box's clock cannot be shifted.")
            mounts = self._faketime.mounts(spec.clock_days)
        return {
            "do": "start",
            "place": str(layer or self._folder),
            "layer": layer is not None,
            "disk_mb": spec.limits.disk_mb,
            "layers": image.layers,
            "file_bytes": spec.limits.disk_mb << 20,
            "argv": arguments(str(shutil.which("bwrap")), spec.hostname or name, spec.lifetime_s, mounts),
        }

    def _up(
        self,
        line: Line,
        group: Group | None,
        spec: BoxSpec,
        image: Stored,
        name: str,
        furnish: Callable[[int], None],
    ) -> Place:
        """Furnish the box and wait until it is up."""
        line.wait(["made", "failed"], START_S)
        if group is not None and "made" in line.said:
            group.admit(process_of(line.descriptors["made"][0]))
        if line.wait(["files", "failed"], START_S) and "files" in line.said:
            files = line.descriptors["files"][0]
            rooted.put(files, files_of(spec.hostname or name, network=spec.network), (0, 0))
            furnish(files)
            rooted.make_folder(files, spec.workdir or image.workdir)
            line.send(b"go")
        if line.wait(["up", "failed"], START_S) and "up" in line.said:
            files, layer = line.descriptors["files"]
            return Place(files, layer, line.descriptors["up"][0], line, group)
        said = str(line.said.get("failed", "no answer"))
        if said.startswith("bwrap: execvp") or not said:
            what = spec.image or "this image"
            raise BoxGone("died", f"A box of {what} cannot start: {said or 'its first process ended at once'}.")
        raise InfraError("host", f"A box could not be made: {said}.")
