"""A bug planted in a real package: its own tests are hidden and decide."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

from envwheel.api import Alternative, Limits, Mutant
from envwheel_swe.bugs import Bug, table
from envwheel_swe.family import Recipe, SweFamily
from envwheel_swe.naming import rng
from envwheel_swe.repair import instruction, patch, program, rewrite
from envwheel_swe.sdists import SDISTS, package_files, test_files

ID = "py_bug_repair"
COUNTS = (1, 1, 1, 2, 3)
"""How many bugs a level has."""


def choose(level: int, draw: random.Random) -> list[Bug]:
    """Bugs of one package, in different functions."""
    plain = [bug for bug in table()[1] if level > 1 or "." not in bug.function]
    projects = sorted(
        {bug.project for bug in plain if len({b.function for b in plain if b.project == bug.project}) >= 3}
    )
    project = draw.choice(projects)
    mine = [bug for bug in plain if bug.project == project]
    chosen: list[Bug] = []
    for bug in draw.sample(mine, len(mine)):
        elsewhere = all((bug.path, bug.function) != (other.path, other.function) for other in chosen)
        if len(chosen) < COUNTS[level] and elsewhere:
            chosen.append(bug)
    return chosen


def make(level: int, seed: int) -> Recipe:
    """Level 0 names the line, 1 the function, 2 the module; 3 has two bugs, 4 three, and only a test's name is told."""
    draw = rng(ID, level, seed)
    bugs = choose(level, draw)
    project = bugs[0].project
    sdist, suite = SDISTS[project], table()[0][project]
    right = package_files(project)
    broken = plant(right, bugs)
    mutants = [
        Mutant(f"half_{at}", f"another wrong text in {bug.function}", spoil(right, bug, bug.half))
        for at, bug in enumerate(bugs)
    ]
    mutants += [
        Mutant(f"left_{at}", f"the bug in {bug.function} is still there", spoil(right, bug, bug.wrong))
        for at, bug in enumerate(bugs)
    ]
    bracketed = plant(right, bugs, brackets=True)
    return Recipe(
        instruction=instruction(ID, str(level), words(bugs)),
        artifacts=(f"/app/{sdist.package}",),
        solve=patch(broken, right),
        check="package_tests",
        expect={
            "package": sdist.package, "modules": sdist.modules, "passing": suite.passing, "skip": suite.skip,
            "lines": 10 * len(bugs),
        },
        files=broken,
        tests={
            "runner.txt": program(ID)["runner.py"],
            "hidden.json": json.dumps(test_files(project)),
            "shipped.json": json.dumps({path: text for path, text in broken.items() if path.endswith(".py")}),
        },
        mutants=tuple(mutants[:2] + mutants[-2:])[:4] if len(bugs) > 1 else tuple(mutants),
        alternatives=(Alternative("brackets", "the same repair in brackets", rewrite(broken, bracketed)),),
        skills=("debugging",) if level < 2 else (),
        knobs={"project": f"{project} {sdist.version}", "licence": sdist.licence, "bugs": [f"{b.path}:{b.line} "
                                                                                           f"{b.kind}" for b in bugs]},
        limits=Limits(verifier_timeout_s=240.0),
    )  # fmt: skip


def words(bugs: Sequence[Bug]) -> dict[str, str]:
    """What the instruction may tell of the bugs."""
    first = bugs[0]
    sdist = SDISTS[first.project]
    tests = sorted({test.rsplit(".", 1)[-1] for bug in bugs for test in bug.fails[:1]})
    return {
        "zzproject": f"{sdist.project} {sdist.version}",
        "zzpackage": sdist.package,
        "zzpath": first.path,
        "zzline": str(first.line),
        "zzkind": first.kind,
        "zzfunction": first.function,
        "zztests": ", ".join(f"`{test}`" for test in tests),
    }


def plant(right: dict[str, str], bugs: Sequence[Bug], brackets: bool = False) -> dict[str, str]:
    """The package with all `bugs`; or with brackets around what they spoil, which changes nothing."""
    files = dict(right)
    for bug in sorted(bugs, key=lambda bug: (bug.path, -bug.line, -bug.column)):
        files[bug.path] = bug.put(files[bug.path], f"({bug.right})" if brackets else bug.wrong)
    return files


def spoil(right: dict[str, str], bug: Bug, text: str) -> str:
    """Bash that puts `text` in the place of one bug into the mended package."""
    return rewrite(right, {**right, bug.path: bug.put(right[bug.path], text)})


FAMILY = SweFamily.of(ID, "Find a bug in a real package", ("debugging", "testing"), make)
