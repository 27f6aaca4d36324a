"""The reader of workbooks: what the same thing written in different ways becomes."""

from __future__ import annotations

import datetime
import io

import openpyxl
import pytest
import xlsxwriter
from openpyxl.comments import Comment
from openpyxl.formatting.rule import CellIsRule, FormulaRule, Rule
from openpyxl.styles import Alignment, Font, PatternFill, Protection
from openpyxl.styles.colors import Color
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table
from xlsx_books import by_hand, related, rels, zipped

from officekit import model, reader
from officekit.number_format import decimals, hides, number_class
from officekit.read_xlsx_styles import tinted
from officekit.resolve import resolve

X14 = "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"
XM = "http://schemas.microsoft.com/office/excel/2006/main"


@pytest.fixture
def read(tmp_path):
    """`read(data)`: the workbook's record; formulas without values, what they show resolved."""

    def one(data: bytes | dict) -> model.Workbook:
        path = tmp_path / "book.xlsx"
        path.write_bytes(zipped(data) if isinstance(data, dict) else data)
        document = reader.read_file(str(path))
        assert isinstance(document, model.Workbook), document
        resolve(document)
        assert model.from_json(model.to_json(document)) == document
        return document

    return one


@pytest.fixture
def refused(tmp_path):
    """`refused(parts)`: the reason why the reader gives up."""

    def one(data: dict) -> str:
        path = tmp_path / "book.xlsx"
        path.write_bytes(zipped(data))
        document = reader.read_file(str(path))
        assert isinstance(document, model.Refused), document
        return document.reason

    return one


def saved(book: openpyxl.Workbook) -> bytes:
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def written(fill, **options) -> bytes:
    """What XlsxWriter makes of `fill(workbook, sheet)`."""
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out, options)
    fill(book, book.add_worksheet("S"))
    book.close()
    return out.getvalue()


def test_values_are_of_their_kinds(read):
    book = openpyxl.Workbook()
    for value in (1.5, "text", True, None, datetime.datetime(2024, 3, 1, 12), "=1+1", "12", datetime.time(6)):
        book.active.append([value])
    found = read(saved(book)).sheets[0].cells
    assert {name: (cell.kind, cell.value) for name, cell in found.items()} == {
        "A1": ("number", 1.5),
        "A2": ("text", "text"),
        "A3": ("bool", True),
        "A5": ("date", 45352.5),
        "A6": ("empty", None),
        "A7": ("text", "12"),
        "A8": ("number", 0.25),
    }


@pytest.mark.parametrize("date1904", [False, True])
def test_a_date_has_one_serial_in_both_date_systems(read, date1904):
    def fill(book, sheet):
        sheet.write_datetime("A1", datetime.datetime(2024, 3, 1), book.add_format({"num_format": "d mmm yyyy"}))

    document = read(written(fill, date_1904=date1904))
    assert (document.date1904, document.sheets[0].cells["A1"].value) == (date1904, 45352.0)


def test_an_iso_date_is_a_date(read):
    row = '<row r="1"><c r="A1" t="d"><v>2024-03-01T06:00:00Z</v></c></row>'
    assert read(by_hand(row)).sheets[0].cells["A1"] == model.Cell("date", 45352.25)


def test_texts_are_equal_however_they_are_stored(read):
    row = (
        '<row r="1"><c r="A1" t="inlineStr"><is><t>for all</t></is></c>'
        '<c r="B1" t="inlineStr"><is><r><t>for </t></r><r><rPr><b/></rPr><t>all</t></r></is></c>'
        '<c r="C1" t="s"><v>0</v></c><c r="D1" t="s"><v>1</v></c><c r="E1" t="str"><v>for all</v></c></row>'
    )
    strings = (
        '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>for all</t></si>'
        '<si><r><t xml:space="preserve">for </t></r><r><t>all</t></r><rPh sb="0" eb="1"><t>hint</t></rPh></si></sst>'
    )
    found = read(
        by_hand(
            row, extra={"xl/sharedStrings.xml": strings}, relations=related(9, "sharedStrings", "sharedStrings.xml")
        )
    )
    assert [cell.value for cell in found.sheets[0].cells.values()] == ["for all"] * 5


def test_a_phonetic_hint_in_a_cell_is_no_text_of_it(read):
    row = '<row r="1"><c r="A1" t="inlineStr"><is><t>漢字</t><rPh sb="0" eb="2"><t>かんじ</t></rPh></is></c></row>'
    assert read(by_hand(row)).sheets[0].cells["A1"].value == "漢字"


def test_escaped_characters_are_resolved(read):
    row = '<row r="1"><c r="A1" t="inlineStr"><is><t>a_x000D_b &amp; c</t></is></c></row>'
    assert read(by_hand(row)).sheets[0].cells["A1"].value == "a\rb & c"


def test_prefixes_and_missing_places_do_not_matter(read):
    parts = by_hand('<row r="2"><c r="B2"><v>5</v></c></row>')
    sheet = (
        '<x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:sheetData><x:row/>'
        "<x:row><x:c/><x:c><x:v>5</x:v></x:c></x:row></x:sheetData></x:worksheet>"
    )
    assert read({**parts, "xl/worksheets/sheet1.xml": sheet}).sheets[0].cells == read(parts).sheets[0].cells


def test_a_shared_formula_reads_as_in_each_cell(read):
    master = "A1*$C$1+SUM(A$1:A1)+LEN(\"A1\")+'A 1'!A1+LOG10(A1)"
    rows = (
        f'<row r="1"><c r="B1"><f t="shared" ref="B1:B3" si="0">{master}</f></c></row>'
        '<row r="3"><c r="B3"><f t="shared" si="0"/></c></row>'
    )
    found = read(by_hand(rows)).sheets[0].cells
    assert found["B3"].formula == "=A3*$C$1+SUM(A$1:A3)+LEN(\"A1\")+'A 1'!A3+LOG10(A3)"


def test_newer_functions_have_their_own_names(read):
    row = '<row r="1"><c r="A1"><f>_xlfn._xlws.FILTER(B1:B9,_xlfn.LET(_xlpm.x,1,_xlpm.x))</f><v>9</v></c></row>'
    assert read(by_hand(row)).sheets[0].cells["A1"].formula == "=FILTER(B1:B9,LET(x,1,x))"


def test_each_cell_of_an_array_formula_has_it(read):
    rows = (
        '<row r="1"><c r="B1"><f t="array" ref="B1:B2">A1:A2*2</f><v>1</v></c></row>'
        '<row r="2"><c r="B2"><v>999</v></c></row>'
    )
    found = read(by_hand(rows)).sheets[0].cells
    assert found["B2"] == model.Cell("empty", None, "=A1:A2*2")


@pytest.mark.parametrize(
    ("code", "kind", "places"),
    [
        ("General", "general", None), ("0", "number", 0), ("#,##0.00", "number", 2), ("0.0%", "percent", 1),
        ('"$"#,##0.00_);[Red]("$"#,##0.00)', "currency", 2), ("[$€-407] #,##0.00", "currency", 2),
        ('_-* #,##0.00\\ "€"_-;-* #,##0.00', "currency", 2), ('_(* #,##0.00_);_(* "-"_)', "number", 2),
        ("yyyy-mm-dd", "date", None), ("[$-409]d mmm yyyy", "date", None), ("mmm", "date", None),
        ("m/d/yy h:mm", "date", None), ("h:mm AM/PM", "time", None), ("[h]:mm:ss", "time", None),
        ("mm:ss.0", "time", None), ("@", "text", None), ("# ?/?", "fraction", None), ("0.00E+00", "scientific", 2),
        ('0 "days"', "number", 0), ('0.00 "m³"', "number", 2), ('"PAID";;;', "general", None),
        ("[Red]0.0", "number", 1),
        ('#,##0 "EUR"', "currency", 0), ("General;[Red]-General", "general", None), ('yyyy"年"m"月"', "date", None),
    ],
)  # fmt: skip
def test_a_number_format_has_a_class_and_decimals(code, kind, places):
    assert (number_class(code), decimals(code)) == (kind, places)


def test_a_format_that_shows_nothing_is_told():
    assert [hides(code) for code in (";;;", '""', "0;;;@", ";;")] == [True, False, False, True]


def test_looks_are_resolved(read):
    book = openpyxl.Workbook()
    cell = book.active["A1"]
    cell.value = 0.5
    cell.font = Font(name="Georgia", sz=14, bold=True, color=Color(theme=4, tint=-0.25))
    cell.fill = PatternFill("solid", fgColor=Color(indexed=13))
    cell.number_format = "0.0%"
    cell.alignment = Alignment(horizontal="center", wrap_text=True)
    cell.protection = Protection(locked=False)
    document = read(saved(book))
    style = document.styles[document.sheets[0].cells["A1"].style]
    assert (style.font, style.size, style.bold, style.fill, style.number_class, style.decimals) == (
        "Georgia", 14.0, True, "ffff00", "percent", 1,
    )  # fmt: skip
    assert (style.align, style.wrap, style.locked, style.color) == ("center", True, False, "376092")


def test_a_tint_is_applied_in_lightness():
    assert (tinted("4f81bd", 0.4), tinted("000000", 0.5), tinted("ffffff", -0.25)) == ("95b3d7", "808080", "bfbfbf")


def test_what_surrounds_the_cells(read):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Übersicht 表"
    for row in (["k", "v"], ["a", 1], ["b", 2]):
        sheet.append(row)
    sheet.add_table(Table(displayName="Pairs", ref="A1:B3"))
    sheet.merge_cells("D1:E2")
    sheet.freeze_panes = "B2"
    sheet["A2"].comment = Comment("look here", "me")
    sheet.protection.sheet = True
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["C"].hidden = True
    sheet.column_dimensions["A"].width = 20
    book.create_sheet("gone").sheet_state = "veryHidden"
    book.defined_names["Total"] = openpyxl.workbook.defined_name.DefinedName("Total", attr_text="'Übersicht 表'!$B$3")
    document = read(saved(book))
    found = document.sheets[0]
    assert (found.name, found.merges, found.freeze, found.protected) == ("Übersicht 表", ["D1:E2"], "B2", True)
    assert found.tables == [model.TableObject("Pairs", "A1:B3", ["k", "v"])]
    assert (found.comments, found.hidden_rows, found.hidden_columns) == ({"A2": "look here"}, [3], [3])
    assert (found.widths["A"], document.names) == (20.0, {"Total": "'Übersicht 表'!$B$3"})
    assert document.sheets[1].state == "veryHidden"


def test_the_filter_of_a_table_is_the_filter_of_its_sheet(read):
    def fill(book, sheet):
        sheet.add_table("B2:C4", {"name": "T_1", "columns": [{"header": "k"}, {"header": "v"}]})

    assert read(written(fill)).sheets[0].autofilter == "B2:C4"


def test_rules_of_conditional_formatting(read):
    book = openpyxl.Workbook()
    sheet = book.active
    red = PatternFill("solid", bgColor="FFC7CE")
    sheet.conditional_formatting.add(
        "A1:A9", CellIsRule(operator="lessThan", formula=["0"], fill=red, font=Font(b=True))
    )
    sheet.conditional_formatting.add("A1:C9", FormulaRule(formula=["$B1>1"], stopIfTrue=True, fill=red))
    top = DifferentialStyle(font=Font(color="9C0006"))
    sheet.conditional_formatting.add("B1:B9", Rule(type="top10", rank=5, bottom=True, dxf=top))
    first, second, third = read(saved(book)).sheets[0].conditionals
    assert (first.kind, first.operator, first.formulas, first.fill, first.bold) == (
        "cellIs", "lessThan", ["0"], "ffc7ce", True,
    )  # fmt: skip
    assert (second.ranges, second.kind, second.formulas, second.stop) == (["A1:C9"], "expression", ["$B1>1"], True)
    assert (third.rank, third.bottom, third.color, third.fill) == (5, True, "9c0006", None)


def test_an_extended_rule_counts_and_half_of_a_data_bar_does_not(read):
    around = (
        f'<extLst><ext xmlns:x14="{X14}" xmlns:xm="{XM}"><x14:conditionalFormattings><x14:conditionalFormatting>'
        '<x14:cfRule type="expression" priority="1"><xm:f>Other!A1&gt;1</xm:f><x14:dxf><fill><patternFill><bgColor '
        'rgb="FF00FF00"/></patternFill></fill></x14:dxf></x14:cfRule><xm:sqref>A1:A5</xm:sqref>'
        '</x14:conditionalFormatting><x14:conditionalFormatting><x14:cfRule type="dataBar"/><xm:sqref>B1</xm:sqref>'
        "</x14:conditionalFormatting></x14:conditionalFormattings></ext></extLst>"
    )
    (rule,) = read(by_hand(around=around)).sheets[0].conditionals
    assert (rule.ranges, rule.formulas, rule.fill) == (["A1:A5"], ["Other!A1>1"], "00ff00")


def test_validations_and_their_choices(read):
    book = openpyxl.Workbook()
    sheet = book.active
    lists = book.create_sheet("Lists")
    for choice in ("red", "green", 3):
        lists.append([choice])
    book.defined_names["Colours"] = openpyxl.workbook.defined_name.DefinedName("Colours", attr_text="Lists!$A$1:$A$3")
    for place, formula in (("A1", '"yes, no"'), ("A2", "Lists!$A$1:$A$2"), ("A3", "Colours"), ("A4", "INDIRECT(B1)")):
        rule = DataValidation("list", formula1=formula, showErrorMessage=True)
        rule.add(place)
        sheet.add_data_validation(rule)
    whole = DataValidation("whole", "1", "9", allow_blank=True, showErrorMessage=True)
    whole.operator, whole.errorStyle = "between", "warning"
    whole.add("B1:B9")
    quiet = DataValidation("decimal", "0", showErrorMessage=False, operator="greaterThan")
    quiet.add("C1")
    sheet.add_data_validation(whole)
    sheet.add_data_validation(quiet)
    found = read(saved(book)).sheets[0].validations
    assert [rule.choices for rule in found[:4]] == [["yes", "no"], ["red", "green"], ["red", "green", "3"], None]
    assert (found[4].formulas, found[4].style, found[4].allow_blank, found[4].ranges) == (
        ["1", "9"], "warning", True, ["B1:B9"],
    )  # fmt: skip
    assert found[5].style == "none"


def test_an_extended_validation_counts(read):
    around = (
        f'<extLst><ext xmlns:x14="{X14}" xmlns:xm="{XM}"><x14:dataValidations><x14:dataValidation type="list" '
        'showErrorMessage="1"><x14:formula1><xm:f>S!$A$1:$A$2</xm:f></x14:formula1><xm:sqref>B1:B5</xm:sqref>'
        "</x14:dataValidation></x14:dataValidations></ext></extLst>"
    )
    rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>2.5</v></c></row>'
    (rule,) = read(by_hand(rows, around=around)).sheets[0].validations
    assert (rule.kind, rule.choices, rule.ranges, rule.style) == ("list", ["1", "2.5"], ["B1:B5"], "stop")


def test_a_chart_shows_the_cells_and_not_its_cache(read):
    def fill(book, sheet):
        for row in (["m", "sold"], ["Jan", 10], ["Feb", 20]):
            sheet.write_row(sheet.dim_rowmax + 1 if sheet.dim_rowmax is not None else 0, 0, row)
        chart = book.add_chart({"type": "bar", "subtype": "stacked"})
        chart.add_series(
            {
                "name": "=S!$B$1",
                "categories": "=S!$A$2:$A$3",
                "values": "=S!$B$2:$B$3",
                "values_data": [7, 7],
            }
        )
        chart.set_title({"name": "Sales"})
        chart.set_y_axis({"name": "pieces"})
        sheet.insert_chart("D2", chart)

    (chart,) = read(written(fill)).sheets[0].charts
    (series,) = chart.series
    assert (chart.kind, chart.title, chart.anchor, chart.stacked) == ("bar", "Sales", "D2", True)
    assert (series.name, series.values_ref, series.values) == ("sold", "S!$B$2:$B$3", [10.0, 20.0])
    assert series.categories == ["Jan", "Feb"]


def test_typed_numbers_of_a_chart_have_no_reference(read):
    drawing = (
        '<d xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><anchor><chart r:id="rId1"/>'
        "</anchor></d>"
    )
    chart = (
        '<c><chart><plotArea><lineChart><ser><val><numLit><ptCount val="3"/><pt idx="0"><v>1</v></pt>'
        '<pt idx="2"><v>5</v></pt></numLit></val></ser></lineChart></plotArea></chart></c>'
    )
    extra = {
        "xl/worksheets/_rels/sheet1.xml.rels": rels(related(1, "drawing", "../drawings/drawing1.xml")),
        "xl/drawings/drawing1.xml": drawing,
        "xl/drawings/_rels/drawing1.xml.rels": rels(related(1, "chart", "/xl/charts/chart1.xml")),
        "xl/charts/chart1.xml": chart,
    }
    (found,) = read(by_hand(extra=extra)).sheets[0].charts
    assert (found.kind, found.series[0].values_ref, found.series[0].values) == ("line", "", [1.0, None, 5.0])


@pytest.mark.parametrize(
    ("sheet", "reason"),
    [
        ('<row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c></row>', "stands twice"),
        ('<row r="1"><c r="A1"><v>NaN</v></c></row>', "no number"),
        ('<row r="1"><c r="A1"><v>1e999</v></c></row>', "no number"),
        ('<row r="1"><c r="A2"><v>1</v></c></row>', "in row 1"),
        ('<row r="1"><c r="A1" t="s"><v>7</v></c></row>', "IndexError"),
        ('<row r="1"><c r="A1"><f t="shared" si="3"/></c></row>', "shares a formula that is missing"),
        ('<row r="1"><c r="A1" t="zz"><v>1</v></c></row>', "unknown type"),
    ],
)
def test_cells_that_readers_would_understand_differently_are_refused(refused, sheet, reason):
    assert reason in refused(by_hand(sheet))


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        (by_hand(around="<extLst>" + "<a>" * 9999 + "</a>" * 9999 + "</extLst>"), "nested deeper than 128"),
        (by_hand(around="<cols>" + '<col min="1" max="16384" width="9"/>' * 16385 + "</cols>"), "16385 columns"),
        (by_hand('<row r="1"><c r="A1"><f t="array" ref="A1:XFD1048576">1</f></c></row>'), "more than"),
    ],
    ids=["deep", "columns", "array"],
)
def test_what_would_take_a_reader_forever_is_refused(refused, parts, reason):
    assert reason in refused(parts)


def test_a_missing_sheet_is_refused(refused):
    parts = by_hand()
    del parts["xl/worksheets/sheet1.xml"]
    assert "is missing" in refused(parts)
