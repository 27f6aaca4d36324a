"""Leaks that can be seen without an engine: the verifier or the solution copied into the agent's image.

`secrets` lists what must not be in the image by a hash of its content (white space at line ends does not count); the
scan of a built image may use it too.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from envwheel.api import Finding
from envwheel.environment.dockerfile import copies

SMALLEST = 32
"""Files under this many bytes are never called a leak."""

_ANSWER = re.compile(r"expect|golden|answer|wanted|truth|oracle|reference|solution|correct", re.IGNORECASE)
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1[^\n]*\n(.*?)\n\s*\2\s*(?:\n|$)", re.DOTALL)


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """(relative path, content) of the regular files below `folder`, in order; links are not followed."""
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(root, name)
            if not path.is_symlink():
                yield path.relative_to(folder).as_posix(), path.read_bytes()


def heredocs(script: str) -> list[str]:
    """The texts that a shell script holds as here-documents."""
    return [match[3] + "\n" for match in _HEREDOC.finditer(script)]


def fingerprint(data: bytes) -> str:
    """Hash of `data`, without white space at the end of lines and of the whole."""
    return hashlib.sha256(b"\n".join(line.rstrip() for line in data.rstrip().split(b"\n"))).hexdigest()


def secrets(task: Path) -> dict[str, str]:
    """Fingerprint -> where it comes from: the tests' programs, what they expect, and the parts of the solution.

    A data file of tests/ whose name does not say that it is expected may be a copy of an input: it is not listed, and
    the kit is not either.
    """
    found: dict[str, str] = {}
    test_sh = (task / "tests" / "test.sh").read_text(errors="replace")
    for name, data in files(task / "tests"):
        base = name.rsplit("/", 1)[-1]
        called = name == "test.sh" or (base != "Dockerfile" and f"/tests/{name}" in test_sh)
        if (called or _ANSWER.search(name)) and not name.startswith("kit/") and len(data) >= SMALLEST:
            found[fingerprint(data)] = f"tests/{name}"
    for name, data in files(task / "solution"):
        if len(data) >= SMALLEST:
            found[fingerprint(data)] = f"solution/{name}"
        for text in heredocs(data.decode(errors="replace")):
            if len(text) >= SMALLEST:
                found.setdefault(fingerprint(text.encode()), f"a text in solution/{name}")
    return found


def leaked_files(task: Path) -> list[Finding]:
    """Files that environment/Dockerfile copies into the image and that are equal by content to a secret."""
    dockerfile = task / "environment" / "Dockerfile"
    if not dockerfile.is_file() or (task / "environment" / ".dockerignore").exists():
        return []  # the scan of the built image decides
    lines, hidden = copies(dockerfile.read_text(errors="replace")), secrets(task)
    findings = []
    for name, data in files(task / "environment"):
        place = next((place for copy in lines if (place := copy.place(name))), None)
        secret = hidden.get(fingerprint(data)) if place and len(data) >= SMALLEST else None
        if secret:
            message = f"the Dockerfile brings environment/{name} into the image as {place}; it equals {secret}"
            findings.append(Finding("leak_tests", message, f"environment/{name}"))
    return findings


def leaking_links(task: Path) -> list[Finding]:
    """Links in environment/ that point at the tests or the solution."""
    findings = []
    for root, folders, names in os.walk(task / "environment"):
        for name in folders + names:
            path = Path(root, name)
            target = os.path.relpath(os.path.realpath(path), os.path.realpath(task))
            if path.is_symlink() and target.split(os.sep)[0] in ("tests", "solution"):
                shown = path.relative_to(task).as_posix()
                findings.append(Finding("leak_tests", f"{shown} is a link to {target}", shown))
    return findings
