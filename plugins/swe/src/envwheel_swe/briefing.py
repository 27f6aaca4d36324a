"""The brief of this domain: brief.md, worked examples from the families, and a target at the solver's edge."""

from __future__ import annotations

import random
from importlib.resources import files

from envwheel.api import Brief, Digest, Goal
from envwheel_swe import registry
from envwheel_swe.family import LEVELS, SweFamily
from envwheel_swe.taxonomy import SKILLS

SYSTEM = (
    "You build training environments for terminal agents. You are a careful software engineer: what you ask for is "
    "clear, what you check is exactly what you asked for, and nothing that you leave behind gives the answer away."
)


def write_brief(digest: Digest, seed: int, goal: Goal | None = None) -> Brief:
    """A brief for `goal`; without one skill and level are drawn (by `seed`) where the solver passes sometimes."""
    draw = random.Random(seed)
    skill, level = (goal.skill, goal.level) if goal else target(digest, draw)
    text = (files("envwheel_swe") / "brief.md").read_text("utf-8")
    task = (
        f"{text}\n## This time\n\nSkill: {SKILLS[skill]} (`{skill}`). Level: {level} of 4. "
        f"{_record(digest, skill, level)}{_address(goal)}\n"
    )
    return Brief(SYSTEM, task, examples(skill, level, seed), (skill,), level)


def target(digest: Digest, draw: random.Random) -> tuple[str, int]:
    """Skill and level: likeliest are those passed about half of the time; untried ones keep a share."""
    weights: dict[tuple[str, int], float] = {}
    for skill in SKILLS:
        for level in LEVELS:
            rate = digest.skills.get((skill, level))
            if rate is None or not rate.scored:
                weights[skill, level] = 0.2
            else:
                share = rate.passed / rate.scored
                weights[skill, level] = 0.05 + 4 * share * (1 - share)
    keys = sorted(weights)
    return draw.choices(keys, [weights[key] for key in keys])[0]


def examples(skill: str, level: int, seed: int) -> tuple[str, ...]:
    """Up to two complete environments of the same skill, else of any, at `level`, as text."""
    able = [item for item in registry.families() if level in item.levels]
    fitting = [item for item in able if skill in item.skills] or able
    chosen = random.Random(seed).sample(fitting, min(2, len(fitting)))
    return tuple(_example(item, level, seed) for item in chosen)


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


def _address(goal: Goal | None) -> str:
    """The kind of failure that the environment is to train against."""
    if goal is None or not goal.failure:
        return ""
    return f" Where it fails, it mostly {goal.failure}: build something whose work exercises that."


def _record(digest: Digest, skill: str, level: int) -> str:
    """What is known of the solver at this target, in a sentence."""
    rate = digest.skills.get((skill, level))
    if rate is None or not rate.scored:
        return "The solver has not tried this yet."
    return f"The solver passed {rate.passed} of {rate.scored} attempts here; aim for about half."
