"""How fast is `envwheel check`? The same 16 trials by bare Engine API calls, by us and by Harbor, interleaved.

    python bench/gate.py [--rounds 3] [--no-harbor] [--json]

Eight tiny tasks with a shared verifier (one box a trial), untouched state and reference each, two at a time. Harbor
runs with its telemetry off, as it comes and with `init: true` (without it, 10 s of every trial are its teardown's grace
time). Every turn gets tasks of its own, so that nobody builds from layers that another has left. Goals: at most 1.3 x
the bare calls on docker; at least 2.8 x faster than Harbor with `init: true`, 12 x than its default; 5 x and 20 x on
the engine `namespace`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import calls
import floor
import peer

JOBS = 2
GOALS = {
    "docker": {"bare calls": 1.3, "harbor init": 2.8, "harbor": 12.0},
    "namespace": {"harbor init": 5.0, "harbor": 20.0},
}
"""Of each engine: at most so many times the bare calls, at least so many times faster than Harbor."""
TASK = """schema_version = "1.4"

[task]
name = "bench/{name}"
description = "A tiny task."

[agent]
timeout_sec = 60.0

[verifier]
timeout_sec = 60.0

[environment]
cpus = 1
memory_mb = 512
"""


def write_tasks(folder: Path, turn: int, count: int = 8) -> list[Path]:
    """The tiny tasks t1, t2, ...: write "hello tN" into /app/out.txt. Another `turn`, other images."""
    tasks = [folder / f"t{number}" for number in range(1, count + 1)]
    for task in tasks:
        for sub in ("environment", "solution", "tests"):
            (task / sub).mkdir(parents=True)
        name = task.name
        (task / "task.toml").write_text(TASK.format(name=name))
        (task / "instruction.md").write_text(f"Write the line `hello {name}` into /app/out.txt.\n")
        (task / "environment/Dockerfile").write_text(
            f"FROM envwheel/base:bookworm\nRUN mkdir -p /app && echo {turn} {name} > /app/seed\nWORKDIR /app\n"
        )
        (task / "solution/solve.sh").write_text(f"#!/bin/bash\necho 'hello {name}' > /app/out.txt\n")
        (task / "tests/test.sh").write_text(
            "#!/bin/bash\nmkdir -p /logs/verifier\n"
            f'if [ "$(cat /app/out.txt 2>/dev/null)" = "hello {name}" ]; then r=1; else r=0; fi\n'
            "echo $r > /logs/verifier/reward.txt\n"
        )
    return tasks


def ours(tasks: list[Path], engine: str) -> None:
    """`envwheel check` as a user calls it, process start included."""
    steps = ("--only", "schema,build,empty,reference", "--repeat", "1")
    calls.check_all_ok(tasks, "--engine", engine, *steps, "--jobs", str(JOBS))


def bare(tasks: list[Path]) -> None:
    """The same trials by bare calls."""
    if floor.run(tasks, JOBS) != [(0.0, 1.0)] * len(tasks):
        raise SystemExit("the floor program got other rewards than 0 and 1")


def harbor(tasks: list[Path], installed: peer.Peer, init: bool) -> None:
    """One Harbor job of oracle and nop on all tasks."""
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        job = {
            "n_attempts": 1,
            "n_concurrent_trials": JOBS,
            "agents": [{"name": "oracle"}, {"name": "nop"}],
            "datasets": [{"path": str(tasks[0].parent)}],
            "environment": {"type": "docker"},
        }
        (work / "job.yaml").write_text(json.dumps(job))
        (work / "init.yaml").write_text("services: {main: {init: true}}\n")
        extra = ("--extra-docker-compose", "init.yaml") if init else ()
        installed.run("run", "-q", "-y", "-c", "job.yaml", "-o", "jobs", "--job-name", "b", *extra, cwd=work)
        rewards = [
            json.loads(path.read_text())["verifier_result"]["rewards"]["reward"]
            for path in work.glob("jobs/b/*/result.json")
        ]
        if sorted(rewards) != [0.0] * len(tasks) + [1.0] * len(tasks):
            raise SystemExit(f"Harbor got {sorted(rewards)}")


def measure(runners: dict[str, Callable[[list[Path]], None]], rounds: int, folder: Path) -> dict[str, list[float]]:
    """Wall seconds of every runner, each once a round, on tasks of its own below `folder`."""
    seconds: dict[str, list[float]] = {name: [] for name in runners}
    turn = itertools.count()
    for number in range(rounds):
        for name, runner in runners.items():
            this = next(turn)
            tasks = write_tasks(folder / str(this), this)
            start = time.monotonic()
            runner(tasks)
            seconds[name].append(time.monotonic() - start)
            load = os.getloadavg()[0]
            print(f"round {number + 1}  {name:<12} {seconds[name][-1]:7.1f} s   load {load:.1f}", file=sys.stderr)
    return seconds


def report(seconds: dict[str, list[float]]) -> str:
    """A table of medians and ratios, goals beside them."""
    median = {name: statistics.median(each) for name, each in seconds.items()}
    lines = [f"{'':<24}{'median s':>9}{'ratio':>8}   goal"]
    for engine, goals in GOALS.items():
        lines.append(f"{f'envwheel, {engine}':<24}{median[engine]:>9.1f}")
        for name, goal in goals.items():
            if name not in median:
                continue
            mine, other = median[engine], median[name]
            ratio, sign = (mine / other, "<=") if name == "bare calls" else (other / mine, ">=")
            met = ratio <= goal if sign == "<=" else ratio >= goal
            lines.append(f"  {name:<22}{other:>9.1f}{ratio:>8.2f}   {sign} {goal} {'met' if met else 'MISSED'}")
    return "\n".join(lines)


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-harbor", action="store_true")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="envwheel-bench-") as temporary:
        runners: dict[str, Callable[[list[Path]], None]] = {
            "bare calls": bare,
            "docker": lambda tasks: ours(tasks, "docker"),
            "namespace": lambda tasks: ours(tasks, "namespace"),
        }
        if not args.no_harbor:
            try:
                installed = peer.harbor()
            except peer.PeerMissing as missing:
                print(f"without Harbor: {missing}", file=sys.stderr)
            else:
                runners["harbor init"] = lambda tasks: harbor(tasks, installed, init=True)
                runners["harbor"] = lambda tasks: harbor(tasks, installed, init=False)
        seconds = measure(runners, args.rounds, Path(temporary))
    print(json.dumps(seconds) if args.json else report(seconds))


if __name__ == "__main__":
    main()
