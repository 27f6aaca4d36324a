"""A small HTTP service from its settings over its answers to its life: start, reload, stop, power failure."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

from envwheel.api import Alternative, Limits, Mutant
from envwheel_swe.families.service_lifecycle_faults import ANSWERS, DEEP, PROCESS, RELOAD, SETTINGS
from envwheel_swe.family import Recipe, SweFamily, python
from envwheel_swe.naming import PRODUCTS, rng
from envwheel_swe.repair import Fault, Files, instruction, program, repair

ID = "service_lifecycle"
NOUNS = ("gadget", "spare", "tool", "ticket", "crate", "lamp", "bottle")
FILE = "service.json"
TABLES = {1: (SETTINGS[:3], SETTINGS[3:5], SETTINGS[5:]), 2: (ANSWERS,) * 2, 3: (ANSWERS, PROCESS, RELOAD)}
ALL = (ANSWERS, PROCESS, RELOAD, DEEP, DEEP, DEEP)


def choose(draw: random.Random, level: int) -> list[Fault]:
    """A fault of each table of the level; no two of them touch the same text."""
    chosen: list[Fault] = []
    for table in TABLES.get(level, ALL):
        free = [fault for fault in table if not any(clash(fault, other) for other in chosen)]
        chosen.append(draw.choice(free))
    return chosen


def clash(one: Fault, other: Fault) -> bool:
    """Whether the two touch the same text."""
    return one.path == other.path and (one.right in other.right or other.right in one.right)


def port_task(draw: random.Random, name: str, working: Files, expect: dict[str, Any]) -> Recipe:
    """Level 0: another port."""
    old, port = expect["wanted"]["port"], draw.randrange(9000, 9900)
    path = f"/app/{name}/{FILE}"
    change = f"import json\nvalues = json.load(open('{path}'))\nvalues['port'] = {port}\n"
    change += f"open('{path}', 'w').write(json.dumps(values))"
    added = f's/"port": {port}/"port": {old}, "listen": {port}/'
    return Recipe(
        instruction=instruction(ID, "0", {"shelf": name, "zzport": str(port), "zzold": str(old)}),
        artifacts=(path,),
        solve=f"sed -i 's/{old}/{port}/' {path}",
        check=ID,
        expect={**expect, "wanted": {**expect["wanted"], "port": port}, "exact": True},
        files=inside(name, working),
        mutants=(
            Mutant("as_text", "the port is a text", f"sed -i 's/{port},/\"{port}\",/' {path}"),
            Mutant("next_port", "the port is one too high", f"sed -i 's/{port}/{port + 1}/' {path}"),
            Mutant("broken_json", "the comma is lost", f"sed -i 's/{port},/{port}/' {path}"),
            Mutant("another_key", "the old port stays", f"sed -i '{added}' {path}"),
        ),
        alternatives=(Alternative("rewritten", "the whole file in one line", python(change)),),
        skills=("services",),
        knobs={"port": port, "name": name},
    )


def inside(name: str, working: Files) -> dict[str, str]:
    """The files in the folder of the service."""
    return {f"{name}/{path}": text for path, text in working.items()}


def make(level: int, seed: int) -> Recipe:
    """Level 0: a port; 1: a configuration; 2: two answers; 3: three faults, signals too; 4: six, and no symptoms."""
    draw = rng(ID, level, seed)
    name, noun = draw.choice(PRODUCTS), draw.choice(NOUNS)
    port, most = draw.randrange(8001, 8999), draw.choice((500, 1000, 1500, 3000))
    words = {"shelf": name, "gadget": noun, "zzport": str(port), "zzpart": str(port + 1)}
    words |= {"zzmost": str(most), "zzmast": str(most + 1), "zzprefix": draw.choice(("v1", "v2", "api", "stock"))}
    working = program(f"{ID}/shelf", words)
    expect: dict[str, Any] = {
        "kind": "config" if level < 2 else "folder",
        "folder": f"/app/{name}",
        "noun": f"{noun}s",
        "seed": f"{level}/{name}/{noun}",
        "pristine": {path: text for path, text in working.items() if path != FILE} if level < 2 else {},
        "wanted": json.loads(working[FILE]),
        "exact": False,
    }
    if level == 0:
        return port_task(draw, name, working, expect)
    faults = choose(draw, level)
    result = repair(inside(name, working), [replace(f, path=f"{name}/{f.path}") for f in faults], words)
    told = "".join(f"- {fault.symptom}\n" for fault in faults).rstrip()
    return Recipe(
        instruction=instruction(ID, str(level), {**words, "zztold": told}).replace("gadget", noun),
        artifacts=(f"/app/{name}/{FILE}",) if level == 1 else (f"/app/{name}",),
        solve=result.solve,
        check=ID,
        expect=expect,
        files=result.broken,
        mutants=result.mutants,
        alternatives=result.alternatives,
        skills=("services",) if level == 1 else (),
        knobs={"faults": [fault.id for fault in faults], "name": name},
        limits=Limits(verifier_timeout_s=300.0),
    )


FAMILY = SweFamily.of(ID, "Keep an HTTP service alive", ("services", "debugging"), make)
