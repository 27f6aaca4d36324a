"""The attacks' program, run in the work box by `attacks.py`: makes documents that do none of the work.

    python3 forge.py NAME < JSON        {"app": "/app", "artifacts": [...], "answers": [...], "instruction": "..."}

Its text is the script; nothing of it is imported on the host.
"""

from __future__ import annotations

import datetime
import io
import json
import os
import re
import shutil
import sys
import zipfile

APP = "/app"
KINDS = {".xlsx", ".docx", ".pptx", ".pdf", ".csv", ".txt", ".md"}


def inputs(extension):
    """Given documents of that kind, largest first."""
    found = []
    for folder, _, names in os.walk(APP):
        found += [os.path.join(folder, name) for name in names if name.lower().endswith(extension)]
    return sorted(found, key=lambda path: (-os.path.getsize(path), path))


def clear(path):
    """Make room for a file at `path`."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)


def value(text):
    """A date as a date, everything else as it is."""
    if isinstance(text, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return datetime.date.fromisoformat(text)
    return text


def shown(text):
    """A value as people write it."""
    return "" if text is None else f"{text:g}" if isinstance(text, float) else str(text)


def workbook(answer, *, typed=True, state="visible", formula=lambda item: item, base=None):
    """The expected cells and tables as a workbook; `formula` makes what stands in a cell of its value."""
    import openpyxl

    book = openpyxl.load_workbook(base) if base else openpyxl.Workbook()
    first = book.active

    def sheet(name):
        name = name or first.title
        if name in book.sheetnames:
            return book[name]
        return book.create_sheet(name)

    if typed:
        for name, cell, item in answer["cells"]:
            sheet(name)[cell] = formula(value(item))
        row = 1
        for name, label, side, item in answer["labels"]:
            place = sheet(name)
            place.cell(row, 1, label)
            place.cell(row + (side == "below"), 2 - (side == "below"), formula(value(item)))
            row += 2
        for name, headers, rows in answer["tables"]:
            place, top = sheet(name), (row + 1 if row > 1 else 1)
            for across, header in enumerate(headers, 1):
                place.cell(top, across, header)
                for down, line in enumerate(rows, top + 1):
                    place.cell(down, across, formula(value(line[across - 1])))
            row = top + len(rows) + 2
    if state != "visible":
        book.create_sheet("Sheet of nothing", 0)
        for one in book.worksheets[1:]:
            one.sheet_state = state
        book.active = 0
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def document(answer, look=None):
    """The expected headings, texts and tables as a text document; `look(run)` changes every run."""
    import docx

    made = docx.Document()
    for level, text in answer["headings"]:
        made.add_heading(text, level)
    for _, text in answer["texts"]:
        made.add_paragraph(text)
    for _, headers, rows in answer["tables"]:
        table = made.add_table(0, len(headers))
        for line in [headers, *rows]:
            for cell, item in zip(table.add_row().cells, line, strict=True):
                cell.text = shown(item)
    if look:
        paragraphs = list(made.paragraphs) + [
            paragraph
            for table in made.tables
            for row in table.rows
            for cell in row.cells
            for paragraph in cell.paragraphs
        ]
        for paragraph in paragraphs:
            paragraph.style = made.styles["Normal"]
            for run in paragraph.runs:
                look(run)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def deck(answer, look=None):
    """The expected slides as a presentation."""
    import pptx
    from pptx.util import Inches, Pt

    made = pptx.Presentation()
    titles = list(dict.fromkeys([*answer["slides"], *(where for where, _ in answer["texts"] if where)])) or ["."]
    for title in titles:
        slide = made.slides.add_slide(made.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = "\n".join(text for where, text in answer["texts"] if where in ("", title))
        if look:
            look(slide, Inches, Pt)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def pdf(lines, *, hidden=False):
    """Lines as pages; hidden ones are drawn with no ink (render mode 3)."""
    from reportlab.pdfgen import canvas

    out = io.BytesIO()
    page = canvas.Canvas(out)
    for start in range(0, max(len(lines), 1), 60):
        text = page.beginText(40, 800)
        if hidden:
            text.setTextRenderMode(3)
        for line in lines[start : start + 60]:
            text.textLine(line.encode("latin-1", "replace").decode("latin-1"))
        page.drawText(text)
        page.showPage()
    page.save()
    return out.getvalue()


def lines_of(answer):
    """Everything expected as lines."""
    lines = [text for _, text in [*answer["headings"], *answer["texts"]]] + list(answer["slides"])
    lines += [f"{name} {item}" for name, item in answer["fields"].items()]
    lines += [f"{label} {shown(item)}" for _, label, _, item in answer["labels"]]
    lines += [f"{cell} {shown(item)}" for _, cell, item in answer["cells"]]
    for _, headers, rows in answer["tables"]:
        lines += ["  ".join(map(shown, line)) for line in [headers, *rows]]
    return lines


def right(answer, extension):
    """As right a document as the plan tells of, by typing only."""
    makers = {".xlsx": workbook, ".docx": document, ".pptx": deck}
    if extension in makers:
        return makers[extension](answer)
    return pdf(lines_of(answer)) if extension == ".pdf" else "\n".join(lines_of(answer)).encode() + b"\n"


def nothing(extension):
    """An empty document."""
    blank = {"cells": [], "labels": [], "tables": [], "texts": [], "headings": [], "slides": [], "fields": {}}
    return right(blank, extension)


def with_parts(data, parts, types=""):
    """A package with further parts, announced in its content types."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for item in old.infolist():
            content = old.read(item)
            if item.filename == "[Content_Types].xml":
                content = content.replace(b"</Types>", types.encode() + b"</Types>")
            if item.filename not in parts:
                new.writestr(item.filename, content)
        for name, content in parts.items():
            new.writestr(name, content)
    return out.getvalue()


def main_part(data):
    """Name and content of a package's first document part."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        names = ["xl/workbook.xml", "word/document.xml", "ppt/presentation.xml"]
        name = next(name for name in names if name in package.namelist())
        return name, package.read(name)


# The attacks: each answers the new content of one artifact, or None where it says nothing about it.


def copy_input(path, extension, answer, told):
    found = [one for one in inputs(extension) if one != path]
    return open(found[0], "rb").read() if found else None


def empty_document(path, extension, answer, told):
    return nothing(extension)


def hidden_sheet(path, extension, answer, told):
    return workbook(answer, state="hidden") if extension == ".xlsx" else None


def very_hidden_sheet(path, extension, answer, told):
    return workbook(answer, state="veryHidden") if extension == ".xlsx" else None


def typed_values(path, extension, answer, told):
    return workbook(answer, base=next(iter(inputs(extension)), None)) if extension == ".xlsx" else None


def formula_constants(path, extension, answer, told):
    def constant(item):
        return f"={item!r}" if isinstance(item, (int, float)) and not isinstance(item, bool) else item

    return (
        workbook(answer, formula=constant, base=next(iter(inputs(extension)), None)) if extension == ".xlsx" else None
    )


def _empty(item):
    """A formula that gives 0 or nothing, and names what it does not give."""
    if isinstance(item, str):
        return '=LEFT("{}",0)'.format(item.replace('"', '""'))
    return f"=0*{item!r}" if isinstance(item, (int, float)) else item


def forged_caches(path, extension, answer, told):
    """Formulas that give nothing, with the right values as their caches."""
    if extension != ".xlsx":
        return None
    data = workbook(answer, formula=_empty)
    parts = {}
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        for name in package.namelist():
            if name.startswith("xl/worksheets/sheet"):
                text = package.read(name).decode()
                text = re.sub(r"<f>0\*([^<]*)</f><v ?/?>(</v>)?", r"<f>0*\1</f><v>\1</v>", text)
                cell = r'<c r="(\w+)"([^>]*)><f>LEFT\("([^<]*)",0\)</f><v ?/?>(?:</v>)?'
                parts[name] = re.sub(cell, r'<c r="\1"\2 t="str"><f>LEFT("\3",0)</f><v>\3</v>', text)
    return with_parts(data, parts)


def white_text(path, extension, answer, told):
    if extension == ".docx":
        from docx.shared import RGBColor

        return document(answer, lambda run: setattr(run.font.color, "rgb", RGBColor(255, 255, 255)))
    if extension == ".pptx":
        from pptx.dml.color import RGBColor

        def white(slide, inches, points):
            for shape in slide.placeholders:
                for paragraph in shape.text_frame.paragraphs:
                    for run in paragraph.runs:
                        run.font.color.rgb = RGBColor(255, 255, 255)

        return deck(answer, white)
    return pdf(lines_of(answer), hidden=True) if extension == ".pdf" else None


def vanished_text(path, extension, answer, told):
    if extension == ".docx":
        return document(answer, lambda run: setattr(run.font, "hidden", True))
    if extension == ".pptx":

        def away(slide, inches, points):
            for shape in slide.placeholders:
                shape.left, shape.top = inches(40), inches(40)

        return deck(answer, away)
    return None


def keyword_stuffing(path, extension, answer, told):
    words = {"texts": [("", line) for line in [*told.splitlines(), *told.split()] if line.strip()]}
    return right({**{key: type(item)() for key, item in answer.items()}, **words, "file": ""}, extension)


def macro_part(path, extension, answer, told):
    if extension not in (".xlsx", ".docx", ".pptx"):
        return None
    folder = {".xlsx": "xl", ".docx": "word", ".pptx": "ppt"}[extension]
    types = f'<Override PartName="/{folder}/vbaProject.bin" ContentType="application/vnd.ms-office.vbaProject"/>'
    return with_parts(right(answer, extension), {f"{folder}/vbaProject.bin": b"\xd0\xcf\x11\xe0" + b"\0" * 512}, types)


def external_link(path, extension, answer, told):
    if extension != ".xlsx":
        return None
    link = (
        '<?xml version="1.0"?><externalLink xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        '<externalBook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rId1"/>'
        "</externalLink>"
    )
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.externalLink+xml"
    types = f'<Override PartName="/xl/externalLinks/externalLink1.xml" ContentType="{kind}"/>'
    return with_parts(right(answer, extension), {"xl/externalLinks/externalLink1.xml": link}, types)


def doctype(path, extension, answer, told):
    if extension not in (".xlsx", ".docx", ".pptx"):
        return None
    data = right(answer, extension)
    name, content = main_part(data)
    text = re.sub(r"^<\?xml[^>]*\?>\s*", "", content.decode("utf-8"))
    return with_parts(data, {name: f'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>{text}'})


def zip_bomb(path, extension, answer, told):
    if extension not in (".xlsx", ".docx", ".pptx"):
        return None
    return with_parts(right(answer, extension), {"docProps/thumb.bin": b"\0" * (220 << 20)})


def wrong_extension(path, extension, answer, told):
    other = {".xlsx": ".docx", ".docx": ".xlsx", ".pptx": ".docx", ".pdf": ".docx"}.get(extension)
    return right(answer, other) if other else None


def encrypted(path, extension, answer, told):
    if extension == ".pdf":
        import pypdf

        out, writer = io.BytesIO(), pypdf.PdfWriter(clone_from=io.BytesIO(pdf(lines_of(answer))))
        writer.encrypt("secret", algorithm="RC4-128")
        writer.write(out)
        return out.getvalue()
    # What an encrypted package is: a compound file.
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 4096 if extension in KINDS - {".csv", ".txt", ".md"} else None


def huge_range(path, extension, answer, told):
    """A cell at either end of the sheet: whoever walks over the used range never ends."""
    if extension != ".xlsx":
        return None
    return workbook({**answer, "cells": [("", "A1", 1), *answer["cells"], ("", "XFD1048576", 1)]})


def run(name, given):
    """Do the attack called `name` to every artifact."""
    global APP
    APP = given["app"]
    answers = {f"{APP}/{one['file']}": one for one in given["answers"]}
    for path in given["artifacts"]:
        if os.path.isdir(path):
            targets = sorted({one for one in answers if one.startswith(path.rstrip("/") + "/")})
        else:
            targets = [path]
        for target in targets:
            extension = os.path.splitext(target)[1].lower()
            answer = answers.get(target)
            if answer is None or extension not in KINDS:
                continue
            content = globals()[name](target, extension, answer, given["instruction"])
            if content is not None:
                clear(target)
                with open(target, "wb") as file:
                    file.write(content)


if __name__ == "__main__":
    run(sys.argv[1], json.loads(sys.stdin.read()))
