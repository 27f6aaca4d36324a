"""Slides and PDF of many producers and many breakages: each is read right or refused with a reason, none crashes."""

from __future__ import annotations

import base64
import zipfile
from collections.abc import Callable
from pathlib import Path

import pptx
import pypdf
import pytest
from pages_files import pack
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Pt
from pypdf.generic import ArrayObject, DictionaryObject, NameObject, RectangleObject, TextStringObject
from reportlab.pdfgen.canvas import Canvas

from officekit.model import Deck, Pdf, Refused
from officekit.reader import read_file

CORPUS = Path(__file__).parent / "corpus"
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def slides(path: Path) -> Deck:
    found = read_file(str(path))
    assert isinstance(found, Deck), found
    return found


def pages(path: Path) -> Pdf:
    found = read_file(str(path))
    assert isinstance(found, Pdf), found
    return found


def deck(folder: Path, change: Callable[[dict[str, bytes]], object] = lambda parts: None) -> Path:
    """A deck of a title, a picture and a chart, with its parts changed."""
    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text = "Übersicht"
    (folder / "p.png").write_bytes(PIXEL)
    slide.shapes.add_picture(str(folder / "p.png"), Pt(10), Pt(400), Pt(50), Pt(50))
    data = CategoryChartData()
    data.categories = ["a"]
    data.add_series("s", (1,))
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, Pt(100), Pt(200), Pt(200), Pt(200), data)
    path = folder / "Präsentation 日本.pptx"
    made.save(str(path))
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    return pack(path, dict(parts))


def replaced(name: str, old: bytes, new: bytes) -> Callable[[dict[str, bytes]], object]:
    def change(parts: dict[str, bytes]) -> None:
        assert old in parts[name]
        parts[name] = parts[name].replace(old, new)

    return change


SLIDE = "ppt/slides/slide1.xml"


def test_libreoffice_deck() -> None:
    found = slides(CORPUS / "libreoffice_deck.pptx")
    titles = ["Jahresbericht Übersicht", "Sales by region", "Chart", "Backup"]
    assert [(slide.title, slide.hidden) for slide in found.slides] == [(name, name == "Backup") for name in titles]
    assert found.slides[1].notes == "Say hello"
    chart = next(shape.chart for shape in found.slides[2].shapes if shape.chart)
    assert [(series.name, series.values) for series in chart.series] == [
        ("North", [1.0, 2.5, 4.0]),
        ("South", [3.0, 2.0, 1.0]),
    ]
    shown = [shape.text for shape in found.slides[2].shapes if shape.text]
    assert shown == ["Chart", "Grouped"]  # and no white text


def test_python_pptx_deck(tmp_path: Path) -> None:
    (slide,) = slides(deck(tmp_path)).slides
    assert [shape.role for shape in slide.shapes] == ["title", "chart", "picture"]
    assert slide.title == "Übersicht"


def test_a_deck_without_slides(tmp_path: Path) -> None:
    pptx.Presentation().save(str(tmp_path / "none.pptx"))
    assert slides(tmp_path / "none.pptx").slides == []


def test_a_slide_without_its_layout(tmp_path: Path) -> None:
    def cut(parts: dict[str, bytes]) -> None:
        for name in [name for name in parts if "slideLayouts/" in name]:
            del parts[name]

    assert slides(deck(tmp_path, cut)).slides[0].title == "Übersicht"


def test_sizes_that_are_none(tmp_path: Path) -> None:
    wild = replaced(SLIDE, b'cx="2540000"', b'cx="-9e999"')
    assert len(slides(deck(tmp_path, wild)).slides[0].shapes) == 3


def test_a_group_of_no_size(tmp_path: Path) -> None:
    group = b"""<p:grpSp><p:nvGrpSpPr><p:cNvPr id="9" name="g"/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x="0" y="0"/>
        <a:ext cx="0" cy="0"/><a:chOff x="0" y="0"/><a:chExt cx="0" cy="0"/></a:xfrm></p:grpSpPr>
        </p:grpSp></p:spTree>"""
    assert len(slides(deck(tmp_path, replaced(SLIDE, b"</p:spTree>", group))).slides[0].shapes) == 3


def test_a_chart_whose_part_is_missing(tmp_path: Path) -> None:
    def cut(parts: dict[str, bytes]) -> None:
        for name in [name for name in parts if name.startswith("ppt/charts/chart")]:
            del parts[name]

    chart = next(shape for shape in slides(deck(tmp_path, cut)).slides[0].shapes if shape.role == "chart")
    assert chart.chart is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda parts: parts.pop(SLIDE), "slide 1 is missing"),
        (lambda parts: parts.update({SLIDE: b"<p:sld"}), "no well-formed XML"),
        (replaced(SLIDE, b"p:sld>", b"p:other>"), "no well-formed XML|no slide"),
        (lambda parts: parts.pop("ppt/presentation.xml"), "the part ppt/presentation.xml is missing"),
        (
            replaced(SLIDE, b"</p:spTree>", b"<p:grpSp>" * 2000 + b"</p:grpSp>" * 2000 + b"</p:spTree>"),
            "nests elements deeper|no well-formed XML",
        ),
    ],
    ids=["no slide part", "cut XML", "another element", "no presentation part", "bottomless groups"],
)
def test_what_is_no_deck_is_refused_with_its_reason(
    tmp_path: Path, change: Callable[[dict[str, bytes]], object], reason: str
) -> None:
    found = read_file(str(deck(tmp_path, change)))
    assert isinstance(found, Refused)
    assert any(part in found.reason for part in reason.split("|")), found.reason


def test_libreoffice_text_as_pdf() -> None:
    (page,) = pages(CORPUS / "libreoffice_text.pdf").pages
    assert page.text.splitlines()[:3] == ["Draft 2024", "Größe und Maße", "Größe und Maße 1"]
    assert "Wide Total" in page.text
    assert "secret" not in page.text


def test_libreoffice_slides_as_pdf() -> None:
    found = pages(CORPUS / "libreoffice_slides.pdf").pages
    assert [page.text.splitlines()[0] for page in found] == ["Jahresbericht Übersicht", "Sales by region", "Chart"]
    assert found[1].text.splitlines()[1:] == ["• North grew", "• South fell"]
    assert [grid.rows for grid in found[2].tables] == [[["Region", "Sum"], ["North", "7.5"]]]


def drawn(folder: Path, size: tuple[float, float] = (595.3, 841.9)) -> Path:
    path = folder / "made.pdf"
    canvas = Canvas(str(path), pagesize=size, invariant=True)
    canvas.drawString(72, 700, "Grüße")
    canvas.save()
    return path


def rewritten(folder: Path, change: Callable[[pypdf.PdfWriter], object]) -> Path:
    writer = pypdf.PdfWriter(clone_from=drawn(folder))
    change(writer)
    writer.write(folder / "again.pdf")
    return folder / "again.pdf"


def test_a_pdf_that_anybody_may_open_though_encrypted(tmp_path: Path) -> None:
    found = pages(rewritten(tmp_path, lambda writer: writer.encrypt("", "owner", algorithm="RC4-128")))
    assert found.pages[0].text == "Grüße"


def test_a_page_as_large_as_a_house(tmp_path: Path) -> None:
    assert pages(drawn(tmp_path, (14_400, 14_400))).pages[0].text == "Grüße"


def test_a_crop_box_beyond_the_page(tmp_path: Path) -> None:
    def crop(writer: pypdf.PdfWriter) -> None:
        writer.pages[0].cropbox = RectangleObject((-500, -500, 5000, 5000))

    assert pages(rewritten(tmp_path, crop)).pages[0].text == "Grüße"


def test_form_fields_that_are_their_own_parents(tmp_path: Path) -> None:
    def tie(writer: pypdf.PdfWriter) -> None:
        widget = DictionaryObject({
            NameObject("/Subtype"): NameObject("/Widget"), NameObject("/FT"): NameObject("/Tx"),
            NameObject("/T"): TextStringObject("name"), NameObject("/V"): TextStringObject("Ann"),
            NameObject("/Rect"): RectangleObject((72, 700, 172, 720)),
        })  # fmt: skip
        reference = writer._add_object(widget)
        widget[NameObject("/Parent")] = reference
        writer.pages[0][NameObject("/Annots")] = ArrayObject([reference])
        writer.root_object[NameObject("/AcroForm")] = DictionaryObject({NameObject("/Fields"): ArrayObject()})

    (field,) = pages(rewritten(tmp_path, tie)).fields
    assert field.value == "Ann"


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_cut_pdf_is_refused_or_read_but_never_a_crash(tmp_path: Path, share: float) -> None:
    path = drawn(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    found = read_file(str(path))
    assert isinstance(found, Refused) or found.pages[0].text in ("", "Grüße")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"", "does not begin with %PDF-"), (b"%PDF-1.7\n" + b"\0" * 500, "no readable PDF"), (b"PK\3\4", "%PDF-")],
    ids=["empty", "only a head", "a zip"],
)
def test_what_is_no_pdf_is_refused_with_its_reason(tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / "x.pdf").write_bytes(data)
    found = read_file(str(tmp_path / "x.pdf"))
    assert isinstance(found, Refused)
    assert reason in found.reason
