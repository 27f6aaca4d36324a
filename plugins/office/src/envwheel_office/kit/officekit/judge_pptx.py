"""Judges slides: which there are, what they say and show, and whether it fits."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from .bench import Bench, Score
from .equal import fold, same, text_key
from .judge_docx import grid_score
from .language_pages import Notes, Overflow, SlideChart, Slides, SlideTable, SlideText
from .model import Chart, Deck, Paragraph, Shape, Slide
from .words import Unfit, count, document, held, in_order, intruders, judged, mean, quote

EDGE = 2.0
"""Points by which a shape may stand over the edge of its slide."""
ROUGH = 0.12
"""Share by which an estimated height may be too large before it counts: a line in nine."""
TOUCH = 0.05
"""Share of the smaller of two texts that may lie under the other."""


def _slides(check: Slides | Overflow, bench: Bench) -> tuple[Deck, list[Slide]]:
    deck: Deck = document(bench, check.file, Deck, "presentation")
    return deck, [slide for slide in deck.slides if not slide.hidden]


def _slide(check: SlideText | SlideChart | SlideTable | Notes, bench: Bench) -> Slide:
    """The slide of the wanted title. Raises Unfit."""
    deck: Deck = document(bench, check.file, Deck, "presentation")
    named = [slide for slide in deck.slides if fold(slide.title) == fold(check.slide)]
    shown = [slide for slide in named if not slide.hidden]
    if shown:
        return shown[0]
    raise Unfit(
        f"the slide {quote(check.slide)} is hidden" if named else f"no slide has the title {quote(check.slide)}"
    )


@judged
def pptx_slides(check: Slides, bench: Bench) -> Score:
    """Titles in order, F1; with layouts, the mean of that and the share of right layouts."""
    _, slides = _slides(check, bench)
    score = in_order(
        [fold(slide.title) for slide in slides], [fold(title) for title in check.titles], check.only,
        lambda title: quote(title) if title else "a slide without a title",
    )  # fmt: skip
    lost = [f"titles of slides: {score.reason}"] if score.reason else []
    if not check.layouts:
        return Score(score.value, "; ".join(lost))
    by_title = {fold(slide.title): slide.layout for slide in reversed(slides)}
    wrong = []
    for title, layout in zip(check.titles, check.layouts, strict=False):
        found = by_title.get(fold(title), "")
        if fold(found) != fold(layout):
            wrong.append(f"the slide {quote(title)} has the layout {found!r}, not {layout!r}")
    right = 1 - len(wrong) / min(len(check.titles), len(check.layouts))
    return Score((score.value + right) / 2, "; ".join([*lost, *wrong]))


@judged
def pptx_text(check: SlideText, bench: Bench) -> Score:
    """Words and bullets of one slide."""
    slide = _slide(check, bench)
    where = f"on the slide {quote(check.slide)}"
    texts = [item.text for shape in slide.shapes for item in paragraphs(shape) if text_key(item.text)]
    lost = intruders(texts, check.absent, where)
    if lost:
        return Score(0.0, "; ".join(lost))
    parts = []
    if check.contains:
        share, lost = held(texts, check.contains, where)
        parts.append(share)
    if check.bullets is not None:
        body = [item.text for shape in slide.shapes if shape.role == "body" for item in shape.paragraphs]
        score = in_order(_keys(body), _keys(check.bullets), True, quote)
        parts.append(score.value)
        lost += [f"bullets {where}: {score.reason}"] if score.reason else []
    return mean(parts, lost, texts, check.max_words, where)


@judged
def pptx_chart(check: SlideChart, bench: Bench) -> Score:
    """The best native chart on the slide: the mean of series, type, categories and title, as far as they are asked."""
    slide = _slide(check, bench)
    charts = [shape.chart for shape in slide.shapes if shape.chart]
    if not charts:
        pictures = sum(shape.role == "picture" for shape in slide.shapes)
        there = f": {pictures} pictures are none" if pictures else ""
        return Score(0.0, f"the slide {quote(check.slide)} has no native chart that is seen{there}")
    return max((_chart_score(check, chart) for chart in charts), key=lambda score: score.value)


def _chart_score(check: SlideChart, chart: Chart) -> Score:
    where = f"the chart on the slide {quote(check.slide)}"
    lost = []
    free = list(chart.series)
    for wanted, name in itertools.zip_longest(check.series, (check.names or ())[: len(check.series)]):
        same_values = [series for series in free if _same_values(series.values, wanted)]
        named = [series for series in same_values if name is None or fold(series.name) == fold(name)]
        if named:
            free.remove(named[0])
        elif same_values:
            lost.append(f"{where} calls the series {_spell(wanted)} {quote(same_values[0].name)}, not {quote(name)}")
        else:
            there = "; ".join(_spell(series.values) for series in free[:3]) or "none"
            lost.append(f"{where} has no series {_spell(wanted)}; it has {there}")
    right = len(check.series) - len(lost)
    shares = [2 * right / (len(check.series) + len(chart.series))]
    if free and not lost:
        lost.append(f"{where} has {len(free)} series too many, first {_spell(free[0].values)}")
    if check.type != "any":
        shares.append(float(chart.kind == check.type))
        lost += [] if chart.kind == check.type else [f"{where} is a {chart.kind} chart, not a {check.type} chart"]
    if check.categories is not None:
        found_names = chart.series[0].categories if chart.series else []
        good = [fold(name) for name in found_names] == [fold(name) for name in check.categories]
        shares.append(float(good))
        lost += [] if good else [f"{where} has the categories {found_names[:6]}, not {check.categories[:6]}"]
    if check.title is not None:
        good = count(chart.title, check.title) > 0
        shares.append(float(good))
        lost += [] if good else [f"{where} has the title {quote(chart.title)}, not {quote(check.title)}"]
    return Score(sum(shares) / len(shares) if right else 0.0, "; ".join(lost))


def _same_values(found: list[float | None], wanted: list[float | None]) -> bool:
    pairs = zip(found, wanted, strict=False)
    return len(found) == len(wanted) and all(same(one, other, "number") for one, other in pairs)


def _spell(values: list[float | None]) -> str:
    shown = ", ".join("blank" if value is None else f"{value:g}" for value in values[:6])
    return f"({shown}{', ...' if len(values) > 6 else ''})"


@judged
def pptx_table(check: SlideTable, bench: Bench) -> Score:
    """The first native table on the slide that has the headers."""
    slide = _slide(check, bench)
    where = f"on the slide {quote(check.slide)}"
    return grid_score([item.table for item in slide.shapes if item.table], check, where, check.order)


@judged
def pptx_notes(check: Notes, bench: Bench) -> Score:
    """Words in a slide's notes."""
    slide = _slide(check, bench)
    where = f"in the notes of the slide {quote(check.slide)}"
    lost = intruders([slide.notes], check.absent, where)
    if lost:
        return Score(0.0, "; ".join(lost))
    share, lost = held([slide.notes], check.contains, where)
    return Score(share, "; ".join(lost) if slide.notes else f"nothing stands {where}")


@judged
def pptx_overflow(check: Overflow, bench: Bench) -> Score:
    """The share of slides on which everything fits."""
    deck, slides = _slides(check, bench)
    if not slides:
        return Score(0.0, "there is no slide")
    lost = []
    for number, slide in enumerate(slides, start=1):
        wrong = next(_misfits(slide, deck, check.min_size), "")
        if wrong:
            lost.append(f"slide {number} ({quote(slide.title)}): {wrong}")
    return Score(1 - len(lost) / len(slides), "; ".join(lost))


def _misfits(slide: Slide, deck: Deck, smallest: float) -> Iterator[str]:
    """What does not fit on a slide, one sentence each."""
    full = [shape for shape in slide.shapes if _has_text(shape) or shape.role in ("picture", "chart", "table")]
    for shape in full:
        left, top, right, bottom = _edges(shape)
        over = max(-left, -top, right - deck.width, bottom - deck.height)
        if over > EDGE:
            yield f"{shape.name!r} stands {over:.0f} points over the edge"
        if shape.needs > shape.height + max(4.0, ROUGH * shape.needs):
            yield f"the text of {shape.name!r} needs {shape.needs:.0f} points of height and has {shape.height:.0f}"
        for run in (run for item in paragraphs(shape) for run in item.runs if run.text.strip()):
            if run.style.size < smallest:
                yield f"{quote(run.text)} in {shape.name!r} has {run.style.size:g} points, less than {smallest:g}"
            elif run.style.hidden:
                yield f"{quote(run.text)} in {shape.name!r} cannot be seen"
    written = [shape for shape in full if _has_text(shape) or shape.role in ("chart", "table")]
    for one, other in itertools.combinations(written, 2):
        if _overlap(_edges(one, ink=True), _edges(other, ink=True)):
            yield f"{one.name!r} and {other.name!r} overlap"


def _has_text(shape: Shape) -> bool:
    return any(run.text.strip() for item in paragraphs(shape) for run in item.runs)


def _edges(shape: Shape, ink: bool = False) -> tuple[float, float, float, float]:
    """Left, top, right, bottom: of its text, or of the shape and its text together."""
    own = (shape.left, shape.top, shape.left + shape.width, shape.top + shape.height)
    if shape.ink is None:
        return own
    left, top, right, bottom = shape.ink
    if ink:
        return left, top, right, bottom
    return min(own[0], left), min(own[1], top), max(own[2], right), max(own[3], bottom)


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    across, down = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if across <= EDGE or down <= EDGE:
        return False
    smaller = min((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b))
    return across * down > TOUCH * smaller


def paragraphs(shape: Shape) -> Iterator[Paragraph]:
    """A shape's paragraphs, those of its table too."""
    yield from shape.paragraphs
    if shape.table:
        yield from shape.table.paragraphs


def _keys(texts: list[str]) -> list[str]:
    return [text_key(text) for text in texts if text_key(text)]
