"""What the reports for a browser have in common: one file that needs nothing else and lets nothing in.

    page = Page("envwheel check pool/", "12 environments")
    add(page.main, "h2", "Environments")
    page.text()

It is built as a tree of elements, so that every text from an environment is escaped; a content policy lets the browser
run and load nothing but the style and the script that stand in the file.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib import resources
from xml.etree.ElementTree import Element, SubElement, tostring

from envwheel.console import plain
from envwheel.version import __version__

UNSCRIPTED = "tr[hidden] { display: table-row; } .controls, #more, th button::after { display: none; }"


class Page:
    """A page under way: fill `main`, then take `text`."""

    def __init__(self, title: str, about: str) -> None:
        self._html = Element("html", lang="en")
        _head(self._html, title)
        self._body = SubElement(self._html, "body")
        header = add(self._body, "header")
        add(header, "h1", title)
        when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
        add(header, "p", f"{about}, envwheel {__version__}, {when}", "about")
        self.main = add(self._body, "main")

    def text(self) -> str:
        """The whole page; nothing may be added afterwards."""
        add(self._body, "script", _asset("report.js"))
        _clean(self._html)
        return "<!doctype html>\n" + tostring(self._html, encoding="unicode", method="html") + "\n"


def add(parent: Element, tag: str, text: str = "", kind: str = "") -> Element:
    """A new element of `parent`."""
    element = SubElement(parent, tag, {"class": kind} if kind else {})
    element.text = text
    return element


def grid(main: Element, title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], *, told: bool = False) -> None:
    """A titled table of figures; with `told` the last column holds sentences."""
    section = add(main, "section")
    add(section, "h2", title)
    table = add(section, "table", kind="figures told" if told else "figures")
    head = add(add(table, "thead"), "tr")
    for name in heads:
        add(head, "th", name)
    body = add(table, "tbody")
    for cells in rows:
        line = add(body, "tr")
        for cell in cells:
            add(line, "td", cell)


def _head(html: Element, title: str) -> None:
    head = SubElement(html, "head")
    style, script = _asset("report.css"), _asset("report.js")
    styles = f"style-src '{_hash(style)}' '{_hash(UNSCRIPTED)}'"
    policy = f"default-src 'none'; {styles}; script-src '{_hash(script)}'; base-uri 'none'"
    SubElement(head, "meta", charset="utf-8")
    SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": policy})
    SubElement(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    add(head, "title", title)
    add(head, "style", style)
    add(add(head, "noscript"), "style", UNSCRIPTED)


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
