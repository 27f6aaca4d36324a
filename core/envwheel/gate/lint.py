"""Step `lint`: nothing that the solver sees gives tests, solution or answer away.

`before_build` looks at the folder and asks the domains; `after_build` scans every layer of the work image for files of
tests/ and solution/, and tries what looks like the answer in a box. Both report as `lint`.
"""

from __future__ import annotations

import fnmatch
import json
import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator

from envwheel.domains import Domains
from envwheel.environment.folder import TaskFolder
from envwheel.gate import compiled, hints
from envwheel.gate.lab import Batch, Lab
from envwheel.gate.options import Fault
from envwheel.gate.payloads import kind_of
from envwheel.gate.secret_files import GIT_OBJECT, LARGEST, TINY, Finder, Secret, secrets_of
from envwheel.gate.shown import Shown, is_leak
from envwheel.gate.wrong_artifacts import Result, same
from envwheel.sandbox.base import LayerFile, Tree

_GIT_WORDS = re.compile(r"\b(git|commit|branch|reflog|history|repository|stash|revert)\b", re.IGNORECASE)
_INSTALLED = re.compile(r"^/(usr/(?!local/)|lib|bin/|sbin/|etc/|var/(lib|cache|log)/)")
_COPY = re.compile(r"^\s*(?:COPY|ADD)\s+((?:--\S+\s+)*)(.+)$", re.IGNORECASE)


def before_build(task: TaskFolder, domains: Domains) -> list[Fault]:
    """What the folder alone shows."""
    faults = [
        Fault(finding.rule, f"{finding.path}: {finding.message}" if finding.path else finding.message)
        for finding in domains.for_all("inspect", task.environment)
        if finding.severity == "error"
    ]
    secrets = secrets_of(task.path)
    finder, shown = Finder(secrets), Shown(task.environment.instruction, task.config.workdir or "/app")
    for name, data in copied_files(task):
        for secret, _ in finder.find(name, data):
            if is_leak(secret, "/" + name, shown, project=True):
                faults.append(
                    Fault("leak_tests", f"the Dockerfile copies environment/{name}, which is {_named(secret)}")
                )
    return faults


def copied_files(task: TaskFolder) -> Iterator[tuple[str, bytes]]:
    """The files of environment/ that COPY and ADD bring into the image: (name, content).

    None where only the built image can tell: with several stages, or a .dockerignore.
    """
    folder = task.work_context
    if folder is None or (folder / ".dockerignore").exists():
        return
    dockerfile = (folder / "Dockerfile").read_text("utf-8", "replace")
    if len(re.findall(r"^\s*FROM\s", dockerfile, re.IGNORECASE | re.MULTILINE)) > 1:
        return
    names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
    patterns = list(_copy_sources(dockerfile))
    for name in names:
        path = folder / name
        if name != "Dockerfile" and not path.is_symlink() and any(_covers(pattern, name) for pattern in patterns):
            yield name, path.read_bytes()


def _copy_sources(dockerfile: str) -> Iterator[str]:
    for line in dockerfile.replace("\\\n", " ").splitlines():
        match = _COPY.match(line)
        if not match or "--from=" in match[1]:
            continue
        try:
            words = json.loads(match[2]) if match[2].lstrip().startswith("[") else shlex.split(match[2])
        except ValueError:
            continue
        for word in words[:-1]:
            yield posixpath.normpath(str(word)).lstrip("/")


def _covers(pattern: str, name: str) -> bool:
    parts = name.split("/")
    above = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
    return pattern in (".", "") or any(fnmatch.fnmatchcase(folder, pattern) for folder in above)


def after_build(lab: Lab, batch: Batch) -> list[Fault]:
    """What the image shows, and what the solver could simply try."""
    files = [file for file in lab.engine.image_files(lab.images.work) if 0 < file.size <= LARGEST]
    faults = leaked(lab, batch, files)
    if faults and not lab.options.all_findings:
        return faults[:1]
    return faults + hints.check(lab, batch, [file for file in files if not _installed(file.path)])


def leaked(lab: Lab, batch: Batch, files: Iterable[LayerFile]) -> list[Fault]:
    """Files of tests/ and solution/ in the image, and what the reference produces in its git histories."""
    files = list(files)
    faults, unclear = _found(lab, files)
    if faults or not (lab.task.config.separate and lab.options.need_solution):
        return faults
    if found := compiled.leaked(lab, batch, [file for file in files if not _installed(file.path)]):
        return found
    git = [file for file in files if GIT_OBJECT.search(file.path)]
    history = git and not _GIT_WORDS.search(lab.task.environment.instruction)
    if unclear or history:
        lab.learn(batch)
        result = Result(lab.reference or Tree(), lab.untouched or Tree(), "", {})
        faults = [
            Fault("leak_tests", f"the image holds {_named(secret)}, which the reference produces, as {place}")
            for secret, place in unclear
            if any(same(entry.data, secret.data) for entry in result.produced.values())
        ]
        if history:
            faults += _in_history(result, git)
    return faults


def _found(lab: Lab, files: list[LayerFile]) -> tuple[list[Fault], list[tuple[Secret, str]]]:
    """Faults, and (secret, place) of what is one only if the reference produces it."""
    finder, shown = Finder(secrets_of(lab.task.path)), hints.shown_by(lab)
    project = any(file.visible and kind_of(file.path) and "test" not in file.path for file in files)
    faults, unclear = [], []
    for file in files:
        if _installed(file.path) and not finder.has_size(file.size):
            continue
        for secret, inside in finder.find(file.path, file.read()):
            if inside.startswith("a git") and _GIT_WORDS.search(shown.instruction) and not secret.in_tests:
                continue
            leak = is_leak(secret, file.path, shown, project)
            place = f"{file.path} ({inside})" if inside else file.path
            place += "" if file.visible else " (in a lower layer)"
            if leak:
                faults.append(Fault("leak_tests", f"the image holds {_named(secret)} as {place}"))
            elif leak is None:
                unclear.append((secret, place))
    return faults, unclear


def _in_history(result: Result, git: list[LayerFile]) -> list[Fault]:
    """A git history that nobody speaks of and that has the repaired file."""
    made = [Secret(path, entry.data) for path, entry in result.produced.items() if len(entry.data.strip()) >= TINY]
    finder = Finder(made)
    return [
        Fault("leak_tests", f"the git history in the image holds {secret.path} as the reference leaves it: {file.path}")
        for file in git
        for secret, _ in finder.find(file.path, file.read())
    ]


def _installed(path: str) -> bool:
    """Where packages lie: thousands of files, of which only those of a secret's size are read."""
    return bool(_INSTALLED.match(path))


def _named(secret: Secret) -> str:
    return f"a part of {secret.path}" if secret.part else secret.path
