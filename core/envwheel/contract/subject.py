"""The domain under test, as the checks of the contract see it: loaded once, with sample drafts and folders made once.

A check raises `Broken` (an AssertionError, so that pytest shows it as a failure) with what is wrong and where.
"""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from envwheel.api import Digest, Domain, Draft, Environment, Family, Rate
from envwheel.domains import Domains
from envwheel.errors import EnvwheelError
from envwheel.listing import Listing, canonical, installed

SEEDS = (1, 2)


class Broken(AssertionError):
    """A promise that the domain does not keep."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One draft and what it was built from."""

    family: Family
    level: int
    seed: int
    draft: Draft

    @property
    def where(self) -> str:
        """How messages name it."""
        return f"family '{self.family.id}', level {self.level}, seed {self.seed}"


class Subject:
    """An installed domain under test. Its folders are removed with it."""

    def __init__(self, id: str) -> None:
        self.id = canonical(id)
        self._folder = tempfile.TemporaryDirectory(prefix="envwheel-contract-")

    @cached_property
    def listings(self) -> list[Listing]:
        """The entry points that bear this id."""
        return [one for one in installed() if one.id == self.id]

    @cached_property
    def domains(self) -> Domains:
        """The domain, loaded alone. Raises SetupError or DomainError."""
        return Domains.load([self.id])

    @property
    def domain(self) -> Domain:
        """Its description."""
        return self.domains.get(self.id)

    @cached_property
    def samples(self) -> list[Sample]:
        """Every family at every level with every seed of SEEDS."""
        return [self.sample(one, level, seed) for one in self.families for level in one.levels for seed in SEEDS]

    @cached_property
    def families(self) -> list[Family]:
        """The domain's generators."""
        return self.domains.families(self.id)

    def sample(self, family: Family, level: int, seed: int) -> Sample:
        """One draft, built now."""
        return Sample(family, level, seed, self.domains.draft(self.id, family, level, seed))

    @cached_property
    def folders(self) -> list[tuple[Sample, Environment]]:
        """The samples of the first seed as folders, read back."""
        return [(one, self.write(one)) for one in self.samples if one.seed == SEEDS[0]]

    def write(self, sample: Sample) -> Environment:
        """A sample as a folder, read back; mappings are plain dicts, so that a changed argument can be seen.

        Raises Broken when the folder cannot be written or is no valid environment.
        """
        from envwheel.environment.draft import write
        from envwheel.environment.folder import read

        target = Path(self._folder.name, f"{sample.family.id}-{sample.level}-{sample.seed}")
        try:
            kit = self.domains.kit(self.id)
            path = write(sample.draft, target, domains=[self.id], kit=kit, proposer="procedural")
            environment = read(path).environment
        except EnvwheelError as error:
            raise Broken(f"{sample.where}: {error}") from error
        return replace(environment, task=thawed(environment.task), params=thawed(environment.params))


def digests(domain: Domain) -> list[Digest]:
    """What a proposer may read: nothing yet, and a solver that fails more with every level."""
    rates = {
        (skill, level): Rate(max(0, 8 - 2 * level - at % 2), 8, 0.0, 1.0)
        for at, skill in enumerate(sorted(domain.skills))
        for level in range(5)
    }
    return [Digest({}), Digest(rates, round=3)]


def thawed(value: Any) -> Any:
    """A deep copy of plain data in which every mapping is a dict."""
    if isinstance(value, Mapping):
        return {key: thawed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(thawed(item) for item in value)
    return copy.copy(value)
