"""Loan schedules: a payment, a table of values, live formulas, extra payments, changing rates and payment holidays."""

from __future__ import annotations

import random
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import beside, cell, formulas, kept, live, look, table, value
from envwheel_office.books import extended
from envwheel_office.facts import rng
from envwheel_office.families.loan_terms import Loan, draw_loan, head, sheets
from envwheel_office.family import OfficeFamily, Recipe, Wrong
from envwheel_office.kit.officekit.language_base import Anchor
from envwheel_office.kit.officekit.language_cells import Change
from envwheel_office.papers import memo
from envwheel_office.scripts import answered, edited, python, rebuilt, swapped

ID = "loan_schedule"
FILE = "schedule.xlsx"


def make_payment(draw: random.Random) -> Recipe:
    """Level 0: one payment."""
    loan = draw_loan(draw, 0)
    data = loan.book()
    formula = "=ROUND(PMT(B2/12,B3,-B1),2)"
    typed = "p, r, n = (wb['Terms'][f'B{y}'].value for y in (1, 2, 3))\n"
    return Recipe(
        instruction="""
/app/terms.xlsx has one sheet, Terms, with a loan: the principal in B1, the annual rate in B2, the number of monthly
payments in B3 and the date of the first one in B4.

Save a copy as /app/schedule.xlsx in which B5 holds the payment that pays the loan off in that many equal monthly
payments, each at the end of its month, with interest of a twelfth of the annual rate a month. A positive number,
rounded to cents; a number or a formula, as you like. A5 holds the label Payment. Change nothing else.
""",
        artifacts=(FILE,),
        solve=answered("terms.xlsx", FILE, {"Terms": {"A5": "Payment", "B5": formula}}),
        checks=(
            value("payment", "B5 holds the monthly payment", FILE, cell("Terms!B5"), loan.payment, tol=0.004),
            kept(FILE, "terms.xlsx", "Terms!A5:B5"),
        ),
        files={"terms.xlsx": data},
        tests={"terms.xlsx": data},
        wrongs=edited(
            FILE,
            ("negative", "as PMT gives it", ("payment",), "wb['Terms']['B5'] = '=ROUND(PMT(B2/12,B3,B1),2)'"),
            ("due", "at a month's beginning", ("payment",), "wb['Terms']['B5'] = '=ROUND(PMT(B2/12,B3,-B1,0,1),2)'"),
            ("yearly", "the whole rate each month", ("payment",), "wb['Terms']['B5'] = '=ROUND(PMT(B2,B3,-B1),2)'"),
            ("touched", "another rate", ("kept",), "wb['Terms']['B2'] = 0.5\nwb['Terms']['B5'] = 100"),
        ),
        alternatives=(
            Alternative("number", "a number", python(
                "from openpyxl import load_workbook\nwb = load_workbook('/app/terms.xlsx')\n" + typed +
                "wb['Terms']['A5'] = 'Payment'\nr /= 12\nwb['Terms']['B5'] = round(p * r / (1 - (1 + r) ** -n), 2)\n"
                "wb.save('/app/schedule.xlsx')\n")),
        ),
    )  # fmt: skip


VALUES = """
import datetime
from decimal import ROUND_HALF_UP, Decimal
from openpyxl import load_workbook

def cents(value):
    return value.quantize(Decimal("0.01"), ROUND_HALF_UP)

wb = load_workbook("/app/terms.xlsx")
principal, rate, months, first = (wb["Terms"][f"B{y}"].value for y in (1, 2, 3, 4))
balance, r = Decimal(str(principal)), Decimal(str(rate)) / 12
payment = cents(balance * r / (1 - (1 + r) ** -months))
ws = wb.create_sheet("Schedule")
for letter in "ABCDEFGH":
    ws.column_dimensions[letter].width = 16
ws.append(["No", "Date", "Payment", "Interest", "Principal", "Balance"])
for no in range(1, months + 1):
    month = first.month - 1 + no - 1
    date = datetime.date(first.year + month // 12, month % 12 + 1, first.day)
    interest = cents(balance * r)
    paid = balance + interest if no == months else payment
    balance -= paid - interest
    ws.append([no, date, float(paid), float(interest), float(paid - interest), float(balance)])
for row in ws.iter_rows(min_row=2):
    row[1].number_format = "yyyy-mm-dd"
    for cell in row[2:]:
        cell.number_format = "#,##0.00"
wb.save("/app/schedule.xlsx")
"""
RULES = """
- Date is one month after the other, on the same day of the month as the first payment{clamp}.
- Interest is the balance before the payment times a twelfth of the annual rate, rounded to cents.
- Payment is the equal monthly payment that pays the loan off in the given number of months (paid at the end of each
  month), rounded to cents. The last payment is what remains plus its interest, so that the last Balance is 0.{less}
- Principal is Payment minus Interest; Balance is the balance before minus Principal{extra}.
"""


def make_values(draw: random.Random) -> Recipe:
    """Level 1: the schedule as values."""
    loan = draw_loan(draw, 1)
    data = loan.book()
    names = head(loan)
    anchor = Anchor(headers=names, sheet="Schedule")
    other = loan.formulas(other=True, first=3)
    return Recipe(
        instruction=f"""
/app/terms.xlsx has one sheet, Terms, with a loan: the principal in B1, the annual rate in B2, the number of monthly
payments in B3 and the date of the first one in B4.

Save it as /app/schedule.xlsx with a further sheet Schedule: a table with the headers {", ".join(names)}, a row for each
payment.
{RULES.format(clamp="", less="", extra="")}- Dates are shown as dates, amounts with thousands separators and two
  decimals.

The sheet Terms stays as it is.
""",
        artifacts=(FILE,),
        solve=python(VALUES),
        checks=(
            table(
                "schedule", "all payments", FILE, "Schedule", names, loan.rows(), types="ndnnnn", weight=4, floor=0.1
            ),
            look("dates", "dates are shown as dates", FILE, anchor, "Date", number="date"),
            look(
                "money", "amounts have two decimals", FILE, anchor, "Balance", number="number", decimals=2,
                thousands=True,
            ),
            kept(FILE, "terms.xlsx", "new"),
        ),
        files={"terms.xlsx": data},
        tests={"terms.xlsx": data},
        wrongs=(
            *swapped(
                VALUES, python,
                ("rest", "the last is like the others", ("schedule",), "if no == months", "if no > months"),
                ("flat", "interest on all of it", ("schedule",), "cents(balance * r)\n", "cents(principal * r)\n"),
                ("late", "the first date is a month late", ("schedule",), "+ no - 1\n", "+ no\n"),
                ("serials", "dates as numbers", ("dates",), "yyyy-mm-dd", "0"),
                ("bare", "amounts as General", ("money",), "#,##0.00", "General"),
            ),
            *edited(FILE, ("touched", "another rate", ("kept",), "wb['Terms']['B2'] = 0.5")),
        ),
        alternatives=(
            Alternative("formulas", "XlsxWriter, formulas, two rows lower", rebuilt(
                "terms.xlsx", FILE, {"Schedule": other}, FORMATS,
                {"Schedule": [ref for ref in other if ref[0] == "B"]})),
        ),
    )  # fmt: skip


FORMATS = """
money = new.add_format({"num_format": "#,##0.00"})
for ref, item in answer["Schedule"].items():
    if ref[0] in "CDEFGH" and str(item).startswith("="):
        sheets["Schedule"].write(ref, item, money)
"""
LOOKS = """
for row in wb["Schedule"].iter_rows(min_row=2, min_col=2):
    row[0].number_format = "yyyy-mm-dd"
    for cell in row[1:]:
        cell.number_format = "#,##0.00"
"""
INTRO = """
/app/terms.xlsx describes a loan. The sheet Terms has the principal in B1, the annual rate in B2, the number of monthly
payments in B3 and the date of the first one in B4.{more}

Save it as /app/schedule.xlsx with two further sheets:

- Schedule, a table with the headers {head} and a row for each of the {months} payments, numbered from 1;
- Totals, with the labels Total paid and Total interest in column A and their amounts in column B{paid}.

Everything but the numbers in the column No is a live formula: the tables stay right when somebody changes the
{follow}. The number of payments does not change.
"""
EXTRA = """ The sheet Extra lists what the borrower pays on top (Date, Amount)."""
EXTRA_RULE = """- Extra is the sum of what the sheet Extra lists after the date of the payment before (for payment 1: at
  any time before) up to and including the date of this payment, but never more than what remains after Principal. When
  the loan is paid off early, the rows that follow have 0 in all amounts.
"""
RATES = """ The sheet Rates says which annual rate holds from which payment on (From, Rate), the sheet Holidays
lists the numbers of the payments that are skipped (No). B2 of Terms is the rate of the first line of Rates."""
POLICY = (
    "- Rate is the annual rate that holds for this payment. Interest is a twelfth of it times the balance before the "
    "payment, rounded to cents.",
    "- Payment is the equal monthly payment that would pay off the balance in the payments that are left (this one "
    "included), rounded to cents. It is computed for payment 1, and anew whenever the rate differs from that of the "
    "payment before and whenever the payment before was a holiday. Otherwise it stays.",
    "- In a holiday nothing is paid: Payment is 0, Principal is minus the interest, which is added to the balance.",
    "- The last payment is what remains plus its interest, so that the last balance is 0.",
    "- Payments fall on the day of the month of the first one, or on the last day of a month that has no such day.",
)


def make_live(level: int, draw: random.Random) -> Recipe:
    """Levels 2 to 4: live formulas; extra payments; rates and holidays by a memo."""
    loan = draw_loan(draw, level)
    data, names = loan.book(), head(loan)
    anchor = Anchor(headers=names, sheet="Schedule")
    answer, other = sheets(loan, False), sheets(loan, True)
    follow = "principal or the first date" if level == 4 else "principal, the rate or the first date"
    told = INTRO.format(
        more=EXTRA if level == 3 else RATES if level == 4 else "",
        head=", ".join(names),
        months=loan.months,
        paid=" (Total paid with the extra payments)" if level == 3 else "",
        follow=follow + {3: " or the extra payments", 4: " or the rates"}.get(level, ""),
    )
    if level == 4:
        told += "\nHow the columns are computed stands in the memo /app/policy.docx. "
        told += "Balance is the balance before minus Principal.\n"
    else:
        less = " No payment is more than\n  what remains plus its interest." if level == 3 else ""
        told += RULES.format(clamp="", less=less, extra=" and minus Extra" if level == 3 else "")
        told += EXTRA_RULE if level == 3 else ""
    told += "\nDates are shown as dates. Helper columns to the right of the table are fine. The sheets that are there\n"
    told += "already stay as they are.\n"
    rows = loan.rows()
    paid, interest = loan.totals()
    changes = [Change(how="scale", range="Terms!B1:B1", count=1)]
    changes.append(Change(how="scale", range="Rates!B2:B4" if level == 4 else "Terms!B2:B2", count=1))
    changes.append(Change(how="shift_days", range="Terms!B4:B4", count=1, days=25))
    if level == 3:
        changes.append(Change(how="scale", range=f"Extra!B2:B{len(loan.extra) + 1}", count=2))
    n = "ndnnnn" + "n" * (len(names) - 6)
    files: dict[str, str | bytes] = {"terms.xlsx": data}
    if level == 4:
        files["policy.docx"] = memo("Loans with changing rates", POLICY)
    return Recipe(
        instruction=told,
        artifacts=(FILE,),
        solve=answered("terms.xlsx", FILE, answer, LOOKS),
        checks=(
            table("schedule", "all payments", FILE, "Schedule", names, rows, types=n, weight=4, floor=0.5),
            value("paid", "the sum of what is paid", FILE, beside("Total paid", "Totals"), paid),
            value("interest", "the sum of the interest", FILE, beside("Total interest", "Totals"), interest),
            look("dates", "dates are shown as dates", FILE, anchor, "Date", number="date"),
            formulas("formulas", "Balance is computed", FILE, anchor, "Balance", ["Terms!B1"]),
            live(
                "live", "schedule and totals follow the terms", FILE, "reference.xlsx", changes, anchor=anchor,
                names=names[1:], key=["No"],
                outputs=[beside("Total paid", "Totals"), beside("Total interest", "Totals")],
            ),
            kept(FILE, "terms.xlsx", "new"),
        ),
        files=files,
        tests={"terms.xlsx": data, "reference.xlsx": extended(data, answer)},
        skills=("finance", "formulas", "policy") if level == 4 else (),
        wrongs=live_wrongs(loan, rows, paid),
        alternatives=(
            Alternative("xlsxwriter", "XlsxWriter, other formulas, other place", rebuilt(
                "terms.xlsx", FILE, other, "", {"Schedule": [ref for ref in other["Schedule"] if ref[0] == "B"]})),
        ),
    )  # fmt: skip


def live_wrongs(loan: Loan, rows: list[list[Any]], paid: float) -> tuple[Wrong, ...]:
    """What goes wrong with a live schedule."""
    each = "for row in wb['Schedule'].iter_rows(min_row=2):\n    for cell in row:\n        cell.value = "
    return edited(
        FILE,
        (
            "typed",
            "right numbers, typed",
            ("formulas", "live"),
            "import datetime\nfor y, row in enumerate(rows, 2):\n    for x, item in enumerate(row, 1):\n        "
            "wb['Schedule'].cell(y, x).value = item",
        ),
        (
            "unrounded",
            "rounds nowhere",
            ("schedule",),
            each + "cell.value if not isinstance(cell.value, str) else cell.value.replace('ROUND(', 'SUM(')",
        ),
        ("total", "a typed total", ("live",), f"wb['Totals']['B1'] = {paid}"),
        (
            "short",
            "totals without the last payments",
            ("paid", "interest"),
            f"for c in wb['Totals']['B']:\n    c.value = c.value.replace('{loan.months + 1}', '9')",
        ),
        (
            "start",
            "a typed principal",
            ("formulas", "live"),
            each + f"cell.value if cell.data_type != 'f' else cell.value.replace('Terms!$B$1', '{loan.principal}')",
        ),
        ("serials", "dates as numbers", ("dates",), "for c in wb['Schedule']['B']:\n    c.number_format = '0'"),
        ("touched", "another first date", ("kept",), "wb['Terms']['B3'] = 7"),
        rows=[[item.isoformat() if hasattr(item, "isoformat") else item for item in row] for row in rows],
    )


def make(level: int, seed: int) -> Recipe:
    """0: a payment; 1: values; 2: live; 3: extra payments; 4: rates, holidays and a memo."""
    draw = rng(ID, level, seed)
    if level < 2:
        return (make_payment, make_values)[level](draw)
    return make_live(level, draw)


FAMILY = OfficeFamily.of(ID, "Loan schedules", ("finance", "formulas"), make)
