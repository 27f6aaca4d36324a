"""Builds of the Docker engine: hostile code as root, so every step runs confined, and nothing is left over.

The classic builder is driven over the daemon's own API. Its containers go under a control group with memory and
process limits and get a file size limit; the disk watchdog looks at them by label; a time limit closes the connection,
which makes the daemon cancel. Results are found again by content: the tag `envwheel/built:HASH-OWNER`, one per process
that uses the image, so that the last one to let go removes it.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envwheel.errors import BuildFailed, InfraError
from envwheel.sandbox import builds
from envwheel.sandbox.base import Image
from envwheel.sandbox.builds import LABEL, LOG_LINES, UNREACHABLE, BuildLimits, Request
from envwheel.sandbox.context import dockerfile_text
from envwheel.sandbox.docker.daemon import Daemon, Refused
from envwheel.sandbox.docker.disk import BuildSteps, DockerDisk

if TYPE_CHECKING:
    from collections.abc import Callable

    from envwheel.sandbox.docker.cgroups import Confinement
    from envwheel.sandbox.owner import Owner
    from envwheel.sandbox.watchdog import Watchdog

REPOSITORY = "envwheel/built"
SETTLE_TRIES, SETTLE_S = 40, 0.25
OWN_STATE = ('unable to find image "sha256:', "No such image: sha256:", "layer does not exist", "mount does not exist")
"""Words of a daemon that lost sight of an image or layer while others were removed beside it."""


class Builder:
    """Builds images once per content; safe to call from many threads."""

    def __init__(
        self,
        daemon: Daemon,
        owner: Owner,
        confinement: Confinement,
        watchdog: Watchdog,
        disk: DockerDisk,
        limits: BuildLimits,
    ) -> None:
        self._daemon, self._owner, self._confinement = daemon, owner, confinement
        self._watchdog, self._disk, self._limits = watchdog, disk, limits
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._guard = threading.Lock()
        self._slots = threading.BoundedSemaphore(max(os.cpu_count() or 1, 2))
        self._built: dict[str, Image] = {}
        self._uses: Counter[str] = Counter()
        self._busy: set[str] = set()

    def build(self, context: Path, resolve: Callable[[str], str], *, timeout_s: float, network: bool) -> Image:
        """See `Engine.build`. `resolve` turns a reference in a FROM line into a local image id."""
        request = self.request(context, dockerfile_text(context), resolve, network=network)
        with self._guard:
            lock = self._locks[request.key]
        with lock:
            known = self._built.get(request.key)
            image = self._image(known.id, known.base_id) if known else None
            if image is None:
                found = self._adopt(request.key) or self.make(request, timeout_s=timeout_s, network=network)
                image = self._image(found, request.bases[-1])
            if image is None:
                raise InfraError("daemon", "An image was removed while it was being built.")
            self._built[request.key] = image
            self._uses[request.key] += 1
            return image

    def request(
        self,
        context: Path | None,
        dockerfile: str,
        resolve: Callable[[str], str],
        *,
        network: bool,
        key_label: str | None = None,
    ) -> Request:
        """See `builds.request`."""
        step_mb = self._limits.step_mb
        return builds.request(
            context, dockerfile, resolve, network=network, owner=self._owner, step_mb=step_mb, key_label=key_label
        )

    def _tag(self, key: str) -> str:
        return f"{REPOSITORY}:{key}-{self._owner.tag}"

    def _adopt(self, key: str) -> str | None:
        """The id of an image that another process built from the same content, now held by this one too."""
        tags = self._daemon.call("list images", lambda api: api.images(filters={"reference": f"{REPOSITORY}:{key}-*"}))
        for image in tags or []:
            image_id, tag = image["Id"], self._tag(key).split(":")[1]
            if self._daemon.call("tag an image", lambda api: api.tag(image_id, REPOSITORY, tag), ignore=(404,)):  # noqa: B023
                return image_id
        return None

    def make(self, request: Request, *, timeout_s: float, network: bool) -> str:
        """Build now; the image's id. Raises BuildFailed, InfraError."""
        steps = BuildSteps(self._daemon, self._disk, request.key, self._limits.step_mb << 20)
        with self._slots, self._confined(request.key) as parent, self._watchdog.build(steps.look) as watched:
            log: deque[str] = deque(maxlen=LOG_LINES)
            try:
                return self._run(request, timeout_s, network, parent, log)
            except Refused as refused:
                if refused.status != 400:
                    raise
                raise BuildFailed(f"The Dockerfile cannot be used: {refused.explanation}") from refused
            except BuildFailed as failed:
                self._settle(request.key)
                self.clear(request.key)
                if watched.over:
                    too_much = f"The build used more disk than it may: {watched.over}."
                    raise BuildFailed(too_much, failed.log_tail) from None
                raise
            except InfraError:
                with contextlib.suppress(InfraError):
                    self.clear(request.key)
                raise

    def _settle(self, key: str) -> None:
        """Wait until the daemon has ended what it was doing for a build that was cancelled; help it after a while."""
        filters = {"label": [f"{LABEL}={key}", f"envwheel.owner={self._owner}"]}
        for attempt in range(SETTLE_TRIES):
            left = self._daemon.call("list containers", lambda api: api.containers(all=True, filters=filters)) or []
            if not left:
                return
            if attempt >= SETTLE_TRIES // 2:
                for container in left:
                    name = container["Id"]
                    self._daemon.call(
                        "remove a build step",
                        lambda api: api.remove_container(name, force=True, v=True),  # noqa: B023
                        ignore=(404, 409),
                    )
            time.sleep(SETTLE_S)

    def _confined(self, key: str) -> AbstractContextManager[str]:
        """The name of a control group for one build; empty where there cannot be one."""
        if not self._confinement.possible:
            return nullcontext("")
        name = f"{key[:20]}-{self._owner.pid}"
        return self._confinement.parent(name, memory_mb=self._limits.memory_mb, processes=self._limits.processes)

    def _run(self, request: Request, timeout_s: float, network: bool, parent: str, log: deque[str]) -> str:
        deadline = time.monotonic() + timeout_s
        image = ""
        with self._daemon.errors("build an image") as api:
            response = api._post(
                api._url("/build"),
                data=request.tar,
                params=self._parameters(request.key, network, parent),
                headers={"Content-Type": "application/tar"},
                stream=True,
                timeout=(60, None),
            )
            api._raise_for_status(response)
            timer = _Cancel(response, timeout_s)
            try:
                for event in _events(response):
                    log.extend(str(event.get("stream", "")).rstrip("\n").splitlines())
                    image = event.get("aux", {}).get("ID", image)
                    if "error" in event:
                        raise failure(str(event["error"]), "\n".join(log))
            except (OSError, ValueError, api_errors()) as error:
                if time.monotonic() < deadline - 0.5:
                    raise InfraError("daemon", f"The builder's answer broke off: {error}.") from error
            finally:
                timer.close()
        if timer.fired or time.monotonic() >= deadline:
            raise BuildFailed(f"The image did not build within {timeout_s:.0f} s.", "\n".join(log))
        if not image:
            raise InfraError("daemon", "The builder's answer ended without an image or an error.")
        return image

    def _parameters(self, key: str, network: bool, parent: str) -> dict[str, Any]:
        size, memory = self._limits.file_mb << 20, self._limits.memory_mb << 20
        ulimits = [{"Name": "fsize", "Soft": size, "Hard": size}, {"Name": "core", "Soft": 0, "Hard": 0}]
        return {
            "t": self._tag(key),
            "rm": True,
            # The label above is another for each content, so that no layer is ever found; looking for one among images
            # that others are removing can fail the build.
            "nocache": True,
            "forcerm": True,
            "networkmode": "bridge" if network else "none",
            "memory": memory,
            "memswap": memory,
            "ulimits": json.dumps(ulimits),
            **({"cgroupparent": parent} if parent else {}),
        }

    def _image(self, image_id: str, base: str) -> Image | None:
        seen = self._daemon.call("inspect an image", lambda api: api.inspect_image(image_id), ignore=(404,))
        if seen is None:
            return None
        config = seen.get("Config") or {}
        return Image(image_id, user=config.get("User") or "", workdir=config.get("WorkingDir") or "", base_id=base)

    def remove(self, image: Image) -> None:
        """Let go of an image that `build` gave, once for each time; the last one removes it. A no-op for others."""
        for key in [key for key, built in self._built.items() if built.id == image.id]:
            with self._locks[key]:
                self._uses[key] -= 1
                if self._uses[key] <= 0:
                    self._forget(key)
        for key in list(self._busy):
            self.clear(key)

    def _forget(self, key: str) -> None:
        self._built.pop(key, None)
        self._uses.pop(key, None)
        self.clear(key)

    def clear(self, key: str) -> None:
        """Remove this process's tag for `key` and what a build of it left without a tag. A box may still hold it."""
        try:
            self._daemon.call("remove an image", lambda api: api.remove_image(self._tag(key)), ignore=(404,))
            self._busy.discard(key)
        except Refused:
            self._busy.add(key)
        remove_dangling(self._daemon, {LABEL: key, "envwheel.owner": str(self._owner)})

    def close(self) -> None:
        """Let go of every image."""
        for key in [*self._built, *self._busy]:
            self._forget(key)


def remove_dangling(daemon: Daemon, labels: Mapping[str, str]) -> int:
    """Remove images without a tag or a child that carry all of `labels`, and the parents that this uncovers."""
    removed = 0
    filters = {"dangling": True, "label": [f"{key}={value}" if value else key for key, value in labels.items()]}
    for _ in range(5):
        found = daemon.call("list images", lambda api: api.images(filters=filters)) or []
        gone = 0
        for image in found:
            with contextlib.suppress(Refused):
                done = daemon.call("remove an image", lambda api: api.remove_image(image["Id"]), ignore=(404, 409))  # noqa: B023
                gone += done is not None
        removed += gone
        if not gone:
            break
    return removed


def failure(error: str, log: str) -> BuildFailed | InfraError:
    """Whose fault a builder's error is."""
    pulling = any(word in error for word in ("pull", "registry", "manifest"))
    if pulling and any(word in error for word in UNREACHABLE):
        return InfraError("network", f"A registry did not answer: {error}")
    if "no space left on device" in error and "returned a non-zero code" not in error:
        return InfraError("disk", f"The disk of the Docker daemon is full: {error}")
    if any(words in error for words in OWN_STATE) and "returned a non-zero code" not in error:
        return InfraError("daemon", f"The Docker daemon lost an image during a build: {error.strip()}")
    return BuildFailed(f"The image does not build: {error.strip()}", log)


def _events(response: Any) -> Iterator[dict[str, Any]]:
    buffer = b""
    for chunk in response.iter_content(None):
        buffer += chunk
        *lines, buffer = buffer.split(b"\n")
        for line in lines:
            if line.strip():
                yield json.loads(line)


def api_errors() -> type[Exception]:
    """What the HTTP client raises when a stream ends early."""
    import requests

    return requests.exceptions.RequestException


class _Cancel:
    """Shuts a response's connection down after some time; `fired` tells that it did."""

    def __init__(self, response: Any, seconds: float) -> None:
        self._response, self.fired = response, False
        self._timer = threading.Timer(seconds, self._fire)
        self._timer.daemon = True
        self._timer.start()

    def _fire(self) -> None:
        import socket

        self.fired = True
        with contextlib.suppress(OSError, AttributeError):
            self._response.raw._fp.fp.raw._sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._timer.cancel()
        self._response.close()
