"""The report for a browser: one file that needs nothing else, from verdicts as `report.as_json` gives them.

    write(Path("report.html"), verdicts, title="envwheel check pool/")

A browser lays out `FIRST` rows, and more when asked; without the script the page shows all of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from envwheel.console import plain
from envwheel.errors import EnvwheelError
from envwheel.gate import codes
from envwheel.gate.page import Page, add
from envwheel.gate.report import by_code, by_verdict, one_line, replaced, reward_text

COLUMNS = ("name", "verdict", "code", "why", "steps", "seconds")
FIRST = 200
"""Rows that are shown at once: thousands take a browser seconds."""
LONG = 180
"""Characters of a message from which the rest is folded away."""


def write(path: Path, verdicts: Sequence[Mapping[str, Any]], title: str) -> None:
    """Write the report to `path`, at once or not at all. Raises EnvwheelError."""
    text = page(verdicts, title)
    with replaced(path) as temporary:
        temporary.write_text(text, "utf-8")


def page(verdicts: Sequence[Mapping[str, Any]], title: str) -> str:
    """The report as text."""
    engines = ", ".join(sorted({verdict["engine"] for verdict in verdicts} - {""})) or "none"
    made = Page(title, f"{len(verdicts)} environments, engine {engines}")
    counts(made.main, verdicts)
    codes_table(made.main, verdicts)
    environments(made.main, verdicts)
    return made.text()


def counts(main: Element, verdicts: Sequence[Mapping[str, Any]]) -> None:
    """How many of each verdict, and a bar of their shares."""
    found = by_verdict(verdicts)
    tiles = add(main, "section", kind="tiles")
    for word, count in found.items():
        tile = add(tiles, "div", kind=f"tile {word}")
        add(tile, "strong", f"{count:,}")
        add(tile, "span", f"{word}, {count / len(verdicts):.0%}")
    if not verdicts:
        add(tiles, "p", "Nothing was judged.")
        return
    bar = SubElement(
        main, "svg", {"class": "bar", "viewBox": "0 0 100 2", "preserveAspectRatio": "none", "role": "img"}
    )
    bar.set("aria-label", ", ".join(f"{count} {word}" for word, count in found.items()))
    at = 0.0
    for word, count in found.items():
        width = 100 * count / len(verdicts)
        SubElement(bar, "rect", {"class": word, "x": f"{at:.3f}", "width": f"{width:.3f}", "height": "2"})
        at += width


def codes_table(main: Element, verdicts: Sequence[Mapping[str, Any]]) -> None:
    """What was found how often; a click shows those."""
    groups = by_code(verdicts)
    if not groups:
        return
    section = add(main, "section")
    add(section, "h2", "By code")
    grid = add(section, "table", kind="codes")
    row = add(add(grid, "thead"), "tr")
    for name in ("code", "count", "share", "what it means"):
        add(row, "th", name)
    rows = add(grid, "tbody")
    for (word, code), group in groups.items():
        row = add(rows, "tr", kind=word)
        button = add(add(row, "td"), "button", code, kind="code")
        button.set("type", "button")
        button.set("title", f"show only {code}")
        add(row, "td", f"{len(group):,}", kind="number")
        add(row, "td", f"{len(group) / len(verdicts):.1%}", kind="number")
        add(row, "td", _meaning(code))


def _meaning(code: str) -> str:
    """The first sentence of the code's page."""
    try:
        paragraph = codes.explain(code).split("\n\n")[1]
    except EnvwheelError:
        return "a domain's own code: see the messages"
    sentence = re.split(r"(?<=[.;:])\s", " ".join(paragraph.split()), maxsplit=1)[0]
    return sentence.replace("`", "").rstrip(";:")


def environments(main: Element, verdicts: Sequence[Mapping[str, Any]]) -> None:
    """The table of all verdicts, which the page's script filters and sorts."""
    section = add(main, "section")
    add(section, "h2", "Environments")
    controls = add(section, "div", kind="controls")
    search = SubElement(controls, "input", {"type": "search", "id": "filter", "placeholder": "name, code or message"})
    search.set("aria-label", "filter")
    for id, values in (
        ("verdict", list(by_verdict(verdicts))),
        ("code", sorted({code for _, code in by_code(verdicts)})),
    ):
        select = SubElement(controls, "select", {"id": id, "aria-label": id})
        add(select, "option", f"every {id}").set("value", "")
        for value in values:
            add(select, "option", value).set("value", value)
    add(controls, "output", f"{len(verdicts):,} environments").set("id", "shown")
    grid = add(section, "table", kind="verdicts")
    grid.set("id", "verdicts")
    row = add(add(grid, "thead"), "tr")
    for name in COLUMNS:
        cell = add(row, "th", kind=name)
        cell.set("aria-sort", "none")
        add(cell, "button", name).set("type", "button")
    rows = add(grid, "tbody")
    for number, verdict in enumerate(verdicts):
        row = add(rows, "tr", kind=verdict["verdict"])
        if number >= FIRST:
            row.set("hidden", "")
        _row(row, verdict)
    more = add(section, "button", "show more")
    more.set("id", "more")
    more.set("type", "button")
    if len(verdicts) <= FIRST:
        more.set("hidden", "")


def _row(row: Element, verdict: Mapping[str, Any]) -> None:
    row.set("data-verdict", verdict["verdict"])
    row.set("data-code", verdict["code"])
    name = add(row, "td", verdict["name"], kind="name")
    name.set("title", verdict["path"])
    if verdict.get("pages"):
        add(name, "a", "pages").set("href", verdict["pages"])
    add(add(row, "td"), "span", verdict["verdict"], kind="word")
    add(row, "td", verdict["code"], kind="code")
    _message(add(row, "td", kind="why"), verdict)
    steps = add(add(row, "td"), "ul", kind="steps")
    for step in verdict["steps"]:
        if step["outcome"] != "skipped":
            _step(steps, step)
    add(row, "td", f"{verdict['seconds']:.1f}", kind="number")


def _message(cell: Element, verdict: Mapping[str, Any]) -> None:
    text = plain(verdict["message"]).strip()
    if len(text) > LONG or "\n" in text:
        details = add(cell, "details")
        line = one_line(text.split("\n", 1)[0])
        add(details, "summary", line if len(line) <= LONG else line[: LONG - 3] + "...")
        add(details, "pre", text)
    else:
        cell.text = text
    if verdict["skipped"]:
        add(cell, "small", f"not varied here: {', '.join(verdict['skipped'])}")


def _step(steps: Element, step: Mapping[str, Any]) -> None:
    item = add(steps, "li", step["step"], kind=step["outcome"])
    rewards = reward_text(step["rewards"])
    item.set("title", f"{step['step']}: {step['outcome']}, {step['seconds']:.1f} s")
    if rewards:
        add(item, "b", rewards)
