"""Fixtures of a small run in memory; `flywheel_fakes.py` and `flywheel_records.py` are made importable."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from flywheel_fakes import DOMAIN, MakeParts, Scripted, Watcher, engine

from envwheel.config import Config, override
from envwheel.control import Control
from envwheel.domains import Domains
from envwheel.gate.options import GateOptions
from envwheel.parts import Parts
from envwheel.propose.base import Proposer
from envwheel.propose.procedural import Procedural
from envwheel.start import begin
from envwheel.store import RunDirectory

_NUMBER = itertools.count()


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Domains:
    """The planted domain."""
    site, module = tmp_path / "site", f"planted_toy_{next(_NUMBER)}"
    info = site / "some_toy-1.0.dist-info"
    info.mkdir(parents=True)
    (site / f"{module}.py").write_text(DOMAIN)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-toy\nVersion: 1.0\nRequires-Dist: envwheel\n")
    (info / "entry_points.txt").write_text(f"[envwheel.domains]\ntoy = {module}\n")
    monkeypatch.syspath_prepend(str(site))
    return Domains.load(["toy"])


@pytest.fixture
def make_parts(toy: Domains, tmp_path: Path) -> Iterator[MakeParts]:
    """Parts of a run in `tmp_path`/run, opened anew at each call, as a new process would."""
    open_stores: list[RunDirectory] = []

    def make(
        solver: Scripted | None = None,
        families: tuple[str, ...] = ("sum",),
        *,
        solved: bool = True,
        proposer: Proposer | None = None,
        out: str = "run",
        **changes: object,
    ) -> Parts:
        while open_stores:
            open_stores.pop().close()
        dotted = {name.replace("__", "."): value for name, value in changes.items()}
        config = override(Config(), {"run.domains": ["toy"], "run.out": str(tmp_path / out), **dotted})
        store = RunDirectory.open(config.directory)
        open_stores.append(store)
        parts = Parts(
            config=config,
            store=store,
            engine=engine(),
            domains=toy,
            proposer=proposer or Procedural(toy, families, spread=config.proposer.spread),
            solver=(solver or Scripted()) if solved else None,
            control=Control(
                config.run.jobs, max_tokens=config.run.max_tokens, max_dollars=config.run.max_dollars, back_off_s=0.0
            ),
            watch=Watcher(),
            gate=GateOptions(
                only=("schema", "build", "empty", "reference"),
                repeat=1,
                jobs=1,
                keep_images=True,
                back_off_s=(0.0, 0.0, 0.0),
            ),
        )
        begin(parts)
        return parts

    yield make
    for store in open_stores:
        store.close()
