"""The files of the demo: what `make demo` reads can be run in the domains that it is for."""

from __future__ import annotations

from pathlib import Path

import pytest

from envwheel import config
from envwheel.domains import Domains
from envwheel.propose.procedural import Procedural

DEMO = Path(__file__).parents[1] / "demo"
FOR = {"envwheel.toml": ("swe",), "swe-office.toml": ("swe", "office"), "domains.toml": ("office",)}


def test_every_file_is_for_some_domains() -> None:
    assert {path.name for path in DEMO.glob("*.toml")} == set(FOR)


@pytest.mark.parametrize("name", FOR)
def test_each_domain_has_families_in_it(name: str) -> None:
    section = config.load(DEMO / name).proposer
    assert all(Procedural(Domains.load(FOR[name]), section.families, section.levels).families.values())
