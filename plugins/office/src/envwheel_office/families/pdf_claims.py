"""Level 4 of `pdf_form`: claims of three branches are read from forms, decided by a policy, registered and approved."""

from __future__ import annotations

import random
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import table
from envwheel_office.families import filling
from envwheel_office.families.claim_inbox import APPROVAL, BRANCHES, CENTRES, Inbox, draw_inbox
from envwheel_office.family import Recipe, Wrong
from envwheel_office.kit.officekit.language import Files, PdfForm, Preserve
from envwheel_office.papers import memo
from envwheel_office.scripts import edited, python, swapped

HEAD = ["Claim", "Name", "Branch", "Submitted", "Total", "Decision"]
POLICY = (
    "- Each branch writes in its own way: Graz dates as 31.12.2023 and amounts as 1.234,50; Leeds dates as 31/12/2023 "
    "and amounts as 1,234.50; Boston dates as 12/31/2023 and amounts as 1,234.50.",
    "- A claim may come more than once, under the same number: the form that was submitted last counts, no other.",
    "- The total of a claim is the sum of its items, whatever the form says under Total.",
    "- A claim whose box Signed is not ticked is unsigned. One of more than 100.00 EUR whose box Receipts attached is "
    "not ticked has no receipts. One that was submitted more than 30 days after the last day of travel is late. Where "
    "more than one of these holds, the first in this order is the decision. All others are approved.",
    "- The cost centre of an approval is the one of the claim's branch.",
)
SOLVE = r"""
import datetime, glob, os
from openpyxl import Workbook

def amount(text, branch):
    text = text.replace(".", "").replace(",", ".") if branch == "Graz" else text.replace(",", "")
    return float(text or 0)

claims = {}
for path in sorted(glob.glob("/app/inbox/*.pdf")):
    said = {name: str(field.get("/V", "")) for name, field in PdfReader(path).get_fields().items()}
    branch = said["branch"]
    day = lambda name: datetime.datetime.strptime(said[name], shapes[branch])
    total = round(sum(amount(said[f"amount_{at}"], branch) for at in range(1, 5)), 2)
    decision = "approved"
    if (day("submitted") - day("last_day")).days > 30:
        decision = "late"
    if said["receipts"] != "/Yes" and total > 100:
        decision = "no receipts"
    if said["signed"] != "/Yes":
        decision = "unsigned"
    claim = said["claim"], said["name"], branch, day("submitted"), total, decision, amount(said["advance"], branch)
    if claim[0] not in claims or claims[claim[0]][3] < claim[3]:
        claims[claim[0]] = claim

book = Workbook()
sheet = book.active
sheet.title = "Claims"
sheet.append(["Claim", "Name", "Branch", "Submitted", "Total", "Decision"])
for letter in "ABCDEF":
    sheet.column_dimensions[letter].width = 16
os.makedirs("/app/approvals", exist_ok=True)
for number in sorted(claims):
    number, name, branch, submitted, total, decision, advance = claims[number]
    sheet.append([number, name, branch, submitted, total, decision])
    sheet.cell(sheet.max_row, 4).number_format = "yyyy-mm-dd"
    if decision == "approved":
        fill("/app/approval.pdf", f"/app/approvals/{number}.pdf", {
            "claim": number,
            "name": name,
            "cost_centre": centres[branch],
            "submitted": submitted.strftime("%d.%m.%Y"),
            "total": f"{total:,.2f}",
            "advance": f"{advance:,.2f}",
            "to_pay": f"{total - advance:,.2f}",
            "advance_paid": advance > 0,
        })
book.save("/app/register.xlsx")
"""
OTHER = r"""
import datetime, pathlib, re
import pdfplumber
import xlsxwriter

def read(path):
    with pdfplumber.open(path) as document:
        for note in document.pages[0].annots:
            data = note["data"]
            value = data.get("V", data.get("AS", ""))
            value = getattr(value, "name", value)
            text = lambda item: item.decode("latin-1") if isinstance(item, bytes) else str(item)
            yield text(data["T"]), text(value)

def cents(text):
    digits = re.sub(r"\D", "", text)
    return int(digits) if digits else 0

def moment(text, branch):
    one, two, year = map(int, re.split(r"\D", text))
    return datetime.date(year, *((one, two) if branch == "Boston" else (two, one)))

forms = [dict(read(path)) for path in pathlib.Path("/app/inbox").iterdir()]
for one in forms:
    one["on"] = moment(one["submitted"], one["branch"])
    one["sum"] = sum(cents(one[f"amount_{at}"]) for at in (1, 2, 3, 4))
forms.sort(key=lambda one: (one["claim"], one["on"]))
newest = [one for one, after in zip(forms, [*forms[1:], None]) if after is None or after["claim"] != one["claim"]]
book = xlsxwriter.Workbook("/app/register.xlsx")
sheet = book.add_worksheet("Claims")
dates, sums = book.add_format({"num_format": "d mmm yyyy"}), book.add_format({"num_format": "#,##0.00"})
sheet.write_row(2, 1, ["Claim", "Name", "Branch", "Submitted", "Total", "Decision"])
out = pathlib.Path("/app/approvals")
out.mkdir()
euros = lambda amount: f"{amount // 100:,}.{amount % 100:02d}"
for row, one in enumerate(newest, 3):
    since = one["on"] - moment(one["last_day"], one["branch"])
    bare = one["receipts"] == "Off" and one["sum"] > 10000
    verdict = ("unsigned" if one["signed"] == "Off" else "no receipts" if bare
               else "late" if since > datetime.timedelta(30) else "approved")
    sheet.write_row(row, 1, [one["claim"], one["name"], one["branch"]])
    sheet.write_datetime(row, 4, datetime.datetime.combine(one["on"], datetime.time()), dates)
    sheet.write(row, 5, one["sum"] / 100, sums)
    sheet.write(row, 6, verdict)
    if verdict == "approved":
        paid = cents(one["advance"])
        fill("/app/approval.pdf", str(out / (one["claim"] + ".pdf")), {
            "claim": one["claim"], "name": one["name"], "cost_centre": centres[one["branch"]],
            "submitted": "{:%d.%m.%Y}".format(one["on"]), "total": euros(one["sum"]), "advance": euros(paid),
            "to_pay": euros(one["sum"] - paid), "advance_paid": bool(paid)})
book.close()
"""


def make_claims(draw: random.Random) -> Recipe:
    """The environment."""
    inbox = draw_inbox(draw)
    blank = inbox.blank()
    given: dict[str, Any] = {"shapes": dict(BRANCHES), "centres": dict(CENTRES)}

    def run(program: str) -> str:
        return python(program, **given)

    files: dict[str, str | bytes] = {f"inbox/scan-{at:02d}.pdf": one.pdf() for at, one in enumerate(inbox.sent, 1)}
    files |= {"approval.pdf": blank, "policy.docx": memo("Travel claims", POLICY)}
    return Recipe(
        instruction=f"""
The folder /app/inbox holds travel claims as filled PDF forms. Decide on them by the policy in /app/policy.docx, and
write down what was decided:

- /app/register.xlsx, sheet Claims, has a row for each claim, sorted by number, with the columns {", ".join(HEAD)}: the
  number, the name and the branch as on the form, the day it was submitted (a date), the total in EUR (a number), and
  approved, unsigned, no receipts or late.
- /app/approvals holds the form /app/approval.pdf filled in for each claim that is approved, as EC-1234.pdf for the
  claim EC-1234, and nothing else. Its fields: claim, name, cost_centre (a list to choose from), submitted (as
  31.12.2023), total, advance (0.00 where there was none) and to_pay (the total without the advance), all three as
  1,234.50, and the box advance_paid, ticked where there was an advance.

{filling.SEEN}""",
        artifacts=("register.xlsx", "approvals"),
        solve=run(filling.LIBRARY + SOLVE),
        checks=(
            table("register", "a row for each claim with its decision", "register.xlsx", "Claims", HEAD, inbox.rows(),
                  types="tttdnt", weight=6, floor=0.3),
            Files(
                id="files", why="an approval for each approved claim, nothing else", file="approvals", only=True,
                required=[f"{one.number}.pdf" for one in inbox.approved],
            ),
            *approvals(inbox),
        ),
        files=files,
        tests={"approval.pdf": blank},
        skills=("pdf", "policy", "cleaning"),
        wrongs=wrongs(inbox, run),
        alternatives=(Alternative("cents", "in cents, by the pages' annotations, as in a viewer",
                                  run(filling.VIEWER + OTHER)),),
    )  # fmt: skip


def approvals(inbox: Inbox) -> list[Any]:
    """What each approval holds, and that the form is as it was."""
    free = [f"field:{entry.name}" for entry in APPROVAL if not entry.fixed]
    made: list[Any] = []
    for one in inbox.approved:
        file, id = f"approvals/{one.number}.pdf", one.number.lower()
        made += [
            PdfForm(id=f"form_{id}", why=f"the approval for {one.name}", file=file, fields=one.approval(), weight=2),
            Preserve(
                id=f"kept_{id}", why="the form stays a form, read-only fields stay as they are", file=file, gate=True,
                original="approval.pdf", allow=free,
            ),
        ]  # fmt: skip
    return made


def wrongs(inbox: Inbox, run: Any) -> tuple[Wrong, ...]:
    """Wrong solutions."""
    forms = {one.number: f"form_{one.number.lower()}" for one in inbox.approved}
    every = tuple(forms.values())
    stale = tuple(forms[one.number] for one in inbox.sent if one.stated is not None)
    graz = tuple(forms[one.number] for one in inbox.approved if one.branch == "Graz")
    advanced = tuple(forms[one.number] for one in inbox.approved if one.advance)
    first = f"/app/approvals/{inbox.approved[0].number}.pdf"
    # In Boston the day that is taken for the month is another day: which of two versions is the last one, too.
    boston = tuple(forms[one.number] for one in inbox.approved if one.branch == "Boston" and one.total > 100)
    return (
        *swapped(
            SOLVE, lambda text: "rm -rf /app/approvals\n" + run(filling.LIBRARY + text),
            ("stated", "totals as the forms say", ("register", *stale),
             'round(sum(amount(said[f"amount_{at}"], branch) for at in range(1, 5)), 2)',
             'amount(said["total"], branch)'),
            ("points", "all branches write points", ("register", *graz), 'if branch == "Graz"', 'if branch == "Gratz"'),
            ("days", "days before months", ("register", *boston), "shapes[branch])",
             'shapes[branch].replace("%m/%d", "%d/%m") if int(said[name][3:5]) < 13 else shapes[branch])'),
            ("oldest", "the first version counts", ("register", *boston), "[3] < claim[3]", "[3] > claim[3]"),
            ("order", "reasons in another order", ("register",), 'said["signed"] != "/Yes"',
             'said["signed"] != "/Yes" and decision == "approved"'),
            ("all", "everybody is approved", ("files", ), 'if decision == "approved":', "if True:"),
            ("month", "late after four weeks", ("register", "files"), ".days > 30", ".days > 28"),
            ("strict", "receipts for everything", ("register", "files"), " and total > 100", ""),
            ("gross", "advances are paid again", advanced, "{total - advance:,.2f}", "{total:,.2f}"),
            ("unticked", "a box is forgotten", advanced, '"advance_paid": advance > 0,', ""),
            ("iso", "dates as they please", every, 'strftime("%d.%m.%Y")', 'strftime("%Y-%m-%d")'),
        ),
        *edited("register.xlsx", ("text", "dates as texts", ("register",),
                "for row in wb['Claims'].iter_rows(min_row=2):\n    row[3].value = str(row[3].value)[:10]")),
        *(
            Wrong(f"opened_{one.number.lower()}", "a fixed field is none any more", (f"kept_{one.number.lower()}",),
                  python(filling.OPENED, path=f"/app/approvals/{one.number}.pdf", name="approver"))
            for one in inbox.approved
        ),
        Wrong("flat", "no form any more", (every[0],), python(filling.FLAT, path=first)),
        Wrong("unseen", "values that no viewer shows", (every[0],),
              python(filling.UNSEEN, path=first, names=["total", "to_pay"])),
    )  # fmt: skip
