"""Contracts with tracked changes: words, paragraphs, comments, a term everywhere, a memo's instructions."""

from __future__ import annotations

import random
from typing import Any

from envwheel.api import Alternative
from envwheel_office.facts import Names, rng
from envwheel_office.family import OfficeFamily, Recipe
from envwheel_office.kit.officekit.language import Comments, DocText, Revisions
from envwheel_office.papers import memo
from envwheel_office.scripts import Swap, python, swapped

ID = "redline"
FILE = "redline.docx"

Change = tuple[str, Any, str]
"""("swap", (old, new), within), ("drop", "", paragraph), ("after", new paragraph, paragraph), ("comment", text, on)."""

MARK = r"""
import copy, datetime, re
from docx import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

doc = Document("/app/contract.docx")
count = 100

def mark(kind):
    global count
    count += 1
    part = OxmlElement(f"w:{kind}")
    part.set(qn("w:id"), str(count))
    part.set(qn("w:author"), author)
    part.set(qn("w:date"), "2023-05-02T09:00:00Z")
    return part

def run(text, like=None, deleted=False):
    made = OxmlElement("w:r")
    if like is not None and like.find(qn("w:rPr")) is not None:
        made.append(copy.deepcopy(like.find(qn("w:rPr"))))
    body = OxmlElement("w:delText" if deleted else "w:t")
    body.set(qn("xml:space"), "preserve")
    body.text = text
    made.append(body)
    return made

def swap(paragraph, old, new):
    for found in list(paragraph._p.iterchildren(qn("w:r"))):
        text = "".join(part.text or "" for part in found.iter(qn("w:t")))
        at = text.find(old)
        if at < 0:
            continue
        gone, come = mark("del"), mark("ins")
        gone.append(run(old, found, True))
        come.append(run(new, found))
        parts = [run(text[:at], found)] if at else []
        parts += [gone, come]
        if text[at + len(old):]:
            parts.append(run(text[at + len(old):], found))
        for part in parts:
            found.addprevious(part)
        found.getparent().remove(found)

def paragraph_mark(paragraph, kind):
    properties = paragraph.get_or_add_pPr()
    looks = properties.find(qn("w:rPr"))
    if looks is None:
        looks = OxmlElement("w:rPr")
        properties.append(looks)
    looks.insert(0, mark(kind))

def drop(paragraph):
    for found in list(paragraph._p.iterchildren(qn("w:r"))):
        gone = mark("del")
        gone.append(run("".join(part.text or "" for part in found.iter(qn("w:t"))), found, True))
        found.addprevious(gone)
        found.getparent().remove(found)
    paragraph_mark(paragraph._p, "del")

def after(paragraph, text):
    made = OxmlElement("w:p")
    if paragraph._p.pPr is not None:
        made.append(copy.deepcopy(paragraph._p.pPr))
    come = mark("ins")
    come.append(run(text))
    made.append(come)
    paragraph_mark(made, "ins")
    paragraph._p.addnext(made)

for kind, what, where in changes:
    for paragraph in list(doc.paragraphs):
        if kind == "swap" and (not where or where in paragraph.text):
            swap(paragraph, *what)
        elif kind == "drop" and paragraph.text == where:
            drop(paragraph)
        elif kind == "after" and paragraph.text == where:
            after(paragraph, what)
        elif kind == "comment" and where in paragraph.text:
            doc.add_comment(paragraph.runs, text=what, author=author, initials="X")
doc.save("/app/redline.docx")
"""
WORDWISE = r"""
import difflib, re
from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from xml.sax.saxutils import escape

doc = Document("/app/contract.docx")
head = f'{nsdecls("w")} w:author="{escape(author)}" w:date="2022-01-03T10:00:00Z"'
number = 0

def piece(kind, text):
    global number
    number += 1
    tag = "delText" if kind == "del" else "t"
    inner = f'<w:{tag} xml:space="preserve">{escape(text)}</w:{tag}>'
    if kind == "same":
        return parse_xml(f"<w:r {nsdecls('w')}>{inner}</w:r>")
    return parse_xml(f'<w:{kind} {head} w:id="{number}"><w:r>{inner}</w:r></w:{kind}>')

def rewrite(p, text, final):
    for child in list(p):
        if child.tag.endswith("}r"):
            p.remove(child)
    old, new = re.findall(r"\w+|\W", text), re.findall(r"\w+|\W", final)
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            p.append(piece("same", "".join(old[a:b])))
            continue
        if b > a:
            p.append(piece("del", "".join(old[a:b])))
        if d > c:
            p.append(piece("ins", "".join(new[c:d])))

def whole(p, kind):
    global number
    number += 1
    p.get_or_add_pPr().append(parse_xml(f'<w:rPr {nsdecls("w")}><w:{kind} {head} w:id="{number}"/></w:rPr>'))

for paragraph in list(doc.paragraphs):
    text = final = paragraph.text
    for kind, what, where in changes:
        if kind == "comment" and where in text:
            doc.add_comment(paragraph.runs, text=what, author=author)
        if kind == "swap" and (not where or where in text):
            final = final.replace(what[0], what[1], 1)
    if ["drop", "", text] in [list(change) for change in changes]:
        final = ""
        whole(paragraph._p, "del")
    for kind, what, where in changes:
        if kind == "after" and where == text:
            made = parse_xml(f"<w:p {nsdecls('w')}/>")
            whole(made, "ins")
            made.append(piece("ins", what))
            paragraph._p.addnext(made)
    if final != text:
        rewrite(paragraph._p, text, final)
doc.save("/app/redline.docx")
"""


def contract(draw: random.Random, level: int) -> tuple[list[str], dict[str, str]]:
    """The paragraphs of a contract, and its facts."""
    names = Names(draw)
    seller, buyer = names.companies(2)
    facts = {
        "seller": seller, "buyer": buyer, "city": names.cities(1)[0], "days": str(draw.choice((14, 21, 28))),
        "months": str(draw.choice((3, 6, 9))), "rate": str(draw.choice((4, 5, 6))), "years": str(draw.choice((2, 3))),
    }  # fmt: skip
    texts = [
        f"{seller} (the Supplier) and {buyer} (the Customer) agree as follows.",
        "The Supplier delivers the goods that are listed in the annex to the site of the Customer.",
        f"Invoices are due within {facts['days']} days after receipt of the goods.",
        f"Late payments bear interest of {facts['rate']} percent a year.",
        "The Supplier may change its prices at any time without notice.",
        f"The warranty ends {facts['years']} years after delivery.",
        f"Either party may terminate this agreement with a notice of {facts['months']} months.",
        "Changes of this agreement must be made in writing.",
        f"The courts of {facts['city']} have exclusive jurisdiction.",
    ]
    return texts, facts


def changes_of(level: int, texts: list[str], facts: dict[str, str], draw: random.Random) -> list[Change]:
    """What has to be changed at this level."""
    days, months = facts["days"], facts["months"]
    more = str(int(days) + 16)
    found: list[Change] = [("swap", (f"{days} days", f"{more} days"), texts[2])]
    if level > 0:
        found += [
            ("swap", (f"{months} months", f"{int(months) * 2} months"), texts[6]),
            ("swap", ("exclusive", "non-exclusive"), texts[8]),
        ]
    if level > 1:
        found += [
            ("drop", "", texts[4]),
            ("after", "Written form includes e-mail.", texts[7]),
        ]
    if level > 2:
        found += [
            ("comment", "Please confirm the period with the insurer.", f"{facts['years']} years after"),
        ]
    if level > 3:
        found.append(("swap", ("Supplier", "Contractor"), ""))
    return found


def final_of(texts: list[str], changes: list[Change]) -> list[str]:
    """The paragraphs when all changes are accepted; each swap of words happens once a paragraph."""
    made = []
    for text in texts:
        new = text
        for kind, what, where in changes:
            if kind == "swap" and (not where or where == text):
                new = new.replace(what[0], what[1], 1)
        if ("drop", "", text) not in changes:
            made.append(new)
        made += [what for kind, what, where in changes if kind == "after" and where == text]
    return made


def told_of(level: int, texts: list[str], facts: dict[str, str], changes: list[Change]) -> str:
    """The changes in words."""
    number = {text: at for at, text in enumerate(texts, 1)}
    lines = []
    for kind, what, where in changes:
        if kind == "swap" and where:
            lines.append(f'- In paragraph {number[where]}, replace "{what[0]}" by "{what[1]}".')
        elif kind == "swap":
            lines.append(f'- In all paragraphs that remain, replace "{what[0]}" by "{what[1]}".')
        elif kind == "drop":
            lines.append(f"- Delete paragraph {number[where]}.")
        elif kind == "after":
            lines.append(f'- After paragraph {number[where]}, insert the new paragraph "{what}"')
        else:
            lines.append(f'- Comment on the words "{where}" with: "{what}"')
    return "\n".join(lines)


def make(level: int, seed: int) -> Recipe:
    """0: a number; 1: three words; 2: paragraphs; 3: a comment; 4: a term everywhere, from a memo."""
    draw = rng(ID, level, seed)
    texts, facts = contract(draw, level)
    author = Names(draw).people(1)[0]
    changes = changes_of(level, texts, facts, draw)
    given = {"author": author, "changes": [list(change) for change in changes]}
    final = final_of(texts, changes)
    files: dict[str, str | bytes] = {"contract.docx": memo("Supply agreement", texts)}
    listed = told_of(level, texts, facts, changes)
    if level == 4:
        lines = [line.removeprefix("- ") for line in listed.splitlines()]
        notes = [f"Our wishes for the agreement, for {author}:", *(f"- {line}" for line in lines)]
        files["wishes.docx"] = memo("Negotiation", notes)
        listed = "The changes are listed in /app/wishes.docx; paragraphs are counted as they are before any change."
    told = f"""
/app/contract.docx is an agreement: a heading and {len(texts)} paragraphs, which are counted from 1 after the heading.
Save it as /app/{FILE} with the following changes, each as a tracked change (insertions and deletions that can be
accepted or rejected) by the author {author}:

{listed}

Rejecting all changes must give the agreement as it was. Mark only words that change, no whole paragraphs where a few
words do: not more than a quarter of the words of the agreement may be marked deleted.
"""
    whole = ["Supply agreement", *final]
    checks: list[Any] = [
        Revisions(
            id="changes", why="the tracked changes give the agreement that is wanted", file=FILE, weight=3, floor=0.1,
            original="contract.docx", final=whole, author=author, max_changed=0.25,
        ),
        DocText(id="text", why="the text after all changes", file=FILE, paragraphs=whole, floor=0.5),
    ]  # fmt: skip
    for kind, what, where in changes:
        if kind == "comment":
            checks.append(
                Comments(
                    id="comment", why="a comment on the warranty", file=FILE, author=author, on=where, contains=[what]
                )
            )
    return Recipe(
        instruction=told,
        artifacts=(FILE,),
        solve=python(MARK, **given),
        checks=tuple(checks),
        files=files,
        tests={"contract.docx": files["contract.docx"]},
        skills=("revision", "documents", "policy") if level == 4 else (),
        wrongs=swapped(MARK, lambda text: python(text, **given), *swaps(level)),
        alternatives=(Alternative("wordwise", "word by word, all in one pass", python(WORDWISE, **given)),),
    )


def swaps(level: int) -> list[Swap]:
    """Wrong turns of the program."""
    found: list[Swap] = [
        ("untracked", "changes the text without a trace", ("changes",), 'for kind, what, where in changes:\n',
         "for paragraph in doc.paragraphs:\n    for kind, what, where in changes:\n"
         "        if kind == 'swap' and where in paragraph.text:\n"
         "            paragraph.runs[0].text = paragraph.text.replace(*what)\nfor kind, what, where in ():\n"),
        ("stranger", "another author", ("changes",), 'qn("w:author"), author', 'qn("w:author"), "Word"'),
        ("inserts", "only inserts", ("changes", "text"), "parts += [gone, come]", "parts += [run(old, found), come]"),
        ("bare", "the heading is none any more", ("changes",), 'doc.save("/app/redline.docx")',
         'doc.paragraphs[0].style = doc.styles["Normal"]\ndoc.save("/app/redline.docx")'),
        ("nothing", "no change at all", ("changes", "text"), "what, where in changes:\n", "what, where in ():\n"),
    ]  # fmt: skip
    if level > 1:
        found += [
            ("kept", "the paragraph stays", ("changes", "text"), 'kind == "drop"', 'kind == "none"'),
            ("before", "inserts before", ("changes", "text"), "_p.addnext(made)", "_p.addprevious(made)"),
        ]
    if level > 2:
        found += [
            ("no_comment", "no comment", ("comment",), 'kind == "comment"', 'kind == "none"'),
            ("elsewhere", "on the first paragraph", ("comment",), 'kind == "comment" and where in paragraph.text',
             'kind == "comment" and "agree as follows" in paragraph.text'),
        ]  # fmt: skip
    return found


FAMILY = OfficeFamily.of(ID, "Redlines of contracts", ("revision", "documents"), make)
