"""Builds of the namespace engine: buildah with chroot isolation, confined itself, because its steps are hostile.

It runs under bubblewrap with the host's files read-only but for the folder of this one image, in process, network and
IPC namespaces of its own, in a control group, with limits on file size and time. Steps get no capability that a box
lacks but those that installing software needs. A build that takes too much is killed whole and its folder removed.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import select
import shutil
import tarfile
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from envwheel.errors import BuildFailed, HostLacks, InfraError
from envwheel.sandbox import builds, disk
from envwheel.sandbox.base import Image
from envwheel.sandbox.builds import LOG_LINES, BuildLimits, Request
from envwheel.sandbox.context import dockerfile_text
from envwheel.sandbox.dockerfile import instructions
from envwheel.sandbox.kernel import process_of
from envwheel.sandbox.namespace import groups, wards
from envwheel.sandbox.namespace.build_plan import Uncommon, plan
from envwheel.sandbox.namespace.groups import Bounds, Group
from envwheel.sandbox.namespace.image_store import ImageStore, Stored, record, remove, seal
from envwheel.sandbox.namespace.network import LACK, NAMESERVER, Network, possible
from envwheel.sandbox.namespace.places import Places
from envwheel.sandbox.namespace.steps import LAYER, STEPS, Job, Steps, too_much
from envwheel.sandbox.namespace.wards import Line, Wards
from envwheel.sandbox.owner import Owner
from envwheel.sandbox.watchdog import NOTICEABLE, Watchdog

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
BUILDER_RIGHTS = [
    "CHOWN",
    "DAC_OVERRIDE",
    "DAC_READ_SEARCH",
    "FOWNER",
    "FSETID",
    "KILL",
    "SETFCAP",
    "SETGID",
    "SETPCAP",
    "SETUID",
    "SYS_ADMIN",
    "SYS_CHROOT",
]
"""What buildah needs to mount layers, unpack them and enter them."""
STEP_REFUSED = ("CAP_MKNOD", "CAP_NET_RAW", "CAP_AUDIT_WRITE", "CAP_SYS_CHROOT", "CAP_SETPCAP", "CAP_NET_BIND_SERVICE")
BUILD = ["bud", "--isolation", "chroot", "--layers", "--no-cache", "--pull-never", "--format", "docker"]
UNUSED = ("CMD", "ENTRYPOINT", "EXPOSE", "HEALTHCHECK", "LABEL", "MAINTAINER", "STOPSIGNAL")
"""What a box has no use for, and a step of buildah costs a tenth of a second."""
_STEP_FAILED = re.compile(r"exit status (\d+)")


class NamespaceBuilder:
    """Builds images once per content; safe to call from many threads."""

    def __init__(
        self, places: Places, store: ImageStore, owner: Owner, watchdog: Watchdog, limits: BuildLimits
    ) -> None:
        self._places, self._store, self._owner = places, store, owner
        self._watchdog, self._limits = watchdog, limits
        self._slots = threading.BoundedSemaphore(max(os.cpu_count() or 1, 2))
        self._guard = threading.Lock()
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._uses: Counter[str] = Counter()
        self._keys: dict[str, str] = {}

    def build(self, context: Path, resolve: Callable[[str], str], *, timeout_s: float, network: bool) -> Image:
        """See `Engine.build`. `resolve` turns a reference in a FROM line into the id of an image here."""
        text = dockerfile_text(context)
        request = self.request(context, text, resolve, network=network)
        wanted = network and any(item.word == "RUN" for item in instructions(text))
        network = wanted and possible()
        with self._guard:
            lock = self._locks[request.key]
        with lock, self._store.locked(request.key):
            folder = self._store.built / request.key
            found = self._store.find_in(folder)
            if found is None:
                with excused(wanted and not network):
                    found = self._made(folder, text, request, timeout_s=timeout_s, network=network)
            self._store.hold(request.key, self._owner)
            self._uses[request.key] += 1
            self._keys[found.id] = request.key
            return found.image

    def request(
        self,
        context: Path | None,
        dockerfile: str,
        resolve: Callable[[str], str],
        *,
        network: bool,
        key_label: str | None = None,
    ) -> Request:
        """See `builds.request`. Raises BuildFailed for what is refused, `RUN` with options too."""
        for item in instructions(dockerfile):
            if item.word == "RUN" and re.match(r"RUN\s+--", item.text, re.IGNORECASE):
                raise BuildFailed(f"Dockerfile: `{item.text[:200]}`: options of RUN are not supported.")
        step_mb = self._limits.step_mb
        # Without the labels a Dockerfile that adds nothing would make no image.
        return builds.request(
            context,
            dockerfile,
            resolve,
            network=network,
            owner=self._owner,
            step_mb=step_mb,
            key_label=key_label,
            unused=UNUSED,
        )

    def _made(self, folder: Path, text: str, request: Request, *, timeout_s: float, network: bool) -> Stored:
        try:
            return self._by_steps(folder, text, request, timeout_s=timeout_s, network=network)
        except Uncommon:
            return self.make(folder, request, timeout_s=timeout_s, network=network)

    def _by_steps(self, folder: Path, text: str, request: Request, *, timeout_s: float, network: bool) -> Stored:
        """Build without buildah. Raises Uncommon when that is not for this Dockerfile; BuildFailed, InfraError."""
        base = self._store.find(request.bases[-1]) if request.bases[-1] else None
        if base is None or len(request.bases) > 1:
            raise Uncommon("an image from nothing, or from several")
        todo = plan(text, user=base.user, workdir=base.workdir, env=base.env, unused=UNUSED)
        remove(folder)
        folder.mkdir(parents=True)
        steps = Steps(self._places, Job(folder, request.tar, todo, base, self._limits, network))
        look = _Look(folder / STEPS, LAYER, self._limits.step_mb << 20)
        look.kill = steps.kill
        try:
            with self._slots, self._watched(look):
                return record(folder, replace(steps.make(timeout_s), key=request.key))
        except BaseException:
            remove(folder)
            raise

    @contextlib.contextmanager
    def _watched(self, look: _Look) -> Iterator[None]:
        """A build that `look` ended failed for what it took."""
        with self._watchdog.build(look.look) as watched:
            try:
                yield
            except BuildFailed as failed:
                if watched.over:
                    too_much = f"The build used more disk than it may: {watched.over}."
                    raise BuildFailed(too_much, failed.log_tail) from None
                raise

    def make(
        self, folder: Path, request: Request, *, timeout_s: float, network: bool, big: tuple[Path, ...] = ()
    ) -> Stored:
        """Build now, into `folder`. `big`: files of ours to link into the context. Raises BuildFailed, InfraError."""
        remove(folder)
        base = self._store.find(request.bases[-1]) if request.bases[-1] else None
        others = [found for found in map(self._store.find, filter(None, request.bases)) if found]
        look = _Look(folder / "store" / "overlay", "diff", self._limits.step_mb << 20)
        try:
            with self._slots, self._watched(look):
                _unpack(request.tar, folder / "context", big)
                stores = list(dict.fromkeys(store for one in others for store in one.stores))
                run = _Run(self._places.wards, self._owner, self._limits, folder, stores, look, devices=bool(big))
                image_id = run.run(BUILD, timeout_s, network)
                shutil.rmtree(folder / "context", ignore_errors=True)
                return seal(folder, image_id, base, request.key)
        except BaseException:
            remove(folder)
            raise

    def pull(self, folder: Path, source: str, *, timeout_s: float) -> Stored:
        """Fetch an image from a registry into `folder`. Raises BuildFailed, InfraError."""
        remove(folder)
        look = _Look(folder / "store" / "overlay", "diff", 1 << 62)
        (folder / "context").mkdir(parents=True)
        try:
            with self._slots, self._watchdog.build(look.look):
                run = _Run(self._places.wards, self._owner, self._limits, folder, [], look, devices=True)
                return seal(folder, run.run(["pull", "--quiet", source], timeout_s, network=True), None, folder.name)
        except BaseException:
            remove(folder)
            raise

    def remove(self, image: Image) -> None:
        """Let go of an image that `build` gave, once for each time; the last one removes it. A no-op for others."""
        key = self._keys.get(image.id)
        if key is None:
            return
        with self._guard:
            lock = self._locks[key]
        with lock:
            self._uses[key] -= 1
            if self._uses[key] <= 0:
                self._forget(image.id, key)

    def _forget(self, image_id: str, key: str) -> None:
        self._keys.pop(image_id, None)
        self._uses.pop(key, None)
        with self._store.locked(key):
            self._store.release(key, self._owner)

    def close(self) -> None:
        """Let go of every image."""
        for image_id, key in list(self._keys.items()):
            self._forget(image_id, key)


@contextlib.contextmanager
def excused(offline: bool) -> Iterator[None]:
    """A build that fails `offline`, though it should have had a network, is not at fault: HostLacks."""
    try:
        yield
    except BuildFailed as failed:
        if offline:
            raise HostLacks(f"{LACK} Without one: {failed}") from failed
        raise


class _Look:
    """Watches the layers of one build, `root`/*/`layer`; `kill` ends it."""

    def __init__(self, root: Path, layer: str, limit: int) -> None:
        self._root, self._layer, self._limit = root, layer, limit
        self.kill: Callable[[], None] = lambda: None

    def look(self, crowded: bool) -> str:
        """See `watchdog.LookAtBuild`. Each layer is a step; a sparse file counts in full, as it will be written."""
        for step in sorted(self._root.iterdir()) if self._root.is_dir() else []:
            size = disk.apparent([step / self._layer])
            over = too_much(size, NOTICEABLE if crowded else self._limit)
            if over:
                self.kill()
                return over
        return ""


class _Run:
    """One run of buildah. `devices`: it may make device files, which whole systems bring and candidates must not."""

    def __init__(
        self,
        wards: Wards,
        owner: Owner,
        limits: BuildLimits,
        folder: Path,
        stores: list[str],
        look: _Look,
        *,
        devices: bool,
    ) -> None:
        self._wards, self._owner, self._limits = wards, owner, limits
        self._folder, self._stores, self._look, self._devices = folder, stores, look, devices
        self._log: deque[str] = deque(maxlen=LOG_LINES)

    def run(self, words: list[str], timeout_s: float, network: bool) -> str:
        """Let buildah do `words`; the id of the image. Raises BuildFailed, InfraError."""
        deadline = time.monotonic() + timeout_s
        group = self._group(timeout_s)
        read, write = os.pipe()
        try:
            request = {
                "do": "run",
                "argv": [*self._confined(), *self._buildah(words)],
                "env": {"PATH": PATH, "HOME": "/tmp", "TMPDIR": str(self._folder / "tmp"), "XDG_RUNTIME_DIR": "/tmp"},
                "doors": group.doors if group else [],
                "file_bytes": self._limits.file_mb << 20,
                "network": network,
            }
            try:
                line = self._wards.ask(request, [write])
            finally:
                os.close(write)
            with contextlib.closing(line), contextlib.ExitStack() as stack:
                self._look.kill = lambda: self._end(line, group)
                stack.callback(lambda: self._end(line, group))
                if network:
                    stack.enter_context(self._networked(line))
                self._follow(read, deadline)
                return self._outcome(line, timed_out=time.monotonic() >= deadline, timeout_s=timeout_s)
        finally:
            os.close(read)

    def _group(self, timeout_s: float) -> Group | None:
        if groups.lacking():
            return None
        bounds = Bounds(self._limits.memory_mb, self._limits.processes)
        return groups.make(self._owner, "build", self._folder.name[-20:], time.time() + timeout_s + 600, bounds)

    def _networked(self, line: Line) -> Network:
        if not line.wait(["network"], 30.0) or not line.wait(["made"], 30.0):
            raise InfraError("host", f"A network for a build could not be made: {line.said}.")
        network = Network(process_of(line.descriptors["made"][0]))
        line.send(b"go")
        return network

    def _follow(self, read: int, deadline: float) -> None:
        poll = select.poll()
        poll.register(read, select.POLLIN)
        rest = b""
        while (left := deadline - time.monotonic()) > 0 and poll.poll(left * 1000):
            data = os.read(read, 1 << 16)
            if not data:
                break
            *lines, rest = (rest + data).split(b"\n")
            rest = rest[-65536:]
            self._log.extend(line.decode("utf-8", "replace") for line in lines)
        if rest:
            self._log.append(rest.decode("utf-8", "replace"))

    def _outcome(self, line: Line, *, timed_out: bool, timeout_s: float) -> str:
        log = "\n".join(self._log)
        if timed_out:
            raise BuildFailed(f"The image did not build within {timeout_s:.0f} s.", log)
        if not line.wait(["ended", "failed"], 30.0) or "failed" in line.said:
            raise InfraError("host", f"buildah did not run: {line.said.get('failed', 'no answer')}. {log[-500:]}")
        if line.said["ended"] == 0:
            file = self._folder / "out" / "id"
            return (file.read_text() if file.exists() else self._log[-1]).strip().removeprefix("sha256:")
        raise failure(log)

    def _end(self, line: Line, group: Group | None) -> None:
        for process in line.descriptors.get("made", []):
            wards.kill(process)
        if group is not None:
            group.end()

    def _confined(self) -> list[str]:
        """bubblewrap around buildah: all of the host read-only, nothing of its people, one folder to write to."""
        folder = str(self._folder)
        for name in ("store", "run", "tmp", "out"):
            (self._folder / name).mkdir(exist_ok=True)
        words = [str(shutil.which("bwrap")), "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
        for hidden in ("/home", "/root", "/tmp", "/var/tmp", "/run", "/sys", "/mnt", "/media", "/srv", "/boot"):
            words += ["--tmpfs", hidden] if os.path.isdir(hidden) else []
        for store in self._stores:
            words += ["--ro-bind", store, store]
        words += ["--bind", folder, folder, "--ro-bind", folder + "/context", folder + "/context"]
        (self._folder / "resolv.conf").write_text(f"nameserver {NAMESERVER}\n")
        words += ["--ro-bind", folder + "/resolv.conf", os.path.realpath("/etc/resolv.conf")]
        words += ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent"]
        words += ["--hostname", "build", "--cap-drop", "ALL"]
        for right in [*BUILDER_RIGHTS, *(["MKNOD"] if self._devices else [])]:
            words += ["--cap-add", f"CAP_{right}"]
        return [*words, "--"]

    def _buildah(self, does: list[str]) -> list[str]:
        folder = self._folder
        words = ["buildah", "--root", f"{folder}/store", "--runroot", f"{folder}/run", "--storage-driver", "overlay"]
        # ADD unpacks archives, and a device in one would be the host's: none can be opened.
        words += ["--storage-opt", "overlay.mountopt=nodev"]
        for store in self._stores:
            words += ["--storage-opt", f"overlay.imagestore={store}"]
        if does != BUILD:
            return words + does
        for right in STEP_REFUSED:
            does = [*does, "--cap-drop", right]
        return [*words, *does, "--iidfile", f"{folder}/out/id", f"{folder}/context"]


def failure(log: str) -> BuildFailed | InfraError:
    """Whose fault a failed build is, from buildah's words."""
    last = next((line for line in reversed(log.splitlines()) if line.startswith("Error: ")), "") or log[-500:]
    if "no space left on device" in last and "RUN" not in last:
        return InfraError("disk", f"The disk is full: {last}")
    code = _STEP_FAILED.search(last)
    words = f"{last} (it returned a non-zero code: {code[1]})" if code else last
    return BuildFailed(f"The image does not build: {words.removeprefix('Error: ').strip()}", log)


def _unpack(tar: bytes, folder: Path, big: tuple[Path, ...]) -> None:
    folder.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(tar)) as archive:
        # `pack_context` wrote it and refused what could leave; before 3.11.4 there is no other way.
        archive.extraction_filter = getattr(tarfile, "fully_trusted_filter", None)
        archive.extractall(folder)
    for path in big:
        os.link(path, folder / path.name)
