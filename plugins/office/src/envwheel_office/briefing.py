"""The brief of this domain: brief.md, the language of checks, worked examples, and a target at the solver's edge."""

from __future__ import annotations

from importlib.resources import files

from envwheel.api import Brief, Digest, Goal, seeded
from envwheel_office import registry
from envwheel_office.family import OfficeFamily
from envwheel_office.notation import language
from envwheel_office.taxonomy import SKILLS

SYSTEM = (
    "You build training environments for terminal agents who do office work. You are a careful accountant and editor: "
    "what you ask for is clear, what you check is exactly what you asked for, and every number is computed twice."
)
LONGEST = 6000
"""Characters of a file that an example shows."""


def write_brief(digest: Digest, seed: int, goal: Goal | None = None) -> Brief:
    """A brief for `goal`; without one skill and level are drawn (by `seed`) where the solver passes sometimes."""
    skill, level = seeded.aim(digest, SKILLS, seed, goal)
    before, after = ((files("envwheel_office") / name).read_text("utf-8") for name in ("brief.md", "brief_end.md"))
    task = (
        f"{before.rstrip()}\n\n```text\n{language()}```\n{after}\n## This time\n\n"
        f"{seeded.aimed(digest, SKILLS, skill, level, goal)}\n"
    )
    examples = tuple(_example(family, level, seed) for family in seeded.models(registry.families(), skill, level, seed))
    return Brief(SYSTEM, task, examples, (skill,), level)


def _example(family: OfficeFamily, level: int, seed: int) -> str:
    """Instruction, given files, reference and checks of one environment."""
    made = family.build(level, seed)
    return "\n".join(
        (
            f"### {made.name}: {family.title}",
            f"instruction.md:\n\n{made.instruction}",
            f"given: {', '.join(sorted(made.files)) or 'nothing'}\nartifacts: {', '.join(made.artifacts)}\n",
            f"solution/solve.sh:\n\n```bash\n{_cut(made.solution['solve.sh'])}```\n",
            f"tests/ also has: {', '.join(sorted(set(made.tests) - {'check.py', 'checks.json'})) or 'nothing'}\n",
            f"tests/checks.json:\n\n```json\n{_cut(made.tests['checks.json'])}```",
        )
    )


def _cut(content: str | bytes) -> str:
    text = content if isinstance(content, str) else content.decode("utf-8", "replace")
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n... ({len(text) - LONGEST} more characters)\n"
