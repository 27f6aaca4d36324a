"""Level 4 of make_build: a Makefile for a tree with generated source, right under every change, flag and job count."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

from envwheel.api import Alternative, Limits, Mutant
from envwheel_swe.families.make_build_plays import Step, make, named
from envwheel_swe.family import Recipe, swap, write_file
from envwheel_swe.repair import instruction, program, reword

FAMILY = "make_build"
PROGRAM = "build/meter"
TABLE = ("build/table.c", "build/table.h")
OBJECTS = tuple(f"build/{name}.o" for name in ("src/main", "src/report", "lib/units", "lib/total", "table"))
MADE = (*OBJECTS, *TABLE, "build/libcore.a", "build/mktable", PROGRAM)
BROKEN = """meter: src/main.c
\tgcc -O1 -Ilib -I. -o mktable gen/mktable.c
\t./mktable table.txt table.c table.h
\tgcc -O1 -Ilib -I. -o meter src/*.c lib/*.c table.c
"""
SLOW = """    FILE *runs = fopen("@FOLDER@/runs.log", "a");

    fprintf(runs, "run\\n");
    fclose(runs);
    usleep(400000);
    fprintf(c, "#include"""
FAULTS = (
    ("twice", "the generator runs once for each of its files", "$B/table.h &:", "$B/table.h:"),
    ("flags", "other flags change nothing", "$B/%.o: %.c $B/flags.list |", "$B/%.o: %.c |"),
    (
        "gone",
        "a source that is gone stays in the library",
        "$B/libcore.a: $(LIB_O) $B/lib.list",
        "$B/libcore.a: $(LIB_O)",
    ),
    ("half", "what a failed generator left is taken for whole", ".DELETE_ON_ERROR:\n", ""),
)


def units(draw: random.Random) -> dict[str, int]:
    """Units and how much of the base unit each is."""
    names = draw.sample(("Wh", "kWh", "MWh", "cal", "therm", "BTU", "toe"), 4)
    return {name: draw.randint(2, 900) for name in names}


def table(factors: Mapping[str, int]) -> str:
    """table.txt."""
    return "".join(f"{name} {factor}\n" for name, factor in factors.items())


def printed(draw: random.Random, factors: Mapping[str, int], digits: int = 1, path: str = PROGRAM, **more: Any) -> Step:
    """The program is run on a few values, and prints what it must (`first`: after a line of its own)."""
    values = [(draw.randint(1, 90), draw.choice([*factors, "parsec"])) for _ in range(5)]
    total = sum(value * factors.get(unit, 0) for value, unit in values) * more.get("scale", 1)
    unknown = sum(unit not in factors for _, unit in values)
    stdin = "".join(f"{value} {unit}\n" for value, unit in values)
    out = f"{more.get('first', '')}total {total:.{digits}f}\nunknown {unknown}\n"
    return {"run": [f"./{path}"], "stdin": stdin, "out": out}


def made(why: str, paths: Iterable[str]) -> Step:
    """Exactly these files are made anew."""
    return {"changed": list(paths), "of": MADE, "why": why}


def plays(draw: random.Random, sources: Mapping[str, str]) -> list[Step]:
    """All that is tried."""
    return [changes(draw, sources), coming_and_going(draw, sources), parallel(draw, sources), flags(draw, sources),
            failing(draw, sources), goals(draw, sources)]  # fmt: skip


def changes(draw: random.Random, sources: Mapping[str, str]) -> Step:
    """Changes of files, in a drawn order, each followed by exactly the work that it needs."""
    factors, scale = units(draw), 1
    main, report, unit, total, made_table = OBJECTS
    end = ("build/libcore.a", PROGRAM)
    steps = [{"write": {"table.txt": table(factors)}}, make(), printed(draw, factors), {"files": [], "except": "build"},
             make(), made("without a change", ())]  # fmt: skip
    mktable = swap(sources["gen/mktable.c"], "int count = 0,", "int count = 0 ,")
    todo = [
        ("lib/units.h", sources["lib/units.h"] + "/* . */\n", (*OBJECTS, *end)),
        ("lib/total.h", sources["lib/total.h"] + "/* . */\n", (main, report, total, *end)),
        ("src/report.h", sources["src/report.h"] + "/* . */\n", (main, report, PROGRAM)),
        ("src/main.c", sources["src/main.c"] + "/* . */\n", (main, PROGRAM)),
        ("lib/total.c", swap(sources["lib/total.c"], "x *", "2 * x *"), (total, *end)),
        ("table.txt", "", (*TABLE, unit, made_table, *end)),
        ("gen/mktable.c", mktable, ("build/mktable", *TABLE, unit, made_table, *end)),
    ]
    draw.shuffle(todo)
    for path, text, paths in todo:
        if path == "table.txt":
            factors = units(draw)
        scale = 2 if path == "lib/total.c" else scale
        steps += [{"write": {path: text or table(factors)}}, make(), made(f"after a change of {path}", paths)]
        steps += [printed(draw, factors, scale=scale)]
    return {"id": "changes", "steps": steps}


def coming_and_going(draw: random.Random, sources: Mapping[str, str]) -> Step:
    """New sources are built without a change of the Makefile, and leave no trace when they go."""
    factors = units(draw)
    word = draw.choice(("hello", "ready", "begin"))
    hello = f'#include <stdio.h>\n\n__attribute__((constructor)) static void say(void)\n{{\n    puts("{word}");\n}}\n'
    members = ["total.o", "units.o", "table.o"]
    listed = {"run": ["ar", "t", "build/libcore.a"]}
    return {
        "id": "files come and go",
        "steps": [
            {"write": {"table.txt": table(factors)}}, make(), {**listed, "sorted": members},
            {"write": {f"src/{word}.c": hello}}, make(), printed(draw, factors, first=f"{word}\n"),
            made("after a new file in src", [PROGRAM]),
            {"write": {"lib/extra.c": "int extra(void)\n{\n    return 1;\n}\n"}}, make(),
            {**listed, "sorted": [*members, "extra.o"]},
            {"remove": [f"src/{word}.c", "lib/extra.c"]}, make(), printed(draw, factors), {**listed, "sorted": members},
            make(), made("after files went", ()),
        ],
    }  # fmt: skip


def parallel(draw: random.Random, sources: Mapping[str, str]) -> Step:
    """Eight jobs and a slow generator, which still runs only once."""
    factors = units(draw)
    slow = swap(sources["gen/mktable.c"], '    fprintf(c, "#include', SLOW)
    slow = swap(slow, "#include <stdio.h>\n", "#include <stdio.h>\n#include <unistd.h>\n")
    ran = {"text": {"runs.log": "run\n"}}
    return {
        "id": "parallel",
        "steps": [
            {"write": {"table.txt": table(factors), "gen/mktable.c": slow}}, make("-j8"), printed(draw, factors), ran,
        ],
    }  # fmt: skip


def flags(draw: random.Random, sources: Mapping[str, str]) -> Step:
    """Other flags make everything anew, the same flags nothing."""
    factors = units(draw)
    two, three = (f"CPPFLAGS=-DDIGITS={digits}" for digits in (2, 3))
    return {
        "id": "flags",
        "steps": [
            {"write": {"table.txt": table(factors)}}, make(two), printed(draw, factors, 2), make(two),
            made("with the same flags", ()), {"write": {"README": "x\n"}}, make(three), printed(draw, factors, 3),
            made("with other flags", MADE), make(three), made("with the same flags", ()),
            {"write": {"README": "y\n"}}, make("CFLAGS=-O0"), printed(draw, factors), made("with other flags", MADE),
            make("CC=false", fails=True), make("CFLAGS=-O0"), printed(draw, factors),
        ],
    }  # fmt: skip


def failing(draw: random.Random, sources: Mapping[str, str]) -> Step:
    """A table that the generator refuses stops the build for as long as it is there."""
    factors = units(draw)
    wrong = table(factors) + "oops\n"
    return {
        "id": "the generator fails",
        "steps": [
            {"write": {"table.txt": wrong}}, make(fails=True), make(fails=True),
            {"write": {"table.txt": table(factors)}}, make(), printed(draw, factors),
        ],
    }  # fmt: skip


def goals(draw: random.Random, sources: Mapping[str, str]) -> Step:
    """install, check, clean."""
    factors = {"Wh": 1, "kWh": 1000}
    prefix = f"/opt/{draw.choice(('site', 'local', 'tools'))}"
    there = [f"{prefix[1:]}/bin/meter", f"{prefix[1:]}/share/meter/table.txt"]
    mode = {f"root/{there[0]}": "755", f"root/{there[1]}": "644"}
    return {
        "id": "goals",
        "steps": [
            make("install", "DESTDIR=@/root", f"PREFIX={prefix}"), {"files": there, "below": "root", "mode": mode},
            make("install", "PREFIX=@/root/x"), {"mode": {"root/x/bin/meter": "755"}},
            make("check"), {"write": {"table.txt": "Wh 1\nkWh 999\n"}}, make("check", fails=True),
            {"write": {"table.txt": table(factors)}}, make("check"), printed(draw, factors),
            make("clean"), {"files": [f"root/{path}" for path in (*there, "x/bin/meter", "x/share/meter/table.txt")]},
            make("clean"),
        ],
    }  # fmt: skip


def whole_tree(draw: random.Random, name: str) -> Recipe:
    """Level 4."""
    words, root = {"meter": name}, f"/app/{name}"
    sources = program(f"{FAMILY}/deep")
    text = sources.pop("Makefile")
    expect = {"artifact": root, "take": ["Makefile"], "sources": sources, "plays": plays(draw, sources)}

    def put(makefile: str) -> str:
        return write_file(f"{root}/Makefile", reword(makefile, words))

    stamp = swap(text, "$B/table.c $B/table.h &: table.txt $B/mktable\n\t$B/mktable table.txt $B/table.c $B/table.h\n",
                 "$B/table.c $B/table.h: $B/table.stamp\n\t@touch -c $@\n\n$B/table.stamp: table.txt $B/mktable\n"
                 "\t$B/mktable table.txt $B/table.c $B/table.h\n\ttouch $@\n")  # fmt: skip
    return Recipe(
        instruction=instruction(FAMILY, "4", {"zzroot": root, "zzprogram": name}),
        artifacts=(f"{root}/Makefile",),
        files={f"{name}/{path}": reword(data, words) for path, data in {**sources, "Makefile": BROKEN}.items()},
        solve=put(text),
        check="make_build",
        expect=named(expect, words),
        mutants=tuple(Mutant(id, why, put(swap(text, old, new))) for id, why, old, new in FAULTS),
        alternatives=(Alternative("stamp", "a time stamp instead of a rule with two targets", put(stamp)),),
        skills=("builds",),
        limits=Limits(verifier_timeout_s=600.0),
        knobs={"program": name},
    )
