"""The workbooks of test_office_corpus_xlsx.py: by openpyxl, by XlsxWriter, by hand, and hostile ones."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections.abc import Callable

import openpyxl
import xlsxwriter
from openpyxl.chart import LineChart, Reference
from openpyxl.styles import Font, NamedStyle
from xlsx_books import NS, R, by_hand, changed, parts_of, related, rels, zipped


def by_openpyxl(fill_in: Callable) -> bytes:
    out = io.BytesIO()
    book = openpyxl.Workbook()
    fill_in(book, book.active)
    book.save(out)
    return out.getvalue()


def by_xlsxwriter(fill_in: Callable, **options) -> bytes:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, options)
    fill_in(book, book.add_worksheet("Data"))
    book.close()
    return out.getvalue()


def openpyxl_named_style() -> bytes:
    def make(book, sheet):
        book.add_named_style(NamedStyle("loud", font=Font(b=True, sz=20, color="FF8800"), number_format="0.00%"))
        sheet["A1"] = 0.25
        sheet["A1"].style = "loud"

    return by_openpyxl(make)


def openpyxl_chart() -> bytes:
    def make(book, sheet):
        for row in (["m", "v"], ["a", 1], ["b", "=B2*5"]):
            sheet.append(row)
        chart = LineChart()
        chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
        chart.title = "Growth"
        chartsheet = book.create_chartsheet("Picture")
        chartsheet.add_chart(chart)

    return by_openpyxl(make)


def openpyxl_links() -> bytes:
    def make(book, sheet):
        sheet["A1"] = "site"
        sheet["A1"].hyperlink = "https://example.invalid/x?a=1&b=2"
        sheet["B1"] = '=HYPERLINK("https://example.invalid","go")'

    return by_openpyxl(make)


def xlsxwriter_1904() -> bytes:
    def make(book, sheet):
        date = book.add_format({"num_format": "dd/mm/yyyy"})
        sheet.write_datetime("A1", datetime.datetime(2024, 12, 31), date)
        sheet.write_formula("A2", "=EDATE(A1,2)", date)
        sheet.write_formula("A3", "=YEAR(A2)")

    return by_xlsxwriter(make, date_1904=True)


def xlsxwriter_rich() -> bytes:
    def make(book, sheet):
        bold = book.add_format({"bold": True})
        sheet.write_rich_string("A1", "It is ", bold, "very", " late")
        sheet.write_formula("A2", '=A1&"!"')
        sheet.add_sparkline("C1", {"range": "Data!D1:F1"})
        sheet.conditional_format("D1:F1", {"type": "data_bar", "data_bar_2010": True})
        sheet.insert_textbox("H1", "a box")

    return by_xlsxwriter(make)


def xlsxwriter_arrays() -> bytes:
    def make(book, sheet):
        sheet.write_column("A1", ["b", "a", "b"])
        sheet.write_dynamic_array_formula("C1:C2", "=_xlfn.UNIQUE(A1:A3)")
        sheet.write_formula("D1", "=COUNTA(C1:C5)")

    return by_xlsxwriter(make)


def xlsxwriter_constant_memory() -> bytes:
    return by_xlsxwriter(lambda book, sheet: sheet.write_row(0, 0, ["in line", 1, True]), constant_memory=True)


def unicode_names() -> bytes:
    def make(book, sheet):
        sheet.title = "Umsätze 'Q1' 表😀"
        sheet["A1"] = 5
        book.create_sheet("Σ")["A1"] = "='Umsätze ''Q1'' 表😀'!A1*2"

    return by_openpyxl(make)


def shared_strings_hand() -> bytes:
    rows = "".join(
        f'<row r="{row}"><c r="A{row}"><v>{row}</v></c><c r="B{row}">'
        + ('<f t="shared" ref="B1:B5" si="0">A1*A1</f>' if row == 1 else '<f t="shared" si="0"/>')
        + "</c></row>"
        for row in range(1, 6)
    )
    return zipped(by_hand(rows, around='<mergeCells count="1"><mergeCell ref="D1:E2"/></mergeCells>'))


def prefixed_utf16() -> bytes:
    text = (
        f'<?xml version="1.0" encoding="UTF-16"?><x:worksheet xmlns:x="{NS}"><x:sheetData><x:row><x:c t="inlineStr">'
        "<x:is><x:t>ü</x:t></x:is></x:c><x:c><x:v>7</x:v></x:c></x:row></x:sheetData></x:worksheet>"
    )
    return zipped({**by_hand(), "xl/worksheets/sheet1.xml": text.encode("utf-16")})


def forged() -> bytes:
    rows = (
        '<row r="1"><c r="A1"><v>2</v></c><c r="B1"><f>A1*3</f><v>999</v></c><c r="C1" t="str"><f>"a"</f><v>b</v></c>'
        "</row>"
    )
    return zipped(by_hand(rows), zipfile.ZIP_STORED)


def forged_excel() -> bytes:
    """The same lie in a file that says that Excel made it."""
    made = by_openpyxl(lambda book, sheet: sheet.append([2, "=A1*3"]))
    assert b"Microsoft Excel" in bytes(parts_of(made)["docProps/app.xml"])  # type: ignore[arg-type]
    lie = "</f><v>999</v>"
    return changed(made, "xl/worksheets/sheet1.xml", lambda text: re.sub("</f><v ?/>|</f><v></v>", lie, text))


def very_hidden() -> bytes:
    def make(book, sheet):
        for name, state in (("b", "hidden"), ("c", "veryHidden")):
            book.create_sheet(name).sheet_state = state

    return by_openpyxl(make)


def no_styles() -> bytes:
    return zipped(by_hand('<row r="1"><c r="A1"><v>1</v></c></row>', styles=""))


def local_names() -> bytes:
    book = (
        '<definedNames><definedName name="rate">S!$A$1</definedName><definedName name="rate" localSheetId="0">S!$A$2'
        '</definedName><definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">S!$A$1</definedName>'
        "</definedNames>"
    )
    return zipped(by_hand('<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>2</v></c></row>', book=book))


def threaded_comment() -> bytes:
    kind = "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment"
    extra = {
        "xl/worksheets/_rels/sheet1.xml.rels": rels(
            related(1, "comments", "../comments1.xml"),
            f'<Relationship Id="rId2" Type="{kind}" Target="../threadedComments/threadedComment1.xml"/>',
        ),
        "xl/comments1.xml": f'<comments xmlns="{NS}"><commentList><comment ref="A1"><text><t>[Threaded comment] Your '
        f'version...</t></text></comment><comment ref="B1"><text><r><t>old </t></r><r><t>style</t></r></text></comment>'
        f"</commentList></comments>",
        "xl/threadedComments/threadedComment1.xml": "<ThreadedComments><threadedComment ref='A1'><text>Is it so?</text>"
        "</threadedComment><threadedComment ref='A1'><text>Yes.</text></threadedComment></ThreadedComments>",
    }
    return zipped(by_hand(extra=extra))


def hidden_by_size() -> bytes:
    row = '<row r="1" ht="0" customHeight="1"><c r="A1"><v>1</v></c></row>'
    parts = by_hand(row)
    parts["xl/worksheets/sheet1.xml"] = str(parts["xl/worksheets/sheet1.xml"]).replace(
        "<sheetData>", '<cols><col min="2" max="3" width="0" customWidth="1"/></cols><sheetData>'
    )
    return zipped(parts)


def reordered() -> bytes:
    """The parts in another order, the main part elsewhere, absolute targets: what a careful rewriter may do."""
    parts = parts_of(zipped(by_hand('<row r="1"><c r="A1"><f>1+1</f></c></row>')))
    moved = {name.replace("xl/", "content/"): text for name, text in reversed(parts.items())}
    return zipped(
        {
            name: bytes(text).replace(b'"/xl/', b'"/content/').replace(b'"xl/', b'"/content/')
            for name, text in moved.items()
        }
    )  # type: ignore[arg-type]


def encrypted() -> bytes:
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 4000


def beyond() -> bytes:
    return zipped(by_hand('<row r="1"><c r="A1"/></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'))


def bomb() -> bytes:
    row = '<row r="{0}"><c r="A{0}" t="inlineStr"><is><t>' + "A" * 3000 + "</t></is></c></row>"
    return zipped(by_hand("".join(row.format(at) for at in range(1, 20_000))))


def external() -> bytes:
    extra = {"xl/externalLinks/externalLink1.xml": f'<externalLink xmlns="{NS}"/>'}
    return zipped(by_hand('<row r="1"><c r="A1"><f>[1]Sheet1!A1</f><v>111</v></c></row>', extra=extra))


def truncated() -> bytes:
    return xlsxwriter_rich()[:-600]


def twice() -> bytes:
    return zipped(by_hand('<row r="1"><c r="A1"><v>1</v></c></row><row r="1"><c r="A1"><v>2</v></c></row>'))


def broken_theme() -> bytes:
    return zipped({**by_hand(), "xl/theme/theme1.xml": "<a><b></a>"})


def images_from_outside() -> bytes:
    link = f'<Relationship Id="rId1" Type="{R}/image" Target="http://example.invalid/a.png" TargetMode="External"/>'
    return zipped(by_hand(extra={"xl/drawings/_rels/drawing1.xml.rels": rels(link)}))


def entity() -> bytes:
    return zipped({**by_hand(), "xl/sharedStrings.xml": '<!DOCTYPE x [<!ENTITY a "aaaa">]><sst>&a;</sst>'})


def no_sheet() -> bytes:
    parts = by_hand()
    return zipped({**parts, "xl/workbook.xml": str(parts["xl/workbook.xml"]).replace('r:id="rId1"', 'r:id="rId77"')})
