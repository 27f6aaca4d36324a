"""The brief of this domain: brief.md, worked examples from the families, and a target at the solver's edge."""

from __future__ import annotations

from importlib.resources import files

from envwheel.api import Brief, Digest, Goal, seeded
from envwheel_swe import registry
from envwheel_swe.family import SweFamily
from envwheel_swe.taxonomy import SKILLS

SYSTEM = (
    "You build training environments for terminal agents. You are a careful software engineer: what you ask for is "
    "clear, what you check is exactly what you asked for, and nothing that you leave behind gives the answer away."
)


def write_brief(digest: Digest, seed: int, goal: Goal | None = None) -> Brief:
    """A brief for `goal`; without one skill and level are drawn (by `seed`) where the solver passes sometimes."""
    skill, level = seeded.aim(digest, SKILLS, seed, goal)
    text = (files("envwheel_swe") / "brief.md").read_text("utf-8")
    task = f"{text}\n## This time\n\n{seeded.aimed(digest, SKILLS, skill, level, goal)}\n"
    examples = tuple(_example(family, level, seed) for family in seeded.models(registry.families(), skill, level, seed))
    return Brief(SYSTEM, task, examples, (skill,), level)


def _example(family: SweFamily, level: int, seed: int) -> str:
    """Instruction, reference and checker of one environment."""
    made = family.build(level, seed)
    return "\n".join(
        (
            f"### {made.name}: {family.title}",
            f"instruction.md:\n\n{made.instruction}",
            f"artifacts: {', '.join(made.artifacts)}\n",
            f"solution/solve.sh:\n\n```bash\n{made.solution['solve.sh']!s}```\n",
            f"tests/check.py:\n\n```python\n{made.tests['check.py']!s}```",
        )
    )
