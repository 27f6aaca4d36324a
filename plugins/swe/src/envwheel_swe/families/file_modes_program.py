"""Level 4 of the permissions family: a program that applies a rule file to a tree, tried on hidden trees."""

from __future__ import annotations

import fnmatch
import random

from envwheel_swe import cases, naming
from envwheel_swe.family import Recipe, mutated, write_file

APPLIER = """
import fnmatch
import os
import re
import sys


def change(mode, clause, folder):
    who, sign, what = re.fullmatch("([ugoa]*)([-+=])([rwxX]*)", clause).groups()
    bits = 0
    for letter in what:
        if letter == "X":
            bits |= 1 if folder or mode & 0o111 else 0
        else:
            bits |= {"r": 4, "w": 2, "x": 1}[letter]
    for shift, letter in ((6, "u"), (3, "g"), (0, "o")):
        if letter in who or "a" in who or not who:
            if sign == "+":
                mode |= bits << shift
            elif sign == "-":
                mode &= ~(bits << shift)
            else:
                mode = mode & ~(7 << shift) | bits << shift
    return mode


root = sys.argv[1]
rules = []
with open(sys.argv[2], encoding="utf-8") as source:
    for line in source:
        if line.strip() and not line.lstrip().startswith("#"):
            kind, modes, pattern = line.split(None, 2)
            rules.append((kind, modes, pattern.rstrip("\\n")))
todo = []
for folder, folders, names in os.walk(root):
    for name in folders + names:
        path = os.path.join(folder, name)
        if os.path.islink(path):
            continue
        relative, is_folder = os.path.relpath(path, root), os.path.isdir(path)
        for kind, modes, pattern in rules:
            subject = relative if "/" in pattern else name
            if kind in ("any", "dir" if is_folder else "file") and fnmatch.fnmatchcase(subject, pattern):
                mode = os.stat(path).st_mode & 0o777
                if modes.isdigit():
                    mode = int(modes, 8)
                elif modes != "keep":
                    for clause in modes.split(","):
                        mode = change(mode, clause, is_folder)
                todo.append((path, relative, mode))
                break
for path, relative, mode in sorted(todo, key=lambda item: item[1], reverse=True):
    old = os.stat(path).st_mode & 0o777
    if old != mode:
        os.chmod(path, mode)
for path, relative, mode in sorted(todo, key=lambda item: item[1].encode()):
    print(f"{mode:03o} {relative}")
"""


APPLIER_FAULTS = (
    ("last_fit", "the last rule that fits holds", "in rules:\n ", "in rules[::-1]:\n "),
    ("top_down", "folders are closed before what is in them",
     "key=lambda item: item[1], reverse=True)", "key=lambda item: item[1])"),
    ("plain_x", "X is x", "1 if folder or mode & 0o111 else 0", "1"),
    ("no_who", "without ugoa nothing happens", " or not who", ""),
)  # fmt: skip


def applier(draw: random.Random) -> Recipe:
    """Level 4: a program that applies a rule file to a tree, tried on hidden trees."""
    hidden = [applier_case(draw, f"tree-{number}") for number in range(4)]
    path = "/app/apply_modes.py"
    return Recipe(
        instruction=f"""
Write {path}, a program in Python 3 (standard library only): `python3 {path} ROOT RULES` sets the
permissions below the folder ROOT by the rules in the file RULES.

- A rule is a line `KIND MODE PATTERN`, separated by blanks; PATTERN is the rest of the line and may hold blanks. Empty
  lines and lines whose first character (after blanks) is `#` are skipped.
- KIND is `file` (regular files), `dir` (folders) or `any`. ROOT itself and symbolic links are never touched nor
  followed.
- PATTERN is a shell pattern as Python's `fnmatch.fnmatchcase` knows it. One with a `/` is compared with the whole path
  relative to ROOT (a `*` matches slashes as well), one without a `/` with the base name only.
- For each file and folder the first rule that fits by KIND and PATTERN holds; the others are not looked at. What no
  rule fits stays unchanged.
- MODE is octal (`640`), or `keep` (the mode stays), or clauses joined by commas as chmod has them, applied from left to
  right to the present mode: one or more of `ugoa`, or none of them, which means `a` (there is no umask); then `+`, `-`
  or `=`; then any of `rwxX`, perhaps none. `X` is `x` for folders and for files for which, at that point, any execute
  bit is set, and nothing for others.
- A folder may lose its `r` or `x` by a rule; what is in it must be treated nevertheless.
- For everything that a rule fits (`keep` included) print a line with the new mode as three octal digits, a blank and
  the path relative to ROOT, sorted by path in byte order. Nothing else goes to standard output, and the exit status
  is 0.

Only {path} is graded: it runs on other trees and rules, as the owner of the trees.
""",
        artifacts=(path,),
        files={"rules.sample": "# first fit holds\nfile 600 *.key\ndir u=rwx,go=rX *\nany u+rwX,o= *\n"},
        solve=write_file(path, APPLIER),
        check="program",
        expect=cases.program(path, hidden),
        mutants=mutated(APPLIER, lambda text: write_file(path, text), APPLIER_FAULTS),
        skills=("files", "shell"),
    )  # fmt: skip


def applier_case(draw: random.Random, id: str) -> dict[str, object]:
    """A hidden tree with rules, and what comes of them."""
    folders = draw.sample(naming.FOLDERS, 3)
    folders.append(f"{folders[0]}/sub dir")
    names = [f"{noun}{draw.choice(('.key', '.sh', '.txt', ' b.txt', ''))}" for noun in draw.sample(naming.NOUNS, 9)]
    modes = {name: draw.choice((0o755, 0o775, 0o711)) for name in folders}
    modes |= {f"{draw.choice(folders)}/{name}": draw.choice((0o644, 0o755, 0o666, 0o444, 0o610)) for name in names}
    modes |= {f"{folder}/.keep": 0o644 for folder in folders}
    modes |= {"top.txt": 0o666, f"{folders[1]}/x.key": 0o644, f"{folders[3]}/run.sh": 0o654}
    rules = [
        ("file", draw.choice(("400", "600")), "*.key"),
        ("file", "-w,u+w", "top*"),
        ("any", "keep", f"{folders[1]}*y*"),
        ("dir", "u+w,a-x,u=rw", folders[2]),
        ("file", "u=rw,go=r,+X", f"{folders[0]}/*"),
        ("dir", "u=rwx,go=rX", "*dir"),
        ("file", draw.choice(("-w,u+w", "a+X,o=", "go-rwx,u+rX")), "*.*"),
        ("any", "o-rwx", "*"),
    ]
    want: dict[str, int] = {}
    for path, mode in modes.items():
        for kind, text, pattern in rules:
            subject = path if "/" in pattern else path.rpartition("/")[2]
            if kind in ("any", "dir" if path in folders else "file") and fnmatch.fnmatchcase(subject, pattern):
                want[path] = applied(mode, text, path in folders)
                break
    lines = [f"{kind}  {text} {pattern}" for kind, text, pattern in rules]
    lines.insert(2, "  # local changes")
    lines.insert(1, "")
    root = "the tree"
    everything = {**modes, **want}
    return cases.case(
        id,
        (root, "rules"),
        files={"rules": "\n".join(lines) + "\n"}
        | {f"{root}/{path}": f"{path}\n" for path in modes if path not in folders},
        modes={f"{root}/{path}": f"{mode:o}" for path, mode in modes.items()},
        after_modes={f"{root}/{path}": f"{mode:o}" for path, mode in everything.items()},
        out="".join(f"{want[path]:03o} {path}\n" for path in sorted(want, key=str.encode)),
    )


def applied(mode: int, text: str, folder: bool) -> int:
    """`mode` after a rule's MODE, worked out bit by bit."""
    if text == "keep" or text.isdigit():
        return mode if text == "keep" else int(text, 8)
    for clause in text.split(","):
        sign = next(letter for letter in clause if letter in "+-=")
        who, _, what = clause.partition(sign)
        executable = folder or any(mode >> place & 1 for place in (0, 3, 6))
        named = set(what.replace("X", "x" if executable else ""))
        for place in range(9):
            if who and "a" not in who and "ogu"[place // 3] not in who:
                continue
            meant = "xwr"[place % 3] in named
            if sign == "=" or meant:
                bit = 1 << place
                mode = mode | bit if meant and sign != "-" else mode & ~bit
    return mode
