"""Generated environments in the real Harbor: its lint finds nothing, its oracle scores 1, its nop 0.

Skipped where Harbor cannot be had (it needs Python 3.12 and PyPI).
"""

from __future__ import annotations

from pathlib import Path

import peer
import pytest

from envwheel.domains import Domains
from envwheel.environment import draft
from envwheel.importers.rollouts import Rollout, rollouts
from envwheel.prepare import base_images
from envwheel.sandbox.engines import open_engine

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

SAMPLE = [("file_links", 0), ("config_migrate", 1), ("csv_report", 2), ("service_config", 1)]


@pytest.fixture(scope="module")
def harbor() -> peer.Peer:
    try:
        return peer.harbor()
    except peer.PeerMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def swe() -> Domains:
    """The domain, with its images in the daemon that Harbor uses too."""
    domains, engine = Domains.load(["swe"]), open_engine("docker")
    base_images(engine, domains)
    engine.close()
    return domains


@pytest.mark.parametrize(("family", "level"), SAMPLE)
def test_lint_is_clean_and_oracle_scores_1_and_nop_0(harbor, swe, tmp_path: Path, family: str, level: int) -> None:
    build = {each.id: each.build for each in swe.families("swe")}[family]
    task = draft.write(
        build(level, 11), tmp_path / f"{family}-{level}", domains=["swe"], kit=swe.kit("swe"), proposer="procedural"
    )
    jobs = tmp_path / "jobs"
    jobs.mkdir()
    assert harbor.lint(task) == []
    assert harbor.reward(task, "oracle", jobs) == 1.0
    assert harbor.reward(task, "nop", jobs) == 0.0
    read = [one for one in rollouts([jobs]) if isinstance(one, Rollout)]
    found = {one.summary.solver: (one.summary.outcome, one.summary.passed, one.notes) for one in read}
    assert found == {"oracle": ("scored", True, ()), "nop": ("scored", False, ())}
    assert {(one.domain, one.summary.level) for one in read} == {("swe", level)}
