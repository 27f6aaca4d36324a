"""Fixtures for proposers; `propose_fakes.py` is made importable."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from envwheel.domains import Domains


@pytest.fixture
def swe() -> Domains:
    """A domain with a brief, images and families."""
    return Domains.load(["swe"])
