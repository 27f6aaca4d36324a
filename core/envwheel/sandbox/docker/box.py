"""A box of the Docker engine: one hardened container whose first process does nothing but reap (`within.py`)."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

from envwheel.errors import BoxGone, InfraError
from envwheel.sandbox.base import ArchiveCaps, BoxSpec, Tree, Usage
from envwheel.sandbox.docker.daemon import Daemon, Refused
from envwheel.sandbox.docker.shell import KILL_BELOW, DockerConnection
from envwheel.sandbox.shell import PersistentShell
from envwheel.sandbox.transfer import pack, unpack
from envwheel.sandbox.within import CAPABILITIES, HOSTS, LIFETIME_CODE, OPEN_FILES, WHY, first_process

if TYPE_CHECKING:
    from envwheel.sandbox.docker.engine import DockerEngine

DEFAULT_CAPS = ArchiveCaps()
EXEC_S = 30.0
"""Time for the few short commands that the engine itself runs in a box."""
NAME_ITSELF = f"read -r name </proc/sys/kernel/hostname; printf '{HOSTS.format(name='%s')}' $name >/etc/hosts"
"""The daemon writes no /etc/hosts where the network is disabled."""


def creation(
    daemon: Daemon, spec: BoxSpec, labels: Mapping[str, str], mounts: Mapping[str, str], env: Mapping[str, str]
) -> dict[str, Any]:
    """The arguments of the daemon's create call for `spec`. `mounts`: host file -> place in the box, read-only."""
    limits = spec.limits
    memory = f"{limits.memory_mb}m"
    shell, option, script = first_process(spec.lifetime_s)
    host = daemon.api.create_host_config(
        network_mode="bridge" if spec.network else "none",
        mem_limit=memory,
        memswap_limit=memory,
        pids_limit=limits.processes,
        nano_cpus=max(10_000_000, round(limits.cpus * 1e9)),
        cap_drop=["ALL"],
        cap_add=list(CAPABILITIES),
        security_opt=["no-new-privileges"],
        log_config={"type": "none"},
        ulimits=[
            {"Name": "nofile", "Soft": OPEN_FILES, "Hard": OPEN_FILES},
            {"Name": "fsize", "Soft": limits.disk_mb << 20, "Hard": limits.disk_mb << 20},
            {"Name": "core", "Soft": 0, "Hard": 0},
        ],
        binds={source: {"bind": target, "mode": "ro"} for source, target in mounts.items()},
    )
    return {
        "image": spec.image,
        "entrypoint": [shell, option, script if spec.network else f"{{ {NAME_ITSELF}; }} 2>/dev/null; {script}"],
        "command": [],
        # A namespace with nothing but loopback, which the runtime makes itself: 40 % less work for a box than the
        # daemon's own network "none", whose set-up starts two helpers.
        "network_disabled": not spec.network,
        "user": "0:0",
        "hostname": spec.hostname,
        "working_dir": spec.workdir,
        "environment": dict(env),
        "labels": dict(labels),
        "healthcheck": {"Test": ["NONE"]},
        "host_config": host,
    }


class DockerBox:
    """Implements `Box`."""

    def __init__(self, engine: DockerEngine, box_id: str, spec: BoxSpec, user: str) -> None:
        self.id, self.spec = box_id, spec
        self.daemon = engine.daemon
        self._engine, self._user = engine, user
        self._lock = threading.Lock()
        self._stopped = self._closed = False
        self._reason: str | None = None
        self._usage = Usage()

    def shell(self, *, user: str | None = None, env: Mapping[str, str] | None = None) -> PersistentShell:
        """See `Box.shell`."""
        self._usable()
        return PersistentShell(self, user or self._user or None, env or {})

    def connect(self, user: str | None, env: Mapping[str, str]) -> DockerConnection:
        """See `ShellBox.connect`."""
        return DockerConnection(self, user, env)

    def put(self, tree: Tree, *, owner: tuple[int, int] = (0, 0)) -> None:
        """See `Box.put`. A link or file in the place of a folder of `tree` is replaced, not followed."""
        if not tree.entries:
            return
        data = pack(tree, owner)
        try:
            self.daemon.call("put files into a box", lambda api: api.put_archive(self.id, "/", data))
        except Refused as refused:
            raise self.lost("files could not be put into it", refused) from refused

    def get(self, path: str, caps: ArchiveCaps = DEFAULT_CAPS) -> Tree | None:
        """See `Box.get`."""
        try:
            with self.daemon.slot(f"copy {path} out of a box"), closing(self.daemon.archive(self.id, path)) as chunks:
                return unpack(chunks, path, caps)
        except Refused as refused:
            absent = refused.status == 404 and "No such container" not in refused.explanation
            if absent or "not a directory" in refused.explanation or "too many links" in refused.explanation:
                return None
            raise self.lost(f"{path} could not be copied out", refused) from refused

    def stop(self) -> None:
        """See `Box.stop`."""
        if self._stopped or self._closed:
            return
        self.usage()
        self._reason = self.gone()
        self.daemon.call("stop a box", lambda api: api.kill(self.id), ignore=(404, 409))
        self._stopped = True

    def usage(self) -> Usage:
        """See `Box.usage`."""
        if not self._stopped and not self._closed:
            self._usage = self._engine.usage(self.id) or self._usage
        return self._usage

    def gone(self) -> str | None:
        """See `Box.gone`. After `stop`: why it was gone before that, if it was."""
        if self._reason or self._stopped or self._closed:
            return self._reason
        seen = self.daemon.call("inspect a box", lambda api: api.inspect_container(self.id), ignore=(404,))
        if seen is None:
            self._reason = "died"
        elif not seen["State"]["Running"]:
            state = seen["State"]
            self._reason = self._reason or (
                "memory" if state["OOMKilled"] else "lifetime" if state["ExitCode"] == LIFETIME_CODE else "died"
            )
        return self._reason

    def end(self, reason: str) -> None:
        """Kill the box for `reason` (the watchdog does)."""
        self._reason = self._reason or reason
        self.daemon.call("stop a box", lambda api: api.kill(self.id), ignore=(404, 409))

    def disk_used(self) -> int | None:
        """Bytes that its writable layer and volumes hold, None when that cannot be told."""
        return self._engine.disk.used(self.id)

    def check(self) -> None:
        """Raise BoxGone when the box is."""
        reason = self.gone()
        if reason:
            raise BoxGone(reason, f"Box {self.id[:12]} is gone: {WHY[reason]}.")

    def lost(self, happened: str, refused: Refused | None = None) -> BoxGone | InfraError:
        """What to raise when something that needs a living box failed: ours, unless the box is gone or spoilt."""
        reason = self.gone()
        if refused is not None:
            if not reason and refused.status >= 500 and "OCI runtime" not in refused.explanation:
                return refused
            happened = f"{happened}: {refused.explanation.strip()}"
        if reason:
            return BoxGone(reason, f"Box {self.id[:12]} is gone ({WHY[reason]}): {happened}.")
        return BoxGone("died", f"Box {self.id[:12]} is of no more use: {happened}.")

    def kill_below(self, pid: int, *, shell_too: bool) -> None:
        """Kill the processes below `pid` in the box; the whole box when there is not even room for that."""
        command = ["/bin/sh", "-c", KILL_BELOW, "sh", str(pid), "all" if shell_too else "below"]
        try:
            code = self._exec(command)
        except Refused:
            code = None
        if code in (126, 127, None):
            self.end("died")
            raise BoxGone("died", f"Box {self.id[:12]} was ended: no process could be started in it to stop a command.")

    def _exec(self, command: list[str]) -> int | None:
        with self.daemon.slot("run a command in a box") as api:
            made = api.exec_create(self.id, command, user="0:0", workdir="/")
            with closing(self.daemon.attach(made["Id"])) as stream:
                stream.drain(EXEC_S)
            return api.exec_inspect(made["Id"])["ExitCode"]

    def _usable(self) -> None:
        if self._stopped or self._closed:
            raise BoxGone(self._reason or "died", f"Box {self.id[:12]} was stopped.")

    def close(self) -> None:
        """See `Box.close`."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._engine.forget(self)

    def __enter__(self) -> DockerBox:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
