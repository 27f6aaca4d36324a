"""Workbooks of different producers, odd and hostile ones: each reads right, or is refused with its reason.

What LibreOffice 25.2 made lies in corpus/; the rest is made here, by openpyxl, XlsxWriter and by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import xlsx_corpus as corpus
from xlsx_books import by_hand, zipped

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


def libreoffice(name: str) -> Callable[[], bytes]:
    return lambda: (CORPUS / f"libreoffice_{name}.xlsx").read_bytes()


def style_of(book: Workbook, name: str):
    return book.styles[book.sheets[0].cells[name].style]


RIGHT: dict[str, tuple[Callable[[], bytes], Callable[[Workbook], object], object]] = {
    "openpyxl-named-style": (
        corpus.openpyxl_named_style,
        lambda b: (style_of(b, "A1").bold, style_of(b, "A1").size, style_of(b, "A1").color, style_of(b, "A1").decimals),
        (True, 20.0, "ff8800", 2),
    ),
    "openpyxl-chartsheet": (
        corpus.openpyxl_chart,
        lambda b: [(c.kind, c.title, s.name, s.values) for sheet in b.sheets for c in sheet.charts for s in c.series],
        [("line", "Growth", "v", [1.0, 5.0])],
    ),
    "openpyxl-hyperlinks": (corpus.openpyxl_links, lambda b: values(b.sheets[0], "A1", "B1"), ["site", "go"]),
    "openpyxl-unicode-names": (
        corpus.unicode_names,
        lambda b: ([s.name for s in b.sheets], values(b.sheets[1], "A1")),
        (["Umsätze 'Q1' 表😀", "Σ"], [10.0]),
    ),
    "openpyxl-very-hidden": (
        corpus.very_hidden,
        lambda b: [s.state for s in b.sheets],
        ["visible", "hidden", "veryHidden"],
    ),
    "openpyxl-forged-as-excel": (corpus.forged_excel, lambda b: values(b.sheets[0], "B1"), [6.0]),
    "xlsxwriter-1904": (
        corpus.xlsxwriter_1904,
        lambda b: (b.date1904, values(b.sheets[0], "A1", "A2", "A3")),
        (True, [45657.0, 45716.0, 2025.0]),
    ),
    "xlsxwriter-rich-text": (
        corpus.xlsxwriter_rich,
        lambda b: (values(b.sheets[0], "A1", "A2"), [rule.kind for rule in b.sheets[0].conditionals]),
        (["It is very late", "It is very late!"], ["dataBar"]),
    ),
    "xlsxwriter-dynamic-array": (
        corpus.xlsxwriter_arrays,
        lambda b: values(b.sheets[0], "C1", "C2", "C3", "D1"),
        ["b", "a", None, 2.0],
    ),
    "xlsxwriter-constant-memory": (
        corpus.xlsxwriter_constant_memory,
        lambda b: values(b.sheets[0], "A1", "B1", "C1"),
        ["in line", 1.0, True],
    ),
    "hand-shared-formulas": (
        corpus.shared_strings_hand,
        lambda b: (values(b.sheets[0], "B1", "B5"), b.sheets[0].cells["B4"].formula, b.sheets[0].merges),
        ([1.0, 25.0], "=A4*A4", ["D1:E2"]),
    ),
    "hand-utf-16-prefixed": (corpus.prefixed_utf16, lambda b: values(b.sheets[0], "A1", "B1"), ["ü", 7.0]),
    "hand-forged-caches": (corpus.forged, lambda b: values(b.sheets[0], "B1", "C1"), [6.0, "a"]),
    "hand-without-styles": (corpus.no_styles, lambda b: (values(b.sheets[0], "A1"), len(b.styles)), ([1.0], 1)),
    "hand-local-names": (corpus.local_names, lambda b: b.names, {"rate": "S!$A$1", "S!rate": "S!$A$2"}),
    "hand-threaded-comment": (
        corpus.threaded_comment,
        lambda b: b.sheets[0].comments,
        {"A1": "Is it so?\nYes.", "B1": "old style"},
    ),
    "hand-hidden-by-size": (
        corpus.hidden_by_size,
        lambda b: (b.sheets[0].hidden_rows, b.sheets[0].hidden_columns),
        ([1], [2, 3]),
    ),
    "hand-moved-parts": (corpus.reordered, lambda b: b.sheets[0].cells["A1"].formula, "=1+1"),
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


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "encrypted": (corpus.encrypted, "encrypted"),
    "xfd1048576": (corpus.beyond, "1048576 x 16384"),
    "zip-bomb": (corpus.bomb, "times its size"),
    "external-link": (corpus.external, "active or external part"),
    "truncated": (corpus.truncated, "broken zip"),
    "cell-twice": (corpus.twice, "stands twice"),
    "broken-theme": (corpus.broken_theme, "broken XML"),
    "images-from-outside": (corpus.images_from_outside, "reaches out"),
    "entity": (corpus.entity, "DOCTYPE"),
    "missing-sheet": (corpus.no_sheet, "is missing"),
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
    row = '<row r="{0}"><c r="A{0}" t="inlineStr"><is><t>row {0}</t></is></c><c r="B{0}"><f>ROW()*2</f></c></row>'
    (tmp_path / "book.xlsx").write_bytes(zipped(by_hand("".join(row.format(at) for at in range(1, 100_001)))))
    document = read.read(str(tmp_path / "book.xlsx"))
    assert isinstance(document, Workbook), document
    assert (len(document.sheets[0].cells), document.unsure) == (200_000, [])
    assert values(document.sheets[0], "A100000", "B100000") == ["row 100000", 200000.0]
