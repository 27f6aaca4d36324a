"""The walk through one story of a docx: its body, a header, a footnote, a comment.

    story = Story(package, part, styles, where="body")
    story.blocks = story.collect(body, Frame())

It keeps two views at once: final (insertions stand, deletions are gone) and original (the other way round). Text that
nobody sees stays in the runs, marked hidden, and out of both views.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from .drawing import ANY, fill
from .model import Block, Field, Grid, Paragraph, Revision, Run
from .opc import Element, Package, attr, find, integer, q, tag, val
from .read_docx_parts import choice, code_word, flat, inside, lines, low, shown, spacing, unseen, within
from .read_docx_styles import ALIGN, Frame, Styles, first, on

GENERATED = ("TOC", "INDEX", "TOA", "BIBLIOGRAPHY")
UNSEEN_BY_NATURE = ("XE", "TC", "TA", "RD")
"""Fields that mark a place; Word itself makes them hidden text."""
WRAPPERS = ("w:smartTag", "w:customXml", "w:dir", "w:bdo", "w:sdtContent", "w:rubyBase", "w:rt", "m:oMathPara")


@dataclass(slots=True)
class _Open:
    """A field that is being read."""

    code: str = ""
    result: str = ""
    coding: bool = True
    unseen: bool = False
    under: str = ""


@dataclass(slots=True)
class _Line:
    """A paragraph that is being read."""

    style: str
    shade: str | None
    frame: Frame
    final: str = ""
    original: str = ""
    generated: bool = False
    breaks: list[str] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    boxes: list[tuple[Element, Frame]] = field(default_factory=list)


@dataclass(slots=True)
class Story:
    """One story and what the walk finds in it; `notes` are (kind, id) of its footnote references."""

    package: Package
    part: str
    styles: Styles
    where: str = "body"
    blocks: list[Block] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)
    revisions: list[Revision] = field(default_factory=list)
    sections: list[Element] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    comments: dict[str, str] = field(default_factory=dict)
    """Comment id -> the text that it is anchored to."""
    pictures: int = 0
    _open: list[_Open] = field(default_factory=list)
    _anchors: set[str] = field(default_factory=set)
    _page_break: bool = False
    _heading: str = ""

    @property
    def text(self) -> str:
        """All visible text, a paragraph a line."""
        return "\n".join(item.text for item in paragraphs(self.blocks) if item.text)

    def collect(self, container: Element, frame: Frame) -> list[Block]:
        """The blocks of a body, a cell, a note or a text box; nested tables and text boxes follow what holds them."""
        blocks: list[Block] = []
        before: tuple[Paragraph, Element | None] | None = None
        for item in self._block_items(container):
            if tag(item) == "w:tbl":
                blocks.extend(self._table(item, frame))
                before = None
                continue
            paragraph, more = self._paragraph(item, frame)
            if before is not None:
                _join_marked(*before, paragraph)
            blocks.append(Block(paragraph=paragraph))
            blocks.extend(more)
            before = paragraph, find(item, "w:pPr", "w:rPr")
        return blocks

    def _block_items(self, container: Element) -> Iterator[Element]:
        for item in container:
            kind = tag(item)
            if kind in ("w:p", "w:tbl"):
                yield item
            elif kind == "w:sectPr":
                self.sections.append(item)
            elif kind in ("w:commentRangeStart", "w:commentRangeEnd"):
                self._anchor(item)
            elif kind == "mc:AlternateContent":
                yield from self._block_items(choice(item))
            elif kind in ("w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo"):
                yield from self._block_items(item)

    def _paragraph(self, item: Element, frame: Frame) -> tuple[Paragraph, list[Block]]:
        properties = find(item, "w:pPr")
        holding = self.styles.paragraph(properties)
        frame = replace(frame, unseen=True) if flat(holding) else frame
        line = _Line(self.styles.style_of(properties), self.styles.shade(first(holding, "w:shd")), frame)
        broken, self._page_break = self._page_break, False
        self._inline(item, line, frame.change, "")
        self._marks(properties)
        number, ordered = self.styles.listing(properties)
        size = self.styles.run(line.style, None, frame, line.shade).size
        before, after, height = spacing(holding, size)
        alignment = val(first(holding, "w:jc"))
        self._page_break = "after" in line.breaks
        paragraph = Paragraph(
            text=line.final, original=line.original, level=self.styles.level(properties),
            style=self.styles.name(line.style), number=number, ordered=ordered,
            align=ALIGN.get(alignment, alignment), space_before=before, space_after=after, line_spacing=height,
            page_break_before=broken or "before" in line.breaks or on(first(holding, "w:pageBreakBefore")),
            generated=line.generated, runs=line.runs,
        )  # fmt: skip
        if paragraph.level and paragraph.text.strip():
            self._heading = paragraph.text
        section = find(properties, "w:sectPr")
        if section is not None:
            self.sections.append(section)
        more = [block for box, around in line.boxes for block in self.collect(box, around)]
        for name in self._anchors:
            self.comments[name] += "\n"
        return paragraph, more

    def _marks(self, properties: Element | None) -> None:
        """Tracked changes of the paragraph's mark and properties."""
        mark = find(properties, "w:rPr")
        for name, kind in (("w:ins", "ins"), ("w:del", "del"), ("w:moveFrom", "move"), ("w:moveTo", "move")):
            if find(mark, name) is not None:
                self._revise(find(mark, name), kind, "\n")
        for change in (find(properties, "w:pPrChange"), find(mark, "w:rPrChange")):
            if change is not None:
                self._revise(change, "format", "")

    def _revise(self, item: Element, kind: str, text: str) -> None:
        self.revisions.append(Revision(kind, attr(item, "w:author"), text, attr(item, "w:date")))

    def _anchor(self, item: Element) -> None:
        name = attr(item, "w:id")
        if tag(item) == "w:commentRangeStart":
            self._anchors.add(name)
            self.comments.setdefault(name, "")
        else:
            self._anchors.discard(name)

    def _inline(self, parent: Element, line: _Line, change: str, link: str) -> None:
        for item in parent:
            kind = tag(item)
            if kind == "w:r":
                self._run(item, line, change, link)
            elif kind in ("w:ins", "w:del", "w:moveFrom", "w:moveTo"):
                self._tracked(item, kind[2:], line, change, link)
            elif kind == "w:hyperlink":
                self._inline(item, line, change, self._link(item) or link)
            elif kind == "w:fldSimple":
                self._open.append(_Open(attr(item, "w:instr"), coding=False, under=self._heading))
                self._inline(item, line, change, link)
                self._close(change)
            elif kind in ("w:commentRangeStart", "w:commentRangeEnd"):
                self._anchor(item)
            elif kind == "w:sdt":
                self._inline(item, line, change, link)
            elif kind == "mc:AlternateContent":
                self._inline(choice(item), line, change, link)
            elif kind == "m:oMath":
                text = "".join(part.text or "" for part in item.iter(q("m:t")))
                self._say(text, None, line, change, link)
            elif kind in WRAPPERS:
                self._inline(item, line, change, link)

    def _tracked(self, item: Element, kind: str, line: _Line, change: str, link: str) -> None:
        came = kind in ("ins", "moveTo")
        inner = "ins" if came else "del"
        if change and change != inner:
            inner = "never"  # inserted, then deleted: it stands in neither view
        at = len(line.runs)
        self._inline(item, line, inner, link)
        text = "".join(run.text for run in line.runs[at:])
        self._revise(item, "move" if kind.startswith("move") else kind, text)

    def _link(self, item: Element) -> str:
        relation = self.package.relations(self.part).get(attr(item, "r:id"))
        inside = attr(item, "w:anchor")
        return (relation.target if relation else "") + (f"#{inside}" if inside else "")

    def _run(self, item: Element, line: _Line, change: str, link: str) -> None:
        properties = find(item, "w:rPr")
        if find(properties, "w:rPrChange") is not None:
            self._revise(find(properties, "w:rPrChange"), "format", "".join(item.itertext()))
        self._parts(item, properties, line, change, link)

    def _parts(self, item: Element, properties: Element | None, line: _Line, change: str, link: str) -> None:
        for part in item:
            kind = tag(part)
            if kind == "w:br" and attr(part, "w:type") in ("page", "column"):
                if attr(part, "w:type") == "page":
                    line.breaks.append("after" if line.final.strip() else "before")
            elif kind == "w:fldChar":
                self._field(attr(part, "w:fldCharType"), properties, line, change)
            elif kind in ("w:instrText", "w:delInstrText"):
                if self._open and self._open[-1].coding:
                    self._open[-1].code += part.text or ""
            elif kind in ("w:footnoteReference", "w:endnoteReference"):
                if change not in ("del", "never"):
                    self.notes.append((kind[2:-9], attr(part, "w:id")))
            elif kind == "w:commentReference":
                self.comments.setdefault(attr(part, "w:id"), "")
            elif kind in ("w:drawing", "w:pict", "w:object"):
                self._drawing(part, line, change)
            elif kind == "mc:AlternateContent":
                self._parts(choice(part), properties, line, change, link)
            elif kind == "w:ruby":
                base = find(part, "w:rubyBase")
                self._inline(base if base is not None else part, line, change, link)
            else:
                text = shown(part, kind)
                if text:
                    self._say(text, properties, line, change, link)

    def _say(self, text: str, properties: Element | None, line: _Line, change: str, link: str) -> None:
        """Text with one look: into the views, the open fields and the open comments, as far as it is seen."""
        coding = next((field for field in reversed(self._open) if field.coding), None)
        if coding is not None:
            coding.code += text
            return
        style = self.styles.run(line.style, properties, line.frame, line.shade)
        line.generated |= any(code_word(field.code) in GENERATED for field in self._open)
        if change != "never":
            last = line.runs[-1] if line.runs else None
            if last and (last.style, last.change, last.link) == (style, change, link):
                last.text += text
            else:
                line.runs.append(Run(text, style, change, link))
        if style.hidden:
            return
        if change not in ("del", "never"):
            line.final += text
            for field in self._open:
                field.result += text
            for name in self._anchors:
                self.comments[name] += text
        if change in ("", "del"):
            line.original += text

    def _field(self, kind: str, properties: Element | None, line: _Line, change: str) -> None:
        if kind == "begin":
            unseen = self.styles.run(line.style, properties, line.frame, line.shade).hidden
            self._open.append(_Open(unseen=unseen, under=self._heading))
        elif kind == "separate" and self._open:
            self._open[-1].coding = False
        elif kind == "end" and self._open:
            self._close(change)

    def _close(self, change: str) -> None:
        closed = self._open.pop()
        code = " ".join(closed.code.split())
        seen = not closed.unseen or code_word(code) in UNSEEN_BY_NATURE
        if code and seen and change not in ("del", "never"):
            self.fields.append(Field(code, closed.result.strip(), self.where, closed.under))

    def _drawing(self, item: Element, line: _Line, change: str) -> None:
        """Pictures and text boxes; what is marked hidden or lies on no paper is not there."""
        if change == "never" or unseen(item):
            return
        for blip in (*within(item, "a:blip"), *within(item, "v:imagedata")):
            target = attr(blip, "r:embed") or attr(blip, "r:id")
            self.pictures += change != "del" and self.package.target(self.part, target) is not None
        for box in within(item, "w:txbxContent"):
            shape = next((up for up in box.iterancestors() if tag(up) == "wps:wsp"), None)
            ground = fill(find(shape, "wps:spPr"), self.styles.theme) or "none"
            if shape is None:
                ground = ANY  # VML: whatever fills it, no colour of its own is sure
            around = line.frame if ground == "none" else replace(line.frame, background=ground)
            line.boxes.append((box, replace(around, change=change)))

    def _table(self, table: Element, frame: Frame) -> list[Block]:
        """A table and the tables within it."""
        grid = Grid(style=self.styles.name(val(table, "w:tblPr", "w:tblStyle")))
        more: list[Block] = []
        rows = [row for row in inside(table, "w:tr") if not low(row)]
        above: dict[int, tuple[str, str]] = {}
        for at, row in enumerate(rows):
            around, gone, new = self._row(row, frame)
            cells = list(inside(row, "w:tc"))
            column, texts = integer(val(row, "w:trPr", "w:gridBefore")), []
            texts += [("", "")] * min(column, 64)
            for nth, cell in enumerate(cells):
                looks, shade = self.styles.cell(table, (at, len(rows)), (nth, len(cells)))
                shade = self.styles.shade(find(cell, "w:tcPr", "w:shd")) or shade or around.background
                own = self.collect(cell, replace(around, background=shade, looks={**around.looks, **looks}))
                here = [block.paragraph for block in own if block.paragraph]
                more += [block for block in own if block.table]
                merge = find(cell, "w:tcPr", "w:vMerge")
                if merge is not None and attr(merge, "w:val", "continue") != "restart" and column in above:
                    shown = above[column]
                else:
                    shown = (lines([one.text for one in here]), lines([one.original for one in here]))
                    grid.paragraphs += here
                for _ in range(min(max(1, integer(val(cell, "w:tcPr", "w:gridSpan"), 1)), 64)):
                    above[column] = shown
                    texts.append(shown)
                    column += 1
            if not gone:
                grid.rows.append([final for final, _ in texts])
            if not new:
                grid.original.append([original for _, original in texts])
        if grid.original == grid.rows:
            grid.original = []
        return [Block(table=grid), *more]

    def _row(self, row: Element, frame: Frame) -> tuple[Frame, bool, bool]:
        """The frame of a row's cells, and whether the row was tracked as deleted or as inserted."""
        deleted, inserted = find(row, "w:trPr", "w:del"), find(row, "w:trPr", "w:ins")
        for item, kind in ((deleted, "del"), (inserted, "ins")):
            if item is not None:
                self._revise(item, kind, "\n")
        change = "del" if deleted is not None else "ins" if inserted is not None else frame.change
        return replace(frame, change=change), change == "del", change == "ins"


def paragraphs(blocks: list[Block]) -> Iterator[Paragraph]:
    """All paragraphs in order, those of tables once each."""
    for block in blocks:
        if block.paragraph:
            yield block.paragraph
        elif block.table:
            yield from block.table.paragraphs


def _join_marked(before: Paragraph, mark: Element | None, after: Paragraph) -> None:
    """A paragraph whose mark is tracked runs into the next one: in the final view when its mark is gone, in the
    original view when its mark is new."""
    gone = find(mark, "w:del") is not None or find(mark, "w:moveFrom") is not None
    new = find(mark, "w:ins") is not None or find(mark, "w:moveTo") is not None
    if gone:
        before.text, after.text = "", before.text + after.text
        before.runs, after.runs = [], before.runs + after.runs
    if new:
        before.original, after.original = "", before.original + after.original
