"""Environments made by planting faults in a program that works: the broken files, the reference, mutants, alternatives.

A family keeps its programs as real files under kit/programs/<family>/, chooses some `Fault`s of a table and calls
`repair(...)`. The reference is a patch that mends every planted fault; a mutant leaves one of them in, or mends it in a
way that only looks right; an alternative mends it in another right way.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files

from envwheel.api import Alternative, Mutant
from envwheel_swe.family import swap

Files = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Fault:
    """One mistake: the text `right`, which occurs once in the working file `path`, reads `wrong` in the broken one.

    `symptom` is what a user of the program would report. `half` is a repair that does not hold, `other` one that does.
    """

    id: str
    path: str
    right: str
    wrong: str
    symptom: str = ""
    half: str = ""
    other: str = ""


@dataclass(frozen=True, slots=True)
class Repair:
    """What comes of planting faults: the files as the solver finds them, the reference, and the judged variants."""

    broken: Files
    solve: str
    mutants: tuple[Mutant, ...]
    alternatives: tuple[Alternative, ...]


def program(name: str, words: Mapping[str, str] | None = None) -> dict[str, str]:
    """The files under kit/programs/<name>, by relative path, with every key of `words` replaced by its value.

    A key is replaced in texts and in paths, also inside identifiers and with another first letter's case.
    """
    found: dict[str, str] = {}

    def walk(folder: object, prefix: str) -> None:
        for item in sorted(folder.iterdir(), key=lambda entry: entry.name):  # type: ignore[attr-defined]
            if item.is_dir():
                if item.name != "__pycache__":
                    walk(item, f"{prefix}{item.name}/")
            elif not item.name.endswith(".pyc"):
                found[prefix + item.name] = item.read_text("utf-8")

    walk(files("envwheel_swe") / "kit" / "programs" / name, "")
    return {reword(path, words or {}): reword(text, words or {}) for path, text in found.items()}


def instruction(family: str, name: str, words: Mapping[str, str] | None = None) -> str:
    """The text instructions/<family>/<name>.md with `words` put in; see `reword`."""
    return reword((files("envwheel_swe") / "instructions" / family / f"{name}.md").read_text("utf-8"), words or {})


def reword(text: str, words: Mapping[str, str]) -> str:
    """`text` with each key of `words` replaced by its value; the case of the first letter, or of all, is kept."""
    if not words:
        return text

    def same_case(match: re.Match[str]) -> str:
        old, new = match[0], words[match[0].lower()]
        return new.upper() if old.isupper() else new.capitalize() if old[0].isupper() else new

    return re.sub("|".join(sorted(words, key=len, reverse=True)), same_case, text, flags=re.IGNORECASE)


def plant(working: Files, faults: Iterable[Fault], choose: str = "wrong") -> dict[str, str]:
    """The working files with each fault's `right` replaced by its `wrong` (or its `half`, its `other`)."""
    changed = dict(working)
    for fault in faults:
        changed[fault.path] = swap(changed[fault.path], fault.right, getattr(fault, choose))
    return changed


def patch(before: Files, after: Files) -> str:
    """Bash that turns the files `before`, under the current folder, into `after`. Every text ends with a newline."""
    lines: list[str] = []
    written: list[str] = []
    for path in sorted({*before, *after}):
        if path not in after:
            written.append(f"rm -- '{path}'\n")
        elif path not in before:
            written.append(
                f"mkdir -p -- \"$(dirname '{path}')\"\ncat > '{path}' <<'END_OF_FILE'\n{after[path]}END_OF_FILE\n"
            )
            if after[path].startswith("#!"):
                written.append(f"chmod +x '{path}'\n")
        elif before[path] != after[path]:
            old, new = before[path].splitlines(keepends=True), after[path].splitlines(keepends=True)
            lines += difflib.unified_diff(old, new, path, path)
    if lines:
        written.append("patch -s -p0 --no-backup-if-mismatch <<'END_OF_PATCH'\n" + "".join(lines) + "END_OF_PATCH\n")
    return "".join(written)


def rewrite(before: Files, after: Files) -> str:
    """`patch` as a script of its own that starts in /app."""
    return "set -eu\ncd /app\n" + patch(before, after)


def repair(
    working: Files,
    faults: Iterable[Fault],
    reworded: Mapping[str, str] | None = None,
    extra: Iterable[Mutant] = (),
) -> Repair:
    """Plant `faults` in `working`; `extra` mutants join the ones that come of the faults, at most four in all."""
    table = [_reword(fault, reworded or {}) for fault in faults]
    broken = plant(working, table)
    halves = [
        Mutant(
            f"half_{f.id}",
            f"{f.id} is mended in a way that does not hold",
            rewrite(working, plant(working, [f], "half")),
        )
        for f in table
        if f.half
    ]
    left = [Mutant(f"left_{f.id}", f"{f.id} is still there", rewrite(working, plant(working, [f]))) for f in table]
    mutants = (*extra, *halves[:2], *left[::-1])[:4]
    others = [f for f in table if f.other]
    alternatives: tuple[Alternative, ...] = ()
    if others:
        mended = plant(working, others, "other")
        alternatives = (Alternative("other_repair", "mends the same faults in another way", rewrite(broken, mended)),)
    return Repair(broken, patch(broken, working), mutants, alternatives)


def _reword(fault: Fault, words: Mapping[str, str]) -> Fault:
    texts = {
        name: reword(getattr(fault, name), words) for name in ("path", "right", "wrong", "symptom", "half", "other")
    }
    return replace(fault, **texts)
