"""Workbooks of different producers, odd and hostile ones: each reads right, or is refused with its reason.

What LibreOffice 25.2 made lies in corpus/; the rest is made here, by openpyxl, XlsxWriter and by hand.
"""

from __future__ import annotations

import datetime
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
import xlsxwriter
from openpyxl.chart import LineChart, Reference
from openpyxl.styles import Font, NamedStyle
from xlsx_books import NS, R, by_hand, changed, parts_of, related, rels, zipped

from officekit import read, reader, recalc_formualizer, recalc_ironcalc
from officekit.fill import fill
from officekit.intake import inspect
from officekit.model import Refused, Sheet, Workbook
from officekit.resolve import resolve

CORPUS = Path(__file__).parent / "corpus"


class Here:
    """An engine in this process, on a file of its own."""

    def __init__(self, module, folder: Path) -> None:
        self.module, self.name, self.path = module, module.__name__.rpartition("_")[2], folder / "computed.xlsx"

    def compute(self, data, runs):
        self.path.write_bytes(data)
        asked = [{"set": run.set, "get": run.get} for run in runs]
        try:
            answers = self.module.compute(str(self.path), asked)
        except Exception as error:
            raise read.recalc.EngineFailed(str(error)) from None
        return [read.recalc._values(run.get, answer) for run, answer in zip(runs, answers, strict=True)]


@pytest.fixture
def opened(tmp_path):
    """`opened(data)`: guard, reader and engines, in this process."""

    def one(data: bytes) -> Workbook:
        path = tmp_path / "book.xlsx"
        path.write_bytes(data)
        document = reader.read_file(str(path)) if inspect(str(path)) else None
        assert isinstance(document, Workbook), document
        fill(document, data, first=[Here(module, tmp_path) for module in (recalc_ironcalc, recalc_formualizer)])
        resolve(document)
        return document

    return one


def values(sheet: Sheet, *names: str) -> list:
    return [sheet.cells[name].value if name in sheet.cells else None for name in names]


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
    """The same lie in a file that says that Excel made it, with nothing to be computed on load."""
    made = by_openpyxl(lambda book, sheet: sheet.append([2, "=A1*3"]))
    lied = changed(
        made,
        "xl/worksheets/sheet1.xml",
        lambda text: text.replace("<v />", "<v>999</v>").replace("<v></v>", "<v>999</v>"),
    )
    return changed(lied, "docProps/app.xml", lambda text: text.replace("openpyxl", "Microsoft Excel"))


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


def libreoffice(name: str) -> Callable[[], bytes]:
    return lambda: (CORPUS / f"libreoffice_{name}.xlsx").read_bytes()


def style_of(book: Workbook, name: str):
    return book.styles[book.sheets[0].cells[name].style]


RIGHT: dict[str, tuple[Callable[[], bytes], Callable[[Workbook], object], object]] = {
    "openpyxl-named-style": (
        openpyxl_named_style,
        lambda b: (style_of(b, "A1").bold, style_of(b, "A1").size, style_of(b, "A1").color, style_of(b, "A1").decimals),
        (True, 20.0, "ff8800", 2),
    ),
    "openpyxl-chartsheet": (
        openpyxl_chart,
        lambda b: [(c.kind, c.title, s.name, s.values) for sheet in b.sheets for c in sheet.charts for s in c.series],
        [("line", "Growth", "v", [1.0, 5.0])],
    ),
    "openpyxl-hyperlinks": (openpyxl_links, lambda b: values(b.sheets[0], "A1", "B1"), ["site", "go"]),
    "openpyxl-unicode-names": (
        unicode_names,
        lambda b: ([s.name for s in b.sheets], values(b.sheets[1], "A1")),
        (["Umsätze 'Q1' 表😀", "Σ"], [10.0]),
    ),
    "openpyxl-very-hidden": (very_hidden, lambda b: [s.state for s in b.sheets], ["visible", "hidden", "veryHidden"]),
    "openpyxl-forged-as-excel": (forged_excel, lambda b: values(b.sheets[0], "B1"), [6.0]),
    "xlsxwriter-1904": (
        xlsxwriter_1904,
        lambda b: (b.date1904, values(b.sheets[0], "A1", "A2", "A3")),
        (True, [45657.0, 45716.0, 2025.0]),
    ),
    "xlsxwriter-rich-text": (
        xlsxwriter_rich,
        lambda b: (values(b.sheets[0], "A1", "A2"), [rule.kind for rule in b.sheets[0].conditionals]),
        (["It is very late", "It is very late!"], ["dataBar"]),
    ),
    "xlsxwriter-dynamic-array": (
        xlsxwriter_arrays,
        lambda b: values(b.sheets[0], "C1", "C2", "C3", "D1"),
        ["b", "a", None, 2.0],
    ),
    "xlsxwriter-constant-memory": (
        xlsxwriter_constant_memory,
        lambda b: values(b.sheets[0], "A1", "B1", "C1"),
        ["in line", 1.0, True],
    ),
    "hand-shared-formulas": (
        shared_strings_hand,
        lambda b: (values(b.sheets[0], "B1", "B5"), b.sheets[0].cells["B4"].formula, b.sheets[0].merges),
        ([1.0, 25.0], "=A4*A4", ["D1:E2"]),
    ),
    "hand-utf-16-prefixed": (prefixed_utf16, lambda b: values(b.sheets[0], "A1", "B1"), ["ü", 7.0]),
    "hand-forged-caches": (forged, lambda b: values(b.sheets[0], "B1", "C1"), [6.0, "a"]),
    "hand-without-styles": (no_styles, lambda b: (values(b.sheets[0], "A1"), len(b.styles)), ([1.0], 1)),
    "hand-local-names": (local_names, lambda b: b.names, {"rate": "S!$A$1", "S!rate": "S!$A$2"}),
    "hand-threaded-comment": (
        threaded_comment,
        lambda b: b.sheets[0].comments,
        {"A1": "Is it so?\nYes.", "B1": "old style"},
    ),
    "hand-hidden-by-size": (
        hidden_by_size,
        lambda b: (b.sheets[0].hidden_rows, b.sheets[0].hidden_columns),
        ([1], [2, 3]),
    ),
    "hand-moved-parts": (reordered, lambda b: b.sheets[0].cells["A1"].formula, "=1+1"),
    "libreoffice-report": (
        libreoffice("report"),
        lambda b: (
            values(b.sheets[0], "A1", "B3", "E2", "E6"),
            [s.state for s in b.sheets],
            b.sheets[0].merges,
            b.sheets[0].comments,
            (b.sheets[0].hidden_rows, b.sheets[0].hidden_columns, b.sheets[0].autofilter),
        ),
        (
            ["Region", 45351.0, 59.97, 462.4],
            ["visible", "visible", "hidden"],
            ["A8:E8"],
            {"E6": "bitte prüfen"},
            ([9], [7], "A1:E5"),
        ),
    ),
    "libreoffice-report-rules": (
        libreoffice("report"),
        lambda b: (
            [(r.kind, r.operator, r.formulas, r.fill, r.bold) for r in b.sheets[0].conditionals],
            [(v.kind, v.choices, v.style) for v in b.sheets[0].validations],
            [(c.kind, c.title, c.series[0].values) for c in b.sheets[0].charts],
            [(p.source, p.rows, p.values) for p in b.sheets[1].pivots],
            (style_of(b, "A1").bold, style_of(b, "A1").fill, style_of(b, "A1").color, style_of(b, "D2").number_class),
        ),
        (
            [("cellIs", "greaterThan", ["100"], "ff0000", True)],
            [("list", ["Nord", "Süd", "Ost", "West"], "stop")],
            [("column", "Beträge", [59.97, 22.5, 240.0, 139.92999999999998])],
            [("Bericht Ä!A1:E5", ["Region"], [("Betrag", "sum")])],
            (True, "1f4e78", "ffffff", "currency"),
        ),
    ),
    "libreoffice-converted-1904": (
        libreoffice("converted_1904"),
        lambda b: (b.date1904, b.sheets[0].freeze, values(b.sheets[0], "B2", "D3", "F1", "F3"), b.sheets[1].state),
        (True, "B2", [45350.0, 45658.0, 2025.0, "2024-02-28"], "hidden"),
    ),
    "libreoffice-arrays": (
        libreoffice("arrays"),
        lambda b: (values(b.sheets[0], "B20", "C2", "E1", "E2", "E3"), b.sheets[0].protected),
        ([401.0, 4.0, True, "#DIV/0!", "ä<&>"], True),
    ),
    "libreoffice-from-csv": (
        libreoffice("from_csv"),
        lambda b: values(b.sheets[0], "A4", "B4", "C4"),
        ["O'Neil, Zoë", 45358.0, 1000.0],
    ),
}


@pytest.mark.parametrize("kind", RIGHT)
def test_it_reads_right(opened, kind):
    make, look, wanted = RIGHT[kind]
    assert look(opened(make())) == wanted


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


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "encrypted": (encrypted, "encrypted"),
    "xfd1048576": (beyond, "1048576 x 16384"),
    "zip-bomb": (bomb, "times its size"),
    "external-link": (external, "active or external part"),
    "truncated": (truncated, "broken zip"),
    "cell-twice": (twice, "stands twice"),
    "broken-theme": (broken_theme, "broken XML"),
    "images-from-outside": (images_from_outside, "reaches out"),
    "entity": (entity, "DOCTYPE"),
    "missing-sheet": (no_sheet, "is missing"),
    "html": (lambda: b"<html><table><tr><td>1</td></tr></table></html>", "does not start as a zip"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_it_is_refused_with_its_reason(tmp_path, kind):
    make, reason = REFUSED[kind]
    (tmp_path / "book.xlsx").write_bytes(make())
    document = read.read(str(tmp_path / "book.xlsx"))
    assert isinstance(document, Refused)
    assert reason in document.reason


@pytest.mark.slow
def test_a_hundred_thousand_rows_are_read_and_computed(tmp_path):
    row = (
        '<row r="{0}"><c r="A{0}"><v>{0}</v></c><c r="B{0}" t="inlineStr"><is><t>row {0}</t></is></c>'
        '<c r="C{0}"><f>A{0}*2</f></c></row>'
    )
    (tmp_path / "book.xlsx").write_bytes(zipped(by_hand("".join(row.format(at) for at in range(1, 100_001)))))
    document = read.read(str(tmp_path / "book.xlsx"))
    assert isinstance(document, Workbook), document
    assert (len(document.sheets[0].cells), document.unsure) == (300_000, [])
    assert values(document.sheets[0], "A100000", "B100000", "C100000") == [100000.0, "row 100000", 200000.0]
