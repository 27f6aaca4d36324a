"""A box of the namespace engine: processes under bubblewrap on an overlay, and their files held by one descriptor.

Files are copied from outside through that descriptor (`rooted.py`), shells enter from outside with no more rights than
the box has (`entering.py`), so nothing of ours runs in a box but its first process.
"""

from __future__ import annotations

import contextlib
import errno
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from envwheel.errors import BoxGone, HostLacks, InfraError
from envwheel.sandbox import accounts, userns
from envwheel.sandbox.base import ArchiveCaps, BoxSpec, Tree, Usage
from envwheel.sandbox.kernel import process_of, processes_with
from envwheel.sandbox.namespace import rooted, scratch, wards
from envwheel.sandbox.namespace.image_store import Stored
from envwheel.sandbox.namespace.network import Network
from envwheel.sandbox.namespace.places import Place
from envwheel.sandbox.namespace.shell import NamespaceConnection
from envwheel.sandbox.namespace.wards import Wards
from envwheel.sandbox.shell import PersistentShell
from envwheel.sandbox.within import CAPABILITIES, LIFETIME_CODE, WHY

DEFAULT_CAPS = ArchiveCaps()
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
END_S = 20.0


class Keeper(Protocol):
    """Whom a box tells of its end, and asks for processes."""

    @property
    def wards(self) -> Wards:
        """See `Places.wards`."""

    def forget(self, box: NamespaceBox, place: Place) -> None:
        """Its processes have ended."""


class NamespaceBox:
    """Implements `Box`."""

    def __init__(
        self,
        keeper: Keeper,
        box_id: str,
        spec: BoxSpec,
        place: Place,
        image: Stored,
        rights: Sequence[str] = CAPABILITIES,
    ) -> None:
        """`rights`: the capabilities of root in its shells."""
        self.id, self.spec, self.image = box_id, spec, image
        self.wards: Wards = keeper.wards
        self._keeper, self._place, self._user, self._rights = keeper, place, spec.user or image.user, rights
        self._env = {**image.env, "HOSTNAME": spec.hostname or box_id, **spec.env}
        self._lock = threading.RLock()
        self._stopped = self._closed = False
        self._reason: str | None = None
        self._usage = Usage()
        self._network: Network | None = None
        self._users_lack = userns.one_user()

    def join_network(self) -> None:
        """Give it a network, or end it. Raises InfraError."""
        try:
            self._network = Network(process_of(self._place.first))
        except BaseException:
            self.close()
            raise

    def shell(self, *, user: str | None = None, env: Mapping[str, str] | None = None) -> PersistentShell:
        """See `Box.shell`."""
        self.check()
        return PersistentShell(self, user or self._user or None, env or {})

    def connect(self, user: str | None, env: Mapping[str, str]) -> NamespaceConnection:
        """See `ShellBox.connect`."""
        with self._lock:
            self.check()
            passwd, group = (rooted.text(self._place.files, f"etc/{name}") for name in ("passwd", "group"))
        try:
            who = accounts.account(user or "root", passwd, group)
        except LookupError as error:
            raise BoxGone("died", f"Box {self.id} is of no more use: {error}.") from error
        if self._users_lack and (who.uid, who.gid) != (0, 0):
            raise HostLacks(f"Box {self.id} is to run something as {user}, and its only user is root. {userns.MEND}")
        request: dict[str, Any] = {
            "do": "shell",
            "uid": who.uid,
            "gid": who.gid,
            "groups": None if self._users_lack else list(who.groups),
            "memory_mb": 0 if self._place.group else self.spec.limits.memory_mb,
            "capabilities": list(self._rights),
            "doors": self._place.group.doors if self._place.group else [],
            "file_bytes": self.spec.limits.disk_mb << 20,
            "workdir": self.spec.workdir or self.image.workdir or "/",
            "env": {"PATH": PATH, "HOME": who.home, **self._env, **env},
        }
        return NamespaceConnection(self, request, self._place.first)

    def put(self, tree: Tree, *, owner: tuple[int, int] = (0, 0)) -> None:
        """See `Box.put`. A link or file in the place of a folder of `tree` is replaced, not followed."""
        if not tree.entries:
            return
        with self._lock:
            self.check()
            try:
                rooted.put(self._place.files, tree, userns.owner(owner))
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EDQUOT):
                    self.end("disk_limit")
                raise self.lost(f"files could not be put into it: {error}") from error

    def get(self, path: str, caps: ArchiveCaps = DEFAULT_CAPS) -> Tree | None:
        """See `Box.get`."""
        with self._lock:
            if self._closed:
                raise BoxGone(self._reason or "died", f"Box {self.id} was closed.")
            try:
                return rooted.get(self._place.files, path, caps)
            except OSError as error:
                raise InfraError("disk", f"{path} could not be copied out of box {self.id}: {error}.") from error

    def stop(self) -> None:
        """See `Box.stop`."""
        with self._lock:
            if self._stopped or self._closed:
                return
            self.usage()
            self._reason = self.gone()
            self._stopped = True
            self._kill()

    def _kill(self) -> None:
        """Kill the first process; when it is gone, the kernel has taken every other with it."""
        wards.kill(self._place.first)
        if not wards.ended(self._place.first, END_S):
            raise InfraError("host", f"The processes of box {self.id} did not end within {END_S:.0f} s.")

    def usage(self) -> Usage:
        """See `Box.usage`."""
        if not self._stopped and not self._closed and self._place.group is not None:
            self._usage = self._place.group.usage()
        return self._usage

    def gone(self) -> str | None:
        """See `Box.gone`. After `stop`: why it was gone before that, if it was."""
        with self._lock:
            if self._reason or self._stopped or self._closed:
                return self._reason
            if wards.ended(self._place.first):
                self._place.line.wait(["ended"], 1.0)
                code = self._place.line.said.get("ended")
                # Nothing in a box can send its first process this signal.
                killed = code in (137, -9)
                self._reason = "lifetime" if code == LIFETIME_CODE else "memory" if killed else "died"
            return self._reason

    def end(self, reason: str) -> None:
        """Kill the box for `reason` (the watchdog does)."""
        with self._lock:
            if not self._closed and not self._stopped:
                self._reason = self._reason or reason
                wards.kill(self._place.first)

    def disk_used(self) -> int | None:
        """Bytes that its writable layer holds."""
        with self._lock:
            return None if self._closed else scratch.used(self._place.layer)

    def pids(self) -> list[int]:
        """Its processes, as this host numbers them."""
        return self._place.group.pids() if self._place.group else processes_with(process_of(self._place.first))

    def check(self) -> None:
        """Raise BoxGone when the box is, or was stopped."""
        if self._stopped or self._closed:
            raise BoxGone(self._reason or "died", f"Box {self.id} was stopped.")
        reason = self.gone()
        if reason:
            raise BoxGone(reason, f"Box {self.id} is gone: {WHY[reason]}.")

    def lost(self, happened: str) -> BoxGone:
        """What to raise when something that needs a living box failed."""
        reason = self.gone()
        if reason:
            return BoxGone(reason, f"Box {self.id} is gone ({WHY[reason]}): {happened}.")
        return BoxGone("died", f"Box {self.id} is of no more use: {happened}.")

    def close(self) -> None:
        """See `Box.close`."""
        with self._lock:
            if self._closed:
                return
            with contextlib.suppress(InfraError):
                if not self._stopped:
                    self._kill()
            self._closed = True
        if self._network is not None:
            self._network.close()
        self._keeper.forget(self, self._place)

    def __enter__(self) -> NamespaceBox:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
