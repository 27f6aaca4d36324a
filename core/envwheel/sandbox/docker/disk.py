"""How much disk the containers of a Docker daemon take: from its folders where they are in reach, else by asking it."""

from __future__ import annotations

import os
from pathlib import Path

from envwheel.sandbox import disk
from envwheel.sandbox.docker import cgroups
from envwheel.sandbox.docker.daemon import Daemon
from envwheel.sandbox.watchdog import NOTICEABLE


class DockerDisk:
    """Measures containers; `root` is the daemon's storage folder, None when it is not on this machine."""

    def __init__(self, daemon: Daemon, root: Path) -> None:
        self._daemon = daemon
        self.root = root if daemon.local and root.is_dir() else None
        self._known: dict[str, tuple[Path, ...]] = {}

    def used(self, container: str) -> int | None:
        """Blocks, a floor per inode, and what is deleted but open: neither sparse nor empty files fool it."""
        if container not in self._known:
            self._known[container] = self.folders(container)
        folders = self._known[container]
        return disk.used(folders, cgroups.processes(container)) if folders else self._asked(container)

    def forget(self, container: str) -> None:
        """It is gone."""
        self._known.pop(container, None)

    def folders(self, container: str) -> tuple[Path, ...]:
        """The writable folders of a container on this host: its layer and its volumes; empty when out of reach."""
        seen = self._daemon.call("inspect a box", lambda api: api.inspect_container(container), ignore=(404,))
        upper = (((seen or {}).get("GraphDriver") or {}).get("Data") or {}).get("UpperDir")
        volumes = [mount["Source"] for mount in (seen or {}).get("Mounts") or [] if mount["Type"] == "volume"]
        if self.root is None or not upper or not os.access(upper, os.R_OK | os.X_OK):
            return ()
        return (Path(upper), *map(Path, volumes))

    def _asked(self, container: str) -> int | None:
        url = self._daemon.api._url("/containers/{0}/json", container)
        seen = self._daemon.call(
            "measure a box", lambda api: api._result(api._get(url, params={"size": 1}), json=True), ignore=(404,)
        )
        return (seen or {}).get("SizeRw")


class BuildSteps:
    """The containers of the build labelled `key`; none may grow by more than `limit` bytes."""

    def __init__(self, daemon: Daemon, measure: DockerDisk, key: str, limit: int) -> None:
        self._daemon, self._measure, self._key, self._limit = daemon, measure, key, limit
        self._folders: dict[str, tuple[Path, ...]] = {}

    def look(self, crowded: bool) -> str:
        """See `watchdog.LookAtBuild`."""
        filters = {"label": f"envwheel.build={self._key}"}
        over = ""
        found = self._daemon.call("list containers", lambda api: api.containers(all=True, filters=filters)) or []
        for container in found:
            name = container["Id"]
            if name not in self._folders:
                self._folders[name] = self._measure.folders(name)
            size = disk.apparent(self._folders[name])
            if size > self._limit or (crowded and size > NOTICEABLE):
                over = f"{size >> 20} MiB in one step, {self._limit >> 20} are allowed"
                self._daemon.call("stop a build step", lambda api: api.kill(name), ignore=(404, 409))  # noqa: B023
                disk.defuse(self._folders[name])
        return over
