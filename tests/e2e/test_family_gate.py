"""Environments of every domain's families, each at a level of its own, through the whole gate, on one of the engines.

`make gate-all DOMAIN=...` judges every family at every level.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest

from envwheel.api import Family
from envwheel.domains import Domains
from envwheel.environment import draft
from envwheel.environment.folder import read
from envwheel.gate.ladder import judge
from envwheel.gate.options import STEPS
from envwheel.prepare import base_images
from envwheel.sandbox.base import Engine

ENGINES = {"swe": ("docker", "namespace"), "office": ("namespace", "namespace", "namespace", "namespace", "docker")}
"""Whose turn it is: the office verifier's image is large, and building it twice is most of what that costs."""
DOMAINS = {id: Domains.load([id]) for id in ENGINES}

pytestmark = [pytest.mark.e2e, pytest.mark.slow]


def cases() -> Iterator[tuple[str, str, Family, int]]:
    for domain, engines in ENGINES.items():
        draw = random.Random("levels")
        for engine, family in zip(cycle(engines), DOMAINS[domain].families(domain), strict=False):
            yield engine, domain, family, draw.choice(family.levels)


CASES = sorted(cases(), key=lambda case: case[0])


@pytest.fixture(scope="module", autouse=True)
def images(engine: Engine) -> None:
    """The images of the domains are there before environments are judged side by side."""
    for domain, engines in ENGINES.items():
        if engine.name in engines:
            base_images(engine, DOMAINS[domain])


@pytest.mark.parametrize(
    ("engine", "domain", "family", "level"),
    CASES,
    ids=[f"{engine}-{domain}-{family.id}" for engine, domain, family, _ in CASES],
    indirect=["engine"],
)
def test_a_family_passes_the_gate(domain: str, family: Family, level: int, engine: Engine, tmp_path: Path) -> None:
    domains = DOMAINS[domain]
    made = family.build(level, 7)
    path = draft.write(made, tmp_path / made.name, domains=[domain], kit=domains.kit(domain), proposer="procedural")
    verdict = judge(path, engine, domains)
    assert (verdict.verdict, verdict.code) == ("ok", ""), verdict.message
    assert [step.step for step in verdict.steps] == list(STEPS)
    trials = [trial for step in verdict.steps for trial in step.trials]
    assert {trial.reward for trial in trials if trial.kind in ("empty", "attack")} <= {0.0, None}
    found = {trial.id for trial in trials if trial.kind == "mutant"}
    assert all(any(mutant.id in id for id in found) for mutant in domains.mutants(domain, read(path).environment))
