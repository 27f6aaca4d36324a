"""Which files of the image the solver is meant to see: what the instruction names is no leak.

A file is named by its own name, by a pattern (`/app/invoices/*.csv`) that matches it, or lies in a folder that is
named; hidden files do not count as lying in it.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from envwheel.gate.payloads import kind_of
from envwheel.gate.secret_files import Secret

ANSWER = re.compile(
    r"expect|golden|truth|answer|wanted|oracle|correct|solution|reference|snapshot|baseline|(?:^|[/_.-])(?:gold|want|sol|key)"
    r"(?:[/_.-]|$)",
    re.IGNORECASE,
)
"""Names by which tests keep what they compare with."""
_TOKEN = re.compile(r"[\w./*?{}\[\]~@+-]*[\w*/\]}]")
_TEST_FOLDER = re.compile(r"/(tests?|specs?|__tests__)/|/(test_[^/]*|[^/]*_test\.\w+|[^/]*\.(test|spec)\.\w+)$")


@dataclass(frozen=True, slots=True)
class Shown:
    """What an instruction names. `workdir` is where relative names start."""

    instruction: str
    workdir: str

    def names(self, path: str) -> bool:
        """The file itself is named, or a pattern matches it."""
        base = posixpath.basename(path)
        below = path.removeprefix(self.workdir.rstrip("/") + "/")
        for token in self._tokens():
            if token == base or token.endswith("/" + base):
                return True
            if "*" in token and (fnmatchcase(path, token) or fnmatchcase(below, token) or fnmatchcase(base, token)):
                return True
        return False

    def covers(self, path: str) -> bool:
        """The file is named, or it lies, not hidden, in a folder below the working directory that is named."""
        if self.names(path):
            return True
        for token in self._tokens():
            folder = posixpath.normpath(posixpath.join(self.workdir, token))
            rest = path.removeprefix(folder + "/")
            if folder not in ("/", self.workdir) and rest != path and "/." not in "/" + rest:
                return True
        return False

    def _tokens(self) -> list[str]:
        return [token for token in _TOKEN.findall(self.instruction) if len(token) > 2]


def is_leak(secret: Secret, path: str, shown: Shown, project: bool) -> bool | None:
    """Whether `secret` at `path` of the image is a leak; None when that hangs on what the reference produces.

    `project`: the working directory holds a program with tests of its own, which may be among the hidden ones too.
    """
    if shown.names(path):
        return False
    if not secret.in_tests:
        return True
    if posixpath.basename(secret.path) == "test.sh":
        return True
    if kind_of(secret.path, secret.data):
        own = project and path.startswith(shown.workdir.rstrip("/") + "/") and _TEST_FOLDER.search(path)
        return not (own and re.search(r"\btests?\b", shown.instruction, re.IGNORECASE))
    if ANSWER.search(secret.path):
        return True
    return False if shown.covers(path) else None
