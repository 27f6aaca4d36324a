"""Which domains are installed, from metadata alone: nothing of a plugin is imported here.

`installed()` lists the entry points of the group `envwheel.domains`; `find(id)` gives the one that bears a name. The
scan costs about 0.05 ms a distribution; what is slow is importing plugins, which `envwheel.domains` does for just the
domains that a run names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.metadata import Distribution, EntryPoint, distributions

from envwheel.errors import SetupError

GROUP = "envwheel.domains"

IN_REPO = ("swe", "office")
"""Extras of the `envwheel` distribution that are domains."""


@dataclass(frozen=True, slots=True)
class Listing:
    """One installed domain. `core` is the range of envwheel that its distribution asks for, "" when it asks for none.

    `problem` says why the metadata alone already forbid its use; "" otherwise.
    """

    id: str
    distribution: str
    version: str
    value: str
    core: str = ""
    problem: str = ""

    def entry_point(self) -> EntryPoint:
        """The entry point; loading it imports the plugin."""
        return EntryPoint(name=self.id, value=self.value, group=GROUP)


def canonical(id: str) -> str:
    """A domain id as code writes it: `computer-use` and `computer_use` are the same domain."""
    return id.strip().replace("-", "_")


def pip_line(id: str) -> str:
    """The line that installs an in-repo domain."""
    return f"pip install 'envwheel[{canonical(id).replace('_', '-')}]'"


def installed() -> list[Listing]:
    """Every installed domain by id. A distribution that is found twice counts once; a true clash is in `problem`."""
    found: dict[tuple[str, str, str], Listing] = {}
    for dist in distributions():
        for listing in _listings(dist):
            found.setdefault((listing.id, _normal(listing.distribution), listing.value), listing)
    listings = sorted(found.values(), key=lambda one: (one.id, one.distribution))
    return [_with_clash(one, [other for other in listings if other.id == one.id]) for one in listings]


def find(id: str) -> Listing:
    """The installed domain `id`. Raises SetupError when there is none, or when two distributions claim the name."""
    known = installed()
    matches = [one for one in known if one.id == canonical(id)]
    if not matches:
        names = ", ".join(sorted({one.id for one in known})) or "none"
        raise SetupError(f"Domain '{id}' is not installed. Installed: {names}. {pip_line(id)}")
    if matches[0].problem:
        raise SetupError(f"Domain '{id}' cannot be used: {matches[0].problem}")
    return matches[0]


def _listings(dist: Distribution) -> list[Listing]:
    text = dist.read_text("entry_points.txt") or ""
    if GROUP not in text:
        return []
    name = dist.metadata["Name"] or "unknown"
    version, core = dist.metadata["Version"] or "unknown", _core_range(dist)
    try:
        points = [point for point in dist.entry_points if point.group == GROUP]
    except (TypeError, ValueError) as error:
        cause = f"the entry points of {name} {version} cannot be read ({error}). Install {name} again."
        return [Listing(_normal(name), name, version, "", core, cause)]
    return [Listing(canonical(point.name), name, version, point.value, core) for point in points]


def _with_clash(listing: Listing, same: list[Listing]) -> Listing:
    if len(same) == 1 or listing.problem:
        return listing
    owners = " and ".join(f"{one.distribution} {one.version} ({one.value})" for one in same)
    problem = f"{owners} both claim the name '{listing.id}'. Uninstall one of them."
    return Listing(listing.id, listing.distribution, listing.version, listing.value, listing.core, problem)


def _core_range(dist: Distribution) -> str:
    for requirement in dist.requires or ():
        match = re.match(r"envwheel(?![\w.-])(?:\s*\[[^\]]*\])?\s*\(?([^;)]*)\)?\s*(?:;|$)", requirement)
        if match:
            return match.group(1).strip()
    return ""


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
