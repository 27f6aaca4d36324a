"""Remarks that state a repair: comments beside the bug, notes and patches that lie about, a hint in the instruction.

`repaired_by(remarks, before, after)` takes them at their word: of the changes from `before` to `after` those are made
whose new lines, or what is new in them, stand in a remark.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

SHORTEST = 5
"""Characters, white space left out, from which what is new in a line is no chance."""
_COMMENT = re.compile(r"(?:#|//|--|/\*|<!--|;;?)\s*(.*)")
_TALKING = re.compile(
    r"should|bug|fix|todo|instead|correct|wrong|must|replace|was:|hint|right|change|broken|off.by|actually|needs?\b"
    r"|has to|ought|not:|use\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"\w+|[^\w\s]")


def talks(text: str) -> bool:
    """Whether a text speaks of a change."""
    return bool(_TALKING.search(text))


def comments(text: str) -> Iterator[str]:
    """Comments that talk about a change; of several lines in a row each, where one of them does."""
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        match = _COMMENT.search(line)
        if match:
            block.append(" ".join(match[1].split()))
        if not match or line[: match.start()].strip():
            if any(map(talks, block)):
                yield from block
            block = []


def notes(text: str) -> Iterator[str]:
    """Lines of a note that talk about a change, and what a patch adds."""
    lines = text.splitlines()
    patch = any(line.startswith("@@ ") for line in lines)
    for line in lines:
        if talks(line):
            yield " ".join(line.split())
        elif patch and line.startswith("+") and not line.startswith("+++"):
            yield " ".join(line[1:].split())


def repaired_by(remarks: list[str], before: str, after: str, hint: str = "") -> tuple[str | None, str]:
    """`before` with those changes towards `after` that `remarks` state, and one such remark.

    A line of `hint`, which is no remark, states a change only if it holds what is old and what is new.
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    made: list[str] = []
    source = ""
    for kind, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        was = old[i:j] if j - i == m - k else [""] * (m - k)
        stated = [
            _stated(line, remarks) or _stated_part(before_it, line, remarks, hint)
            for before_it, line in zip(was, new[k:m], strict=True)
            if code(line)
        ]
        if kind in ("replace", "insert") and stated and all(stated):
            made += new[k:m]
            source = stated[0] or ""
        else:
            made += old[i:j]
    return ("".join(made), source) if source else (None, "")


def code(line: str) -> str:
    """A line without white space at its ends, runs of it as one blank, and no comment."""
    return " ".join(re.sub(r"\s(?:#|//).*$", "", line).split()).removeprefix("#").strip()


def _stated(line: str, remarks: list[str]) -> str | None:
    """The remark in which a line of code stands, whole or what it returns, assigns or asks."""
    whole = code(line)
    parts = [whole, *(part[1] for part in re.finditer(r"(?:return|=|if|while|elif)\s+(.+?):?$", whole))]
    for part in parts:
        if len(part) >= 6:
            for remark in remarks:
                if part in remark:
                    return remark
    return None


def _stated_part(before: str, after: str, remarks: list[str], hint: str) -> str | None:
    """The remark in which what is new in a line stands, with the words around it."""
    old, new = changed_part(code(before), code(after))
    if not new:
        return None
    for remark in remarks:
        if _says(remark, new):
            return remark
    for line in hint.splitlines():
        if old and _says(line, new) and _says(line, old):
            return " ".join(line.split())
    return None


def changed_part(before: str, after: str) -> tuple[str, str]:
    """What differs between two lines, as tokens, widened to two words at least; ("", "") for too little.

    `count < = 9` and `count < 9` of `if letter == last and count <= 9:` and its repair.
    """
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    if not old or old == new:
        return "", ""
    left = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    right, most = 0, min(len(old), len(new)) - left
    while right < most and old[-1 - right] == new[-1 - right]:
        right += 1
    end = len(new) - right
    # Widened to whole words: first to the right as far as the next one, then to the left as far as needed.
    while end < len(new) and not _is_word(new[end - 1] if end > left else ""):
        end += 1
    while left > 0 and not (left < end and _is_word(new[left]) and _enough(new[left:end])):
        left -= 1
    part = new[left:end]
    return (" ".join(old[left : end - len(new) + len(old)]), " ".join(part)) if _enough(part) else ("", "")


def _enough(tokens: list[str]) -> bool:
    return sum(map(_is_word, tokens)) >= 2 and len("".join(tokens)) >= SHORTEST


def _is_word(token: str) -> bool:
    return bool(re.match(r"\w", token))


def _says(text: str, part: str) -> bool:
    """Whether a text holds the part, white space aside, as words of its own."""
    tokens = r"\s*".join(map(re.escape, _TOKEN.findall(part)))
    start = r"(?<!\w)" if re.match(r"\w", part) else ""
    return bool(re.search(start + tokens + (r"(?!\w)" if re.search(r"\w$", part) else ""), text))
