"""Shell scripts with the classic faults (quoting, exit status, traps, locks), run on hostile file names."""

from __future__ import annotations

from envwheel_swe.families.shell_faults import COLLECT, COUNT, LOCK, RELEASE, RENAME
from envwheel_swe.family import Recipe, SweFamily
from envwheel_swe.naming import rng
from envwheel_swe.repair import Fault, instruction, program, repair

ID = "shell_script_fix"
FOLDERS = ("count", "collect", "rename", "withlock", "release")
TABLES = (COUNT, COLLECT, RENAME, LOCK, RELEASE)
CHECKS = ("shell_files", "shell_files", "shell_files", "shell_lock", "shell_release")
EXTENSIONS = ("csv", "log", "txt", "json", "conf", "md")
STEMS = (
    {"count_files": ("count_files", "tally", "how_many", "file_count")},
    {"collect": ("collect", "gather", "pick_up", "fetch_all")},
    {"tidy_names": ("tidy_names", "clean_names", "plain_names", "fix_names")},
    {"with_lock": ("with_lock", "one_at_a_time", "exclusive", "guarded")},
    {"release": ("release",)},
)


def choose(level: int, seed: int) -> list[Fault]:
    """One fault at levels 0 and 1, then two, three and five that do not touch the same text."""
    draw = rng(ID, level, seed)
    wanted = (1, 1, 2, 3, 5)[level]
    chosen: list[Fault] = []
    for fault in draw.sample(TABLES[level], len(TABLES[level])):
        clash = any(
            fault.path == other.path and (fault.right in other.right or other.right in fault.right) for other in chosen
        )
        if len(chosen) < wanted and not clash:
            chosen.append(fault)
    return chosen


def make(level: int, seed: int) -> Recipe:
    """Level 0: a slip of the keyboard; 1 and 2: file names; 3: a lock with signals; 4: two files and a README."""
    draw = rng(ID, level, seed, "words")
    faults = choose(level, seed)
    words = {"zzext": draw.choice(EXTENSIONS), **{old: draw.choice(new) for old, new in STEMS[level].items()}}
    script = next(iter(STEMS[level].values()))[0] + ".sh"
    if level < 4:
        script = next(value for key, value in words.items() if key != "zzext") + ".sh"
    result = repair(program(f"{ID}/{FOLDERS[level]}", words), faults, words)
    told = [fault.symptom for fault in faults]
    symptoms = "".join(f"- {text}\n" for text in told) if level == 2 else "; ".join(told[:2])
    artifacts = ("/app/release.sh", "/app/lib.sh") if level == 4 else (f"/app/{script}",)
    words |= {
        "zzscript": script,
        "zzsymptoms": symptoms,
        "zzartifacts": " and ".join(f"`{path}`" for path in artifacts),
    }
    return Recipe(
        instruction=instruction(ID, str(level), words),
        artifacts=artifacts,
        solve=result.solve,
        check=CHECKS[level],
        expect={"kind": FOLDERS[level], "script": script, "extension": words["zzext"], "seed": f"{level}/{seed}"},
        files=result.broken,
        mutants=result.mutants,
        alternatives=result.alternatives,
        knobs={"faults": [fault.id for fault in faults], "script": script, "extension": words["zzext"]},
    )


FAMILY = SweFamily.of(ID, "Mend a shell script", ("shell", "debugging"), make)
