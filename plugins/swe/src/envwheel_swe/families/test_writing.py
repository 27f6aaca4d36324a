"""Tests to be written for a module that is right: they must hold for it and its twin, and fail for faulty ones."""

from __future__ import annotations

from envwheel.api import Alternative, Mutant
from envwheel_swe.families.test_writing_bugs import BUGS, PARTIAL, STRICT
from envwheel_swe.family import Recipe, SweFamily, swap, write_file
from envwheel_swe.naming import PRODUCTS, rng
from envwheel_swe.repair import instruction, program

ID = "test_writing"
KINDS = ("limits", "times", "recent", "releases", "accounts")
COUNTS = (2, 3, 6, 8, 11)
"""How many hidden faults a level has; the one that `PARTIAL` needs may join them."""


def make(level: int, seed: int) -> Recipe:
    """Level 0: one function, two faults; up to level 4: a class with transactions, eleven faults."""
    draw = rng(ID, level, seed)
    module = f"{draw.choice(PRODUCTS)}_{KINDS[level]}"
    texts = program(ID)
    source, twin = texts[f"{level}.py"], texts[f"{level}_twin.py"]
    tests = texts[f"{level}_tests.py"].replace("zzmodule", module)
    chosen = dict(draw.sample(sorted(BUGS[level].items()), COUNTS[level]))
    chosen.setdefault(PARTIAL[level][0], BUGS[level][PARTIAL[level][0]])
    bugs = {f"bugs/{id}.txt": swap(source, *change) for id, change in chosen.items()}
    target = f"/app/test_{module}.py"
    wrong = {
        "asserts_nothing": tests.replace("self.assertEqual(", "str((").replace("self.assertIs(", "str(("),
        "forgets_a_promise": swap(tests, *PARTIAL[level][1:]),
        "too_strict": swap(tests, *STRICT[level]),
        "skipped": tests.replace("\nclass ", "\n@unittest.skip('later')\nclass ", 1),
    }
    other = tests.replace("import unittest\n", "import unittest\nfrom unittest import TestCase\n", 1)
    other = other.replace("(unittest.TestCase)", "(TestCase)")
    return Recipe(
        instruction=instruction(ID, "task", {"zzmodule": module, "zzcount": str(len(bugs))}),
        artifacts=(target,),
        solve=write_file(target, tests),
        check="test_writing",
        expect={"module": module, "target": target},
        files={f"{module}.py": source},
        # What the candidate's tests meet is never equal, byte for byte, to the file that lies in the box.
        tests={"right/twin.txt": twin, "right/present.txt": source + "\n\n# present\n", **bugs},
        mutants=tuple(Mutant(id, id.replace("_", " "), write_file(target, text)) for id, text in wrong.items()),
        alternatives=(Alternative("other_import", "the same tests, imported otherwise", write_file(target, other)),),
        knobs={"faults": sorted(chosen)},
    )


FAMILY = SweFamily.of(ID, "Write tests that catch faults", ("testing",), make)
