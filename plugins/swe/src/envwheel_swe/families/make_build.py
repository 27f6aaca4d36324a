"""Makefiles of small C programs: from a wrong file name to a build that is right under every change and in parallel."""

from __future__ import annotations

import random
from dataclasses import replace

from envwheel.api import Alternative, Limits, Mutant
from envwheel_swe import naming
from envwheel_swe.families.make_build_faults import choose
from envwheel_swe.families.make_build_plays import builds, changes, goals, named
from envwheel_swe.families.make_build_plays import make as made_by
from envwheel_swe.families.make_build_tree import whole_tree
from envwheel_swe.family import Recipe, SweFamily, swap, write_file
from envwheel_swe.repair import instruction, program, repair, reword

ID = "make_build"
NAMES = ("gauge", "survey", "census", "readout", "sampler", "tally", "probe")
LIMITS = Limits(verifier_timeout_s=400.0)


def make(level: int, seed: int) -> Recipe:
    """One environment of this family."""
    draw = naming.rng(ID, level, seed)
    name = draw.choice(NAMES)
    if level == 0:
        return one_line(draw, name, seed % 2 == 0)
    if level == 4:
        return whole_tree(draw, name)
    return faults(draw, name, level)


def one_line(draw: random.Random, name: str, wrong_name: bool) -> Recipe:
    """Level 0: one word in a Makefile."""
    root, words = f"/app/{name}", {"meter": name}
    sources = program(f"{ID}/one", words)
    right = sources.pop("Makefile")
    other = name[:-2] + name[-1] + name[-2]
    if wrong_name:
        broken = right.replace(f"{name}.c", f"{other}.c")
        asked = (
            f"In {root}/Makefile the source file is called {other}.c, but its name is {name}.c. Correct the Makefile."
        )
        solve = f"sed -i 's/{other}.c/{name}.c/' {root}/Makefile"
    else:
        broken = swap(right, " -lm", "")
        asked = f"In {root}/Makefile the flag -lm is missing at the end of the line that calls the compiler. Add it."
        solve = f"sed -i 's/-o .*/& -lm/' {root}/Makefile"
    plays = []
    for number in range(2):
        squares = [draw.randint(1, 30) for _ in range(4)]
        run = {"run": [f"./{name}"], "stdin": "".join(f"{x * x}\n" for x in squares), "out": f"{sum(squares)}.000\n"}
        twice = swap(sources[f"{name}.c"], "sum += sqrt(x)", "sum += 2 * sqrt(x)")
        again = {**run, "out": f"{2 * sum(squares)}.000\n"}
        steps = [made_by(), run, {"write": {f"{name}.c": twice}}, made_by(), again]
        plays.append({"id": f"build {number}", "steps": steps})
    return Recipe(
        instruction=asked,
        artifacts=(f"{root}/Makefile",),
        files={f"{name}/{path}": text for path, text in {**sources, "Makefile": broken}.items()},
        solve=solve,
        check="make_build",
        expect={"artifact": root, "take": ["Makefile"], "sources": sources, "plays": plays},
        mutants=(
            Mutant("unchanged", "as it was", write_file(f"{root}/Makefile", broken)),
            Mutant("never_again", "a change of the source is not compiled",
                   write_file(f"{root}/Makefile", swap(right, f"{name}: {name}.c", f"{name}:"))),
            Mutant("other_program", "a program of that name that does nothing",
                   write_file(f"{root}/Makefile", f"{name}:\n\techo true > {name}; chmod +x {name}\n")),
        ),
        alternatives=(Alternative("variables", "with automatic variables", write_file(
            f"{root}/Makefile", swap(right, f"-o {name} {name}.c -lm", "$^ -lm -o $@"))),),
        limits=LIMITS,
        knobs={"variant": "name" if wrong_name else "flag"},
    )  # fmt: skip


def faults(draw: random.Random, name: str, level: int) -> Recipe:
    """Levels 1 to 3: a Makefile with one, three or five faults."""
    root, words = f"/app/{name}", {"meter": name}
    working = program(f"{ID}/flat")
    chosen = choose(draw, level, working)
    placed = {f"{name}/{path}": reword(text, words) for path, text in working.items()}
    table = [replace(fault, path=f"{name}/{fault.path}") for fault in chosen]
    always = placed[f"{name}/Makefile"] + "\nmain.o: FORCE\nFORCE:\n"
    result = repair(
        placed,
        table,
        words,
        (Mutant("always", "main.o is made anew each time", write_file(f"{root}/Makefile", always)),),
    )
    take = ["Makefile", "report.h"] if level == 2 else ["Makefile"]
    plays = [builds(draw, working), changes(draw, working), *(goals(draw, working) if level > 1 else [])]
    sources = {path: text for path, text in working.items() if path not in take}
    symptoms = [reword(fault.symptom, words) for fault in chosen]
    if level == 3:
        symptoms = sorted(draw.sample(symptoms, 3))
    told = {"zzroot": root, "zzsymptoms": ";\n".join(f"- {text}" for text in symptoms) + ".", "zzprogram": name}
    told |= {"zzfiles": " and ".join(f"`{root}/{path}`" for path in take), "zzsymptom": symptoms[0]}
    return Recipe(
        instruction=instruction(ID, str(level), told),
        artifacts=tuple(f"{root}/{path}" for path in take),
        files=result.broken,
        solve=f"cd /app\n{result.solve}",
        check="make_build",
        expect=named({"artifact": root, "take": take, "sources": sources, "plays": plays}, words),
        mutants=result.mutants,
        alternatives=(*result.alternatives, written_by_compiler(placed, result.solve, root)),
        skills=("builds", "debugging") if level > 1 else ("builds",),
        limits=LIMITS,
        knobs={"faults": [fault.id for fault in chosen], "program": name},
    )  # fmt: skip


def written_by_compiler(placed: dict[str, str], solve: str, root: str) -> Alternative:
    """The same result with dependencies that the compiler writes."""
    text = placed[f"{root[5:]}/Makefile"]
    start, end = text.index("main.o: main.c"), text.index("%.o: %.c")
    text = text[:start] + text[end:]
    text = swap(text, "%.o: %.c\n", "%.o: %.c | version.h\n")
    text = swap(text, "$(CFLAGS) -c", "$(CFLAGS) -MMD -c")
    text = swap(text, "*.o version.h", "*.o *.d version.h") + "-include main.d report.d stats.d\n"
    return Alternative(
        "compiler_writes", "gcc -MMD instead of written prerequisites",
        f"cd /app\n{solve}" + write_file(f"{root}/Makefile", text),
    )  # fmt: skip


FAMILY = SweFamily.of(ID, "Mend a build", ("builds",), make)
