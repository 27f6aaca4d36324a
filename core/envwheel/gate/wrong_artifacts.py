"""Wrong artifacts made out of the reference's own, in memory: what a verifier must not take for the work.

`wrong_artifacts(...)` gives only such changes as are certain to be wrong: what the reference produced is emptied, cut
in half, replaced by a constant or by an input; where it is plain data, one number is off or the lines are in reverse
order although the instruction asks for one. What equals the reference after all (white space aside) is left out, and so
are files that are by-products: caches, logs, what git keeps for itself.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from envwheel.gate import wrong_records
from envwheel.gate.payloads import kind_of
from envwheel.sandbox.base import Entry, Tree

CONSTANT = b"0\n"
DATA = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".txt")
TABLES = (".csv", ".tsv")
LINES = (*TABLES, ".jsonl", ".ndjson", ".txt")
ECHOES = {
    "python": b"import sys\n\nsys.stdout.write(sys.stdin.read())\n",
    "shell": b"#!/bin/sh\ncat\n",
    "perl": b"print while <STDIN>;\n",
    "ruby": b"$stdout.write($stdin.read)\n",
    "javascript": b"process.stdin.pipe(process.stdout);\n",
    "c": b"#include <stdio.h>\n\nint main(void)\n{\n    for (int c; (c = getchar()) != EOF;)\n        putchar(c);\n}\n",
}
"""By kind of program, one that prints its input as it is."""
LONGEST_PROSE = 400
"""Bytes of a .txt file that is taken for data, not prose."""
_BY_PRODUCT = re.compile(
    r"/(\.git|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|node_modules|\.cache|\.hg|\.svn)/"
    r"|\.(pyc|pyo|log|tmp|swp|bak|orig|o|a|so|class|lock)$|~$|/\.(gitignore|bash_history|DS_Store)$",
    re.IGNORECASE,
)
_PROSE = re.compile(r"/(readme|notes?|changelog|license|todo|history)[^/]*$|\.(md|rst)$", re.IGNORECASE)
_ORDER = re.compile(
    r"\bsort(?:ed|s)?\b|\bascending\b|\bdescending\b|\balphabetical|\bchronological|\bordered by\b"
    r"|\bin (?:the )?order of\b|\bby (?:falling|rising|descending|ascending)\b"
    r"|(?:largest|smallest|highest|lowest|newest|oldest) first",
    re.IGNORECASE,
)
_NO_ORDER = re.compile(
    r"\bany order\b|no particular order|order (?:does|do|is|need)(?:n't| not)|in whatever order|regardless of order",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Wrong:
    """A wrong artifact tree and what is wrong with it."""

    id: str
    why: str
    tree: Tree


@dataclass(frozen=True, slots=True)
class Result:
    """What the reference left (`reference`), over what was there before (`untouched`).

    `inputs`: files of environment/ by name, for the solver to copy. `fixed`: paths whose content is the same in every
    trial of the reference, so that a value in them is no time stamp.
    """

    reference: Tree
    untouched: Tree
    instruction: str
    inputs: Mapping[str, bytes]
    fixed: frozenset[str] | None = None

    @property
    def produced(self) -> dict[str, Entry]:
        """Files that the reference made or changed by content."""
        before = self.untouched.entries
        return {
            path: entry
            for path, entry in self.reference.entries.items()
            if entry.kind == "file" and (path not in before or before[path].data != entry.data)
        }

    def counts(self, path: str) -> bool:
        """Whether a file is a result, not a by-product or a note that nobody asked for."""
        if _BY_PRODUCT.search(path):
            return False
        return posixpath.basename(path) in self.instruction or not _PROSE.search(path)


def wrong_artifacts(result: Result) -> list[Wrong]:
    """Every wrong tree that differs from the reference and from the ones before it."""
    seen = {result.reference.sha256(), result.untouched.sha256()}
    found = []
    for wrong in (*_everywhere(result), *_last_missing(result), *_data(result)):
        digest = wrong.tree.sha256()
        if digest not in seen:
            seen.add(digest)
            found.append(wrong)
    return found


def _everywhere(result: Result) -> Iterator[Wrong]:
    """The changes that hit all that the reference produced at once."""
    if not any(map(result.counts, result.produced)):
        return
    for id, why, change in (
        ("emptied", "every file that the reference made is empty", lambda path, data: b""),
        ("truncated", "every file that the reference made is cut in half", truncated),
        ("constant", "every file that the reference made is a constant", constant),
        (
            "input_copied",
            "the files are copies of an input, programs print theirs",
            lambda path, data: copied(path, data, result.inputs),
        ),
    ):
        tree = changed(result, change)
        if tree is not None:
            yield Wrong(id, why, tree)


def changed(result: Result, change: Callable[[str, bytes], bytes | None]) -> Tree | None:
    """The reference with `change(path, data)` of every produced file; None when a result stays as good as it was.

    None too when nothing is changed: then there is no result whose content matters.
    """
    entries, before = dict(result.reference.entries), result.reference.entries
    for path, entry in result.produced.items():
        data = change(path, entry.data)
        if data is None or same(data, entry.data):
            if result.counts(path):
                return None
            continue
        entries[path] = replace(entry, data=data)
    return Tree(entries) if entries != before else None


def truncated(path: str, data: bytes) -> bytes:
    """The first half of what is not white space at the ends; of a program, of its lines that are no comments."""
    body = data.strip()
    middle = len(body) // 2
    if kind_of(path, data):
        code = [match.start() for match in _CODE.finditer(body)]
        middle = min(middle, code[len(code) // 2]) if len(code) > 1 else middle
    return body[:middle]


def constant(path: str, data: bytes) -> bytes:
    """The same shape without the values: JSON keeps its keys, a table its header; all else is one `0`."""
    if path.endswith(".json") and (value := _parsed(data)) is not None:
        return json.dumps(_flat(value)).encode() + b"\n"
    if path.endswith(TABLES) and (lines := data.splitlines(keepends=True)):
        return b"".join(lines[:1]) + b"".join(re.sub(rb"[^,;\t\r\n]+", b"0", line) for line in lines[1:])
    return CONSTANT


def _flat(value: Any) -> Any:
    """`value` with every leaf at nothing: 0, "", false."""
    if isinstance(value, dict):
        return {key: _flat(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_flat(item) for item in value]
    return type(value)() if value is not None else None


def copied(path: str, data: bytes, inputs: Mapping[str, bytes]) -> bytes | None:
    """The largest input of the same kind of name that says something else than `data`; a program prints its input."""
    if kind := kind_of(path, data):
        return ECHOES.get(kind)
    suffix = posixpath.splitext(path)[1]
    others = {name: content for name, content in inputs.items() if content.strip() and not _same_lines(content, data)}
    alike = [content for name, content in others.items() if posixpath.splitext(name)[1] == suffix and suffix]
    plain = [content for name, content in others.items() if not kind_of(name, content) and b"\0" not in content]
    return max(alike or plain, key=len, default=None)


def _last_missing(result: Result) -> Iterator[Wrong]:
    """The last result is not there: of several, the last that the instruction names."""
    results = sorted(filter(result.counts, result.produced))
    named = [path for path in results if posixpath.basename(path) in result.instruction]
    if results:
        last = (named or results)[-1]
        entries = {path: entry for path, entry in result.reference.entries.items() if path != last}
        yield Wrong("last_missing", f"{last} is missing", Tree(entries))


def _data(result: Result) -> Iterator[Wrong]:
    """Changes inside one result that is plain data; a folder with programs in it holds settings, not results."""
    results = {path: entry for path, entry in result.produced.items() if result.counts(path)}
    if any(kind_of(path, entry.data, 0) for path, entry in results.items()):
        return
    ordered = bool(_ORDER.search(result.instruction)) and not _NO_ORDER.search(result.instruction)
    for path, entry in results.items():
        if not is_data(path, entry.data):
            continue
        off = one_off(path, entry.data)
        steady = result.fixed is None or path in result.fixed
        if off is not None and not same(off, entry.data) and steady:
            yield Wrong("one_value_off", f"one number in {path} is off", _with(result, path, off))
        # In a file that was there before, an entry may be none of the task's business.
        if steady and path not in result.untouched.entries:
            fewer, mixed = wrong_records.dropped(path, entry.data), wrong_records.exchanged(path, entry.data)
            if fewer is not None:
                yield Wrong("entry_missing", f"the last entry of {path} is missing", _with(result, path, fewer))
            if mixed is not None:
                yield Wrong("values_exchanged", f"in {path} two values are exchanged", _with(result, path, mixed))
        back = reversed_lines(path, entry.data) if ordered else None
        if back is not None and not same(back, entry.data):
            yield Wrong("order_reversed", f"{path} is in reverse order", _with(result, path, back))


def is_data(path: str, data: bytes) -> bool:
    """Whether a file is a table, JSON or a short list of values, or a page with a table in it."""
    if path.endswith(".md"):
        return bool(_ROWS.search(data))
    if b"\0" in data or not path.endswith(DATA):
        return False
    return not path.endswith(".txt") or len(data) <= LONGEST_PROSE or all(map(_NUMBERED.search, data.splitlines()))


_CODE = re.compile(rb"^[ \t]*(?!#|//|[ \t\r\n]).+$", re.MULTILINE)
_ROWS = re.compile(rb"^\|[ :|-]+\|[ ]*\n((?:\|[^\n]*\n?)+)", re.MULTILINE)
"""The rows below the head of a Markdown table."""
_NUMBERED = re.compile(rb"\d")
_NUMBER = re.compile(rb"(?<![\w.\-:/])\d+(?:\.\d+)?(?![\w\-:/]|\.\d)")


def one_off(path: str, data: bytes) -> bytes | None:
    """`data` with the first digit of its middle number changed, far enough for any tolerance; None without a number.

    Only numbers that stand alone count: no dates, times, versions, names. In JSON, values and not keys.
    """
    if path.endswith(".json") and not isinstance(_parsed(data), dict | list):
        return None
    start, end = data.find(b"\n") + 1 if path.endswith(TABLES) else 0, len(data)
    if path.endswith(".md"):
        start, end = rows.span(1) if (rows := _ROWS.search(data)) else (end, end)
    numbers = [match for match in _NUMBER.finditer(data, start, end) if not _is_key(path, data, match)]
    if not numbers:
        return None
    at = numbers[len(numbers) // 2].start()
    digit = int(chr(data[at]))
    return data[:at] + str((digit + 4) % 9 + 1 if digit else 7).encode() + data[at + 1 :]


def _is_key(path: str, data: bytes, match: re.Match[bytes]) -> bool:
    if not path.endswith((".json", ".jsonl", ".ndjson")):
        return False
    return data[match.start() - 1 : match.start()] == b'"' or data[match.end() : match.end() + 1] == b'"'


def reversed_lines(path: str, data: bytes) -> bytes | None:
    """The lines (a table's header excepted), the rows of a Markdown table, or a JSON list's items, in reverse order."""
    if path.endswith(".json"):
        value = _parsed(data)
        return json.dumps(value[::-1]).encode() + b"\n" if isinstance(value, list) and len(value) > 1 else None
    if path.endswith(".md") and (rows := _ROWS.search(data)):
        back = reversed([row.rstrip(b"\n") + b"\n" for row in rows[1].splitlines()])
        return data[: rows.start(1)] + b"".join(back) + data[rows.end(1) :]
    if not path.endswith(LINES):
        return None
    lines = data.splitlines(keepends=True)
    first = 1 if path.endswith(TABLES) else 0
    return b"".join([*lines[:first], *reversed(lines[first:])]) if len(lines) - first > 1 else None


def _with(result: Result, path: str, data: bytes) -> Tree:
    entry = result.reference.entries[path]
    return Tree({**result.reference.entries, path: replace(entry, data=data)})


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def same(one: bytes, other: bytes) -> bool:
    """Equal but for white space, or as JSON."""
    if one.split() == other.split():
        return True
    left, right = _parsed(one), _parsed(other)
    return left is not None and left == right


def _same_lines(one: bytes, other: bytes) -> bool:
    return same(one, other) or sorted(one.split(b"\n")) == sorted(other.split(b"\n"))
