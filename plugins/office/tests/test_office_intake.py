"""The guard before any parser: what a document may be, and the reason for every file that is not opened."""

from __future__ import annotations

import io
import os
import stat
import time
import zipfile
import zlib

import pytest
from xlsx_books import HEAD, NS, PACKAGE, TYPE, by_hand, rels, zipped

from officekit import intake
from officekit.intake import Refusal, inspect
from officekit.intake_parts import MAX_ELEMENTS, Parts

ROW = '<row r="1"><c r="A1"><v>1</v></c></row>'
EXTERNAL = (
    '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{}" '
    'Target="{}" TargetMode="External"/>'
)
SHEET_RELS = "xl/worksheets/_rels/sheet1.xml.rels"
ENTITY = '[<!ENTITY b SYSTEM "file:///etc/passwd">]'
WIDE = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'


@pytest.fixture
def opened(tmp_path):
    """`opened(data, name)`: what the guard makes of a file of that name."""

    def one(data: bytes, name: str = "book.xlsx") -> bytes:
        path = tmp_path / name
        path.write_bytes(data)
        return inspect(str(path))

    return one


def book(sheet: str = ROW, **more) -> bytes:
    return zipped(by_hand(sheet, **more))


def sheet_as(text: str, encoding: str, said: str = "UTF-16") -> bytes:
    return zipped({**by_hand(), "xl/worksheets/sheet1.xml": text.replace("UTF-8", said).encode(encoding)})


PLAIN = str(by_hand(ROW)["xl/worksheets/sheet1.xml"])


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(book(), id="by-hand"),
        pytest.param(zipped(by_hand(ROW), zipfile.ZIP_STORED), id="stored"),
        pytest.param(sheet_as(PLAIN, "utf-16"), id="utf-16"),
        pytest.param(sheet_as(PLAIN.replace("UTF-8", "us-ascii"), "ascii"), id="us-ascii"),
        pytest.param(book(extra={"xl/media/": b"", "xl/media/a.png": b"\x89PNG"}), id="folder-entry"),
        pytest.param(book(extra={SHEET_RELS: rels(EXTERNAL.format("hyperlink", "https://x.invalid/"))}), id="link"),
        pytest.param(book('<row r="1048576"><c r="A1048576"><v>1</v></c></row>'), id="one-cell-far-below"),
        pytest.param(book('<row><c><v>1</v></c><c s="0"><v>1</v></c></row>'), id="cells-without-names"),
        pytest.param(book("<row r='1'><c t='n' r='B1'><v>1</v></c></row>"), id="single-quotes"),
        pytest.param(book('<row r="1"><c r="A1"><f>IF(A2,"a|b",1)</f></c></row>'), id="a-bar-in-a-text"),
        pytest.param(book(extra={"xl/drawings/vmlDrawing1.vml": "<xml><br></xml>"}), id="vml-of-old-office"),
    ],
)
def test_a_usual_package_passes(opened, data):
    assert opened(data) == data


def bomb() -> bytes:
    parts = by_hand(ROW)
    return zipped({**parts, "xl/media/a.bin": b"\0" * 30_000_000})


def doubled() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in by_hand(ROW).items():
            archive.writestr(name, content)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("xl/workbook.xml", by_hand(ROW)["xl/workbook.xml"])
    return out.getvalue()


def with_entry(name: str, **fields: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for part, content in by_hand(ROW).items():
            archive.writestr(part, content)
        entry = zipfile.ZipInfo(name)
        for field, value in fields.items():
            setattr(entry, field, value)
        archive.writestr(entry, b"xx")
    return out.getvalue()


def of_type(kind: str) -> bytes:
    return zipped({n: str(c).replace(f"{TYPE}.sheet.main+xml", kind) for n, c in by_hand(ROW).items()})


def strict() -> bytes:
    return zipped({n: str(c).replace(NS, "http://purl.oclc.org/ooxml/x") for n, c in by_hand(ROW).items()})


def flagged_as_encrypted() -> bytes:
    data = bytearray(zipped(by_hand(ROW)))
    for at in range(len(data) - 4):
        if data[at : at + 4] == b"PK\x01\x02":
            data[at + 8] |= 1
    return bytes(data)


REFUSED = {
    "nothing": (b"", "empty"),
    "ole-container": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "encrypted"),
    "csv": (b"a,b\n1,2\n", "does not start as a zip"),
    "truncated": (book()[:-40], "broken zip"),
    "damaged": (book()[:60] + b"\xff" * 40 + book()[100:], "broken zip|bytes before"),
    "prefixed": (b"PK\x03\x04junk" + book(), "bytes before"),
    "plain-zip": (zipped({"a.txt": "x"}), "without its main part"),
    "a-document": (of_type(intake.EXTENSIONS["docx"]), "no xlsx file: its main part is"),
    "a-template": (of_type(f"{TYPE}.template.main+xml"), "no xlsx file"),
    "macro-enabled": (of_type("application/vnd.ms-excel.sheet.macroEnabled.main+xml"), "active or external"),
    "bomb": (bomb(), "times its size"),
    "many-parts": (book(extra={f"xl/media/{at}.png": "" for at in range(2_000)}), "2000 parts"),
    "doubled-name": (doubled(), "two parts"),
    "doubled-by-case": (book(extra={"XL/Workbook.xml": "<a/>"}), "two parts"),
    "out-of-it": (with_entry("../../etc/x"), "a part with the name"),
    "absolute": (with_entry("/etc/x"), "a part with the name"),
    "backslash": (with_entry("xl\\x.xml"), "a part with the name"),
    "a-link": (with_entry("xl/x", external_attr=(stat.S_IFLNK | 0o777) << 16), "is a link"),
    "lzma": (with_entry("xl/x", compress_type=zipfile.ZIP_LZMA), "unusual way"),
    "encrypted-parts": (flagged_as_encrypted(), "encrypted"),
    "doctype": (book(extra={"xl/x.xml": f"<!DOCTYPE a {ENTITY}><a>&b;</a>"}), "DOCTYPE"),
    "doctype-utf-16": (sheet_as(PLAIN.replace("<worksheet", "<!DOCTYPE a><worksheet"), "utf-16"), "DOCTYPE"),
    "doctype-in-vml": (book(extra={"xl/x.vml": "<!DOCTYPE a><a/>"}), "DOCTYPE"),
    "doctype-without-suffix": (book(extra={"xl/x.dat": " <!DOCTYPE a><a/>"}), "DOCTYPE"),
    "latin-1": (sheet_as(PLAIN, "latin-1", "ISO-8859-1"), "encoding ISO-8859-1"),
    "utf-7": (sheet_as(PLAIN, "utf-7", "UTF-7"), "encoding|broken XML"),
    "broken-xml": (book("<row>"), "broken XML"),
    "empty-part": (book(extra={"xl/x.xml": ""}), "is empty"),
    "deep": (book(extra={"xl/x.xml": "<a>" * 200 + "</a>" * 200}), "nested deeper"),
    "names": (book(extra={"xl/x.xml": "<a>" + "".join(f"<a{at}/>" for at in range(5_001)) + "</a>"}), "5,000 names"),
    "attribute-names": (
        book(extra={"xl/x.xml": "<a>" + "".join(f"<a a{at}=''/>" for at in range(5_001)) + "</a>"}), "5,000 names"),
    "attributes": (book(extra={"xl/x.xml": "<a " + " ".join(f"a{at}='1'" for at in range(501)) + "/>"}), "attributes"),
    "xfd1048576": (book(WIDE), "1048576 x 16384 cells"),
    "xfd1048576-slow": (book(f"<!-- -->{WIDE}"), "1048576 x 16384 cells"),
    "column-after-the-last": (book('<row r="1"><c r="XFE1"/></row>'), "outside of the sheet"),
    "row-after-the-last": (book('<row r="1"><c r="A1048577"/></row>'), "outside of the sheet"),
    "no-cell": (book('<row r="1"><c r="1A"/></row>'), "broken XML.*no cell"),
    "styles": (book(styles="<cellXfs>" + "<xf/>" * 20_001 + "</cellXfs>"), "20000 times xf"),
    "rules": (book(around="<a>" + "<cfRule/>" * 20_001 + "</a>"), "20000 times cfRule"),
    "macro-part": (book(extra={"xl/vbaProject.bin": b"x"}), "active or external part"),
    "hidden-macro": (
        book(types='<Override PartName="/xl/a.bin" ContentType="application/vnd.ms-office.vbaProject"/>'),
        "active or external part of type",
    ),
    "activex": (book(extra={"xl/activeX/activeX1.xml": "<a/>"}), "active or external part"),
    "ole-object": (book(extra={"xl/embeddings/oleObject1.bin": b"x"}), "active or external part"),
    "embedded-book": (book(extra={"xl/embeddings/Book.xlsx": b"x"}), "embedded object"),
    "external-book": (book(extra={"xl/externalLinks/externalLink1.xml": "<a/>"}), "active or external part"),
    "connections": (book(extra={"xl/connections.xml": "<a/>"}), "active or external part"),
    "custom-ui": (book(extra={"customUI/customUI.xml": "<a/>"}), "active or external part"),
    "external-image": (book(extra={SHEET_RELS: rels(EXTERNAL.format("image", "http://x.invalid/"))}), "reaches out"),
    "dde": (book('<row r="1"><c r="A1"><f>cmd|\'/c calc\'!A0</f></c></row>'), "DDE"),
    "strict": (strict(), "strict"),
    "two-mains": (
        book(extra={"_rels/.rels": rels(*[str(by_hand()["_rels/.rels"]).split("s\">")[1].split("</")[0]] * 2)}),
        "two main parts",
    ),
    "no-main": (zipped({n: c for n, c in by_hand(ROW).items() if n != "xl/workbook.xml"}), "main part is missing"),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_it_is_refused_with_its_reason(opened, kind):
    data, reason = REFUSED[kind]
    with pytest.raises(Refusal, match=reason):
        opened(data)


def test_the_elements_of_a_package_are_limited():
    parts = Parts("xlsx", intake.EXTENSIONS["xlsx"])
    parts.elements = MAX_ELEMENTS - 1
    part = parts.open("xl/x.xml")
    part.feed(b"<a><b/>")
    with pytest.raises(Refusal, match="10,000,000 elements"):
        part.feed(b"<b/><b/></a>")


def test_the_size_of_a_file_is_limited(opened):
    with pytest.raises(Refusal, match="larger than 20 MB"):
        opened(b"PK\x03\x04" + b"\0" * intake.MAX_BYTES)


def test_only_names_of_documents_are_opened(opened):
    with pytest.raises(Refusal, match="by its name"):
        opened(book(), "book.xlsm")


def test_a_missing_file_is_named_so(tmp_path):
    with pytest.raises(Refusal, match="no such file"):
        inspect(str(tmp_path / "book.xlsx"))


@pytest.mark.parametrize("way", ["link", "folder-link", "fifo", "folder"])
def test_only_a_regular_file_is_opened(tmp_path, way):
    real = tmp_path / "real"
    real.mkdir()
    (real / "book.xlsx").write_bytes(book())
    path = tmp_path / "book.xlsx"
    if way == "link":
        path.symlink_to(real / "book.xlsx")
    elif way == "folder-link":
        (tmp_path / "other").symlink_to(real)
        path = tmp_path / "other" / "book.xlsx"
    elif way == "fifo":
        os.mkfifo(path)
    else:
        path.mkdir()
    with pytest.raises(Refusal, match="no regular file"):
        inspect(str(path))


def test_a_deck_may_hold_the_workbook_of_its_charts(opened):
    main = f'{HEAD}<a xmlns="x"/>'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Override PartName="/ppt/presentation.xml" '
        f'ContentType="{intake.EXTENSIONS["pptx"]}"/></Types>',
        "_rels/.rels": str(by_hand()["_rels/.rels"]).replace("xl/workbook.xml", "ppt/presentation.xml"),
        "ppt/presentation.xml": main,
        "ppt/embeddings/Microsoft_Excel_Sheet1.xlsx": b"PK",
    }
    assert opened(zipped(parts), "deck.pptx")


def test_a_dde_field_in_a_document_is_refused(opened):
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Override PartName="/word/document.xml" '
        f'ContentType="{intake.EXTENSIONS["docx"]}"/></Types>',
        "_rels/.rels": str(by_hand()["_rels/.rels"]).replace("xl/workbook.xml", "word/document.xml"),
        "word/document.xml": '<w:d xmlns:w="x"><w:instrText> DDEAUTO c:\\\\cmd "/k calc"</w:instrText></w:d>',
    }
    with pytest.raises(Refusal, match="DDE"):
        opened(zipped(parts), "letter.docx")


def pdf(body: bytes = b"") -> bytes:
    return b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n" + body + b"\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n"


def packed(text: bytes, extra: bytes = b"") -> bytes:
    data = zlib.compress(text)
    head = b"7 0 obj\n<< /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode %s/Length %d >>\n" % (extra, len(data))
    return head + b"stream\n" + data + b"\nendstream\nendobj"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="plain"),
        pytest.param(b"2 0 obj\n<< /OpenAction [3 0 R /XYZ null null 0] >>\nendobj", id="opens-at-a-place"),
        pytest.param(b"2 0 obj\n<< /OpenAction << /S /GoTo /D [3 0 R /Fit] >> >>\nendobj", id="goes-to"),
        pytest.param(b"2 0 obj\n<< /Title (HTML/JS guide) >>\nendobj", id="words-of-a-title"),
        pytest.param(packed(b"1 0 << /Type /Annot >>"), id="object-stream"),
    ],
)
def test_a_usual_pdf_passes(opened, body):
    assert opened(pdf(body), "a.pdf")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"hello", "does not start", id="text"),
        pytest.param(pdf()[:-12], "truncated", id="truncated"),
        pytest.param(pdf(b"2 0 obj << /S /JavaScript /JS (app.alert(1)) >> endobj"), "JavaScript|/JS", id="script"),
        pytest.param(pdf(b"2 0 obj << /S /J#61vaScript >> endobj"), "JavaScript", id="escaped-name"),
        pytest.param(pdf(packed(b"1 0 << /S /Launch /F (x) >>")), "Launch", id="in-an-object-stream"),
        pytest.param(pdf(packed(b"1 0 << >>", b"/Filter /LZWDecode ")), "unusual way", id="odd-object-stream"),
        pytest.param(pdf(packed(b"1 0").replace(b"x\x9c", b"yy")), "cannot be unpacked", id="broken-object-stream"),
        pytest.param(pdf(b"2 0 obj << /EmbeddedFiles 3 0 R >> endobj"), "EmbeddedFiles", id="attachment"),
        pytest.param(pdf(b"2 0 obj << /OpenAction 3 0 R >> endobj"), "when it is opened", id="unknown-action"),
        pytest.param(pdf(b"trailer << /Encrypt 9 0 R >>"), "encrypted", id="encrypted"),
        pytest.param(pdf(b"2 0 obj << /Type /Page >> endobj\n" * 501), "500 pages", id="pages"),
        pytest.param(pdf(b"1 0 obj\n1\nendobj\n" * 100_001), "objects", id="objects"),
    ],
)
def test_a_pdf_that_does_more_is_refused(opened, data, reason):
    with pytest.raises(Refusal, match=reason):
        opened(data, "a.pdf")


SLOW = {
    "streams-without-end": ("a.pdf", pdf(b"stream\n" * 200_000)),
    "texts-without-end": ("a.pdf", pdf(b"(" + b"\\(" * 400_000)),
    "actions-far-below": ("a.pdf", pdf(b"/OpenAction 9 9 R " * 50_000 + b"9 9 obj [1 0 R /Fit] endobj")),
    "blanks-in-a-formula": ("a.xlsx", book(f'<row r="1"><c r="A1"><f>{" " * 400_000}"a|b"</f></c></row>')),
}
"""Some hundred kilobytes that took minutes where a search goes on from each place to the end."""


@pytest.mark.parametrize("kind", SLOW)
def test_a_search_takes_time_in_proportion_to_the_file(opened, kind):
    name, data = SLOW[kind]
    began = time.process_time()
    assert opened(data, name)
    assert time.process_time() - began < 5


def by_docx(path: str) -> None:
    import docx

    document = docx.Document()
    document.add_heading("A title", 1)
    document.add_table(2, 2)
    document.save(path)


def by_pptx(path: str) -> None:
    import pptx
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE

    deck = pptx.Presentation()
    data = CategoryChartData()
    data.categories = ["a", "b"]
    data.add_series("s", (1, 2))
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, 3_000_000, 3_000_000, data)
    deck.save(path)


def by_reportlab(path: str) -> None:
    from reportlab.pdfgen import canvas

    page = canvas.Canvas(path)
    page.setTitle("Form/JS")
    page.drawString(72, 700, "Name")
    page.acroForm.textfield(name="name", x=100, y=700)
    page.acroForm.checkbox(name="yes", x=100, y=600)
    page.save()


def by_pypdf(path: str) -> None:
    import pypdf

    by_reportlab(path)
    writer = pypdf.PdfWriter(path)
    writer.update_page_form_field_values(writer.pages[0], {"name": "Ann"})
    writer.write(path)


def by_xlsxwriter(path: str) -> None:
    import xlsxwriter

    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet()
    sheet.write_url("A1", "https://example.invalid/")
    sheet.write_comment("A1", "see there")
    sheet.add_table("C1:D3")
    chart = book.add_chart({"type": "pie"})
    chart.add_series({"values": "=Sheet1!$C$2:$C$3"})
    sheet.insert_chart("F1", chart)
    book.close()


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (by_docx, "a.docx"), (by_pptx, "a.pptx"), (by_reportlab, "a.pdf"), (by_pypdf, "b.pdf"),
        (by_xlsxwriter, "a.xlsx"),
    ],
)  # fmt: skip
def test_what_the_libraries_of_the_work_box_write_passes(tmp_path, make, name):
    make(str(tmp_path / name))
    assert inspect(str(tmp_path / name)) == (tmp_path / name).read_bytes()
