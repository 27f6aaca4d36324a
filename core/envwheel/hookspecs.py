"""The hooks that a domain may implement, each with its promise; docs/writing-a-domain.md shows them at work.

An implementation is a function marked `@envwheel.api.hookimpl`. It may take fewer arguments than the specification.
Answering None, like leaving the hook out, means: the core's own answer (`envwheel.defaults`). Only `describe` must be
there. A hook does not change its arguments. `environment.path` is a read-only copy without links, gone after the call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pluggy

from envwheel.api import (
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
)

hookspec = pluggy.HookspecMarker("envwheel")


@hookspec(firstresult=True)
def describe() -> Domain:  # type: ignore[empty-body]
    """What the domain is. Called once, when the domain is loaded; `id` equals the entry point's name."""


@hookspec(firstresult=True)
def brief(domain: Domain, digest: Digest, seed: int, goal: Goal | None) -> Brief | None:
    """What a proposer is told. Pure: equal arguments, equal text; no path of this host in it.

    With `goal`, what it asks for is that skill and level; without one the domain chooses.
    """


@hookspec(firstresult=True)
def base_images(domain: Domain) -> list[BaseImage] | None:
    """Images that a candidate's Dockerfile may start FROM. Every tag is pinned, never `latest`."""


@hookspec(firstresult=True)
def kit(domain: Domain) -> list[KitFile] | None:
    """Files that are copied into tests/kit/ of every environment of this domain. The host never imports them."""


@hookspec(firstresult=True)
def families(domain: Domain) -> list[Family] | None:
    """Seeded generators of complete environments; their skills are among the domain's."""


@hookspec(firstresult=True)
def inspect(domain: Domain, environment: Environment) -> list[Finding] | None:
    """Static faults that only this domain can see. An "error" rejects the candidate with the finding's rule as code."""


@hookspec(firstresult=True)
def attacks(domain: Domain, environment: Environment) -> list[Attack] | None:
    """Red-team solutions of this domain that must score 0. Deterministic, unique ids."""


@hookspec(firstresult=True)
def mutants(domain: Domain, environment: Environment) -> list[Mutant] | None:
    """Plausible wrong solutions that must score below 1. Deterministic, unique ids."""


@hookspec(firstresult=True)
def alternatives(domain: Domain, environment: Environment) -> list[Alternative] | None:
    """Other correct solutions that must score 1. Deterministic, unique ids."""


@hookspec(firstresult=True)
def score(domain: Domain, trial: Trial) -> Reward | None:
    """The training value of a trial in [0, 1], and whether it passed. 0 where the verifier gave 0 or crashed."""


@hookspec(firstresult=True)
def band(domain: Domain, default: Band) -> Band | None:
    """The pass rates from which a solver still learns, and the number of attempts to measure them."""


@hookspec(firstresult=True)
def probe(domain: Domain) -> list[Missing] | None:
    """What this host lacks for the domain, each with the line that mends it. Quick; never raises."""


@hookspec(firstresult=True)
def render(domain: Domain, files: tuple[str, ...]) -> Rendering | None:
    """How pictures of the documents `files` (their paths in the work box) are made, for `envwheel show --render`.

    The script runs on hostile documents; one that cannot be shown is passed over. None: this domain has no pictures.
    """


@hookspec
def admitted(report: Mapping[str, Any]) -> None:
    """Observer: an environment entered the pool; `report` is its evidence. An error is logged, never fatal."""


@hookspec
def round_finished(record: Mapping[str, Any]) -> None:
    """Observer: a round ended; `record` is its line in the ledger. An error is logged, never fatal."""
