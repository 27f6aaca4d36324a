"""What a family of this domain is, and how one is written.

A family module (families/<id>.py) has one function that makes a `Recipe` from (level, seed), and exports

    FAMILY = SweFamily.of("file_links", "Links and moves", ("files",), make)

Everything about one environment stands in one recipe: what the solver is told and given, the reference, the checker,
and the wrong and the other right solutions, so that they cannot drift apart. `make` is pure: it draws all it needs from
`naming.rng(family, level, seed)`.

The checker is a real file, kit/checks/<name>.py, which reads what this seed expects from /tests/expect.json (the
recipe's `expect`) and records its verdict with /tests/kit/grade.py. Pristine and hidden inputs go into `tests`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from envwheel.api import EMPTY, Alternative, Draft, Family, FileMap, Limits, Mutant
from envwheel.api.seeded import LEVELS, script

IMAGE = "envwheel/swe:bookworm"
AUTHOR_IMAGE = "envwheel/swe:author"


@dataclass(frozen=True, slots=True)
class Recipe:
    """One environment. `solve` is the reference (bash, run as `agent` in /app); `check` names a file of kit/checks.

    `expect` is written to tests/expect.json; `tests` are further files there. `skills` empty means the family's own.
    `knobs` join family and seed in the environment's params. A mutant runs after the reference, an alternative instead.
    """

    instruction: str
    artifacts: tuple[str, ...]
    solve: str
    check: str
    expect: Mapping[str, Any] = EMPTY
    files: FileMap = EMPTY
    tests: FileMap = EMPTY
    setup: str = ""
    mutants: tuple[Mutant, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    skills: tuple[str, ...] = ()
    knobs: Mapping[str, Any] = EMPTY
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class SweFamily:
    """A seeded generator of environments with their wrong and their other right solutions."""

    id: str
    title: str
    skills: tuple[str, ...]
    levels: tuple[int, ...]
    build: Callable[[int, int], Draft]
    mutants: Callable[[int, int], tuple[Mutant, ...]]
    alternatives: Callable[[int, int], tuple[Alternative, ...]]

    @classmethod
    def of(
        cls,
        id: str,
        title: str,
        skills: tuple[str, ...],
        make: Callable[[int, int], Recipe],
        levels: tuple[int, ...] = LEVELS,
    ) -> SweFamily:
        """The family whose environments are what `make(level, seed)` says."""
        return cls(
            id=id,
            title=title,
            skills=skills,
            levels=levels,
            build=lambda level, seed: draft(id, level, seed, make(level, seed), skills),
            mutants=lambda level, seed: make(level, seed).mutants,
            alternatives=lambda level, seed: make(level, seed).alternatives,
        )

    def api_family(self) -> Family:
        """This family as the core knows it."""
        return Family(self.id, self.title, self.skills, self.levels, self.build)


def draft(family: str, level: int, seed: int, recipe: Recipe, skills: tuple[str, ...]) -> Draft:
    """The draft of `recipe`, named after family, level and seed."""
    return Draft(
        name=f"{family}-l{level}-s{seed}",
        instruction=recipe.instruction.strip() + "\n",
        files=recipe.files,
        solution={"solve.sh": script(recipe.solve)},
        tests={
            **recipe.tests,
            "check.py": checker(recipe.check),
            "expect.json": json.dumps(recipe.expect, ensure_ascii=False, indent=1, sort_keys=True) + "\n",
        },
        artifacts=recipe.artifacts,
        image=IMAGE,
        setup=recipe.setup,
        limits=recipe.limits,
        skills=recipe.skills or skills,
        level=level,
        params={"family": family, "seed": seed, **recipe.knobs},
    )


def checker(name: str) -> str:
    """The text of the checker kit/checks/<name>.py."""
    return (files("envwheel_swe") / "kit" / "checks" / f"{name}.py").read_text("utf-8")


def python(program: str) -> str:
    """Bash that runs a Python program given as text."""
    return f"/usr/bin/python3 - <<'PY'\n{program.strip()}\nPY\n"


def write_file(path: str, content: str) -> str:
    """Bash that writes `content`, which ends with a newline, to `path`."""
    return f"cat > {path} <<'END_OF_FILE'\n{content.rstrip()}\nEND_OF_FILE\n"


def swap(text: str, old: str, new: str) -> str:
    """`text` with `old`, which occurs exactly once, replaced: how a mutant is made from a reference program."""
    if text.count(old) != 1:
        raise ValueError(f"expected to find exactly once, found {text.count(old)} times: {old!r}")
    return text.replace(old, new)


Fault = tuple[str, str, str, str]
"""A wrong turn in a program: id, why it is plausible, the text that it replaces, and what stands there instead."""


def mutated(program: str, write: Callable[[str], str], faults: Sequence[Fault]) -> tuple[Mutant, ...]:
    """A mutant for each fault: `write` makes bash of the program with that fault in it."""
    return tuple(Mutant(id, why, write(swap(program, old, new))) for id, why, old, new in faults)
