"""The files in a model's answer, and how an answer with files is written.

    === FILE: solution/solve.sh ===
    #!/bin/bash
    make -C /app
    === END ===

    found = read(answer, cut=completion.finish_reason == "length")
    found.files, found.faults            # path -> text; what was wrong, in sentences for the model

Lines between the markers are the file; fences, headings and chatter in and around it mean nothing. Where an answer has
no such marker, fenced blocks whose path stands in the info string, in the line above or in a first comment are taken.
Every text gives an answer, none an exception; a path that would leave the folder is a fault and is not taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

FILE, END = "=== FILE: {path} ===", "=== END ==="
MARK = "==="
LONGEST_NAME = 255
"""Bytes of a file's name that a file system takes."""
LONGEST_PATH = 1000
LONGEST_LINE = 300
"""Characters of a line that can be a fence or name a file: patterns are not tried on what a hostile answer may hold."""
MOST_FILES = 500

_TOPS = ("environment", "solution", "tests")
_FILES = ("task.toml", "instruction.md")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`]*)")
_PATHS = re.compile(r"[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*")
_COMMENT = re.compile(r"(?:#|//|<!--|--|;)\s*(\S+)(?:\s*-->)?")


@dataclass(frozen=True, slots=True)
class Found:
    """Path -> text, every text ending in a newline; and what was wrong."""

    files: Mapping[str, str]
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Piece:
    """A file as it stands in the answer. `whole`: its end was marked."""

    path: str
    lines: list[str]
    whole: bool


def read(text: str, *, cut: bool = False) -> Found:
    """The files in `text`. `cut`: the answer ended at its limit, so that a file without an end is not taken."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    pieces = list(_marked(lines)) or list(_fenced(lines))
    faults: list[str] = []
    if len(pieces) > MOST_FILES:
        faults.append(f"there are {len(pieces)} files; the first {MOST_FILES} were taken")
        del pieces[MOST_FILES:]
    if cut and pieces and not pieces[-1].whole:
        faults.append(f"the answer was cut off in {pieces.pop().path}: it was too long")
    elif cut:
        faults.append("the answer was cut off: it was too long")
    files: dict[str, str] = {}
    for piece, path in zip(pieces, _without_top([_bare(piece.path) for piece in pieces]), strict=True):
        if fault := _refused(path) or clash(path, files):
            faults.append(fault)
            continue
        if path in files:
            faults.append(f"{path} is there more than once; the last one was taken")
        body = _unwrapped(piece, path)
        files[path] = "\n".join(body) + "\n" if body else ""
    if not files:
        faults.append("there is no file in the answer")
    return Found(files, tuple(faults))


def write(files: Mapping[str, str]) -> str:
    """An answer that holds `files`."""
    parts = (f"{FILE.format(path=path)}\n{_ended(text)}{END}\n" for path, text in files.items())
    return "\n".join(parts)


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _marked(lines: list[str]) -> Iterator[_Piece]:
    """What stands between markers. A file without an end goes on to the next one, or to the end of the answer."""
    path, start = "", -1
    for number, line in enumerate(lines):
        mark = _mark(line)
        if mark is None:
            continue
        if start >= 0:
            yield _Piece(path, lines[start:number], True)
        path, start = mark, number + 1 if mark else -1
    if start >= 0:
        yield _Piece(path, _without_blank_end(lines[start:]), False)


def _mark(line: str) -> str | None:
    """The path that a marker names, "" for the end of a file, None for any other line."""
    if not line.startswith(MARK):
        return None
    words = line.strip("= \t\r")
    upper = words.upper()
    if upper == "END" or upper.startswith(("END FILE", "END OF FILE", "END:")):
        return ""
    return words[5:].strip() if upper.startswith(("FILE:", "FILE ")) else None


def _fenced(lines: list[str]) -> Iterator[_Piece]:
    """Fenced blocks that say which file they are."""
    number, above = 0, ""
    while number < len(lines):
        opening = _fence(lines[number])
        if not opening:
            above = lines[number].strip() or above
            number += 1
            continue
        end, whole = _end_of_block(lines, number, opening[1])
        body = lines[number + 1 : end]
        path = _named(opening[2]) or _named(above)
        if not path and body and (path := _commented(body[0])):
            body = body[1:]
        if path:
            yield _Piece(path, body if whole else _without_blank_end(body), whole)
        number, above = end + 1, ""


def _fence(line: str) -> re.Match[str] | None:
    """The fence that `line` is."""
    return _FENCE.fullmatch(line.rstrip()) if len(line) <= LONGEST_LINE else None


def _end_of_block(lines: list[str], start: int, fence: str) -> tuple[int, bool]:
    """Where the block that begins at `start` ends, and whether it does; blocks with a language in it have their own."""
    depth = 1
    for number in range(start + 1, len(lines)):
        inner = _fence(lines[number])
        if not inner or inner[1][0] != fence[0] or len(inner[1]) < len(fence):
            continue
        depth += 1 if inner[2].strip() else -1
        if not depth:
            return number, True
    return len(lines), False


def _named(text: str) -> str:
    """The one path of an environment's file that `text` names, or nothing."""
    named = {path for path in _PATHS.findall(text[:LONGEST_LINE]) if _is_ours(path) or _is_ours(path.partition("/")[2])}
    return named.pop() if len(named) == 1 else ""


def _commented(line: str) -> str:
    """The path that is all of a comment, or nothing."""
    comment = _COMMENT.fullmatch(line[:LONGEST_LINE].strip())
    return _named(comment[1]) if comment else ""


def _is_ours(path: str) -> bool:
    return path in _FILES or (path.partition("/")[0] in _TOPS and "/" in path)


def _unwrapped(piece: _Piece, path: str) -> list[str]:
    """The lines without a fence around all of them; Markdown keeps its own unless the fence says Markdown."""
    lines = piece.lines
    filled = [number for number, line in enumerate(lines) if line.strip()]
    opening = _fence(lines[filled[0]]) if filled else None
    if not opening or (path.endswith(".md") and opening[2].strip().lower() not in ("md", "markdown")):
        return lines
    closing = [number for number in filled[1:] if lines[number].strip() == opening[1]]
    if not closing or (piece.whole and closing[-1] != filled[-1]):
        return lines
    return lines[filled[0] + 1 : closing[-1]]


def _without_blank_end(lines: list[str]) -> list[str]:
    """`lines` up to the last one that is not blank."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]


def _bare(path: str) -> str:
    """A path without the quotes and emphasis that models put around it."""
    path = path.strip("`'\"* \t")
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path


def _without_top(paths: list[str]) -> list[str]:
    """The paths, without the environment's own folder where all of them begin with it."""
    tops = {path.partition("/")[0] for path in paths}
    below = [path.partition("/")[2] for path in paths]
    one_folder = len(tops) == 1 and all(below) and not any(map(_is_ours, paths)) and any(map(_is_ours, below))
    return below if one_folder else paths


def _refused(path: str) -> str:
    """Why `path` is none that may be written."""
    shown = ascii(path[:120])
    parts = path.split("/")
    if path.startswith("/") or "\\" in path or any(part in ("", ".", "..") for part in parts):
        return f"{shown} is no plain relative path below the environment's folder; it was left out"
    if not path.isprintable():
        return f"{shown} has characters that no path may have; it was left out"
    if len(path.encode()) > LONGEST_PATH or any(len(part.encode()) > LONGEST_NAME for part in parts):
        return f"{shown} is too long for a path; it was left out"
    return ""


def clash(path: str, files: Mapping[str, str]) -> str:
    """Why `path` cannot stand beside the others."""
    for other in files:
        if path.startswith(f"{other}/") or other.startswith(f"{path}/"):
            return f"{path} and {other} cannot both be files; the second was left out"
    return ""
