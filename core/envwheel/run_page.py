"""A run for a browser, in the style of the gate's report: rounds, aims, the proposer's harness, every candidate.

write(Path("report.html"), Path("runs/demo"), records, pool=7)
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree.ElementTree import Element

from envwheel.gate import html
from envwheel.gate.evidence import steps_of
from envwheel.gate.page import Page, add, grid
from envwheel.gate.report import replaced
from envwheel.ledger import AnyRecord, Attempt, HarnessNote, Plan, RunStart
from envwheel.pictures import PAGES
from envwheel.progress import (
    HARNESS,
    ROUND,
    SIMULATED,
    harness_turn,
    outcomes,
    proposing,
    revision_cells,
    round_cells,
    simulated,
    standing,
)
from envwheel.revisions import table as revisions
from envwheel.store import RunDirectory
from envwheel.store import pool as pool_of
from envwheel.summary import RoundSummary, summaries

REPORT = "report.html"
AIMS = ("round", "candidates", "skill or family", "level", "why")


def write(file: Path, run: Path, records: Sequence[AnyRecord], pool: int) -> None:
    """Write the page of `run`, whose pool holds `pool` environments, at once or not at all. Raises EnvwheelError."""
    text = page(run, records, pool, file.parent)
    with replaced(file) as temporary:
        temporary.write_text(text, "utf-8")


def renew(run: Path) -> None:
    """Write the page of `run` anew, where it has one: new pictures are there to point at. Raises EnvwheelError."""
    if (run / REPORT).is_file():
        records = RunDirectory.read(run)
        write(run / REPORT, run, records, len(pool_of(run, records)))


def page(run: Path, records: Sequence[AnyRecord], pool: int, beside: Path) -> str:
    """The page as text, for a file in the folder `beside`."""
    rounds = summaries(records)
    engine = next((record.engine for record in records if isinstance(record, RunStart)), "")
    made = Page(f"envwheel run {run}", f"{len(rounds)} rounds, engine {engine or 'none'}")
    verdicts = list(candidates(run, records, engine, beside))
    html.counts(made.main, verdicts)
    grid(made.main, "Rounds", ROUND, map(round_cells, rounds))
    notes = add(made.main, "ul")
    for text in _notes(rounds, records, pool):
        add(notes, "li", text)
    _aims(made.main, records)
    _harness(made.main, records)
    html.codes_table(made.main, verdicts)
    html.environments(made.main, verdicts)
    return made.text()


def _notes(rounds: Sequence[RoundSummary], records: Sequence[AnyRecord], pool: int) -> Iterator[str]:
    if simulated(records):
        yield SIMULATED
    if not all(one.complete for one in rounds):
        yield "* not complete"
    for one in rounds:
        yield from outcomes(one)
        if one.proposer.input + one.proposer.output:
            yield f"round {one.round}: {proposing(one)}"
    yield standing(records, pool)


def _aims(main: Element, records: Sequence[AnyRecord]) -> None:
    """What each round was to build, and why."""
    groups = Counter(
        (plan.round, target.family, target.level, target.reason)
        for plan in records
        if isinstance(plan, Plan)
        for target in plan.targets
    )
    rows = [(str(round), str(n), family, str(level), reason) for (round, family, level, reason), n in groups.items()]
    if rows:
        grid(main, "Aimed at", AIMS, rows, told=True)


def _harness(main: Element, records: Sequence[AnyRecord]) -> None:
    """What became of the candidates of each revision of the proposer's harness, and why it was revised."""
    turns = [note for note in records if isinstance(note, HarnessNote)]
    if not turns:
        return
    grid(main, "Revisions of the proposer's harness", HARNESS, map(revision_cells, revisions(records)))
    told = add(main, "ul")
    for note in turns:
        add(told, "li", harness_turn(note))


def _pictures(run: Path, environment: str, beside: Path) -> str:
    """Where `show --render` put pictures of an environment, as a link from the folder `beside`; "" for none."""
    index = run / PAGES / environment / "index.html"
    return quote(os.path.relpath(index, beside)) if index.is_file() else ""


def candidates(run: Path, records: Sequence[AnyRecord], engine: str, beside: Path) -> Iterator[dict[str, Any]]:
    """Every candidate that is closed, as `check --json` would tell it; steps from the evidence where there is some.

    What our side failed may have been made again: a candidate's last record counts.
    """
    last = {record.candidate: record for record in records if isinstance(record, Attempt)}
    for record in last.values():
        place = run / "environments"
        if not (place / record.environment).is_dir():  # what came from the shelf is in the pool too
            place = run / "candidates" / record.candidate
        yield {
            "path": str(place / record.environment),
            "name": f"{record.candidate} {record.environment}",
            "verdict": record.verdict,
            "code": record.code,
            "message": record.message,
            "seconds": record.wall_s,
            "engine": engine,
            "skipped": [],
            "pages": _pictures(run, record.environment, beside),
            "steps": steps_of(place / record.environment / "evidence.json"),
        }
