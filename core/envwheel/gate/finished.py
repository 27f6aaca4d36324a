"""What `envwheel check` has finished, so that an interrupted one goes on where it was (`--resume`).

One JSON line a verdict in `$XDG_STATE_HOME/envwheel/check.jsonl` (default ~/.local/state), under a key of content hash,
options, engine, domains and gate version: a folder that changed is judged again. Verdicts `infra` are not kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from envwheel.environment.hash import tree_sha256
from envwheel.gate.options import Fault, GateOptions
from envwheel.version import __version__

LARGEST = 128 << 20
"""A verdict has about 1.5 kB: bytes from which the older half of the file is dropped."""


class Finished:
    """The state file. Thread-safe."""

    def __init__(self, options: GateOptions, engine: str, domains: Mapping[str, str], file: Path | None = None) -> None:
        self.file = file or state_file()
        asked = {
            key: value for key, value in asdict(options).items() if key not in ("jobs", "keep_images", "back_off_s")
        }
        self._about = [asked, engine, dict(domains), __version__]
        self._lock = threading.Lock()

    def key(self, path: Path, known: Sequence[Fault] | None = None) -> str | None:
        """The key of the folder at `path`; None when it holds something that must not be opened.

        `known`: what the step `duplicate` says, where it is made; it depends on other folders too.
        """
        for root, _, names in os.walk(path):
            if any(not _plain(os.path.join(root, name)) for name in names):
                return None
        others = [] if known is None else [[asdict(fault) for fault in known]]
        try:
            about = json.dumps([tree_sha256(path), *self._about, *others], sort_keys=True)
        except OSError:
            return None
        return hashlib.sha256(about.encode()).hexdigest()

    def load(self) -> dict[str, dict[str, Any]]:
        """Key -> the verdict as `--json` prints it. Broken lines (a crash while writing) are skipped."""
        known: dict[str, dict[str, Any]] = {}
        try:
            lines = self.file.read_text("utf-8", "replace").splitlines()
        except OSError:
            return known
        for line in lines:
            try:
                record = json.loads(line)
                known[record["key"]] = record["verdict"]
            except (ValueError, KeyError, TypeError):
                continue
        return known

    def add(self, key: str | None, verdict: Mapping[str, Any]) -> None:
        """Keep a verdict, on disk when this returns. Raises OSError."""
        if key is None or verdict["verdict"] == "infra":
            return
        line = json.dumps({"schema": 1, "key": key, "verdict": verdict}) + "\n"
        with self._lock:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self._shorten()
            with self.file.open("a", encoding="utf-8") as out:
                out.write(line)
                out.flush()
                os.fsync(out.fileno())

    def _shorten(self) -> None:
        if self.file.exists() and self.file.stat().st_size > LARGEST:
            lines = self.file.read_text("utf-8", "replace").splitlines(keepends=True)
            temporary = self.file.with_suffix(".new")
            temporary.write_text("".join(lines[len(lines) // 2 :]), "utf-8")
            os.replace(temporary, self.file)


def state_file() -> Path:
    """Where the state lies for this user."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "envwheel" / "check.jsonl"


def _plain(path: str) -> bool:
    mode = os.lstat(path).st_mode
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)
