"""Questions to a plugin that are asked in an interpreter of its own, because it may exit, hang or crash.

`ask(code, argument)` runs Python code that prints one JSON value as its last line; `load_state(id)` tells whether an
installed domain loads and what this host lacks for it.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass
from typing import Any, Literal

SECONDS = 120.0


class ChildFailed(Exception):
    """The other interpreter gave no answer; the message is one line that says why."""


@dataclass(frozen=True, slots=True)
class LoadState:
    """`ready`, `missing` (it loads, but this host lacks `detail`; `fix` mends it) or `broken` (`detail` says why)."""

    state: Literal["ready", "missing", "broken"]
    detail: str = ""
    fix: str = ""


def ask(code: str, argument: str, *, seconds: float = SECONDS, hash_seed: int | None = None) -> Any:
    """The JSON value that `code` prints last when run with `argument` as sys.argv[1] on this interpreter's search path.

    Raises ChildFailed when it ends otherwise or takes longer than `seconds`.
    """
    path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    env = {**os.environ, "PYTHONPATH": path} | ({} if hash_seed is None else {"PYTHONHASHSEED": str(hash_seed)})
    command = [sys.executable, "-P", "-c", code, argument]
    try:
        ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=env, timeout=seconds)
    except subprocess.TimeoutExpired as error:
        raise ChildFailed(f"gave no answer within {seconds:g} s") from error
    if ran.returncode == 0 and ran.stdout.strip():
        with contextlib.suppress(ValueError):
            return json.loads(ran.stdout.splitlines()[-1])
    last = (ran.stderr.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"])[-1]
    raise ChildFailed(f"ended the interpreter with {_how(ran.returncode)}: {last[:300]}")


def load_state(id: str, *, seconds: float = SECONDS) -> LoadState:
    """What loading the installed domain `id` and asking its `probe` lead to."""
    try:
        answer = ask("import sys; from envwheel.child import tell; tell(sys.argv[1])", id, seconds=seconds)
        return LoadState(**answer)
    except ChildFailed as error:
        return LoadState("broken", f"loading it {error}")


def tell(id: str) -> None:
    """What the child of `load_state` does: print the state. What the plugin prints goes to standard error."""
    with contextlib.redirect_stdout(sys.stderr):
        state = _load(id)
    print("\n" + json.dumps(asdict(state)), flush=True)


def _load(id: str) -> LoadState:
    from envwheel.domains import Domains
    from envwheel.errors import SetupError

    try:
        missing = Domains.load([id]).probe(id)
    except SetupError as error:
        return LoadState("broken", " ".join(str(error).split()))
    if not missing:
        return LoadState("ready")
    return LoadState("missing", "; ".join(one.what for one in missing), "; ".join(one.fix for one in missing))


def _how(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
