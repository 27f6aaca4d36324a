"""Forms in PDF: one field, a record, a list; pages turned and taken out; claims that are read, judged and approved."""

from __future__ import annotations

import json
import random
from typing import Any

from envwheel.api import Alternative
from envwheel_office.books import csv_text
from envwheel_office.facts import rng
from envwheel_office.families import filling
from envwheel_office.families.claims import DEPARTMENTS, ENTRIES, WAYS, Claim, asked, blank, draw_claims
from envwheel_office.families.pdf_claims import make_claims
from envwheel_office.families.pdf_packet import make_packet
from envwheel_office.family import OfficeFamily, Recipe, Wrong
from envwheel_office.kit.officekit.language import Files, PdfForm, Preserve
from envwheel_office.scripts import python, swapped

ID = "pdf_form"
FIXED = tuple(entry.name for entry in ENTRIES if entry.fixed)
OPEN = tuple(entry.name for entry in ENTRIES if not entry.fixed)


def kept(id: str, file: str, original: str, *free: str) -> Preserve:
    """A gate: the form is as it was but for the values of `free`."""
    return Preserve(
        id=id, why="the form stays a form, read-only fields stay as they are", file=file, gate=True, original=original,
        allow=[f"field:{name}" for name in free],
    )  # fmt: skip


def make_one(draw: random.Random) -> Recipe:
    """Level 0: one field."""
    claim = draw_claims(draw, 3)[draw.randrange(3)]
    number = f"T-{draw.randint(2, 9)} / 2023"
    given = asked(claim.values())
    given.pop("cost_centre")
    values = {"cost_centre": claim.centre}
    fill = 'fill("/app/form.pdf", "/app/new.pdf", values)\nimport os\nos.replace("/app/new.pdf", "/app/form.pdf")\n'

    def run(program: str) -> str:
        return python(program + fill, values=values)

    form = blank(number, given)
    return Recipe(
        instruction=f"""
The form /app/form.pdf is filled in but for its field cost_centre (Cost centre). Write {claim.centre} into that field,
in place; everything else stays as it is.

{filling.SEEN}""",
        artifacts=("form.pdf",),
        solve=run(filling.LIBRARY),
        checks=(
            PdfForm(id="centre", why="the cost centre is filled in", file="form.pdf", fields=values, floor=0.99),
            kept("kept", "form.pdf", "form.pdf", "cost_centre"),
        ),
        files={"form.pdf": form},
        tests={"form.pdf": form},
        wrongs=(
            Wrong("other", "into another field", ("centre", "kept"),
                  python(filling.LIBRARY + fill, values={"cost_centre": "", "purpose": claim.centre})),
            Wrong("digits", "digits swapped", ("centre",),
                  python(filling.LIBRARY + fill, values={"cost_centre": str(int(claim.centre) + 9)})),
            *spoilt("form.pdf", ("centre",), "kept", ["cost_centre"]),
        ),
        alternatives=(Alternative("viewer", "as in a viewer", run(filling.VIEWER)),),
    )  # fmt: skip


def spoilt(file: str, values: tuple[str, ...], gate: str, names: list[str]) -> tuple[Wrong, ...]:
    """Wrong turns that every filled form can take."""
    path = f"/app/{file}"
    return (
        Wrong("unseen", "values that no viewer shows", values[:1], python(filling.UNSEEN, path=path, names=names)),
        Wrong("flat", "no form any more", (*values, gate), python(filling.FLAT, path=path)),
        Wrong("opened", "a fixed field is none any more", (gate,), python(filling.OPENED, path=path, name="form")),
    )


RECORD = """
import json
fill("/app/form.pdf", "/app/filled.pdf", json.load(open("/app/claim.json", encoding="utf-8")))
"""


def make_record(draw: random.Random) -> Recipe:
    """Level 1: all fields of one claim."""
    claim = draw_claims(draw, 4)[draw.randrange(4)]
    # One box of each kind, so that a ticked one and an empty one are both right.
    claim.advance, claim.receipts = draw.choice(((True, False), (False, True)))
    values = claim.values()
    form = blank(f"T-{draw.randint(2, 9)} / 2023", {"receipts": "Yes", "advance": "Yes"})
    right = asked(values)
    boxes = {name: right[name] for name in ("advance", "receipts")}
    chosen = {name: right[name] for name in ("department", "way")}
    texts = {name: text for name, text in right.items() if name not in {**boxes, **chosen}}
    wrongs = swapped(
        RECORD,
        lambda text: python(filling.LIBRARY + text),
        ("texts", "texts only", ("boxes", "chosen"), 'encoding="utf-8"))',
         'encoding="utf-8"), object_hook=lambda found: {k: v for k, v in found.items()'
         ' if not isinstance(v, bool) and k not in ("department", "way")})'),
        ("swapped", "days mixed up", ("texts",), 'encoding="utf-8"))',
         'encoding="utf-8"), object_hook=lambda found: {**found, "start": found["end"], "end": found["start"]})'),
        ("ticked", "every box ticked", ("boxes",), 'encoding="utf-8"))',
         'encoding="utf-8"), object_hook=lambda found: {**found, "advance": True, "receipts": True})'),
        ("way", "another way", ("chosen",), 'encoding="utf-8"))',
         'encoding="utf-8"), object_hook=lambda found: {**found, "way": "Car" if found["way"] != "Car" else "Train"})'),
    )  # fmt: skip
    return Recipe(
        instruction=f"""
Fill in the form /app/form.pdf with the claim in /app/claim.json and save it as /app/filled.pdf. The keys of the file
are the names of the form's fields, its values are written as the form wants them; true is a ticked box, false an empty
one (both boxes of the form are ticked already); department is a list to choose from, way a group of radio buttons.

{filling.SEEN}""",
        artifacts=("filled.pdf",),
        solve=python(filling.LIBRARY + RECORD),
        checks=(
            PdfForm(id="texts", why="the texts of the claim", file="filled.pdf", fields=texts, weight=2, floor=0.1),
            PdfForm(id="boxes", why="boxes are ticked or not", file="filled.pdf", fields=boxes),
            PdfForm(id="chosen", why="department and way of travelling", file="filled.pdf", fields=chosen),
            kept("kept", "filled.pdf", "form.pdf", *OPEN),
        ),
        files={"form.pdf": form, "claim.json": json.dumps(values, indent=1) + "\n"},
        tests={"form.pdf": form},
        wrongs=(*wrongs, *spoilt("filled.pdf", ("texts", "boxes", "chosen"), "kept", ["purpose"])),
        alternatives=(Alternative("viewer", "as in a viewer", python(filling.VIEWER + RECORD)),),
    )


LIST = """
import csv, datetime, os

def day(text):
    return datetime.date.fromisoformat(text).strftime("%d.%m.%Y")

os.makedirs("/app/forms", exist_ok=True)
for row in csv.DictReader(open("/app/claims.csv", encoding="utf-8")):
    fill("/app/form.pdf", f"/app/forms/{row['Claim']}.pdf", {
        "claim": row["Claim"],
        "name": f"{row['Last name']}, {row['First name']}",
        "department": departments[row["Department"]],
        "cost_centre": row["Cost centre"],
        "start": day(row["First day"]),
        "end": day(row["Last day"]),
        "purpose": row["Purpose"],
        "way": ways[row["Way"]],
        "amount": f"{float(row['Amount']):,.2f}",
        "advance": row["Advance"] == "yes",
        "receipts": row["Receipts"] == "yes",
    })
"""
LIST_OTHER = r"""
import pathlib, re

out = pathlib.Path("/app/forms")
out.mkdir(exist_ok=True)
head, *lines = pathlib.Path("/app/claims.csv").read_text("utf-8").splitlines()
for line in lines:
    no, first, last, dept, centre, start, end, why, way, amount, advance, receipts = line.split(",")
    whole, _, rest = amount.partition(".")
    whole = re.sub(r"(?<=\d)(?=(\d{3})+$)", ",", whole)
    turned = ["{2}.{1}.{0}".format(*text.split("-")) for text in (start, end)]
    texts = dict(claim=no, name=last + ", " + first, cost_centre=centre, start=turned[0], end=turned[1], purpose=why,
                 amount=whole + "." + rest.ljust(2, "0"))
    fill("/app/form.pdf", str(out / (no + ".pdf")), {
        **texts, "department": departments[dept], "way": ways[way],
        "advance": advance.startswith("y"), "receipts": receipts.startswith("y")})
"""


def make_list(draw: random.Random) -> Recipe:
    """Level 2: a form for each row, formats and codes."""
    claims = draw_claims(draw, 4)
    form = blank(f"T-{draw.randint(2, 9)} / 2023")
    given: dict[str, Any] = {"departments": dict(DEPARTMENTS), "ways": dict(WAYS)}

    def run(program: str) -> str:
        return python(filling.LIBRARY + program, **given)

    ids = {claim.number: claim.number.lower() for claim in claims}
    checks: list[Any] = [
        Files(
            id="files", why="a form for each claim, nothing else", file="forms", only=True,
            required=[f"{claim.number}.pdf" for claim in claims],
        ),
    ]  # fmt: skip
    for claim in claims:
        file, right = f"forms/{claim.number}.pdf", asked(claim.values())
        checks += [
            PdfForm(
                id=f"form_{ids[claim.number]}", why=f"the claim of {claim.name}", file=file, fields=right, weight=2
            ),
            kept(f"kept_{ids[claim.number]}", file, "form.pdf", *OPEN),
        ]
    forms = tuple(f"form_{id}" for id in ids.values())
    large = tuple(f"form_{ids[claim.number]}" for claim in claims if claim.amount >= 1000)
    first = f"forms/{claims[0].number}.pdf"
    every = "; ".join(f"{code} {name}" for code, name in DEPARTMENTS.items())
    return Recipe(
        instruction=f"""
Fill in the form /app/form.pdf once for each row of /app/claims.csv: /app/forms/EC-1234.pdf for the claim EC-1234. The
folder /app/forms holds nothing else.

- claim, cost_centre and purpose are as in the columns Claim, Cost centre and Purpose; name is "Last name, First name".
- start and end (First day, Last day) are written as 31.12.2023, amount as 1,234.50.
- department is chosen by its code: {every}. way by its code: T Train; C Car; P Plane.
- advance and receipts are ticked where the columns Advance and Receipts say yes, and empty where they say no.

{filling.SEEN}""",
        artifacts=("forms",),
        solve=run(LIST),
        checks=tuple(checks),
        files={"form.pdf": form, "claims.csv": csv_text(rows(claims))},
        tests={"form.pdf": form},
        wrongs=(
            *swapped(
                LIST, lambda text: "rm -rf /app/forms\n" + run(text),
                ("iso", "dates as they are", forms, '.strftime("%d.%m.%Y")', ".isoformat()"),
                ("plain", "amounts as they are", large, "f\"{float(row['Amount']):,.2f}\"", "row['Amount']"),
                ("codes", "files by name", ("files", *forms), "{row['Claim']}.pdf", "{row['Last name']}.pdf"),
                ("left", "the form is left there", ("files",), "for row in",
                 'open("/app/forms/form.pdf", "wb").write(open("/app/form.pdf", "rb").read())\nfor row in'),
                ("unticked", "boxes are forgotten", forms[1:2], '"advance": row["Advance"] == "yes",', ""),
            ),
            *(
                Wrong(f"opened_{ids[claim.number]}", "a fixed field is none any more", (f"kept_{ids[claim.number]}",),
                      python(filling.OPENED, path=f"/app/forms/{claim.number}.pdf", name="form"))
                for claim in claims
            ),
            *(one for one in spoilt(first, forms[:1], "kept_" + ids[claims[0].number], ["name"]) if one.id != "opened"),
        ),
        alternatives=(Alternative("viewer", "as in a viewer, texts cut by hand",
                                  python(filling.VIEWER + LIST_OTHER, **given)),),
    )  # fmt: skip


def rows(claims: list[Claim]) -> list[list[Any]]:
    """The claims as a list with codes."""
    head = ["Claim", "First name", "Last name", "Department", "Cost centre", "First day", "Last day", "Purpose", "Way",
            "Amount", "Advance", "Receipts"]  # fmt: skip
    yes = {True: "yes", False: "no"}
    return [head] + [
        [one.number, one.first, one.last, one.department, one.centre, one.start, one.end, one.purpose, one.way,
         one.amount, yes[one.advance], yes[one.receipts]]
        for one in claims
    ]  # fmt: skip


def make(level: int, seed: int) -> Recipe:
    """0: a field; 1: a record; 2: a list; 3: pages and a table; 4: claims under a policy."""
    draw = rng(ID, level, seed)
    makers = (make_one, make_record, make_list, make_packet, make_claims)
    return makers[level](draw)


FAMILY = OfficeFamily.of(ID, "Forms in PDF", ("pdf",), make)
