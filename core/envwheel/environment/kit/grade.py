"""The checker's library: judge artifacts, and run a candidate's program, without trusting either.

It lies in /tests/kit and is used by /tests/check.py, which runs as root in a box that holds only the artifacts:

    import sys
    sys.path.insert(0, "/tests/kit")
    import grade

    g = grade.Grade()
    with g.case("doubles its input"):
        ran = grade.run(["/usr/bin/python3", "-I", "/app/double.py"], stdin=b"21")
        grade.need(ran.code == 0 and ran.out.strip() == b"42", "wanted 42, got %r" % ran.out[:80])
    g.finish()

The reward is written last, when no process of the candidate is alive. A checker that crashes leaves no reward at all.
Looking at files is in grade_files.py, running programs in grade_run.py and grade_reap.py; use all of it through here.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os

from grade_files import link_target, load_json, mode, owner, plain_file, plain_tree, read_bytes, read_text
from grade_reap import NOBODY, kill_leftovers

# A gate starts a verifier some thirty times, and most of its time was imports: what only some verifiers use is imported
# where it is used, and `typing` never.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    import sqlite3
    from collections.abc import Iterator
    from typing import Any

    from grade_run import DROP, Ran, Service, give, run, scratch, start

__all__ = [
    "DROP", "NOBODY", "Failed", "Grade", "Ran", "Service", "copy_tree", "git", "give", "kill_leftovers", "link_target",
    "load_json", "mode", "need", "owner", "plain_file", "plain_tree", "read_bytes", "read_text", "rng", "run",
    "scratch", "sqlite", "start",
]  # fmt: skip

LOGS = "/logs/verifier"
PART = "unfinished"  # a file of LOGS before it gets its name
ATTACH = 24  # sqlite3 has no name for SQLITE_ATTACH; VACUUM INTO is one too
GIT = ["git", "-c", "safe.directory=*", "-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null"]
GIT_ENV = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_NO_REPLACE_OBJECTS": "1"}
GIT_ENV.update({"GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "GIT_OPTIONAL_LOCKS": "0"})


def __getattr__(name: str) -> Any:
    if name not in ("DROP", "Ran", "Service", "give", "run", "scratch", "start"):
        raise AttributeError(f"module 'grade' has no attribute {name!r}")
    import grade_run

    return getattr(grade_run, name)


class Failed(Exception):
    """Raised by `need`: the case has failed."""


def need(condition: object, message: str) -> None:
    """End the running `Grade.case` as failed unless `condition` holds."""
    if not condition:
        raise Failed(message)


class Grade:
    """The checks of one grading and their reward. Make one at the start, call `finish` at the end."""

    def __init__(self) -> None:
        self._checks: list[dict[str, Any]] = []
        self._finished = False
        if os.path.islink(LOGS):
            os.unlink(LOGS)
        os.makedirs(LOGS, exist_ok=True)
        self._mode = mode(LOGS) or 0o755
        os.chmod(LOGS, self._mode & ~0o022)  # other programs mount it writable for all
        self._clear()
        atexit.register(self._abandon)

    def check(self, id: str, passed: bool, message: str = "", weight: float = 1.0) -> bool:
        """Record one check; returns `passed`."""
        passed = bool(passed)
        note = "" if passed else str(message)[:500]
        self._checks.append({"id": id, "passed": passed, "weight": weight, "message": note})
        print("ok  " if passed else "FAIL", id, note.encode("ascii", "backslashreplace").decode(), flush=True)
        return passed

    @contextlib.contextmanager
    def case(self, id: str, weight: float = 1.0) -> Iterator[None]:
        """A check that passes when its block ends and fails when the block raises, through `need` or by itself.

        For code that a hostile artifact can make raise. RuntimeError is passed on: processes that cannot be killed.
        """
        try:
            yield
        except RecursionError as error:
            self.check(id, False, str(error), weight)
        except RuntimeError:
            raise
        except Exception as error:
            self.check(id, False, str(error) if isinstance(error, Failed) else repr(error), weight)
        else:
            self.check(id, True, weight=weight)

    def finish(self, all_or_nothing: bool = True, reward: float | None = None) -> float:
        """Kill what the candidate left, write checks.json and then, last and atomically, reward.json.

        The reward is 1 when every check passed and else 0, or the weighted share of the passed checks, or the given
        one: a share in [0, 1] that is 1 only when every check passed.
        """
        if not self._checks:
            raise ValueError("a grading without a check has no reward")
        kill_leftovers()
        passed = sum(check["weight"] for check in self._checks if check["passed"])
        total = sum(check["weight"] for check in self._checks)
        every = all(check["passed"] for check in self._checks)
        if reward is None:
            reward = 1.0 if every else 0.0 if all_or_nothing else round(passed / total, 6)
        elif not 0 <= reward <= 1 or (reward == 1 and not every):
            raise ValueError(f"a reward of {reward} does not follow from these checks")
        else:
            reward = min(round(reward, 6), 1.0 if every else 0.999999)
        self._clear()
        _write("checks.json", self._checks)
        _write("reward.json", {"reward": reward})
        os.chmod(LOGS, self._mode)
        self._finished = True
        print("reward", reward, flush=True)
        return reward

    def _clear(self) -> None:
        for name in ("reward.txt", "reward.json", "checks.json", PART):
            path = os.path.join(LOGS, name)
            if os.path.isdir(path) and not os.path.islink(path):
                import shutil

                shutil.rmtree(path)
            elif os.path.lexists(path):
                os.unlink(path)

    def _abandon(self) -> None:
        if not self._finished:
            kill_leftovers()
            self._clear()


def _write(name: str, value: Any) -> None:
    path = os.path.join(LOGS, PART)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "w") as file:
        json.dump(value, file)
    os.chmod(path, 0o644)
    os.replace(path, os.path.join(LOGS, name))


def copy_tree(source: str, limit: int = 5_000_000, links: bool = False) -> str:
    """The plain tree at `source` copied into a fresh folder of nobody's, modes kept. Raises Failed when not plain."""
    import shutil

    from grade_run import give, scratch

    need(plain_tree(source, limit, links), f"{source} is no plain folder of at most {limit} bytes")
    target = os.path.join(scratch(), "copy")
    shutil.copytree(source, target, symlinks=True)
    give(os.path.dirname(target))
    return target


def git(repo: str, *args: str, timeout: float = 20) -> Ran:
    """`git ARGS` as nobody in a copy of the repository `repo`, without its hooks and its file system monitor.

    The repository's own configuration still speaks: trust plumbing (`rev-parse`, `cat-file`, `ls-tree`), and where it
    matters a repository of your own with the objects copied. Many questions: `copy_tree(repo, links=True)` once, and
    pass the copy. Raises Failed when `repo` is no plain tree.
    """
    from grade_run import in_scratch, run

    copy = repo if in_scratch(repo) else copy_tree(repo, 50_000_000, links=True)
    return run([*GIT, *args], cwd=copy, env=GIT_ENV, timeout=timeout)


def sqlite(path: str, limit: int = 20_000_000, timeout: float = 10.0) -> sqlite3.Connection:
    """A connection to a copy of the database at `path`, which may hold, or be asked, hostile SQL.

    Statements fail `timeout` seconds from now. Raises Failed when `path` is no plain file.
    """
    import sqlite3
    import time

    from grade_run import scratch

    copy = os.path.join(scratch(), "copy.db")
    for suffix in ("", "-wal", "-journal"):
        data = read_bytes(path + suffix, limit)
        need(data is not None or suffix, f"{path} is no plain file of at most {limit} bytes")
        if data is not None:
            with open(copy + suffix, "wb") as file:
                file.write(data)
    connection = sqlite3.connect(copy)
    end = time.monotonic() + timeout
    connection.set_progress_handler(lambda: time.monotonic() > end, 10_000)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_DENY if action == ATTACH else sqlite3.SQLITE_OK)
    return connection


def rng(*seed: object) -> random.Random:
    """Random numbers that depend on `seed` only."""
    import hashlib
    import random

    return random.Random(hashlib.sha256(repr(seed).encode()).digest())
