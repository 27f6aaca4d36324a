"""What is played with the flat program of make_build (levels 0 to 3), and what it must print meanwhile.

A play is a list of steps for the checker kit/checks/make_build.py. In recipes the program is called `meter`; its real
name is put in at the end.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from envwheel_swe.family import swap
from envwheel_swe.repair import reword

Step = dict[str, Any]
Files = Mapping[str, str]
MADE = ("main.o", "report.o", "stats.o", "libstats.a", "version.h", "meter")
SLOW_VERSION = 'printf \'#define VERSION \'\nsleep 0.7\nprintf \'"%s"\\n\' "$(cat "$1")"\n'


def named(expect: dict[str, Any], words: Mapping[str, str]) -> dict[str, Any]:
    """What the checker expects, with the program's real name everywhere."""
    found: dict[str, Any] = json.loads(reword(json.dumps(expect), words))
    return found


def make(*args: str, **more: Any) -> Step:
    """Run make; `fails` when it must."""
    return {"make": list(args), **more}


@dataclass(frozen=True, slots=True)
class Program:
    """The program as it is after some changes: all that its output depends on."""

    version: str
    unit: str = "kWh"
    digits: int = 2
    weight: int = 1
    more: tuple[float, ...] = ()
    gap: str = " "

    def printed(self, numbers: Sequence[float], path: str = "./meter") -> Step:
        """It is run on `numbers`, and prints what it must. The order of additions is the program's."""
        total = squares = 0.0
        for x in (*numbers, *self.more):
            total += x
            squares += x * x
        count = self.weight * len((*numbers, *self.more))
        mean = total / count
        rest = squares / count - mean * mean
        lines = [f"meter{self.gap}{self.version}", f"count {count}"]
        for label, value in (("mean", mean), ("deviation", math.sqrt(rest) if rest > 0 else 0.0)):
            lines.append(f"{label} {value:.{self.digits}f} {self.unit}")
        stdin = "".join(f"{x}\n" for x in numbers)
        return {"run": [path], "stdin": stdin, "out": "".join(f"{line}\n" for line in lines)}


def changes(draw: random.Random, sources: Files) -> Step:
    """Every file changes once, in a drawn order; each time exactly what depends on it is made anew."""
    numbers = _numbers(draw)
    now = Program(sources["VERSION"].strip())
    version, unit = f"{draw.randint(2, 9)}.{draw.randint(0, 9)}", draw.choice(("MJ", "kcal", "BTU"))
    reported = ("main.o", "report.o", "meter")
    table: list[tuple[str, str, tuple[str, ...], dict[str, Any]]] = [
        ("config.h", swap(sources["config.h"], "kWh", unit), reported, {"unit": unit}),
        ("stats.h", sources["stats.h"] + "/* . */\n", (*reported, "stats.o", "libstats.a"), {}),
        ("report.h", sources["report.h"] + "/* . */\n", reported, {}),
        ("stats.c", swap(sources["stats.c"], "count++", "count += 3"), ("stats.o", "libstats.a", "meter"),
         {"weight": 3}),
        ("main.c", swap(sources["main.c"], "    report(", "    stats_add(&s, 7);\n    report("), ("main.o", "meter"),
         {"more": (7.0,)}),
        ("VERSION", version + "\n", ("version.h", "report.o", "meter"), {"version": version}),
        ("mkversion.sh", sources["mkversion.sh"] + "# .\n", ("version.h", "report.o", "meter"), {}),
        ("report.c", swap(sources["report.c"], "meter %s", "meter: %s"), ("report.o", "meter"), {"gap": ": "}),
    ]  # fmt: skip
    draw.shuffle(table)
    steps = [make(), now.printed(numbers), make(), {"changed": [], "of": MADE, "why": "without a change"}]
    for path, text, made, state in table:
        now = replace(now, **state)
        changed = {"changed": made, "of": MADE, "why": f"after a change of {path}"}
        steps += [{"write": {path: text}}, make(), changed, now.printed(numbers)]
    return {"id": "changes", "steps": steps}


def builds(draw: random.Random, sources: Files) -> Step:
    """A fresh build, and `make clean` after it."""
    now = Program(sources["VERSION"].strip())
    steps = [make(), now.printed(_numbers(draw)), make("clean"), {"files": []}, make("clean"), make("meter")]
    return {"id": "builds", "steps": [*steps, now.printed(_numbers(draw))]}


def goals(draw: random.Random, sources: Files) -> list[Step]:
    """What is given on the command line counts, and the goals do what they say."""
    numbers = _numbers(draw)
    now = Program(sources["VERSION"].strip())
    unit = draw.choice(("MJ", "BTU"))
    flags = f"CFLAGS=-O0 -DUNIT='\"{unit}\"'"
    prefix = f"/opt/{draw.choice(('site', 'local', 'tools'))}"
    wrong = swap(sources["config.h"], "DIGITS 2", "DIGITS 3")
    there = f"root{prefix}/bin/meter"
    return [
        {"id": "flags", "steps": [
            make(flags, "CPPFLAGS=-DDIGITS=4"), replace(now, unit=unit, digits=4).printed(numbers), make("clean"),
            make("CC=false", fails=True)]},
        {"id": "parallel", "steps": [
            {"write": {"mkversion.sh": SLOW_VERSION}}, make("-j8"), now.printed(numbers), make("clean"),
            make("-j8", "meter"), now.printed(numbers)]},
        {"id": "install", "steps": [
            make("install", "DESTDIR=@/root", f"PREFIX={prefix}"),
            {"files": [there.removeprefix("root/")], "below": "root", "mode": {there: "755"}},
            now.printed(numbers, there), make("install", "PREFIX=@/here"),
            {"files": ["bin/meter"], "below": "here", "mode": {"here/bin/meter": "755"}}]},
        {"id": "check", "steps": [
            make("check"), {"write": {"config.h": wrong}}, make("check", fails=True), make(),
            replace(now, digits=3).printed(numbers)]},
    ]  # fmt: skip


def _numbers(draw: random.Random) -> list[float]:
    return [draw.randint(1, 400) / 4 for _ in range(5)]
