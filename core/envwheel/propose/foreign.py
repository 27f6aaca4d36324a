"""Rollouts that others made, as records of a run: the digest reads them like its own.

    skipped = take(store, config.run)        # each once; what could not be read comes back with the reason

A rollout is copied to rollouts/foreign/ID.jsonl and .json, and a `ForeignNote` says what its environment was for. One
that does not say its skill counts under "unknown"; only a domain, family and level that the run knows move its targets.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from envwheel.attempt import trial_note
from envwheel.config import RunSection
from envwheel.importers.rollouts import Rollout, Skipped, rollouts
from envwheel.ledger import ForeignNote, Target
from envwheel.propose.digest import UNKNOWN
from envwheel.rollout import end, write_steps
from envwheel.store import RunDirectory

FOLDER = "rollouts/foreign"
NO_LEVEL = -1
DOMAIN = "foreign"


def take(store: RunDirectory, config: RunSection) -> list[Skipped]:
    """Note every rollout that `config` names and that the run does not have yet. Raises UsageError.

    A path that is gone is an error at first; later its rollouts are in the run already.
    """
    known = {note.trial.id for note in store.of(ForeignNote)}
    paths = [Path(name) for name in config.rollouts]
    gone = [path for path in paths if known and not path.exists()]
    skipped = [Skipped(path, "it is gone; what was read of it before is in the run") for path in gone]
    skills = {name: tuple(listed) for name, listed in config.rollout_skills.items()}
    for found in notes((path for path in paths if path not in gone), store.path, skills, known):
        if isinstance(found, Skipped):
            skipped.append(found)
        else:
            store.append(found)
    return skipped


def notes(
    paths: Iterable[Path], run: Path, skills: Mapping[str, tuple[str, ...]], known: Iterable[str] = ()
) -> Iterator[ForeignNote | Skipped]:
    """A note for each rollout at `paths` but the `known` ones, copied into the directory `run`. Raises UsageError."""
    taken = set(known)
    for found in rollouts(paths, skills):
        if isinstance(found, Skipped):
            yield found
            continue
        id = "foreign-" + hashlib.sha256(str(found.path.resolve()).encode("utf-8", "replace")).hexdigest()[:12]
        if id not in taken:
            taken.add(id)
            try:
                yield _note(found, id, run)
            except RecursionError:
                yield Skipped(found.path, "nested too deeply")


def _note(found: Rollout, id: str, run: Path) -> ForeignNote:
    summary = replace(found.summary, id=id, round=0, skills=found.summary.skills or (UNKNOWN,))
    steps = run / FOLDER / f"{id}.jsonl"
    write_steps(steps, found.steps)
    end(steps, summary)
    name = summary.environment
    candidate = f"foreign {name}"
    target = Target(
        candidate=candidate,
        name=name,
        domain=found.domain or DOMAIN,
        family=found.family or next(iter(found.summary.skills), name),
        level=NO_LEVEL if summary.level is None else summary.level,
        skills=summary.skills,
        seed=0,
        expected=0.5,
        reason="made elsewhere",
    )
    rollout = f"{FOLDER}/{id}.json"
    trial = trial_note(summary, candidate=candidate, environment=name, rollout=rollout, round=0)
    return ForeignNote(target=target, trial=trial, solver=summary.solver)
