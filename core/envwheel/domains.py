"""The domains of one run: loaded by name, called through one typed method a hook.

    domains = Domains.load(["swe"])             # imports just these; the order is the order of the run
    domains.attacks("swe", environment)         # the domain's answer, else the core's
    domains.for_all("attacks", environment)     # those of every domain of the run
    domains.score(None, trial)                  # the core's own answer

What comes back is checked; a hook that raises, takes too long or returns something else than promised is a
`DomainError` that names domain, distribution, version, hook and cause. Observers never raise.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, overload

import pluggy

from envwheel import defaults, hookspecs
from envwheel.api import (
    API,
    OLDEST_API,
    Alternative,
    Attack,
    Band,
    BaseImage,
    Brief,
    Digest,
    Domain,
    Draft,
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
from envwheel.errors import DomainError
from envwheel.listing import Listing, canonical, find, installed
from envwheel.readonly import shown, within
from envwheel.sandbox.images import BASE
from envwheel.shape import fault
from envwheel.version import __version__

__all__ = ["Domains", "Listing", "installed"]

log = logging.getLogger("envwheel.domains")

HOOK_SECONDS = 60.0
"""Time limit of a hook that looks at a folder."""

FolderHook = Literal["inspect", "attacks", "mutants", "alternatives"]

_CORE = Listing("core", "envwheel", __version__, "envwheel.defaults")


class Domains:
    """The domains of one run, in order. Thread-safe once loaded."""

    def __init__(self, hook_seconds: float = HOOK_SECONDS) -> None:
        self._seconds = hook_seconds
        self._pm = pluggy.PluginManager("envwheel")
        self._pm.add_hookspecs(hookspecs)
        self._pm.register(defaults, name="core")
        self._plugins: dict[str, tuple[Listing, Domain]] = {}

    @classmethod
    def load(cls, ids: Sequence[str], *, hook_seconds: float = HOOK_SECONDS) -> Domains:
        """Import the domains `ids` (hyphens and underscores alike) and no others.

        Raises SetupError for one that is not installed or claimed twice, DomainError for one that is broken.
        """
        domains = cls(hook_seconds)
        for id in dict.fromkeys(canonical(id) for id in ids):
            domains._add(find(id))
        return domains

    @classmethod
    def among(cls, ids: Iterable[str]) -> Domains:
        """Those of `ids` that are installed: what environments say of themselves. Raises SetupError, DomainError."""
        wanted = {canonical(id) for id in ids}
        return cls.load([one.id for one in installed() if one.id in wanted])

    @classmethod
    def none(cls) -> Domains:
        """No domain: every answer is the core's."""
        return cls()

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids in the order of the run."""
        return tuple(self._plugins)

    @property
    def versions(self) -> Mapping[str, str]:
        """Id -> version of its distribution, for evidence."""
        return {id: listing.version for id, (listing, _) in self._plugins.items()}

    def get(self, id: str | None) -> Domain:
        """The description of a loaded domain; None is the core's own. Raises KeyError for one that is not loaded."""
        return defaults.CORE if id is None else self._plugins[canonical(id)][1]

    def judge_of(self, environment: Environment) -> str | None:
        """Whose `score` and `band` count: the first domain the environment names that is in the run, else the first."""
        return next((id for id in environment.domains if id in self._plugins), next(iter(self._plugins), None))

    # One method a hook.

    def describe(self, id: str | None) -> Domain:
        """The domain's description, as it was given when the domain was loaded."""
        return self.get(id)

    def brief(self, id: str | None, digest: Digest, seed: int, goal: Goal | None = None) -> Brief:
        """What a proposer is told, with `goal` about that skill and level."""
        return self._call(id, "brief", Brief, digest=digest, seed=seed, goal=goal)

    def base_images(self, id: str | None) -> list[BaseImage]:
        """Images that a Dockerfile may start FROM."""
        return self._call(id, "base_images", list[BaseImage])

    def image(self, id: str, role: Literal["work", "verifier", "author"]) -> str:
        """The tag of the domain's first base image for `role`, else of its first for work, else the core's."""
        there = self.base_images(id)
        fitting = [one.tag for one in there if one.role == role] or [one.tag for one in there if one.role == "work"]
        return fitting[0] if fitting else BASE

    def kit(self, id: str | None) -> list[KitFile]:
        """Files for tests/kit/."""
        return self._call(id, "kit", list[KitFile])

    def families(self, id: str | None) -> list[Family]:
        """Seeded generators."""
        return self._with_unique_ids(id, "families", self._call(id, "families", list[Family]))

    def draft(self, id: str | None, family: Family, level: int, seed: int) -> Draft:
        """What `family` builds, checked like the answer of a hook."""
        return self._checked(id, f"families: {family.id}", Draft, lambda: family.build(level, seed))

    def inspect(self, id: str | None, environment: Environment) -> list[Finding]:
        """Static faults that this domain sees."""
        return self._look(id, "inspect", list[Finding], environment)

    def attacks(self, id: str | None, environment: Environment) -> list[Attack]:
        """Red-team solutions that must score 0."""
        return self._with_unique_ids(id, "attacks", self._look(id, "attacks", list[Attack], environment))

    def mutants(self, id: str | None, environment: Environment) -> list[Mutant]:
        """Wrong solutions that must score below 1."""
        return self._with_unique_ids(id, "mutants", self._look(id, "mutants", list[Mutant], environment))

    def alternatives(self, id: str | None, environment: Environment) -> list[Alternative]:
        """Other correct solutions that must score 1."""
        return self._with_unique_ids(id, "alternatives", self._look(id, "alternatives", list[Alternative], environment))

    def score(self, id: str | None, trial: Trial) -> Reward:
        """The training value of `trial`."""
        return self._call(id, "score", Reward, trial=trial)

    def band(self, id: str | None, default: Band) -> Band:
        """The learnable band."""
        return self._call(id, "band", Band, default=default)

    def probe(self, id: str | None) -> list[Missing]:
        """What this host lacks."""
        return self._call(id, "probe", list[Missing])

    def render(self, id: str | None, files: tuple[str, ...]) -> Rendering | None:
        """How pictures of `files` are made, None where the domain has none."""
        found: Rendering | None = self._call(id, "render", Rendering | None, files=files)
        return found

    @overload
    def for_all(self, hook: Literal["inspect"], environment: Environment) -> list[Finding]: ...
    @overload
    def for_all(self, hook: Literal["attacks"], environment: Environment) -> list[Attack]: ...
    @overload
    def for_all(self, hook: Literal["mutants"], environment: Environment) -> list[Mutant]: ...
    @overload
    def for_all(self, hook: Literal["alternatives"], environment: Environment) -> list[Alternative]: ...
    def for_all(self, hook: FolderHook, environment: Environment) -> list[Any]:
        """The answers of every domain of the run in one list: the run's domains judge, whatever a candidate says."""
        return [item for id in self.ids for item in getattr(self, hook)(id, environment)]

    def admitted(self, report: Mapping[str, Any]) -> None:
        """Tell every domain that an environment entered the pool."""
        self._tell("admitted", report=report)

    def round_finished(self, record: Mapping[str, Any]) -> None:
        """Tell every domain that a round ended."""
        self._tell("round_finished", record=record)

    # How a hook is called.

    def _add(self, listing: Listing) -> None:
        plugin = self._attempt(listing, None, "importing it", listing.entry_point().load)
        self._attempt(listing, None, "registering it", lambda: self._pm.register(plugin, name=listing.id))
        callers = self._pm.get_hookcallers(plugin) or []
        strangers = [caller.name for caller in callers if not caller.has_spec()]
        if strangers:
            raise self._error(
                listing, None, f"implements `{strangers[0]}`, which is not a hook. Hooks: {_hook_names()}"
            )
        caller = self._pm.subset_hook_caller("describe", list(self._others(listing.id)))
        domain = self._attempt(listing, "describe", "it", caller)
        problem = fault(domain, Domain, "returned value") or _unfit(domain, listing.id)
        if problem:
            raise self._error(listing, "describe", problem)
        self._plugins[listing.id] = (listing, domain)

    def _call(self, id: str | None, hook: str, returns: Any, **arguments: Any) -> Any:
        caller = self._caller(id, hook)
        domain = self.get(id)
        return self._checked(id, hook, returns, lambda: caller(domain=domain, **arguments))

    def _look(self, id: str | None, hook: FolderHook, returns: Any, environment: Environment) -> Any:
        caller, domain = self._caller(id, hook), self.get(id)
        with shown(environment) as copy:
            return self._checked(
                id, hook, returns, lambda: within(self._seconds, lambda: caller(domain=domain, environment=copy))
            )

    def _checked(self, id: str | None, hook: str, returns: Any, call: Callable[[], Any]) -> Any:
        listing = self._listing(id)
        value = self._attempt(listing, hook, "it", call)
        if isinstance(value, tuple):
            value = list(value)
        problem = fault(value, returns, "returned value")
        if problem:
            raise self._error(listing, hook, problem)
        return value

    def _with_unique_ids(self, id: str | None, hook: str, items: list[Any]) -> list[Any]:
        ids = [item.id for item in items]
        twice = next((one for one in ids if ids.count(one) > 1), None)
        if twice is not None:
            raise self._error(self._listing(id), hook, f"gave two items with the id '{twice}'")
        return items

    def _tell(self, hook: str, **arguments: Any) -> None:
        for id in self.ids:
            try:
                self._caller(id, hook)(**arguments)
            except (Exception, SystemExit) as error:
                log.warning("Domain '%s': observer `%s` raised %s", id, hook, _line(error))

    def _caller(self, id: str | None, hook: str) -> pluggy.HookCaller:
        return self._pm.subset_hook_caller(hook, list(self._others(None if id is None else canonical(id))))

    def _others(self, id: str | None) -> list[Any]:
        return [plugin for name, plugin in self._pm.list_name_plugin() if name not in ("core", id)]

    def _listing(self, id: str | None) -> Listing:
        return _CORE if id is None else self._plugins[canonical(id)][0]

    def _attempt(self, listing: Listing, hook: str | None, what: str, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except TimeoutError as error:
            raise self._error(listing, hook, str(error) or "timed out") from error
        except (Exception, SystemExit) as error:
            raise self._error(listing, hook, f"{what} raised {_line(error)}".removeprefix("it ")) from error

    @staticmethod
    def _error(listing: Listing, hook: str | None, cause: str) -> DomainError:
        return DomainError(listing.id, listing.distribution, listing.version, hook, cause)


def _unfit(domain: Domain, name: str) -> str | None:
    if domain.id != name:
        return f"says its id is '{domain.id}', but the entry point is '{name}'"
    if not OLDEST_API <= domain.api <= API:
        return f"was written for API {domain.api}; this envwheel has {OLDEST_API} to {API}"
    return None


def _hook_names() -> str:
    return ", ".join(sorted(name for name, value in vars(hookspecs).items() if hasattr(value, "envwheel_spec")))


def _line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:300]}".rstrip(". ") if text else type(error).__name__
