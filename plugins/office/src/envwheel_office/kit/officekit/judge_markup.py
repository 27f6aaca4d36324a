"""Judges what stands around the words of a text document: tracked changes, comments, looks."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable

from .bench import Bench, Score
from .colors import close
from .equal import fold, text_key
from .judge_docx import paragraphs
from .language_base import Look
from .language_pages import Comments, Revisions, TextLook
from .model import Comment, Paragraph, Style, TextDocument
from .words import count, document, held, judged, quote, size

ANCHOR_WORDS = 150
"""A comment on more words than this is on nothing in particular."""
SPACING = 0.05
PAIRS = 400
"""Pairs of paragraphs that are compared to find which became which, in one changed stretch."""

Edit = tuple[int, int, tuple[str, ...]]
"""Paragraphs from, to of the original, and the paragraphs that stand there instead."""


@judged
def docx_revision(check: Revisions, bench: Bench) -> Score:
    """F1 over the wanted edits, 0 unless rejecting all gives the original back.

    An edit is a run of paragraphs of the original with what comes in its place: so what was right before counts
    nothing. Times the share of changes by the wanted author, times how far a bound on deletions is kept, times the
    share of paragraphs and pages that look as before.
    """
    found = document(bench, check.file, TextDocument, "Word document")
    pristine = bench.original(check.original)
    if not isinstance(pristine, TextDocument):
        raise ValueError(f"{check.original} is no Word document")
    before = _texts(item.original for item in paragraphs(pristine.blocks))
    rejected = _texts(item.original for item in paragraphs(found.blocks))
    if rejected != before:
        return Score(0.0, f"rejecting all changes does not give the original: {_difference(rejected, before)}")
    final = _texts(item.text for item in paragraphs(found.blocks))
    wanted = _texts(check.final)
    final = final[: 2 * (len(before) + len(wanted)) + 100]  # what comes after is wrong already
    value, lost = _edits_score(before, final, wanted)
    changes = [item for item in found.revisions if item.kind != "format"]
    if check.author and changes:
        others = [item for item in changes if fold(item.author) != fold(check.author)]
        value *= 1 - len(others) / len(changes)
        if others:
            lost.append(f"{len(others)} changes are by {quote(others[0].author)}, not by {quote(check.author)}")
    runs = [run for item in paragraphs(found.blocks) for run in item.runs]
    share = size(run.text for run in runs if run.change == "del") / max(1, size(before))
    if share > check.max_changed:
        value *= check.max_changed / share
        lost.append(f"{share:.0%} of the words are marked deleted, {check.max_changed:.0%} are allowed")
    for what, looks in (("paragraphs and pages", _places), ("letters", _letters)):
        looked, now = looks(pristine), looks(found)
        other = sum(one != two for one, two in zip(looked, now, strict=False)) + abs(len(looked) - len(now))
        if other and not (looks is _letters and any(item.kind == "format" for item in found.revisions)):
            value *= max(0.0, 1 - other / len(looked))
            lost.append(f"{other} of {len(looked)} {what} look otherwise, and no tracked change says so")
    return Score(value, "; ".join(lost))


def _places(found: TextDocument) -> list[object]:
    """Which paragraphs of the original are headings or in lists, and the pages' sizes."""
    kept = [item for item in paragraphs(found.blocks) if text_key(item.original)]
    pages = [(round(page.width), round(page.height)) for page in found.sections]
    return [*((item.level, item.number > 0) for item in kept), *pages]


def _letters(found: TextDocument) -> list[object]:
    """How each letter of the original looks."""
    runs = (run for item in paragraphs(found.blocks) for run in item.runs if run.change in ("", "del"))
    return [look for run in runs for look in [_look(run.style)] * len("".join(run.text.split()))]


def _look(style: Style) -> object:
    return style.bold, style.italic, style.underline, style.strike, round(style.size, 1), style.color


def _texts(texts: Iterable[str]) -> list[str]:
    return [text_key(text) for text in texts if text_key(text)]


def _edits_score(before: list[str], final: list[str], wanted: list[str]) -> tuple[float, list[str]]:
    if final == wanted:
        return 1.0, []
    asked, made = Counter(_edits(before, wanted)), Counter(_edits(before, final))
    right = sum((asked & made).values())
    lost = [f"accepting all changes: {_difference(final, wanted)}"]
    return 2 * right / max(1, asked.total() + made.total()), lost


def _edits(before: list[str], after: list[str]) -> list[Edit]:
    """How `before` becomes `after`, a paragraph an edit where paragraphs are alike."""
    edits: list[Edit] = []
    for kind, i, j, k, m in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            edits += _paired(before, after, (i, j), (k, m))
    return edits


def _paired(before: list[str], after: list[str], old: tuple[int, int], new: tuple[int, int]) -> list[Edit]:
    """The edits of a changed stretch, split at the two paragraphs that are most alike."""
    (i, j), (k, m) = old, new
    if i == j and k == m:
        return []
    pairs = [(a, b) for a in range(i, j) for b in range(k, m)]
    if 0 < len(pairs) <= PAIRS and len(pairs) > 1:
        alike, a, b = max((_alike(before[a], after[b]), a, b) for a, b in pairs)
        if alike >= 0.5:
            first, last = _paired(before, after, (i, a), (k, b)), _paired(before, after, (a + 1, j), (b + 1, m))
            return [*first, (a, a + 1, (after[b],)), *last]
    return [(i, j, tuple(after[k:m]))]


def _alike(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one.split(), other.split(), autojunk=False).ratio()


def _difference(found: list[str], wanted: list[str]) -> str:
    """The first paragraph that differs."""
    for at, (one, other) in enumerate(zip(found, wanted, strict=False), start=1):
        if one != other:
            return f"paragraph {at} is {_around(one, other)}, not {_around(other, one)}"
    if len(found) > len(wanted):
        return f"paragraph {len(wanted) + 1}, {quote(found[len(wanted)])}, is too many"
    return f"paragraph {len(found) + 1}, {quote(wanted[len(found)])}, is missing"


def _around(text: str, other: str) -> str:
    """A quote of `text` near the first place where it differs from `other`."""
    at = next((n for n, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))
    return quote(("..." if at > 30 else "") + text[max(0, at - 30) :])


@judged
def docx_comment(check: Comments, bench: Bench) -> Score:
    """The best comment on the wanted words."""
    found = document(bench, check.file, TextDocument, "Word document")
    near = [item for item in found.comments if count(item.anchor, check.on) and size([item.anchor]) <= ANCHOR_WORDS]
    if not near:
        there = f"{len(found.comments)} comments stand elsewhere" if found.comments else "there is no comment"
        return Score(0.0, f"no comment is anchored to {quote(check.on)}: {there}")
    return max((_comment_score(check, item) for item in near), key=lambda score: score.value)


def _comment_score(check: Comments, item: Comment) -> Score:
    share, lost = held([item.text], check.contains, f"in the comment on {quote(check.on)}")
    if check.author and fold(item.author) != fold(check.author):
        lost.append(f"the comment on {quote(check.on)} is by {quote(item.author)}, not by {quote(check.author)}")
        share /= 2
    return Score(share, "; ".join(lost))


@judged
def docx_style(check: TextLook, bench: Bench) -> Score:
    """The mean over the paragraphs meant, of the share of their text and of their properties that are as wanted."""
    found = document(bench, check.file, TextDocument, "Word document")
    meant = [item for item in paragraphs(found.blocks) if _meant(check, item)]
    name = f"headings of level {check.level}" if check.level is not None else "paragraphs"
    if not meant:
        return Score(0.0, f"there are no {name}" + (f" that hold {quote(check.text)}" if check.text else ""))
    scores = [_paragraph_score(check, item) for item in meant]
    lost = [score.reason for score in scores if score.reason]
    reason = f"{len(lost)} of {len(meant)} {name} look otherwise; first: {lost[0]}" if lost else ""
    return Score(sum(score.value for score in scores) / len(scores), reason)


def _meant(check: TextLook, item: Paragraph) -> bool:
    if not text_key(item.text) or item.generated:
        return False
    return (check.level is None or item.level == check.level) and (
        check.text is None or count(item.text, check.text) > 0
    )


def _paragraph_score(check: TextLook, item: Paragraph) -> Score:
    shares: list[float] = []
    lost: list[str] = []
    runs = [run for run in item.runs if run.change != "del" and not run.style.hidden and text_key(run.text)]
    wrong = [(run, why) for run in runs if (why := looks_wrong(run.style, check.look))]
    if _asks(check.look):
        total = sum(len(run.text) for run in runs)
        shares.append(1 - sum(len(run.text) for run, _ in wrong) / total if total else 0.0)
        lost += [f"{quote(wrong[0][0].text)} {wrong[0][1]}"] if wrong else []
    for good, why in _paragraph_wishes(check, item):
        shares.append(float(good))
        lost += [] if good else [f"{quote(item.text)} {why}"]
    return Score(sum(shares) / len(shares) if shares else 1.0, "; ".join(lost))


def _paragraph_wishes(check: TextLook, item: Paragraph) -> list[tuple[bool, str]]:
    wishes = []
    if check.look.align:
        wishes.append((item.align == check.look.align, f"is aligned {item.align}, not {check.look.align}"))
    if check.style is not None:
        wishes.append((fold(item.style) == fold(check.style), f"has the style {item.style!r}, not {check.style!r}"))
    if check.line_spacing is not None:
        near = abs(item.line_spacing - check.line_spacing) <= SPACING
        wishes.append((near, f"has a line spacing of {item.line_spacing:g}, not {check.line_spacing:g}"))
    return wishes


def _asks(look: Look) -> bool:
    """Whether a look asks for anything of a run's."""
    asked = (look.bold, look.italic, look.underline, look.strike, look.font, look.size, look.color, look.fill)
    return any(item is not None for item in asked)


def looks_wrong(style: Style, look: Look) -> str:
    """What a run's effective style lacks of a wanted look; "" for nothing."""
    for name in ("bold", "italic", "underline", "strike"):
        wanted = getattr(look, name)
        if wanted is not None and getattr(style, name) != wanted:
            return f"is {'not ' if wanted else ''}{name}"
    if look.font is not None and fold(style.font) != fold(look.font):
        return f"is set in {style.font}, not in {look.font}"
    if look.size is not None and abs(style.size - look.size) > 0.1:
        return f"has {style.size:g} points, not {look.size:g}"
    if look.color is not None and not close(style.color, look.color):
        return f"has the colour {style.color}, not {look.color}"
    if look.fill == "any" and (style.fill is None or close(style.fill, "ffffff")):
        return "stands on white"
    if look.fill not in (None, "any") and not close(style.fill or "ffffff", look.fill):
        return f"stands on {style.fill or 'ffffff'}, not on {look.fill}"
    return ""
