"""Letters from a template and a list: one name, all fields, formats, parts by case with a table, a memo's rules."""

from __future__ import annotations

import random
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import typed
from envwheel_office.books import csv_text
from envwheel_office.facts import rng
from envwheel_office.families.letters import BOLD, Letters, draw_letters
from envwheel_office.family import OfficeFamily, Recipe
from envwheel_office.kit.officekit.language import DocTable, DocText, Files, PlainTable, TextLook
from envwheel_office.kit.officekit.language_base import Look
from envwheel_office.papers import memo
from envwheel_office.scripts import edited, python, swapped

ID = "mail_merge"

ONE = """
from docx import Document

doc = Document("/app/template.docx")
for paragraph in doc.paragraphs:
    for run in paragraph.runs:
        run.text = run.text.replace("{{Name}}", name)
doc.save("/app/letter.docx")
"""
ONE_OTHER = """
import zipfile

with zipfile.ZipFile("/app/template.docx") as old, zipfile.ZipFile("/app/letter.docx", "w") as new:
    for part in old.namelist():
        data = old.read(part)
        new.writestr(part, data.replace(b"{{Name}}", name.encode()) if part == "word/document.xml" else data)
"""


def _bold(id: str, file: str, texts: list[str]) -> TextLook:
    """What is bold in the template is bold in the letter."""
    text = texts[BOLD]
    return TextLook(id=id, why="what was bold stays bold", file=file, text=text, look=Look(bold=True), weight=0.5)


def make_one(draw: random.Random) -> Recipe:
    """Level 0: one name in one letter."""
    letters = draw_letters(draw, 0)
    name = letters.people[0].name
    texts = [text.replace("{{Name}}", name) for text in letters.template]
    return Recipe(
        instruction=f"""
Save /app/template.docx as /app/letter.docx with {{{{Name}}}} replaced by {name} wherever it stands. Nothing else
changes.
""",
        artifacts=("letter.docx",),
        solve=python(ONE, name=name),
        checks=(
            DocText(
                id="letter", why="the letter with the name", file="letter.docx", paragraphs=texts, floor=0.99,
            ),
            _bold("look", "letter.docx", texts),
        ),
        files={"template.docx": letters.docx()},
        wrongs=edited(
            "letter.docx",
            ("first", "only where it stands first", ("letter",),
             "p = [p for p in doc.paragraphs if name in p.text][-1]\n"
             "p.runs[0].text = p.text.replace(name, '{{Name}}')"),
            ("lost", "a paragraph is lost", ("letter",), "p = doc.paragraphs[2]._p\np.getparent().remove(p)"),
            ("bare", "the words alone", ("look",), "for p in doc.paragraphs:\n    p.text = p.text"),
            name=name,
        ),
        alternatives=(Alternative("zip", "in the package itself", python(ONE_OTHER, name=name)),),
    )  # fmt: skip


MERGE = """
import copy, csv, datetime, os
from docx import Document

def amount(text):
    return f"{float(text):,.2f} EUR" if level > 1 else text

def date(text):
    day = datetime.date.fromisoformat(text)
    return f"{day.day} {day:%B} {day.year}" if level > 1 else text

items = {}
if level > 2:
    from openpyxl import load_workbook
    sheet = load_workbook("/app/invoices.xlsx")["Invoices"]
    for customer, invoice, due, open_ in sheet.iter_rows(min_row=2, values_only=True):
        items.setdefault(customer, []).append((invoice, due, open_))
os.makedirs("/app/letters", exist_ok=True)
skipped = []
for row in csv.DictReader(open("/app/customers.csv", encoding="utf-8")):
    mine = sorted(items.get(row["Customer"], []), key=lambda item: (item[1], item[0]))
    if level > 2:
        row["Amount"] = str(round(sum(item[2] for item in mine), 2))
    late = [item for item in mine if item[1].date().isoformat() < row["Date"]]
    if level > 3:
        reason = "opted out" if row["Letters"] == "no" else "small amount" if float(row["Amount"]) < 50 else ""
        if reason:
            skipped.append((row["Customer"], reason))
            continue
        row["Name"] = {"f": "Ms ", "m": "Mr "}.get(row["Title"], "") + row["Name"]
        if late:
            row["Amount"] = str(float(row["Amount"]) + 12.5)
    facts = {key: row[key] for key in ("Customer", "Name", "Street", "City")}
    facts |= {"Amount": amount(row["Amount"]), "Date": date(row["Date"])}
    doc = Document("/app/template.docx")
    for paragraph in list(doc.paragraphs):
        text = paragraph.text
        for mark, wanted in (("[late] ", bool(late)), ("[in time] ", not late)):
            if text.startswith(mark):
                text = text[len(mark):] if wanted else None
                break
        if text is None:
            paragraph._p.getparent().remove(paragraph._p)
            continue
        for key, item in facts.items():
            text = text.replace("{{" + key + "}}", item)
        if text != paragraph.text:
            for run in paragraph.runs[1:]:
                run._r.getparent().remove(run._r)
            paragraph.runs[0].text = text
    for table in doc.tables:
        for invoice, due, open_ in mine:
            for cell, text in zip(table.add_row().cells, (invoice, date(due.date().isoformat()), amount(open_))):
                cell.text = text
    doc.save(f"/app/letters/{row['File']}")
if level > 3:
    with open("/app/letters/skipped.csv", "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["Customer", "Reason"])
        writer.writerows(skipped)
"""
OTHER = """
import csv, datetime, pathlib, re
from docx import Document

months = "January February March April May June July August September October November December".split()
out = pathlib.Path("/app/letters")
out.mkdir(exist_ok=True)
invoices = []
if level > 2:
    from openpyxl import load_workbook
    invoices = list(load_workbook("/app/invoices.xlsx").active.values)[1:]
log = "Customer,Reason\\n"
for row in csv.DictReader(pathlib.Path("/app/customers.csv").read_text("utf-8").splitlines()):
    mine = sorted(item for item in invoices if item[0] == row["Customer"])
    mine.sort(key=lambda item: item[2])
    total = sum(round(item[3] * 100) for item in mine) / 100 if level > 2 else float(row["Amount"])
    today = datetime.datetime.fromisoformat(row["Date"])
    late = any(item[2] < today for item in mine)
    say = lambda day: f"{day.day} {months[day.month - 1]} {day.year}"
    if level > 3:
        if row["Letters"] == "no":
            log += row["Customer"] + ",opted out\\n"
            continue
        if total < 50:
            log += row["Customer"] + ",small amount\\n"
            continue
        total += 12.5 * late
        if row["Title"] in ("f", "m"):
            row["Name"] = ("Ms " if row["Title"] == "f" else "Mr ") + row["Name"]
    row["Date"] = say(today) if level > 1 else row["Date"]
    row["Amount"] = "{:,.2f} EUR".format(total) if level > 1 else row["Amount"]
    doc = Document("/app/template.docx")
    keep = "[late] " if late else "[in time] "
    for p in doc.paragraphs:
        text = re.sub(r"\\{\\{(\\w+)\\}\\}", lambda hit: row[hit[1]], p.text)
        if text.startswith("[") and not text.startswith(keep):
            p._element.getparent().remove(p._element)
            continue
        style = p.runs[0].bold if p.runs else None
        p.clear()
        p.add_run(text.removeprefix(keep)).bold = style
    if doc.tables:
        for item in mine:
            cells = doc.tables[0].add_row().cells
            for cell, text in zip(cells, (item[1], say(item[2]), "{:,.2f} EUR".format(item[3]))):
                cell.paragraphs[0].add_run(text)
    doc.save(out / row["File"])
if level > 3:
    (out / "skipped.csv").write_text(log, "utf-8")
"""
INTRO = """
/app/template.docx is a letter with fields in double braces ({fields}). Write one letter for each customer of
/app/customers.csv{but}, in the folder /app/letters, under the name that the column File says. Every field is
replaced by what the column of that name says; everything else stays as in the template. The folder /app/letters holds
nothing else{log}.
"""
FORMATS = """
- Amount is written as 1,234.50 EUR: thousands separators, two decimals, the currency behind.
- Dates are written as 3 April 2023.
"""
CASES = """\
- /app/invoices.xlsx lists the open invoices (sheet Invoices: Customer, Invoice, Due, Open). Amount is the sum of the
  customer's open invoices.
- A paragraph of the template that begins with "[late] " stands in the letter only when the customer has an invoice that
  was due before the letter's Date; one that begins with "[in time] " only when there is none. The mark itself goes.
- The table of the template (headers Invoice, Due, Open) gets a row for each of the customer's invoices, the earliest
  Due first, equal ones by number. Open is written like Amount, Due like a date.
"""
POLICY = (
    "- Who has Letters no gets no letter. Who owes less than 50.00 EUR in all gets none either.",
    "- A file skipped.csv in the folder of the letters lists who got none, in the order of the customers: the header "
    "Customer,Reason and the reasons opted out or small amount (opted out where both hold).",
    "- A customer with an invoice that was due before the date of the letter owes a fee of 12.50 EUR: it is added to "
    "Amount, not to the table.",
    "- Names have a title before them: Ms where the column Title says f, Mr where it says m, none where it is blank.",
)


def make_all(level: int, draw: random.Random) -> Recipe:
    """Levels 1 to 4: a letter for each customer."""
    letters = draw_letters(draw, level)
    told = INTRO.format(
        fields=", ".join("{{" + name + "}}" for name in letters.fields),
        but=" (but see below)" if level == 4 else "",
        log=", but for a list that the memo asks for" if level == 4 else "",
    )
    told += (FORMATS if level > 1 else "") + (CASES if level > 2 else "")
    files: dict[str, str | bytes] = {"template.docx": letters.docx(), "customers.csv": csv_text(letters.rows())}
    if level > 2:
        files["invoices.xlsx"] = letters.invoices()
    if level == 4:
        told += "\nWho gets a letter, and what else holds for letters, stands in the memo /app/policy.docx.\n"
        files["policy.docx"] = memo("Letters to customers", POLICY)
    names = [f"{person.number}.docx" for person in letters.people if not letters.skipped(person)]
    asked: list[Any] = [
        Files(
            id="files", why="a letter for each customer, nothing else", file="letters", only=True,
            required=[*names, *(["skipped.csv"] if level == 4 else [])],
        ),
    ]  # fmt: skip
    for person in letters.people:
        if letters.skipped(person):
            continue
        number = person.number.lower()
        asked.append(
            DocText(
                id=f"letter_{number}", why=f"the letter to {person.name}", file=f"letters/{person.number}.docx",
                weight=2, absent=["{{", "}}", "[late]", "[in time]"], paragraphs=letters.texts(person, table=True),
            )
        )  # fmt: skip
        asked.append(_bold(f"look_{number}", f"letters/{person.number}.docx", letters.texts(person)))
        if level > 2:
            asked.append(
                DocTable(
                    id=f"table_{number}", why=f"the invoices of {person.name}", file=f"letters/{person.number}.docx",
                    columns=typed(["Invoice", "Due", "Open"], "ttt"), key=["Invoice"], order="exact",
                    rows=letters.table(person),
                )
            )  # fmt: skip
    if level == 4:
        skipped = [[p.number, letters.skipped(p)] for p in letters.people if letters.skipped(p)]
        asked.append(
            PlainTable(
                id="skipped", why="who got no letter, and why", file="letters/skipped.csv",
                columns=typed(["Customer", "Reason"], "tt"), key=["Customer"], rows=skipped, order="exact",
            )
        )  # fmt: skip
    return Recipe(
        instruction=told,
        artifacts=("letters",),
        solve=python(MERGE, level=level),
        checks=tuple(asked),
        files=files,
        skills=("documents", "policy") if level == 4 else (),
        wrongs=swapped(MERGE, lambda text: "rm -rf /app/letters\n" + python(text, level=level), *swaps(level, letters)),
        alternatives=(Alternative("regex", "by regular expression, amounts in cents", python(OTHER, level=level)),),
    )


def swaps(level: int, letters: Letters) -> list[Any]:
    """Wrong turns of the program."""
    sent = [person.number.lower() for person in letters.people if not letters.skipped(person)]
    every = tuple(f"letter_{number}" for number in sent)
    found: list[Any] = [
        ("street", "a field is forgotten", every, '"Name", "Street", "City"', '"Name", "City"'),
        ("names", "files by name", ("files", *every), "{row['File']}", "{row['Name']}.docx"),
        ("dates", "no date", every, '"Date": date(row["Date"])}', '"Date": ""}'),
        ("bare", "the words alone", tuple(f"look_{number}" for number in sent),
         "paragraph.runs[0].text = text", "paragraph.text = text"),
        ("left", "a copy of the template is left there", ("files",), "skipped = []",
         'skipped = []\nDocument("/app/template.docx").save("/app/letters/template.docx")'),
    ]  # fmt: skip
    if level > 1:
        found += [
            ("plain", "amounts as they are", every, ":,.2f} EUR", ":.2f} EUR"),
            ("iso", "dates as they are", every, "{day.day} {day:%B} {day.year}", "{day}"),
        ]
    if level > 2:
        tables = tuple(f"table_{number}" for number in sent)
        found += [
            ("both", "both cases stand there", every, "text[len(mark):] if wanted else None", "text[len(mark):]"),
            ("rows", "a row too few", tables, "in mine:\n            for cell", "in mine[1:]:\n            for cell"),
        ]
    if level > 3:
        found += [
            ("all", "everybody gets a letter", ("files", "skipped"), "if reason:", "if False:"),
            ("no_title", "names without title", (every[0],), '{"f": "Ms ", "m": "Mr "}', "{}"),
            ("no_fee", "no fee", tuple(f"letter_{p.number.lower()}" for p in letters.people
             if letters.late(p) and not letters.skipped(p)), "+ 12.5", "+ 0"),
        ]  # fmt: skip
    return found


def make(level: int, seed: int) -> Recipe:
    """0: a name; 1: all fields; 2: formats; 3: cases and tables; 4: a memo."""
    draw = rng(ID, level, seed)
    return make_one(draw) if level == 0 else make_all(level, draw)


FAMILY = OfficeFamily.of(ID, "Mail merge", ("documents",), make)
