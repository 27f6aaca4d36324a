"""`envwheel solve PATH -k N`: let a solver attempt environments, and keep the rollouts."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envwheel.domains import Domains
    from envwheel.environment.folder import TaskFolder
    from envwheel.rollout import RolloutSummary
    from envwheel.sandbox.base import Engine
    from envwheel.solver import Solver


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("path", type=Path, nargs="+", metavar="PATH", help="environments, or folders of them")
    parser.add_argument("-k", type=int, default=1, metavar="N", help="trials of each (default 1)")
    parser.add_argument(
        "--solver", help="local, simulated, openai:MODEL, anthropic:MODEL, command:PROGRAM, scripted:PATH"
    )
    parser.add_argument("--config", type=Path, help="an envwheel.toml, for its [solver] and [engine]")
    parser.add_argument("--engine", help="auto, docker, namespace")
    parser.add_argument("--seed", type=int, default=0, help="equal seeds give equal trials, as far as the solver can")
    parser.add_argument("--jobs", type=int, default=2, help="trials at a time")
    parser.add_argument("--out", type=Path, default=Path("rollouts"), help="where rollouts go (default: rollouts)")
    parser.add_argument("--json", action="store_true", help="one JSON object a trial")


def run(args: argparse.Namespace) -> int:
    """Exit code 0 when a trial was scored, 1 when no verifier gave a reward, 2 when our side failed them all."""
    from envwheel.config import Config, load, override
    from envwheel.domains import Domains
    from envwheel.environment import folder as folders
    from envwheel.errors import UsageError
    from envwheel.start import ready_engine, solver_of

    if args.k < 1 or args.jobs < 1:
        raise UsageError("-k and --jobs take a number of at least 1.")
    config = load(args.config) if args.config else Config()
    config = override(config, {"solver.name": args.solver, "engine.name": args.engine})
    tasks = [folders.read(path, need_solution=False) for path in folders.find(args.path)]
    domains = Domains.among({id for task in tasks for id in task.environment.domains})
    with (
        closing(solver_of(config, domains)) as solver,
        closing(ready_engine(config, domains)) as engine,
    ):
        outcomes = [_say(one, args.json) for task in tasks for one in _trials(task, engine, solver, domains, args)]
    if "scored" in outcomes:
        return 0
    return 1 if "verifier_error" in outcomes else 2


def _trials(
    task: TaskFolder, engine: Engine, solver: Solver, domains: Domains, args: argparse.Namespace
) -> Iterator[RolloutSummary]:
    """The trials of one environment, several at a time, in the order of their numbers."""
    import time
    from concurrent.futures import ThreadPoolExecutor

    from envwheel.attempt import Subject, attempt
    from envwheel.trial import build_images

    images = build_images(engine, task)
    subject = Subject(task, images, domains.judge_of(task.environment))
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())

    def one(number: int) -> RolloutSummary:
        id = f"{stamp}-t{number:02d}"
        seed = args.seed * 1000 + number
        return attempt(engine, subject, solver, domains, id=id, folder=args.out / task.name, seed=seed).summary

    try:
        with ThreadPoolExecutor(args.jobs) as pool:
            yield from pool.map(one, range(1, args.k + 1))
    finally:
        for image in images.uses:
            engine.remove(image)


def _say(one: RolloutSummary, as_json: bool) -> str:
    from envwheel.console import plain

    if as_json:
        record = {
            "environment": one.environment,
            "outcome": one.outcome,
            "reward": one.reward,
            "passed": one.passed,
            "seconds": round(one.seconds, 3),
            "rollout": str(one.path),
            "solver": one.solver,
            "simulated": one.simulated,
        }
        print(json.dumps(record), flush=True)
    else:
        judged = {True: "passed", False: "failed", None: one.outcome}[one.passed]
        reward = "-" if one.reward is None else f"{one.reward:g}"
        line = f"{one.environment}  {judged}  reward {reward}  {one.seconds:.1f} s  {one.reason}  {one.path}"
        print(plain(line), flush=True)
    return one.outcome
