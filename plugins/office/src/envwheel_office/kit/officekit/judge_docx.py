"""Judges what a text document says and how its pages are set up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .bench import Bench, Score
from .equal import fold, text_key
from .language_pages import DocField, DocTable, DocText, Outline, PageSetup, PdfTable, SlideTable
from .model import Block, Grid, Paragraph, Section, TextDocument
from .paper import millimetres, paper_name
from .tables import score_rows
from .words import Unfit, count, document, held, in_order, intruders, judged, mean, quote

MARGIN = 1.0
"""Millimetres by which a margin may be off: what rounding to inches or tenths makes of it."""


@judged
def docx_outline(check: Outline, bench: Bench) -> Score:
    """The headings against the wanted ones: F1 in order."""
    blocks = document(bench, check.file, TextDocument, "Word document").blocks
    levels = {heading.level for heading in check.headings}
    stands = [item for item in paragraphs(blocks) if text_key(item.text)]
    found = [(item.level, fold(item.text)) for item in stands if item.level in levels]
    wanted = [(heading.level, fold(heading.text)) for heading in check.headings]
    score = in_order(found, wanted, check.only, lambda item: f"{quote(item[1])} as heading of level {item[0]}")
    plain = {fold(item.text): item.style for item in stands if not item.level and not item.generated}
    typed = [text for _, text in wanted if text in plain and text not in {fold(i.text) for i in stands if i.level}]
    if typed and score.reason:
        hint = f"{quote(typed[0])} stands as body text of style {plain[typed[0]] or 'Normal'!r}, which is no heading"
        return Score(score.value, f"headings: {score.reason}; {hint}")
    return Score(score.value, f"headings: {score.reason}" if score.reason else "")


@judged
def docx_text(check: DocText, bench: Bench) -> Score:
    """Words and paragraphs, in the part that the check names."""
    found = document(bench, check.file, TextDocument, "Word document")
    part = section(found, check.under)
    where = f"under the heading {quote(check.under)}" if check.under else "in the document"
    texts = [_view(item, check) for item in paragraphs(part) if not item.generated]
    texts = [text for text in texts if text_key(text)]
    everywhere = [_view(item, check) for item in paragraphs(part)]
    if check.under is None:
        texts_around = [text for page in found.sections for text in (*page.headers.values(), *page.footers.values())]
        everywhere += [*found.footnotes, *texts_around]
        texts_read = [*texts, *found.footnotes]
    else:
        texts_read = texts
    lost = intruders(everywhere, check.absent, where)
    if lost:
        return Score(0.0, "; ".join(lost))
    parts = []
    if check.contains:
        share, lost = held(texts_read, check.contains, where, check.once)
        parts.append(share)
    if check.paragraphs is not None:
        score = in_order([text_key(text) for text in texts], _keys(check.paragraphs), True, quote)
        parts.append(score.value)
        lost += [f"paragraphs {where}: {score.reason}"] if score.reason else []
    return mean(parts, lost, texts, check.max_words, where)


@judged
def docx_table(check: DocTable, bench: Bench) -> Score:
    """The first native table that has the headers: F1 over its cells."""
    found = document(bench, check.file, TextDocument, "Word document")
    grids = [block.table for block in section(found, check.under) if block.table]
    where = f"under the heading {quote(check.under)}" if check.under else "in the document"
    return grid_score(grids, check, where, check.order)


def grid_score(grids: Sequence[Grid], check: DocTable | SlideTable | PdfTable, where: str, order: str = "any") -> Score:
    """The first grid in which most of the headers stand in one row, judged as a table. Also for slides and pages."""
    wanted = [fold(column.header) for column in check.columns]
    if not grids:
        return Score(0.0, f"there is no table {where}")
    best: tuple[int, Grid, int] | None = None
    for grid in grids:
        for at, row in enumerate(grid.rows[:20]):
            hits = len(set(wanted) & {fold(cell) for cell in row})
            if hits and (best is None or hits > best[0]):
                best = hits, grid, at
    if best is None:
        names = ", ".join(column.header for column in check.columns)
        return Score(0.0, f"no table {where} has a row with the headers {names}")
    _, grid, at = best
    score = score_rows(grid.rows[at], grid.rows[at + 1 :], check.columns, check.key, check.rows, order, written="human")
    return Score(score.value, f"the table {where}: {score.reason}" if score.reason else "")


@judged
def docx_field(check: DocField, bench: Bench) -> Score:
    """Real fields of the wanted code at the wanted place."""
    found = document(bench, check.file, TextDocument, "Word document")
    here = [item for item in found.fields if check.where in ("any", item.where)]
    if check.under is not None:
        here = [item for item in here if fold(item.under) == fold(check.under)]
    named = [item for item in here if item.code.split()[:1] and item.code.split()[0].casefold() == fold(check.code)]
    right = [item for item in named if all(_has(item.code, part) for part in check.switches)]
    if len(right) >= check.count:
        return Score(1.0)
    place = "in the document" if check.where == "any" else f"in the {check.where}"
    if check.under is not None:
        place += f" under the heading {quote(check.under)}" if check.under else " before the first heading"
    if named and not right:
        return Score(0.0, f"the {check.code} field {place} is {quote(named[0].code)}, without {check.switches}")
    others = ", ".join(sorted({item.code.split()[0] for item in found.fields if item.code.split()})) or "none"
    seen = f"fields of the document: {others}"
    return Score(len(right) / check.count, f"{len(right)} of {check.count} {check.code} fields {place}; {seen}")


def _has(code: str, part: str) -> bool:
    """Whether the words of `part` stand in a field's code one after the other; quotes are nothing."""
    words, wanted = (re.sub('["“”]', " ", fold(text)).split() for text in (code, part))
    return any(words[at : at + len(wanted)] == wanted for at in range(len(words)))


@judged
def page_setup(check: PageSetup, bench: Bench) -> Score:
    """The share of the wanted page properties that every section has."""
    sections = document(bench, check.file, TextDocument, "Word document").sections
    wishes: list[tuple[bool, str]] = []
    for at, page in enumerate(sections, start=1):
        where = f"section {at}" if len(sections) > 1 else "the page"
        wishes += [(good, f"{where} {reason}") for good, reason in _page_wishes(check, page)]
    lost = [reason for good, reason in wishes if not good]
    return Score(1 - len(lost) / len(wishes) if wishes else 1.0, "; ".join(lost))


def _page_wishes(check: PageSetup, page: Section) -> Iterator[tuple[bool, str]]:
    if check.paper:
        paper = paper_name(page.width, page.height)
        yield paper == check.paper, f"has the paper {paper}, not {check.paper}"
    if check.orientation:
        yield page.orientation == check.orientation, f"is {page.orientation}, not {check.orientation}"
    for name, wanted in check.margins_mm.items():
        margin = millimetres(page.margins.get(name, 0.0))
        yield abs(margin - wanted) <= MARGIN, f"has a {name} margin of {margin:.1f} mm, not {wanted:g}"
    for name, words, texts in (("header", check.header, page.headers), ("footer", check.footer, page.footers)):
        if words is not None:
            text = texts.get("default", "")
            yield count(text, words) > 0, f"has {quote(text) if text else 'nothing'} in its {name}, not {quote(words)}"


def section(found: TextDocument, under: str | None) -> list[Block]:
    """The blocks under a heading, up to the next one of its level or above. Raises Unfit where there is none."""
    if under is None:
        return found.blocks
    inside: list[Block] = []
    level = 0
    for block in found.blocks:
        item = block.paragraph
        if level and item and 0 < item.level <= level and text_key(item.text):
            return inside
        if level:
            inside.append(block)
        elif item and item.level and fold(item.text) == fold(under):
            level = item.level
    if not level:
        raise Unfit(f"there is no heading {quote(under)}")
    return inside


def paragraphs(blocks: Sequence[Block]) -> Iterator[Paragraph]:
    """All paragraphs in order, those in tables once each."""
    for block in blocks:
        if block.paragraph:
            yield block.paragraph
        elif block.table:
            yield from block.table.paragraphs


def _view(item: Paragraph, check: DocText) -> str:
    return item.original if check.view == "original" else item.text


def _keys(texts: Sequence[str]) -> list[str]:
    return [text_key(text) for text in texts if text_key(text)]
