"""Source distributions of real packages: fetched once with pip, pinned by hash, read and never run.

They lie in the cache ($XDG_CACHE_HOME or ~/.cache, below envwheel/sdists). pip compares the hash before it looks into
an archive, and so do we whenever we read one.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DOWNLOAD_SECONDS = 180


class SourceMissing(Exception):
    """A source distribution can be neither found nor fetched; the message says how to mend that."""


@dataclass(frozen=True, slots=True)
class Sdist:
    """A pinned source distribution.

    `folder` is the package's folder in the archive, `tests` its tests' folder; `modules` are the test modules that need
    nothing but the standard library.
    """

    project: str
    version: str
    sha256: str
    licence: str
    folder: str
    tests: str
    modules: tuple[str, ...]

    @property
    def package(self) -> str:
        """The name that is imported."""
        return self.folder.rsplit("/", 1)[-1]

    @property
    def filename(self) -> str:
        """The archive's file name."""
        return f"{self.project}-{self.version}.tar.gz"


SDISTS: Mapping[str, Sdist] = {
    item.project: item
    for item in (
        Sdist(
            "more-itertools",
            "10.5.0",
            "5482bfef7849c25dc3c6dd53a6173ae4795da2a41a80faea6700d9f5846c5da6",
            "MIT",
            "more_itertools",
            "tests",
            ("test_recipes", "test_more"),
        ),
        Sdist(
            "toolz",
            "1.0.0",
            "2c86e3d9a04798ac556793bced838816296a2f085017664e4995cb40a1047a02",
            "BSD-3-Clause",
            "toolz",
            "toolz/tests",
            ("test_itertoolz", "test_functoolz", "test_dicttoolz", "test_recipes"),
        ),
        Sdist(
            "boltons",
            "24.1.0",
            "4a49b7d57ee055b83a458c8682a2a6f199d263a8aa517098bda9bab813554b87",
            "BSD-3-Clause",
            "boltons",
            "tests",
            (
                "test_listutils",
                "test_strutils",
                "test_statsutils",
                "test_tableutils",
                "test_queueutils",
                "test_namedutils",
                "test_formatutils",
                "test_jsonutils",
                "test_typeutils",
            ),
        ),
        Sdist(
            "cachetools",
            "5.5.0",
            "2cc24fb4cbe39633fb7badd9db9ca6295d766d9c2995f245725a46715d050f2a",
            "MIT",
            "src/cachetools",
            "tests",
            (
                "test_cache",
                "test_fifo",
                "test_func",
                "test_keys",
                "test_lfu",
                "test_lru",
                "test_mru",
                "test_tlru",
                "test_ttl",
            ),
        ),
    )
}


def cache_folder() -> Path:
    """Where fetched archives lie."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "envwheel" / "sdists"


def fetch(sdist: Sdist) -> Path:
    """The archive's path, after fetching it when the cache lacks it. Raises SourceMissing."""
    path = cache_folder() / sdist.filename
    if path.is_file() and _sha256(path) == sdist.sha256:
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        wanted = Path(folder) / "wanted.txt"
        wanted.write_text(f"{sdist.project}=={sdist.version} --hash=sha256:{sdist.sha256}\n")
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--no-binary",
            ":all:",
            "--require-hashes",
            "--dest",
            folder,
            "-r",
            str(wanted),
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=DOWNLOAD_SECONDS, cwd=folder)
            said = done.stderr.strip().splitlines()[-1:] if done.returncode else []
        except (OSError, subprocess.TimeoutExpired) as error:
            said = [str(error)]
        fetched = Path(folder) / sdist.filename
        if not fetched.is_file() or _sha256(fetched) != sdist.sha256:
            raise SourceMissing(
                f"The source distribution {sdist.filename} is not in {path.parent} and could not be fetched "
                f"({' '.join(said) or 'pip left no such file'}). Run this once with a network, or put the file there."
            )
        os.replace(fetched, path)
    return path


@cache
def read(project: str) -> Mapping[str, str]:
    """The text files of a pinned source distribution by their path below the archive's folder. Raises SourceMissing."""
    found: dict[str, str] = {}
    with tarfile.open(fetch(SDISTS[project]), "r:gz") as archive:
        for member in archive:
            data = archive.extractfile(member) if member.isreg() and member.size < 1_000_000 else None
            if data is not None:
                try:
                    found[member.name.partition("/")[2]] = data.read().decode("utf-8")
                except UnicodeDecodeError:
                    continue
    return found


def package_files(project: str) -> dict[str, str]:
    """The package as a solver finds it: PACKAGE/... without its tests, and the licence and read-me beside it."""
    sdist = SDISTS[project]
    files = {}
    for path, text in read(project).items():
        below = path.removeprefix(sdist.folder + "/")
        if below != path and not below.startswith("tests/") and below.endswith((".py", ".pyi", ".typed")):
            files[f"{sdist.package}/{below}"] = text
        elif path in ("LICENSE", "LICENSE.txt", "README.md", "README.rst"):
            files[path] = text
    return files


def test_files(project: str) -> dict[str, str]:
    """The package's own tests: tests/..."""
    sdist = SDISTS[project]
    wanted = {"__init__.py", *(f"{module}.py" for module in sdist.modules)}
    found = {f"tests/{name}": read(project).get(f"{sdist.tests}/{name}", "") for name in sorted(wanted)}
    return {path: text or "# a package\n" for path, text in found.items()}


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
