"""Checks of the contract: the generators, and the folders that their drafts become."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import sys
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from envwheel.api import EMPTY, Draft
from envwheel.child import ChildFailed, ask
from envwheel.contract.subject import SEEDS, Broken, Sample, Subject

CORE_IMAGE = "envwheel/base:bookworm"
BUILD_SECONDS = 1800.0
NAME = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*")


def families_build(subject: Subject) -> None:
    """every family builds at every level, with names of their own and the promised family, level and seed"""
    for family in subject.families:
        if not family.levels or min(family.levels) < 0:
            raise Broken(f"family '{family.id}' needs levels of 0 and more, got {family.levels}")
    names: dict[str, Sample] = {}
    for one in subject.samples:
        draft = one.draft
        if not NAME.fullmatch(draft.name):
            raise Broken(f"{one.where}: the name {draft.name!r} may have a-z, 0-9, - and _ only")
        other = names.setdefault(draft.name, one)
        if other is not one:
            raise Broken(f"{one.where} and {other.where} have the same name '{draft.name}'")
        said = (draft.params.get("family"), draft.params.get("seed"), draft.level)
        if said != (one.family.id, one.seed, one.level):
            raise Broken(f"{one.where}: params['family'], params['seed'] and level say {said}")


def families_are_deterministic(subject: Subject) -> None:
    """another process with another hash seed builds equal drafts"""
    code = "import sys; from envwheel.contract.drafts import print_digests; print_digests(sys.argv[1])"
    try:
        theirs = ask(code, subject.id, seconds=BUILD_SECONDS, hash_seed=4711)
    except ChildFailed as error:
        raise Broken(f"building in a second process {error}") from error
    for one in subject.samples:
        if theirs.get(one.where) != digest(one.draft):
            raise Broken(f"{one.where}: a second process built a different draft")


def seeds_differ(subject: Subject) -> None:
    """another seed gives another environment, not only another name"""
    first = [one for one in subject.samples if one.seed == SEEDS[0]]
    second = [one for one in subject.samples if one.seed == SEEDS[1]]
    for one, other in zip(first, second, strict=True):
        contents = {_content(one.draft), _content(other.draft)}
        if len(contents) == 1:
            contents.add(_content(subject.sample(one.family, one.level, max(SEEDS) + 1).draft))
        if len(contents) == 1:
            raise Broken(f"family '{one.family.id}', level {one.level}: three seeds gave the same environment")


def skills_are_declared(subject: Subject) -> None:
    """families and drafts name skills that `describe` declares"""
    known = set(subject.domain.skills)
    named = [(f"family '{one.id}'", one.skills) for one in subject.families]
    named += [(one.where, one.draft.skills) for one in subject.samples]
    for where, skills in named:
        strangers = sorted(set(skills) - known)
        if strangers or not skills:
            raise Broken(f"{where}: skills not in describe: {', '.join(strangers) or 'none are named'}")


def instructions_name_the_artifacts(subject: Subject) -> None:
    """the instruction tells where each artifact is expected"""
    for one in subject.samples:
        for path in one.draft.artifacts:
            inside = path.removeprefix("/app/")
            if path not in one.draft.instruction and inside not in one.draft.instruction:
                raise Broken(f"{one.where}: the instruction does not name the artifact {path}")


def images_are_known(subject: Subject) -> None:
    """drafts start from images that the domain or the core declares"""
    known = {image.tag for image in subject.domains.base_images(subject.id)} | {CORE_IMAGE}
    for one in subject.samples:
        strangers = {one.draft.image, one.draft.verifier_image or one.draft.image} - known
        if strangers:
            raise Broken(f"{one.where}: image {', '.join(sorted(strangers))} is not among base_images")


def drafts_become_folders(subject: Subject) -> None:
    """every draft can be written as an environment folder and read back as what it was"""
    for one, environment in subject.folders:
        said = (environment.instruction.strip(), environment.artifacts, environment.level, set(environment.skills))
        meant = (one.draft.instruction.strip(), one.draft.artifacts, one.draft.level, set(one.draft.skills))
        if said != meant:
            raise Broken(f"{one.where}: the folder says {said!r:.200}, the draft {meant!r:.200}")


def print_digests(id: str) -> None:
    """What the second process prints: one JSON object, sample -> content hash, as its last line."""
    with contextlib.redirect_stdout(sys.stderr):
        digests = {one.where: digest(one.draft) for one in Subject(id).samples}
    print("\n" + json.dumps(digests))


def digest(draft: Draft) -> str:
    """Content hash of a draft; the order in mappings does not count."""
    return hashlib.sha256(json.dumps(_plain(draft), sort_keys=True).encode()).hexdigest()


def _content(draft: Draft) -> str:
    return digest(replace(draft, name="", params=EMPTY))


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if hasattr(value, "items"):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, Path) else value
