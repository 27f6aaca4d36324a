"""Near copies and contamination among many environments: time, memory, what is found.

    python bench/duplicates.py [--count 20000]

Writes environments with random words, of which every twentieth is a near copy of an earlier one and every hundredth
quotes a benchmark, and compares at a quarter, half and all of the count: near-linear is a constant time for each.
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from pathlib import Path

from envwheel.gate.novelty import Novelty

WORDS = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in ("a", "e", "io", "u") for c in ("l", "n", "rt", "sk", "x")]
COPY, QUOTE = 20, 100


def text(draw: random.Random, count: int) -> str:
    """Random words, ten a line."""
    return "\n".join(" ".join(draw.choices(WORDS, k=10)) for _ in range(count // 10))


def write(top: Path, number: int, quotes: list[str]) -> Path:
    """Environment `number`: its seed is another's where it is a copy, and some words differ then."""
    copied = number and number % COPY == 0
    draw = random.Random(number - 1 if copied else number)
    files = {
        "instruction.md": text(draw, 150),
        "tests/check.py": text(draw, 600),
        "solution/solve.sh": text(draw, 250),
    }
    if copied:
        files["instruction.md"] = files["instruction.md"].replace("\n", f"\nother{number} ", 5)
    if number % QUOTE == 7:
        files["instruction.md"] += "\n" + quotes[number % len(quotes)]
    folder = top / f"e{number:06d}"
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    (folder / "task.toml").write_text('schema_version = "1.4"\n')
    return folder


def measure(paths: list[Path], benchmark: Path) -> None:
    """One line: how long it takes and what is found."""
    started = time.perf_counter()
    novelty = Novelty(duplicates=True, benchmarks=[benchmark])
    codes = [fault.code for path in paths for fault in novelty.look(path)]
    seconds = time.perf_counter() - started
    copies = len(range(COPY, len(paths), COPY))
    quoted = len(range(7, len(paths), QUOTE))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{len(paths):>7}  {seconds:7.1f} s  {1000 * seconds / len(paths):5.2f} ms each  {memory:6.0f} MiB  "
        f"copies {codes.count('duplicate')}/{copies}  contaminated {codes.count('contaminated')}/{quoted}",
        flush=True,
    )


def main() -> None:
    """Make the environments and compare them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=20_000)
    count = parser.parse_args().count
    with tempfile.TemporaryDirectory() as place:
        benchmark = Path(place, "benchmark")
        benchmark.mkdir()
        draw = random.Random("benchmark")
        texts = [text(draw, 300) for _ in range(200)]
        for number, one in enumerate(texts):
            (benchmark / f"{number}.md").write_text(one)
        quotes = [" ".join(one.split()[40:60]) for one in texts]
        paths = [write(Path(place, "pool"), number, quotes) for number in range(count)]
        for part in (count // 4, count // 2, count):
            measure(paths[:part], benchmark)


if __name__ == "__main__":
    main()
