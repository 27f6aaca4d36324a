"""The proposer without ideas: environments of a pool that is there already, in an order that no rollout changes.

    proposer = Static(domains, Path("pool"))       # a folder of environments, or a run directory with its pool

So that a flywheel that follows its solver can be compared with a pool of the same size under the same solver and
budget: everything but the choice is the same, the gate and the calibration included.
"""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from envwheel.domains import Domains
from envwheel.environment import folder as folders
from envwheel.environment.folder import TaskFolder
from envwheel.environment.invalid import InvalidTask
from envwheel.errors import UsageError
from envwheel.ledger import AnyRecord, Plan, Target
from envwheel.propose.base import Desk, Proposal

METHOD = "static"
POOL = "environments"
"""The pool within a run directory."""


class Static:
    """Hands out the environments of `pool`, each once. Raises UsageError when there are none."""

    method = METHOD
    model: str | None = None

    def __init__(self, domains: Domains, pool: Path) -> None:
        self.domains = domains
        place = pool / POOL if (pool / POOL).is_dir() else pool
        self.folders = {path.name: path for path in folders.find([place])}

    def plan(self, number: int, count: int, seed: int, records: Sequence[AnyRecord]) -> list[Target]:
        """The next `count` of the pool's environments, fewer when it runs out; the order depends on `seed` only."""
        used = {target.name for record in records if isinstance(record, Plan) for target in record.targets}
        order = sorted(self.folders)
        random.Random(f"static/{seed}").shuffle(order)
        names = [name for name in order if name not in used][:count]
        return [self._target(f"r{number:02d}-c{index:03d}", name) for index, name in enumerate(names, 1)]

    def propose(self, target: Target, desk: Desk) -> Proposal:
        """A copy of the environment. Raises UsageError when it is no longer in the pool."""
        source, path = self.folders.get(target.name), desk.where / target.name
        if source is None or not source.is_dir():
            raise UsageError(f"{target.name} is no longer in the static pool that this run began with. Put it back.")
        if not path.exists():
            desk.where.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=desk.where, prefix=".") as beside:
                copy = Path(beside) / "copy"
                shutil.copytree(source, copy, symlinks=True, ignore=shutil.ignore_patterns("evidence.json"))
                os.rename(copy, path)
        return Proposal(path)

    def close(self) -> None:
        """Nothing is held."""

    def _target(self, candidate: str, name: str) -> Target:
        task = self._read(name)
        environment = task.environment if task else None
        skills = environment.skills if environment else ()
        judge = self.domains.judge_of(environment) if environment else None
        family = environment.params.get("family") if environment else None
        return Target(
            candidate=candidate,
            name=name,
            domain=judge or self.domains.ids[0],
            family=family if isinstance(family, str) else next(iter(skills), "unknown"),
            level=(environment.level if environment else None) or 0,
            skills=skills,
            seed=0,
            expected=0.5,
            reason="the next of the static pool",
        )

    def _read(self, name: str) -> TaskFolder | None:
        """The environment; None for a folder that the gate will refuse."""
        try:
            return folders.read(self.folders[name])
        except InvalidTask:
            return None
