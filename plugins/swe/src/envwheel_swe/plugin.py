"""The `swe` domain: software engineering environments. The hooks; everything heavier is imported when one is called."""

from __future__ import annotations

from importlib.resources import files

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
    Reward,
    Trial,
    hookimpl,
    seeded,
)
from envwheel_swe.taxonomy import SKILLS

DOMAIN = Domain(
    id="swe",
    title="Software engineering",
    summary="Files, text, git, builds, packages, scripts, data, services, debugging: from one command to repairs.",
    api=API,
    skills=SKILLS,
)


@hookimpl
def describe() -> Domain:
    """Name, skills and needs."""
    return DOMAIN


@hookimpl
def brief(digest: Digest, seed: int, goal: Goal | None = None) -> Brief:
    """What good environments of this domain are, aimed at `goal`, else at the edge of what the solver can do."""
    from envwheel_swe.briefing import write_brief

    return write_brief(digest, seed, goal)


@hookimpl
def base_images() -> list[BaseImage]:
    """One image for solver and verifier, and one with more tools for who writes environments."""
    from envwheel_swe.family import AUTHOR_IMAGE, IMAGE

    images = files("envwheel_swe") / "images"
    work, author = ((images / name / "Dockerfile").read_text("utf-8") for name in ("bookworm", "author"))
    return [BaseImage(IMAGE, work), BaseImage(AUTHOR_IMAGE, author, role="author")]


@hookimpl
def kit() -> list[KitFile]:
    """Nothing beyond the core's grade.py: a checker is written for its environment."""
    return []


@hookimpl
def families() -> list[Family]:
    """All seeded generators."""
    from envwheel_swe import registry

    return [item.api_family() for item in registry.families()]


@hookimpl
def inspect(environment: Environment) -> list[Finding]:
    """Static checks: artifacts are named, histories hold no answer, dates do not go bad."""
    from envwheel_swe.lint import inspect_environment

    return inspect_environment(environment)


@hookimpl
def attacks(environment: Environment) -> list[Attack]:
    """Forgeries of this domain beside the core's battery."""
    from envwheel_swe.attacks import attacks_on

    return attacks_on(environment)


@hookimpl
def mutants(environment: Environment) -> list[Mutant]:
    """The wrong solutions that the environment's family knows of."""
    from envwheel_swe import registry

    return seeded.mutants(environment, registry.families())


@hookimpl
def alternatives(environment: Environment) -> list[Alternative]:
    """The other right solutions that the environment's family knows of."""
    from envwheel_swe import registry

    return seeded.alternatives(environment, registry.families())


@hookimpl
def score(trial: Trial) -> Reward:
    """The raw reward as it is; only a full one is a pass."""
    return seeded.reward(trial)


@hookimpl
def band(default: Band) -> Band:
    """The core's band: rewards of this domain are all or nothing."""
    return default


@hookimpl
def probe() -> list[Missing]:
    """This domain needs an engine only, which the core looks after."""
    return []
