"""Two ways in which scripts fill PDF forms, as program texts: by a library, and as a person does in a viewer.

Both define `fill(source, target, values)`: texts as texts, boxes as True and False, radio groups by their state's name.
"""

from __future__ import annotations

LIBRARY = r"""
from pypdf import PdfReader, PdfWriter

def fill(source, target, values):
    writer = PdfWriter(source)
    kinds = {name: field.get("/FT") for name, field in PdfReader(source).get_fields().items()}
    said = {}
    for name, value in values.items():
        if isinstance(value, bool):
            value = "/Yes" if value else "/Off"
        said[name] = "/" + value.lstrip("/") if kinds[name] == "/Btn" else value
    for page in writer.pages:
        writer.update_page_form_field_values(page, said, auto_regenerate=False)
    writer.write(target)
"""
VIEWER = r"""
import ctypes
import pypdfium2
import pypdfium2.raw as viewer

def said(call):
    size = call(None, 0)
    letters = (ctypes.c_ushort * (size // 2))()
    call(letters, size)
    return "".join(map(chr, letters[: size // 2 - 1]))

def choose(env, page, note, value):
    count = viewer.FPDFAnnot_GetOptionCount(env, note)
    labels = [said(lambda *to: viewer.FPDFAnnot_GetOptionLabel(env, note, at, *to)) for at in range(count)]
    viewer.FORM_SetIndexSelected(env, page, labels.index(value), True)

def click(env, page, note):
    box = viewer.FS_RECTF()
    viewer.FPDFAnnot_GetRect(note, box)
    at = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    viewer.FORM_OnLButtonDown(env, page, 0, *at)
    viewer.FORM_OnLButtonUp(env, page, 0, *at)
    viewer.FORM_ForceToKillFocus(env)

def fill(source, target, values):
    document = pypdfium2.PdfDocument(source)
    document.init_forms()
    env = document.formenv
    for page in document:
        for at in range(viewer.FPDFPage_GetAnnotCount(page)):
            note = viewer.FPDFPage_GetAnnot(page, at)
            name = said(lambda *to: viewer.FPDFAnnot_GetFormFieldName(env, note, *to))
            kind = viewer.FPDFAnnot_GetFormFieldType(env, note)
            if name not in values:
                continue
            value = values[name]
            if kind == viewer.FPDF_FORMFIELD_CHECKBOX:
                if bool(viewer.FPDFAnnot_IsChecked(env, note)) != value:
                    click(env, page, note)
            elif kind == viewer.FPDF_FORMFIELD_RADIOBUTTON:
                if said(lambda *to: viewer.FPDFAnnot_GetFormFieldExportValue(env, note, *to)) == value:
                    click(env, page, note)
            else:
                viewer.FORM_SetFocusedAnnot(env, note)
                if kind == viewer.FPDF_FORMFIELD_COMBOBOX:
                    choose(env, page, note, value)
                else:
                    viewer.FORM_SelectAllText(env, page)
                    viewer.FORM_ReplaceSelection(env, page, (ctypes.c_ushort * (len(value) + 1))(*map(ord, value), 0))
                viewer.FORM_ForceToKillFocus(env)
            viewer.FPDFPage_CloseAnnot(note)
    document.save(target)
"""
UNSEEN = r"""
from pypdf import PdfWriter

writer = PdfWriter(path)
for item in writer.pages[0]["/Annots"]:
    widget = item.get_object()
    if widget.get("/FT") == "/Tx" and widget.get("/T") in names:
        widget["/AP"]["/N"].get_object().set_data(b"")
writer.write(path)
"""
"""A wrong turn: values of the fields `names` without their drawing."""
FLAT = r"""
from pypdf import PdfWriter

writer = PdfWriter(path)
writer.remove_annotations(subtypes="/Widget")
del writer.root_object["/AcroForm"]
writer.write(path)
"""
"""A wrong turn: no form any more."""
OPENED = r"""
from pypdf import PdfWriter
from pypdf.generic import NameObject, NumberObject

writer = PdfWriter(path)
for item in writer.pages[0]["/Annots"]:
    widget = item.get_object()
    if widget.get("/T") == name:
        widget[NameObject("/Ff")] = NumberObject(0)
writer.write(path)
"""
"""A wrong turn: a read-only field that anybody may write into."""
SEEN = """\
Everything that you fill in has to be seen when the form is opened: with the value of a field its appearance is renewed,
too, and a box that is ticked is seen ticked. The form stays a form: every field stays a field, and read-only fields
stay read-only with what they hold.
"""
