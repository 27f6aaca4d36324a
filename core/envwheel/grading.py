"""Running the tests: in a fresh verifier box that gets nothing but artifacts, or (shared mode) in the work box itself.

`grade` and `grade_in_place` give a `Grading`: a score, or none and why. InfraError means that our side failed; a box
that dies under the tests is a grading without a reward.
"""

from __future__ import annotations

import shlex
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from envwheel.api import Check
from envwheel.environment.folder import TaskFolder
from envwheel.environment.tree import tree_from_folder
from envwheel.errors import BoxGone
from envwheel.reward import LOGS, READ, Score, read_checks, read_reward
from envwheel.sandbox.base import ArchiveCaps, ArtifactLimit, Box, BoxSpec, CommandResult, Engine, Entry, Shell, Tree

TAIL = 4000
"""Characters of output that a record keeps."""
OUTPUT_CAP = 1 << 18
LOG_CAPS = ArchiveCaps(size_mb=16, members=2000)
FILE_CAPS = ArchiveCaps(size_mb=1, members=1)
TEST = "if [ -x /bin/bash ]; then /bin/bash /tests/test.sh; else bash /tests/test.sh; fi"
"""By its full path: a `bash` earlier in PATH is the solver's."""
STOP_ALL = "kill -9 -1 2>/dev/null"
"""A builtin of the shell: ends all processes but this shell and the box's first process."""
REVERSED = b'''"""Runs the tests in reverse order."""


def pytest_collection_modifyitems(items):
    items.reverse()
'''


@dataclass(frozen=True, slots=True)
class Grading:
    """What the tests said. `output` is the tail of what they printed, `kept` a folder of the box that was asked for."""

    score: Score
    checks: tuple[Check, ...] = ()
    exit_code: int | None = None
    output: str = ""
    seconds: float = 0.0
    peak_mb: float | None = None
    cpu_s: float | None = None
    kept: Tree = field(default_factory=Tree)


class GradingCache:
    """Gradings by verifier image and artifacts. Only for attacks and mutants: a repetition must be one."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Grading] = {}
        self._lock = threading.Lock()

    def get(self, image: str, artifacts: Tree) -> Grading | None:
        """An earlier grading of the same artifacts, if there was one."""
        with self._lock:
            return self._known.get((image, artifacts.sha256()))

    def put(self, image: str, artifacts: Tree, grading: Grading) -> None:
        """Remember a grading that gave a reward."""
        if grading.score.reward is not None:
            with self._lock:
                self._known[image, artifacts.sha256()] = grading


def grade(
    engine: Engine,
    spec: BoxSpec,
    task: TaskFolder,
    artifacts: Tree,
    *,
    tests_inside: bool,
    reverse: bool = False,
    keep: str = "",
) -> Grading:
    """Grade `artifacts` in a fresh box. `tests_inside`: the image brings /tests, else they are put there.

    `keep`: a folder of the box that is taken out when the tests are done.
    """
    extra = Tree() if tests_inside else _tests(task)
    if reverse:
        extra = extra.merged(_reversed(task))
    with engine.start(spec) as box:
        try:
            stale = [*task.config.artifact_paths, *(() if tests_inside else ("/tests",))]
            root = box.shell(user="root", env=task.config.verifier_env)
            root.run(_prepare(stale, task.config.verifier_user))
            box.put(artifacts.merged(extra))
            result = _run_tests(box, root, task)
            kept = _kept(box, keep) if keep else Tree()
        except BoxGone as gone:
            return Grading(Score(None, fault=f"the verifier box ended: {gone.reason}"), output=str(gone))
        box.stop()
        return replace(_read(box, result, task), kept=kept)


def grade_in_place(box: Box, task: TaskFolder, *, reverse: bool = False) -> Grading:
    """Stop all that runs in the work box, bring the tests in and run them there. Raises BoxGone."""
    root = box.shell(user="root", env=task.config.verifier_env)
    root.run(f"{STOP_ALL}; {_prepare(['/tests'], task.config.verifier_user)}")
    tests = _tests(task)
    box.put(tests.merged(_reversed(task)) if reverse else tests)
    result = _run_tests(box, root, task)
    root.run(STOP_ALL)
    return _read(box, result, task)


def collect(box: Box, paths: tuple[str, ...]) -> Tree:
    """What is at `paths`; a box that is gone for good has nothing. Raises ArtifactLimit."""
    tree = Tree()
    for path in paths:
        try:
            found = box.get(path)
        except BoxGone as gone:
            return replace(tree, dropped=(*tree.dropped, f"{path}: {gone}"))
        tree = tree.merged(found or Tree())
    return tree


def _prepare(stale: Iterable[str], user: str | None) -> str:
    """Shell (root) that empties what is put in anew. /logs/verifier belongs to who runs the tests, to nobody else."""
    owner = f"; chown -- {shlex.quote(user)} {LOGS}" if user else ""
    paths = [shlex.quote(path) for path in (*stale, LOGS)]
    there = " || ".join(f"[ -e {path} ] || [ -L {path} ]" for path in paths)
    return f"cd /; {there} && rm -rf -- {' '.join(paths)}; mkdir -p -m 755 {LOGS}{owner}"


def _run_tests(box: Box, root: Shell, task: TaskFolder) -> CommandResult:
    """The tests, from the working directory, as the user they ask for."""
    user, timeout_s = task.config.verifier_user, task.config.verifier_timeout_s
    if user in (None, "root", "0"):
        return root.run(f"cd - >/dev/null; {TEST}", timeout_s=timeout_s, output_cap=OUTPUT_CAP)
    shell = box.shell(user=user, env=task.config.verifier_env)
    return shell.run(TEST, timeout_s=timeout_s, output_cap=OUTPUT_CAP)


def _read(box: Box, result: CommandResult, task: TaskFolder) -> Grading:
    tree = _logs(box)
    score = read_reward(tree)
    if result.timed_out:
        score = Score(None, fault=f"the tests ran longer than {task.config.verifier_timeout_s:g} s")
    elif result.exit_code is None and score.reward is None:
        score = Score(None, fault=f"the tests were killed; {score.fault}")
    checks = read_checks(tree, result.output, score.reward)
    used = box.usage()
    return Grading(score, checks, result.exit_code, result.output[-TAIL:], result.seconds, used.peak_mb, used.cpu_s)


def _logs(box: Box) -> Tree:
    """/logs/verifier; only the files that count when it is too large as a whole."""
    try:
        return box.get(LOGS, LOG_CAPS) or Tree()
    except ArtifactLimit:
        tree = Tree()
    for path in READ:
        try:
            tree = tree.merged(box.get(path, FILE_CAPS) or Tree())
        except ArtifactLimit:
            # An entry that is no file: there is something, and it is no reward.
            tree = tree.merged(Tree({path: Entry("dir", 0)}))
    return tree


def _kept(box: Box, folder: str) -> Tree:
    try:
        return box.get(folder, LOG_CAPS) or Tree()
    except ArtifactLimit:
        return Tree()


def _tests(task: TaskFolder) -> Tree:
    return tree_from_folder(task.path / "tests", "/tests")


def _reversed(task: TaskFolder) -> Tree:
    """A conftest.py that turns pytest's order round, where the tests bring none of their own."""
    if (task.path / "tests/conftest.py").exists():
        return Tree()
    return Tree({"/tests/conftest.py": Entry("file", 0o644, REVERSED)})
