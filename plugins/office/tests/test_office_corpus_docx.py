"""Text documents of many producers and many breakages: each is read right or refused with a reason, none crashes."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import docx
import pytest
from docx.shared import Mm
from pages_files import STYLES, field, inserted, pack, paragraph, relations, run, table, word

from officekit.model import Refused, TextDocument
from officekit.reader import read_file

CORPUS = Path(__file__).parent / "corpus"


def opened(path: Path) -> TextDocument:
    found = read_file(str(path))
    assert isinstance(found, TextDocument), found
    return found


def texts(found: TextDocument) -> list[str]:
    return [block.paragraph.text for block in found.blocks if block.paragraph and block.paragraph.text]


def grids(found: TextDocument) -> list[list[list[str]]]:
    return [block.table.rows for block in found.blocks if block.table]


def changed(path: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    """The package at `path` with its parts changed."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    return pack(path, dict(parts))


def test_libreoffice_tracked_changes_comments_contents_and_notes() -> None:
    found = opened(CORPUS / "libreoffice_tracked.docx")
    assert texts(found)[2] == "Pay twelve euros within thirty days"
    assert [block.paragraph.original for block in found.blocks if block.paragraph][2].startswith("Pay ten euros")
    assert [(item.kind, item.author, item.text) for item in found.revisions] == [
        ("del", "Ann", "ten"),
        ("ins", "Ann", "twelve"),
    ]
    assert [(item.author, item.text, item.anchor) for item in found.comments] == [("Bo", "Too long", "thirty days")]
    assert [item.code.split()[0] for item in found.fields] == ["TOC", "PAGE"]
    assert (found.footnotes, grids(found)) == (["A note below"], [[["Wide", "Wide", "Total"], ["a", "b", "c"]]])
    assert (found.sections[0].headers, found.sections[0].footers) == ({"default": "Draft 2024"}, {"default": "Page 1"})
    levels = [block.paragraph.level for block in found.blocks if block.paragraph and block.paragraph.level]
    assert levels == [1, 2]


def test_libreoffice_from_html() -> None:
    found = opened(CORPUS / "libreoffice_memo.docx")
    items = [block.paragraph for block in found.blocks if block.paragraph]
    assert [(item.text, item.level) for item in items[:2]] == [("Memo", 1), ("Summary", 2)]
    assert [(item.text, item.number, item.ordered) for item in items[3:6]] == [
        ("First", 1, True),
        ("Second", 1, True),
        ("Dot", 1, False),
    ]
    assert grids(found) == [[["Name", "Age"], ["Ann", "41"]]]


def test_python_docx_report(tmp_path: Path) -> None:
    made = docx.Document()
    made.add_heading("Quarter", 1)
    made.add_paragraph("First", style="List Number")
    grid = made.add_table(2, 3, style="Light Grid Accent 1")
    grid.cell(0, 0).merge(grid.cell(0, 1)).text = "Wide"
    grid.cell(1, 2).add_table(1, 1).cell(0, 0).text = "nested"
    section = made.sections[0]
    section.page_width, section.page_height = Mm(297), Mm(210)
    section.footer.paragraphs[0].text = "Confidential"
    made.core_properties.title = "Bericht"
    made.save(str(tmp_path / "Bericht Ä 日本.docx"))
    found = opened(tmp_path / "Bericht Ä 日本.docx")
    assert texts(found) == ["Quarter", "First"]
    assert grids(found) == [[["Wide", "Wide", ""], ["", "", ""]], [["nested"]]]
    assert (found.sections[0].orientation, found.sections[0].footers) == ("landscape", {"default": "Confidential"})
    assert found.properties["title"] == "Bericht"


def test_names_of_the_strict_format(tmp_path: Path) -> None:
    def strict(parts: dict[str, bytes]) -> None:
        usual = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
        for name in ("word/document.xml", "word/styles.xml"):
            parts[name] = parts[name].replace(usual, b"http://purl.oclc.org/ooxml/wordprocessingml/main")

    found = opened(changed(word(tmp_path, paragraph("Title", style="H1")), strict))
    assert [block.paragraph.level for block in found.blocks if block.paragraph] == [1]


def test_an_encoding_of_sixteen_bits(tmp_path: Path) -> None:
    def recoded(parts: dict[str, bytes]) -> None:
        text = parts["word/document.xml"].decode().replace('encoding="UTF-8"', 'encoding="UTF-16"')
        parts["word/document.xml"] = text.encode("utf-16")

    assert texts(opened(changed(word(tmp_path, paragraph("Grüße")), recoded))) == ["Grüße"]


def test_comments_and_instructions_of_xml_are_no_text(tmp_path: Path) -> None:
    noisy = paragraph(run("a<!-- x --><?y z?><![CDATA[<b>]]>"))
    assert texts(opened(word(tmp_path, noisy))) == ["a<b>"]


def test_a_document_without_styles(tmp_path: Path) -> None:
    path = changed(word(tmp_path, paragraph("plain")), lambda parts: parts.pop("word/styles.xml") and None)
    assert texts(opened(path)) == ["plain"]


def test_styles_that_are_based_on_each_other_in_a_circle(tmp_path: Path) -> None:
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{one}"><w:name w:val="{one}"/><w:basedOn w:val="{other}"/></w:style>'
        for one, other in (("A", "B"), ("B", "A"))
    )
    assert texts(opened(word(tmp_path, paragraph("round", style="A"), styles=STYLES + styles))) == ["round"]


def test_numbers_that_are_none(tmp_path: Path) -> None:
    wild = '<w:tc><w:tcPr><w:gridSpan w:val="999999999"/></w:tcPr>' + paragraph("x") + "</w:tc>"
    body = paragraph(run("y", '<w:sz w:val="abc"/><w:color w:val="red"/><w:shd w:fill="zz"/>'), properties=(
        '<w:outlineLvl w:val="many"/><w:spacing w:line="-" w:before="1e99"/><w:ind w:left=""/>'))  # fmt: skip
    found = opened(word(tmp_path, body, table([wild, "z"])))
    assert len(grids(found)[0][0]) == 65
    assert found.blocks[0].paragraph


def test_fields_that_never_end_or_never_begin(tmp_path: Path) -> None:
    half = field("TOC").partition('<w:r><w:rPr></w:rPr><w:fldChar w:fldCharType="separate"/></w:r>')[0]
    found = opened(
        word(tmp_path, paragraph('<w:r><w:fldChar w:fldCharType="end"/></w:r>'), paragraph(half), paragraph("x"))
    )
    assert found.fields == []


def test_tables_in_tables_in_tables(tmp_path: Path) -> None:
    body = paragraph("core")
    for _ in range(20):
        body = table([body + paragraph("")])
    found = opened(word(tmp_path, body))
    assert (len(grids(found)), grids(found)[-1]) == (20, [["core"]])


def test_a_tracked_document_by_hand_with_marks_and_rows(tmp_path: Path) -> None:
    new = paragraph(inserted("Added."), mark='<w:ins w:id="4" w:author="Ann"/>')
    found = opened(word(tmp_path, paragraph("Kept."), new, paragraph("End.")))
    originals = [block.paragraph.original for block in found.blocks if block.paragraph]
    assert (texts(found), originals) == (["Kept.", "Added.", "End."], ["Kept.", "", "End."])


def missing_document(folder: Path) -> Path:
    return changed(word(folder, paragraph("x")), lambda parts: parts.pop("word/document.xml") and None)


def no_relations(folder: Path) -> Path:
    return changed(word(folder, paragraph("x")), lambda parts: parts.pop("_rels/.rels") and None)


def cut(folder: Path) -> Path:
    path = word(folder, paragraph("x"))
    path.write_bytes(path.read_bytes()[:600])
    return path


def a_presentation(folder: Path) -> Path:
    space = "http://schemas.openxmlformats.org/presentationml/2006/main"
    parts = {"_rels/.rels": relations(("r1", "officeDocument", "p.xml")), "p.xml": f'<presentation xmlns="{space}"/>'}
    return pack(folder / "deck.docx", dict(parts))


def plain_text(folder: Path) -> Path:
    path = folder / "letter.docx"
    path.write_text("Dear all")
    return path


def old_binary(folder: Path) -> Path:
    path = folder / "old.docx"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    return path


def empty(folder: Path) -> Path:
    path = folder / "empty.docx"
    path.write_bytes(b"")
    return path


def bottomless(folder: Path) -> Path:
    return word(folder, "<w:sdt><w:sdtContent>" * 3000 + paragraph("x") + "</w:sdtContent></w:sdt>" * 3000)


def no_xml(folder: Path) -> Path:
    return changed(word(folder, paragraph("x")), lambda parts: parts.update({"word/document.xml": b"<w:document"}))


def doctype(folder: Path) -> Path:
    def declare(parts: dict[str, bytes]) -> None:
        head, _, rest = parts["word/document.xml"].partition(b"?>")
        parts["word/document.xml"] = head + b'?><!DOCTYPE x [<!ENTITY e "boom">]>' + rest

    return changed(word(folder, paragraph("x")), declare)


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (missing_document, "the part word/document.xml is missing"),
        (no_relations, "the package names no document part"),
        (cut, "no readable zip package"),
        (a_presentation, "the package holds no Word document"),
        (plain_text, "no readable zip package"),
        (old_binary, "encrypted or of the old binary format"),
        (empty, "the file is empty"),
        (bottomless, "nests elements deeper|no well-formed XML"),
        (no_xml, "no well-formed XML"),
        (doctype, "DOCTYPE"),
    ],
    ids=lambda item: getattr(item, "__name__", ""),
)
def test_what_is_no_document_is_refused_with_its_reason(
    tmp_path: Path, broken: Callable[[Path], Path], reason: str
) -> None:
    found = read_file(str(broken(tmp_path)))
    assert isinstance(found, Refused)
    assert any(part in found.reason for part in reason.split("|")), found.reason
