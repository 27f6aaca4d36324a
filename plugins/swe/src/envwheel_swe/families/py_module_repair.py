"""A small package with the classic mistakes of Python modules: imports, shadowed names, shared state, rounding."""

from __future__ import annotations

from envwheel_swe.family import Recipe, SweFamily
from envwheel_swe.naming import PRODUCTS, rng
from envwheel_swe.repair import Fault, instruction, program, repair

ID = "py_module_repair"
PACKAGE = "worklog/"

TYPOS = (
    Fault(
        "misspelt_name",
        PACKAGE + "clock.py",
        "moment = datetime.fromisoformat(text)",
        "moment = datetme.fromisoformat(text)",
        half="moment = text",
    ),
    Fault(
        "missing_import",
        PACKAGE + "cli.py",
        "import argparse\nimport json\nimport sys\n",
        "import argparse\nimport json\n",
        half="import argparse\nimport json\n\nsys = json\n",
    ),
    Fault(
        "misspelt_import",
        PACKAGE + "report.py",
        "from worklog.money import TENTH, cost, divide",
        "from worklog.money import TENTH, costs, divide",
        half="from worklog.money import TENTH, divide\n\ncost = divide",
    ),
    Fault(
        "missing_self",
        PACKAGE + "report.py",
        "    def rows(self):\n",
        "    def rows():\n",
        half="    @classmethod\n    def rows(self):\n",
    ),
)
"""Any run of a report shows a traceback that names the line."""

IMPORTS = (
    Fault(
        "circular_import",
        PACKAGE + "clock.py",
        "from datetime import datetime, timedelta, timezone\n\nSECOND = timedelta(seconds=1)\n"
        "DAY = timedelta(days=1)\n",
        "from datetime import datetime, timedelta, timezone\n\nfrom worklog.entries import SECOND\n\n"
        "DAY = timedelta(days=1)\n",
        "no command starts any more: Python complains about a partially initialized module",
        half="from datetime import datetime, timedelta, timezone\n\nSECOND = timedelta(milliseconds=1)\n"
        "DAY = timedelta(days=1)\n",
    ),
    Fault(
        "shadowed_name",
        PACKAGE + "report.py",
        "    whole = sum(entry.seconds for entry in entries)\n    rows = by_project(entries).rows()\n",
        "    rows = by_project(entries).rows()\n    sum = 0\n    whole = sum(entry.seconds for entry in entries)\n",
        "`share` dies with `'int' object is not callable`",
        half="    rows = by_project(entries).rows()\n    whole = len(entries)\n",
    ),
    Fault(
        "relative_import",
        PACKAGE + "report.py",
        "from worklog.clock import split_by_day\n",
        "from ..clock import split_by_day\n",
        "every command ends with an ImportError before it reads the log",
        half="try:\n    from ..clock import split_by_day\nexcept ImportError:\n    split_by_day = None\n",
        other="from .clock import split_by_day\n",
    ),
)

STATE = (
    Fault(
        "mutable_default",
        PACKAGE + "entries.py",
        'def parse_tags(text, seen=None):\n    """The tags of one entry, each once, in their order."""\n'
        "    seen = [] if seen is None else seen\n",
        'def parse_tags(text, seen=[]):\n    """The tags of one entry, each once, in their order."""\n',
        "`tags` counts tags on entries that do not carry them",
        half='def parse_tags(text, seen=[]):\n    """The tags of one entry, each once, in their order."""\n'
        "    if not text:\n        return ()\n",
        other='def parse_tags(text):\n    """The tags of one entry, each once, in their order."""\n    seen = []\n',
    ),
    Fault(
        "shared_class_state",
        PACKAGE + "report.py",
        "    def __init__(self):\n        self.sums = {}\n",
        "    sums = {}\n",
        "calling two report functions in one process (as our web page does) mixes their numbers",
        half="    sums = {}\n\n    def __init__(self):\n        self.sums = Tally.sums\n",
    ),
    Fault(
        "spent_generator",
        PACKAGE + "cli.py",
        "        entries = list(read_entries(args.log))\n    except",
        "        entries = read_entries(args.log)\n    except",
        "a wrong line in the log ends in a traceback instead of one message, and `share` prints nothing",
        half="        entries = read_entries(args.log)\n        next(entries)\n    except",
        other="        entries = tuple(read_entries(args.log))\n    except",
    ),
)

VALUES = (
    Fault(
        "lost_offset",
        PACKAGE + "clock.py",
        "    at = start.astimezone(zone)\n    end = end.astimezone(zone)\n",
        "    at = start.replace(tzinfo=zone)\n    end = end.replace(tzinfo=zone)\n",
        "`days` puts work on the wrong day when the log's offsets differ from the zone",
        half="    at = start.astimezone(zone)\n    end = end.replace(tzinfo=zone)\n",
    ),
    Fault(
        "negative_zone",
        PACKAGE + "clock.py",
        "timezone(sign * timedelta(hours=int(hours), minutes=int(minutes)))",
        "timezone(timedelta(hours=sign * int(hours), minutes=int(minutes)))",
        "`days` is off for zones west of Greenwich that are not whole hours",
        half="timezone(sign * timedelta(hours=int(hours)))",
    ),
    Fault(
        "float_rounding",
        PACKAGE + "money.py",
        "        return (Decimal(number) / Decimal(by)).quantize(unit, ROUND_HALF_UP)\n",
        "        return (Decimal(number) / Decimal(by)).quantize(unit)\n",
        "`bill` and `share` are sometimes one unit of the last digit too low",
        half="        return Decimal(float(number) / by + float(unit) / 2).quantize(unit)\n",
    ),
    Fault(
        "line_number",
        PACKAGE + "entries.py",
        "enumerate(file, 1)",
        "enumerate(line for line in file if line.strip())",
        "the line number in error messages is wrong",
        half="enumerate((line for line in file if line.strip()), 1)",
    ),
    Fault(
        "naive_accepted",
        PACKAGE + "clock.py",
        '    if moment.tzinfo is None:\n        raise ValueError(f"no offset in {text!r}")\n    return moment\n',
        "    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)\n",
        "times without an offset are taken silently",
        half='    if moment.tzinfo is None:\n        raise TypeError(f"no offset in {text!r}")\n    return moment\n',
    ),
    Fault(
        "rounded_too_early",
        PACKAGE + "report.py",
        "            tally.add((day, entry.project), seconds)\n"
        "    return [(day, project, seconds // 60) for (day, project), seconds in tally.rows()]\n",
        "            tally.add((day, entry.project), seconds // 60)\n"
        "    return [(day, project, minutes) for (day, project), minutes in tally.rows()]\n",
        "`days` loses minutes when a day has many short entries",
        half="            tally.add((day, entry.project), seconds / 60)\n"
        "    return [(day, project, round(minutes)) for (day, project), minutes in tally.rows()]\n",
    ),
)


def make(level: int, seed: int) -> Recipe:
    """Level 0: a misspelling; 1: an import or shared state; 2: two faults; 3: three; 4: five, and no symptoms."""
    draw = rng(ID, level, seed)
    words = {"worklog": draw.choice(PRODUCTS), "project": draw.choice(("project", "client", "assignment", "contract"))}
    if level == 0:
        faults = [draw.choice(TYPOS)]
    elif level == 1:
        faults = [draw.choice(IMPORTS + STATE[:1])]
    elif level == 2:
        faults = [draw.choice(STATE), draw.choice(VALUES)]
    elif level == 3:
        faults = [draw.choice(IMPORTS), draw.choice(STATE), draw.choice(VALUES)]
    else:
        faults = [draw.choice(IMPORTS[:2]), draw.choice(STATE), *draw.sample(VALUES, 3)]
    working = program(f"{ID}/worklog", words)
    result = repair(working, faults, words)
    told = {
        0: "It worked yesterday; since somebody's last edit every report ends in a traceback.",
        1: "Users report: " + faults[0].symptom + ".",
        2: "Users report:\n\n" + "".join(f"- {fault.symptom}\n" for fault in faults),
        3: f"Users report that {faults[-1].symptom}, among other trouble. There are three separate faults.",
        4: "It was rewritten by several people in a hurry and no longer keeps to its README in at least five respects.",
    }[level]
    return Recipe(
        instruction=instruction(ID, "task", {**words, "zztold": told}),
        artifacts=(f"/app/{words['worklog']}",),
        solve=result.solve,
        check="module_repair",
        expect={"package": words["worklog"], "seed": f"{level}/{seed}"},
        files={**result.broken, "sample.log": sample(draw, words["project"])},
        mutants=result.mutants,
        alternatives=result.alternatives,
        knobs={"faults": [fault.id for fault in faults]},
    )


def sample(draw: object, project: str) -> str:
    """A short log for trying the commands."""
    lines = [f"# start, end, {project}, tags"]
    for day in range(1, 6):
        hour = draw.randint(7, 14)  # type: ignore[attr-defined]
        name = draw.choice(("alder", "birch", "cedar"))  # type: ignore[attr-defined]
        tags = draw.choice(("", "review", "review, meeting", "travel"))  # type: ignore[attr-defined]
        lines.append(
            f"2023-03-{day:02d}T{hour:02d}:00:00+01:00\t2023-03-{day:02d}T{hour + 2:02d}:20:30+01:00\t{name}\t{tags}"
        )
    return "\n".join(lines) + "\n"


FAMILY = SweFamily.of(ID, "Repair a small Python package", ("debugging", "packaging"), make)
