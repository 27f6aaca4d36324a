"""Level 4 of git_recover: find by bisection which commit broke a program, and undo it under what came later.

A program grows by small steps in a drawn order. One of them, with an innocent subject, brings a fault and changes
something else as well; a later one changes the same lines. The right result has all steps but that one.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from envwheel.api import Alternative, Mutant
from envwheel_swe import naming
from envwheel_swe.families.git_story import Story
from envwheel_swe.family import Recipe, swap, write_file
from envwheel_swe.repair import instruction, program

Swaps = tuple[tuple[str, str], ...]
FAMILY, PATH = "git_recover", "parcel.py"


@dataclass(frozen=True, slots=True)
class Step:
    """A commit's subject and what it replaces in the program."""

    subject: str
    swaps: Swaps

    def apply(self, text: str) -> str:
        """The program after this step."""
        for old, new in self.swaps:
            text = swap(text, old, new)
        return text


@dataclass(frozen=True, slots=True)
class Culprit:
    """A step that breaks the program; `over` changes its lines later, `over_right` is the same step without it.

    `slip` is the part of `step` that is the fault: broken text, mended text (after `over`). `check` is bash that sets
    `fine` to yes or no.
    """

    id: str
    step: Step
    over: Step
    over_right: Swaps
    slip: tuple[str, str]
    symptom: str
    check: str


LOOP, PRICE = "    for line in sys.stdin:\n", "        cents = price("
EXPRESS = ("        total += cents\n", '        if "x" in marks:\n            cents *= 2\n        total += cents\n')
MONEY = '''def money(cents):
    """Cents as a number with a point."""
    return f"{cents // 100}.{cents % 100:02d}"


def main():
'''
GRAMS = '''def grams(text):
    """A weight such as 750 or 1.5kg in grams."""
    return round(float(text[:-2]) * 1000) if text.endswith("kg") else int(text)


def price(weight, zone):
'''
STEPS = (
    Step("Deliver to zone d", (('"c": 890}', '"c": 890, "d": 1290}'),)),
    Step("Charge more for heavy parcels",
         (("    return cents\n", "    if weight > 10000:\n        cents += 450\n    return cents\n"),)),
    Step("Skip empty lines and comments",
         ((LOOP, LOOP + '        if not line.strip() or line.startswith("#"):\n            continue\n'),)),
    Step("Refuse zones that we do not know",
         ((PRICE, '        if zone not in RATES:\n            sys.exit(f"unknown zone {zone}")\n' + PRICE),)),
    Step("Take weights in kilograms too", (("int(weight)", "grams(weight)"), ("def price(weight, zone):\n", GRAMS))),
    Step("Add the option --header",
         (("    total = count = 0\n",
           '    total = count = 0\n    if "--header" in sys.argv[1:]:\n        print("parcel", "price")\n'),)),
    Step("Add the option --count",
         (("\n\n\nmain()\n", '\n    if "--count" in sys.argv[1:]:\n        print("parcels", count)\n\n\nmain()\n'),)),
    Step("New prices from March on", (("STEP = 60", "STEP = 65"),)),
    Step("Zone b becomes dearer", (('"b": 490', '"b": 520'),)),
    Step("Say what the total is", (("then the total.", "then the total of all."),)),
)  # fmt: skip
PRINTING = (
    Step("Print money with a point",
         (("def main():\n", MONEY), (", cents)", ", amount(cents))"),
          ("reduced(total, count))", "amount(reduced(total, count)))"))),
    Step("Call the function by its name",
         (("amount(cents))", "money(cents))"), ("amount(reduced(", "money(reduced("))),
)  # fmt: skip
"""The first of the two does not run at all: no version of it can be tested."""

CULPRITS = (
    Culprit(
        "steps",
        Step("Name the size of a step",
             (("RATES = {", "STEP_GRAMS = 500\nRATES = {"),
              ("-(-weight // 500) * STEP", "(weight // STEP_GRAMS + 1) * STEP"),
              ('print("total", ', 'print("sum", '))),
        Step("At least two steps for every parcel",
             (("(weight // STEP_GRAMS + 1) * STEP", "max(weight // STEP_GRAMS + 1, 2) * STEP"),)),
        (("-(-weight // 500) * STEP", "max(-(-weight // 500), 2) * STEP"),),
        ("max(weight // STEP_GRAMS + 1, 2)", "max(-(-weight // STEP_GRAMS), 2)"),
        "a parcel of exactly 1000 g costs more than one of 999 g",
        """one=$(printf 'p 1000 a\\n' | python3 parcel.py) || exit 125
two=$(printf 'p 999 a\\n' | python3 parcel.py) || exit 125
[ "$one" = "$two" ] && fine=yes || fine=no
""",
    ),
    Culprit(
        "fields",
        Step("Read an order in one go",
             (("line.split()", 'line.rstrip("\\n").split(" ")'), ("print(ident, ", "print(ident.upper(), "))),
        Step("Take the mark x for express parcels",
             (("ident, weight, zone = line.rstrip", "ident, weight, zone, *marks = line.rstrip"), EXPRESS)),
        (("ident, weight, zone = line.split", "ident, weight, zone, *marks = line.split"), EXPRESS),
        ('line.rstrip("\\n").split(" ")', "line.split()"),
        "orders with more than one blank between two fields are not read any more",
        """one=$(printf 'p 700 a\\n' | python3 parcel.py) || exit 125
two=$(printf 'p  700   a\\n' | python3 parcel.py 2>&1)
[ "$one" = "$two" ] && fine=yes || fine=no
""",
    ),
    Culprit(
        "discount",
        Step("Give the limit of the discount a name",
             (("RATES = {", "MANY = 10\nRATES = {"), ("count >= 10", "count > MANY"),
              ("total -= total * 5 // 100", "total -= (total * 5 + 50) // 100"))),
        Step("A discount of 7 percent", (("(total * 5 + 50)", "(total * 7 + 50)"),)),
        (("total * 5 // 100", "total * 7 // 100"),),
        ("count > MANY", "count >= MANY"),
        "exactly ten parcels get no discount any more",
        """out=$(for n in 0 1 2 3 4 5 6 7 8 9; do echo "p$n 700 a"; done | python3 parcel.py) || exit 125
sum=$(echo "$out" | tr -d . | awk '$1 ~ /^p/ { sum += $2 } $1 == "total" { print sum - $2 }')
[ "$sum" -gt 0 ] && fine=yes || fine=no
""",
    ),
)  # fmt: skip


def story_of(draw: random.Random, culprit: Culprit) -> tuple[list[Step], int, list[Step]]:
    """The steps in their order, the culprit's place, and the same steps as they should have been, without it."""
    order: list[Step] = draw.sample(STEPS, len(STEPS))
    place = draw.randint(4, 6)
    order.insert(place, culprit.step)
    pair = draw.choice((1, place + 3))
    order[pair:pair] = PRINTING
    order.insert(draw.randint(max(pair + 2, place + 3), len(order) - 1), culprit.over)
    place = order.index(culprit.step)
    right = [Step(step.subject, culprit.over_right) if step is culprit.over else step for step in order]
    return order, place, [step for step in right if step is not culprit.step]


def grown(text: str, steps: Sequence[Step]) -> str:
    """The program after all of `steps`."""
    for step in steps:
        text = step.apply(text)
    return text


def undo_the_culprit(story: Story, seed: int) -> Recipe:
    """Level 4."""
    draw, culprit = story.draw, CULPRITS[seed % len(CULPRITS)]
    first = program(FAMILY)[PATH]
    order, place, right_steps = story_of(draw, culprit)
    root = story.commit({"README": "Prices of parcels.\n", PATH: first}, "Price parcels")
    commits = [root]
    for number, step in enumerate(order):
        if number in (2, len(order) - 3):
            story.commit({"README": f"Prices of parcels. Ask {draw.choice(naming.FIRST_NAMES)}.\n"}, "Say whom to ask")
        commits.append(story.commit({PATH: step.apply(story.head.files[PATH])}, step.subject))
    tip, bad = story.head, commits[place + 1]
    broken, right = tip.files[PATH], grown(first, right_steps)
    line = f"This reverts commit {bad.id}."
    done = f"git add -A\ngit commit -q -m 'Undo it' -m '{line}'"
    again = f"cd {story.root}\ngit reset -q --hard {tip.id}\n"
    without_later = grown(first, [step for step in right_steps if step.subject != culprit.over.subject])
    words = {"zzrepo": story.root, "zzsymptom": culprit.symptom, "zzfirst": root.id[:12]}
    find = (
        f"cd {story.root}\ngit bisect start main {root.id} > /dev/null\n"
        "git bisect run bash /app/check.sh > /dev/null\nbad=$(git rev-parse refs/bisect/bad)\n"
        'git bisect reset 2> /dev/null\ngit revert --no-commit "$bad" || true\n'
    )
    return Recipe(
        instruction=instruction(FAMILY, "4", words),
        artifacts=(story.root,),
        files={"check.sh": CHECK.replace("zzcheck", culprit.check).replace("zzsymptom", culprit.symptom)},
        setup=story.setup,
        solve=find + write_file(PATH, right)
        + 'git add -A\ngit commit -q -m "Undo a commit" -m "This reverts commit $bad."',
        check="git_repo",
        expect={
            "repo": story.root,
            "refs": {"refs/heads/main": {"parents": [tip.id], "line": line, "only": [PATH]}},
            "program": {"path": PATH, "right": right, "runs": runs(draw)},
        },
        mutants=(
            Mutant("slip_only", "the fault is mended, the rest of the commit stays",
                   again + write_file(PATH, swap(broken, *culprit.slip)) + done),
            Mutant("later_lost", "a later change of the same lines is lost",
                   again + write_file(PATH, without_later) + done),
            Mutant("other_commit", "the message names another commit",
                   f"cd {story.root}\ngit commit -q --amend -m 'Undo' -m 'This reverts commit {commits[place].id}.'"),
            Mutant("rewritten", "history is rewritten",
                   f"cd {story.root}\ngit reset -q --soft {bad.parents[0]}\n{done}"),
        ),
        alternatives=(Alternative("by_hand", "without bisect and revert", again + write_file(PATH, right) + done),),
        skills=("git", "debugging", "testing"),
        knobs={"culprit": culprit.id, "place": place},
    )  # fmt: skip


CHECK = """#!/bin/bash
# Run in the folder of the repository: does the version that is checked out have the fault
# "zzsymptom"?
# Ends with 0 if not, 1 if so, 125 if that cannot be told.
zzcheck[ "$fine" = yes ]
"""


WEIGHTS = ("0", "1", "499", "500", "501", "1000", "1001", "1500", "10000", "10001", "2kg", "1.5kg")


def runs(draw: random.Random) -> list[dict[str, object]]:
    """Hidden runs of the program: every step shows in some of them."""
    found: list[dict[str, object]] = []
    for number, count in enumerate((1, 3, 9, 10, 11, 20)):
        lines = []
        for item in range(count):
            weight = draw.choice(WEIGHTS)
            blank = draw.choice((" ", "  ", "\t"))
            lines.append(f"p{item}{blank}{weight} {draw.choice('abcd')}\n")
        extra = ("# none\n", "\n", "  \n")[number % 3]
        lines.insert(draw.randrange(len(lines) + 1), extra)
        args = ([], ["--header"], ["--count"], ["--header", "--count"])[number % 4]
        found.append({"args": args, "stdin": "".join(lines)})
    found.append({"args": [], "stdin": "a1 700 b x\na2 1000 a\na3 2kg c x\n"})
    found.append({"args": ["--count"], "stdin": "a1 700 b\na2 700 q\n"})
    found.append({"args": [], "stdin": ""})
    found += [{"args": [], "stdin": f"k{weight} {weight} d\n" * 10} for weight in (500, 750, 1010)]
    return found
