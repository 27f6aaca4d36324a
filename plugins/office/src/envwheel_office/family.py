"""What a family of this domain is, and how one is written.

A family module (families/<id>.py) has one function that makes a `Recipe` from (level, seed), and exports

    FAMILY = OfficeFamily.of("loan_schedule", "Loan schedules", ("formulas", "finance"), make)

Everything about one environment stands in one recipe: what the solver is told and given, the reference, the checks as
data, the wrong and the other right solutions, so that they cannot drift apart. `make` is pure: it draws all it needs
from `facts.rng(family, level, seed)`, and every package goes through `package.fixed`.

What the checks expect is computed by the family in plain Python, never by the reference's script.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from envwheel.api import EMPTY, Alternative, Draft, Family, FileMap, Limits, Mutant
from envwheel.api.seeded import LEVELS, script
from envwheel_office.kit.officekit.language import AnyCheck, Plan

WORK_IMAGE = "envwheel/office:lite"
VERIFIER_IMAGE = "envwheel/office:full"
LIMITS = Limits(memory_mb=3072, disk_mb=2048, agent_timeout_s=600.0, verifier_timeout_s=240.0)
"""LibreOffice takes up to 1500 MB in a verifier box, and the gate runs a reference with half of what is declared."""
CHECK = 'import sys\nsys.path.insert(0, "/tests/kit")\nfrom officekit import verify; verify.main()  # noqa\n'


@dataclass(frozen=True, slots=True)
class Wrong:
    """A wrong solution, run after the reference. `kills` names checks that are not full on it."""

    id: str
    why: str
    kills: tuple[str, ...]
    script: str


@dataclass(frozen=True, slots=True)
class Recipe:
    """One environment. `solve` is the reference (bash, run as `agent` in /app), `artifacts` are relative to /app.

    `tests` holds pristine inputs and reference workbooks, as the checks name them. `skills` empty means the family's
    own. `knobs` join family and seed in the environment's params.
    """

    instruction: str
    artifacts: tuple[str, ...]
    solve: str
    checks: tuple[AnyCheck, ...]
    files: FileMap = EMPTY
    tests: FileMap = EMPTY
    wrongs: tuple[Wrong, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    skills: tuple[str, ...] = ()
    knobs: Mapping[str, Any] = EMPTY
    limits: Limits = LIMITS

    @property
    def plan(self) -> Plan:
        """The checks; a mistake among them is an error here, where it was made."""
        return Plan(checks=list(self.checks))


@dataclass(frozen=True, slots=True)
class OfficeFamily:
    """A seeded generator of environments with their wrong and their other right solutions."""

    id: str
    title: str
    skills: tuple[str, ...]
    make: Callable[[int, int], Recipe]
    levels: tuple[int, ...] = LEVELS

    @classmethod
    def of(
        cls,
        id: str,
        title: str,
        skills: tuple[str, ...],
        make: Callable[[int, int], Recipe],
        levels: tuple[int, ...] = LEVELS,
    ) -> OfficeFamily:
        """The family whose environments are what `make(level, seed)` says."""
        return cls(id, title, skills, make, levels)

    def build(self, level: int, seed: int) -> Draft:
        """The environment of these arguments."""
        return draft(self, level, seed, self.make(level, seed))

    def mutants(self, level: int, seed: int) -> tuple[Mutant, ...]:
        """The wrong solutions, as the core knows them."""
        return tuple(Mutant(item.id, item.why, script(item.script)) for item in self.make(level, seed).wrongs)

    def alternatives(self, level: int, seed: int) -> tuple[Alternative, ...]:
        """Other right solutions."""
        made = self.make(level, seed).alternatives
        return tuple(Alternative(item.id, item.why, script(item.script)) for item in made)

    def api_family(self) -> Family:
        """This family as the core knows it."""
        return Family(self.id, self.title, self.skills, self.levels, self.build)


def draft(family: OfficeFamily, level: int, seed: int, recipe: Recipe) -> Draft:
    """The draft of `recipe`, named after family, level and seed."""
    return Draft(
        name=f"{family.id}-l{level}-s{seed}",
        instruction=recipe.instruction.strip() + "\n",
        files=recipe.files,
        solution={"solve.sh": script(recipe.solve)},
        tests={
            **recipe.tests,
            "check.py": CHECK,
            "checks.json": recipe.plan.model_dump_json(by_alias=True, indent=1) + "\n",
        },
        artifacts=tuple(f"/app/{name}" for name in recipe.artifacts),
        image=WORK_IMAGE,
        verifier_image=VERIFIER_IMAGE,
        limits=recipe.limits,
        skills=recipe.skills or family.skills,
        level=level,
        params={"family": family.id, "seed": seed, **recipe.knobs},
    )
