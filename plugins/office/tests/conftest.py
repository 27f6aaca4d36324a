"""Makes the neighbours of these tests importable; a verifier's box."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from office_box import Box


@pytest.fixture
def box(tmp_path: Path) -> Box:
    """An empty verifier's box."""
    return Box(tmp_path)
