"""Step `mutants`: plausible wrong solutions must score below 1, other correct ones must score 1.

Wrong ones are the domain's mutants (bash after the reference) and `wrong_artifacts` of the reference's own result. A
mutant that is right after all is declared in task.toml with a reason:

    [[metadata.envwheel.equivalents]]
    id = "order_reversed"
    reason = "the order of the lines is free"
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace

from envwheel.errors import BoxGone
from envwheel.gate import fixed_answer
from envwheel.gate.lab import Batch, Lab, last_words
from envwheel.gate.options import Fault
from envwheel.gate.wrong_artifacts import Result, Wrong, changed, constant, wrong_artifacts
from envwheel.sandbox.base import ArtifactLimit, Box, Tree
from envwheel.trial import Attempt, NoWork, ScriptWork, Work, WorkReport, inline, solution_work

FIRST_NUMBER = 300
FIXED = "fixed_answer"
NEVER_EQUIVALENT = ("emptied", "constant")
"""No reason makes these right, so that a candidate cannot declare its way through the gate."""


def check(lab: Lab, batch: Batch) -> list[Fault]:
    """The first mutant that passes or alternative that does not, or all of them."""
    faults: list[Fault] = []
    for judged in (_weak, _strict):
        faults += judged(lab, batch)
        if faults and not lab.options.all_findings:
            break
    return faults


def _weak(lab: Lab, batch: Batch) -> list[Fault]:
    lab.learn(batch)
    declared = equivalents(lab)
    own = [m for m in lab.domains.for_all("mutants", lab.task.environment) if m.id not in declared]
    result = _result(lab, batch)
    wrongs = [wrong for wrong in wrong_artifacts(result) if wrong.id not in declared]
    repeating = None
    if lab.task.config.separate and FIXED not in declared:
        repeating = changed(result, fixed_answer.wrapped)
    if repeating is not None:
        # Rubbish in place of programs is tried where they are not even run, by `_answers_once`.
        wrongs = [wrong for wrong in wrongs if wrong.id != "constant"]
        observed = batch.observe("observation", FIXED, repeating, fixed_answer.KEPT)
    tried = [(wrong.id, wrong.why, _try_wrong(lab, batch, wrong)) for wrong in wrongs]
    for number, mutant in enumerate(own):
        work = replace(solution_work(lab.task, kind="mutant", then=mutant.script), id=mutant.id)
        tried.append((mutant.id, mutant.why, batch.run(work, FIRST_NUMBER + number, reuse="now")))
    faults: list[Fault] = []
    for id, why, future in tried:
        done = future.result()
        # What leaves the reference's artifacts as they are has changed nothing.
        same = lab.task.config.separate and lab.reference and done.artifacts.sha256() == lab.reference.sha256()
        if lab.holds(done.record) and not same:
            faults.append(Fault("weak_verifier", f"the wrong solution {id} scores {done.record.reward:g}: {why}"))
            if not lab.options.all_findings:
                break
    if repeating is not None and not faults and lab.holds(observed.result().record):
        faults += _answers_once(lab, batch, result, observed.result())
    return faults or ([lab.weakness] if lab.weakness else [])


def _answers_once(lab: Lab, batch: Batch, result: Result, observed: Attempt) -> list[Fault]:
    """Whether programs pass that give their first answer always. What made the tests pass is built in, or rubbish."""
    kept = {path: entry.data for path, entry in observed.artifacts.entries.items() if entry.kind == "file"}
    seen = {**result.inputs, **{path: entry.data for path, entry in result.untouched.entries.items()}}
    tree, id = changed(result, lambda path, data: fixed_answer.fixed(path, data, kept) or data), FIXED
    if not kept:
        tree, id = changed(result, constant), "constant"
    elif tree is None or not fixed_answer.could_know(kept, seen, result.instruction):
        return []
    if tree is None or not lab.holds(record := batch.grade("mutant", id, tree).result().record):
        return []
    why = "the program answers the same whatever it is asked" if kept else "every program is a constant"
    return [Fault("weak_verifier", f"the wrong solution {id} scores {record.reward:g}: {why}")]


def _strict(lab: Lab, batch: Batch) -> list[Fault]:
    works = [solution_work(lab.task, f"alternatives/{id}.sh", "alternative") for id, _ in lab.task.alternatives]
    for alternative in lab.domains.for_all("alternatives", lab.task.environment):
        works.append(ScriptWork("alternative", alternative.id, (inline(alternative.script),)))
    futures = [(work, batch.run(work, FIRST_NUMBER - 50 + number)) for number, work in enumerate(works)]
    faults: list[Fault] = []
    for number, (work, future) in enumerate(futures):
        record = future.result().record
        if lab.holds(record) or lab.holds(batch.run(work, FIRST_NUMBER + 50 + number).result().record):
            continue
        scored = "gets no valid reward" if record.reward is None else f"scores {record.reward:g}"
        name = work.id.removeprefix("alternatives/")
        faults.append(Fault("too_strict", f"the alternative solution {name} {scored}: {last_words(record)}"))
        if not lab.options.all_findings:
            break
    return faults


def equivalents(lab: Lab) -> frozenset[str]:
    """Ids of mutants that task.toml declares right, with a reason."""
    metadata = lab.task.config.metadata
    listed = [table.get("equivalents") for table in (lab.task.config.own, metadata)]
    items = [item for items in listed if isinstance(items, list) for item in items if isinstance(item, dict)]
    ids = (item.get("id") for item in items if isinstance(item.get("reason"), str) and item["reason"].strip())
    return frozenset(id for id in ids if isinstance(id, str) and id not in NEVER_EQUIVALENT)


def _result(lab: Lab, batch: Batch) -> Result:
    """What the reference leaves over the untouched state; in shared mode that is seen in the working directory."""
    reference, untouched = lab.reference or Tree(), lab.untouched or Tree()
    if not lab.task.config.separate:
        kept = [Keeping(solution_work(lab.task), _workdir(lab)), Keeping(NoWork(), _workdir(lab))]
        for number, work in enumerate(kept):
            batch.run(work, FIRST_NUMBER + 90 + number).result()
        reference, untouched = kept[0].tree, kept[1].tree
    return Result(reference, untouched, lab.task.environment.instruction, _inputs(lab), lab.fixed)


def _workdir(lab: Lab) -> str:
    return lab.task.config.workdir or lab.images.work.workdir or "/"


def _inputs(lab: Lab) -> Mapping[str, bytes]:
    folder = lab.task.path / "environment"
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and path.name != "Dockerfile"
    }


def _try_wrong(lab: Lab, batch: Batch, wrong: Wrong) -> Future[Attempt]:
    if lab.task.config.separate:
        return batch.grade("mutant", wrong.id, wrong.tree)
    return batch.run(Overwriting(wrong.id, solution_work(lab.task), wrong.tree, _workdir(lab)), FIRST_NUMBER)


class Keeping:
    """A work whose folder `at` is kept as `tree` (shared mode, where a trial has no artifacts)."""

    def __init__(self, work: Work, at: str) -> None:
        self.kind, self.id = work.kind, work.id
        self.work, self.at, self.tree = work, at, Tree()

    def __call__(self, box: Box, timeout_s: float) -> WorkReport:
        """Work, then look."""
        report = self.work(box, timeout_s)
        try:
            self.tree = box.get(self.at) or Tree()
        except (ArtifactLimit, BoxGone):
            self.tree = Tree()
        return report


@dataclass(frozen=True, slots=True)
class Overwriting:
    """The reference, after which the files of folder `at` are those of `tree` (shared mode)."""

    id: str
    reference: ScriptWork
    tree: Tree
    at: str
    kind: str = "mutant"

    def __call__(self, box: Box, timeout_s: float) -> WorkReport:
        """Work, then spoil."""
        report = self.reference(box, timeout_s)
        kept = box.get(self.at) or Tree()
        gone = [path for path, entry in kept.entries.items() if entry.kind == "file" and path not in self.tree.entries]
        script = "\n".join(f"rm -f -- {shlex.quote(path)}" for path in gone)
        if script:
            box.shell(user="root").run(script)
        changed = {path: entry for path, entry in self.tree.entries.items() if kept.entries.get(path) != entry}
        box.put(Tree(changed))
        return report
