"""Judges PDF documents by what is seen on their pages, and their forms by their fields."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .bench import Bench, Score
from .equal import fold, text_key
from .judge_docx import grid_score
from .language_pages import PdfForm, PdfPages, PdfTable, PdfText
from .model import FormField, Page, Pdf
from .paper import paper_name
from .pdf_tables import ruled, standing
from .words import Unfit, count_in, document, find_after, intruders, judged, quote


@judged
def pdf_text(check: PdfText, bench: Bench) -> Score:
    """Words on the pages; in order, those count that stand after the ones before."""
    pdf: Pdf = document(bench, check.file, Pdf, "PDF")
    pages, where = _pages(pdf, check.page)
    texts = ["\n".join(parts) for parts in zip(*(_readings(page) for page in pages), strict=True)]
    lost = intruders(texts, check.absent, where)
    if lost:
        return Score(0.0, "; ".join(lost))
    if not check.in_order:
        # The same words in three readings are no keyword stuffing: each reading stands for the whole.
        missing = [wanted for wanted in check.contains if not count_in(texts, wanted)]
        lost = [f"{quote(wanted)} does not stand {where}" for wanted in missing]
        return Score(1 - len(missing) / len(check.contains) if check.contains else 1.0, "; ".join(lost))
    scores = [_in_order(text, check.contains, where) for text in texts]
    return max(scores, key=lambda score: score.value)


def _readings(page: Page) -> tuple[str, str, str]:
    """A page's text by lines, with words joined that were divided at a line's end, and as its producer wrote it."""
    flow = " ".join(word.text for word in page.words if word.visible)
    return page.text, re.sub(r"(?<=\w)[-\u00ad]\n(?=[^\W\d_])", "", page.text), flow


def _in_order(text: str, contains: list[str], where: str) -> Score:
    at = right = 0
    lost = []
    for wanted in contains:
        end = find_after(text, wanted, at)
        if end is None:
            there = "stands too early" if count_in([text], wanted) else "does not stand"
            lost.append(f"{quote(wanted)} {there} {where}")
        else:
            at, right = end, right + 1
    return Score(right / len(contains) if contains else 1.0, "; ".join(lost))


def _pages(pdf: Pdf, number: int | None) -> tuple[list[Page], str]:
    if number is None:
        return pdf.pages, "on the pages"
    at = number - 1 if number > 0 else len(pdf.pages) + number
    if not 0 <= at < len(pdf.pages):
        raise Unfit(f"there is no page {number}: the document has {len(pdf.pages)}")
    return [pdf.pages[at]], f"on page {at + 1}"


@judged
def pdf_table(check: PdfTable, bench: Bench) -> Score:
    """The first table with the headers: by its drawn lines, or by where its words stand."""
    pdf: Pdf = document(bench, check.file, Pdf, "PDF")
    headers = [column.header for column in check.columns]
    wanted = {fold(header) for header in headers}
    drawn = [grid for grid in ruled(pdf) if any(wanted <= {fold(cell) for cell in row} for row in grid.rows[:20])]
    if drawn:
        return grid_score(drawn, check, "on the pages")
    loose = standing(pdf, headers)
    if loose is None:
        return Score(0.0, f"no line of the pages has the headers {', '.join(headers)}")
    return grid_score([loose], check, "on the pages")


@judged
def pdf_form(check: PdfForm, bench: Bench) -> Score:
    """The share of fields with the right value that is seen."""
    pdf: Pdf = document(bench, check.file, Pdf, "PDF")
    if not pdf.fields:
        return Score(0.0, f"{check.file} has no form fields")
    by_name = {item.name: item for item in pdf.fields}
    lost = []
    for name, wanted in check.fields.items():
        item = by_name.get(name)
        if item is None:
            lost.append(f"there is no field {quote(name)}")
        elif not _has(item, wanted):
            lost.append(f"the field {quote(name)} holds {quote(item.value)}, not {quote(wanted)}")
        elif not item.seen:
            lost.append(f"the field {quote(name)} holds {quote(item.value)}, but shows something else")
    return Score(1 - len(lost) / len(check.fields), "; ".join(lost))


def _has(item: FormField, wanted: str) -> bool:
    """Whether a field has a value; a ticked box may have any name for it."""
    if text_key(item.value) == text_key(wanted):
        return True
    if item.kind != "checkbox":
        return False
    return item.value not in ("", "Off") if fold(wanted) in ("yes", "on", "true") else _is_off(item.value, wanted)


def _is_off(value: str, wanted: str) -> bool:
    return value in ("", "Off") and fold(wanted) in ("no", "off", "false", "")


@judged
def pdf_pages(check: PdfPages, bench: Bench) -> Score:
    """The share of the wanted properties that hold."""
    pdf: Pdf = document(bench, check.file, Pdf, "PDF")
    wishes = list(_wishes(check, pdf))
    lost = [reason for good, reason in wishes if not good]
    return Score(1 - len(lost) / len(wishes) if wishes else 1.0, "; ".join(lost))


def _wishes(check: PdfPages, pdf: Pdf) -> Iterator[tuple[bool, str]]:
    there = len(pdf.pages)
    if check.count is not None:
        yield there == check.count, f"the document has {there} pages, not {check.count}"
    if check.most is not None:
        yield there <= check.most, f"the document has {there} pages, {check.most} are allowed"
    pages, _ = _pages(pdf, check.page)
    if check.paper is not None:
        papers = [paper_name(page.width, page.height) for page in pages]
        other = next((at for at, paper in enumerate(papers) if paper != check.paper), 0)
        good = papers[other] == check.paper
        yield good, f"page {_number(pdf, pages[other])} has the paper {papers[other]}, not {check.paper}"
    if check.orientation is not None:
        ways = ["landscape" if page.width > page.height else "portrait" for page in pages]
        other = next((at for at, way in enumerate(ways) if way != check.orientation), 0)
        good = ways[other] == check.orientation
        yield good, f"page {_number(pdf, pages[other])} is {ways[other]}, not {check.orientation}"


def _number(pdf: Pdf, page: Page) -> int:
    return next(at for at, one in enumerate(pdf.pages, start=1) if one is page)
