"""The core's own answers to the hooks: what holds where a domain says nothing, and for environments of no domain."""

from __future__ import annotations

import math

from envwheel.api import (
    API,
    Alternative,
    Attack,
    Band,
    BaseImage,
    Brief,
    Digest,
    Domain,
    Environment,
    Family,
    Finding,
    Goal,
    KitFile,
    Missing,
    Mutant,
    Rendering,
    Reward,
    Trial,
    hookimpl,
)

CORE = Domain(
    id="core", title="Core", summary="Environments of no domain: the core's own answers only.", api=API, skills={}
)


@hookimpl
def brief(domain: Domain, digest: Digest, seed: int, goal: Goal | None = None) -> Brief:
    """The domain's summary, aimed at `goal`, else at the skill that the solver passes least often."""
    weakest = sorted(
        digest.skills, key=lambda key: (digest.skills[key].passed / max(1, digest.skills[key].scored), key)
    )
    skill, level = weakest[0] if weakest else (min(domain.skills, default=""), 0)
    if goal:
        skill, level = goal.skill, goal.level
    return Brief(
        system=f"You build training environments for terminal agents. Domain: {domain.title}. {domain.summary}",
        task=f"Build one environment at difficulty {level}" + (f" that trains '{skill}'." if skill else "."),
        examples=(),
        skills=(skill,) if skill else (),
        level=level,
    )


@hookimpl
def base_images(domain: Domain) -> list[BaseImage]:
    """None beyond the core's `envwheel/base`."""
    return []


@hookimpl
def kit(domain: Domain) -> list[KitFile]:
    """Nothing beyond the core's grade.py."""
    return []


@hookimpl
def families(domain: Domain) -> list[Family]:
    """No generators."""
    return []


@hookimpl
def inspect(domain: Domain, environment: Environment) -> list[Finding]:
    """Nothing beyond the core's lint."""
    return []


@hookimpl
def attacks(domain: Domain, environment: Environment) -> list[Attack]:
    """Nothing beyond the core's battery."""
    return []


@hookimpl
def mutants(domain: Domain, environment: Environment) -> list[Mutant]:
    """Nothing beyond the core's generic mutants."""
    return []


@hookimpl
def alternatives(domain: Domain, environment: Environment) -> list[Alternative]:
    """Nothing beyond what lies under solution/alternatives/."""
    return []


@hookimpl
def score(domain: Domain, trial: Trial) -> Reward:
    """The raw reward as it is; passed when it is at least 1 - tolerance."""
    if trial.outcome != "scored":
        return Reward(0.0, False, f"not scored: {trial.outcome}")
    raw = trial.raw.get("reward", next(iter(trial.raw.values())) if len(trial.raw) == 1 else None)
    if raw is None:
        return Reward(0.0, False, "the verifier gave no number called `reward`")
    if not (math.isfinite(raw) and 0.0 <= raw <= 1.0):
        return Reward(0.0, False, f"the verifier gave {raw!r}, which is not in [0, 1]")
    return Reward(float(raw), raw >= 1.0 - domain.tolerance)


@hookimpl
def band(domain: Domain, default: Band) -> Band:
    """The default band."""
    return default


@hookimpl
def probe(domain: Domain) -> list[Missing]:
    """Nothing is missing."""
    return []


@hookimpl
def render(domain: Domain, files: tuple[str, ...]) -> Rendering | None:
    """No pictures."""
    return None
