"""The proposer without a model: a domain's seeded generators.

    proposer = Procedural(domains, families=["file_links"])
    targets = proposer.plan(number, count, seed, records)      # what to build in this round, and why
    proposer.propose(target, desk).folder                      # a complete environment folder

A target's seed is drawn from the run's seed, the round and the target's place, so that the same run makes the same
environments. A seed that leads to something that the run has built before is passed over for the next one; when none of
`TRIES` seeds is new, the target is marked as a duplicate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any

from envwheel.api import Draft, Family
from envwheel.domains import Domains
from envwheel.environment import draft as drafts
from envwheel.errors import ConfigError, DomainError
from envwheel.ledger import AnyRecord, Plan, Target
from envwheel.propose.base import Desk, Proposal
from envwheel.propose.digest import counts, seen, validity
from envwheel.propose.growth import gains
from envwheel.propose.seeds import SEEDS, derive, hashed
from envwheel.propose.spread import spread
from envwheel.propose.targets import Aim, choose

METHOD = "procedural"
TRIES = 12


class Procedural:
    """Makes candidates from the families of `domains`; `families` and `levels` limit the choice (empty: all)."""

    method = METHOD
    model: str | None = None

    def __init__(
        self, domains: Domains, families: Sequence[str] = (), levels: Sequence[int] = (), *, spread: bool = False
    ) -> None:
        self.domains, self.spread = domains, spread
        self.families = {id: _limited(domains.families(id), families, levels) for id in domains.ids}
        known = {family.id for id in domains.ids for family in domains.families(id)}
        if strangers := sorted(set(families) - known):
            raise ConfigError(f"proposer.families: no family '{strangers[0]}'. There are: {', '.join(sorted(known))}.")
        if not any(self.families.values()):
            raise ConfigError(
                f"The domains of this run ({', '.join(domains.ids) or 'none'}) offer no family at these levels: "
                "there is nothing to generate. Name other domains, or widen [proposer]."
            )

    def plan(self, number: int, count: int, seed: int, records: Sequence[AnyRecord]) -> list[Target]:
        """The targets of round `number`, from what `records` say about the solver, or spread evenly."""
        drawn = derive(seed, "round", number)
        if self.spread:
            aims = spread(self.families, count, drawn)
        else:
            trials = seen(records)
            aims = choose(self.families, counts(trials), validity(records), count, drawn, gains(trials))
        past = [target for record in records if isinstance(record, Plan) for target in record.targets]
        prints, names = {mark for target in past for mark in target.prints}, {target.name for target in past}
        targets: list[Target] = []
        for index, aim in enumerate(aims, 1):
            targets.append(self._target(f"r{number:02d}-c{index:03d}", aim, seed, prints, names))
            prints.update(targets[-1].prints)
            names.add(targets[-1].name)
        return targets

    def like(self, targets: Sequence[Target], seed: int) -> list[Target]:
        """For each of `targets`, which name a skill, one of a family that trains it at that level.

        The families that were taken least often come first; targets that no family serves are left out.
        """
        made: list[Target] = []
        used: Counter[str] = Counter()
        for target in targets:
            able = [one for one in self.families[target.domain] if target.level in one.levels]
            fitting = [one for one in able if set(target.skills) & set(one.skills)]
            if not fitting:
                continue
            family = min(fitting, key=lambda one: (used[one.id], derive(seed, target.candidate, one.id)))
            used[family.id] += 1
            reason = f"trains {', '.join(target.skills)}, as the matched target does"
            aim = Aim(target.domain, family, target.level, target.expected, reason)
            prints, names = {mark for one in made for mark in one.prints}, {one.name for one in made}
            made.append(self._target(target.candidate, aim, seed, prints, names))
        return made

    def propose(self, target: Target, desk: Desk) -> Proposal:
        """Write the environment of `target`. Raises DomainError when the family breaks its promise, InvalidTask."""
        path = desk.where / target.name
        if not path.exists():
            draft = replace(self._draft(target.domain, target.family, target.level, target.seed), name=target.name)
            kit, extra = self.domains.kit(target.domain), {"family": target.family, "seed": target.seed}
            drafts.write(draft, path, domains=[target.domain], kit=kit, proposer=METHOD, extra=extra)
        return Proposal(path)

    def close(self) -> None:
        """Nothing is held."""

    def _target(self, candidate: str, aim: Aim, seed: int, prints: Set[str], names: Set[str]) -> Target:
        """A target that the run has not built yet: neither its `prints` nor its name."""
        common: dict[str, Any] = {
            "candidate": candidate,
            "domain": aim.domain,
            "family": aim.family.id,
            "level": aim.level,
            "expected": round(aim.expected, 4),
            "reason": aim.reason,
        }
        first = derive(seed, candidate, aim.family.id, aim.level) % SEEDS
        for number in range(first, first + TRIES):
            try:
                draft = self._draft(aim.domain, aim.family.id, aim.level, number)
            except DomainError:  # raised again, and recorded, when this candidate's turn comes
                return Target(**common, name=candidate, skills=aim.family.skills, seed=number)
            marks = fingerprints(aim, draft)
            if prints.isdisjoint(marks):
                name = draft.name if draft.name not in names else f"{draft.name}-{candidate}"
                skills = draft.skills or aim.family.skills
                return Target(**common, name=name, skills=skills, seed=number, prints=marks)
        return Target(**common, name=candidate, skills=aim.family.skills, seed=first, duplicate=True)

    def _draft(self, domain: str, family: str, level: int, seed: int) -> Draft:
        found = next((one for one in self.families[domain] if one.id == family), None)
        if found is None:
            raise ConfigError(f"Domain '{domain}' no longer has the family '{family}' that this run planned with.")
        return self.domains.draft(domain, found, level, seed)


def fingerprints(aim: Aim, draft: Draft) -> tuple[str, str]:
    """What makes `draft` the same as another: family, level and parameters, or all that solver and verifier get."""
    knobs = [aim.domain, aim.family.id, aim.level, sorted((key, repr(value)) for key, value in draft.params.items())]
    content = [
        draft.instruction,
        draft.setup,
        draft.artifacts,
        *(sorted((name, _text(data)) for name, data in part.items()) for part in (draft.files, draft.tests)),
    ]
    return hashed(knobs), hashed(content)


def _text(data: str | bytes) -> str:
    return data if isinstance(data, str) else data.hex()


def _limited(families: Sequence[Family], ids: Sequence[str], levels: Sequence[int]) -> list[Family]:
    """The families of these ids at these levels; empty means any."""
    chosen = [family for family in families if not ids or family.id in ids]
    cut = [replace(f, levels=tuple(level for level in f.levels if not levels or level in levels)) for f in chosen]
    return [family for family in cut if family.levels]
