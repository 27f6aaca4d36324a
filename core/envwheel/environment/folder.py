"""An environment folder on disk: `find` folders, `read` one into a `TaskFolder` or say why it is none.

Links are never followed. What `read` refuses is an `InvalidTask` with the gate's code: `schema` (something is missing,
wrong or not supported) or `unsafe_path` (a link that leaves the folder, a device, a FIFO, a file over 10 MiB).
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envwheel import api
from envwheel.environment.hash import tree_sha256
from envwheel.environment.invalid import InvalidTask
from envwheel.environment.task_toml import TaskConfig, parse
from envwheel.errors import UsageError

__all__ = ["InvalidTask", "TaskFolder", "find", "read"]

FILE_LIMIT = 10 << 20
_CANARY = re.compile(r"<!--.*canary.*-->|#.*canary.*", re.IGNORECASE)
_MARKS = ("task.toml", "instruction.md", "environment", "tests", "solution")


@dataclass(frozen=True, slots=True)
class TaskFolder:
    """A valid environment folder."""

    path: Path
    config: TaskConfig
    environment: api.Environment
    tree_sha256: str
    warnings: tuple[str, ...]

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.name

    @property
    def work_context(self) -> Path | None:
        """Build context of the work image; None when a ready image is named."""
        folder = self.path / "environment"
        return folder if (folder / "Dockerfile").is_file() and not self.config.docker_image else None

    @property
    def verifier_context(self) -> Path | None:
        """Build context of the verifier image; None when the tests run in a fresh box of the work image."""
        return self.path / "tests" if (self.path / "tests" / "Dockerfile").is_file() else None

    @property
    def solution(self) -> Path | None:
        """solution/solve.sh, or None."""
        script = self.path / "solution" / "solve.sh"
        return script if script.is_file() else None

    @property
    def alternatives(self) -> tuple[tuple[str, Path], ...]:
        """(id, script) of solution/alternatives/ID.sh."""
        scripts = sorted((self.path / "solution" / "alternatives").glob("*.sh"))
        return tuple((script.stem, script) for script in scripts)


def find(paths: Iterable[Path]) -> list[Path]:
    """Environment folders: each of `paths` that has a task.toml, else its direct sub-folders that look like one.

    Raises UsageError when a path gives none.
    """
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            raise UsageError(f"There is no folder {path}. Name an environment folder or a folder of environments.")
        if (path / "task.toml").exists():
            found.append(path)
            continue
        below = sorted(child for child in path.iterdir() if child.is_dir() and _looks_like_one(child))
        if not below and not _looks_like_one(path):
            raise UsageError(f"{path} holds no environment: neither it nor a folder in it has a task.toml.")
        found += below or [path]
    return list(dict.fromkeys(found))


def _looks_like_one(path: Path) -> bool:
    if path.name.startswith(".") or path.is_symlink():
        return False
    return (path / "task.toml").exists() or sum((path / mark).exists() for mark in _MARKS) >= 2


def read(path: Path, *, need_solution: bool = True) -> TaskFolder:
    """The environment at `path`. Raises InvalidTask."""
    path = Path(os.path.realpath(path))
    if not path.is_dir():
        raise InvalidTask("schema", f"{path} is no folder")
    _refuse_unsafe(path)
    toml = _text(path, "task.toml")
    config = parse(toml)
    instruction = strip_canary(_text(path, "instruction.md"))
    if not instruction.strip():
        raise InvalidTask("schema", "instruction.md is empty")
    _refuse_foreign(path)
    if not config.docker_image:
        _need(path, "environment/Dockerfile", "and task.toml names no environment.docker_image")
    _need(path, "tests/test.sh")
    if need_solution:
        _need(path, "solution/solve.sh")
    environment = api.Environment(path, instruction, tomllib.loads(toml), **_own(config))
    return TaskFolder(path, config, environment, tree_sha256(path), config.warnings())


def domains_of(path: Path) -> tuple[str, ...]:
    """The domains that the environment at `path` says it is of; none where its task.toml cannot be read."""
    try:
        info = os.lstat(path / "task.toml")
        if not stat.S_ISREG(info.st_mode) or info.st_size > FILE_LIMIT:
            return ()
        return _own(parse(_text(path, "task.toml")))["domains"]
    except (OSError, InvalidTask):
        return ()


def strip_canary(text: str) -> str:
    """`text` without leading lines that mark a benchmark's data, as Harbor strips them."""
    lines = text.split("\n")
    while lines and _CANARY.fullmatch(lines[0].strip()):
        lines.pop(0)
    while lines and not lines[0].strip():
        lines.pop(0)
    return "\n".join(lines)


def _own(config: TaskConfig) -> dict[str, Any]:
    own = config.own

    def texts(key: str) -> tuple[str, ...]:
        value = own.get(key)
        return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()

    level, params = own.get("level"), own.get("params")
    return {
        "domains": texts("domains"),
        "skills": texts("skills"),
        "level": level if isinstance(level, int) and not isinstance(level, bool) else None,
        "params": params if isinstance(params, dict) else {},
    }


def _refuse_unsafe(top: Path) -> None:
    for root, folders, files in os.walk(top):
        for name in sorted(folders + files):
            full = os.path.join(root, name)
            shown = os.path.relpath(full, top)
            info = os.lstat(full)
            if stat.S_ISLNK(info.st_mode):
                target = os.readlink(full)
                if os.path.isabs(target) or not _inside(top, os.path.join(root, target)):
                    raise InvalidTask("unsafe_path", f"{shown} is a link that leaves the folder (to {target})")
            elif not (stat.S_ISREG(info.st_mode) or stat.S_ISDIR(info.st_mode)):
                raise InvalidTask("unsafe_path", f"{shown} is neither a file, a folder nor a link")
            elif stat.S_ISREG(info.st_mode) and info.st_size > FILE_LIMIT:
                raise InvalidTask("unsafe_path", f"{shown} has {info.st_size / (1 << 20):.1f} MiB; a file may have 10")


def _inside(top: Path, path: str) -> bool:
    return all(
        p == str(top) or p.startswith(f"{top}{os.sep}") for p in (os.path.normpath(path), os.path.realpath(path))
    )


def _refuse_foreign(path: Path) -> None:
    for name, why in {
        "environment/docker-compose.yaml": "an environment is one box",
        "environment/docker-compose.yml": "an environment is one box",
        "tests/docker-compose.yaml": "a verifier is one box",
        "trajectory.json": "the solver starts without a past",
        "tests/.harborignore": "all of tests/ is used",
        "solution/.harborignore": "all of solution/ is used",
    }.items():
        if (path / name).exists():
            raise InvalidTask("schema", f"{name} is not supported: {why}")


def _need(path: Path, name: str, more: str = "") -> None:
    if not (path / name).is_file():
        folder = (path / name).parent
        others = sorted(child.name for child in folder.iterdir()) if folder.is_dir() else []
        there = f"; {Path(name).parent}/ has {', '.join(others[:5])}" if others and "/" in name else ""
        raise InvalidTask("schema", " ".join(filter(None, [f"{name} is missing", more])) + there)


def _text(path: Path, name: str) -> str:
    _need(path, name)
    try:
        return (path / name).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidTask("schema", f"{name} is not UTF-8 text (byte {error.start})") from None
