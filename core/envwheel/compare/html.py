"""A comparison for a browser, in the style of the gate's report: methods, ratios, reasons, every candidate.

write(Path("compare.html"), figures, Path("runs/compare-swe"), records)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from envwheel.compare.figures import STAGES, Figures, MethodFigures
from envwheel.compare.report import HEAD, RATIOS, row, times
from envwheel.gate import html
from envwheel.gate.evidence import steps_of
from envwheel.gate.page import Page, grid
from envwheel.gate.report import replaced
from envwheel.ledger import AnyRecord, Attempt, RunStart

TOKENS = ("method", "model", "targets", "infra", "open", "completions", "tokens in", "cached", "tokens out", "dollars")


def write(path: Path, found: Figures, run: Path, records: Sequence[AnyRecord]) -> None:
    """Write the page of the comparison in `run` to `path`, at once or not at all. Raises EnvwheelError."""
    text = page(found, run, records)
    with replaced(path) as temporary:
        temporary.write_text(text, "utf-8")


def page(found: Figures, run: Path, records: Sequence[AnyRecord]) -> str:
    """The page as text."""
    engine = next((one.engine for one in records if isinstance(one, RunStart)), "")
    targets = max((one.targets for one in found.methods), default=0)
    about = f"{len(found.methods)} methods, {targets} targets each, engine {engine or 'none'}"
    made = Page(f"envwheel compare {run}", about)
    grid(made.main, "Methods", HEAD, ((one.method, *row(one)) for one in found.methods))
    if found.ratios:
        heads = (f"{found.methods[0].method} against", "pairs", *RATIOS.values())
        grid(made.main, "How many times as much", heads, ((one.against, *times(one)) for one in found.ratios))
    grid(made.main, "Tokens of the judged targets", TOKENS, map(_tokens, found.methods))
    _counts(made.main, "Reasons of rejection", {one.method: one.rejected for one in found.methods})
    stages = {one.method: one.stages for one in found.methods}
    _counts(made.main, "How far candidates got", stages, order=STAGES)
    html.environments(made.main, list(candidates(found, run, records)))
    return made.text()


def _tokens(one: MethodFigures) -> tuple[str, ...]:
    counts = (one.targets, one.infra, one.open, one.completions)
    tokens = (one.tokens.input, one.tokens.cached, one.tokens.output)
    dollars = "unknown" if one.tokens.dollars is None else f"{one.tokens.dollars:,.4g}"
    return one.method, one.model or "none", *map(str, counts), *(f"{count:,}" for count in tokens), dollars


def _counts(main: Element, title: str, counts: dict[str, dict[str, int]], order: Sequence[str] = ()) -> None:
    """A row a method, a column a word."""
    words = list(dict.fromkeys(word for of in counts.values() for word in of))
    words.sort(key=lambda word: order.index(word) if word in order else 0)
    if words:
        rows = ((method, *(str(of.get(word, 0)) for word in words)) for method, of in counts.items())
        grid(main, title, ("method", *words), rows)


def candidates(found: Figures, run: Path, records: Sequence[AnyRecord]) -> Iterator[dict[str, Any]]:
    """The last record of every candidate, as `check --json` would tell it."""
    engine = next((one.engine for one in records if isinstance(one, RunStart)), "")
    last = {one.candidate: one for one in records if isinstance(one, Attempt)}
    for one in last.values():
        plain = {True: "valid", False: "not valid", None: "not tried"}[one.valid_plain]
        where = f"candidates/{one.candidate}/{one.environment}"
        yield {
            "path": where,
            "name": f"{found.methods[one.round - 1].method} {one.environment}",
            "verdict": one.verdict,
            "code": one.code,
            "message": f"{one.message}; by the plain standard: {plain}",
            "seconds": one.wall_s,
            "engine": engine,
            "skipped": [],
            "steps": steps_of(run / where / "evidence.json"),
        }
