"""A small HTTP service that does not start, listens wrongly, lacks routes or answers errors badly."""

from __future__ import annotations

import random

from envwheel_swe.families.service_faults import CONFIG, ERRORS, ROUTES, START, STORE
from envwheel_swe.family import Recipe, SweFamily
from envwheel_swe.naming import rng
from envwheel_swe.repair import Fault, instruction, program, repair

ID = "service_config"
TOLD = (
    "Its configuration has one mistake: {}.",
    "It does not run as it should: {}; and {}.",
    "It starts, but: {}; and {}.",
    "Clients complain: {}; {}; and {}.",
    "Whoever set it up last left five faults in its code, its configuration and its start script. No client is happy.",
)


def choose(level: int, draw: random.Random) -> list[Fault]:
    """The faults of a level, no two of which touch the same text."""
    if level == 0:
        return [draw.choice(CONFIG)]
    if level == 1:
        return [draw.choice(CONFIG[1:]), draw.choice(START)]
    if level == 2:
        return draw.sample(ROUTES, 2)
    if level == 3:
        return [draw.choice(ROUTES), *draw.sample(ERRORS, 2)]
    return [draw.choice(START), draw.choice(ROUTES), draw.choice(ERRORS), *draw.sample(STORE, 2)]


def make(level: int, seed: int) -> Recipe:
    """Level 0: one wrong value; 1: start; 2: routes; 3: errors; 4: five faults everywhere."""
    draw = rng(ID, level, seed)
    ports = draw.sample(range(8100, 8900), 2)
    words = {
        "zzitem": draw.choice(("part", "book", "ticket", "plant", "bottle", "recipe")),
        "zzprefix": draw.choice(("v1", "api", "stock", "v2")),
        "zzport": str(ports[0]),
        "zzother": str(ports[1]),
    }
    faults = choose(level, draw)
    result = repair(program(ID, words), faults, words)
    told = TOLD[level].format(*(fault.symptom for fault in faults))
    # The symptoms and README's name for the data file are words of the program too.
    text = instruction(ID, "task", {"zztold": told})
    for old, new in words.items():
        text = text.replace(old, new)
    return Recipe(
        instruction=text,
        artifacts=("/app/service",),
        solve=result.solve,
        check="service",
        expect={
            "seed": f"{level}/{seed}", "item": words["zzitem"], "prefix": words["zzprefix"], "port": ports[0],
            "kept": {name: result.broken[f"service/{name}"] for name in ("README.md", f"{words['zzitem']}s.json")},
        },
        files=result.broken,
        mutants=result.mutants,
        alternatives=result.alternatives,
        skills=("services",) if level < 2 else (),
        knobs={"faults": [fault.id for fault in faults]},
    )  # fmt: skip


FAMILY = SweFamily.of(ID, "Mend an HTTP service", ("services", "debugging"), make)
