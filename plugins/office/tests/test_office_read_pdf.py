"""The reader of PDF: what is seen and what is not, rotated and cropped pages, tables, forms."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pypdf
import pytest
from reportlab.lib import colors
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import SimpleDocTemplate, Table, TableStyle

from officekit.model import FormField, Page, Pdf
from officekit.read_pdf import read

A4 = (595.3, 841.9)
Draw = Callable[[Canvas], None]


def made(folder: Path, *draw: Draw, size: tuple[float, float] = A4) -> Pdf:
    """A PDF with a page for each drawing."""
    canvas = Canvas(str(folder / "made.pdf"), pagesize=size, invariant=True)
    for one in draw:
        canvas.setFont("Helvetica", 12)
        one(canvas)
        canvas.showPage()
    canvas.save()
    return read(folder / "made.pdf")


def first(folder: Path, draw: Draw) -> Page:
    return made(folder, draw).pages[0]


def test_words_have_places_sizes_and_colours_as_seen(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFillColor(colors.HexColor("#c00000"))
        canvas.drawString(72, 741.9, "Total due")

    page = first(tmp_path, draw)
    total, due = page.words
    assert (page.width, page.height, page.text) == (595.3, 841.9, "Total due")
    assert (total.text, total.left, total.size, total.color) == ("Total", 72.0, 12.0, "c00000")
    assert 85 < total.top < total.bottom < 105
    assert due.left > total.right


def test_lines_are_read_from_top_to_bottom_whatever_was_drawn_first(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(300, 700, "right")
        canvas.drawString(72, 650, "below")
        canvas.drawString(72, 701, "left")

    assert first(tmp_path, draw).text == "left right\nbelow"


def white(canvas: Canvas) -> None:
    canvas.setFillColor(colors.white)
    canvas.drawString(72, 650, "ghost")


def invisible(canvas: Canvas) -> None:
    text = canvas.beginText(72, 600)
    text.setTextRenderMode(3)
    text.textLine("ghost")
    canvas.drawText(text)


def tiny(canvas: Canvas) -> None:
    canvas.setFont("Helvetica", 1.5)
    canvas.drawString(72, 550, "ghost")


def off_the_page(canvas: Canvas) -> None:
    canvas.drawString(-200, 500, "ghost")


def covered(canvas: Canvas) -> None:
    canvas.drawString(72, 450, "ghost")
    canvas.setFillColor(colors.white)
    canvas.rect(60, 440, 200, 30, fill=1, stroke=0)


def transparent(canvas: Canvas) -> None:
    canvas.setFillAlpha(0.02)
    canvas.drawString(72, 400, "ghost")


def clipped(canvas: Canvas) -> None:
    path = canvas.beginPath()
    path.rect(300, 300, 10, 10)
    canvas.clipPath(path, stroke=0)
    canvas.drawString(72, 350, "ghost")


def white_in_a_form(canvas: Canvas) -> None:
    canvas.beginForm("part")
    canvas.setFillColor(colors.white)
    canvas.drawString(72, 330, "ghost")
    canvas.endForm()
    canvas.doForm("part")


def white_on_words(canvas: Canvas) -> None:
    canvas.setFillColor(colors.white)
    canvas.drawString(72, 300, "ghost")
    canvas.setFillColor(colors.black)
    canvas.drawString(72, 300, "other")


@pytest.mark.parametrize(
    "hide",
    [white, invisible, tiny, off_the_page, covered, transparent, clipped, white_in_a_form, white_on_words],
    ids=lambda hide: hide.__name__,
)
def test_what_nobody_sees_is_a_word_but_no_text(tmp_path: Path, hide: Draw) -> None:
    page = first(tmp_path, hide)
    assert [word.visible for word in page.words if word.text == "ghost"] == [False]
    assert "ghost" not in page.text


def test_white_words_on_a_dark_bar_and_words_in_a_form_are_seen(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.rect(60, 690, 300, 30, fill=1, stroke=0)
        canvas.setFillColor(colors.white)
        canvas.drawString(72, 700, "header")
        canvas.beginForm("part")
        canvas.setFillColor(colors.black)
        canvas.drawString(72, 600, "inside")
        canvas.endForm()
        canvas.doForm("part")

    assert first(tmp_path, draw).text == "header\ninside"


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_a_rotated_page_is_read_as_it_is_seen(tmp_path: Path, rotation: int) -> None:
    made(tmp_path, lambda canvas: canvas.drawString(72, 741.9, "Corner"))
    writer = pypdf.PdfWriter(clone_from=tmp_path / "made.pdf")
    writer.pages[0].rotate(rotation)
    writer.write(tmp_path / "turned.pdf")
    page = read(tmp_path / "turned.pdf").pages[0]
    assert page.rotation == rotation
    assert (page.width > page.height) == (rotation != 180)
    (word,) = page.words
    assert word.visible
    assert word.size == pytest.approx(12, abs=0.5)
    expected = {90: (741.9, 72.0), 180: (595.3 - 72, 741.9), 270: (100.0, 595.3 - 72)}[rotation]
    near = {90: (word.left, word.top), 180: (word.right, word.top), 270: (word.left, word.bottom)}[rotation]
    assert near == pytest.approx(expected, abs=12)


def test_a_cropped_page_has_the_crops_size_and_only_what_is_in_it(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(120, 700, "inside")
        canvas.drawString(72, 100, "outside")

    made(tmp_path, draw)
    writer = pypdf.PdfWriter(clone_from=tmp_path / "made.pdf")
    writer.pages[0].cropbox = pypdf.generic.RectangleObject((100, 600, 500, 800))
    writer.write(tmp_path / "cropped.pdf")
    page = read(tmp_path / "cropped.pdf").pages[0]
    assert (page.width, page.height, page.text) == (400.0, 200.0, "inside")
    assert page.words[0].left == pytest.approx(20.0)


def test_drawn_tables_are_read_without_hidden_words_and_merged_cells_repeat(tmp_path: Path) -> None:
    rows = [["Region", "Sales", ""], ["North", "1,200", "x"], ["South", "800", "ghost"]]
    looks = [("GRID", (0, 0), (-1, -1), 1, colors.black), ("SPAN", (1, 0), (2, 0))]
    looks.append(("TEXTCOLOR", (2, 2), (2, 2), colors.white))
    SimpleDocTemplate(str(tmp_path / "t.pdf")).build([Table(rows, style=TableStyle(looks))])
    (grid,) = read(tmp_path / "t.pdf").pages[0].tables
    assert grid.rows == [["Region", "Sales", "Sales"], ["North", "1,200", "x"], ["South", "800", ""]]


def test_form_fields_have_kind_value_choices_and_page(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        form = canvas.acroForm
        form.textfield(name="name", value="Ann Übel", x=72, y=700, width=200, height=20)
        form.checkbox(name="agree", checked=True, x=72, y=650)
        form.checkbox(name="spam", checked=False, x=72, y=620)
        form.choice(name="town", value="Bonn", options=["Bonn", "Köln"], x=72, y=580, width=100, height=20)
        form.textfield(name="fixed", value="1", fieldFlags="readOnly", x=72, y=540, width=100, height=20)

    fields = {item.name: item for item in made(tmp_path, lambda canvas: None, draw).fields}
    assert [(item.kind, item.value, item.page) for item in fields.values()] == [
        ("text", "Ann Übel", 2),
        ("checkbox", "Yes", 2),
        ("checkbox", "Off", 2),
        ("choice", "Bonn", 2),
        ("text", "1", 2),
    ]
    assert fields["town"].choices == ["Bonn", "Köln"]
    assert (fields["fixed"].read_only, fields["name"].read_only) == (True, False)


@pytest.mark.parametrize(
    "place", [{"x": 72, "width": 1}, {"x": 700, "width": 90}, {"x": 72, "width": 90, "annotationFlags": "hidden"}]
)
def test_a_field_that_nobody_sees_is_none(tmp_path: Path, place: dict[str, Any]) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.acroForm.textfield(name="town", value="Bonn", **{"y": 700, "height": 20, **place})
        canvas.acroForm.textfield(name="name", value="Ann", x=72, y=600, width=90, height=20)

    assert [item.name for item in made(tmp_path, draw).fields] == ["name"]


def test_a_field_on_a_layer_that_is_off_is_none(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.acroForm.textfield(name="town", value="Bonn", x=72, y=700, width=90, height=20)
        canvas.acroForm.textfield(name="name", value="Ann", x=72, y=600, width=90, height=20)

    made(tmp_path, draw)
    writer = pypdf.PdfWriter(tmp_path / "made.pdf")
    names = pypdf.generic.NameObject
    layer = writer._add_object(pypdf.generic.DictionaryObject({names("/Type"): names("/OCG")}))
    hidden = pypdf.generic.DictionaryObject({names("/OFF"): pypdf.generic.ArrayObject([layer])})
    writer.root_object[names("/OCProperties")] = pypdf.generic.DictionaryObject({names("/D"): hidden})
    writer.pages[0]["/Annots"][0].get_object()[names("/OC")] = layer  # type: ignore[index]
    writer.write(tmp_path / "layer.pdf")
    assert [item.name for item in read(tmp_path / "layer.pdf").fields] == ["name"]


def filled(folder: Path, values: dict[str, str], *, redrawn: bool, looks: bool) -> dict[str, FormField]:
    """A form whose values were set, with new appearances or without, and with NeedAppearances or without."""

    def draw(canvas: Canvas) -> None:
        canvas.acroForm.textfield(name="town", value="Bonn", x=72, y=700, width=200, height=20)
        canvas.acroForm.checkbox(name="agree", checked=False, x=72, y=650)

    made(folder, draw)
    writer = pypdf.PdfWriter(folder / "made.pdf")
    writer.set_need_appearances_writer(redrawn)
    if looks:
        writer.update_page_form_field_values(writer.pages[0], values, auto_regenerate=False)
    else:
        for item in writer.pages[0]["/Annots"]:  # type: ignore[union-attr]
            widget = item.get_object()
            widget[pypdf.generic.NameObject("/V")] = pypdf.generic.TextStringObject(values[str(widget["/T"])])
    writer.write(folder / "filled.pdf")
    return {item.name: item for item in read(folder / "filled.pdf").fields}


@pytest.mark.parametrize(
    ("redrawn", "looks", "seen"), [(False, True, True), (True, False, True), (False, False, False)]
)
def test_a_value_whose_drawing_was_left_as_it_was_is_not_seen(
    tmp_path: Path, redrawn: bool, looks: bool, seen: bool
) -> None:
    town = filled(tmp_path, {"town": "Bad (Ems) \\ Lahn", "agree": "/Off"}, redrawn=redrawn, looks=looks)["town"]
    assert (town.value, town.seen) == ("Bad (Ems) \\ Lahn", seen)


APPEARANCES = {
    "black": ("/Helv 12 Tf 0 g 2 6 Td (Bad Ems) Tj", True),
    "kerned": ("/Helv 12 Tf 0 g 2 6 Td [(Ba) 20 (d) -250 (Ems)] TJ", True),
    "hexadecimal": ("/Helv 12 Tf 0 g 2 6 Td <42616420456D73> Tj", True),
    "white": ("/Helv 12 Tf 1 g 2 6 Td (Bad Ems) Tj", False),
    "inkless": ("/Helv 12 Tf 3 Tr 2 6 Td (Bad Ems) Tj", False),
    "tiny": ("/Helv .01 Tf 0 g 2 6 Td (Bad Ems) Tj", False),
    "outside": ("/Helv 12 Tf 0 g 2 60 Td (Bad Ems) Tj", False),
    "covered": ("/Helv 12 Tf 0 g 2 6 Td (Bad Ems) Tj ET 1 g 0 0 200 20 re f BT", False),
    "stale": ("/Helv 12 Tf 0 g 2 6 Td (Bonn) Tj", False),
    "stale-codes": ("/Helv 12 Tf 0 g 2 6 Td <20> Tj", False),
    "in-a-comment": ("/Helv 12 Tf 0 g 2 6 Td (Bonn) Tj\n%(Bad Ems)\n", False),
}


@pytest.mark.parametrize("kind", APPEARANCES)
@pytest.mark.parametrize("rotation", [0, 90])
def test_a_value_is_seen_where_its_drawing_shows_it(tmp_path: Path, kind: str, rotation: int) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.acroForm.textfield(name="town", value="Bad Ems", x=72, y=700, width=200, height=20)

    drawing, seen = APPEARANCES[kind]
    made(tmp_path, draw)
    writer = pypdf.PdfWriter(tmp_path / "made.pdf")
    writer.set_need_appearances_writer(False)
    look = writer.pages[0]["/Annots"][0].get_object()["/AP"]["/N"].get_object()  # type: ignore[index]
    look.set_data(f"q BT {drawing} ET Q".encode())
    writer.pages[0].rotate(rotation)
    writer.pages[0].cropbox = pypdf.generic.RectangleObject((50, 600, 500, 800))
    writer.write(tmp_path / "looks.pdf")
    (town,) = read(tmp_path / "looks.pdf").fields
    assert (town.value, town.seen) == ("Bad Ems", seen)


def test_a_value_that_is_too_long_for_its_field_is_seen_by_its_beginning(tmp_path: Path) -> None:
    value = "A journey of many stops to all of the branches"

    def draw(canvas: Canvas) -> None:
        canvas.acroForm.textfield(name="why", value=value, x=72, y=700, width=140, height=20, maxlen=90)

    (why,) = made(tmp_path, draw).fields
    assert (why.value, why.seen) == (value, True)


def test_a_list_shows_what_stands_for_its_value(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        place = {"options": [("b", "Bonn"), ("k", "Kiel")], "width": 90, "height": 20}
        canvas.acroForm.choice(name="right", value="b", x=72, y=700, **place)
        canvas.acroForm.choice(name="stale", value="b", x=72, y=600, **place)
        canvas.acroForm.textfield(name="secret", value="x1", fieldFlags="password", x=72, y=500, width=90, height=20)

    made(tmp_path, draw)
    writer = pypdf.PdfWriter(tmp_path / "made.pdf")
    writer.set_need_appearances_writer(False)
    for item in writer.pages[0]["/Annots"]:  # type: ignore[union-attr]
        widget = item.get_object()
        value = {"right": "b", "stale": "k", "secret": "x1"}[str(widget["/T"])]  # "Bonn" is drawn in both lists
        widget[pypdf.generic.NameObject("/V")] = pypdf.generic.TextStringObject(value)
    writer.write(tmp_path / "lists.pdf")
    found = {item.name: (item.value, item.seen) for item in read(tmp_path / "lists.pdf").fields}
    assert found == {"right": ("b", True), "stale": ("k", False), "secret": ("x1", True)}


@pytest.mark.parametrize(("looks", "value"), [(True, "Yes"), (False, "Off")])
def test_a_box_is_ticked_when_it_is_seen_ticked(tmp_path: Path, looks: bool, value: str) -> None:
    assert filled(tmp_path, {"town": "Ems", "agree": "/Yes"}, redrawn=True, looks=looks)["agree"].value == value


def without(looks: Any) -> None:
    del looks["/Yes"]


def emptied(looks: Any) -> None:
    looks["/Yes"].set_data(b"")


def as_off(looks: Any) -> None:
    looks["/Yes"].set_data(looks["/Off"].get_data())


@pytest.mark.parametrize("change", [without, emptied, as_off], ids=lambda change: change.__name__)
def test_a_box_whose_state_draws_no_mark_is_not_ticked(tmp_path: Path, change: Callable[[Any], None]) -> None:
    made(tmp_path, lambda canvas: canvas.acroForm.checkbox(name="agree", checked=True, x=72, y=650))
    writer = pypdf.PdfWriter(tmp_path / "made.pdf")
    writer.set_need_appearances_writer(False)
    change(writer.pages[0]["/Annots"][0].get_object()["/AP"]["/N"])  # type: ignore[index]
    writer.write(tmp_path / "box.pdf")
    assert [item.value for item in read(tmp_path / "box.pdf").fields] == ["Off"]


def test_a_name_with_two_values_is_not_seen(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.acroForm.textfield(name="town", value="Bonn", x=72, y=700, width=90, height=20)
        canvas.acroForm.textfield(name="other", value="Kiel", x=72, y=600, width=90, height=20)

    made(tmp_path, draw)
    writer = pypdf.PdfWriter(tmp_path / "made.pdf")
    other = writer.pages[0]["/Annots"][1].get_object()  # type: ignore[index]
    other[pypdf.generic.NameObject("/T")] = pypdf.generic.TextStringObject("town")
    writer.write(tmp_path / "twins.pdf")
    assert [(item.name, item.seen) for item in read(tmp_path / "twins.pdf").fields] == [("town", False)]


def test_properties_are_read(tmp_path: Path) -> None:
    found = made(tmp_path, lambda canvas: (canvas.setTitle("Bericht Ä"), canvas.setAuthor("Ann"))[0])
    assert (found.properties["title"], found.properties["author"]) == ("Bericht Ä", "Ann")


def encrypted(folder: Path) -> Path:
    made(folder, lambda canvas: canvas.drawString(72, 700, "x"))
    writer = pypdf.PdfWriter(clone_from=folder / "made.pdf")
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(folder / "locked.pdf")
    return folder / "locked.pdf"


def cut(folder: Path) -> Path:
    made(folder, lambda canvas: canvas.drawString(72, 700, "x"))
    path = folder / "cut.pdf"
    path.write_bytes((folder / "made.pdf").read_bytes()[:300])
    return path


def other(folder: Path) -> Path:
    path = folder / "other.pdf"
    path.write_text("Dear Sir or Madam")
    return path


@pytest.mark.parametrize(
    ("broken", "reason"),
    [(encrypted, "a password is needed"), (cut, "no readable PDF"), (other, "does not begin with %PDF-")],
    ids=["encrypted", "cut", "text"],
)
def test_what_is_no_readable_pdf_is_an_error_with_its_reason(
    tmp_path: Path, broken: Callable[[Path], Path], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        read(broken(tmp_path))
