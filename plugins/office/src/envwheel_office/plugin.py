"""The `office` domain: workbooks, documents, slides, PDF. The hooks; what is heavy is imported when one is called."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

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
    seeded,
)
from envwheel_office.taxonomy import SKILLS

DOMAIN = Domain(
    id="office",
    title="Office work",
    summary="Spreadsheets, text documents, slides and PDF: from one cell to reports that have to add up.",
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
    from envwheel_office.briefing import write_brief

    return write_brief(digest, seed, goal)


@hookimpl
def base_images() -> list[BaseImage]:
    """The solver's box, the verifier's with LibreOffice, and one for who writes environments."""
    from envwheel_office.boxes import base_images

    return base_images()


@hookimpl
def kit() -> list[KitFile]:
    """The verifier library."""
    folder = Path(str(files("envwheel_office"))) / "kit" / "officekit"
    return [KitFile(path, f"officekit/{path.name}") for path in sorted(folder.glob("*.py"))]


@hookimpl
def families() -> list[Family]:
    """All seeded generators."""
    from envwheel_office import registry

    return [item.api_family() for item in registry.families()]


@hookimpl
def inspect(environment: Environment) -> list[Finding]:
    """Static checks: the plan is one, and what it relies on is told to who does the work."""
    from envwheel_office.lint import inspect_environment

    return inspect_environment(environment)


@hookimpl
def attacks(environment: Environment) -> list[Attack]:
    """Forgeries of this domain beside the core's battery."""
    from envwheel_office.attacks import attacks_on

    return attacks_on(environment)


@hookimpl
def mutants(environment: Environment) -> list[Mutant]:
    """The wrong solutions that the environment's family knows of."""
    from envwheel_office import registry

    return seeded.mutants(environment, registry.families())


@hookimpl
def alternatives(environment: Environment) -> list[Alternative]:
    """The other right solutions that the environment's family knows of."""
    from envwheel_office import registry

    return seeded.alternatives(environment, registry.families())


@hookimpl
def score(trial: Trial) -> Reward:
    """The raw reward as it is; only a full one is a pass."""
    return seeded.reward(trial)


@hookimpl
def band(default: Band) -> Band:
    """The core's band, by full rewards."""
    return default


@hookimpl
def probe() -> list[Missing]:
    """This domain needs an engine and a package index, which the core looks after when the images are made."""
    return []


@hookimpl
def render(files: tuple[str, ...]) -> Rendering | None:
    """Pages as pictures, by LibreOffice and poppler."""
    from envwheel_office.rendering import rendering

    return rendering(files)
