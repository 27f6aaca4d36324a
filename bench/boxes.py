"""What a box costs, and how many there can be.

    python bench/boxes.py [--engine docker] [--engine namespace] [--boxes 200] [--trials 2000]

A command in a live box (goal: 2 ms on both engines). A box cycle, from nothing to a command's answer to nothing; on
namespace against the same done with nothing but bubblewrap and an overlay (goal: 2.5 x). Boxes alive at once (200).
Memory of this process over 2,000 trials on namespace: how much it grows after the first tenth (goal: not at all, 5 %).
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import calls

from envwheel.domains import Domains
from envwheel.environment.folder import read
from envwheel.sandbox.base import BoxLimits, BoxSpec, Engine
from envwheel.sandbox.engines import open_engine
from envwheel.sandbox.namespace.image_store import ImageStore
from envwheel.sandbox.namespace.leftovers import home
from envwheel.trial import PLAIN, Stage, build_images, solution_work

BASE = "envwheel/base:bookworm"
SPEC = BoxSpec(BASE, "work", limits=BoxLimits(cpus=1.0, memory_mb=256, disk_mb=64, processes=64))
COMMAND_MS, CYCLE, GROWTH = 2.0, 2.5, 0.05
BARE = """
mount -t tmpfs none {place}; cd {place}; mkdir upper work root
mount -t overlay overlay root -o lowerdir={layers},upperdir=upper,workdir=work
exec bwrap --bind {place}/root / --dev /dev --proc /proc --tmpfs /dev/shm --unshare-pid --unshare-ipc --unshare-uts \
    --unshare-net --cap-drop ALL --die-with-parent -- /bin/bash -c 'echo fine'
"""


def line(what: str, found: str, goal: str = "", met: bool | None = None) -> None:
    """One row of the table."""
    word = "" if met is None else "met" if met else "MISSED"
    print(f"{what:<44}{found:>16}   {goal} {word}".rstrip(), flush=True)


def timed(run: Callable[[], None], times: int) -> float:
    """Median seconds of one call."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def command(engine: Engine) -> None:
    """Time of `true` in a shell that is open."""
    with engine.start(SPEC) as box:
        shell = box.shell()
        found = 1000 * timed(lambda: shell.run("true"), 300)
    line(f"{engine.name}: a command in a live box", f"{found:.2f} ms", f"<= {COMMAND_MS:g} ms", found <= COMMAND_MS)


def cycle(engine: Engine) -> None:
    """Time of one box after another."""

    def one() -> None:
        with engine.start(SPEC) as box:
            assert box.shell().run("echo fine").output == "fine\n"

    if engine.name != "namespace":
        line(f"{engine.name}: a box cycle", f"{1000 * timed(one, 20):.0f} ms")
        return
    found = ImageStore(home()).base(BASE)
    assert found is not None
    with tempfile.TemporaryDirectory() as place:
        script = BARE.format(place=place, layers=":".join(found.layers))

        def bare() -> None:
            done = subprocess.run(["unshare", "-m", "sh", "-ec", script], capture_output=True, text=True, check=True)
            assert done.stdout == "fine\n"

        ours, theirs = [], []
        for _ in range(4):
            ours.append(timed(one, 10))
            theirs.append(timed(bare, 10))
    mine, other = statistics.median(ours), statistics.median(theirs)
    line("namespace: a box cycle", f"{1000 * mine:.0f} ms")
    line("  bubblewrap and an overlay", f"{1000 * other:.0f} ms")
    line("  ratio", f"{mine / other:.2f}", f"<= {CYCLE:g}", mine / other <= CYCLE)


def many(engine: Engine, count: int) -> None:
    """So many boxes at once; each must answer."""
    start = time.monotonic()
    with ExitStack() as stack, ThreadPoolExecutor(4) as pool:
        boxes = list(pool.map(lambda _: stack.enter_context(engine.start(SPEC)), range(count)))
        said = list(pool.map(lambda box: box.shell().run("echo fine").output, boxes))
        seconds = time.monotonic() - start
        answered = said.count("fine\n")
        list(pool.map(lambda box: box.close(), boxes))
    line(f"{engine.name}: boxes alive at once", f"{answered} in {seconds:.0f} s", f">= {count}", answered == count)


def memory(engine: Engine, count: int) -> None:
    """Resident memory of this process over `count` trials of the reference of one tiny environment."""
    family = next(one for one in Domains.load(["swe"]).families("swe") if one.id == "file_links")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        (path,) = calls.write("swe", [(family, 0, 1)], Path(folder)).values()
        task = read(path)
        images = build_images(engine, task)
        try:

            def trial(number: int) -> None:
                record = Stage(engine, task, images, PLAIN, number).attempt(solution_work(task)).record
                assert record.reward == 1.0, record

            list(pool.map(trial, range(count // 10)))
            early = _resident_mb()
            list(pool.map(trial, range(count // 10, count)))
            late = _resident_mb()
        finally:
            for image in images.uses:
                engine.remove(image)
    words = f"{early:.0f} to {late:.0f} MiB"
    goal = f"<= {100 * GROWTH:g} % more"
    line(f"{engine.name}: memory over {count} trials", words, goal, late <= (1 + GROWTH) * early)


def _resident_mb() -> float:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / (1 << 20)


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", action="append", choices=["docker", "namespace"])
    parser.add_argument("--boxes", type=int, default=200)
    parser.add_argument("--trials", type=int, default=2000)
    args = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    for name in args.engine or ["docker", "namespace"]:
        engine = open_engine(name)
        try:
            command(engine)
            cycle(engine)
            many(engine, args.boxes)
            if name == "namespace":
                memory(engine, args.trials)
        finally:
            engine.close()


if __name__ == "__main__":
    main()
