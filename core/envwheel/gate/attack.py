"""Step `attack`: nothing that does none of the work may end above 0. Ending in `verifier_error` is no forgery.

An attack through the artifacts may pay only because the tests take anything: then plain rubbish in the same place gets
the full reward too, and the code is `weak_verifier`, which the step `mutants` reports.

Where only artifacts cross over to the verifier, the attacks on the box share one: a dozen boxes fewer, a third of all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace

from envwheel.api import Attack
from envwheel.gate.battery import RUBBISH, Target, battery
from envwheel.gate.box_attacks import IN_WORKDIR, ON_THE_BOX, STAY_BEHIND
from envwheel.gate.lab import Batch, Lab
from envwheel.gate.options import Fault
from envwheel.gate.payloads import kind_of
from envwheel.gate.texts import read_text
from envwheel.sandbox.base import Entry, Tree
from envwheel.trial import Attempt, ScriptWork, inline

FIRST_NUMBER = 200
BOX_ATTACKS = frozenset(id for id, *_ in ON_THE_BOX)
LARGEST_PROGRAM = 1 << 20
_EVALUATES = re.compile(
    r"(?<![\w.])(?:eval|exec|execfile)\b\s*[(\"$]|pickle|\bdill\b|joblib|shelve|torch\.load|jsonpickle"
    r"|yaml\.(?:unsafe_|full_)?load|UnsafeLoader|runpy|exec\(|^\s*(?:source|\.)\s+\S|;\s*(?:source|\.)\s+[\"$/]",
    re.MULTILINE,
)


def check(lab: Lab, batch: Batch) -> list[Fault]:
    """The first attack that pays, or all of them."""
    if lab.options.need_solution:
        lab.learn(batch)
    target = target_of(lab)
    attacks = [*battery(target), *lab.domains.for_all("attacks", lab.task.environment)]
    bodiless = [attack for attack in attacks if _leaves_artifacts_alone(lab, attack.id)]
    bodiless.sort(key=lambda attack: attack.id in STAY_BEHIND)  # last: they take the time of what comes after
    shared = batch.run(_work("on-the-box", *bodiless), FIRST_NUMBER - 20, reuse="now") if bodiless else None

    def alone(some: Iterable[Attack]) -> dict[Attack, Future[Attempt]]:
        numbers = {attack: FIRST_NUMBER + attacks.index(attack) for attack in some}
        return {attack: batch.run(_work(attack.id, attack), at, reuse="now") for attack, at in numbers.items()}

    futures = alone(attack for attack in attacks if attack not in bodiless)
    if shared and not _shows_that_none_pays(lab, batch, shared, bodiless):
        futures |= alone(bodiless)
    faults = []
    for attack, future in futures.items():
        reward = future.result().record.reward
        if not reward:
            continue
        rubbish = _rubbish(lab, batch, target) if _through_artifacts(attack.id) else None
        if rubbish and lab.options.asks("mutants"):
            lab.weakness = Fault("weak_verifier", f"the tests take anything: {rubbish}")
            continue
        faults.append(Fault("forgeable", f"attack {attack.id} gets {reward:g}: {attack.why}"))
        if not lab.options.all_findings:
            break
    return faults


def _work(id: str, *attacks: Attack) -> ScriptWork:
    return ScriptWork("attack", id, tuple(inline(attack.script) for attack in attacks))


def _leaves_artifacts_alone(lab: Lab, id: str) -> bool:
    """Whether an attack changes the box only, no artifact, where nothing but artifacts crosses over to the verifier."""
    config = lab.task.config
    if not config.separate or id not in BOX_ATTACKS:
        return False
    workdir = f"{config.workdir or lab.images.work.workdir or '/'}/"
    return id not in IN_WORKDIR or not any(workdir.startswith(f"{path}/") for path in config.artifact_paths)


def _shows_that_none_pays(lab: Lab, batch: Batch, shared: Future[Attempt], attacks: Sequence[Attack]) -> bool:
    """Whether the artifacts are the untouched ones after all these attacks, one after the other in one box.

    Then the verifier sees of each of them what it sees of nobody's work: boxes for each would say no more.
    """
    untouched, after = batch.first_untouched().result().artifacts, shared.result()
    if after.record.reason or after.record.reward or after.artifacts.sha256() != untouched.sha256():
        return False
    record = replace(after.record, reused=True, seconds=after.record.seconds / len(attacks))
    batch.replace(shared, [replace(record, id=attack.id) for attack in attacks])
    return True


def _through_artifacts(id: str) -> bool:
    """Whether an attack of the battery is an artifact of its own kind, not a change to the box."""
    return id[:3] in ("08-", "12-", "13-", "14-", "15-")


def _rubbish(lab: Lab, batch: Batch, target: Target) -> str:
    """What harmless rubbish gets the full reward, "" when none does."""
    if lab.weakness:
        return lab.weakness.message
    for number, attack in enumerate(battery(target, RUBBISH)):
        work = ScriptWork("mutant", attack.id, (inline(attack.script),))
        if lab.holds(batch.run(work, FIRST_NUMBER - 10 + number, reuse="now").result().record):
            return attack.why
    return ""


def target_of(lab: Lab) -> Target:
    """What the battery aims at. In shared mode that is the working directory as the image has it."""
    task = lab.task
    if not task.config.separate:
        workdir = task.config.workdir or lab.images.work.workdir or "/"
        files = _image_files(lab, workdir)
        return Target((workdir,), (workdir,), tuple(files), _programs(files), _tests(lab), _evaluates(lab))
    reference = lab.reference or Tree()
    files = {path: entry for path, entry in reference.entries.items() if entry.kind == "file"}
    declared = task.config.artifact_paths
    folders = tuple(path for path in declared if (found := reference.entries.get(path)) and found.kind == "dir")
    missing = {path: Entry("file", 0o644) for path in declared if path not in reference.entries}
    programs = _programs({**files, **missing})
    return Target(declared, folders, tuple(files), programs, _tests(lab), _evaluates(lab))


def _programs(files: Mapping[str, Entry]) -> tuple[tuple[str, str, bool], ...]:
    found = []
    for path, entry in files.items():
        kind = kind_of(path, entry.data, entry.mode) if "/.git/" not in path else None
        if kind:
            found.append((kind, path, kind != "c" or b"main" in entry.data))
    return tuple(found)


def _image_files(lab: Lab, workdir: str) -> dict[str, Entry]:
    below = workdir.rstrip("/") + "/"
    return {
        file.path: Entry("file", 0o644, file.read())
        for file in lab.engine.image_files(lab.images.work)
        if file.visible and file.path.startswith(below) and file.size < LARGEST_PROGRAM
    }


def _evaluates(lab: Lab) -> bool:
    """Whether a word in tests/ speaks for data that is taken for code."""
    folder = lab.task.path / "tests"
    return any(_EVALUATES.search(read_text(path)) for path in sorted(folder.rglob("*")))


def _tests(lab: Lab) -> tuple[str, ...]:
    folder = lab.task.path / "tests"
    return tuple(path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file())
