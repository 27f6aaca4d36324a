"""The parts of a package, looked at while they are unpacked: part of intake.py.

Each part that is XML goes once through expat, which builds no tree: no DOCTYPE, sane encoding and depth, the counts
that make a reader slow, and whatever reaches out of the document (macros, links, external targets, DDE).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from xml.parsers import expat

from .intake_cells import MAX_CELLS, Box, Scan
from .reference import split

MAX_DEPTH, MAX_ATTRIBUTES = 128, 500
MOST = {"xf": 20_000, "dxf": 5_000, "sheet": 500, "definedName": 10_000, "cfRule": 20_000, "dataValidation": 20_000,
        "mergeCell": 100_000, "sldId": 500}  # fmt: skip
"""How often an element may stand in one part."""
MAX_ELEMENTS, MAX_NAMES = 10_000_000, 5_000
"""Elements of a package, and names of elements and attributes in one part: expat keeps each name."""
XML_NAMES = (".xml", ".rels", ".vml")
ENCODINGS = ("utf-8", "utf8", "utf-16", "us-ascii", "ascii")

ACTIVE = re.compile(
    r"vbaproject|vbadata|activex|oleobject|externallink|/connections|customui|macroenabled|macrosheet|dialogsheet"
    r"|attachedtoolbars|afchunk|subdocument|attachedtemplate|querytable|/model/item|webextension|ctrlprop"
)
"""In a part's name, content type or relationship: what runs, or brings in something from outside."""
DDE = re.compile(r"\s*(?:=\s*)?[+\-@]?[\w.']+\|", re.ASCII)
DDE_FIELD = re.compile(r"\bDDE(AUTO)?\b", re.IGNORECASE)
STRICT = "strict Open XML, which the engines do not read: save it as the usual kind"


class Refusal(Exception):
    """The reason why a file is not opened."""


class Parts:
    """What was seen of a package: feed each part through `open`, then `close`, which judges the whole."""

    def __init__(self, extension: str, content_type: str) -> None:
        self.extension, self.content_type = extension, content_type
        self.names: set[str] = set()
        self.types: dict[str, str] = {}
        self.defaults: dict[str, str] = {}
        self.main = ""
        self.cells = self.elements = 0

    def open(self, name: str, slow: bool = False) -> Part:
        """The part `name`, to be fed. Raises Refusal for what may not be in a document at all."""
        lower = name.lower()
        if ACTIVE.search("/" + lower):
            raise Refusal(f"has an active or external part: {name[:80]}")
        if "/embeddings/" in lower and (self.extension == "xlsx" or not lower.endswith(".xlsx")):
            raise Refusal(f"has an embedded object: {name[:80]}")
        self.names.add(name)
        return Part(name, self, slow)

    def close(self) -> None:
        """Raises Refusal unless the package is of the type that it should be, and nothing in it is active."""
        if "[Content_Types].xml" not in self.names or not self.main:
            raise Refusal(f"no {self.extension} file: a zip without its main part")
        present = {name.rpartition(".")[2].lower() for name in self.names}
        wanted = list(self.types.values()) + [kind for ending, kind in self.defaults.items() if ending in present]
        active = next((kind for kind in wanted if ACTIVE.search(kind.lower())), None)
        if active:
            raise Refusal(f"has an active or external part of type {active[:100]}")
        if self.main not in self.names:
            raise Refusal("its main part is missing")
        main = self.types.get("/" + self.main, self.defaults.get(self.main.rpartition(".")[2].lower(), ""))
        if main != self.content_type:
            raise Refusal(f"no {self.extension} file: its main part is {main[:120] or 'of no type'}")


class Part:
    """One part: `feed` it piece by piece, then `close`. `slow` looks at each cell of a sheet."""

    def __init__(self, name: str, parts: Parts, slow: bool) -> None:
        self.name, self.parts, self.slow = name, parts, slow
        self.parser: expat.XMLParserType | None = None
        self.started = False
        self.lenient = name.lower().endswith(".vml")  # old Office writes HTML there
        self.look: Callable[[str, dict[str, str]], None] = self._root
        self.depth = 0
        self.counts: Counter[str] = Counter()
        self.known: set[str] = set()
        self.text: list[str] | None = None
        self.where = ""
        self.row = self.column = 0
        self.box = Box()
        self.scan: Scan | None = None

    def feed(self, chunk: bytes) -> None:
        """The next piece. Raises Refusal, Irregular."""
        if not self.started:
            self.started = True
            head = chunk.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\0")
            if self.name.lower().endswith(XML_NAMES) or head.startswith(b"<"):
                self._start()
                self.slow = self.slow or chunk[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in chunk[:4]
        if self.lenient and b"<!doctype" in chunk.lower().replace(b"\0", b""):
            raise Refusal(f"has a DOCTYPE ({self.name[:80]})")
        if self.parser is not None:
            self.parts.elements += chunk.count(b"<") // 2
            if self.parts.elements > MAX_ELEMENTS:
                raise Refusal(f"more than {MAX_ELEMENTS:,} elements")
            self._parse(chunk, False)
        if self.scan is not None:
            try:
                self.scan.feed(chunk)
            except ValueError as error:
                raise Refusal(f"{error} ({self.name[:80]})") from None

    def close(self) -> None:
        """Its end. Raises Refusal."""
        if self.parser is not None:
            self._parse(b"", True)
        elif not self.started and self.name.lower().endswith(XML_NAMES):
            raise Refusal(f"{self.name[:80]} is empty")
        height, width = self.box.size
        if height * width > MAX_CELLS:
            raise Refusal(f"a sheet of {height} x {width} cells ({self.name[:80]}), more than {MAX_CELLS:,}")
        self.parts.cells += self.box.cells
        if self.parts.cells > 2 * MAX_CELLS:
            raise Refusal(f"more than {2 * MAX_CELLS:,} cells in all")
        many = next((name for name, most in MOST.items() if self.counts[name] > most), None)
        if many:
            raise Refusal(f"more than {MOST[many]} times {many} ({self.name[:80]})")

    def _parse(self, chunk: bytes, last: bool) -> None:
        try:
            self.parser.Parse(chunk, last)
        except (expat.ExpatError, ValueError, LookupError) as error:
            if not self.lenient:
                raise Refusal(f"broken XML in {self.name[:80]}: {error}"[:200]) from None
            self.parser = None

    def _start(self) -> None:
        parser = self.parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._element
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._doctype
        parser.XmlDeclHandler = self._declaration
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def _doctype(self, *_: object) -> None:
        raise Refusal(f"has a DOCTYPE ({self.name[:80]})")

    def _declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding and encoding.lower() not in ENCODINGS:
            raise Refusal(f"{self.name[:80]} is in the encoding {encoding[:40]}")

    def _element(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Refusal(f"nested deeper than {MAX_DEPTH} ({self.name[:80]})")
        if len(attributes) > MAX_ATTRIBUTES:
            raise Refusal(f"more than {MAX_ATTRIBUTES} attributes of one element ({self.name[:80]})")
        self.known.add(name)
        self.known.update(attributes)
        if len(self.known) > MAX_NAMES:
            raise Refusal(f"more than {MAX_NAMES:,} names of elements and attributes ({self.name[:80]})")
        self.look(name.rpartition(":")[2], attributes)

    def _end(self, name: str) -> None:
        self.depth -= 1
        if self.text is not None and name.rpartition(":")[2] == self.where:
            text, self.text = "".join(self.text), None
            self.parser.CharacterDataHandler = None
            if DDE.match(text) if self.where == "f" else DDE_FIELD.search(text):
                raise Refusal(f"has a DDE link ({self.name[:80]})")

    def _listen(self, name: str) -> None:
        """Take the text of the element that has just begun."""
        self.text, self.where = [], name
        self.parser.CharacterDataHandler = self.text.append

    def _root(self, name: str, attributes: dict[str, str]) -> None:
        """Choose what is looked for in this part by its root element, whatever its file is called."""
        looks = {"worksheet": self._sheet, "Relationships": self._relation, "Types": self._type}
        self.look = looks.get(name, self._other)
        if "purl.oclc.org/ooxml" in " ".join(attributes.values()):
            raise Refusal(STRICT)
        if name == "worksheet" and not self.slow:
            self.scan = Scan(self.box, self.counts)
            self.parser.StartElementHandler = self.parser.EndElementHandler = None

    def _sheet(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            self._cell(attributes.get("r"))
        elif name == "row":
            self.row = int(attributes.get("r") or self.row + 1)
            self.column = 0
        elif name == "f":
            self._listen(name)
        else:
            self._other(name, attributes)

    def _cell(self, reference: str | None) -> None:
        row, self.column = (self.row, self.column + 1) if reference is None else split(reference)
        self.box.take((row, row), (self.column, self.column), 1)

    def _other(self, name: str, attributes: dict[str, str]) -> None:
        self.counts[name] += 1
        if name == "instrText":
            self._listen(name)
        elif name == "fldSimple" and any(map(DDE_FIELD.search, attributes.values())):
            raise Refusal(f"has a DDE link ({self.name[:80]})")

    def _relation(self, name: str, attributes: dict[str, str]) -> None:
        kind, target = attributes.get("Type", ""), attributes.get("Target", "")
        if "purl.oclc.org/ooxml" in kind:
            raise Refusal(STRICT)
        if ACTIVE.search(kind.lower()):
            raise Refusal(f"has an active or external part of kind {kind.rpartition('/')[2][:60]}")
        if attributes.get("TargetMode", "").lower() == "external" and not kind.endswith("/hyperlink"):
            raise Refusal(f"reaches out of the document: {target[:80]}")
        if self.name == "_rels/.rels" and kind.endswith("/officeDocument"):
            if self.parts.main:
                raise Refusal("has two main parts")
            self.parts.main = target.lstrip("/")

    def _type(self, name: str, attributes: dict[str, str]) -> None:
        if name == "Override":
            self.parts.types[attributes.get("PartName", "")] = attributes.get("ContentType", "")
        elif name == "Default":
            self.parts.defaults[attributes.get("Extension", "").lower()] = attributes.get("ContentType", "")
