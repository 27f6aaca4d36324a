"""Minutes from the notes of a meeting: headings, decisions, an action table, corrections, a house style."""

from __future__ import annotations

import random
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import typed
from envwheel_office.facts import rng
from envwheel_office.families.meeting import Meeting, draw_meeting
from envwheel_office.family import OfficeFamily, Recipe
from envwheel_office.kit.officekit.language import DocField, DocTable, DocText, Outline, PageSetup, TextLook
from envwheel_office.kit.officekit.language_base import Look
from envwheel_office.kit.officekit.language_pages import Heading
from envwheel_office.papers import memo
from envwheel_office.scripts import Fault, edited, python, swapped

ID = "minutes"
FILE = "minutes.docx"
ACTIONS = ["Action", "Owner", "Due"]

PLAIN = """
from docx import Document

doc = Document()
doc.add_heading("Minutes", 1)
for line in open("/app/notes.txt", encoding="utf-8"):
    if line.strip():
        doc.add_paragraph(line.strip())
doc.save("/app/minutes.docx")
"""
PLAIN_OTHER = """
from docx import Document

doc = Document()
doc.add_paragraph("Minutes", style="Heading 1")
for text in filter(None, open("/app/notes.txt", encoding="utf-8").read().split("\\n")):
    doc.add_paragraph(style="Body Text").add_run(text)
doc.save("/app/minutes.docx")
"""


def make_plain(draw: random.Random) -> Recipe:
    """Level 0: lines of text under a heading."""
    meeting = draw_meeting(draw, 0)
    lines = [text for item in meeting.items for text in item.decisions]
    return Recipe(
        instruction=f"""
Turn /app/notes.txt into a Word document /app/{FILE}: the heading Minutes (style Heading 1), then each line of the file
that is not blank as a paragraph of its own, in order.
""",
        artifacts=(FILE,),
        solve=python(PLAIN),
        checks=(
            Outline(id="heading", why="the heading Minutes", file=FILE, headings=[Heading(level=1, text="Minutes")]),
            DocText(id="lines", why="each line is a paragraph", file=FILE, under="Minutes", paragraphs=lines, weight=2),
        ),
        files={"notes.txt": "\n\n".join(lines) + "\n"},
        wrongs=(
            *swapped(
                PLAIN, python,
                ("bold", "bold text is no heading", ("heading",), 'doc.add_heading("Minutes", 1)',
                 'doc.add_paragraph().add_run("Minutes").bold = True'),
            ),
            *edited(
                FILE,
                ("last", "the last line is missing", ("lines",),
                 "last = doc.paragraphs[-1]._p\nlast.getparent().remove(last)"),
                ("level", "a heading of level 2", ("heading",), "doc.paragraphs[0].style = doc.styles['Heading 2']"),
            ),
        ),
        alternatives=(Alternative("styles", "by style names", python(PLAIN_OTHER)),),
    )  # fmt: skip


WRITE = """
import re
from docx import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor

title, items, here, away, actions = "", [], [], [], {}
for line in open("/app/notes.txt", encoding="utf-8"):
    line = line.strip()
    kind, _, rest = line.partition(": ")
    if kind == "MEETING":
        title = rest
    elif kind == "PRESENT":
        here = rest.split(", ")
    elif kind == "EXCUSED":
        away = rest.split(", ")
    elif kind == "ITEM":
        items.append((rest, []))
    elif kind == "DECIDED":
        items[-1][1].append(rest)
    elif kind == "WITHDRAWN":
        for _, decisions in items:
            if rest in decisions:
                decisions.remove(rest)
    elif kind == "ACTION":
        task, owner, due = rest.split(" | ")
        actions[task] = (owner, due)
doc = Document()
section = doc.sections[0]
if level > 2:
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.header.paragraphs[0].text = title
    footer = section.footer.paragraphs[0]
    footer.add_run("Page ")
    for kind, text in (("begin", None), (None, "PAGE"), ("end", None)):
        run = footer.add_run()
        if kind:
            part = OxmlElement("w:fldChar")
            part.set(qn("w:fldCharType"), kind)
        else:
            part = OxmlElement("w:instrText")
            part.text = text
        run._r.append(part)
if level > 3:
    section.left_margin = section.right_margin = Mm(25)
    doc.styles["Normal"].font.name = "Arial"
    doc.styles["Normal"].font.size = Pt(11)
    for name in ("Heading 1", "Heading 2"):
        doc.styles[name].font.color.rgb = RGBColor(0x1F, 0x3A, 0x5F)
doc.add_heading(title, 1)
if level > 2:
    doc.add_heading("Attendance", 2)
    doc.add_paragraph("Present: " + ", ".join(sorted(here)))
    doc.add_paragraph("Excused: " + ", ".join(sorted(away)))
for name, decisions in items:
    doc.add_heading(name, 2)
    for text in decisions or ["No decision."]:
        doc.add_paragraph(text, style="List Bullet")
if level > 1:
    doc.add_heading("Actions", 2)
    table = doc.add_table(1, 3)
    table.style = "Table Grid"
    for cell, text in zip(table.rows[0].cells, ("Action", "Owner", "Due")):
        cell.text = text
    for task, (owner, due) in sorted(actions.items(), key=lambda item: (item[1][1], item[0])):
        for cell, text in zip(table.add_row().cells, (task, owner, due)):
            cell.text = text
doc.save("/app/minutes.docx")
"""
OTHER = """
import collections
from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Cm, Pt, RGBColor

lines = [line.rstrip("\\n").split(": ", 1) for line in open("/app/notes.txt", encoding="utf-8")]
lines = [line for line in lines if len(line) == 2]
facts = dict(line for line in lines if line[0] in ("MEETING", "PRESENT", "EXCUSED"))
gone = {text for kind, text in lines if kind == "WITHDRAWN"}
items = collections.OrderedDict()
tasks = {}
for kind, text in lines:
    if kind == "ITEM":
        name = text
        items[name] = []
    elif kind == "DECIDED" and text not in gone:
        items[name].append(text)
    elif kind == "ACTION":
        task, *rest = text.split(" | ")
        tasks[task] = rest
doc = Document()
if level > 3:
    for style in ("Normal", "Heading 1", "Heading 2", "List Number"):
        doc.styles[style].font.name = "Arial"
        doc.styles[style].font.color.rgb = RGBColor.from_string("1F3A5F" if "Head" in style else "000000")
    doc.styles["Normal"].font.size = Pt(11)
doc.add_paragraph(facts["MEETING"], style="Heading 1")
if level > 2:
    doc.add_paragraph("Attendance", style="Heading 2")
    for label in ("Present", "Excused"):
        people = ", ".join(sorted(facts[label.upper()].split(", ")))
        doc.add_paragraph().add_run(f"{label}: {people}")
for name, decisions in items.items():
    doc.add_paragraph(name, style="Heading 2")
    for text in decisions:
        doc.add_paragraph(text, style="List Number")
    if not decisions:
        doc.add_paragraph("No decision.")
if level > 1:
    doc.add_paragraph("Actions", style="Heading 2")
    table = doc.add_table(rows=len(tasks) + 1, cols=3, style="Light Grid Accent 1")
    rows = [("Action", "Owner", "Due")]
    rows += [(task, *rest) for task, rest in sorted(tasks.items(), key=lambda item: (item[1][1], item[0]))]
    for y, row in enumerate(rows):
        for x, text in enumerate(row):
            table.cell(y, x).paragraphs[0].add_run(text)
if level > 2:
    for section in doc.sections:
        section.page_width, section.page_height = Cm(21), Cm(29.7)
        section.left_margin = section.right_margin = Cm(2.5)
        section.header.paragraphs[0].add_run(facts["MEETING"])
        field = '<w:fldSimple %s w:instr=" PAGE "><w:r><w:t>1</w:t></w:r></w:fldSimple>' % nsdecls("w")
        section.footer.paragraphs[0]._p.append(parse_xml(field))
doc.save("/app/minutes.docx")
"""
FORMAT = """
/app/notes.txt are the notes of a meeting, a line an entry. MEETING is its name, {people}ITEM begins an item of the
agenda, DECIDED is a decision on it{actions}. Everything else is talk.

Write the minutes as a Word document /app/{file}:

- The name of the meeting is the only heading of level 1 (style Heading 1).
"""
ATTENDANCE = """\
- A heading of level 2, Attendance, comes first. Below it stand two paragraphs, "Present: " and "Excused: ", each with
  the names in alphabetical order of their first names, separated by a comma and a blank.
"""
ITEMS = """\
- Each item is a heading of level 2, in order. Below it stands each decision on it as a paragraph of its own (a list
  item, if you like), word for word and in order, and nothing else; where nothing was decided, the paragraph
  "No decision."
"""
TABLE = """\
- A last heading of level 2, Actions, has a table with the headers Action, Owner and Due: a row for each action, the
  earliest Due first (written as in the notes), equal ones in alphabetical order of the action.
"""
PAGE = """\
- The paper is A4. The header shows the name of the meeting, the footer the number of the page as a real field.
"""
POLICY = (
    "- A decision that is withdrawn later in the meeting (WITHDRAWN, with its words) is left out.",
    "- Where an action is named again later, only the last entry counts, with its owner and its date.",
    "- The text is set in Arial, 11 points. Headings of both levels have the colour 1F3A5F (hexadecimal).",
    "- Left and right margins are 25 mm.",
)


def make_minutes(level: int, draw: random.Random) -> Recipe:
    """Levels 1 to 4."""
    meeting = draw_meeting(draw, level)
    told = FORMAT.format(
        people="PRESENT and EXCUSED name people, " if level > 2 else "",
        actions=" and ACTION says what has to be done, by whom and until when" if level > 1 else "",
        file=FILE,
    )
    told += ATTENDANCE if level > 2 else ""
    told += ITEMS + (TABLE if level > 1 else "") + (PAGE if level > 2 else "")
    if level == 4:
        told += "\nOur rules for minutes, on changes in the meeting, looks and colours, stand in /app/policy.docx.\n"
    files: dict[str, str | bytes] = {"notes.txt": meeting.notes(draw)}
    if level == 4:
        files["policy.docx"] = memo("Minutes of meetings", POLICY)
    return Recipe(
        instruction=told,
        artifacts=(FILE,),
        solve=python(WRITE, level=level),
        checks=tuple(checks(level, meeting)),
        files=files,
        skills=("documents", "policy") if level == 4 else (),
        wrongs=(
            *swapped(WRITE, lambda text: python(text, level=level), *swaps(level)),
            *edited(FILE, *faults(level)),
        ),
        alternatives=(Alternative("styles", "other styles, fields and order of work", python(OTHER, level=level)),),
    )


def checks(level: int, meeting: Meeting) -> list[Any]:
    """What is asked for at this level."""
    names = ["Attendance"] * (level > 2) + [item.name for item in meeting.items] + ["Actions"] * (level > 1)
    headings = [Heading(level=1, text=meeting.name), *(Heading(level=2, text=name) for name in names)]
    asked: list[Any] = [
        Outline(id="outline", why="the headings of the minutes", file=FILE, headings=headings, weight=2, floor=0.1),
        *(
            DocText(
                id=f"item_{number}", why=f"the decisions on {item.name}", file=FILE, under=item.name,
                paragraphs=item.standing or ["No decision."],
            )
            for number, item in enumerate(meeting.items, 1)
        ),
    ]  # fmt: skip
    if level > 1:
        asked.append(
            DocTable(
                id="actions", why="the actions, earliest first", file=FILE, under="Actions",
                columns=typed(ACTIONS, "ttt"), key=["Action"], rows=meeting.actions(), order="exact", weight=2,
            )
        )  # fmt: skip
    if level > 2:
        asked += [
            DocText(
                id="attendance", why="who was there", file=FILE, under="Attendance",
                paragraphs=[
                    f"Present: {', '.join(sorted(meeting.here))}",
                    f"Excused: {', '.join(sorted(meeting.away))}",
                ],
            ),
            PageSetup(id="page", why="A4 with the meeting's name above", file=FILE, paper="A4", header=meeting.name),
            DocField(id="number", why="the footer has a page number", file=FILE, code="PAGE", where="footer"),
        ]  # fmt: skip
    if level > 3:
        asked += [
            PageSetup(id="margins", why="margins of 25 mm", file=FILE, margins_mm={"left": 25, "right": 25}),
            TextLook(
                id="font", why="Arial of 11 points", file=FILE, text=meeting.items[0].standing[0],
                look=Look(font="Arial", size=11),
            ),
            TextLook(id="colour_1", why="coloured headings", file=FILE, level=1, look=Look(color="1f3a5f")),
            TextLook(id="colour_2", why="coloured headings", file=FILE, level=2, look=Look(color="1f3a5f")),
        ]  # fmt: skip
    return asked


def swaps(level: int) -> list[Any]:
    """Wrong turns of the program."""
    found: list[Any] = [
        ("flat", "items are headings of level 1", ("outline",), "doc.add_heading(name, 2)", "doc.add_heading(name, 1)"),
        ("silent", "says nothing where nothing was decided", ("item_2",), 'decisions or ["No decision."]', "decisions"),
    ]
    if level > 1:
        found.append(("by_name", "actions by name", ("actions",), "(item[1][1], item[0])", "item[0]"))
    if level > 2:
        found += [
            ("as_told", "people as they come", ("attendance",), "sorted(here)", "here"),
            ("typed", "a typed number", ("number",), 'footer.add_run("Page ")',
             'footer.add_run("Page 1")\n    footer = Document().add_paragraph()'),
            ("letter", "paper as it was", ("page",), "Mm(210), Mm(297)", "Mm(216), Mm(279)"),
        ]  # fmt: skip
    if level > 3:
        found += [
            ("withdrawn", "keeps what was withdrawn", ("item_1",), "if rest in decisions", "if False"),
            ("first", "the first word on an action", ("actions",), "actions[task] = (owner, due)",
             "actions.setdefault(task, (owner, due))"),
            ("margins", "others", ("margins",), "section.right_margin = Mm(25)", "section.right_margin = Mm(31)"),
            ("font", "another font", ("font",), '"Arial"', '"Courier New"'),
            ("blue", "another colour", ("colour_1", "colour_2"), "0x1F, 0x3A, 0x5F", "0x80, 0x3A, 0x5F"),
        ]  # fmt: skip
    return found


def faults(level: int) -> list[Fault]:
    """Wrong turns of the document."""
    number = 4
    gone = "[p._p.getparent().remove(p._p) for p in doc.paragraphs if p.style.name == 'List Bullet'{}]"
    found: list[Fault] = [
        ("no_bullets", "only the headings", tuple(f"item_{n}" for n in range(1, number + 1)), gone.format("")),
        ("bold", "bold text instead of headings", ("outline",),
         "for p in doc.paragraphs:\n    if p.style.name == 'Heading 2':\n        p.style = doc.styles['Normal']\n"
         "        p.runs[0].bold = True"),
    ]  # fmt: skip
    if level > 1:
        code = "table = doc.tables[0]._tbl\ntable.getparent().remove(table)"
        found.append(("no_table", "no table", ("actions",), code))
    return found


def make(level: int, seed: int) -> Recipe:
    """0: lines; 1: headings; 2: actions; 3: attendance, page; 4: corrections and a house style."""
    draw = rng(ID, level, seed)
    return make_plain(draw) if level == 0 else make_minutes(level, draw)


FAMILY = OfficeFamily.of(ID, "Minutes of meetings", ("documents",), make)
