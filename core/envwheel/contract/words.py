"""Checks of the contract: what the domain says of itself, its brief, its images and its kit."""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

import envwheel.environment
from envwheel.api import Brief
from envwheel.contract.subject import Broken, Subject, digests

CORE_KIT = Path(envwheel.environment.__file__).parent / "kit"
SKILL_ID = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*")


def loads(subject: Subject) -> None:
    """it loads: every hook is one, and `describe` fits name and API number"""
    if subject.domains.ids != (subject.id,):
        raise Broken(f"loading '{subject.id}' gave {subject.domains.ids}")


def description_is_complete(subject: Subject) -> None:
    """`describe` has a title, a one-line summary and skills with titles"""
    domain = subject.domain
    for field, text in (("title", domain.title), ("summary", domain.summary)):
        if not text.strip() or "\n" in text:
            raise Broken(f"describe.{field} must be one line of text, got {text!r:.60}")
    if not domain.skills:
        raise Broken("describe.skills is empty; name the skills that environments of this domain train")
    for id, title in domain.skills.items():
        if not SKILL_ID.fullmatch(id) or not title.strip():
            raise Broken(f"describe.skills: {id!r} needs an id of a-z, 0-9, - and _, and a title")
    if not 0.0 <= domain.tolerance < 1.0:
        raise Broken(f"describe.tolerance must be in [0, 1), got {domain.tolerance!r}")


def brief_is_pure(subject: Subject) -> None:
    """`brief` has text, names declared skills, and equal arguments give equal text"""
    for digest in digests(subject.domain):
        for seed in (0, 1):
            first, second = (subject.domains.brief(subject.id, digest, seed) for _ in range(2))
            if first != second:
                raise Broken(f"two calls with seed {seed} gave different briefs")
            if not first.system.strip() or not first.task.strip():
                raise Broken(f"the brief for seed {seed} has an empty system or task part")
            strangers = sorted(set(first.skills) - set(subject.domain.skills))
            if strangers:
                raise Broken(f"the brief aims at skills that describe does not declare: {', '.join(strangers)}")


def brief_names_no_host_path(subject: Subject) -> None:
    """no part of the brief holds a path of this host"""
    for digest in digests(subject.domain):
        text = _text(subject.domains.brief(subject.id, digest, 0))
        for path in _host_paths(subject):
            if path in text:
                raise Broken(f"the brief holds the path {path} of this host; a proposer works in a box")


def base_images_are_pinned(subject: Subject) -> None:
    """base images have a tag and a Dockerfile, and nothing is `latest`; wheels are pinned and copied"""
    for image in subject.domains.base_images(subject.id):
        if not _pinned(image.tag):
            raise Broken(f"base image '{image.tag}' needs a tag other than latest")
        for wheel in image.wheels:
            if not re.fullmatch(r"[\w.-]+==[\w.!+-]+", wheel):
                raise Broken(f"base image '{image.tag}': wheel '{wheel}' is not pinned, NAME==VERSION")
        if image.wheels and not re.search(r"(?im)^\s*COPY\s.*\bwheels\b", image.dockerfile):
            raise Broken(f"base image '{image.tag}': its Dockerfile has wheels and no `COPY wheels` line")
        if image.context is not None and not image.context.is_dir():
            raise Broken(f"base image '{image.tag}': its context {image.context} is not a folder")
        sources = re.findall(r"(?im)^\s*FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?", image.dockerfile)
        if not sources:
            raise Broken(f"base image '{image.tag}': its Dockerfile has no FROM line")
        stages = {stage.lower() for _, stage in sources if stage}
        for source, _ in sources:
            if source != "scratch" and "$" not in source and source.lower() not in stages and not _pinned(source):
                raise Broken(f"base image '{image.tag}': `FROM {source}` is not pinned to a tag or digest")


def kit_files_exist(subject: Subject) -> None:
    """every kit file is there and has a place of its own under tests/kit/"""
    taken = {one.name for one in CORE_KIT.iterdir()}
    for one in subject.domains.kit(subject.id):
        if not one.source.is_file():
            raise Broken(f"kit file {one.target}: {one.source} is not a file of the installed distribution")
        target = PurePosixPath(one.target)
        if target.is_absolute() or ".." in target.parts or not target.parts:
            raise Broken(f"kit target {one.target!r} must lie under tests/kit/")
        if str(target) in taken:
            raise Broken(f"kit target {one.target} is taken twice, or by the core's own kit")
        taken.add(str(target))


def probe_answers(subject: Subject) -> None:
    """`probe` does not raise, and each lack comes with a fix"""
    for one in subject.domains.probe(subject.id):
        if not one.what.strip() or not one.fix.strip():
            raise Broken(f"probe gave {one}; both parts need text")


def _pinned(reference: str) -> bool:
    if "@sha256:" in reference:
        return True
    _, colon, tag = reference.rpartition("/")[2].partition(":")
    return bool(colon and tag) and tag != "latest"


def _text(brief: Brief) -> str:
    return "\n".join((brief.system, brief.task, *brief.examples))


def _host_paths(subject: Subject) -> list[str]:
    spec = find_spec(subject.listings[0].value.partition(":")[0].partition(".")[0])
    own = list(spec.submodule_search_locations or []) if spec else []
    return [path for path in {*own, sys.prefix, str(Path.cwd())} if len(Path(path).parts) > 2]
