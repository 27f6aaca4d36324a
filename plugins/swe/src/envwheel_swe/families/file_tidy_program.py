"""Level 4 of the tidying family: a program that sorts any tree by a rule file, tried on hidden trees."""

from __future__ import annotations

import random
from fnmatch import fnmatchcase
from posixpath import splitext

from envwheel_swe import cases, naming
from envwheel_swe.family import Recipe, mutated, write_file

PATH = "/app/tidy.py"

SORTER = """
import fnmatch
import os
import sys

rules = []
with open(sys.argv[1], encoding="utf-8") as source:
    for number, line in enumerate(source, 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        parts = line.split(" -> ")
        if len(parts) != 2:
            sys.stderr.write(f"line {number}\\n")
            sys.exit(2)
        rules.append((parts[0].strip(), parts[1].strip()))
root = sys.argv[2]
files, folders = [], []
for folder, names, found in os.walk(root):
    files += [os.path.relpath(os.path.join(folder, name), root) for name in found]
    folders += [os.path.join(folder, name) for name in names]
plan = {}
for path in files:
    folder, name = os.path.split(path)
    stem, suffix = os.path.splitext(name)
    for pattern, target in rules:
        if fnmatch.fnmatchcase(name.lower(), pattern.lower()):
            if target == "!":
                plan[path] = None
            elif target == "=":
                plan[path] = path
            else:
                first = next((c for c in stem.lower() if c.isascii() and c.isalpha()), "_")
                values = {"name": name, "stem": stem, "suffix": suffix[1:].lower() or "none", "first": first,
                          "folder": folder.replace("/", "_") or "top"}
                for key, value in values.items():
                    target = target.replace("{" + key + "}", value)
                plan[path] = os.path.normpath(target)
            break
    else:
        plan[path] = path
taken = {path for path in files if plan[path] == path}
final = {}
for path in sorted(files, key=os.fsencode):
    target = plan[path]
    if target is None or target == path:
        continue
    stem, suffix = os.path.splitext(target)
    number = 1
    while target in taken:
        target = f"{stem}.{number}{suffix}"
        number += 1
    taken.add(target)
    final[path] = target
for number, path in enumerate(final):
    os.rename(os.path.join(root, path), os.path.join(root, f".tidy-{number}"))
for path, target in plan.items():
    if target is None:
        os.unlink(os.path.join(root, path))
for folder in sorted(folders, key=len, reverse=True):
    if not os.listdir(folder):
        os.rmdir(folder)
for number, (path, target) in enumerate(final.items()):
    os.makedirs(os.path.dirname(os.path.join(root, target)), exist_ok=True)
    os.rename(os.path.join(root, f".tidy-{number}"), os.path.join(root, target))
for path in sorted(files, key=os.fsencode):
    if plan[path] is None:
        print(f"delete {path}")
    elif path in final:
        print(f"{path} => {final[path]}")
"""

FAULTS = (
    ("one_by_one", "files that have yet to move count as gone",
     "taken = {path for path in files if plan[path] == path}", "taken = set()"),
    ("case", "patterns look at capitals", "fnmatch.fnmatchcase(name.lower(), pattern.lower())",
     "fnmatch.fnmatchcase(name, pattern)"),
    ("bad_rule_ignored", "a wrong rule is skipped", "sys.exit(2)", "continue"),
    ("folder_slash", "the folder keeps its slashes", 'folder.replace("/", "_")', "folder"),
)  # fmt: skip


def sorter(draw: random.Random) -> Recipe:
    """A program that moves files by rules with placeholders, with collisions, swaps and deletions."""
    hidden = [tree_case(draw, f"tree-{number}") for number in range(4)]
    hidden.append(
        cases.case(
            "wrong rule",
            ("rules", "tree"),
            files={"rules": "*.txt -> text/{name}\n*.log text\n", "tree/a.txt": "a\n"},
            code=2,
            out="",
            after={"tree/a.txt": "a\n"},
        )
    )
    return Recipe(
        instruction=f"""
Write {PATH}, a program in Python 3 (standard library only): `python3 {PATH} RULES ROOT` tidies up the tree below
the folder ROOT by the rules in the file RULES.

- A rule is a line `PATTERN -> TARGET` (exactly one ` -> `, with a blank on each side; blanks around PATTERN and TARGET
  are dropped). Empty lines and lines that start with `#` after blanks are skipped. With any other line nothing is
  changed, nothing goes to standard output, and the exit status is 2.
- PATTERN is a shell pattern (Python's `fnmatch`) for a file's base name, without regard to case. For each file the
  first rule that fits holds. A file that no rule fits stays where it is.
- TARGET is `!` (delete the file), `=` (leave it where it is), or its new path relative to ROOT, in which these are
  replaced: `{{name}}` its base name; `{{stem}}` the base name without its suffix; `{{suffix}}` the suffix without its
  dot in lower case, `none` when there is none; `{{first}}` the first ASCII letter of the stem in lower case, `_` when
  there is none; `{{folder}}` the path of its folder relative to ROOT with each `/` replaced by `_`, `top` for ROOT
  itself. Stem and suffix are those of Python's `os.path.splitext`.
- All new paths are worked out from the tree as it was. Paths of files that stay are taken. The other files get theirs
  in the byte order of their old paths: when the new path is taken, `.1` is put before its suffix (as
  `os.path.splitext` sees it in the new path), or `.2` when that is taken too, and so on. A path from which a file
  moves away or is deleted is free, so two files may change places.
- Folders that were in ROOT and are empty in the end are removed, folders that are needed are made.
- For every file that is deleted or moved print a line, in the byte order of old paths: `delete OLD` or
  `OLD => NEW`. A file whose new path is its old one counts as staying. The exit status is 0.

There are only regular files and folders. No path occurs that is both a file and a folder. Only {PATH} is graded: it
runs on other trees and rules.
""",
        artifacts=(PATH,),
        files={
            "rules.sample": "# tidy\n*.tmp -> !\nREADME* -> =\n*.jpg -> pics/{first}/{name}\n* -> {suffix}/{name}\n"
        },
        solve=write_file(PATH, SORTER),
        check="program",
        expect=cases.program(PATH, hidden),
        mutants=mutated(SORTER, lambda text: write_file(PATH, text), FAULTS),
    )


def tree_case(draw: random.Random, id: str) -> dict[str, object]:
    """A hidden tree, its rules, and what must be there afterwards."""
    folders = ["", *(f"{name}/" for name in draw.sample(naming.FOLDERS, 3))]
    folders.append(folders[1] + "sub folder/")
    nouns = draw.sample(naming.NOUNS, 5)
    paths = {
        f"{draw.choice(folders)}{draw.choice(nouns)}.{draw.choice(('jpg', 'txt', 'TXT', 'log'))}" for _ in range(12)
    }
    paths |= {f"{folder}{nouns[0]}.JPG" for folder in folders[:3]} | {f"{folders[3]}junk.tmp", f"{folders[2]}42.txt"}
    paths |= {"left.swap", "right.swap", f"{folders[1]}README", f"{folders[4]}Makefile", f"{folders[2]}{nouns[1]}.dat",
              f"none/{nouns[1]}.dat", f"{folders[4]}{nouns[1]}.dat"}  # fmt: skip
    rules = [
        ("*.tmp", "!"),
        ("readme*", "="),
        ("left.swap", "right.swap"),
        ("right.swap", "left.swap"),
        ("none/*", "!"),
        ("*.jpg", draw.choice(("pictures/{first}/{name}", "pictures/{stem}.{suffix}"))),
        ("*.t?t", draw.choice(("text/{folder}/{name}", "{suffix}/{first}/{folder}-{name}"))),
        ("[a-m]*.log", "logs/{stem}.{suffix}"),
        ("*.dat", "none/{name}"),
        ("make*", "build/{suffix}/{stem}"),
    ]
    files = {path: f"{id} {path}\n" for path in paths}
    after, printed = tidied(files, rules)
    lines = [f"{pattern} -> {target}" for pattern, target in rules]
    lines[3:3] = ["", "  # the rest"]
    root = "a tree"
    gone = {f"{root}/{path}": None for path in files if path not in after}
    return cases.case(
        id,
        ("rules", root),
        files={"rules": "\n".join(lines) + "\n", **{f"{root}/{path}": text for path, text in files.items()}},
        after=gone | {f"{root}/{path}": text for path, text in after.items()} | {"rules": "\n".join(lines) + "\n"},
        only=True,
        out=printed,
    )


def tidied(files: dict[str, str], rules: list[tuple[str, str]]) -> tuple[dict[str, str], str]:
    """The tree after `rules`, and what the program prints."""
    goals: dict[str, str] = {}
    for path in files:
        folder, _, name = path.rpartition("/")
        stem, suffix = splitext(name)
        goal = next((goal for pattern, goal in rules if fnmatchcase(name.lower(), pattern)), "=")
        letters = [letter for letter in stem.lower() if "a" <= letter <= "z"] + ["_"]
        goals[path] = path if goal == "=" else goal.format(
            name=name, stem=stem, suffix=suffix.lower().lstrip(".") or "none", first=letters[0],
            folder=folder.replace("/", "_") or "top",
        )  # fmt: skip
    after = {path: files[path] for path, goal in goals.items() if goal == path}
    printed = []
    for path in sorted(files, key=str.encode):
        goal = goals[path]
        if goal == "!":
            printed.append(f"delete {path}\n")
        elif goal != path:
            numbered = [goal, *(f".{number}".join(splitext(goal)) for number in range(1, 99))]
            goal = next(place for place in numbered if place not in after)
            after[goal] = files[path]
            printed.append(f"{path} => {goal}\n")
    return after, "".join(printed)
