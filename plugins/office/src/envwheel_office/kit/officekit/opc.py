"""The package under docx and pptx: parts, relationships and XML, read without any library that may skip something.

    package = Package.open(path)
    main = package.main()                      # the document part that the package names
    root = package.xml(main)
    package.related(main, "styles")            # the parts that it points at by relationships of this kind

Whatever is not right (no zip, no such part, XML that is none, nesting without end) is a ValueError with a reason.
"""

from __future__ import annotations

import functools
import posixpath
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lxml import etree

MAX_DEPTH = 250
"""Elements in elements. Word nests to about 30; recursion over more would end in a crash."""
MAX_PART = 100_000_000
OLE = b"\xd0\xcf\x11\xe0"

STRICT = {
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/presentationml/main": "http://schemas.openxmlformats.org/presentationml/2006/main",
    "http://purl.oclc.org/ooxml/drawingml/main": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "http://purl.oclc.org/ooxml/drawingml/chart": "http://schemas.openxmlformats.org/drawingml/2006/chart",
    "http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing": (
        "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
    ),
    "http://purl.oclc.org/ooxml/officeDocument/relationships": (
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    ),
}
"""Namespaces of "strict" files, which Office writes on request, and what they are called elsewhere."""

NS = {
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "v": "urn:schemas-microsoft-com:vml",
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
}
_PREFIX = {uri: prefix for prefix, uri in NS.items()}

Element = Any
"""An lxml element; the library ships no types."""


@functools.cache
def q(name: str) -> str:
    """The full name of "w:p"."""
    prefix, _, local = name.partition(":")
    return f"{{{NS[prefix]}}}{local}"


def tag(element: Element) -> str:
    """The short name of an element, "w:p"; without a prefix where its namespace is not one that documents use here."""
    name = element.tag
    if not isinstance(name, str):  # a comment or a processing instruction
        return ""
    uri, _, local = name[1:].rpartition("}") if name.startswith("{") else ("", "", name)
    prefix = _PREFIX.get(uri)
    return f"{prefix}:{local}" if prefix else local


def find(element: Element | None, *path: str) -> Element | None:
    """The first child along a path of short names; None when it is missing."""
    for name in path:
        if element is None:
            return None
        element = element.find(q(name))
    return element


def attr(element: Element | None, name: str, default: str = "") -> str:
    """An attribute, "w:val" or plain "val", of an element that may be missing."""
    if element is None:
        return default
    value = element.get(q(name) if ":" in name else name)
    return default if value is None else str(value)


def val(element: Element | None, *path: str, default: str = "") -> str:
    """The attribute w:val at a path of children."""
    return attr(find(element, *path), "w:val", default)


def integer(text: str, default: int = 0) -> int:
    """A number as Office writes it; `default` for what is none. "12.0" and "12pt"-like values lose their tail."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return int(float(text.rstrip("ptinmc% ")))
    except (ValueError, OverflowError):
        return default


@dataclass(frozen=True, slots=True)
class Relation:
    """What a part points at: `kind` is the last word of the type; `target` a part's name or, if external, a link."""

    kind: str
    target: str
    external: bool = False


@dataclass(slots=True)
class Package:
    """An opened package."""

    files: dict[str, bytes]
    _xml: dict[str, Element] = field(default_factory=dict)
    _relations: dict[str, dict[str, Relation]] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path | str) -> Package:
        """The package at `path`, wholly read. Raises ValueError."""
        data = Path(path).read_bytes()
        if not data:
            raise ValueError("the file is empty")
        if data.startswith(OLE):
            raise ValueError("the file is encrypted or of the old binary format")
        files: dict[str, bytes] = {}
        try:
            with zipfile.ZipFile(path) as archive:
                for info in archive.infolist():
                    if info.is_dir():
                        continue
                    if info.file_size > MAX_PART:
                        raise ValueError(f"{info.filename} is larger than {MAX_PART} bytes")
                    files.setdefault(info.filename.lstrip("/"), archive.read(info))
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError) as error:
            raise ValueError(f"no readable zip package: {error}") from None
        return cls(files)

    def xml(self, name: str) -> Element:
        """The root element of a part. Raises ValueError when it is missing or no XML."""
        if name not in self._xml:
            if name not in self.files:
                raise ValueError(f"the part {name} is missing")
            self._xml[name] = parse(self.files[name], name)
        return self._xml[name]

    def main(self, kind: str = "officeDocument") -> str:
        """The name of the document part."""
        found = [relation.target for relation in self.relations("").values() if relation.kind == kind]
        if not found:
            raise ValueError("the package names no document part")
        return found[0]

    def relations(self, name: str) -> dict[str, Relation]:
        """What a part ("" for the package) points at, by id. A part without relationships has none."""
        if name not in self._relations:
            folder, base = posixpath.split(name)
            at = posixpath.join(folder, "_rels", f"{base}.rels")
            found = {}
            for item in self.xml(at) if at in self.files else ():
                if not isinstance(item.tag, str):
                    continue
                external = item.get("TargetMode") == "External"
                target = item.get("Target", "")
                kind = item.get("Type", "").rpartition("/")[2]
                found[item.get("Id", "")] = Relation(kind, target if external else _part(folder, target), external)
            self._relations[name] = found
        return self._relations[name]

    def related(self, name: str, kind: str) -> list[str]:
        """Names of the parts that a part points at by relationships of `kind` and that are there."""
        relations = self.relations(name).values()
        return [item.target for item in relations if item.kind == kind and item.target in self.files]

    def root(self, name: str, kind: str) -> Element | None:
        """The XML of the first part of `kind` that a part points at; None when there is none."""
        found = self.related(name, kind)
        return self.xml(found[0]) if found else None

    def target(self, name: str, relation_id: str) -> str | None:
        """The name of the part behind a relationship's id; None when it leads nowhere."""
        relation = self.relations(name).get(relation_id)
        return relation.target if relation and not relation.external and relation.target in self.files else None


def parse(data: bytes, name: str) -> Element:
    """XML without entities, network or endless nesting. Raises ValueError."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, remove_comments=True, remove_pis=True
    )
    for strict, usual in STRICT.items():
        if strict.encode() in data:
            data = data.replace(strict.encode(), usual.encode())
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ValueError(f"{name} is no well-formed XML: {error}") from None
    if root.getroottree().docinfo.doctype:
        raise ValueError(f"{name} has a DOCTYPE")
    _check_depth(root, name)
    return root


def _check_depth(root: Element, name: str) -> None:
    depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > MAX_DEPTH:
            raise ValueError(f"{name} nests elements deeper than {MAX_DEPTH}")


def _part(folder: str, target: str) -> str:
    target = unquote(target.replace("\\", "/"))
    if target.startswith("/"):
        return target.lstrip("/")
    return posixpath.normpath(posixpath.join(folder, target))
