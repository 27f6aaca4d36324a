"""Makes the neighbours of these tests importable, and a folder that other users may enter."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A fresh folder that every user may enter (pytest's own are closed)."""
    folder = Path(tempfile.mkdtemp(prefix="envwheel-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
