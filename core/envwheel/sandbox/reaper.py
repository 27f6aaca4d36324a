"""The lifeline: a small process that outlives the orchestrator for as long as it takes to remove what that held.

`Reaper.start()` starts it once, before the first box. It blocks on a pipe that only the orchestrator holds; when the
pipe closes, by an orderly end or by `kill -9`, it removes every box and image with the orchestrator's label and ends.
Run as `python -m envwheel.sandbox.reaper OWNER ENGINE`.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time

from envwheel.sandbox.owner import Owner, parse

ROUNDS = 5
"""How often it looks again: a container that was being created when the orchestrator died appears late."""


class Reaper:
    """The orchestrator's end of the pipe."""

    def __init__(self, owner: Owner, engine: str) -> None:
        self._owner, self._engine = owner, engine
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process, once."""
        with self._lock:
            if self._process is None:
                # Its own session, so that Ctrl-C in the terminal does not reach it; -P, so that a folder of the
                # current directory is never imported.
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "envwheel.sandbox.reaper", str(self._owner), self._engine],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )

    def close(self) -> None:
        """End the process in good order: nothing is left to remove."""
        with self._lock:
            if self._process is None or self._process.stdin is None:
                return
            with contextlib.suppress(OSError):
                self._process.stdin.write(b"done\n")
                self._process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(5)
            self._process = None


def main(argv: list[str]) -> int:
    """Wait for the end of the pipe, then remove what the owner held."""
    owner = parse(argv[0])
    if owner is None:
        return 2
    if sys.stdin.buffer.read() == b"done\n":
        return 0
    # Not before: a waiting reaper stays small.
    from envwheel.errors import EnvwheelError

    for _ in range(ROUNDS):
        with contextlib.suppress(EnvwheelError):
            _sweep(argv[1], owner)
        time.sleep(2)
    return 0


def _sweep(engine: str, owner: Owner) -> None:
    if engine == "docker":
        from envwheel.sandbox.docker.daemon import Daemon
        from envwheel.sandbox.docker.sweep import sweep

        sweep(Daemon(), only=owner)
    else:
        from envwheel.sandbox.namespace.leftovers import sweep_leftovers

        sweep_leftovers(only=owner)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
