"""Is a given text document, deck or PDF still there? Block by block, slide by slide, page by page.

Each is turned into sections (under a heading, a slide, a page) of items, texts that can be compared; what may change is
left out of both, and the rest is aligned.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from .bench import FULL, Fault, Score
from .equal import fold, text_key
from .language_cells import Preserve
from .model import Block, Chart, Deck, Document, Grid, Paragraph, Pdf, Shape, Slide, Style, TextDocument
from .tables import rising
from .words import quote

Item = tuple[object, ...]
"""What a thing is, and what it shows."""


def preserved(check: Preserve, original: Document, found: Document) -> Score:
    """The share of the original's items that stand in their order; new ones count against unless allowed."""
    if isinstance(original, TextDocument) and isinstance(found, TextDocument):
        return _score(check, _document(check, original), _document(check, found))
    if isinstance(original, Deck) and isinstance(found, Deck):
        return _deck(check, original, found)
    if isinstance(original, Pdf) and isinstance(found, Pdf):
        skip = _numbers(check, "page")
        pages = [[words for at, page in enumerate(each.pages, 1) if at not in skip for words in _words(at, page.text)]
                 for each in (original, found)]  # fmt: skip
        return _score(
            check, *(page + _fields(check, each) for page, each in zip(pages, (original, found), strict=True))
        )
    raise Fault(f"tests/{check.original}: a {original.kind} file cannot be preserved")


def _score(check: Preserve, before: Sequence[Item], after: Sequence[Item]) -> Score:
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    kept = sum(block.size for block in blocks)
    gone = len(before) - kept
    came = 0 if "new" in check.allow else max(0, len(after) - kept)
    if not gone and not came:
        return FULL
    left, right = _first(before, after)
    first = f"first: {_told(right)} in the place of {_told(left)}"
    reason = f"{gone} of {len(before)} items are gone or others, {came} are new; {first}"
    return Score(max(0.0, 1 - max(gone, came) / max(1, len(before))), reason)


def _first(before: Sequence[Item], after: Sequence[Item]) -> tuple[Item | None, Item | None]:
    at = next((at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), None)
    at = min(len(before), len(after)) if at is None else at
    return before[at] if at < len(before) else None, after[at] if at < len(after) else None


def _told(item: Item | None) -> str:
    return "nothing" if item is None else f"{item[0]} {quote(str(item[1]))}"


def _numbers(check: Preserve, kind: str) -> set[int]:
    """The slides or pages that may change: 'slide:3'."""
    found = set()
    for text in check.allow:
        name, mark, number = text.partition(":")
        if name == kind and mark:
            if not number.isdigit():
                raise Fault(f"{check.id}: {text!r} names no {kind}")
            found.add(int(number))
    return found


def _document(check: Preserve, found: TextDocument) -> list[Item]:
    free = {fold(text.partition(":")[2]) for text in check.allow if text.startswith("heading:")}
    items: list[Item] = []
    level = 0
    for block in found.blocks:
        paragraph = block.paragraph
        if paragraph and paragraph.level and (not level or paragraph.level <= level):
            level = 0
            if fold(paragraph.text) in free:
                items.append(_paragraph(check, paragraph))
                level = paragraph.level
                continue
        if not level:
            items += _block(check, block)
    for section in found.sections:
        items += [("header", text_key(text)) for text in section.headers.values() if text_key(text)]
        items += [("footer", text_key(text)) for text in section.footers.values() if text_key(text)]
        items.append(("page", f"{section.width:.0f} x {section.height:.0f}"))
    items += [("footnote", text_key(text)) for text in found.footnotes]
    items += [("comment", text_key(comment.text), comment.author) for comment in found.comments]
    items += [("picture", "") for _ in range(found.pictures)]
    return items


def _block(check: Preserve, block: Block) -> list[Item]:
    if block.table is not None:
        return _grid(block.table)
    paragraph = block.paragraph
    if paragraph is None or paragraph.generated or not text_key(paragraph.text):
        return []
    return [_paragraph(check, paragraph)]


def _paragraph(check: Preserve, found: Paragraph) -> Item:
    kind = f"heading {found.level}" if found.level else "paragraph"
    looks = [(run.text, _look(run.style)) for run in found.runs] if check.looks else []
    return kind, text_key(found.text), found.number > 0, _joined(looks)


def _joined(looks: list[tuple[str, Item]]) -> tuple[tuple[str, Item], ...]:
    """Runs of one look are one run, however they were written."""
    made: list[tuple[str, Item]] = []
    for text, look in looks:
        if made and made[-1][1] == look:
            made[-1] = (made[-1][0] + text, look)
        elif text:
            made.append((text, look))
    return tuple(made)


def _look(style: Style) -> Item:
    return style.bold, style.italic, style.underline, style.strike, fold(style.font), round(style.size, 1), style.color


def _grid(grid: Grid) -> list[Item]:
    return [("row", " | ".join(text_key(cell) for cell in row)) for row in grid.rows]


def _deck(check: Preserve, original: Deck, found: Deck) -> Score:
    """Slides are paired by what they show; a slide of the same title counts with the share of its items."""
    skip = _numbers(check, "slide")
    before = [_slide(slide) for at, slide in enumerate(original.slides, 1) if at not in skip]
    after = [_slide(slide) for slide in found.slides]
    pairs = _paired(before, after)
    kept = sum(hits for _, hits in pairs.values())
    total = sum(map(len, before))
    reasons = [
        f"{len(items) - pairs[at][1]} of {len(items)} items of the slide {quote(str(items[0][1]))} are gone or others"
        for at, items in enumerate(before)
        if pairs[at][1] < len(items)
    ]
    free = sorted(set(range(len(after))) - {other for other, _ in pairs.values()})
    new = max(0, len(free) - len(skip)) if "new" not in check.allow else 0
    if new:
        reasons.append(f"{new} slides are new, as {quote(str(after[free[-1]][0][1]))}")
    value = max(0, kept - new) / total if total else 1.0
    places = [other for other, _ in pairs.values() if other is not None]
    if places != sorted(places):
        reasons.append("the slides stand in another order")
        value *= rising(places) / len(places)
    return Score(value, "; ".join(reasons[:3]))


def _paired(before: list[list[Item]], after: list[list[Item]]) -> dict[int, tuple[int | None, int]]:
    """Slide -> its counterpart and how many items they share: equal slides first, then the most alike."""
    free = list(range(len(after)))
    pairs: dict[int, tuple[int | None, int]] = dict.fromkeys(range(len(before)), (None, 0))
    for exact in (True, False):
        for at, items in enumerate(before):
            if pairs[at][0] is not None:
                continue
            shared = {other: _common(items, after[other]) for other in free if not exact or items == after[other]}
            best = max(shared, key=lambda other: (shared[other], -abs(other - at)), default=None)
            if best is not None and shared[best] > 1:  # more than "not hidden"
                pairs[at] = best, shared[best]
                free.remove(best)
    return pairs


def _common(one: list[Item], other: list[Item]) -> int:
    return sum(block.size for block in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks())


def _slide(slide: Slide) -> list[Item]:
    items: list[Item] = [("title", text_key(slide.title)), ("notes", text_key(slide.notes)), ("hidden", slide.hidden)]
    for shape in slide.shapes:
        items += _shape(shape)
    return items


def _shape(shape: Shape) -> list[Item]:
    if shape.role == "title":
        return []
    items: list[Item] = [(shape.role, text_key(paragraph.text)) for paragraph in shape.paragraphs]
    items += _grid(shape.table) if shape.table else []
    items += [_chart(shape.chart)] if shape.chart else []
    return items or [(shape.role, "")]


def _chart(chart: Chart) -> Item:
    return "chart", chart.title, chart.kind, tuple(tuple(series.values) for series in chart.series)


def _fields(check: Preserve, found: Pdf) -> list[Item]:
    """The form's fields by name, with what they hold where that may not change."""
    free = {text.partition(":")[2] for text in check.allow if text.startswith("field:")}
    fields = sorted(found.fields, key=lambda field: field.name)
    return [("field", field.name, field.kind, field.read_only, *([] if field.name in free else [text_key(field.value)]))
            for field in fields]  # fmt: skip


def _words(number: int, text: str) -> list[Item]:
    return [(f"page {number}", word) for word in text.split()]
