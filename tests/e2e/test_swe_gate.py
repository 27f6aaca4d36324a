"""Environments of the families of `swe`, each at a level of its own, through the whole gate, by turns on each engine.

`make gate-all` judges every family at every level.
"""

from __future__ import annotations

import random
from itertools import cycle
from pathlib import Path

import pytest

from envwheel.api import Family
from envwheel.domains import Domains
from envwheel.environment import draft
from envwheel.environment.folder import read
from envwheel.gate.ladder import judge
from envwheel.gate.options import STEPS
from envwheel.sandbox.base import Engine

ENGINES = ("docker", "namespace")
DOMAINS = Domains.load(["swe"])
FAMILIES = DOMAINS.families("swe")
LEVELS = random.Random("levels").choices(range(5), k=len(FAMILIES))
CASES = list(zip(cycle(ENGINES), FAMILIES, LEVELS, strict=False))

pytestmark = [pytest.mark.e2e, pytest.mark.slow]


@pytest.fixture(scope="module", autouse=True)
def base_images(engine: Engine) -> None:
    """The image of the domain is there before environments are judged side by side."""
    for image in DOMAINS.base_images("swe"):
        engine.ensure(image)


@pytest.mark.parametrize(
    ("engine", "family", "level"),
    CASES,
    ids=[f"{engine}-{family.id}" for engine, family, _ in CASES],
    indirect=["engine"],
)
def test_a_family_passes_the_gate(family: Family, level: int, engine: Engine, tmp_path: Path) -> None:
    made = family.build(level, 7)
    path = draft.write(made, tmp_path / made.name, domains=["swe"], kit=DOMAINS.kit("swe"), proposer="procedural")
    verdict = judge(path, engine, DOMAINS)
    assert (verdict.verdict, verdict.code) == ("ok", ""), verdict.message
    assert [step.step for step in verdict.steps] == list(STEPS)
    trials = [trial for step in verdict.steps for trial in step.trials]
    assert {trial.reward for trial in trials if trial.kind in ("empty", "attack")} <= {0.0, None}
    found = {trial.id for trial in trials if trial.kind == "mutant"}
    assert all(any(mutant.id in id for id in found) for mutant in DOMAINS.mutants("swe", read(path).environment))
