"""A way out for a network namespace: slirp4netns, a router in user space, so that nothing of the host is reconfigured.

The namespace gets `eth0` and reaches what this host reaches, but nothing that listens on the host's loopback. The
process ends with whoever opened the `Network`, even when that is killed.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import subprocess

from envwheel.errors import InfraError

NAMESERVER = "10.0.2.3"
READY_S = 20.0
DEVICE = "/dev/net/tun"
LACK = f"Boxes and builds have no network here: {DEVICE} must be open to this user (`chmod 666 {DEVICE}` as root)."


def possible() -> bool:
    """Whether this process may make the device that a network needs."""
    return os.access(DEVICE, os.R_OK | os.W_OK)


class Network:
    """One router. Leaving its context ends it."""

    def __init__(self, process: int) -> None:
        """For the network namespace of `process` (a number of this host). Raises InfraError."""
        program = shutil.which("slirp4netns")
        if program is None:
            raise InfraError("network", "slirp4netns is missing: `apt-get install slirp4netns`.")
        ready, tell = os.pipe()
        gone, self._alive = os.pipe()
        # Its sandbox makes only `/` private and then drops every mount below it: in the host's mount namespace, what is
        # mounted below a shared mount (Docker's boxes) would be unmounted on the host too.
        command = ["unshare", "--mount", "--propagation=private"]
        command += [program, "--configure", "--mtu=65520", "--disable-host-loopback", "--netns-type=path"]
        # It reads packets of hostile programs, so it has no rights of its own.
        command += ["--enable-sandbox", "--enable-seccomp"]
        command += [f"--ready-fd={tell}", f"--exit-fd={gone}", f"/proc/{process}/ns/net", "eth0"]
        try:
            self._process = subprocess.Popen(
                command,
                pass_fds=[tell, gone],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        finally:
            os.close(tell)
            os.close(gone)
        poll = select.poll()
        poll.register(ready, select.POLLIN)
        came = bool(poll.poll(READY_S * 1000)) and os.read(ready, 1) == b"1"
        os.close(ready)
        if not came:
            self.close()
            raise InfraError("network", "slirp4netns could not make a network for a box or build.")

    def close(self) -> None:
        """End it."""
        if self._alive >= 0:
            os.close(self._alive)
            self._alive = -1
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
            return
        self._process.kill()
        self._process.wait()

    def __enter__(self) -> Network:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
