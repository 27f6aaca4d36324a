"""An Office Open XML package as its parts: names, relationships, XML without entities. Used by the readers."""

from __future__ import annotations

import posixpath
import zipfile
from typing import Any, NamedTuple

from lxml import etree

RELATIONSHIPS = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
R_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


class Relation(NamedTuple):
    """Where a part points: the last word of the relationship's type, and the part's name."""

    kind: str
    target: str


def safe_parser(**options: Any) -> etree.XMLParser:
    """An XML parser that resolves nothing and goes nowhere."""
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True,
                           remove_pis=True, **options)  # fmt: skip


class Package:
    """The zip at `path`; names are looked up without regard to case, as the format says."""

    def __init__(self, path: str) -> None:
        self.archive = zipfile.ZipFile(path)
        self._names = {name.lower(): name for name in self.archive.namelist()}
        self._relations: dict[str, dict[str, Relation]] = {}

    def __contains__(self, part: str) -> bool:
        return part.lower() in self._names

    def bytes(self, part: str) -> bytes:
        """The content of a part. KeyError when there is none."""
        return self.archive.read(self._names[part.lower()])

    def stream(self, part: str) -> Any:
        """A file object of a part. KeyError when there is none."""
        return self.archive.open(self._names[part.lower()])

    def xml(self, part: str) -> Any:
        """The root element of a part. KeyError when there is none, XMLSyntaxError when it is broken."""
        return etree.fromstring(self.bytes(part), safe_parser())

    def relations(self, part: str) -> dict[str, Relation]:
        """The inner relationships of a part by id; "" for the package's own."""
        if part not in self._relations:
            folder, name = posixpath.split(part)
            rels = posixpath.join(folder, "_rels", f"{name}.rels")
            found = {}
            for item in self.xml(rels).iter(RELATIONSHIPS) if rels in self else ():
                if item.get("TargetMode", "").lower() != "external":
                    target = posixpath.normpath(posixpath.join("/", folder, item.get("Target", "")))
                    found[item.get("Id", "")] = Relation(item.get("Type", "").rpartition("/")[2], target.lstrip("/"))
            self._relations[part] = found
        return self._relations[part]

    def related(self, part: str, kind: str) -> list[str]:
        """The parts that `part` points at with relationships of `kind`, as "chart"; those that exist."""
        return [item.target for item in self.relations(part).values() if item.kind == kind and item.target in self]


def local(element: Any) -> str:
    """An element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def child(element: Any, *names: str) -> Any:
    """The first descendant along `names` (local names), or None."""
    for wanted in names:
        if element is None:
            return None
        element = next((item for item in element if local(item) == wanted), None)
    return element


def children(element: Any, wanted: str) -> list[Any]:
    """The children of that local name; none when `element` is None."""
    return [] if element is None else [item for item in element if local(item) == wanted]


def truth(text: str | None, otherwise: bool = False) -> bool:
    """An xsd:boolean."""
    return otherwise if text is None else text.strip().lower() in ("1", "true", "on")
