"""A report from Markdown: headings, tables, contents, captions, page numbers, figures of a workbook, a house style."""

from __future__ import annotations

from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import typed
from envwheel_office.books import book
from envwheel_office.facts import rng
from envwheel_office.families.markdown import Paper, draw_paper
from envwheel_office.family import OfficeFamily, Recipe
from envwheel_office.kit.officekit.language import DocField, DocTable, DocText, Outline, PageSetup, TextLook
from envwheel_office.kit.officekit.language_base import Look
from envwheel_office.kit.officekit.language_pages import Heading
from envwheel_office.papers import memo
from envwheel_office.scripts import Fault, edited, python, swapped

ID = "report_toc"
FILE = "report.docx"

WRITE = r"""
import re
from docx import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt

def field(paragraph, code, shown=""):
    for kind, text in (("begin", None), (None, code), ("separate", None), ("shown", shown), ("end", None)):
        run = paragraph.add_run()
        if kind == "shown":
            run.text = text
        elif kind:
            part = OxmlElement("w:fldChar")
            part.set(qn("w:fldCharType"), kind)
            run._r.append(part)
        else:
            part = OxmlElement("w:instrText")
            part.set(qn("xml:space"), "preserve")
            part.text = text
            run._r.append(part)

text = open("/app/report.md", encoding="utf-8").read()
if level > 3:
    from openpyxl import load_workbook
    sums = {}
    for region, quarter, amount in load_workbook("/app/sales.xlsx")["Sales"].iter_rows(min_row=2, values_only=True):
        for key in (region, quarter, "all"):
            sums[key] = sums.get(key, 0) + amount
    text = re.sub(r"\{\{(.+?)\}\}", lambda hit: f"{sums[hit[1]]:,.0f} EUR", text)
doc = Document()
if level > 2:
    section = doc.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
if level > 3:
    doc.styles["Normal"].font.name = "Georgia"
    doc.styles["Normal"].font.size = Pt(10.5)
    section.top_margin = section.bottom_margin = Mm(30)
tables, caption = 0, None
blocks = [block.strip() for block in text.split("\n\n") if block.strip()]
for block in blocks:
    if block.startswith("# "):
        title = block[2:]
        doc.add_paragraph(title, style="Title")
        if level > 1:
            field(doc.add_paragraph(), 'TOC \\o "1-2" \\h', "Update this field")
    elif block.startswith("## "):
        doc.add_heading(block[3:], 1)
    elif block.startswith("### "):
        doc.add_heading(block[4:], 2)
    elif block.startswith("|"):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
        rows = [rows[0], *rows[2:]]
        if level > 3:
            rows[1:] = sorted(rows[1:], key=lambda row: -int(row[1].split()[0].replace(",", "")))
        table = doc.add_table(0, len(rows[0]), style="Table Grid")
        for row in rows:
            for cell, text in zip(table.add_row().cells, row):
                cell.text = text
    elif block.startswith("Table: "):
        if level > 2:
            tables += 1
            paragraph = doc.add_paragraph("Table ", style="Caption")
            field(paragraph, "SEQ Table \\* ARABIC", str(tables))
            paragraph.add_run(": " + block[7:])
        else:
            doc.add_paragraph(block[7:])
    else:
        doc.add_paragraph(" ".join(block.split()))
if level > 1:
    footer = doc.sections[0].footer.paragraphs[0]
    footer.add_run("Page ")
    field(footer, "PAGE", "1")
    footer.add_run(" of ")
    field(footer, "NUMPAGES", "1")
if level > 2:
    doc.sections[0].header.paragraphs[0].text = title
doc.save("/app/report.docx")
"""
OTHER = r"""
import re
from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Cm, Pt

def simple(paragraph, code, shown="1"):
    code = code.replace('"', "&quot;")
    paragraph._p.append(parse_xml(
        f'<w:fldSimple {nsdecls("w")} w:instr="{code}"><w:r><w:t>{shown}</w:t></w:r></w:fldSimple>'))

sums = {}
if level > 3:
    from openpyxl import load_workbook
    for row in list(load_workbook("/app/sales.xlsx").active.values)[1:]:
        for key in (*row[:2], "all"):
            sums[key] = sums.get(key, 0) + row[2]
doc = Document()
page, normal, number, rows = doc.sections[0], doc.styles["Normal"], 0, []

def flush():
    global rows
    if rows:
        body = rows[2:]
        if level > 3:
            body.sort(key=lambda row: int(re.sub(r"\D", "", row[1])), reverse=True)
        table = doc.add_table(rows=len(body) + 1, cols=len(rows[0]), style="Light List")
        for y, row in enumerate([rows[0], *body]):
            for x, item in enumerate(row):
                table.cell(y, x).paragraphs[0].add_run(item)
        rows = []

for line in open("/app/report.md", encoding="utf-8"):
    line = re.sub(r"\{\{(.+?)\}\}", lambda hit: format(sums[hit[1]], ",.0f") + " EUR", line.strip())
    if not line.startswith("|"):
        flush()
    marks, _, rest = line.partition(" ")
    if line.startswith("|"):
        rows.append([item.strip() for item in line.split("|")[1:-1]])
    elif marks == "#":
        name = rest
        doc.add_heading(name, 0)
        if level > 1:
            simple(doc.add_paragraph(), 'TOC \\o "1-2" \\z \\u', "Contents")
    elif marks in ("##", "###"):
        doc.add_heading(rest, len(marks) - 1)
    elif marks == "Table:" and level > 2:
        number += 1
        below = doc.add_paragraph(style="Caption")
        below.add_run("Table ")
        simple(below, "SEQ Table", number)
        below.add_run(": " + rest)
    elif line:
        doc.add_paragraph(rest if marks == "Table:" else line)
flush()
if level > 1:
    for text, code in (("Page ", "PAGE"), (" of ", "NUMPAGES")):
        page.footer.paragraphs[0].add_run(text)
        simple(page.footer.paragraphs[0], code)
if level > 2:
    page.page_height, page.page_width = Cm(29.7), Cm(21)
    page.header.paragraphs[0].add_run(name)
if level > 3:
    normal.font.name, normal.font.size = "Georgia", Pt(10.5)
    page.top_margin = page.bottom_margin = Cm(3)
doc.save("/app/report.docx")
"""
INTRO = """
/app/report.md is a report in Markdown. Make a Word document /app/{file} of it:

- The line with one # is the title, in the style Title. Lines with ## become headings of level 1 (style Heading 1),
  those with ### headings of level 2 (style Heading 2).
- Every other paragraph stays a paragraph, word for word.
"""
TABLES = """\
- Tables become native tables with the same cells, the first row as in the file.
"""
CAPTION_PLAIN = """\
- A line that begins with "Table: " becomes a paragraph with the rest of the line.
"""
TOC = """\
- Between the title and the first heading stands a table of contents, as a real TOC field for the headings of levels 1
  to 2 (\\o "1-2"). It need not be filled.
- The footer reads "Page 1 of 9", both numbers as real fields (PAGE and NUMPAGES).
"""
CAPTIONS = """\
- A line that begins with "Table: " is the caption of the table above it: a paragraph in the style Caption that reads
  "Table 1: " and then the rest of the line. The number is a real field (SEQ Table).
- The paper is A4, the header shows the report's title.
"""
FIGURES = """\
- {{North}}, {{Q2}}, {{all}} and the like stand for the sums of the column Amount of the sheet Sales in /app/sales.xlsx:
  of a region, of a quarter, or of everything. How they are written, and what else holds for our reports, stands in the
  memo /app/policy.docx.
"""
POLICY = (
    "- Amounts are written in whole euros with thousands separators and the currency behind: 1,234,567 EUR.",
    "- The rows of a table, below its first, are sorted by the amount in the second column, the largest first.",
    "- The text is set in Georgia, 10.5 points. Top and bottom margins are 30 mm.",
)


def make(level: int, seed: int) -> Recipe:
    """0: headings; 1: tables; 2: contents, page numbers; 3: captions, header; 4: figures from a workbook, a memo."""
    draw = rng(ID, level, seed)
    paper = draw_paper(draw, level)
    told = INTRO.format(file=FILE) + (TABLES if level > 0 else "")
    told += CAPTION_PLAIN if level in (1, 2) else ""
    told += (TOC if level > 1 else "") + (CAPTIONS if level > 2 else "") + (FIGURES if level > 3 else "")
    files: dict[str, str | bytes] = {"report.md": paper.markdown(filled=False)}
    if level == 4:
        files["sales.xlsx"] = book({"Sales": [["Region", "Quarter", "Amount"], *paper.sales]})
        files["policy.docx"] = memo("How our reports look", POLICY)
    return Recipe(
        instruction=told,
        artifacts=(FILE,),
        solve=python(WRITE, level=level),
        checks=tuple(checks(level, paper)),
        files=files,
        skills=("documents", "analysis", "policy") if level == 4 else (),
        wrongs=(
            *swapped(WRITE, lambda text: python(text, level=level), *swaps(level)),
            *edited(FILE, *faults(level, paper)),
        ),
        alternatives=(Alternative("simple", "simple fields, line by line", python(OTHER, level=level)),),
    )


def checks(level: int, paper: Paper) -> list[Any]:
    """What is asked for at this level."""
    asked: list[Any] = [
        Outline(
            id="outline", why="the headings of the report", file=FILE, weight=2, floor=0.1,
            headings=[Heading(level=depth, text=text) for depth, text in paper.headings],
        ),
        TextLook(id="title", why="the title has its style", file=FILE, text=paper.title, style="Title", look=Look()),
        *(
            DocText(id=f"part_{number}", why=f"the text of {name}", file=FILE, under=name, contains=texts)
            for number, (name, texts) in enumerate(paper.texts(), 1)
        ),
    ]  # fmt: skip
    for number, (caption, rows) in enumerate(paper.tables(level), 1):
        if level:
            asked.append(
                DocTable(
                    id=f"table_{number}", why=f"the table of {caption}", file=FILE, under=paper.place(number),
                    columns=typed(rows[0], "t" * len(rows[0])), key=[rows[0][0]], rows=rows[1:], order="exact",
                )
            )  # fmt: skip
    if level > 1:
        asked += [
            DocField(
                id="contents",
                why="a table of contents before the first heading",
                file=FILE,
                code="TOC",
                where="body",
                switches=["\\o 1-2"],
                under="",
            ),
            DocField(id="page", why="the page's number", file=FILE, code="PAGE", where="footer"),
            DocField(id="pages", why="the number of pages", file=FILE, code="NUMPAGES", where="footer"),
        ]
    if level > 2:
        asked += [
            DocField(id="numbers", why="numbered captions", file=FILE, code="SEQ", where="body", count=2),
            *(
                TextLook(
                    id=f"caption_{number}", why="captions have their style", file=FILE, style="Caption", look=Look(),
                    text=f"Table {number}: {caption}",
                )
                for number, (caption, _) in enumerate(paper.tables(level), 1)
            ),
            PageSetup(id="paper", why="A4 with the title above", file=FILE, paper="A4", header=paper.title),
        ]  # fmt: skip
    if level > 3:
        asked += [
            PageSetup(id="margins", why="margins of 30 mm", file=FILE, margins_mm={"top": 30, "bottom": 30}),
            TextLook(
                id="font", why="Georgia of 10.5 points", file=FILE, text=paper.texts()[0][1][0],
                look=Look(font="Georgia", size=10.5),
            ),
        ]  # fmt: skip
    return asked


def swaps(level: int) -> list[Any]:
    """Wrong turns of the program."""
    found: list[Any] = [
        ("levels", "all of level 1", ("outline",), "doc.add_heading(block[4:], 2)", "doc.add_heading(block[4:], 1)"),
        ("plain", "a title in bold", ("title",), 'doc.add_paragraph(title, style="Title")',
         "doc.add_paragraph().add_run(title).bold = True"),
    ]  # fmt: skip
    if level > 1:
        found += [
            ("typed_toc", "typed contents", ("contents",), "field(doc.add_paragraph(), 'TOC \\\\o \"1-2\" \\\\h', ",
             'doc.add_paragraph("Contents" + '),
            ("deep", "all levels in the contents", ("contents",), '"1-2"', '"1-3"'),
            ("typed_page", "typed numbers", ("page",), 'field(footer, "PAGE", "1")', 'footer.add_run("1")'),
            ("typed_pages", "typed numbers", ("pages",), 'field(footer, "NUMPAGES", "1")', 'footer.add_run("9")'),
        ]  # fmt: skip
    if level > 2:
        found += [
            ("typed_seq", "typed captions", ("numbers",), 'field(paragraph, "SEQ Table \\\\* ARABIC", str(tables))',
             "paragraph.add_run(str(tables))"),
            ("caption", "captions in another style", ("caption_1", "caption_2"), 'style="Caption"', 'style="Normal"'),
            ("letter", "paper as it was", ("paper",), "Mm(210), Mm(297)", "Mm(216), Mm(279)"),
        ]  # fmt: skip
    if level > 3:
        found += [
            (
                "unsorted",
                "rows as they come",
                ("table_1",),
                "sorted(rows[1:], key",
                "(lambda rows, key: rows)(rows[1:], key",
            ),
            ("bare", "amounts without separators", ("part_1",), ":,.0f} EUR", ":.0f} EUR"),
            ("font", "another font", ("font",), '"Georgia"', '"Verdana"'),
            ("margins", "other margins", ("margins",), "Mm(30)", "Mm(20)"),
        ]
    return found


def faults(level: int, paper: Paper) -> list[Fault]:
    """Wrong turns of the document."""
    found: list[Fault] = [
        ("bold", "bold text instead of headings", ("outline",),
         "for p in doc.paragraphs:\n    if p.style.name == 'Heading 2':\n        p.style = doc.styles['Normal']"),
        ("half", "texts cut short", tuple(f"part_{n}" for n in range(1, len(paper.texts()) + 1)),
         "for p in doc.paragraphs:\n    if p.style.name == 'Normal' and len(p.runs) == 1:\n"
         "        p.runs[0].text = p.runs[0].text[:20]"),
    ]  # fmt: skip
    if level:
        found += [
            ("row", "a row is lost", ("table_1", "table_2"),
             "for t in doc.tables:\n    t._tbl.remove(t.rows[-1]._tr)"),
        ]  # fmt: skip
    if level > 1:
        found += [
            ("late", "the contents at the end", ("contents",),
             "toc = next(p._p for p in doc.paragraphs if 'TOC ' in p._p.xml)\n"
             "doc.element.body.insert(len(doc.element.body) - 1, toc)"),
        ]  # fmt: skip
    return found


FAMILY = OfficeFamily.of(ID, "Reports with contents", ("documents",), make)
