"""The reader of docx: blocks, views, effective looks, fields, and what nobody sees."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages_files import deleted, field, inserted, paragraph, root, run, table, word

from officekit.model import Paragraph, TextDocument, from_json, to_json
from officekit.read_docx import read

VANISH = "<w:vanish/>"
WHITE = '<w:color w:val="FFFFFF"/>'


def texts(document: TextDocument) -> list[str]:
    return [block.paragraph.text for block in document.blocks if block.paragraph]


def only(document: TextDocument) -> Paragraph:
    (block,) = document.blocks
    assert block.paragraph
    return block.paragraph


def test_insertions_stand_in_the_final_view_and_deletions_in_the_original(tmp_path: Path) -> None:
    found = read(word(tmp_path, paragraph("Pay ", deleted("ten"), inserted("twelve"), " days")))
    assert (only(found).text, only(found).original) == ("Pay twelve days", "Pay ten days")
    assert [(item.kind, item.author, item.text) for item in found.revisions] == [
        ("del", "Ann", "ten"),
        ("ins", "Ann", "twelve"),
    ]


def test_what_was_inserted_and_then_deleted_stands_in_neither_view(tmp_path: Path) -> None:
    both = f'<w:ins w:id="1" w:author="A">{deleted("gone")}</w:ins>'
    assert (only(read(word(tmp_path, paragraph("A", both)))).text) == "A"
    assert only(read(word(tmp_path, paragraph("A", both)))).original == "A"


def test_a_moved_text_stands_at_its_new_place_and_originally_at_the_old_one(tmp_path: Path) -> None:
    moved = '<w:moveFrom w:id="1" w:author="A">{}</w:moveFrom>', '<w:moveTo w:id="2" w:author="A">{}</w:moveTo>'
    found = read(word(tmp_path, paragraph("1", moved[0].format(run("x"))), paragraph("2", moved[1].format(run("x")))))
    assert texts(found) == ["1", "2x"]
    assert [block.paragraph.original for block in found.blocks if block.paragraph] == ["1x", "2"]
    assert [item.kind for item in found.revisions] == ["move", "move"]


def test_a_paragraph_split_by_an_inserted_mark_is_one_in_the_original(tmp_path: Path) -> None:
    mark = '<w:ins w:id="1" w:author="A"/>'
    found = read(word(tmp_path, paragraph("One. ", mark=mark), paragraph("Two.")))
    assert texts(found) == ["One. ", "Two."]
    assert [block.paragraph.original for block in found.blocks if block.paragraph] == ["", "One. Two."]


def test_paragraphs_joined_by_a_deleted_mark_are_one_in_the_final_view(tmp_path: Path) -> None:
    found = read(word(tmp_path, paragraph("One. ", mark='<w:del w:id="1" w:author="A"/>'), paragraph("Two.")))
    assert texts(found) == ["", "One. Two."]


@pytest.mark.parametrize(
    "looks",
    [VANISH, WHITE, '<w:sz w:val="4"/>', '<w:color w:val="0000FF"/><w:highlight w:val="blue"/>', '<w:w w:val="1"/>'],
    ids=["vanish", "white on white", "2 points", "blue on blue", "letters without width"],
)
def test_text_that_nobody_sees_is_in_the_runs_but_not_in_the_text(tmp_path: Path, looks: str) -> None:
    found = only(read(word(tmp_path, paragraph("Seen ", run("secret", looks)))))
    assert found.text == "Seen "
    assert [(item.text, item.style.hidden) for item in found.runs] == [("Seen ", False), ("secret", True)]


@pytest.mark.parametrize(
    "properties",
    [
        '<w:spacing w:line="20" w:lineRule="exact"/>',
        '<w:ind w:left="-20000"/>',
        '<w:framePr w:x="60000" w:y="0"/>',
    ],
    ids=["lines without height", "far to the left", "a frame off the paper"],
)
def test_a_paragraph_that_nobody_sees_has_no_text(tmp_path: Path, properties: str) -> None:
    assert only(read(word(tmp_path, paragraph("ghost", properties=properties)))).text == ""


def test_a_row_without_height_is_not_there(tmp_path: Path) -> None:
    low = '<w:tr><w:trPr><w:trHeight w:val="10" w:hRule="exact"/></w:trPr>'
    made = table(["seen"], ["ghost"])
    head, _, tail = made.rpartition("<w:tr>")
    grid = read(word(tmp_path, head + low + tail)).blocks[0].table
    assert grid
    assert grid.rows == [["seen"]]


def test_white_text_on_a_dark_cell_is_seen(tmp_path: Path) -> None:
    dark = '<w:tc><w:tcPr><w:shd w:val="clear" w:fill="203864"/></w:tcPr>' + paragraph(run("Total", WHITE)) + "</w:tc>"
    found = read(word(tmp_path, table([dark, paragraph(run("ghost", WHITE))])))
    assert found.blocks[0].table
    assert found.blocks[0].table.rows == [["Total", ""]]


def test_white_text_on_the_dark_header_of_a_table_style_is_seen(tmp_path: Path) -> None:
    style = """<w:style w:type="table" w:styleId="Dark"><w:name w:val="Dark"/><w:tblStylePr w:type="firstRow">
        <w:rPr><w:color w:val="FFFFFF"/></w:rPr><w:tcPr><w:shd w:val="clear" w:fill="4472C4"/></w:tcPr></w:tblStylePr>
        </w:style>"""
    properties = '<w:tblStyle w:val="Dark"/><w:tblLook w:val="0020"/>'
    found = read(word(tmp_path, table(["Name"], ["Ann"], properties=properties), styles=style))
    grid = found.blocks[0].table
    assert grid
    assert grid.rows == [["Name"], ["Ann"]]
    assert [item.runs[0].style.color for item in grid.paragraphs] == ["ffffff", "000000"]


def test_looks_are_inherited_from_run_to_defaults(tmp_path: Path) -> None:
    found = read(word(tmp_path, paragraph("Title ", run("part", '<w:sz w:val="40"/>'), style="H1"), paragraph("x")))
    title, part = (item.style for item in found.blocks[0].paragraph.runs)  # type: ignore[union-attr]
    plain = found.blocks[1].paragraph.runs[0].style  # type: ignore[union-attr]
    assert (title.bold, title.size, title.color, title.font) == (True, 16.0, "1f3864", "Arial")
    assert (part.bold, part.size) == (True, 20.0)
    assert (plain.bold, plain.size, plain.font) == (False, 11.0, "Arial")


def test_bold_of_a_character_style_in_a_bold_paragraph_style_cancels_out(tmp_path: Path) -> None:
    found = read(word(tmp_path, paragraph(run("x", '<w:rStyle w:val="Strong"/>'), style="H1")))
    assert not only(found).runs[0].style.bold


def test_theme_fonts_and_theme_colours_are_resolved(tmp_path: Path) -> None:
    theme = """<a:themeElements><a:clrScheme name="x"><a:accent1><a:srgbClr val="808080"/></a:accent1></a:clrScheme>
        <a:fontScheme name="x"><a:minorFont><a:latin typeface="Lato"/></a:minorFont></a:fontScheme></a:themeElements>"""
    looks = '<w:rFonts w:asciiTheme="minorHAnsi"/><w:color w:val="000000" w:themeColor="accent1" w:themeShade="80"/>'
    made = word(tmp_path, paragraph(run("x", looks)), parts={"theme.xml": ("theme", root("a:theme", theme))})
    style = only(read(made)).runs[0].style
    assert (style.font, style.color) == ("Lato", "404040")


@pytest.mark.parametrize(
    ("style", "level"),
    [
        ('<w:name w:val="Kapitel"/><w:basedOn w:val="H2"/>', 2),
        ('<w:name w:val="Überschrift 3"/>', 3),
        ('<w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>', 0),
        ('<w:name w:val="Big and bold"/><w:rPr><w:b/></w:rPr>', 0),
    ],
    ids=["based on a heading", "a localised name", "taken out of the outline", "only bold"],
)
def test_a_heading_is_one_by_outline_level_style_or_name(tmp_path: Path, style: str, level: int) -> None:
    more = f'<w:style w:type="paragraph" w:styleId="X1">{style}</w:style>'
    from pages_files import STYLES

    assert only(read(word(tmp_path, paragraph("Budget", style="X1"), styles=STYLES + more))).level == level


def test_lists_have_their_level_and_whether_they_count(tmp_path: Path) -> None:
    numbering = """<w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl>
        <w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
        <w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num>"""
    item = '<w:numPr><w:ilvl w:val="{}"/><w:numId w:val="3"/></w:numPr>'
    made = word(
        tmp_path,
        paragraph("a", properties=item.format(0)),
        paragraph("b", properties=item.format(1)),
        paragraph("c"),
        parts={"numbering.xml": ("numbering", root("w:numbering", numbering))},
    )
    found = [(block.paragraph.number, block.paragraph.ordered) for block in read(made).blocks if block.paragraph]
    assert found == [(1, True), (2, False), (0, False)]


def test_merged_cells_repeat_their_text_and_nested_tables_follow(tmp_path: Path) -> None:
    wide = f'<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{paragraph("Wide")}</w:tc>'
    tall = f'<w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr>{paragraph("Tall")}</w:tc>'
    below = f"<w:tc><w:tcPr><w:vMerge/></w:tcPr>{paragraph('')}</w:tc>"
    nested = f"<w:tc>{table(['inner'])}{paragraph('outer')}</w:tc>"
    found = read(word(tmp_path, table([wide, tall], ["a", nested, below])))
    grids = [block.table.rows for block in found.blocks if block.table]
    assert grids == [[["Wide", "Wide", "Tall"], ["a", "outer", "Tall"]], [["inner"]]]


def test_tracked_rows_are_in_the_view_where_they_stand(tmp_path: Path) -> None:
    made = table(["old"], ["new"], ["kept"])
    made = made.replace("<w:tr>", '<w:tr><w:trPr><w:del w:id="1" w:author="A"/></w:trPr>', 1)
    at = made.index("<w:tr><w:tc>")
    made = made[:at] + '<w:tr><w:trPr><w:ins w:id="1" w:author="A"/></w:trPr>' + made[at + len("<w:tr>") :]
    grid = read(word(tmp_path, made)).blocks[0].table
    assert grid
    assert (grid.rows, grid.original) == ([["new"], ["kept"]], [["old"], ["kept"]])


def test_fields_are_read_whole_and_typed_text_is_none(tmp_path: Path) -> None:
    simple = f'<w:fldSimple w:instr=" PAGE ">{run("1")}</w:fldSimple>'
    found = read(word(tmp_path, paragraph(field('TOC \\o "1-2"', "Intro 1")), paragraph(simple), paragraph("PAGE")))
    assert [(item.code, item.result) for item in found.fields] == [('TOC \\o "1-2"', "Intro 1"), ("PAGE", "1")]
    assert [block.paragraph.generated for block in found.blocks if block.paragraph] == [True, False, False]


def test_hidden_and_deleted_fields_are_none(tmp_path: Path) -> None:
    gone = f'<w:del w:id="1" w:author="A">{field("PAGE")}</w:del>'
    assert read(word(tmp_path, paragraph(field("TOC", looks=VANISH)), paragraph(gone))).fields == []


def test_a_comment_has_the_text_that_it_is_anchored_to(tmp_path: Path) -> None:
    comments = root("w:comments", f'<w:comment w:id="5" w:author="Bo">{paragraph("Too long")}</w:comment>')
    body = paragraph("On ", '<w:commentRangeStart w:id="5"/>', "thirty days", '<w:commentRangeEnd w:id="5"/>', " net")
    made = word(tmp_path, body, parts={"comments.xml": ("comments", comments)})
    (found,) = read(made).comments
    assert (found.author, found.text, found.anchor) == ("Bo", "Too long", "thirty days")


def test_a_comment_that_nothing_refers_to_is_not_there(tmp_path: Path) -> None:
    comments = root("w:comments", f'<w:comment w:id="5" w:author="Bo">{paragraph("x")}</w:comment>')
    assert read(word(tmp_path, paragraph("a"), parts={"comments.xml": ("comments", comments)})).comments == []


def test_sections_have_paper_margins_and_the_headers_that_are_used(tmp_path: Path) -> None:
    section = (
        '<w:sectPr><w:headerReference w:type="default" r:id="h.xml"/><w:headerReference w:type="first" r:id="f.xml"/>'
        '<w:pgSz w:w="16838" w:h="11906" w:orient="landscape"/><w:pgMar w:top="1134" w:left="567"/></w:sectPr>'
    )
    head = root("w:hdr", paragraph("Page ", field("PAGE", "3")))
    other = root("w:hdr", paragraph("Cover"))
    made = word(tmp_path, paragraph("x"), section, parts={"h.xml": ("header", head), "f.xml": ("header", other)})
    found = read(made)
    (page,) = found.sections
    assert (page.width, page.height, page.orientation) == (841.9, 595.3, "landscape")
    assert page.margins == {"top": 56.7, "left": 28.35}
    assert page.headers == {"default": "Page 3"}
    assert [(item.code, item.where) for item in found.fields] == [("PAGE", "header")]


def test_footnotes_are_those_that_the_text_refers_to(tmp_path: Path) -> None:
    notes = root(
        "w:footnotes",
        "".join(f'<w:footnote w:id="{n}">{paragraph(text)}</w:footnote>' for n, text in ((1, "used"), (2, "orphan"))),
    )
    body = paragraph("x", '<w:r><w:footnoteReference w:id="1"/></w:r>')
    assert read(word(tmp_path, body, parts={"footnotes.xml": ("footnotes", notes)})).footnotes == ["used"]


def text_box(text: str, extent: int = 900_000, offset: int = 0) -> str:
    drawing = (
        f"<w:drawing><wp:anchor><wp:positionH><wp:posOffset>{offset}</wp:posOffset></wp:positionH>"
        f'<wp:extent cx="{extent}" cy="{extent}"/><wp:docPr id="1" name="b"/><a:graphic><a:graphicData><wps:wsp>'
        f"<wps:spPr><a:noFill/></wps:spPr><wps:txbx><w:txbxContent>{paragraph(text)}</w:txbxContent></wps:txbx></wps:wsp>"
        "</a:graphicData></a:graphic></wp:anchor></w:drawing>"
    )
    legacy = (
        f"<w:pict><v:shape><v:textbox><w:txbxContent>{paragraph(text)}</w:txbxContent></v:textbox></v:shape></w:pict>"
    )
    return (
        f'<w:r><mc:AlternateContent><mc:Choice Requires="wps">{drawing}</mc:Choice>'
        f"<mc:Fallback>{legacy}</mc:Fallback></mc:AlternateContent></w:r>"
    )


def test_a_text_box_follows_its_paragraph_once(tmp_path: Path) -> None:
    assert texts(read(word(tmp_path, paragraph("before ", text_box("boxed")), paragraph("after")))) == [
        "before ",
        "boxed",
        "after",
    ]


def test_a_deleted_text_box_stands_in_the_original_only(tmp_path: Path) -> None:
    gone = f'<w:del w:id="1" w:author="A">{text_box("boxed")}</w:del>'
    found = [block.paragraph for block in read(word(tmp_path, paragraph("x", gone))).blocks if block.paragraph]
    assert [(item.text, item.original) for item in found] == [("x", "x"), ("", "boxed")]


@pytest.mark.parametrize("box", [{"extent": 12_700}, {"offset": 90_000_000}], ids=["a point wide", "off the paper"])
def test_a_text_box_that_nobody_sees_is_not_there(tmp_path: Path, box: dict[str, int]) -> None:
    assert texts(read(word(tmp_path, paragraph("x", text_box("ghost", **box))))) == ["x"]


def test_content_controls_and_links_are_walked_through(tmp_path: Path) -> None:
    link = f'<w:hyperlink w:anchor="top">{run("link")}</w:hyperlink>'
    body = f"<w:sdt><w:sdtContent>{paragraph('in ', link)}</w:sdtContent></w:sdt>"
    found = only(read(word(tmp_path, body)))
    assert found.text == "in link"
    assert found.runs[-1].link == "#top"


def test_a_page_break_at_the_end_breaks_before_the_next_paragraph(tmp_path: Path) -> None:
    found = read(word(tmp_path, paragraph("a", '<w:r><w:br w:type="page"/></w:r>'), paragraph("b")))
    assert [block.paragraph.page_break_before for block in found.blocks if block.paragraph] == [False, True]


def test_the_record_survives_json(tmp_path: Path) -> None:
    found = read(word(tmp_path, paragraph("Pay ", deleted("ten")), table(["a", "b"])))
    assert from_json(to_json(found)) == found
