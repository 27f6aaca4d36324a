"""The report for a browser: one file that needs nothing else, from verdicts as `report.as_json` gives them.

    write(Path("report.html"), verdicts, title="envwheel check pool/")

It is built as a tree of elements, so that every text from an environment is escaped; a content policy lets the browser
run and load nothing but the style and the script that stand in the file. A browser lays out `FIRST` rows, and more when
asked; without the script the page shows all of them.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from envwheel.console import plain
from envwheel.errors import EnvwheelError
from envwheel.gate import codes
from envwheel.gate.report import by_code, by_verdict, one_line, replaced, reward_text
from envwheel.version import __version__

COLUMNS = ("name", "verdict", "code", "why", "steps", "seconds")
FIRST = 200
"""Rows that are shown at once: thousands take a browser seconds."""
UNSCRIPTED = "tr[hidden] { display: table-row; } .controls, #more, th button::after { display: none; }"
LONG = 180
"""Characters of a message from which the rest is folded away."""


def write(path: Path, verdicts: Sequence[Mapping[str, Any]], title: str) -> None:
    """Write the report to `path`, at once or not at all. Raises EnvwheelError."""
    text = page(verdicts, title)
    with replaced(path) as temporary:
        temporary.write_text(text, "utf-8")


def page(verdicts: Sequence[Mapping[str, Any]], title: str) -> str:
    """The report as text."""
    html = Element("html", lang="en")
    _head(html, title)
    body = SubElement(html, "body")
    header = _add(body, "header")
    _add(header, "h1", title)
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    engines = ", ".join(sorted({verdict["engine"] for verdict in verdicts} - {""})) or "none"
    _add(header, "p", f"{len(verdicts)} environments, engine {engines}, envwheel {__version__}, {when}", "about")
    main = _add(body, "main")
    _counts(main, verdicts)
    _codes(main, verdicts)
    _table(main, verdicts)
    _add(body, "script", _asset("report.js"))
    _clean(html)
    return "<!doctype html>\n" + tostring(html, encoding="unicode", method="html") + "\n"


def _head(html: Element, title: str) -> None:
    head = SubElement(html, "head")
    style, script = _asset("report.css"), _asset("report.js")
    styles = f"style-src '{_hash(style)}' '{_hash(UNSCRIPTED)}'"
    policy = f"default-src 'none'; {styles}; script-src '{_hash(script)}'; base-uri 'none'"
    SubElement(head, "meta", charset="utf-8")
    SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": policy})
    SubElement(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    _add(head, "title", title)
    _add(head, "style", style)
    _add(_add(head, "noscript"), "style", UNSCRIPTED)


def _counts(main: Element, verdicts: Sequence[Mapping[str, Any]]) -> None:
    """How many of each verdict, and a bar of their shares."""
    counts = by_verdict(verdicts)
    tiles = _add(main, "section", kind="tiles")
    for word, count in counts.items():
        tile = _add(tiles, "div", kind=f"tile {word}")
        _add(tile, "strong", f"{count:,}")
        _add(tile, "span", f"{word}, {count / len(verdicts):.0%}")
    if not verdicts:
        _add(tiles, "p", "Nothing was judged.")
        return
    bar = SubElement(
        main, "svg", {"class": "bar", "viewBox": "0 0 100 2", "preserveAspectRatio": "none", "role": "img"}
    )
    bar.set("aria-label", ", ".join(f"{count} {word}" for word, count in counts.items()))
    at = 0.0
    for word, count in counts.items():
        width = 100 * count / len(verdicts)
        SubElement(bar, "rect", {"class": word, "x": f"{at:.3f}", "width": f"{width:.3f}", "height": "2"})
        at += width


def _codes(main: Element, verdicts: Sequence[Mapping[str, Any]]) -> None:
    """What was found how often; a click shows those."""
    groups = by_code(verdicts)
    if not groups:
        return
    section = _add(main, "section")
    _add(section, "h2", "By code")
    grid = _add(section, "table", kind="codes")
    row = _add(_add(grid, "thead"), "tr")
    for name in ("code", "count", "share", "what it means"):
        _add(row, "th", name)
    rows = _add(grid, "tbody")
    for (word, code), group in groups.items():
        row = _add(rows, "tr", kind=word)
        button = _add(_add(row, "td"), "button", code, kind="code")
        button.set("type", "button")
        button.set("title", f"show only {code}")
        _add(row, "td", f"{len(group):,}", kind="number")
        _add(row, "td", f"{len(group) / len(verdicts):.1%}", kind="number")
        _add(row, "td", _meaning(code))


def _meaning(code: str) -> str:
    """The first sentence of the code's page."""
    try:
        paragraph = codes.explain(code).split("\n\n")[1]
    except EnvwheelError:
        return "a domain's own code: see the messages"
    sentence = re.split(r"(?<=[.;:])\s", " ".join(paragraph.split()), maxsplit=1)[0]
    return sentence.replace("`", "").rstrip(";:")


def _table(main: Element, verdicts: Sequence[Mapping[str, Any]]) -> None:
    section = _add(main, "section")
    _add(section, "h2", "Environments")
    controls = _add(section, "div", kind="controls")
    search = SubElement(controls, "input", {"type": "search", "id": "filter", "placeholder": "name, code or message"})
    search.set("aria-label", "filter")
    for id, values in (
        ("verdict", list(by_verdict(verdicts))),
        ("code", sorted({code for _, code in by_code(verdicts)})),
    ):
        select = SubElement(controls, "select", {"id": id, "aria-label": id})
        _add(select, "option", f"every {id}").set("value", "")
        for value in values:
            _add(select, "option", value).set("value", value)
    _add(controls, "output", f"{len(verdicts):,} environments").set("id", "shown")
    grid = _add(section, "table", kind="verdicts")
    grid.set("id", "verdicts")
    row = _add(_add(grid, "thead"), "tr")
    for name in COLUMNS:
        cell = _add(row, "th", kind=name)
        cell.set("aria-sort", "none")
        _add(cell, "button", name).set("type", "button")
    rows = _add(grid, "tbody")
    for number, verdict in enumerate(verdicts):
        row = _add(rows, "tr", kind=verdict["verdict"])
        if number >= FIRST:
            row.set("hidden", "")
        _row(row, verdict)
    more = _add(section, "button", "show more")
    more.set("id", "more")
    more.set("type", "button")
    if len(verdicts) <= FIRST:
        more.set("hidden", "")


def _row(row: Element, verdict: Mapping[str, Any]) -> None:
    row.set("data-verdict", verdict["verdict"])
    row.set("data-code", verdict["code"])
    name = _add(row, "td", verdict["name"], kind="name")
    name.set("title", verdict["path"])
    _add(_add(row, "td"), "span", verdict["verdict"], kind="word")
    _add(row, "td", verdict["code"], kind="code")
    _message(_add(row, "td", kind="why"), verdict)
    steps = _add(_add(row, "td"), "ul", kind="steps")
    for step in verdict["steps"]:
        if step["outcome"] != "skipped":
            _step(steps, step)
    _add(row, "td", f"{verdict['seconds']:.1f}", kind="number")


def _message(cell: Element, verdict: Mapping[str, Any]) -> None:
    text = plain(verdict["message"]).strip()
    if len(text) > LONG or "\n" in text:
        details = _add(cell, "details")
        line = one_line(text.split("\n", 1)[0])
        _add(details, "summary", line if len(line) <= LONG else line[: LONG - 3] + "...")
        _add(details, "pre", text)
    else:
        cell.text = text
    if verdict["skipped"]:
        _add(cell, "small", f"not varied here: {', '.join(verdict['skipped'])}")


def _step(steps: Element, step: Mapping[str, Any]) -> None:
    item = _add(steps, "li", step["step"], kind=step["outcome"])
    rewards = reward_text(step["rewards"])
    item.set("title", f"{step['step']}: {step['outcome']}, {step['seconds']:.1f} s")
    if rewards:
        _add(item, "b", rewards)


def _add(parent: Element, tag: str, text: str = "", kind: str = "") -> Element:
    """A new element of `parent`."""
    element = SubElement(parent, tag, {"class": kind} if kind else {})
    element.text = text
    return element


def _clean(html: Element) -> None:
    """Take out what no page may hold; what is left is escaped when the page is written."""
    for element in html.iter():
        if element.tag not in ("script", "style"):
            element.text = plain(element.text or "")
        for name, value in element.attrib.items():
            element.set(name, plain(value))


def _asset(name: str) -> str:
    return (resources.files("envwheel.gate") / "assets" / name).read_text("utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
