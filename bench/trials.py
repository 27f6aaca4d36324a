"""Trials without the gate: the untouched state once, the reference three times, of each environment.

    python bench/trials.py ENGINE FOLDER...

Two trials at a time, the images of the next environments are built meanwhile, as `envwheel check` does it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from envwheel.environment.folder import read
from envwheel.sandbox.base import Engine
from envwheel.sandbox.engines import open_engine
from envwheel.trial import PLAIN, NoWork, Stage, build_images, solution_work

REFERENCES = 3


def rewards(engine: Engine, folder: Path, pool: ThreadPoolExecutor) -> list[float | None]:
    """Of the untouched state and the references of one environment."""
    task = read(folder)
    images = build_images(engine, task)
    try:
        works = [NoWork(), *[solution_work(task)] * REFERENCES]
        stages = [Stage(engine, task, images, PLAIN, number) for number in range(len(works))]
        trials = [pool.submit(stage.attempt, work) for stage, work in zip(stages, works, strict=True)]
        return [trial.result().record.reward for trial in trials]
    finally:
        for image in images.uses:
            engine.remove(image)


def main(engine_name: str, folders: Sequence[Path]) -> None:
    """Run them all; exit 1 when a reward is not what it must be."""
    jobs = os.cpu_count() or 1
    engine = open_engine(engine_name)
    try:
        with ThreadPoolExecutor(jobs) as pool, ThreadPoolExecutor(2 * jobs) as environments:
            found = list(environments.map(lambda folder: rewards(engine, folder, pool), folders))
    finally:
        engine.close()
    if found != [[0.0, *[1.0] * REFERENCES]] * len(folders):
        raise SystemExit(f"bench/trials.py: {found}")


if __name__ == "__main__":
    main(sys.argv[1], [Path(word) for word in sys.argv[2:]])
