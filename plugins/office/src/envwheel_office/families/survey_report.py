"""Level 4 of `survey`: a crosstab and a deck that agree, by the rules of a codebook."""

from __future__ import annotations

import random
from typing import Any

from envwheel.api import Alternative
from envwheel_office.ask import typed
from envwheel_office.decks import house
from envwheel_office.families.deck_scripts import MARKUP, OBJECTS
from envwheel_office.families.poll import FEW, HIDDEN, OTHER, SMALL, Poll, draw_poll
from envwheel_office.families.questionnaire import ALL, ITEMS
from envwheel_office.families.survey_live import crosstab, looks
from envwheel_office.family import Recipe
from envwheel_office.kit.officekit.language import Notes, Overflow, SlideChart, Slides, SlideTable, SlideText
from envwheel_office.papers import memo, packed
from envwheel_office.scripts import edited, python, swapped

BOOK, DECK = "crosstab.xlsx", "deck.pptx"
CHARTED, LISTED, TITLE = "Top 2 by item", "Lowest item by department", "Share of 4 and 5, all staff"
SOLVE = r"""
from openpyxl import Workbook, load_workbook
from openpyxl.styles import Alignment, Font

given = load_workbook("/app/answers.xlsx")
staff = dict(given["Staff"].iter_rows(min_row=2, values_only=True))
lines = list(given["Answers"].iter_rows(min_row=2, values_only=True))
found = {}
for number, day, status, name, *answers in lines:
    if status == "complete" and (number not in found or day > found[number][0]):
        found[number] = (day, name, answers)
people = [(name, answers) for day, name, answers in found.values()]
sizes = {name: sum(one == name for one, _ in people) for name in staff}
row_of = {name: name if sizes[name] >= 10 else "Other" for name in staff}
weights = {name: staff[name] / sizes[name] for name in staff}
rows = sorted(set(row_of.values()) - {"Other"}) + ["Other"]
labels = [f"Q{at + 1}" for at in range(len(items))]

def scores(at, row):
    found = []
    for name, answers in people:
        if answers[at] in (1, 2, 3, 4, 5) and row in ("All", row_of[name]):
            value = 6 - answers[at] if at in turned else answers[at]
            found.append((value, weights[name] if row == "All" else 1))
    return found

def mean(pairs):
    return sum(value * weight for value, weight in pairs) / sum(weight for _, weight in pairs)

book = Workbook()
sheets = {}
for name in ("Base", "Mean", "Top 2"):
    sheets[name] = book.create_sheet(name)
    sheets[name].append(["Department", *labels])
    sheets[name].column_dimensions["A"].width = 16
    for cell in sheets[name][1]:
        cell.font = Font(name="Calibri", bold=True)
        cell.alignment = Alignment(horizontal="right" if cell.column > 1 else "left")
del book["Sheet"]
base, top = {}, {}
for row in [*rows, "All"]:
    pairs = [scores(at, row) for at in range(len(items))]
    base[row] = [len(one) for one in pairs]
    top[row] = [mean([(value >= 4, weight) for value, weight in one]) if len(one) >= 5 else "n<5" for one in pairs]
    sheets["Base"].append([row, *base[row]])
    sheets["Mean"].append([row, *(mean(one) if len(one) >= 5 else "n<5" for one in pairs)])
    sheets["Top 2"].append([row, *top[row]])
for name, look in (("Mean", "0.00"), ("Top 2", "0.0%")):
    for line in sheets[name].iter_rows(min_row=2, min_col=2):
        for cell in line:
            cell.number_format = look
            cell.alignment = Alignment(horizontal="right")
book.save("/app/crosstab.xlsx")

percent = lambda share: f"{share:.1%}" if share != "n<5" else share
share = dict(zip(items, top["All"]))
order = sorted(items, key=share.get, reverse=True)
high, low = order[0], order[-1]
at = items.index(low)
best = max((row for row in rows if top[row][at] != "n<5"), key=lambda row: top[row][at])
deck = Presentation("/app/template.pptx")

add(deck, "Opening", f"Staff survey {year}", f"{len(people)} of {sum(staff.values())} staff answered")
add(deck, "Content", "Key results", "\n".join([
    f"Highest: {high}, {percent(share[high])}",
    f"Lowest: {low}, {percent(share[low])}",
    f"Best on {low}: {best}, {percent(top[best][at])}",
]))
charted = add(deck, "Figure", "Top 2 by item")
chart(charted, "column", "Share of 4 and 5, all staff", order, [("Top 2", [share[item] for item in order])])
axis = next(shape for shape in charted.shapes if shape.has_chart).chart.value_axis
axis.tick_labels.number_format, axis.tick_labels.number_format_is_linked = "0%", False
charted.notes_slide.notes_text_frame.text = (
    f"Weighted by staff; {min(base['All'])} to {max(base['All'])} answers by item")
listed = add(deck, "Figure and text", "Lowest item by department", f"Item: {low}")
table(listed, [["Department", "Base", "Top 2"]] + [
    [row, base[row][at], percent(top[row][at])] for row in [*rows, "All"]])
deck.save("/app/deck.pptx")
"""
OTHER_WAY = r"""
import sqlite3, xlsxwriter
from openpyxl import load_workbook

base = sqlite3.connect(":memory:")
ask = lambda text, *given: base.execute(text, given).fetchall()
book = load_workbook("/app/answers.xlsx", read_only=True)
ask("create table staff (department text, people integer)")
ask("create table sent (person text, day text, status text, department text, item integer, answer integer)")
base.executemany("insert into staff values (?, ?)", list(book["Staff"].values)[1:])
for person, day, status, department, *answers in list(book["Answers"].values)[1:]:
    base.executemany("insert into sent values (?, ?, ?, ?, ?, ?)", [
        (person, day.isoformat(), status, department, item, answer) for item, answer in enumerate(answers)])
ask("create table last as select person, max(day) as day from sent where status = 'complete' group by person")
ask("create table kept as select sent.* from sent join last using (person, day) where status = 'complete'")
ask("create table size as select department, count(distinct person) as n from kept group by department")
ask("create table good as select department, item, people * 1.0 / n as weight, "
    "case when n < 10 then 'Other' else department end as shown, answer from kept join size using (department) "
    "join staff using (department) where answer between 1 and 5")
for item in turned:
    ask("update good set answer = 6 - answer where item = ?", item)
names = [name for name, in ask("select distinct shown from good order by shown = 'Other', shown")] + ["All"]
labels = ["Q%d" % (item + 1) for item in range(len(items))]
table_of = {"Base": {}, "Mean": {}, "Top 2": {}}
for name in names:
    for values in table_of.values():
        values[name] = []
    for item in range(len(items)):
        if name == "All":
            row = ask("select count(*), sum(answer * weight) / sum(weight), sum((answer > 3) * weight) / sum(weight) "
                      "from good where item = ?", item)[0]
        else:
            row = ask("select count(*), avg(answer), avg(answer > 3) from good where item = ? and shown = ?", item,
                      name)[0]
        for values, value in zip(table_of.values(), row):
            values[name].append(value if isinstance(value, int) or row[0] >= 5 else "n<5")
new = xlsxwriter.Workbook("/app/crosstab.xlsx")
for sheet, form in (("Top 2", "0.0%"), ("Mean", "0.00"), ("Base", "0")):
    ws, look = new.add_worksheet(sheet), new.add_format({"num_format": form, "align": "right"})
    ws.set_column("B:B", 18)
    ws.write("B1", sheet + " by department and item")
    ws.write_row("B3", ["Department", *labels])
    for y, name in enumerate(names, 3):
        ws.write(y, 1, name)
        ws.write_row(y, 2, table_of[sheet][name], look)
new.close()

top = table_of["Top 2"]
order = sorted(range(len(items)), key=lambda item: -top["All"][item])
low = order[-1]
count = lambda value: value if isinstance(value, str) else "{:.1f}%".format(100 * value)
known = [(top[name][low], name) for name in names[:-1] if not isinstance(top[name][low], str)]
people, = ask("select count(distinct person) from kept")[0]
total, = ask("select sum(people) from staff")[0]
deck = Presentation("/app/template.pptx")
texts = ["Highest: %s, %s" % (items[order[0]], count(top["All"][order[0]])),
         "Lowest: %s, %s" % (items[low], count(top["All"][low])),
         "Best on %s: %s, %s" % (items[low], max(known)[1], count(max(known)[0]))]
for number, (name, title, lines) in enumerate((
    ("Opening", f"Staff survey {year}", [f"{people} of {total} staff answered"]), ("Content", "Key results", texts),
    ("Figure", "Top 2 by item", []), ("Figure and text", "Lowest item by department", ["Item: " + items[low]]),
)):
    slide = deck.slides.add_slide(layout(deck, name))
    slide.placeholders[0].text_frame.paragraphs[0].add_run().text = title
    for at, line in enumerate(lines):
        body = slide.placeholders[1].text_frame
        (body.add_paragraph() if at else body.paragraphs[0]).add_run().text = line
    if number == 2:
        chart(slide, "column", "Share of 4 and 5, all staff", [items[item] for item in order],
              [("Top 2", [round(top["All"][item], 4) for item in order])])
        bases = table_of["Base"]["All"]
        slide.notes_slide.notes_text_frame.text = "Weighted by staff; %d to %d answers by item" % (
            min(bases), max(bases))
    if number == 3:
        table(slide, [["Department", "Base", "Top 2"]] + [
            [name, table_of["Base"][name][low], count(top[name][low])] for name in names])
deck.save("/app/deck.pptx")
"""


def codebook(poll: Poll) -> bytes:
    """The memo."""
    items = [
        f"- {label} {item}: {ITEMS[item][item in poll.turned]}{' (reversed)' if item in poll.turned else ''}"
        for label, item in zip(poll.labels, poll.items, strict=True)
    ]
    return memo(
        f"Codebook of the staff survey {poll.year}",
        (
            "The items, with their short names:",
            *items,
            "The answers:",
            f"- 1 is disagree, 5 is agree. {poll.codes[0]} is does not apply, {poll.codes[1]} is don't know; these two "
            "and empty cells are no answers and count nowhere.",
            "- For the items that are marked as reversed, 6 minus the answer counts, in means and in shares.",
            "- Top 2 is the share of 4 and 5, after reversing, among those who answered the item.",
            "Who counts:",
            "- Many sent several sheets. For each respondent the latest sheet of the status complete counts, by the "
            "date in Submitted, whatever else was sent before or after it. Who sent no complete sheet does not count. "
            "A complete sheet may well have empty cells.",
            "Reporting:",
            f"- A department with fewer than {SMALL} counted respondents has no row of its own. All these departments "
            f"together are one row, {OTHER}.",
            f"- Where fewer than {FEW} answered an item in a row, Mean and Top 2 are the text {HIDDEN}. The base is "
            "always shown.",
            f"- The rows of departments and {OTHER} are not weighted. In the row {ALL} each counted respondent has the "
            "weight of their own department, also where it is shown within Other: its staff (sheet Staff) divided by "
            "the number of its counted respondents, whatever items they answered. Mean and Top 2 of an item are "
            f"weighted over those who answered it. The base of {ALL} is their plain number.",
            "- Texts and tables of presentations show shares with one decimal, as 61.4%. Nothing else is rounded.",
        ),
    )


def make_report(draw: random.Random) -> Recipe:
    """The environment."""
    poll = draw_poll(draw)
    given: dict[str, Any] = {
        "year": poll.year, "items": poll.items, "turned": [poll.items.index(item) for item in poll.turned]
    }  # fmt: skip
    head = ["Department", *poll.labels]
    return Recipe(
        instruction=f"""
/app/answers.xlsx holds a staff survey: on the sheet Answers what people sent (Respondent, Submitted, Status, Department
and the items {", ".join(poll.labels)}), on the sheet Staff how many people work in each department. Report it by the
rules in /app/codebook.docx, in two documents that agree with each other.

1. The workbook /app/crosstab.xlsx with the sheets Base, Mean and Top 2. Each has a table with the headers
   {", ".join(head)}: a row for each department that is shown, in alphabetical order, then the
   row Other, then the row All. Base is how many answered, Mean the mean of their answers, Top 2 the share of 4 and 5.
   Values or formulas, not rounded; means are shown as numbers with two decimals, the Top 2 as percentages with one
   decimal.
2. The presentation /app/deck.pptx, from the template /app/template.pptx, with these slides in this order:
   - Layout Opening: title "Staff survey {poll.year}", subtitle as in "98 of 240 staff answered": how many respondents
     count, of all staff.
   - Layout Content: title "Key results"; the body has three bullet points, as in
     Highest: Tools, 71.2%
     Lowest: Pay, 30.8%
     Best on Pay: Finance, 45.0%
     (the items with the highest and the lowest Top 2 of the row All; then, for that lowest item, which of the other
     rows of the crosstab, Other included, has the highest Top 2).
   - Layout Figure: title "{CHARTED}"; a native column chart with the title "{TITLE}",
     the short names of the items as its categories, the highest first, and one series named Top 2: their shares of the
     row All, as fractions (0.712 for 71.2%). Its notes say as in "Weighted by staff; 88 to 97 answers by item" what the
     smallest and the largest Base of the row All are.
   - Layout "Figure and text": title "{LISTED}"; a native table with the columns Department,
     Base and Top 2: all rows of the crosstab in the same order, All included, with what they say of that lowest item.
     In the body one bullet point with the item, as in
     Item: Pay

Titles stand in the title placeholders. Everything stays on its slide and in its box, nothing overlaps, and no text is
smaller than 10 points.
""",
        artifacts=(BOOK, DECK),
        solve=python(OBJECTS + SOLVE, **given),
        checks=checks(poll, head),
        files={"answers.xlsx": poll.book(), "codebook.docx": codebook(poll), "template.pptx": packed(house())},
        skills=("analysis", "slides", "policy"),
        wrongs=wrongs(given),
        alternatives=(
            Alternative("markup", "by a data base, with XlsxWriter and as XML", python(MARKUP + OTHER_WAY, **given)),
        ),
    )


def checks(poll: Poll, head: list[str]) -> tuple[Any, ...]:
    """What is asked for."""
    tables = poll.tables()
    ranking, lowest = poll.ranking(tables), poll.lowest(tables)
    return (
        *crosstab(BOOK, tables, head),
        *looks(BOOK, head),
        Slides(
            id="slides", why="the slides in their order and layouts", file=DECK, floor=0.5,
            titles=[f"Staff survey {poll.year}", "Key results", CHARTED, LISTED],
            layouts=["Opening", "Content", "Figure", "Figure and text"],
        ),
        SlideText(
            id="opening", why="how many answered", file=DECK, slide=f"Staff survey {poll.year}",
            contains=[f"{len(poll.counted())} of {sum(poll.staff.values())} staff answered"],
        ),
        SlideText(
            id="key", why="what is highest and lowest", file=DECK, slide="Key results", weight=2,
            bullets=poll.bullets(tables),
        ),
        SlideChart(
            id="chart", why="a chart of the shares, the highest first", file=DECK, slide=CHARTED, type="column",
            weight=2, title=TITLE, names=["Top 2"], categories=[item for item, _ in ranking],
            series=[[round(share, 6) for _, share in ranking]],
        ),
        Notes(id="notes", why="the bases in the notes", file=DECK, slide=CHARTED, contains=[poll.note(tables)]),
        SlideTable(
            id="table", why="the lowest item by department", file=DECK, slide=LISTED, weight=2, key=["Department"],
            columns=typed(["Department", "Base", "Top 2"], "tna", tol=0.0006), order="exact",
            rows=[[name, n, share if share == HIDDEN else round(share, 3)] for name, n, share in lowest],
        ),
        SlideText(
            id="item", why="which item it is", file=DECK, slide=LISTED, bullets=[f"Item: {ranking[-1][0]}"],
        ),
        Overflow(id="fits", why="everything fits", file=DECK),
    )  # fmt: skip


def wrongs(given: dict[str, Any]) -> tuple[Any, ...]:
    """Wrong solutions."""
    three, two = ("base", "mean", "top"), ("mean", "top")
    return (
        *swapped(
            SOLVE, lambda text: python(OBJECTS + text, **given),
            ("partial", "incomplete sheets count", three, 'status == "complete" and ', ""),
            ("row", "the last complete row of a respondent counts", three, "(number not in found or day > found",
             "(number not in found or number == number or day > found"),
            ("dropped", "nobody counts whose last sheet is incomplete", ("base", "opening"),
             'if status == "complete" and', 'if day == max(line[1] for line in lines if line[0] == number) and '
             'status == "complete" and'),
            ("sent", "every sheet counts", (*three, "opening"), "found[number] = (day", "found[number, day] = (day"),
            ("codes", "codes are answers", ("base", "mean"), "answers[at] in (1, 2, 3, 4, 5)",
             "answers[at] is not None"),
            ("as_given", "nothing is reversed", two, " if at in turned else answers[at]", " if 0 else answers[at]"),
            ("small", "small departments have rows", three, "if sizes[name] >= 10", "if sizes[name] >= 0"),
            ("sizes", "small by what was sent", three, "name if sizes[name] >= 10",
             "name if sum(line[3] == name for line in lines) >= 10"),
            ("few", "few answers are shown", two, 'f"{share:.1%}" if share != "n<5" else share',
             'f"{share:.1%}" if share != "n<5" else share\nfor line, other in ((line, other) for line in '
             'sheets["Top 2"] for other in [sheets["Mean"]]):\n    for cell in line:\n'
             '        if cell.value == "n<5":\n            cell.value = 0.5\n'
             '            other[cell.coordinate].value = 3\nbook.save("/app/crosstab.xlsx")'),
            ("plain", "All is not weighted", (*two, "key", "chart", "table"), 'weights[name] if row == "All" else 1',
             "1"),
            ("people", "weighted by counted people", two, "staff[name] / sizes[name]", "sizes[name]"),
            ("shown", "weights of what is shown", two, "staff[name] / sizes[name]",
             "sum(staff[one] for one in staff if row_of[one] == row_of[name]) / "
             "sum(sizes[one] for one in staff if row_of[one] == row_of[name])"),
            ("last", "Other among the letters", three, 'sorted(set(row_of.values()) - {"Other"}) + ["Other"]',
             'sorted(set(row_of.values()))[::-1]'),
            ("fraction", "shares as fractions", ("percent",), '"0.0%")', '"0.000")'),
            ("one_place", "means with one decimal", ("decimals",), '"0.00"', '"0.0"'),
            ("layout", "one layout for everything", ("slides",), 'template.pptx")',
             'template.pptx")\nlayout = lambda deck, name, of=layout: of(deck, "Content")'),
            ("best", "the department that is worst", ("key",), 'best = max(', 'best = min('),
            ("swapped", "highest and lowest swapped", ("key", "table", "item"), "high, low = order[0], order[-1]",
             "low, high = order[0], order[-1]"),
            ("asked", "items in the order of the questionnaire", ("chart",), 'all staff", order', 'all staff", items'),
            ("hundred", "shares of 100", ("chart",), "[share[item] for item", "[100 * share[item] for item"),
            ("silent", "no notes", ("notes",), "charted.notes_slide.notes_text_frame.text = ", "silent = "),
            ("whole", "no row of all", ("table",), 'for row in [*rows, "All"]])\ndeck', "for row in rows])\ndeck"),
            ("unnamed", "which item is not said", ("item",), ', f"Item: {low}")', ")"),
        ),
        *edited(
            DECK,
            ("huge", "letters that leave the slide", ("fits",),
             "from pptx.enum.text import MSO_AUTO_SIZE\nfrom pptx.util import Pt\n"
             "frame = deck.slides[1].placeholders[1].text_frame\nframe.auto_size = MSO_AUTO_SIZE.NONE\n"
             "for paragraph in frame.paragraphs:\n    paragraph.runs[0].font.size = Pt(110)"),
            ("picture", "a table instead of the chart", ("chart",),
             "slide = deck.slides[2]\nfor shape in list(slide.shapes):\n    if shape.has_chart:\n"
             "        shape._element.getparent().remove(shape._element)"),
        ),
    )  # fmt: skip
