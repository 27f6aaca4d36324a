"""Judges a candidate's files: reads /tests/checks.json, judges every check, writes the reward.

    sys.path.insert(0, "/tests/kit")
    from officekit import verify
    verify.main()

The exit status is 0 when there is a reward. A fault of the environment's own leaves none: status 1 and the reason.
"""

from __future__ import annotations

import errno
import gc
import os
import stat
import sys
import time
from collections.abc import Sequence

from .bench import Bench, Computation, Fault, Score, Unreadable
from .language import AnyCheck, load
from .model import Document, Refused, Scalar, Workbook
from .registry import judge

ENOUGH = 1e-9
FULL_BOX = (errno.EAGAIN, errno.ENOMEM, errno.ENOSPC, errno.EMFILE, errno.ENFILE, errno.EIO)
"""Errors of the box: no fault of a candidate's."""
TEXT_LIMIT = 5_000_000
FILES_AT_MOST = 5_000
READING = 120.0
"""Seconds for all of a candidate's documents: a grading that runs out of time gives no reward at all."""


class Reading:
    """The time that is left for reading a candidate's documents, those that its programs write among them."""

    def __init__(self, seconds: float = READING) -> None:
        self.left = seconds

    def read(self, path: str) -> Document:
        """The document at `path`; Refused when the ones before it have used up the time."""
        from . import child, read

        seconds = min(child.SECONDS, int(self.left / 2))  # of CPU time: a child gets twice as much of the clock's
        if seconds < 1:
            return Refused("the documents before it took too long to read")
        began = time.monotonic()
        try:
            return read.read(path, seconds=seconds)
        finally:
            self.left -= time.monotonic() - began


class Files:
    """The bench of a real verifier box: the candidate's files under `app`, the environment's under `tests`."""

    def __init__(self, app: str = "/app", tests: str = "/tests", reading: Reading | None = None) -> None:
        self.app, self.tests, self.reading = app, tests, reading or Reading()
        self._read: dict[str, Document] = {}
        self._ours: dict[tuple[str, bool], Document] = {}

    def document(self, file: str) -> Document:
        """The candidate's file as records; read once."""
        return self._document(_below(self.app, file))

    def original(self, file: str, *, computed: bool = True) -> Document:
        """A file of tests/ as records. Fault when it is refused."""
        from . import own

        path = _below(self.tests, file)
        known = (path, computed or (path, True) in self._ours)
        if known not in self._ours:
            self._ours[known] = own.read(path, computed=computed)
        document = self._ours[known]
        if isinstance(document, Refused):
            raise Fault(f"tests/{file}: {document.reason}")
        return document

    def _document(self, path: str) -> Document:
        if path not in self._read:
            self._read[path] = self.reading.read(path)
        return self._read[path]

    def compute(self, file: str, runs: Sequence[Computation], *, ours: bool = False) -> list[dict[str, Scalar]]:
        """What the workbook shows after each run's changes."""
        from . import own, read

        document = self.original(file, computed=False) if ours else self.document(file)
        if isinstance(document, Refused):
            raise Unreadable(document.reason)
        if not isinstance(document, Workbook):
            raise Unreadable(f"{file} is no workbook but a {document.kind}")
        if not ours:
            return read.compute(_below(self.app, file), document, runs)
        try:
            return own.compute(_below(self.tests, file), document, runs)
        except Unreadable as error:
            raise Fault(f"tests/{file}: {error}") from None

    def text(self, file: str) -> str | None:
        """The text of a plain file."""
        import grade

        return grade.read_text(_below(self.app, file), TEXT_LIMIT)

    def listing(self, folder: str) -> list[str] | None:
        """All files below a folder."""
        root = os.path.normpath(_below(self.app, folder))
        if not os.path.isdir(root) or os.path.realpath(root) != root:
            return None
        names = []
        for at, folders, files in os.walk(root):
            for name in files + [each for each in folders if os.path.islink(os.path.join(at, each))]:
                path = os.path.join(at, name)
                plain = stat.S_ISREG(os.lstat(path).st_mode)
                names.append(os.path.relpath(path, root) + ("" if plain else " (no plain file)"))
            if len(names) > FILES_AT_MOST:
                raise Unreadable(f"{folder} holds more than {FILES_AT_MOST} files")
        return sorted(names)

    def launch(self, file: str, command: Sequence[str], inputs: dict[str, str], timeout_s: float) -> Bench:
        """Run the candidate's program on inputs of ours."""
        import grade

        program = grade.read_bytes(_below(self.app, file), TEXT_LIMIT)
        if program is None:
            raise Unreadable(f"{file} is no plain file")
        name = os.path.basename(file)
        given: dict[str, bytes | str] = {name: program}
        for beside, ours in inputs.items():
            data = grade.read_bytes(_below(self.tests, ours), 64 << 20)
            if data is None:
                raise Fault(f"tests/{ours} is no plain file")
            given[beside] = data
        folder = grade.scratch(given)
        argv = [part.replace("{file}", name) for part in command]
        ran = grade.run(argv, cwd=folder, timeout=timeout_s)
        if ran.code != 0:
            how = f"took more than {timeout_s:g} s or printed too much" if ran.code is None else f"gave {ran.code}"
            last = ran.err.decode(errors="replace").strip().splitlines()[-1:]
            raise Unreadable(f"{name} {how}" + (f": {last[0][:200]}" if last else ""))
        return Files(folder, self.tests, self.reading)


def _below(root: str, file: str) -> str:
    path = os.path.join(root, file)
    if os.path.isabs(file) or ".." in file.split("/"):
        raise Fault(f"{file!r} leaves its folder")
    return path


def judged(check: AnyCheck, bench: Bench) -> Score:
    """The score of one check. What a candidate's document breaks gives 0; `Fault` and trouble of the box are raised."""
    try:
        score = judge(check.kind)(check, bench)
    except Unreadable as error:
        return Score(0.0, str(error))
    except RecursionError:
        return Score(0.0, "it is nested too deeply")
    except OSError as error:
        if error.errno in FULL_BOX:
            raise
        return Score(0.0, f"it cannot be read: {error.strerror}")
    except (Fault, ImportError, NameError, RuntimeError, SyntaxError):
        raise
    except Exception as error:
        return Score(0.0, f"it could not be judged: {type(error).__name__}: {error}")
    return Score(min(1.0, max(0.0, score.value)), score.reason)


def reward(graded: Sequence[tuple[AnyCheck, Score]]) -> float:
    """0 when any score is below its check's least, else the mean of what is no gate, by weight (only gates: 1)."""
    if any(score.value < check.least - ENOUGH for check, score in graded):
        return 0.0
    counted = [(check.weight, score.value) for check, score in graded if not check.gate]
    if all(value >= 1 - ENOUGH for _, value in counted):
        return 1.0
    return sum(weight * value for weight, value in counted) / sum(weight for weight, _ in counted)


def spelled(score: Score) -> str:
    """ "0.75: 3 of 12 cells differ"; "" for a full score."""
    if score.value >= 1 - ENOUGH:
        return ""
    return f"{min(score.value, 0.99):.2f}".rstrip("0").rstrip(".") + f": {score.reason or 'without a reason'}"


def main(app: str = "/app", tests: str = "/tests") -> None:
    """Judge the files under `app` by `tests`/checks.json and write the reward."""
    import grade

    gc.disable()  # it lives for one grading
    marks = grade.Grade()
    try:
        with open(os.path.join(tests, "checks.json"), encoding="utf-8") as file:
            plan = load(file.read())
        bench = Files(app, tests)
        graded = [(check, judged(check, bench)) for check in plan.checks]
    except (ValueError, OSError, ImportError) as error:
        print(f"the environment is at fault: {type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
    for check, score in graded:
        marks.check(check.id, score.value >= 1 - ENOUGH, spelled(score), check.weight)
    marks.finish(reward=reward(graded))
