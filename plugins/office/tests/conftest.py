"""Makes the neighbours of these tests importable; a verifier's box."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
# The core's part of every kit: the reader's and the engines' children are started with it.
sys.path.append(str(Path(__file__).parents[3] / "core" / "envwheel" / "environment" / "kit"))

from office_box import Box


@pytest.fixture
def box(tmp_path: Path) -> Box:
    """An empty verifier's box."""
    return Box(tmp_path)
